//===- ElementwiseShapes.cpp - Shapes of element-wise operators -----------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OperatorTable.h"

#include "Runtime/Support/Errors.h"

namespace nnhal::rt::tflite {

Result<std::vector<Shape>> sameShape(Operator &op) {
  return std::vector<Shape>{op.shape(op.row.dataInput)};
}

Result<Shape> broadcast(const Shape &first, const Shape &second) {
  Shape a = first, b = second;
  size_t rank = std::max(a.size(), b.size());
  a.insert(a.begin(), rank - a.size(), 1);
  b.insert(b.begin(), rank - b.size(), 1);
  std::vector<int64_t> result;
  for (size_t i = 0; i < rank; ++i) {
    // Extents are equal, or one of them is 1 (M-021).
    if (a[i] != b[i] && a[i] != 1 && b[i] != 1)
      return badData("shapes {} and {} do not broadcast", toString(first),
                     toString(second));
    result.push_back(std::max(a[i], b[i]));
  }
  return makeShape(result);
}

Result<std::vector<Shape>> broadcastShape(Operator &op) {
  NNHAL_ASSIGN_OR_RETURN(Shape shape, broadcast(op.shape(0), op.shape(1)));
  return std::vector<Shape>{shape};
}

Result<std::vector<Shape>> selectShape(Operator &op) {
  // SELECT does not broadcast (M-141).
  for (size_t i = 0; i < 2; ++i)
    if (op.shape(i) != op.shape(2))
      return badData("the HAL's SELECT does not broadcast: input {} has shape "
                     "{}, input 2 has {}",
                     i, toString(op.shape(i)), toString(op.shape(2)));
  return std::vector<Shape>{op.shape(2)};
}

} // namespace nnhal::rt::tflite
