//===- TilePlan.cpp - Choice of register tiles ----------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TilePlan.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>

using namespace nnhal::kernel;
using llvm::SmallVector;

TapRange WindowDim::validTaps(int64_t position) const {
  int64_t origin = position * stride - padHead;
  TapRange range{0, filter};
  while (range.begin < filter && origin + range.begin * dilation < 0)
    ++range.begin;
  while (range.end > range.begin && origin + (range.end - 1) * dilation >= in)
    --range.end;
  return range;
}

bool WindowDim::unpadded() const {
  return padHead == 0 && (out - 1) * stride + (filter - 1) * dilation < in;
}

/// Whether tiles of \p size, which cover \p count positions, may all have this
/// size: the last ones compute at most one of \p overlapped positions twice.
static bool haveOneSize(int64_t count, int64_t size, int64_t overlapped) {
  int64_t twice = llvm::divideCeil(count, size) * size - count;
  return twice * overlapped <= count;
}

SmallVector<TileGroup> nnhal::kernel::planTiles(const WindowDim &dim,
                                                int64_t maxTile,
                                                int64_t overlapped) {
  // The pixels of no images are one row without any.
  if (dim.out == 0)
    return {};
  int64_t tiles = llvm::divideCeil(dim.out, maxTile);
  int64_t base = dim.out / tiles, larger = dim.out % tiles;
  int64_t most = llvm::divideCeil(dim.out, tiles);
  bool overlaps = haveOneSize(dim.out, most, overlapped);
  SmallVector<TileGroup> groups;
  int64_t next = 0;
  for (int64_t tile = 0; tile < tiles; ++tile) {
    int64_t size = overlaps ? most : base + (tile < larger ? 1 : 0);
    int64_t start = std::min(next, dim.out - size);
    SmallVector<TapRange> taps;
    for (int64_t i = 0; i < size; ++i)
      taps.push_back(dim.validTaps(start + i));
    if (!groups.empty() && groups.back().taps == taps) {
      ++groups.back().count;
      groups.back().lastStart = start;
    } else {
      groups.push_back({start, size, 1, std::move(taps), start});
    }
    next = start + size;
  }
  return groups;
}

SmallVector<TapSegment> nnhal::kernel::planSegments(const TileGroup &group,
                                                    int64_t filter) {
  SmallVector<TapSegment> segments;
  for (int64_t tap = 0; tap < filter; ++tap) {
    SmallVector<int64_t> positions;
    for (auto [position, range] : llvm::enumerate(group.taps))
      if (tap >= range.begin && tap < range.end)
        positions.push_back(position);
    if (positions.empty())
      continue;
    if (!segments.empty() && segments.back().taps.end == tap &&
        segments.back().positions == positions)
      ++segments.back().taps.end;
    else
      segments.push_back({{tap, tap + 1}, std::move(positions)});
  }
  return segments;
}

/// The order of the loops around tiles of a convolution.
static LoopOrder chooseOrder(const ConvolutionShape &shape,
                             const CostModel &costs, bool offsetTable) {
  if (shape.rows > 1)
    return offsetTable ? LoopOrder::rowPanelTile : LoopOrder::panelRowTile;
  // What does not stay in cache is written once, from the start to the end: 112
  // x 112 x 16 to 96 channels takes 715 us panel by panel and 492 this way.
  if (shape.outputBytes > costs.outputCache &&
      shape.filterBytes <= costs.innerCache)
    return LoopOrder::tilePanel;
  bool readsInputAgain = shape.inputBytes <= costs.inputCache ||
                         shape.filterBytes > costs.filterCache ||
                         shape.depth <= costs.shortDepth;
  return readsInputAgain ? LoopOrder::panelRowTile : LoopOrder::tilePanel;
}

/// The most pixels of a tile, up to \p rows and not much fewer, with which all
/// tiles of \p columns have one size; otherwise \p rows. 196 pixels are 49
/// tiles of four in place of 36 of five and four of four: as fast, and without
/// a second code.
static int64_t rowsOfOneSize(int64_t columns, int64_t rows,
                             const CostModel &costs) {
  if (columns == 0)
    return rows;
  // Tiles of about one size have at most so many.
  rows = llvm::divideCeil(columns, llvm::divideCeil(columns, rows));
  for (int64_t fewer = rows; (rows - fewer) * costs.fewerRows <= rows; --fewer)
    if (haveOneSize(columns, fewer, costs.overlappedPixels))
      return fewer;
  return rows;
}

ConvolutionTile
nnhal::kernel::chooseConvolutionTile(const ConvolutionShape &shape,
                                     const KernelTarget &target) {
  const CostModel &costs = target.costs();
  ConvolutionTile tile;
  auto mostVectors = int64_t(costs.tileRows.size());
  tile.rows = shape.vectors > mostVectors
                  ? 1
                  : costs.tileRows[std::max<int64_t>(shape.vectors, 1) - 1];

  // Beside accumulators there are the panel's weights, an input, and what sums
  // begin with, which LLVM keeps in registers, too. With 33 of 32 it moved
  // accumulators around in each step (188 us in place of 172 for 14x14x512 to
  // 512). With 16 it leaves out the last, but pairs need one for a product (101
  // us in place of 134 for 56x56x96 to 24).
  int64_t vectors = std::max<int64_t>(shape.vectors, 1);
  if (shape.ofIntegers && target.registers >= 32)
    tile.rows =
        std::clamp<int64_t>((target.registers - 1) / vectors - 2, 1, tile.rows);
  else if (shape.ofIntegers)
    tile.rows =
        std::clamp<int64_t>((target.registers - 2) / vectors - 1, 1, tile.rows);

  tile.overlapped = costs.overlappedPixels;
  tile.rows = rowsOfOneSize(shape.columns, tile.rows, costs);
  // The sums of pixels, which kernels of weights with a zero point need, take
  // as much code as these kernels if a tile has as many rows, and none of the
  // time.
  if (shape.isSingle) {
    tile.rows = costs.singleRows;
    tile.overlapped = 1;
  }

  int64_t tiles =
      std::max<int64_t>(llvm::divideCeil(shape.columns, tile.rows), 1);
  int64_t rows = llvm::divideCeil(shape.columns, tiles);
  int64_t accumulators = std::max<int64_t>(rows * shape.vectors, 1);
  tile.panels = 1;
  // With few pixels and many panels: two multiply-add units of latency 4 need 8
  // accumulators in flight.
  if (accumulators < costs.leastAccumulators)
    tile.panels = std::clamp<int64_t>(costs.mostAccumulators / accumulators, 1,
                                      shape.panels);

  tile.offsetTable = shape.filterRows > 1 && shape.run < costs.shortRun;
  tile.order = chooseOrder(shape, costs, tile.offsetTable);
  // The weights of a single pixel are used once: only reading them from further
  // than the second-level cache takes longer than multiplying.
  bool staysInCache =
      shape.columns == 1 && shape.filterBytes <= costs.filterCache;
  tile.prefetch = shape.rows == 1 && shape.columns <= costs.prefetchedPixels &&
                  tile.order == LoopOrder::panelRowTile && shape.panels > 1 &&
                  !staysInCache;
  return tile;
}

int64_t nnhal::kernel::chooseChannelLanes(int64_t channels,
                                          const KernelTarget &target) {
  return std::min<int64_t>(target.lanes(), llvm::PowerOf2Ceil(channels));
}

TapRange nnhal::kernel::interiorOf(const WindowDim &dim) {
  TapRange all{0, dim.filter}, range{0, dim.out};
  while (range.begin < range.end && dim.validTaps(range.begin) != all)
    ++range.begin;
  while (range.end > range.begin && dim.validTaps(range.end - 1) != all)
    --range.end;
  return range;
}

/// How a depthwise convolution or a pool leaves out what lies outside of the
/// image.
static WindowTile::Skip skipOf(const WindowWork &work,
                               const KernelTarget &target) {
  if (work.tap == 0)
    return WindowTile::Skip::taps;
  // A number that was converted is finite, so that 0 times it is 0.
  if (work.isConverted)
    return WindowTile::Skip::factors;
  // A sum under a mask is one instruction with registers of 512 bits, and two
  // or three with others.
  return target.vectorBits >= 512 ? WindowTile::Skip::sums
                                  : WindowTile::Skip::taps;
}

/// All of a tile but the order of its loops.
static WindowTile chooseWindowShape(const WindowDim &height,
                                    const WindowDim &width,
                                    int64_t channelVectors,
                                    const WindowWork &work,
                                    const KernelTarget &target) {
  // Eight accumulators hide the latency; with 16 registers there is no room for
  // more beside one row of weights.
  int64_t accumulators = target.costs().windowAccumulators;
  // Unrolling a wide window (a global pool) gives long code for nothing.
  bool loopTaps = width.filter > target.costs().unrolledTaps;
  // Rows that have input in common are computed together. With a stride they
  // have so little that reading half cache lines costs more (7 %), unless there
  // is something to convert. Rows at the border need code of their own where
  // nothing can be masked; small images of floats have nothing to show for it.
  int64_t rows = target.costs().windowRows;
  int64_t largestStride = work.isConverted ? height.filter - 1 : 1;
  bool isLarge =
      work.isConverted || work.products >= target.costs().windowProducts;
  // An odd number of rows has one computed twice, which small images notice.
  bool uniformRows = skipOf(work, target) == WindowTile::Skip::factors &&
                     (height.out % rows == 0 ||
                      work.products >= target.costs().windowProducts);
  if (rows > 1 && isLarge && !loopTaps && height.dilation == 1 &&
      height.stride <= largestStride && height.filter > 1 &&
      height.filter <= target.costs().unrolledTaps &&
      (uniformRows ? height.out : interiorOf(height).size()) >= rows)
    return {std::max<int64_t>(std::min(accumulators / rows, width.out), 1),
            channelVectors % 2 == 0 ? 2 : 1, loopTaps, rows, uniformRows};
  int64_t columns = loopTaps ? 1 : std::min(accumulators, width.out);
  int64_t vectors = 1;
  for (int64_t candidate : {4, 2})
    if (vectors == 1 && candidate * columns <= accumulators &&
        channelVectors % candidate == 0)
      vectors = candidate;
  // Half a tile of two registers reads whole cache lines: 12 % less for
  // 112x112x64 with stride 2, 5 to 10 % for others.
  if (vectors == 1 && !loopTaps && channelVectors % 2 == 0 &&
      target.vectorBits < 8 * target.costs().cacheLine &&
      width.out > accumulators) {
    vectors = 2;
    columns = accumulators / 2;
  }
  return {columns, vectors, loopTaps};
}

/// Input positions that a tile of `size` outputs reads.
static int64_t positionsOf(const WindowDim &dim, int64_t size) {
  int64_t span = (size - 1) * dim.stride + (dim.filter - 1) * dim.dilation + 1;
  return std::min({span, size * dim.filter, dim.in});
}

/// Gives the tiles at the left and right border the code of the others, where
/// what lies outside can be left out by masks.
static void makeColumnsUniform(WindowTile &tile, const WindowDim &width,
                               const WindowWork &work,
                               const KernelTarget &target) {
  // Masks are made for each tile, which those of floats, computed sooner, have
  // no time for where there are many of them, and take more than one
  // instruction each with registers of fewer than 512 bits.
  int64_t span = (width.filter - 1) * width.dilation;
  bool isCheap = tile.skips == WindowTile::Skip::factors
                     ? target.vectorBits >= 512 ||
                           work.products >= target.costs().windowProducts
                     : tile.rows == 1 && span <= target.costs().maskedSpan &&
                           !tile.channelsOutermost;
  if (tile.loopTaps || tile.skips == WindowTile::Skip::taps || !isCheap)
    return;
  // Twice the registers have room for twice the columns of two rows, which then
  // have more input in common: bytes are converted once for more products.
  int64_t most = tile.columns;
  if (tile.rows > 1 && work.isConverted && target.registers >= 32)
    most = target.costs().windowAccumulators;
  for (int64_t columns = std::min(most, width.out);
       2 * columns > most && !tile.uniformColumns; --columns)
    if (haveOneSize(width.out, columns, target.costs().overlappedPixels)) {
      tile.uniformColumns = true;
      tile.columns = columns;
    }
}

WindowTile nnhal::kernel::chooseWindowTile(const WindowDim &height,
                                           const WindowDim &width,
                                           int64_t channelVectors,
                                           const WindowWork &work,
                                           const KernelTarget &target) {
  WindowTile tile =
      chooseWindowShape(height, width, channelVectors, work, target);
  tile.skips = skipOf(work, target);
  auto leavesCache = [&](int64_t columns) {
    int64_t input = positionsOf(height, tile.rows) *
                    positionsOf(width, columns) * work.inputPixel;
    int64_t output = tile.rows * columns * work.outputPixel;
    int64_t weights = height.filter * width.filter * work.tap;
    return input + output + weights > target.costs().innerCache;
  };
  // Half of the columns, where these stay in the cache, read all channels in
  // order: 56x56x128 with stride 2 takes 24 us in place of 45 with AVX-512.
  // With AVX2 such tiles have four columns to begin with.
  if (tile.rows == 1 && tile.columns > 1 && leavesCache(tile.columns) &&
      !leavesCache(tile.columns / 2))
    tile.columns /= 2;
  // Pixels 2 KB or 4 KB apart compete for the same lines of the cache in either
  // order, and only one reads memory in its own.
  tile.channelsOutermost =
      leavesCache(tile.columns) &&
      work.inputPixel % target.costs().conflictDistance != 0;
  // Lines then stay until their other half is read: more columns have more
  // input in common.
  if (tile.channelsOutermost && tile.rows == 1 && !tile.loopTaps) {
    tile.columns = std::min(target.costs().windowAccumulators, width.out);
    tile.vectors = 1;
    tile.prefetch =
        height.out * width.out * work.outputPixel > target.costs().outputCache;
  }
  makeColumnsUniform(tile, width, work, target);
  return tile;
}
