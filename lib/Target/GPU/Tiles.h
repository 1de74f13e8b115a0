//===- Tiles.h - How kernels are divided, by class of device ----*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_TARGET_GPU_TILES_H
#define NNHAL_LIB_TARGET_GPU_TILES_H

#include "nnhal/Dialect/NNHal/IR/Target.h"

#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <optional>

namespace nnhal::nngpu {

/// The parameter of the target that names the class of the device.
inline constexpr llvm::StringLiteral deviceClassParameter = "device_class";

/// The properties of devices that decide how kernels are divided.
struct DeviceClass {
  llvm::StringRef name;
  /// Invocations that keep all of the device busy.
  int64_t invocations;
  /// Invocations of a workgroup.
  int64_t workgroupSize;
  /// Most pixels of a convolution, and most channels of each, whose sums are in
  /// the registers of an invocation.
  int64_t pixels, lanes;
  /// Most invocations that share a sum, through the memory of their workgroup.
  int64_t slices;
  /// Whether kernels access f16 in memory.
  bool hasHalves;
  /// Fewest workgroups by which products of matrices (MatrixTile) are divided;
  /// 0 where subgroups do not multiply matrices.
  int64_t matrixGroups;
  /// Whether subgroups multiply matrices of bytes, and not of halves alone.
  bool hasByteMatrices;
  /// Whether SPIR-V has them do so by instructions
  /// (SPV_KHR_cooperative_matrix); otherwise invocations do, one product after
  /// the other.
  bool isCooperative;
  /// The target all of whose devices are of this class, if there is one.
  llvm::StringRef target;
};

/// How a convolution of f16 or i8 is divided where subgroups multiply matrices:
/// a workgroup has a tile of `pixels` and output `channels`, and takes in
/// `depth` input channels at once. A quarter of the tile is that of a subgroup.
struct MatrixTile {
  static constexpr int64_t pixels = 64, channels = 64, depth = 32;
  /// The extents of the matrices that one instruction multiplies.
  static constexpr int64_t side = 16;
  static constexpr int64_t subgroupSize = 32, subgroups = 4;
};

/// The class \p name; nothing where there is none.
std::optional<DeviceClass> findDeviceClass(llvm::StringRef name);
/// The names of the classes, for messages: "'a' or 'b'".
std::string deviceClassNames();

/// The class of devices of \p target, which may be null: the one that it
/// states, or else the one of most devices that it is for.
DeviceClass deviceClassOf(TargetAttr target);

/// How a convolution is divided: an invocation computes `pixels` pixels of
/// `lanes` channels, over every `slices`-th part of the input channels. A
/// workgroup has `columns` x `rows` x `slices` of them, along the channels, the
/// pixels and the parts.
struct ConvolutionTile {
  int64_t pixels, lanes, columns, rows, slices;
};

/// The tile for \p pixels pixels of \p channels output channels, in panels of
/// \p panelWidth, whose sums have \p parts parts that may be added up apart.
ConvolutionTile chooseTile(const DeviceClass &device, int64_t pixels,
                           int64_t channels, int64_t panelWidth, int64_t parts);

/// The output channels of a panel of a filter of \p channels of them.
int64_t choosePanelWidth(int64_t channels);

} // namespace nnhal::nngpu

#endif // NNHAL_LIB_TARGET_GPU_TILES_H
