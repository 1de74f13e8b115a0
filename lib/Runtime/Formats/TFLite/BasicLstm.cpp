//===- BasicLstm.cpp - LSTM of the basic kernel ---------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A step of a cell whose weights are one matrix. Its rows are those of the
// input gate, the cell gate, the forget gate and the output gate, and its
// columns those of the input and then of the previous output. Reals become
// element-wise operations, unsigned bytes QUANTIZED_16BIT_LSTM.
//
//===----------------------------------------------------------------------===//

#include "BasicLstm.h"

#include "Constants.h"
#include "OperationBuilder.h"
#include "Recurrent.h"
#include "Rewriter.h"

#include "Runtime/Support/Errors.h"

#include <algorithm>

namespace nnhal::rt::tflite {

using Code = schema::BuiltinOperator;

namespace {
constexpr size_t previousOutput = 1, weights = 2, biases = 3, previousCell = 4;
constexpr size_t output = 0, cell = 1;
constexpr uint32_t gates = 4;

struct Sizes {
  uint32_t batch, input, units;
};
} // namespace

bool isBasicLstm(const schema::Operator &source) {
  const auto *options = source.builtin_options_as_LSTMOptions();
  return options && options->kernel_type() == schema::LSTMKernel::BASIC &&
         elementsOf(source.inputs()).size() == 5;
}

static const OperatorRow &basicRow() {
  static constexpr OperatorRow row = {.code = Code::LSTM,
                                      .type =
                                          OperationType::QUANTIZED_16BIT_LSTM,
                                      .inputs = {5, 5},
                                      .outputs = {4, 4},
                                      .types = F32 | U8,
                                      .maxRank = 2,
                                      .import = nullptr};
  return row;
}

/// Checks types and shapes, of which a variable has none yet.
static Result<Sizes> sizesOf(Operator &op) {
  const Tensor &data = op.input(0);
  if (!data.type || !(typeSetOf(*data.type) & basicRow().types))
    return badData("the basic kernel does not take input 0 of type {}",
                   nameOf(data.sourceType));
  for (size_t i : {size_t(0), weights, biases})
    if (!op.input(i).shape)
      return badData("input {}, {}, is a variable", i, describe(op.input(i)));
  NNHAL_RETURN_IF_ERROR(expectRank(op, 0, 2));
  NNHAL_RETURN_IF_ERROR(expectRank(op, weights, 2));
  if (std::ranges::count(op.shape(0), 0u) > 0)
    return badData("the shape of input 0 depends on values that are not "
                   "constant");
  Sizes sizes{op.shape(0)[0], op.shape(0)[1], op.shape(weights)[0] / gates};
  if (op.shape(weights) !=
      Shape{gates * sizes.units, sizes.input + sizes.units})
    return badData("weights have shape {}, which is not four times the units, "
                   "and {} more than these",
                   toString(op.shape(weights)), sizes.input);
  bool isReal = data.type == OperandType::TENSOR_FLOAT32;
  NNHAL_RETURN_IF_ERROR(expectShape(op, biases, {gates * sizes.units},
                                    isReal ? OperandType::TENSOR_FLOAT32
                                           : OperandType::TENSOR_INT32));
  return sizes;
}

/// Makes the variable of input \p i, where it is one, the value of an execution
/// that ends with output \p result.
static void keepState(Operator &op, size_t i, size_t result) {
  if (op.input(i).isVariable)
    op.input(i).operand = op.output(result).operand;
}

/// The tensor that holds the state of input \p i before the step.
static Result<int32_t> stateBefore(Operator &op, size_t i, Shape shape) {
  NNHAL_ASSIGN_OR_RETURN(uint32_t operand, stateInput(op, i, shape));
  Tensor before = op.input(i);
  before.isVariable = false;
  before.operand = operand;
  before.shape = std::move(shape);
  return int32_t(op.graph.addTensor(std::move(before)));
}

/// The four parts of the rows of \p sums.
static Result<std::vector<int32_t>> splitGates(Rewriter &r, int32_t sums) {
  std::vector<int32_t> parts;
  parts.reserve(gates);
  for (uint32_t gate = 0; gate < gates; ++gate)
    parts.push_back(r.temporary(sums));
  NNHAL_RETURN_IF_ERROR(r.apply(Code::SPLIT, {r.integers({1}, Shape{}), sums},
                                parts, [](Rewriter::Builder &b) {
                                  return schema::CreateSplitOptions(b, gates);
                                }));
  return parts;
}

static Status importReals(Operator &op, const Sizes &sizes) {
  Rewriter r(op);
  const Shape shape = {sizes.batch, sizes.units};
  NNHAL_ASSIGN_OR_RETURN(int32_t before,
                         stateBefore(op, previousOutput, shape));
  NNHAL_ASSIGN_OR_RETURN(int32_t cellBefore,
                         stateBefore(op, previousCell, shape));
  const int32_t data = op.inputs[0];
  NNHAL_ASSIGN_OR_RETURN(
      int32_t joined, r.value(Code::CONCATENATION, {data, before}, data,
                              [](Rewriter::Builder &b) {
                                return schema::CreateConcatenationOptions(b, 1);
                              }));
  NNHAL_ASSIGN_OR_RETURN(
      int32_t sums,
      r.value(Code::FULLY_CONNECTED,
              {joined, op.inputs[weights], op.inputs[biases]}, data));
  NNHAL_ASSIGN_OR_RETURN(std::vector<int32_t> parts, splitGates(r, sums));
  NNHAL_ASSIGN_OR_RETURN(int32_t in, r.value(Code::LOGISTIC, {parts[0]}, data));
  NNHAL_ASSIGN_OR_RETURN(int32_t update, r.value(Code::TANH, {parts[1]}, data));
  NNHAL_ASSIGN_OR_RETURN(int32_t forget,
                         r.value(Code::LOGISTIC, {parts[2]}, data));
  NNHAL_ASSIGN_OR_RETURN(int32_t out,
                         r.value(Code::LOGISTIC, {parts[3]}, data));
  NNHAL_ASSIGN_OR_RETURN(int32_t added, r.value(Code::MUL, {in, update}, data));
  NNHAL_ASSIGN_OR_RETURN(int32_t kept,
                         r.value(Code::MUL, {forget, cellBefore}, data));
  NNHAL_RETURN_IF_ERROR(r.apply(Code::ADD, {added, kept}, {op.outputs[cell]}));
  NNHAL_ASSIGN_OR_RETURN(int32_t bounded,
                         r.value(Code::TANH, {op.outputs[cell]}, data));
  return r.apply(Code::MUL, {out, bounded}, {op.outputs[output]});
}

/// Columns \p first to \p first + \p count of the weights \p bytes of the rows
/// from \p row on, as many as \p sizes has units.
static Result<uint32_t> partOfWeights(Operator &op,
                                      std::span<const std::byte> bytes,
                                      const Sizes &sizes, uint32_t row,
                                      uint32_t first, uint32_t count) {
  const uint32_t columns = sizes.input + sizes.units;
  std::vector<std::byte> part;
  for (uint32_t unit = 0; unit < sizes.units; ++unit) {
    auto from = bytes.begin() + ptrdiff_t(row + unit) * columns + first;
    part.insert(part.end(), from, from + count);
  }
  Tensor tensor = op.input(weights);
  tensor.operand.reset();
  tensor.isFolded = true;
  tensor.sourceType = schema::TensorType::UINT8;
  tensor.expansion = Expansion::None;
  tensor.sparsity = nullptr;
  tensor.shape = Shape{sizes.units, count};
  tensor.bytes = op.graph.file().keepFolded(std::move(part));
  NNHAL_RETURN_IF_ERROR(op.graph.file().checkConstants());
  return op.graph.use(tensor);
}

/// The numbers of the rows of the gates of the HAL's operation: input, forget,
/// cell and output.
static constexpr uint32_t rowOfGate[] = {0, 2, 1, 3};

static Status addBytes(Operator &op, const Sizes &sizes,
                       OperationBuilder &builder) {
  FileImport &file = op.graph.file();
  if (!op.isConstant(weights) || !op.isConstant(biases))
    return badData("weights and biases of bytes must be constants");
  if (op.input(weights).type != OperandType::TENSOR_QUANT8_ASYMM)
    return badData("weights have type {}, expected UINT8",
                   nameOf(op.input(weights).sourceType));
  std::vector<std::byte> bytes, sums;
  NNHAL_RETURN_IF_ERROR(
      expandConstant(op.input(weights), file.constantLimit(), bytes));
  NNHAL_RETURN_IF_ERROR(
      expandConstant(op.input(biases), file.constantLimit(), sums));
  // The HAL's operation multiplies the input and then the previous output with
  // the recurrent weights and then those of the input. The first columns are
  // the recurrent weights, for all that they belong to the input.
  for (uint32_t row : rowOfGate)
    builder.operand(partOfWeights(op, bytes, sizes, row * sizes.units,
                                  sizes.units, sizes.input));
  for (uint32_t row : rowOfGate)
    builder.operand(
        partOfWeights(op, bytes, sizes, row * sizes.units, 0, sizes.units));
  const size_t size = sizes.units * sizeof(int32_t);
  for (uint32_t row : rowOfGate)
    builder.operand(op.graph.addConstant(
        OperandType::TENSOR_INT32, {sizes.units},
        std::span<const std::byte>(sums).subspan(row * size, size),
        op.input(weights).scale / 128.0f));
  return Status();
}

static Status importBytes(Operator &op, const Sizes &sizes) {
  const Shape shape = {sizes.batch, sizes.units};
  OperationBuilder builder(op, OperationType::QUANTIZED_16BIT_LSTM);
  builder.input(0);
  NNHAL_RETURN_IF_ERROR(addBytes(op, sizes, builder));
  builder.operand(stateInput(op, previousCell, shape));
  builder.operand(stateInput(op, previousOutput, shape));
  // The operation has the cell first, and none of the scratch tensors.
  op.outputs = {op.outputs[cell], op.outputs[output]};
  op.outputShapes = {shape, shape};
  NNHAL_RETURN_IF_ERROR(builder.finish());
  std::ranges::reverse(op.outputs);
  return Status();
}

Status importBasicLstm(Graph &graph, const schema::Operator &source) {
  Operator op(graph, source, basicRow());
  NNHAL_RETURN_IF_ERROR(readOperands(op));
  NNHAL_ASSIGN_OR_RETURN(Sizes sizes, sizesOf(op));
  NNHAL_RETURN_IF_ERROR(op.input(0).type == OperandType::TENSOR_FLOAT32
                            ? importReals(op, sizes)
                            : importBytes(op, sizes));
  keepState(op, previousOutput, output);
  keepState(op, previousCell, cell);
  return Status();
}

} // namespace nnhal::rt::tflite
