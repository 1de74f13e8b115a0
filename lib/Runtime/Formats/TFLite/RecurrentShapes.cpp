//===- RecurrentShapes.cpp - Shapes of recurrent operators ----------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Recurrent.h"

#include "OperatorTable.h"

#include "Runtime/Support/Errors.h"

namespace nnhal::rt::tflite {

Status expectShape(Operator &op, size_t i, const Shape &expected,
                   OperandType type) {
  if (!op.hasInput(i))
    return Status();
  const Tensor &tensor = op.input(i);
  if (!tensor.shape || *tensor.shape != expected)
    return badData("input {} has shape {}, expected {}", i,
                   tensor.shape ? toString(*tensor.shape) : "?",
                   toString(expected));
  if (tensor.type == type || hasDynamicRange(op, i))
    return Status();
  if (type == *op.input(0).type)
    return badData("input {} has type {}, but input 0 has type {}", i,
                   nameOf(tensor.sourceType), nameOf(op.input(0).sourceType));
  return badData("input {} has type {}, but beside {} it is {}", i,
                 nameOf(tensor.sourceType), nameOf(op.input(0).sourceType),
                 nameOf(type));
}

Status expectShape(Operator &op, size_t i, const Shape &expected) {
  return expectShape(op, i, expected, *op.input(0).type);
}

/// The types of inputs beside quantized data; that of the data otherwise.
static OperandType beside(Operator &op, OperandType quantized) {
  return isQuantized(*op.input(0).type) ? quantized : *op.input(0).type;
}

Status expectRank(Operator &op, size_t i, size_t rank) {
  if (!op.input(i).shape || op.shape(i).size() != rank)
    return badData("input {} has shape {}, expected rank {}", i,
                   op.input(i).shape ? toString(op.shape(i)) : "?", rank);
  return Status();
}

Status expectTogether(Operator &op, std::initializer_list<size_t> inputs) {
  for (size_t i : inputs)
    if (op.hasInput(i) != op.hasInput(*inputs.begin()))
      return badData("inputs {} and {} must be present together",
                     *inputs.begin(), i);
  return Status();
}

static std::string_view presence(Operator &op, size_t i) {
  return op.hasInput(i) ? "present" : "missing";
}

/// Checks which weights of an LSTM cell go with which others (M-167 to M-169).
static Status checkLstmParts(Operator &op, size_t first) {
  // A projection bias needs projection weights (M-169).
  if (op.hasInput(first + 17) && !op.hasInput(first + 16))
    return badData("has a projection bias, but no projection");
  NNHAL_RETURN_IF_ERROR(expectTogether(op, {first + 1, first + 5, first + 12}));
  NNHAL_RETURN_IF_ERROR(expectTogether(op, {first + 10, first + 11}));
  bool isPeephole = op.hasInput(first + 10) && op.hasInput(first + 1);
  if (op.hasInput(first + 9) != isPeephole)
    return badData("input {} is {}, but input {} is {} and input {} is {}",
                   first + 9, presence(op, first + 9), first + 1,
                   presence(op, first + 1), first + 10,
                   presence(op, first + 10));
  return Status();
}

Result<uint32_t> lstmOutputSize(Operator &op, uint32_t inputSize,
                                size_t first) {
  NNHAL_RETURN_IF_ERROR(expectRank(op, first + 2, 2));
  NNHAL_RETURN_IF_ERROR(expectRank(op, first + 6, 2));
  uint32_t cells = op.shape(first + 2)[0], outputs = op.shape(first + 6)[1];
  for (size_t i = 1; i <= 4; ++i)
    NNHAL_RETURN_IF_ERROR(expectShape(op, first + i, {cells, inputSize}));
  for (size_t i = 5; i <= 8; ++i)
    NNHAL_RETURN_IF_ERROR(expectShape(op, first + i, {cells, outputs}));
  OperandType fine = beside(op, OperandType::TENSOR_QUANT16_SYMM);
  OperandType bias = beside(op, OperandType::TENSOR_INT32);
  for (size_t i = 9; i <= 11; ++i)
    NNHAL_RETURN_IF_ERROR(expectShape(op, first + i, {cells}, fine));
  for (size_t i = 12; i <= 15; ++i)
    NNHAL_RETURN_IF_ERROR(expectShape(op, first + i, {cells}, bias));
  NNHAL_RETURN_IF_ERROR(expectShape(op, first + 16, {outputs, cells}));
  NNHAL_RETURN_IF_ERROR(expectShape(op, first + 17, {outputs}, bias));
  if (!op.hasInput(first + 16) && outputs != cells)
    return badData("has {} cells and {} outputs, but no projection", cells,
                   outputs);
  NNHAL_RETURN_IF_ERROR(checkLstmParts(op, first));
  if (uint64_t(cells) * 4 > INT32_MAX)
    return badData("has {} cells, which are too many", cells);
  return outputs;
}

/// Checks the layer norm weights of both LSTM operators of one direction.
static Status checkLayerNorm(Operator &op) {
  OperandType fine = beside(op, OperandType::TENSOR_QUANT16_SYMM);
  for (size_t i = layerNorm; i < layerNorm + 4; ++i)
    NNHAL_RETURN_IF_ERROR(expectShape(op, i, {op.shape(2)[0]}, fine));
  return expectTogether(op, {layerNorm + 1, layerNorm + 2, layerNorm + 3});
}

Result<std::vector<Shape>> lstmShape(Operator &op) {
  NNHAL_ASSIGN_OR_RETURN(const auto *options,
                         op.options<schema::LSTMOptions>());
  if (options->kernel_type() != schema::LSTMKernel::FULL)
    return badData("kernel type {} is not expressible, only FULL",
                   schema::EnumNameLSTMKernel(options->kernel_type()));
  NNHAL_RETURN_IF_ERROR(expectRank(op, 0, 2));
  NNHAL_ASSIGN_OR_RETURN(uint32_t outputs, lstmOutputSize(op, op.shape(0)[1]));
  NNHAL_RETURN_IF_ERROR(checkLayerNorm(op));
  std::vector<int64_t> dimensions = {op.shape(0)[0], outputs};
  NNHAL_ASSIGN_OR_RETURN(Shape shape, makeShape(dimensions));
  return std::vector<Shape>{shape};
}

Result<std::vector<Shape>> sequenceLstmShape(Operator &op) {
  NNHAL_RETURN_IF_ERROR(expectRank(op, 0, 3));
  NNHAL_ASSIGN_OR_RETURN(uint32_t outputs, lstmOutputSize(op, op.shape(0)[2]));
  NNHAL_RETURN_IF_ERROR(checkLayerNorm(op));
  std::vector<int64_t> dimensions = {op.shape(0)[0], op.shape(0)[1], outputs};
  NNHAL_ASSIGN_OR_RETURN(Shape shape, makeShape(dimensions));
  return std::vector<Shape>{shape};
}

Result<uint32_t> rnnUnits(Operator &op, uint32_t inputSize, size_t first) {
  NNHAL_RETURN_IF_ERROR(expectRank(op, first + 1, 2));
  uint32_t units = op.shape(first + 1)[0];
  NNHAL_RETURN_IF_ERROR(expectShape(op, first + 1, {units, inputSize}));
  NNHAL_RETURN_IF_ERROR(expectShape(op, first + 2, {units, units}));
  NNHAL_RETURN_IF_ERROR(expectShape(op, first + 3, {units}));
  return units;
}

Result<std::vector<Shape>> rnnShape(Operator &op) {
  NNHAL_RETURN_IF_ERROR(expectRank(op, 0, 2));
  NNHAL_ASSIGN_OR_RETURN(uint32_t units, rnnUnits(op, op.shape(0)[1]));
  std::vector<int64_t> dimensions = {op.shape(0)[0], units};
  NNHAL_ASSIGN_OR_RETURN(Shape shape, makeShape(dimensions));
  return std::vector<Shape>{shape};
}

Result<std::vector<Shape>> sequenceRnnShape(Operator &op) {
  NNHAL_RETURN_IF_ERROR(expectRank(op, 0, 3));
  NNHAL_ASSIGN_OR_RETURN(uint32_t units, rnnUnits(op, op.shape(0)[2]));
  std::vector<int64_t> dimensions = {op.shape(0)[0], op.shape(0)[1], units};
  NNHAL_ASSIGN_OR_RETURN(Shape shape, makeShape(dimensions));
  return std::vector<Shape>{shape};
}

Result<std::vector<Shape>> svdfShape(Operator &op) {
  NNHAL_ASSIGN_OR_RETURN(const auto *options,
                         op.options<schema::SVDFOptions>());
  for (size_t i = 0; i < 3; ++i)
    NNHAL_RETURN_IF_ERROR(expectRank(op, i, 2));
  uint32_t filters = op.shape(1)[0];
  // The rank is positive and divides the number of filters (M-183).
  if (options->rank() < 1 || filters % uint32_t(options->rank()) != 0)
    return badData("rank {} does not divide {} filters", options->rank(),
                   filters);
  uint32_t units = filters / uint32_t(options->rank());
  NNHAL_RETURN_IF_ERROR(expectShape(op, 1, {filters, op.shape(0)[1]}));
  NNHAL_RETURN_IF_ERROR(
      expectShape(op, 2, {filters, op.shape(2)[1]},
                  beside(op, OperandType::TENSOR_QUANT16_SYMM)));
  NNHAL_RETURN_IF_ERROR(
      expectShape(op, 3, {units}, beside(op, OperandType::TENSOR_INT32)));
  std::vector<int64_t> dimensions = {op.shape(0)[0], units};
  NNHAL_ASSIGN_OR_RETURN(Shape shape, makeShape(dimensions));
  return std::vector<Shape>{shape};
}

} // namespace nnhal::rt::tflite
