//===- Broadcast.h - Element-wise maps over broadcast tensors ---*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_RUNTIME_REFERENCE_BROADCAST_H
#define NNHAL_LIB_RUNTIME_REFERENCE_BROADCAST_H

#include "Kernel.h"

namespace nnhal::rt::reference {

/// For each element of \p result in row-major order, the index of the element
/// of \p operand that broadcasts to it: shapes are aligned at the right, an
/// extent of 1 repeats (M-021).
inline std::vector<size_t> broadcastIndices(const Shape &operand,
                                            const Shape &result) {
  if (elementCount(result) == 0)
    return {};
  std::vector<size_t> indices = {0};
  int64_t step = elementCount(operand);
  size_t missing = result.size() - operand.size();
  for (size_t axis = 0; axis < result.size(); ++axis) {
    int64_t extent = axis < missing ? 1 : operand[axis - missing];
    step /= extent;
    std::vector<size_t> longer;
    longer.reserve(indices.size() * size_t(result[axis]));
    for (size_t base : indices)
      for (int64_t i = 0; i < result[axis]; ++i)
        longer.push_back(base + (extent == 1 ? 0 : size_t(i * step)));
    indices = std::move(longer);
  }
  return indices;
}

/// map(lhs, rhs) for each element of \p resultShape, to which both operands
/// broadcast.
template <typename Out, typename In, typename Map>
std::vector<Out> mapBroadcast(const std::vector<In> &lhs, const Shape &lhsShape,
                              const std::vector<In> &rhs, const Shape &rhsShape,
                              const Shape &resultShape, Map map) {
  std::vector<size_t> lhsIndices = broadcastIndices(lhsShape, resultShape);
  std::vector<size_t> rhsIndices = broadcastIndices(rhsShape, resultShape);
  std::vector<Out> result(lhsIndices.size());
  for (size_t i = 0; i < result.size(); ++i)
    result[i] = map(lhs[lhsIndices[i]], rhs[rhsIndices[i]]);
  return result;
}

} // namespace nnhal::rt::reference

#endif // NNHAL_LIB_RUNTIME_REFERENCE_BROADCAST_H
