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

using namespace nnhal;

std::vector<char> kernel::packConvFilter(llvm::ArrayRef<char> ohwi,
                                         const std::array<int64_t, 4> &shape,
                                         int64_t width, int64_t elementSize) {
  int64_t channels = shape[0];
  int64_t depth = shape[1] * shape[2] * shape[3];
  assert(static_cast<int64_t>(ohwi.size()) == channels * depth * elementSize &&
         "filter bytes must match its shape");
  std::vector<char> packed(panelCount(channels, width) * depth * width *
                           elementSize);
  // Rows of the source are read in order; each element goes to its panel.
  for (int64_t o = 0; o < channels; ++o) {
    const char *source = ohwi.data() + o * depth * elementSize;
    char *target =
        packed.data() + (o / width * depth * width + o % width) * elementSize;
    for (int64_t k = 0; k < depth; ++k)
      std::memcpy(target + k * width * elementSize, source + k * elementSize,
                  elementSize);
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
