//===- Slices.h - The one-dimensional slices along an axis ------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_RUNTIME_DEVICES_REFERENCE_SLICES_H
#define NNHAL_LIB_RUNTIME_DEVICES_REFERENCE_SLICES_H

#include "Runtime/Routines/Routine.h"

namespace nnhal::rt::reference {

/// The elements of a tensor that differ in one coordinate only.
struct Slice {
  size_t first = 0;
  size_t stride = 1;
  size_t size = 0;
  /// The index of element \p i in the tensor.
  size_t operator[](size_t i) const { return first + i * stride; }
};

/// Calls \p visit with every slice of a tensor of \p shape along \p axis, which
/// may count from the end. A tensor without elements has none.
template <typename Visit>
void forEachSlice(const Shape &shape, int64_t axis, Visit visit) {
  if (elementCount(shape) == 0)
    return;
  auto at = size_t(axis < 0 ? axis + int64_t(shape.size()) : axis);
  auto size = size_t(shape[at]);
  auto outer = size_t(elementCount(std::span(shape).first(at)));
  auto inner = size_t(elementCount(std::span(shape).subspan(at + 1)));
  for (size_t o = 0; o < outer; ++o)
    for (size_t i = 0; i < inner; ++i)
      visit(Slice{o * size * inner + i, inner, size});
}

} // namespace nnhal::rt::reference

#endif // NNHAL_LIB_RUNTIME_DEVICES_REFERENCE_SLICES_H
