//===- Layout.h - NCHW tensors as NHWC --------------------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_RUNTIME_ROUTINES_LAYOUT_H
#define NNHAL_LIB_RUNTIME_ROUTINES_LAYOUT_H

#include "Routine.h"

namespace nnhal::rt::reference {

/// [N,C,H,W] as [N,H,W,C].
inline Shape nchwToNhwc(const Shape &shape) {
  return {shape[0], shape[2], shape[3], shape[1]};
}

/// Elements of \p values, [outer][rows][columns], as [outer][columns][rows].
template <typename T>
Elements<T> swapInner(const Elements<T> &values, int64_t outer, int64_t rows,
                      int64_t columns) {
  Elements<T> result(values.size());
  for (int64_t o = 0; o < outer; ++o)
    for (int64_t r = 0; r < rows; ++r)
      for (int64_t c = 0; c < columns; ++c)
        result[size_t((o * columns + c) * rows + r)] =
            values[size_t((o * rows + r) * columns + c)];
  return result;
}

/// Elements of a tensor of NHWC shape \p shape, given in NCHW order when
/// \p isNchw, in NHWC order. The extents of a tensor without elements have no
/// bounded product, so that it is returned as it is.
template <typename T>
Elements<T> toNhwc(Elements<T> values, const Shape &shape, bool isNchw) {
  if (!isNchw || values.empty())
    return values;
  return swapInner(values, shape[0], shape[3], shape[1] * shape[2]);
}
/// The inverse.
template <typename T>
Elements<T> fromNhwc(Elements<T> values, const Shape &shape, bool isNchw) {
  if (!isNchw || values.empty())
    return values;
  return swapInner(values, shape[0], shape[1] * shape[2], shape[3]);
}

} // namespace nnhal::rt::reference

#endif // NNHAL_LIB_RUNTIME_ROUTINES_LAYOUT_H
