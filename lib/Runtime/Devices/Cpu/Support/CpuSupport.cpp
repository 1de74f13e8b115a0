//===- CpuSupport.cpp - Operations that nnhal-cpu takes -------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CpuSupport.h"

#include "Runtime/Support/Errors.h"

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

// lib/Conversion/NNHalToLinalg lowers the canonical form of these. GATHER is
// not among them: only the general lowering checks its indices.
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

bool isData(const CpuSupportRow &row, size_t position, size_t count) {
  if (row.dataInputs == CpuSupportRow::allInputs)
    return true;
  if (row.dataInputs == CpuSupportRow::allButLast)
    return position + 1 < count;
  return position < size_t(row.dataInputs);
}

} // namespace

std::span<const CpuSupportRow> nnhal::rt::cpuSupportTable() { return table; }

/// IF and WHILE are compiled when all that they can execute is (C-030).
static Status checkGraphs(const Model &model, const Subgraph &subgraph,
                          const Operation &operation) {
  for (uint32_t input : operation.inputs) {
    const Operand &operand = subgraph.operands[input];
    if (operand.lifetime != OperandLifeTime::SUBGRAPH)
      continue;
    uint32_t index = operand.location.offset;
    const Subgraph &callee = model.referenced[index];
    for (const Operation &inner : callee.operations)
      NNHAL_RETURN_IF_ERROR(
          checkCpuSupport(model, callee, inner)
              .withContext(fmt::format("referenced[{}]", index)));
  }
  return Status::ok();
}

/// Scalars choose what is compiled, but for those that are values.
static bool mayBeComputed(OperationType type, size_t position) {
  switch (type) {
  case FILL:
  case EXPAND_DIMS:
    return position == 1;
  case PAD_V2:
    return position == 2;
#define NNHAL_ROUTINE(SLOT, OPERATION, WHY) case OPERATION:
#include "Runtime/Artifact/Routines.def"
    return true;
  default:
    return false;
  }
}

static Status checkScalars(const Subgraph &subgraph,
                           const Operation &operation) {
  for (size_t i = 0; i < operation.inputs.size(); ++i) {
    const Operand &operand = subgraph.operands[operation.inputs[i]];
    if (isScalar(operand.type) && !isConstant(operand.lifetime) &&
        operand.lifetime != OperandLifeTime::NO_VALUE &&
        !mayBeComputed(operation.type, i))
      return badData("{}: input {} is not a constant but a {}",
                     nameOf(operation.type), i, toString(operand.lifetime));
  }
  return Status::ok();
}

/// The compiler knows the rank of every value.
static Status checkRanks(const OperationView &view) {
  auto isRanked = [](const OperandView &operand) {
    return operand.isOmitted || operand.type.isRanked;
  };
  // Ranks of inputs may still be found.
  if (!std::ranges::all_of(view.inputs, isRanked) ||
      std::ranges::all_of(view.outputs, isRanked))
    return Status::ok();
  NNHAL_ASSIGN_OR_RETURN(OperationFacts facts, checkOperation(view));
  for (size_t i = 0; i < facts.results.size(); ++i)
    if (!facts.results[i].isRanked && !view.outputs[i].type.isRanked)
      return badData("{}: output {} has unknown rank", nameOf(view.type), i);
  return Status::ok();
}

Status nnhal::rt::checkCpuSupport(const Model &model, const Subgraph &subgraph,
                                  const Operation &operation) {
  if (operation.type == IF || operation.type == WHILE)
    return checkGraphs(model, subgraph, operation);
  // lib/Conversion/NNHalToLinalg/General lowers every operation of the HAL.
  if (isExtension(operation.type) || operation.type == OEM_OPERATION)
    return badData("{} is not compiled for CPUs", nameOf(operation.type));
  NNHAL_RETURN_IF_ERROR(checkScalars(subgraph, operation));
  return checkRanks(OperationView::of(model, subgraph, operation));
}

static bool isStatic(const TensorType &type) {
  return type.isRanked && std::ranges::none_of(type.dimensions, [](int64_t d) {
           return d == 0 || d == unknownExtent;
         });
}

/// Elements of TENSOR_INT32 with a scale are quantized in the compiler.
static bool hasPlainElements(const TensorType &type) {
  return type.type != OperandType::TENSOR_INT32 || type.scale == 0.0f;
}

bool nnhal::rt::isLoweredCanonically(const OperationView &operation) {
  auto row = std::ranges::find(table, operation.type, &CpuSupportRow::type);
  if (row == table.end())
    return false;
  for (size_t i = 0; i < operation.inputs.size(); ++i) {
    const OperandView &input = operation.inputs[i];
    if (!isData(*row, i, operation.inputs.size())) {
      if (!input.isOmitted && !input.value)
        return false;
      continue;
    }
    if (input.isOmitted || !isStatic(input.type) ||
        !hasPlainElements(input.type) ||
        !(typesOf(*row, /*isOutput=*/false, i) & typeBit(input.type.type)))
      return false;
  }
  for (size_t i = 0; i < operation.outputs.size(); ++i) {
    const TensorType &output = operation.outputs[i].type;
    if (!hasPlainElements(output) ||
        !(typesOf(*row, /*isOutput=*/true, i) & typeBit(output.type)))
      return false;
  }
  // Slices may have no elements.
  Result<OperationFacts> facts = checkOperation(operation);
  if (!facts.isOk() || !std::ranges::all_of(facts->results, isStatic))
    return false;
  // TENSOR_BOOL8 is cast to itself only (M-151).
  return operation.type != CAST || operation.inputs.empty() ||
         operation.outputs.empty() ||
         (operation.inputs[0].type.type == OperandType::TENSOR_BOOL8) ==
             (operation.outputs[0].type.type == OperandType::TENSOR_BOOL8);
}

static Status checkInterfaceOperand(const Operand &operand, const char *what,
                                    size_t index) {
  if (isExtension(operand.type) || operand.type == OperandType::OEM ||
      operand.type == OperandType::TENSOR_OEM_BYTE)
    return badData("{} {} of the model is {}, which is not compiled for CPUs",
                   what, index, nameOf(operand.type));
  return Status::ok();
}

Status nnhal::rt::checkCpuInterface(const Model &model) {
  const Subgraph &main = model.main;
  for (size_t i = 0; i < main.inputIndexes.size(); ++i)
    NNHAL_RETURN_IF_ERROR(
        checkInterfaceOperand(main.operands[main.inputIndexes[i]], "input", i));
  for (size_t i = 0; i < main.outputIndexes.size(); ++i)
    NNHAL_RETURN_IF_ERROR(checkInterfaceOperand(
        main.operands[main.outputIndexes[i]], "output", i));
  return Status::ok();
}
