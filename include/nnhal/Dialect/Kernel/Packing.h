//===- Packing.h - Constants in the order of the inner loop -----*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Shared by the conversion that creates nnk operations and their lowering.
// Plain functions on raw bytes: weights never pass through MLIR attributes (a
// 16 MB constant costs 20 s there as text).
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_DIALECT_KERNEL_PACKING_H
#define NNHAL_DIALECT_KERNEL_PACKING_H

#include "llvm/ADT/ArrayRef.h"

#include <array>
#include <cstdint>
#include <vector>

namespace nnhal::kernel {

/// Number of panels of `width` that hold `channels`.
inline int64_t panelCount(int64_t channels, int64_t width) {
  return (channels + width - 1) / width;
}

/// Packs a filter [O,H,W,I] (O = output channels; a fully connected layer is
/// [O,1,1,I]) of elements of `elementSize` bytes to [NB,H,W,I,width]. Channels
/// past O hold zero bytes. `ohwi` must hold exactly the shape's elements.
std::vector<char> packConvFilter(llvm::ArrayRef<char> ohwi,
                                 const std::array<int64_t, 4> &shape,
                                 int64_t width, int64_t elementSize = 4);

/// Packs a bias [O] to [NB,width], zero padded.
std::vector<char> packConvBias(llvm::ArrayRef<char> bias, int64_t width,
                               int64_t elementSize = 4);

} // namespace nnhal::kernel

#endif // NNHAL_DIALECT_KERNEL_PACKING_H
