//===- StridedCopy.cpp - Copies of boxes of elements ----------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StridedCopy.h"

#include <algorithm>

using namespace nnhal;
using namespace nnhal::tflite;

namespace {

struct Box {
  Extents extents, to, from;
};

/// Leaves out dimensions of one element, and joins neighbours that are one on
/// both sides.
Box simplified(const Extents &extents, const Extents &to, const Extents &from) {
  Box box;
  for (size_t axis = 0; axis < extents.size(); ++axis) {
    if (extents[axis] == 1)
      continue;
    if (!box.extents.empty() && box.to.back() == to[axis] * extents[axis] &&
        box.from.back() == from[axis] * extents[axis]) {
      box.extents.back() *= extents[axis];
      box.to.back() = to[axis];
      box.from.back() = from[axis];
      continue;
    }
    box.extents.push_back(extents[axis]);
    box.to.push_back(to[axis]);
    box.from.push_back(from[axis]);
  }
  return box;
}

template <typename T>
void copyRow(T *to, int64_t toStride, const T *from, int64_t fromStride,
             int64_t count) {
  if (toStride == 1 && fromStride == 1) {
    std::memcpy(to, from, size_t(count) * sizeof(T));
    return;
  }
  if (toStride == 1 && fromStride == 0) {
    std::fill_n(to, count, *from);
    return;
  }
  for (int64_t index = 0; index < count; ++index)
    to[index * toStride] = from[index * fromStride];
}

template <typename T>
void copyBox(T *to, const T *from, const Box &box, size_t axis) {
  if (axis + 1 >= box.extents.size()) {
    if (box.extents.empty())
      *to = *from;
    else
      copyRow(to, box.to[axis], from, box.from[axis], box.extents[axis]);
    return;
  }
  for (int64_t index = 0; index < box.extents[axis]; ++index)
    copyBox(to + index * box.to[axis], from + index * box.from[axis], box,
            axis + 1);
}

} // namespace

Extents tflite::stridesOf(std::span<const int64_t> extents) {
  Extents strides(extents.size(), 1);
  for (size_t axis = extents.size(); axis-- > 1;)
    strides[axis - 1] = strides[axis] * extents[axis];
  return strides;
}

void tflite::copyStrided(StridedElements<std::byte> to,
                         StridedElements<const std::byte> from, Extents extents,
                         uint32_t size) {
  if (elementCount(extents) == 0)
    return;
  Box box = simplified(extents, to.strides, from.strides);
  withStorage(size, [&](auto zero) {
    using T = decltype(zero);
    copyBox(reinterpret_cast<T *>(to.first),
            reinterpret_cast<const T *>(from.first), box, 0);
  });
}
