//===- Packing.cpp - Constants in the order of the inner loop -------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "nnhal/Dialect/Kernel/Packing.h"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <type_traits>

using namespace nnhal;

/// Writes \p count elements of \p row to \p target, each \p width elements
/// behind the one before. \p size is a constant where it is a usual one: a copy
/// is one instruction then, and packing was a tenth of a compilation whose
/// kernels are all kept.
template <typename Size>
static void scatterRow(const char *row, char *target, int64_t count,
                       int64_t width, Size size) {
  for (int64_t k = 0; k < count; ++k)
    std::memcpy(target + k * width * size, row + k * size, size);
}

/// A size that is part of the type.
template <int64_t size> using Bytes = std::integral_constant<int64_t, size>;

std::vector<char> kernel::packConvFilter(llvm::ArrayRef<char> ohwi,
                                         const std::array<int64_t, 4> &shape,
                                         int64_t width, int64_t elementSize) {
  int64_t channels = shape[0];
  int64_t depth = shape[1] * shape[2] * shape[3];
  assert(static_cast<int64_t>(ohwi.size()) == channels * depth * elementSize &&
         "filter bytes must match its shape");
  std::vector<char> packed(panelCount(channels, width) * depth * width *
                           elementSize);
  for (int64_t o = 0; o < channels; ++o) {
    const char *row = ohwi.data() + o * depth * elementSize;
    char *panel =
        packed.data() + (o / width * depth * width + o % width) * elementSize;
    switch (elementSize) {
    case 1:
      scatterRow(row, panel, depth, width, Bytes<1>());
      break;
    case 2:
      scatterRow(row, panel, depth, width, Bytes<2>());
      break;
    case 4:
      scatterRow(row, panel, depth, width, Bytes<4>());
      break;
    default:
      scatterRow(row, panel, depth, width, elementSize);
    }
  }
  return packed;
}

std::vector<char> kernel::packConvBias(llvm::ArrayRef<char> bias, int64_t width,
                                       int64_t elementSize) {
  int64_t channels = static_cast<int64_t>(bias.size()) / elementSize;
  std::vector<char> packed(panelCount(channels, width) * width * elementSize);
  std::copy(bias.begin(), bias.end(), packed.begin());
  return packed;
}
