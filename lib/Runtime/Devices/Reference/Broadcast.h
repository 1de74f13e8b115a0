//===- Broadcast.h - Element-wise maps over broadcast tensors ---*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_RUNTIME_DEVICES_REFERENCE_BROADCAST_H
#define NNHAL_LIB_RUNTIME_DEVICES_REFERENCE_BROADCAST_H

#include "Runtime/Routines/Routine.h"

namespace nnhal::rt::reference {

/// Walks through the elements of a result in row-major order and tells which
/// element of an operand broadcasts to each: shapes are aligned at the right,
/// an extent of 1 repeats (M-021).
class BroadcastIndex {
public:
  /// \p result, to which \p operand broadcasts, has elements and outlives this.
  BroadcastIndex(const Shape &operand, const Shape &result)
      : extents(result), position(result.size(), 0), steps(result.size(), 0) {
    size_t missing = result.size() - operand.size();
    int64_t step = 1;
    for (size_t axis = result.size(); axis-- > missing;) {
      int64_t extent = operand[axis - missing];
      steps[axis] = extent == 1 ? 0 : step;
      step *= extent;
    }
  }

  size_t operator*() const { return size_t(index); }

  void operator++() {
    for (size_t axis = extents.size(); axis-- > 0;) {
      index += steps[axis];
      if (++position[axis] < extents[axis])
        return;
      index -= position[axis] * steps[axis];
      position[axis] = 0;
    }
  }

private:
  const Shape &extents;
  Shape position;
  /// The distance by which the operand's element moves with each dimension of
  /// the result.
  Shape steps;
  int64_t index = 0;
};

/// map(lhs, rhs) for each element of \p resultShape, to which both operands
/// broadcast.
template <typename Out, typename In, typename Map>
Elements<Out> mapBroadcast(const Elements<In> &lhs, const Shape &lhsShape,
                           const Elements<In> &rhs, const Shape &rhsShape,
                           const Shape &resultShape, Map map) {
  Elements<Out> result(size_t(elementCount(resultShape)));
  if (result.empty())
    return result;
  BroadcastIndex lhsIndex(lhsShape, resultShape);
  BroadcastIndex rhsIndex(rhsShape, resultShape);
  for (Out &element : result) {
    element = map(lhs[*lhsIndex], rhs[*rhsIndex]);
    ++lhsIndex;
    ++rhsIndex;
  }
  return result;
}

} // namespace nnhal::rt::reference

#endif // NNHAL_LIB_RUNTIME_DEVICES_REFERENCE_BROADCAST_H
