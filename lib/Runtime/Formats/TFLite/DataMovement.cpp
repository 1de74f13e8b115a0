//===- DataMovement.cpp - Import of operators that move data --------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Composition.h"
#include "Constants.h"
#include "OperatorTable.h"
#include "RuleUse.h"

#include "Runtime/Support/Errors.h"

#include <algorithm>
#include <cassert>
#include <cstring>

namespace nnhal::rt::tflite {

/// The dimensions that the HAL gives \p shape.
static std::vector<int32_t> dimensionsOf(const Shape &shape) {
  if (shape.empty())
    return {1};
  return {shape.begin(), shape.end()};
}

Status importReshape(Operator &op) {
  if (op.input(0).type == OperandType::TENSOR_INT32)
    return reshapeIntegers(op);
  OperationBuilder builder(op, OperationType::RESHAPE);
  builder.input(0).keepsQuantizationOf(0);
  if (op.outputShapes[0].size() > 4)
    return badData(
        "the HAL's RESHAPE gives at most rank 4, but output 0 has shape {}",
        toString(op.outputShapes[0]));
  if (op.hasInput(1) && !op.isConstant(1))
    return builder.input(1).finish();
  return builder.integers(dimensionsOf(op.outputShapes[0])).finish();
}

Status importSqueeze(Operator &op) {
  if (op.input(0).type == OperandType::TENSOR_INT32)
    return reshapeIntegers(op);
  // Stated as the shape that remains: the HAL's SQUEEZE knows no empty list.
  return OperationBuilder(op, OperationType::RESHAPE)
      .input(0)
      .integers(dimensionsOf(op.outputShapes[0]))
      .keepsQuantizationOf(0)
      .finish();
}

Status importExpandDims(Operator &op) {
  NNHAL_ASSIGN_OR_RETURN(int32_t axis, op.integer(1));
  OperationBuilder builder(op, OperationType::EXPAND_DIMS);
  builder.input(0).int32(axis).keepsQuantizationOf(0);
  if (op.shape(0).empty()) // A scalar has one dimension already.
    builder.shapedAs({1, 1});
  return builder.finish();
}

Status importConcatenation(Operator &op) {
  NNHAL_ASSIGN_OR_RETURN(const auto *options,
                         op.options<schema::ConcatenationOptions>());
  NNHAL_ASSIGN_OR_RETURN(
      uint32_t axis,
      Operator::normalizeAxis(options->axis(), op.shape(0).size()));
  for (size_t i = 0; i < op.inputCount(); ++i)
    if (op.input(i).type != op.input(0).type)
      return badData("input {} has type {}, but input 0 has type {}", i,
                     nameOf(op.input(i).sourceType),
                     nameOf(op.input(0).sourceType));
  if (op.input(0).type == OperandType::TENSOR_INT32)
    return options->activation() == schema::Activation::NONE
               ? concatenateIntegers(op, axis)
               : badData("the HAL has no fused activation for INT32");
  OperationBuilder builder(op, OperationType::CONCATENATION);
  for (size_t i = 0; i < op.inputCount(); ++i)
    builder.input(i);
  return builder.int32(int32_t(axis))
      .separateActivation(options->activation())
      .finish();
}

Status importSplit(Operator &op) {
  NNHAL_ASSIGN_OR_RETURN(int32_t axis, op.integer(0));
  NNHAL_ASSIGN_OR_RETURN(uint32_t position,
                         Operator::normalizeAxis(axis, op.shape(1).size()));
  return OperationBuilder(op, OperationType::SPLIT)
      .input(1)
      .int32(int32_t(position))
      .int32(int32_t(op.outputCount()))
      .keepsQuantizationOf(1)
      .finish();
}

Status importStridedSlice(Operator &op) {
  NNHAL_ASSIGN_OR_RETURN(StridedRange range, stridedRangeOf(op));
  return OperationBuilder(op, OperationType::STRIDED_SLICE)
      .input(0)
      .integers(range.begin)
      .integers(range.end)
      .integers(range.strides)
      .int32(range.beginMask)
      .int32(range.endMask)
      .int32(range.shrinkMask)
      .keepsQuantizationOf(0)
      .finish();
}

/// The scalar that constant input \p i holds, as an operand.
static Result<uint32_t> scalarOperand(Operator &op, size_t i) {
  if (!op.isConstant(i))
    return badData("input {} must be a constant", i);
  const Tensor &tensor = op.input(i);
  if (elementCount(*tensor.shape) != 1u)
    return badData("input {} has shape {}, expected a scalar", i,
                   toString(*tensor.shape));
  if (!tensor.type)
    return badData("{} {}", describe(tensor), tensor.typeProblem);
  std::vector<std::byte> bytes;
  NNHAL_RETURN_IF_ERROR(
      expandConstant(tensor, 64, bytes).withContext(describe(tensor)));
  switch (*tensor.type) {
  case OperandType::TENSOR_FLOAT32:
    return op.graph.addConstant(OperandType::FLOAT32, {}, bytes);
  case OperandType::TENSOR_FLOAT16:
    return op.graph.addConstant(OperandType::FLOAT16, {}, bytes);
  case OperandType::TENSOR_INT32:
    return op.graph.addConstant(OperandType::INT32, {}, bytes);
  default: { // M-118: in quantized units
    assert((*tensor.type == OperandType::TENSOR_QUANT8_ASYMM ||
            *tensor.type == OperandType::TENSOR_QUANT8_ASYMM_SIGNED) &&
           "the rows of PADV2 and FILL have no other types");
    bool isSigned = *tensor.type == OperandType::TENSOR_QUANT8_ASYMM_SIGNED;
    int32_t value =
        isSigned ? int32_t(int8_t(bytes[0])) : int32_t(uint8_t(bytes[0]));
    return op.graph.addConstant(OperandType::INT32, {},
                                std::as_bytes(std::span(&value, 1)));
  }
  }
}

Status importPadV2(Operator &op) {
  const Tensor &data = op.input(0), &value = op.input(2);
  if (data.type != value.type ||
      (isQuantized(*data.type) &&
       (data.scale != value.scale || data.zeroPoint != value.zeroPoint)))
    return badData("the padding value has another type or scale than input 0");
  return OperationBuilder(op, OperationType::PAD_V2)
      .input(0)
      .input(1)
      .operand(scalarOperand(op, 2))
      .keepsQuantizationOf(0)
      .finish();
}

Status importGather(Operator &op) {
  NNHAL_ASSIGN_OR_RETURN(const auto *options,
                         op.options<schema::GatherOptions>());
  NNHAL_ASSIGN_OR_RETURN(
      uint32_t axis,
      Operator::normalizeAxis(options->axis(), op.shape(0).size()));
  OperationBuilder builder(op, OperationType::GATHER);
  builder.input(0).int32(int32_t(axis)).input(1).keepsQuantizationOf(0);
  if (op.shape(1).empty()) { // The HAL's indices have one dimension then.
    Shape shape = op.shape(0);
    shape[axis] = 1;
    builder.shapedAs(shape);
  }
  return builder.finish();
}

Status importFill(Operator &op) {
  return OperationBuilder(op, OperationType::FILL)
      .input(0)
      .operand(scalarOperand(op, 1))
      .finish();
}

Status importRank(Operator &op) {
  if (op.shape(0).empty())
    return badData("the HAL has no rank 0, which is that of input 0");
  op.output(0).type = OperandType::INT32; // M-124: a scalar operand
  op.output(0).scale = 0.0f;
  return OperationBuilder(op, OperationType::RANK).input(0).finish();
}

Status importBlockSize(Operator &op) {
  int32_t blockSize;
  if (op.row.type == OperationType::SPACE_TO_DEPTH) {
    NNHAL_ASSIGN_OR_RETURN(const auto *options,
                           op.options<schema::SpaceToDepthOptions>());
    blockSize = options->block_size();
  } else {
    NNHAL_ASSIGN_OR_RETURN(const auto *options,
                           op.options<schema::DepthToSpaceOptions>());
    blockSize = options->block_size();
  }
  return OperationBuilder(op, op.row.type)
      .input(0)
      .int32(blockSize)
      .keepsQuantizationOf(0)
      .finish();
}

Status importBatchToSpace(Operator &op) {
  NNHAL_ASSIGN_OR_RETURN(std::vector<int32_t> crops, op.integers(2));
  if (std::ranges::all_of(crops, [](int32_t crop) { return crop == 0; }))
    return OperationBuilder(op, OperationType::BATCH_TO_SPACE_ND)
        .input(0)
        .input(1)
        .keepsQuantizationOf(0)
        .finish();
  // The HAL's has no crops (M-121).
  if (crops.size() != 4)
    return badData("has {} crops, expected 4", crops.size());
  NNHAL_ASSIGN_OR_RETURN(std::vector<int32_t> block, op.integers(1));
  NNHAL_ASSIGN_OR_RETURN(Shape whole, RuleUse(OperationType::BATCH_TO_SPACE_ND)
                                          .tensor(op.shape(0))
                                          .list(block)
                                          .shapeOfOutput());
  std::vector<int32_t> size(whole.begin(), whole.end());
  for (size_t i = 0; i < 2; ++i) {
    int64_t extent = int64_t(size[i + 1]) - crops[2 * i] - crops[2 * i + 1];
    if (extent < 1)
      return badData("crops {} and {} leave nothing of dimension {} of size {}",
                     crops[2 * i], crops[2 * i + 1], i + 1, size[i + 1]);
    size[i + 1] = int32_t(extent);
  }
  Composition c(op);
  uint32_t value = c.input(0);
  uint32_t spread = c.add(OperationType::BATCH_TO_SPACE_ND, {value, c.input(1)},
                          value, whole);
  NNHAL_RETURN_IF_ERROR(c.takeStatus());
  return OperationBuilder(op, OperationType::SLICE)
      .operand(spread)
      .integers(std::vector<int32_t>{0, crops[0], crops[2], 0})
      .integers(size)
      .keepsQuantizationOf(0)
      .finish();
}

} // namespace nnhal::rt::tflite
