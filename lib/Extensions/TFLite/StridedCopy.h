//===- StridedCopy.h - Copies of boxes of elements --------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_EXTENSIONS_TFLITE_STRIDEDCOPY_H
#define NNHAL_LIB_EXTENSIONS_TFLITE_STRIDEDCOPY_H

#include "Operator.h"

namespace nnhal::tflite {

/// Returns the distances of neighbours along each dimension, in elements.
Extents stridesOf(std::span<const int64_t> extents);

/// One side of a copy: the first element and the distances between neighbours,
/// in elements, which may be 0 or negative.
template <typename Byte> struct StridedElements {
  Byte *first;
  Extents strides;
};

/// Copies a box of \p extents with elements of \p size bytes.
void copyStrided(StridedElements<std::byte> to,
                 StridedElements<const std::byte> from, Extents extents,
                 uint32_t size);

} // namespace nnhal::tflite

#endif // NNHAL_LIB_EXTENSIONS_TFLITE_STRIDEDCOPY_H
