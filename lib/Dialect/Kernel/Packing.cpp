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

int64_t kernel::preferredPanelWidth(int64_t channels,
                                    const KernelTarget &target) {
  int64_t lanes = target.lanes();
  int64_t vectors = (channels + lanes - 1) / lanes;
  // Registers of weights that leave room for enough rows of accumulators: a
  // tile of 6x16 or 4x24 with 16 registers, 6x64, 8x48 or 12x32 with 32.
  const auto &preferred = target.costs().panelRegisters;
  for (int64_t width : preferred)
    if (width > 0 && vectors % width == 0)
      return width * lanes;
  int64_t panels = (vectors + preferred[0] - 1) / preferred[0];
  return (vectors + panels - 1) / panels * lanes;
}

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
