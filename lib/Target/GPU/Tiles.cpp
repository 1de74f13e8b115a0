//===- Tiles.cpp - How kernels are divided, by class of device ------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tiles.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>

using namespace nnhal::nngpu;

/// A discrete device has some hundred processors that hide the latency of
/// memory by other invocations. A software driver has few, vectors of
/// invocations, and barriers that cost more than what they save. A driver of
/// words has no 16-bit storage, which Vulkan 1.3 leaves optional. Tensor cores,
/// which every GPU of compute capability 8.0 has, are those of a discrete
/// device, which multiply matrices at many times the rate of its other units,
/// but whose tiles share no sums: where there are too few to keep the device
/// busy, others are faster. Cooperative matrices are how Vulkan names them; a
/// driver may have those of 16 x 16 x 16 for halves alone.
static constexpr DeviceClass classes[] = {
    {"discrete", /*invocations=*/49152, /*workgroupSize=*/128, /*pixels=*/8,
     /*lanes=*/8, /*slices=*/32, /*hasHalves=*/true, /*matrixGroups=*/0,
     /*hasByteMatrices=*/false, /*isCooperative=*/false, /*target=*/""},
    {"software", /*invocations=*/64, /*workgroupSize=*/64, /*pixels=*/4,
     /*lanes=*/4, /*slices=*/1, /*hasHalves=*/true, /*matrixGroups=*/0,
     /*hasByteMatrices=*/false, /*isCooperative=*/false, /*target=*/""},
    {"words", /*invocations=*/49152, /*workgroupSize=*/128, /*pixels=*/8,
     /*lanes=*/8, /*slices=*/32, /*hasHalves=*/false, /*matrixGroups=*/0,
     /*hasByteMatrices=*/false, /*isCooperative=*/false, /*target=*/""},
    {"tensor-cores", /*invocations=*/49152, /*workgroupSize=*/128, /*pixels=*/8,
     /*lanes=*/8, /*slices=*/32, /*hasHalves=*/true, /*matrixGroups=*/64,
     /*hasByteMatrices=*/true, /*isCooperative=*/false, /*target=*/"cuda"},
    {"cooperative-matrices", /*invocations=*/49152, /*workgroupSize=*/128,
     /*pixels=*/8, /*lanes=*/8, /*slices=*/32, /*hasHalves=*/true,
     /*matrixGroups=*/64, /*hasByteMatrices=*/true, /*isCooperative=*/true,
     /*target=*/""},
    {"cooperative-halves", /*invocations=*/49152, /*workgroupSize=*/128,
     /*pixels=*/8, /*lanes=*/8, /*slices=*/32, /*hasHalves=*/true,
     /*matrixGroups=*/64, /*hasByteMatrices=*/false, /*isCooperative=*/true,
     /*target=*/""},
};

std::optional<DeviceClass> nnhal::nngpu::findDeviceClass(llvm::StringRef name) {
  const DeviceClass *found = llvm::find_if(
      classes, [&](const DeviceClass &each) { return each.name == name; });
  if (found == std::end(classes))
    return std::nullopt;
  return *found;
}

std::string nnhal::nngpu::deviceClassNames() {
  return llvm::join(llvm::map_range(classes,
                                    [](const DeviceClass &each) {
                                      return "'" + each.name.str() + "'";
                                    }),
                    " or ");
}

DeviceClass nnhal::nngpu::deviceClassOf(TargetAttr target) {
  if (target && target.getParameters())
    if (auto name = target.getParameters().getAs<mlir::StringAttr>(
            deviceClassParameter))
      return *findDeviceClass(name);
  const DeviceClass *found =
      llvm::find_if(classes, [&](const DeviceClass &one) {
        return target && one.target == target.getName();
      });
  return found == std::end(classes) ? classes[0] : *found;
}

int64_t nnhal::nngpu::choosePanelWidth(int64_t channels) {
  constexpr int64_t widest = 32, narrowest = 16;
  if (channels <= widest)
    return llvm::alignTo(channels, 4);
  // Channels that are only padding are computed, too.
  int64_t best = widest;
  for (int64_t width = widest; width >= narrowest; width -= 8)
    if (llvm::alignTo(channels, width) < llvm::alignTo(channels, best))
      best = width;
  return best;
}

ConvolutionTile nnhal::nngpu::chooseTile(const DeviceClass &device,
                                         int64_t pixels, int64_t channels,
                                         int64_t panelWidth, int64_t parts) {
  ConvolutionTile tile;
  tile.lanes = panelWidth % 4 == 0 ? 4 : 1;
  // More lanes read a pixel less often, where invocations are not missing.
  int64_t wide = llvm::divideCeil(pixels, device.pixels) *
                 llvm::divideCeil(channels, device.lanes);
  if (panelWidth % device.lanes == 0 && wide >= device.invocations)
    tile.lanes = device.lanes;
  int64_t across = llvm::divideCeil(channels, tile.lanes);
  auto floorPower = [](int64_t value) {
    return int64_t(llvm::bit_floor(uint64_t(value)));
  };
  tile.slices = 1;
  // Many pixels an invocation read the filter less often; slices make up for
  // the invocations that are missing then.
  for (tile.pixels =
           std::min<int64_t>(device.pixels, llvm::PowerOf2Ceil(pixels));
       ; tile.pixels /= 2) {
    int64_t invocations = llvm::divideCeil(pixels, tile.pixels) * across;
    int64_t missing = llvm::divideCeil(device.invocations, invocations);
    int64_t most =
        std::min(device.slices, floorPower(std::max<int64_t>(parts, 1)));
    tile.slices = std::min<int64_t>(llvm::PowerOf2Ceil(missing), most);
    if (tile.pixels == 1 || 2 * invocations * tile.slices >= device.invocations)
      break;
  }
  // Eight columns read a line of memory; more are for what has few pixels.
  constexpr int64_t fewColumns = 8;
  int64_t ofSlice = device.workgroupSize / tile.slices;
  auto columns = int64_t(llvm::PowerOf2Ceil(across));
  auto rows =
      int64_t(llvm::PowerOf2Ceil(llvm::divideCeil(pixels, tile.pixels)));
  tile.columns = std::min({columns, fewColumns, ofSlice});
  tile.rows = std::min(rows, ofSlice / tile.columns);
  tile.columns = std::min(columns, ofSlice / tile.rows);
  return tile;
}
