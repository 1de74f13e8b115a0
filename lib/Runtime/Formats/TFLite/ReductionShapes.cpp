//===- ReductionShapes.cpp - Shapes of reductions -------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OperatorTable.h"

#include "Runtime/Support/Errors.h"

namespace nnhal::rt::tflite {

/// \p shape without the axes for which \p isReduced holds, or with 1 there.
static Shape reduced(const Shape &shape, const std::vector<bool> &isReduced,
                     bool keepsRank) {
  Shape result;
  for (size_t i = 0; i < shape.size(); ++i)
    if (!isReduced[i])
      result.push_back(shape[i]);
    else if (keepsRank)
      result.push_back(1);
  return result;
}

Result<std::vector<Shape>> reduceShape(Operator &op) {
  NNHAL_ASSIGN_OR_RETURN(const auto *options,
                         op.options<schema::ReducerOptions>());
  if (!op.isConstant(1))
    return op.declaredShapes();
  NNHAL_ASSIGN_OR_RETURN(std::vector<int32_t> axes, op.integers(1));
  std::vector<bool> isReduced(op.shape(0).size());
  for (int32_t axis : axes) {
    NNHAL_ASSIGN_OR_RETURN(uint32_t position,
                           Operator::normalizeAxis(axis, isReduced.size()));
    isReduced[position] = true;
  }
  return std::vector<Shape>{
      reduced(op.shape(0), isReduced, options->keep_dims())};
}

Result<std::vector<Shape>> argMinMaxShape(Operator &op) {
  NNHAL_ASSIGN_OR_RETURN(int32_t axis, op.integer(1));
  std::vector<bool> isReduced(op.shape(0).size());
  NNHAL_ASSIGN_OR_RETURN(uint32_t position,
                         Operator::normalizeAxis(axis, isReduced.size()));
  isReduced[position] = true;
  return std::vector<Shape>{reduced(op.shape(0), isReduced, false)};
}

Result<std::vector<Shape>> topKShape(Operator &op) {
  NNHAL_ASSIGN_OR_RETURN(int32_t k, op.integer(1));
  Shape shape = op.shape(0);
  if (shape.empty())
    return badData("input 0 is a scalar, expected rank 1 or more");
  // K is at least 1 and at most the last extent (M-137).
  if (k < 1 || uint32_t(k) > shape.back())
    return badData("k is {}, which is not in 1..{}", k, shape.back());
  shape.back() = uint32_t(k);
  return std::vector<Shape>{shape, shape};
}

} // namespace nnhal::rt::tflite
