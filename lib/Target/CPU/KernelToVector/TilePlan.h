//===- TilePlan.h - Choice of register tiles --------------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Decisions by the numbers of the cost model. No IR here.
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_TARGET_CPU_KERNELTOVECTOR_TILEPLAN_H
#define NNHAL_LIB_TARGET_CPU_KERNELTOVECTOR_TILEPLAN_H

#include "../CostModel.h"

#include "llvm/ADT/SmallVector.h"

#include <utility>

namespace nnhal::kernel {

/// Half-open range; empty where end <= begin.
struct TapRange {
  int64_t begin = 0;
  int64_t end = 0;
  int64_t size() const { return end > begin ? end - begin : 0; }
  bool operator==(const TapRange &other) const = default;
};

/// One spatial dimension of a sliding window.
struct WindowDim {
  int64_t in, out, filter, stride, dilation, padHead;

  /// Taps of the filter that read inside the input for output `position`.
  TapRange validTaps(int64_t position) const;
  /// True if every output position reads only inside the input.
  bool unpadded() const;
};

/// `count` adjacent tiles of `size` output positions each, from `start`; the
/// taps that are valid for position i of every one of them are taps[i].
struct TileGroup {
  int64_t start, size, count;
  llvm::SmallVector<TapRange> taps;
  /// Where the last tile starts, which may overlap the one before.
  int64_t lastStart;

  bool overlaps() const { return lastStart < start + (count - 1) * size; }
};

/// Cuts a dimension into ceil(out / maxTile) tiles, none of nothing, and groups
/// the adjacent ones for which the same code works. All tiles have one size
/// where the last ones compute at most one of \p overlapped positions twice:
/// 3136 = 522 x 6 + 4 is 523 tiles of 6, and there is no code for a shorter
/// one. Otherwise sizes differ by at most one (49 = 4 x 6 + 5 x 5, so that no
/// tile is a lone row).
llvm::SmallVector<TileGroup> planTiles(const WindowDim &dim, int64_t maxTile,
                                       int64_t overlapped);

/// Adjacent taps that the same positions of a tile can use.
struct TapSegment {
  TapRange taps;
  llvm::SmallVector<int64_t> positions;
};

/// Splits the taps of a tile where the set of positions that can use them
/// changes. Border tiles then do no work for padding and need no pad copy.
llvm::SmallVector<TapSegment> planSegments(const TileGroup &group,
                                           int64_t filter);

/// Order of the loops of a convolution, outermost first.
enum class LoopOrder {
  panelRowTile, ///< The input stays in cache, each panel is read once.
  rowPanelTile, ///< Few input channels: a row of input serves all panels.
  tilePanel,    ///< The packed filter stays in cache, input is read once.
};

/// How a convolution uses the registers.
struct ConvolutionTile {
  int64_t rows;       ///< Output pixels of a tile.
  int64_t panels;     ///< Panels computed at once; above 1 for few pixels.
  int64_t overlapped; ///< Positions for one computed twice (planTiles()).
  LoopOrder order;
  bool offsetTable; ///< One flat loop over all taps with a table of offsets.
  bool prefetch;    ///< Prefetch the next panel of weights.
};

struct ConvolutionShape {
  int64_t rows;    ///< Output rows, over all batches.
  int64_t columns; ///< Output pixels of a row.
  int64_t depth;   ///< Steps of a panel: products or pairs per accumulator.
  int64_t run;     ///< Contiguous input elements of one filter row.
  int64_t filterRows;
  int64_t inputBytes;
  int64_t outputBytes;
  int64_t filterBytes;
  int64_t panels;
  int64_t vectors; ///< Registers of one panel.
  /// Whether pairs or quads are multiplied: the instructions for them, unlike
  /// those for floats, do not broadcast what they read.
  bool ofIntegers;
  /// Whether the lanes of an accumulator are added up in the end: there is one
  /// output channel.
  bool isSingle;
};

ConvolutionTile chooseConvolutionTile(const ConvolutionShape &shape,
                                      const KernelTarget &target);

/// Lanes with which `channels` are processed. Where lanes > channels the
/// accesses are masked; where lanes do not divide channels the last vector
/// overlaps its neighbour.
int64_t chooseChannelLanes(int64_t channels, const KernelTarget &target);

/// Output columns and channel vectors of a tile of a depthwise convolution or a
/// pool.
struct WindowTile {
  int64_t columns;
  int64_t vectors;
  bool loopTaps; ///< Loop over filter columns instead of unrolling them.
  /// Rows of a tile away from the upper and lower border; if more than one, its
  /// vectors are computed one after the other.
  int64_t rows = 1;
  /// Whether tiles at these borders have as many rows and the same code; and
  /// whether those at the left and right border have the same code, too, and
  /// overlap where columns are left over.
  bool uniformRows = false;
  bool uniformColumns = false;
  /// Tiles at the border leave out taps, by code of their own; or, by masks,
  /// the factors of products, which are 0 then, or the sums with these.
  enum class Skip { taps, factors, sums } skips = Skip::taps;
  /// All tiles of a row for some channels, then the next channels: the
  /// first-level cache does not hold what a tile reads and writes of all.
  bool channelsOutermost = false;
  /// Prefetch what the next channels write: not from start to end, so that no
  /// processor does it by itself, and the second-level cache has none of it.
  bool prefetch = false;
};

/// The sizes that decide the tile of a depthwise convolution or a pool: bytes
/// of all channels of a pixel, and of the weights for one.
struct WindowWork {
  int64_t inputPixel;
  int64_t outputPixel;
  int64_t tap;
  /// Elements of all windows of an image, of all channels.
  int64_t products;
  /// Whether what is read is converted to floats, which costs as much as two
  /// products.
  bool isConverted;
};

WindowTile chooseWindowTile(const WindowDim &height, const WindowDim &width,
                            int64_t channelVectors, const WindowWork &work,
                            const KernelTarget &target);

/// The positions of `dim` all of whose taps lie in the input.
TapRange interiorOf(const WindowDim &dim);

} // namespace nnhal::kernel

#endif // NNHAL_LIB_TARGET_CPU_KERNELTOVECTOR_TILEPLAN_H
