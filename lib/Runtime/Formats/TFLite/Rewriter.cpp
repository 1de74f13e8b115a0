//===- Rewriter.cpp - An operator as several of the file format -----------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Rewriter.h"

#include "Extension.h"

#include "Runtime/Support/Errors.h"

#include <numeric>

namespace nnhal::rt::tflite {

template <typename T>
static Tensor constantOf(FileImport &file, schema::TensorType sourceType,
                         OperandType type, const std::vector<T> &values,
                         Shape shape) {
  std::span<const std::byte> bytes = std::as_bytes(std::span(values));
  Tensor tensor;
  tensor.name = "constant";
  tensor.sourceType = sourceType;
  tensor.type = type;
  tensor.isConstant = tensor.isFolded = true;
  tensor.shape = std::move(shape);
  tensor.bytes = file.keepFolded({bytes.begin(), bytes.end()});
  return tensor;
}

int32_t Rewriter::integers(const std::vector<int32_t> &values,
                           const std::optional<Shape> &dimensions) {
  Shape shape = dimensions.value_or(Shape{uint32_t(values.size())});
  return int32_t(graph.addTensor(
      constantOf(graph.file(), schema::TensorType::INT32,
                 OperandType::TENSOR_INT32, values, std::move(shape))));
}

int32_t Rewriter::reals(const std::vector<float> &values, const Shape &shape) {
  return int32_t(
      graph.addTensor(constantOf(graph.file(), schema::TensorType::FLOAT32,
                                 OperandType::TENSOR_FLOAT32, values, shape)));
}

int32_t Rewriter::real(float value) { return reals({value}, {}); }

int32_t Rewriter::temporary(int32_t like) {
  Tensor tensor = graph.tensor(uint32_t(like));
  // The new tensor has the type alone: only an output states a shape that
  // counts.
  if (like != op.outputs[0])
    tensor.declared.clear();
  tensor.shape.reset();
  tensor.operand.reset();
  tensor.imaginary.reset();
  tensor.wide.reset();
  tensor.isConstant = tensor.isFolded = tensor.isVariable = false;
  tensor.bytes = {};
  tensor.expansion = Expansion::None;
  tensor.sparsity = nullptr;
  return int32_t(graph.addTensor(std::move(tensor)));
}

/// An operator that \p builder holds.
static const schema::Operator &written(Rewriter::Builder &builder,
                                       const std::vector<int32_t> &inputs,
                                       const std::vector<int32_t> &outputs,
                                       Rewriter::Written options,
                                       Rewriter::Written2 options2) {
  auto inputVector = builder.CreateVector(inputs);
  auto outputVector = builder.CreateVector(outputs);
  builder.Finish(schema::CreateOperator(
      builder, 0, inputVector, outputVector, options.first, options.second, 0,
      schema::CustomOptionsFormat::FLEXBUFFERS, 0, 0, 0, 0, options2.first,
      options2.second));
  return *flatbuffers::GetRoot<schema::Operator>(builder.GetBufferPointer());
}

Status Rewriter::importWritten(Builder &builder, Code code,
                               const std::vector<int32_t> &inputs,
                               const std::vector<int32_t> &outputs,
                               Written options) {
  if (options.second.IsNull())
    options.first = schema::BuiltinOptions::NONE;
  return importAs(graph, written(builder, inputs, outputs, options, {}), code);
}

Status Rewriter::extendWritten(Builder &builder, Code code,
                               const std::vector<int32_t> &inputs,
                               const std::vector<int32_t> &outputs,
                               Written2 options) {
  return importAsExtension(graph,
                           written(builder, inputs, outputs, {}, options),
                           *findExtension(code));
}

Status Rewriter::give(int32_t tensor, size_t i) {
  const Tensor &value = graph.tensor(uint32_t(tensor));
  Tensor &output = op.output(i);
  if (!accepts(output, value))
    return badData("{} has another type, scale or zero point than its value, "
                   "{}",
                   describe(output), describe(value));
  output.type = value.type;
  if (value.isConstant)
    return graph.bindConstant(output, value);
  NNHAL_ASSIGN_OR_RETURN(uint32_t operand,
                         graph.use(graph.tensor(uint32_t(tensor))));
  return graph.bind(output, operand, *value.shape);
}

Result<int32_t> Rewriter::reshape(int32_t tensor, const Shape &shape) {
  if (shapeOf(tensor) == shape)
    return tensor;
  if (elementCount(shapeOf(tensor)) != elementCount(shape))
    return badData("{} elements of shape {} do not fit shape {}",
                   elementCount(shapeOf(tensor)).value_or(0),
                   toString(shapeOf(tensor)), toString(shape));
  // A list of no dimensions would be a tensor without elements.
  if (shape.empty())
    return value(Code::SQUEEZE, {tensor}, tensor);
  return value(Code::RESHAPE, {tensor, integers({shape.begin(), shape.end()})},
               tensor);
}

Result<int32_t> Rewriter::transpose(int32_t tensor,
                                    const std::vector<int32_t> &permutation) {
  std::vector<int32_t> same(permutation.size());
  std::iota(same.begin(), same.end(), 0);
  if (permutation == same)
    return tensor;
  return value(Code::TRANSPOSE, {tensor, integers(permutation)}, tensor);
}

Result<int32_t> Rewriter::asInt32(int32_t tensor) {
  const Tensor &from = graph.tensor(uint32_t(tensor));
  if (from.sourceType != schema::TensorType::INT64)
    return tensor;
  // The type of a constant of this kind.
  return value(Code::CAST, {tensor}, integers({0}), [](Builder &builder) {
    return schema::CreateCastOptions(builder, schema::TensorType::INT64,
                                     schema::TensorType::INT32);
  });
}

} // namespace nnhal::rt::tflite
