//===- Reduction.cpp - Rules of reductions --------------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Checks.h"

#include "Runtime/Support/Errors.h"

using namespace nnhal::rt;
using namespace nnhal::rt::rules;

static Result<TensorType> reduce(const TensorType &input, Ints axes,
                                 bool keepDims, OperandTypes types) {
  NNHAL_RETURN_IF_ERROR(
      checkOperand("input", input, types, upToRank4)); // reduce C1
  if (axes.empty())                                    // reduce C2
    return badData("axes has 0 elements, expected at least 1");
  if (!input.isRanked)
    return input;
  std::vector<bool> isReduced(input.dimensions.size(), false);
  for (int64_t axis : axes) {
    NNHAL_ASSIGN_OR_RETURN(
        int64_t resolved, resolveAxis("axis", axis, input.rank())); // reduce C3
    isReduced[size_t(resolved)] = true;
  }
  std::vector<int64_t> result;
  for (size_t i = 0; i < isReduced.size(); ++i) {
    if (!isReduced[i])
      result.push_back(input.dimensions[i]);
    else if (keepDims)
      result.push_back(1);
  }
  if (result.empty())
    result.push_back(1);
  return withShape(input, std::move(result));
}

Result<TensorType> nnhal::rt::mean(const TensorType &input, Ints axes,
                                   bool keepDims) {
  return reduce(input, axes, keepDims, floatsAndQuantized);
}

Result<TensorType> nnhal::rt::reduceArithmetic(const TensorType &input,
                                               Ints axes, bool keepDims) {
  return reduce(input, axes, keepDims, floats);
}

Result<TensorType> nnhal::rt::reduceExtremum(const TensorType &input, Ints axes,
                                             bool keepDims) {
  return reduce(input, axes, keepDims, floatsAndQuantized);
}

Result<TensorType> nnhal::rt::reduceLogical(const TensorType &input, Ints axes,
                                            bool keepDims) {
  return reduce(input, axes, keepDims, bools);
}

Result<TensorType> nnhal::rt::argReduce(const TensorType &input, int64_t axis) {
  NNHAL_RETURN_IF_ERROR(checkOperand("input", input, numbers)); // arg_reduce C1
  TensorType result;
  result.type = OperandType::TENSOR_INT32;
  if (!input.isRanked)
    return withoutRank(result);
  NNHAL_ASSIGN_OR_RETURN(
      int64_t resolved,
      resolveAxis("axis", axis, input.rank())); // arg_reduce C2
  NNHAL_RETURN_IF_ERROR(
      checkPositive("extent of the axis",
                    input.dimensions[size_t(resolved)])); // arg_reduce C3
  std::vector<int64_t> dimensions = input.dimensions;
  dimensions.erase(dimensions.begin() + resolved);
  if (dimensions.empty())
    dimensions.push_back(1);
  return withShape(result, std::move(dimensions));
}

Result<std::vector<TensorType>> nnhal::rt::topK(const TensorType &input,
                                                int64_t k) {
  NNHAL_RETURN_IF_ERROR(checkOperand("input", input, numbers)); // topk_v2 C1
  if (k < 1)                                                    // topk_v2 C2
    return badData("k {} must be positive", k);
  TensorType values = input;
  if (input.isRanked) {
    int64_t last = input.dimensions.back();
    if (isKnown(last) && k > last) // topk_v2 C3
      return badData("k {} exceeds the last extent {}", k, last);
    values.dimensions.back() = k;
  }
  TensorType indices;
  indices.type = OperandType::TENSOR_INT32;
  indices.isRanked = values.isRanked;
  indices.dimensions = values.dimensions;
  return std::vector<TensorType>{values, indices};
}
