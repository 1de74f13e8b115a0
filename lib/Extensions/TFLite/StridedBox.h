//===- StridedBox.h - What STRIDED_SLICE reads ------------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_EXTENSIONS_TFLITE_STRIDEDBOX_H
#define NNHAL_LIB_EXTENSIONS_TFLITE_STRIDEDBOX_H

#include "nnhal/Runtime/Status.h"

#include <array>
#include <vector>

namespace nnhal::tflite {

/// The places that are read along each dimension of the input, and the extents
/// of the result, which lacks some of the dimensions and has others of 1.
struct StridedBox {
  std::vector<int64_t> begins, counts, steps;
  std::vector<int64_t> result;
};

/// One entry each for some of the dimensions.
struct StridedLists {
  std::vector<int64_t> begins, ends, steps;
};

/// Bits for entries of the lists.
struct StridedSliceMasks {
  int32_t begin, end, ellipsis, newAxis, shrink;
  bool isOffset;
};

rt::Result<StridedBox> stridedBox(const std::vector<int64_t> &input,
                                  const StridedLists &lists,
                                  const StridedSliceMasks &masks);

} // namespace nnhal::tflite

#endif // NNHAL_LIB_EXTENSIONS_TFLITE_STRIDEDBOX_H
