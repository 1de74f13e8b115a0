//===- Reduction.cpp - Import of reductions -------------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OperationBuilder.h"
#include "OperatorTable.h"

#include <algorithm>
#include <optional>

namespace nnhal::rt::tflite {

/// The axes that constant input 1 lists, in rising order; nullopt where they
/// are not known or not right, which the rule of the operation reports.
static std::optional<std::vector<uint32_t>> constantAxes(Operator &op) {
  Result<std::vector<int32_t>> stated = op.integers(1);
  if (!stated.isOk())
    return std::nullopt;
  std::vector<uint32_t> axes;
  for (int32_t axis : *stated) {
    Result<uint32_t> known = Operator::normalizeAxis(axis, op.shape(0).size());
    if (!known.isOk())
      return std::nullopt;
    axes.push_back(*known);
  }
  std::ranges::sort(axes);
  auto repeated = std::ranges::unique(axes);
  axes.erase(repeated.begin(), repeated.end());
  return axes;
}

Status importReduce(Operator &op) {
  NNHAL_ASSIGN_OR_RETURN(const auto *options,
                         op.options<schema::ReducerOptions>());
  if (op.row.type == OperationType::MEAN)
    if (std::optional axes = constantAxes(op); axes && hasExactMean(op, *axes))
      return importExactMean(op, *axes, options->keep_dims());
  OperationBuilder builder(op, op.row.type);
  if (op.row.type == OperationType::REDUCE_SUM ||
      op.row.type == OperationType::REDUCE_PROD)
    builder.throughReals(); // No quantized form in the HAL.
  else
    builder.keepsQuantizationOf(0);
  builder.input(0).input(1);
  // The keep_dims of MEAN is an INT32, that of other reductions a BOOL (M-127).
  if (op.row.type == OperationType::MEAN)
    return builder.int32(options->keep_dims()).finish();
  return builder.boolean(options->keep_dims()).finish();
}

Status importArgMinMax(Operator &op) {
  NNHAL_ASSIGN_OR_RETURN(int32_t axis, op.integer(1));
  // An index fits 32 bits, which is what the HAL counts with.
  if (op.output(0).sourceType == schema::TensorType::INT64)
    op.output(0).type = OperandType::TENSOR_INT32;
  return OperationBuilder(op, op.row.type).input(0).int32(axis).finish();
}

Status importTopK(Operator &op) {
  if (op.shape(0).empty())
    return badData("input 0 is a scalar, expected rank 1 or more");
  NNHAL_ASSIGN_OR_RETURN(int32_t k, op.integer(1));
  return OperationBuilder(op, OperationType::TOPK_V2)
      .input(0)
      .int32(k)
      .keepsQuantizationOf(0)
      .finish();
}

} // namespace nnhal::rt::tflite
