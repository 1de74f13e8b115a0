//===- LookupShapes.cpp - Shapes of lookups -------------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OperatorTable.h"

#include "Runtime/Support/Errors.h"

namespace nnhal::rt::tflite {

/// Rows of input \p values, one for each of the lookups in input 0.
static Result<Shape> lookedUp(Operator &op, size_t values) {
  Shape shape = op.shape(values);
  if (op.input(0).type != OperandType::TENSOR_INT32 || op.shape(0).size() != 1)
    return badData(
        "lookups have type {} and shape {}, expected INT32 and rank 1",
        nameOf(op.input(0).sourceType), toString(op.shape(0)));
  // Values have rank 2 or more (M-153).
  if (shape.size() < 2)
    return badData("input {} has shape {}, expected rank 2 or more", values,
                   toString(shape));
  shape[0] = op.shape(0)[0];
  if (!elementCount(shape))
    return badData("shape {} has more than 4294967295 elements",
                   toString(shape));
  return shape;
}

Result<std::vector<Shape>> embeddingLookupShape(Operator &op) {
  NNHAL_ASSIGN_OR_RETURN(Shape shape, lookedUp(op, 1));
  return std::vector<Shape>{shape};
}

Result<std::vector<Shape>> hashtableLookupShape(Operator &op) {
  NNHAL_ASSIGN_OR_RETURN(Shape shape, lookedUp(op, 2));
  if (op.input(1).type != OperandType::TENSOR_INT32 ||
      op.shape(1) != Shape{op.shape(2)[0]})
    return badData("keys have type {} and shape {}, expected INT32 and {}",
                   nameOf(op.input(1).sourceType), toString(op.shape(1)),
                   op.shape(2)[0]);
  return std::vector<Shape>{shape, {op.shape(0)[0]}};
}

} // namespace nnhal::rt::tflite
