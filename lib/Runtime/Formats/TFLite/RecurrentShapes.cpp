//===- RecurrentShapes.cpp - Shapes of recurrent operators ----------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OperationBuilder.h"
#include "OperatorTable.h"

#include "Runtime/Support/Errors.h"

namespace nnhal::rt::tflite {

/// Input \p i has exactly shape \p expected and type \p type; absent inputs
/// pass.
static Status expectShape(Operator &op, size_t i, const Shape &expected,
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
  return badData("input {} has type {}, but beside INT8 it is {}", i,
                 nameOf(tensor.sourceType), nameOf(type));
}

/// Expects a shape like the function above, with the type of input 0.
static Status expectShape(Operator &op, size_t i, const Shape &expected) {
  return expectShape(op, i, expected, *op.input(0).type);
}

/// The types of inputs beside quantized data; that of the data otherwise.
static OperandType beside(Operator &op, OperandType quantized) {
  return isQuantized(*op.input(0).type) ? quantized : *op.input(0).type;
}

static Status expectRank(Operator &op, size_t i, size_t rank) {
  if (!op.input(i).shape || op.shape(i).size() != rank)
    return badData("input {} has shape {}, expected rank {}", i,
                   op.input(i).shape ? toString(op.shape(i)) : "?", rank);
  return Status();
}

/// Present all together or not at all (M-167 to M-170).
static Status expectTogether(Operator &op,
                             std::initializer_list<size_t> inputs) {
  for (size_t i : inputs)
    if (op.hasInput(i) != op.hasInput(*inputs.begin()))
      return badData("inputs {} and {} must be present together",
                     *inputs.begin(), i);
  return Status();
}

/// Checks the weights of both LSTM operators and gives the output size.
static Result<uint32_t> lstmOutputSize(Operator &op, uint32_t inputSize) {
  NNHAL_RETURN_IF_ERROR(expectRank(op, 2, 2));
  NNHAL_RETURN_IF_ERROR(expectRank(op, 6, 2));
  uint32_t cells = op.shape(2)[0], outputs = op.shape(6)[1];
  for (size_t i = 1; i <= 4; ++i)
    NNHAL_RETURN_IF_ERROR(expectShape(op, i, {cells, inputSize}));
  for (size_t i = 5; i <= 8; ++i)
    NNHAL_RETURN_IF_ERROR(expectShape(op, i, {cells, outputs}));
  OperandType fine = beside(op, OperandType::TENSOR_QUANT16_SYMM);
  OperandType bias = beside(op, OperandType::TENSOR_INT32);
  for (size_t i = 9; i <= 11; ++i)
    NNHAL_RETURN_IF_ERROR(expectShape(op, i, {cells}, fine));
  for (size_t i = 12; i <= 15; ++i)
    NNHAL_RETURN_IF_ERROR(expectShape(op, i, {cells}, bias));
  NNHAL_RETURN_IF_ERROR(expectShape(op, 16, {outputs, cells}));
  NNHAL_RETURN_IF_ERROR(expectShape(op, 17, {outputs}, bias));
  for (size_t i = 20; i <= 23; ++i)
    NNHAL_RETURN_IF_ERROR(expectShape(op, i, {cells}, fine));
  if (!op.hasInput(16) && outputs != cells)
    return badData("has {} cells and {} outputs, but no projection", cells,
                   outputs);
  // A projection bias needs projection weights (M-169).
  if (op.hasInput(17) && !op.hasInput(16))
    return badData("has a projection bias, but no projection");
  NNHAL_RETURN_IF_ERROR(expectTogether(op, {1, 5, 12}));
  NNHAL_RETURN_IF_ERROR(expectTogether(op, {10, 11}));
  NNHAL_RETURN_IF_ERROR(expectTogether(op, {21, 22, 23}));
  if (uint64_t(cells) * 4 > INT32_MAX)
    return badData("has {} cells, which are too many", cells);
  return outputs;
}

Result<std::vector<Shape>> lstmShape(Operator &op) {
  NNHAL_ASSIGN_OR_RETURN(const auto *options,
                         op.options<schema::LSTMOptions>());
  if (options->kernel_type() != schema::LSTMKernel::FULL)
    return badData("kernel type {} is not expressible, only FULL",
                   schema::EnumNameLSTMKernel(options->kernel_type()));
  NNHAL_RETURN_IF_ERROR(expectRank(op, 0, 2));
  NNHAL_ASSIGN_OR_RETURN(uint32_t outputs, lstmOutputSize(op, op.shape(0)[1]));
  std::vector<int64_t> dimensions = {op.shape(0)[0], outputs};
  NNHAL_ASSIGN_OR_RETURN(Shape shape, makeShape(dimensions));
  return std::vector<Shape>{shape};
}

Result<std::vector<Shape>> sequenceLstmShape(Operator &op) {
  NNHAL_RETURN_IF_ERROR(expectRank(op, 0, 3));
  NNHAL_ASSIGN_OR_RETURN(uint32_t outputs, lstmOutputSize(op, op.shape(0)[2]));
  std::vector<int64_t> dimensions = {op.shape(0)[0], op.shape(0)[1], outputs};
  NNHAL_ASSIGN_OR_RETURN(Shape shape, makeShape(dimensions));
  return std::vector<Shape>{shape};
}

/// Checks the weights of both RNN operators and gives the number of units.
static Result<uint32_t> rnnUnits(Operator &op, uint32_t inputSize) {
  NNHAL_RETURN_IF_ERROR(expectRank(op, 1, 2));
  uint32_t units = op.shape(1)[0];
  NNHAL_RETURN_IF_ERROR(expectShape(op, 1, {units, inputSize}));
  NNHAL_RETURN_IF_ERROR(expectShape(op, 2, {units, units}));
  NNHAL_RETURN_IF_ERROR(expectShape(op, 3, {units}));
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
