//===- EmptyLists.cpp - Operators without dimensions or axes --------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A list of no dimensions is the shape of a scalar, and one of no axes leaves a
// tensor as it is. Neither can be stated in the HAL, where a constant has
// elements.
//
//===----------------------------------------------------------------------===//

#include "Rewriter.h"

#include "Runtime/Support/Errors.h"

namespace nnhal::rt::tflite {

using Code = schema::BuiltinOperator;

/// Which input of operator \p code is the list, if an empty one has a meaning.
static std::optional<size_t> listOf(Code code) {
  switch (code) {
  case Code::FILL:
    return 0;
  case Code::BROADCAST_TO:
  case Code::MEAN:
  case Code::REDUCE_ALL:
  case Code::REDUCE_ANY:
  case Code::REDUCE_MAX:
  case Code::REDUCE_MIN:
  case Code::REDUCE_PROD:
  case Code::RESHAPE:
  case Code::REVERSE_V2:
  case Code::SUM:
  case Code::TILE:
  case Code::TRANSPOSE:
    return 1;
  default:
    return std::nullopt;
  }
}

bool hasEmptyList(Operator &op) {
  std::optional<size_t> list = listOf(op.row.code);
  if (!list || op.inputCount() != 2 || op.outputCount() != 1 ||
      !op.isConstant(*list) || elementCount(op.shape(*list)) != 0u)
    return false;
  size_t data = 1 - *list;
  return op.hasInput(data) && op.input(data).shape;
}

Status importEmptyList(Operator &op) {
  Rewriter r(op);
  int32_t value = op.inputs[1 - *listOf(op.row.code)];
  switch (op.row.code) {
  case Code::BROADCAST_TO:
  case Code::FILL:
  case Code::RESHAPE: {
    NNHAL_ASSIGN_OR_RETURN(int32_t scalar, r.reshape(value, {}));
    return r.give(scalar);
  }
  default:
    return r.give(value);
  }
}

} // namespace nnhal::rt::tflite
