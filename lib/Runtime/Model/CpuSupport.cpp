//===- CpuSupport.cpp - What the compiler for CPUs takes ------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "nnhal/Runtime/CpuSupport.h"

#include <algorithm>
#include <array>
#include <cstring>

using namespace nnhal::rt;

namespace {

constexpr uint32_t f = CpuSupportRow::float32;
constexpr uint32_t fi = f | CpuSupportRow::int32;
constexpr uint32_t b = CpuSupportRow::bool8;
constexpr uint32_t any = fi | b;
constexpr int all = CpuSupportRow::allInputs;

using enum OperationType;

// lib/Conversion/NNHalToLinalg has a lowering for each of these.
constexpr std::array table = {
    CpuSupportRow{ADD, fi, 2},
    CpuSupportRow{AVERAGE_POOL_2D, f, 1},
    CpuSupportRow{CONCATENATION, f, CpuSupportRow::allButLast},
    CpuSupportRow{CONV_2D, f, 3},
    CpuSupportRow{DEPTHWISE_CONV_2D, f, 3},
    CpuSupportRow{DEPTH_TO_SPACE, f, 1},
    CpuSupportRow{FLOOR, f, all},
    CpuSupportRow{FULLY_CONNECTED, f, 3},
    CpuSupportRow{L2_POOL_2D, f, 1},
    CpuSupportRow{LOGISTIC, f, all},
    CpuSupportRow{MAX_POOL_2D, f, 1},
    CpuSupportRow{MUL, fi, 2},
    CpuSupportRow{RELU, f, all},
    CpuSupportRow{RELU1, f, all},
    CpuSupportRow{RELU6, f, all},
    CpuSupportRow{RESHAPE, f, 1},
    CpuSupportRow{RESIZE_BILINEAR, f, 1},
    CpuSupportRow{SOFTMAX, f, 1},
    CpuSupportRow{SPACE_TO_DEPTH, f, 1},
    CpuSupportRow{TANH, f, all},
    CpuSupportRow{BATCH_TO_SPACE_ND, f, 1},
    CpuSupportRow{DIV, fi, 2},
    CpuSupportRow{MEAN, f, 1},
    CpuSupportRow{PAD, f, 1},
    CpuSupportRow{SPACE_TO_BATCH_ND, f, 1},
    CpuSupportRow{SQUEEZE, f, 1},
    CpuSupportRow{STRIDED_SLICE, f, 1},
    CpuSupportRow{SUB, fi, 2},
    CpuSupportRow{TRANSPOSE, f, 1},
    CpuSupportRow{ABS, fi, all},
    CpuSupportRow{ARGMAX, fi, 1},
    CpuSupportRow{ARGMIN, fi, 1},
    CpuSupportRow{CAST, any, all},
    CpuSupportRow{CHANNEL_SHUFFLE, f, 1},
    CpuSupportRow{EQUAL, any, all},
    CpuSupportRow{EXP, f, all},
    CpuSupportRow{EXPAND_DIMS, fi, 1},
    CpuSupportRow{GATHER, fi, 1},
    CpuSupportRow{GREATER, any, all},
    CpuSupportRow{GREATER_EQUAL, any, all},
    CpuSupportRow{GROUPED_CONV_2D, f, 3},
    CpuSupportRow{LESS, any, all},
    CpuSupportRow{LESS_EQUAL, any, all},
    CpuSupportRow{LOG, f, all},
    CpuSupportRow{LOGICAL_AND, b, all},
    CpuSupportRow{LOGICAL_NOT, b, all},
    CpuSupportRow{LOGICAL_OR, b, all},
    CpuSupportRow{LOG_SOFTMAX, f, 1},
    CpuSupportRow{MAXIMUM, fi, all},
    CpuSupportRow{MINIMUM, fi, all},
    CpuSupportRow{NEG, fi, all},
    CpuSupportRow{NOT_EQUAL, any, all},
    CpuSupportRow{PAD_V2, f, 1},
    CpuSupportRow{PRELU, f, all},
    CpuSupportRow{REDUCE_ALL, b, 1},
    CpuSupportRow{REDUCE_ANY, b, 1},
    CpuSupportRow{REDUCE_MAX, f, 1},
    CpuSupportRow{REDUCE_MIN, f, 1},
    CpuSupportRow{REDUCE_PROD, f, 1},
    CpuSupportRow{REDUCE_SUM, f, 1},
    CpuSupportRow{RSQRT, f, all},
    CpuSupportRow{SELECT, fi, all},
    CpuSupportRow{SIN, f, all},
    CpuSupportRow{SLICE, fi, 1},
    CpuSupportRow{SPLIT, fi, 1},
    CpuSupportRow{SQRT, f, all},
    CpuSupportRow{TILE, fi, 1},
    CpuSupportRow{TRANSPOSE_CONV_2D, f, 1},
    CpuSupportRow{RESIZE_NEAREST_NEIGHBOR, f, 1},
    CpuSupportRow{ELU, f, 1},
    CpuSupportRow{HARD_SWISH, f, all},
    CpuSupportRow{FILL, fi, 0},
};

/// The bit of \p type in CpuSupportRow::types; 0 for types that no row takes.
uint32_t typeBit(OperandType type) {
  switch (type) {
  case OperandType::TENSOR_FLOAT32:
    return CpuSupportRow::float32;
  case OperandType::TENSOR_INT32:
    return CpuSupportRow::int32;
  case OperandType::TENSOR_BOOL8:
    return CpuSupportRow::bool8;
  default:
    return 0;
  }
}

/// The types of one tensor of \p row: comparisons and arg-reductions yield
/// another type than they read, and SELECT reads a condition.
uint32_t typesOf(const CpuSupportRow &row, bool isOutput, size_t position) {
  switch (row.type) {
  case ARGMAX:
  case ARGMIN:
    return isOutput ? CpuSupportRow::int32 : row.types;
  case EQUAL:
  case GREATER:
  case GREATER_EQUAL:
  case LESS:
  case LESS_EQUAL:
  case NOT_EQUAL:
    return isOutput ? CpuSupportRow::bool8 : row.types;
  case SELECT:
    return !isOutput && position == 0 ? CpuSupportRow::bool8 : row.types;
  default:
    return row.types;
  }
}

Status checkTensor(const CpuSupportRow &row, const Operation &operation,
                   const Operand &operand, bool isOutput, size_t position) {
  std::string_view role = isOutput ? "output" : "input";
  if (!(typesOf(row, isOutput, position) & typeBit(operand.type)))
    return badData("{}: {} {} of type {} is not compiled for CPUs",
                   nameOf(operation.type), role, position,
                   nameOf(operand.type));
  if (operand.dimensions.empty())
    return badData("{}: {} {} has unknown rank", nameOf(operation.type), role,
                   position);
  bool isInferred = operand.lifetime == OperandLifeTime::TEMPORARY_VARIABLE ||
                    operand.lifetime == OperandLifeTime::SUBGRAPH_OUTPUT;
  auto unknown = std::ranges::find(operand.dimensions, 0u);
  if (!isInferred && unknown != operand.dimensions.end())
    return badData("{}: dimension {} of {} {} is unknown",
                   nameOf(operation.type), unknown - operand.dimensions.begin(),
                   role, position);
  return Status::ok();
}

bool isData(const CpuSupportRow &row, size_t position, size_t count) {
  if (row.dataInputs == CpuSupportRow::allInputs)
    return true;
  if (row.dataInputs == CpuSupportRow::allButLast)
    return position + 1 < count;
  return position < size_t(row.dataInputs);
}

Status checkInput(const CpuSupportRow &row, const Operation &operation,
                  const Operand &operand, size_t position) {
  if (isData(row, position, operation.inputs.size()))
    return checkTensor(row, operation, operand, /*isOutput=*/false, position);
  if (operand.lifetime == OperandLifeTime::NO_VALUE ||
      isConstant(operand.lifetime))
    return Status::ok();
  return badData("{}: input {} is not a constant but a {}",
                 nameOf(operation.type), position, toString(operand.lifetime));
}

/// Indices that are computed would have to be checked in generated code, which
/// reports no failure yet (M-125).
Status checkGatherIndices(const Model &model, const Subgraph &subgraph,
                          const Operation &operation) {
  const Operand &input = subgraph.operands[operation.inputs[0]];
  const Operand &axisOperand = subgraph.operands[operation.inputs[1]];
  const Operand &indices = subgraph.operands[operation.inputs[2]];
  NNHAL_ASSIGN_OR_RETURN(auto axisBytes, constantBytes(model, axisOperand));
  NNHAL_ASSIGN_OR_RETURN(auto bytes, constantBytes(model, indices));
  int32_t axis = 0;
  if (axisBytes.size() != sizeof(axis))
    return badData("GATHER: the axis has {} bytes, not {}", axisBytes.size(),
                   sizeof(axis));
  std::memcpy(&axis, axisBytes.data(), sizeof(axis));
  auto rank = static_cast<int32_t>(input.dimensions.size());
  if (axis < -rank || axis >= rank)
    return badData("GATHER: axis {} is not in [{}, {})", axis, -rank, rank);
  uint32_t extent = input.dimensions[axis < 0 ? axis + rank : axis];
  if (extent == 0)
    return badData("GATHER: the extent along axis {} is unknown", axis);
  for (size_t i = 0; i + sizeof(int32_t) <= bytes.size();
       i += sizeof(int32_t)) {
    int32_t index = 0;
    std::memcpy(&index, bytes.data() + i, sizeof(index));
    if (index < 0 || static_cast<uint32_t>(index) >= extent)
      return badData("GATHER: index {} is not in [0, {})", index, extent);
  }
  return Status::ok();
}

/// TENSOR_BOOL8 is cast to itself only (M-151).
Status checkCastTypes(const Subgraph &subgraph, const Operation &operation) {
  OperandType from = subgraph.operands[operation.inputs[0]].type;
  OperandType to = subgraph.operands[operation.outputs[0]].type;
  bool isMixed =
      (from == OperandType::TENSOR_BOOL8) != (to == OperandType::TENSOR_BOOL8);
  if (isMixed)
    return badData("CAST: {} cannot become {}", nameOf(from), nameOf(to));
  return Status::ok();
}

} // namespace

std::span<const CpuSupportRow> nnhal::rt::cpuSupportTable() { return table; }

Status nnhal::rt::checkCpuSupport(const Model &model, const Subgraph &subgraph,
                                  const Operation &operation) {
  auto row = std::ranges::find(table, operation.type, &CpuSupportRow::type);
  if (row == table.end())
    return badData("{} is not compiled for CPUs", nameOf(operation.type));
  for (size_t i = 0; i < operation.inputs.size(); ++i)
    NNHAL_RETURN_IF_ERROR(
        checkInput(*row, operation, subgraph.operands[operation.inputs[i]], i));
  for (size_t i = 0; i < operation.outputs.size(); ++i)
    NNHAL_RETURN_IF_ERROR(checkTensor(*row, operation,
                                      subgraph.operands[operation.outputs[i]],
                                      /*isOutput=*/true, i));
  if (operation.type == GATHER && operation.inputs.size() == 3)
    return checkGatherIndices(model, subgraph, operation);
  if (operation.type == CAST && operation.inputs.size() == 1 &&
      operation.outputs.size() == 1)
    return checkCastTypes(subgraph, operation);
  return Status::ok();
}

static Status checkInterfaceType(const Operand &operand, const char *what,
                                 size_t index) {
  switch (operand.type) {
  case OperandType::TENSOR_FLOAT32:
  case OperandType::TENSOR_FLOAT16:
  case OperandType::TENSOR_INT32:
  case OperandType::TENSOR_BOOL8:
    return Status::ok();
  default:
    return badData("{} {} of the model is {}, which is not compiled for CPUs",
                   what, index, nameOf(operand.type));
  }
}

Status nnhal::rt::checkCpuInterface(const Model &model) {
  const Subgraph &main = model.main;
  for (size_t i = 0; i < main.inputIndexes.size(); ++i) {
    const Operand &input = main.operands[main.inputIndexes[i]];
    NNHAL_RETURN_IF_ERROR(checkInterfaceType(input, "input", i));
    if (input.dimensions.empty() || std::ranges::count(input.dimensions, 0u))
      return badData("input {} of the model has the shape [{}], which is not "
                     "fully known",
                     i, fmt::join(input.dimensions, ","));
  }
  // Shapes of outputs are inferred.
  for (size_t i = 0; i < main.outputIndexes.size(); ++i)
    NNHAL_RETURN_IF_ERROR(
        checkInterfaceType(main.operands[main.outputIndexes[i]], "output", i));
  return Status::ok();
}
