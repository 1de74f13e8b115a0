//===- OperationBuilder.cpp - Builds one HAL operation from an operator ---===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OperationBuilder.h"

#include "OperatorTable.h"

#include "Runtime/Support/Errors.h"
#include "Runtime/Support/Float16.h"

namespace nnhal::rt::tflite {

bool hasDynamicRange(Operator &op, size_t i) {
  const Tensor &data = op.input(op.row.dataInput), &weights = op.input(i);
  return *data.type == OperandType::TENSOR_FLOAT32 && weights.type &&
         isQuantized(*weights.type) &&
         *weights.type != OperandType::TENSOR_QUANT16_SYMM;
}

Result<uint32_t> weightsOperand(Operator &op, size_t i) {
  NNHAL_ASSIGN_OR_RETURN(uint32_t weights, op.graph.use(op.input(i)));
  if (!hasDynamicRange(op, i))
    return weights;
  Operand real;
  real.type = OperandType::TENSOR_FLOAT32;
  real.dimensions = op.graph.operand(weights).dimensions;
  uint32_t result = op.graph.addOperand(std::move(real));
  op.graph.addOperation(OperationType::DEQUANTIZE, {weights}, {result});
  return result;
}

void OperationBuilder::fail(Status failure) {
  if (status.isOk())
    status = std::move(failure);
}

OperationBuilder &OperationBuilder::operand(uint32_t index) {
  inputs.push_back(index);
  return *this;
}

OperationBuilder &OperationBuilder::operand(Result<uint32_t> index) {
  if (index.isOk())
    inputs.push_back(*index);
  else
    fail(std::move(index).takeStatus());
  return *this;
}

uint32_t OperationBuilder::realLike(uint32_t operand) {
  Operand real;
  real.type = OperandType::TENSOR_FLOAT32;
  real.dimensions = graph.operand(operand).dimensions;
  return graph.addOperand(std::move(real));
}

OperationBuilder &OperationBuilder::throughReals() {
  isReal = true;
  return *this;
}

OperationBuilder &OperationBuilder::input(size_t i) {
  Result<uint32_t> value = graph.use(op.input(i));
  if (!isReal || !value.isOk() || !isQuantized(graph.operand(*value).type))
    return operand(std::move(value));
  uint32_t real = realLike(*value);
  graph.addOperation(OperationType::DEQUANTIZE, {*value}, {real});
  return operand(real);
}

OperationBuilder &OperationBuilder::optional(size_t i, OperandType absentType) {
  return op.hasInput(i) ? input(i) : operand(graph.addNoValue(absentType));
}

OperationBuilder &OperationBuilder::int32(int32_t value) {
  return operand(graph.addConstant(OperandType::INT32, {},
                                   std::as_bytes(std::span(&value, 1))));
}

OperationBuilder &OperationBuilder::boolean(bool value) {
  uint8_t byte = value;
  return operand(graph.addConstant(OperandType::BOOL, {},
                                   std::as_bytes(std::span(&byte, 1))));
}

OperationBuilder &OperationBuilder::real(float value) {
  return operand(graph.addConstant(OperandType::FLOAT32, {},
                                   std::as_bytes(std::span(&value, 1))));
}

OperationBuilder &OperationBuilder::floating(float value, size_t like) {
  if (op.input(like).type == OperandType::TENSOR_FLOAT16) {
    uint16_t half = float16FromDouble(value);
    return operand(graph.addConstant(OperandType::FLOAT16, {},
                                     std::as_bytes(std::span(&half, 1))));
  }
  return real(value);
}

OperationBuilder &OperationBuilder::integers(std::span<const int32_t> values) {
  return operand(graph.addConstant(OperandType::TENSOR_INT32,
                                   {static_cast<uint32_t>(values.size())},
                                   std::as_bytes(values)));
}

OperationBuilder &OperationBuilder::activation(schema::Activation activation) {
  // The first four have the HAL's numbers.
  if (activation >= schema::Activation::NONE &&
      activation <= schema::Activation::RELU6)
    return int32(int32_t(activation));
  return separateActivation(activation).int32(0);
}

OperationBuilder &
OperationBuilder::separateActivation(schema::Activation activation) {
  switch (activation) {
  case schema::Activation::NONE:
    return *this;
  case schema::Activation::RELU:
    following = OperationType::RELU;
    return *this;
  case schema::Activation::RELU_N1_TO_1:
    following = OperationType::RELU1;
    return *this;
  case schema::Activation::RELU6:
    following = OperationType::RELU6;
    return *this;
  case schema::Activation::TANH:
    following = OperationType::TANH;
    if (op.output(0).type && isQuantized(*op.output(0).type))
      fail(badData(
          "fused activation TANH of a quantized result is not expressible: "
          "the scale before it is not stated"));
    return *this;
  case schema::Activation::SIGN_BIT:
    fail(badData("the HAL has no activation SIGN_BIT"));
    return *this;
  }
  fail(badData("has unknown activation {}", int(activation)));
  return *this;
}

OperationBuilder &OperationBuilder::shapedAs(Shape shape) {
  halShape = std::move(shape);
  return *this;
}

OperationBuilder &OperationBuilder::keepsQuantizationOf(size_t i) {
  quantizationInput = i;
  return *this;
}

OperationBuilder &OperationBuilder::extraOutput(uint32_t index) {
  extraOutputs.push_back(index);
  return *this;
}

OperationBuilder &OperationBuilder::followedBy(std::vector<uint32_t> indices) {
  lastOutputs = std::move(indices);
  return *this;
}

uint32_t OperationBuilder::beforeReshape(uint32_t target) {
  if (!halShape || *halShape == op.outputShapes[0])
    return target;
  const Operand &result = graph.operand(target);
  bool isReshapable = result.type != OperandType::TENSOR_INT32 &&
                      result.type != OperandType::TENSOR_BOOL8;
  std::vector<int32_t> dimensions(result.dimensions.begin(),
                                  result.dimensions.end());
  if (Shape adjusted = halShape->empty() ? Shape{1} : *halShape;
      result.dimensions == adjusted)
    return target; // Both are one element in the HAL.
  if (!isReshapable || halShape->size() > 4) {
    fail(badData(
        "the HAL computes shape {} and cannot reshape it to {} for type {}",
        toString(*halShape), toString(op.outputShapes[0]),
        nameOf(result.type)));
    return target;
  }
  uint32_t native = graph.addTemporary(target, *halShape);
  followers.push_back(
      {OperationType::RESHAPE,
       {native, addConstant(graph, OperandType::TENSOR_INT32, dimensions)},
       target});
  return native;
}

uint32_t OperationBuilder::beforeActivation(uint32_t target) {
  if (!following)
    return target;
  uint32_t native =
      graph.addTemporary(target, graph.operand(target).dimensions);
  followers.push_back({*following, {native}, target});
  return native;
}

uint32_t OperationBuilder::beforeRequantize(uint32_t target) {
  if (!quantizationInput)
    return target;
  const Tensor &source = op.input(*quantizationInput);
  const Operand result = graph.operand(target);
  if (!isQuantized(result.type) || source.type != result.type ||
      (source.scale == result.scale && source.zeroPoint == result.zeroPoint))
    return target;
  uint32_t native = graph.addTemporary(target, result.dimensions);
  graph.operand(native).scale = source.scale;
  graph.operand(native).zeroPoint = source.zeroPoint;
  uint32_t realIndex = realLike(native);
  followers.push_back({OperationType::QUANTIZE, {realIndex}, target});
  followers.push_back({OperationType::DEQUANTIZE, {native}, realIndex});
  return native;
}

uint32_t OperationBuilder::beforeQuantize(uint32_t target) {
  if (!isReal || !isQuantized(graph.operand(target).type))
    return target;
  uint32_t native = realLike(target);
  followers.push_back({OperationType::QUANTIZE, {native}, target});
  return native;
}

/// The type that the file states for what the operation computes as output
/// \p i, before reals and other scales become it.
Result<TensorType> OperationBuilder::resultType(size_t i) {
  const Tensor &tensor = op.output(i);
  if (!tensor.type)
    return badData("{} {}", describe(tensor), tensor.typeProblem);
  TensorType type;
  type.type = *tensor.type;
  type.isRanked = !isTensor(type.type);
  type.scale = tensor.scale;
  type.zeroPoint = tensor.zeroPoint;
  if (isReal && isQuantized(type.type)) {
    type = TensorType();
    type.isRanked = false;
  } else if (quantizationInput &&
             op.input(*quantizationInput).type == tensor.type) {
    type.scale = op.input(*quantizationInput).scale;
    type.zeroPoint = op.input(*quantizationInput).zeroPoint;
  }
  return type;
}

Status OperationBuilder::inferShapes() {
  OperationView view;
  view.type = type;
  for (uint32_t input : inputs)
    view.inputs.push_back(graph.view(input));
  for (uint32_t output : extraOutputs)
    view.outputs.push_back(graph.view(output));
  for (size_t i = 0; i < op.outputCount(); ++i) {
    NNHAL_ASSIGN_OR_RETURN(TensorType stated, resultType(i));
    view.outputs.push_back({std::move(stated)});
  }
  NNHAL_ASSIGN_OR_RETURN(OperationFacts facts, inferOperation(view));
  for (size_t i = 0; i < op.outputCount(); ++i) {
    size_t position = extraOutputs.size() + i;
    OperandType stated = view.outputs[position].type.type;
    if (facts.results[position].type != stated)
      return badData("output {} has type {}, expected {}", i, nameOf(stated),
                     nameOf(facts.results[position].type));
    NNHAL_ASSIGN_OR_RETURN(Shape shape,
                           op.outputShape(i, facts.results[position]));
    op.outputShapes.push_back(std::move(shape));
  }
  return Status();
}

Status OperationBuilder::finish() {
  if (status.isOk() && op.outputShapes.empty())
    NNHAL_RETURN_IF_ERROR(inferShapes());
  std::vector<uint32_t> outputs = extraOutputs;
  for (size_t i = 0; i < op.outputCount() && status.isOk(); ++i) {
    Result<uint32_t> target = graph.define(op.output(i), op.outputShapes[i]);
    if (!target.isOk()) {
      fail(std::move(target).takeStatus());
      break;
    }
    uint32_t native = *target;
    if (i == 0)
      native = beforeRequantize(
          beforeActivation(beforeReshape(beforeQuantize(native))));
    else if (quantizationInput)
      native = beforeRequantize(native);
    outputs.push_back(native);
  }
  NNHAL_RETURN_IF_ERROR(std::move(status));
  outputs.insert(outputs.end(), lastOutputs.begin(), lastOutputs.end());
  graph.addOperation(type, std::move(inputs), std::move(outputs));
  for (size_t i = followers.size(); i-- > 0;)
    graph.addOperation(followers[i].type, std::move(followers[i].inputs),
                       {followers[i].output});
  return Status();
}

} // namespace nnhal::rt::tflite
