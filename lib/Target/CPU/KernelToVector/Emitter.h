//===- Emitter.h - Small builder of loops over vectors ----------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_TARGET_CPU_KERNELTOVECTOR_EMITTER_H
#define NNHAL_LIB_TARGET_CPU_KERNELTOVECTOR_EMITTER_H

#include "TilePlan.h"

#include "nnhal/Dialect/Kernel/Kernel.h"

#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace nnhal::kernel {

/// A memref seen as one dimension: element (i, j, ...) is at i * strides[0] +
/// j * strides[1] + ... of `buffer`.
struct FlatView {
  mlir::Value buffer;
  llvm::SmallVector<int64_t> strides;

  mlir::Type element() const {
    return llvm::cast<mlir::MemRefType>(buffer.getType()).getElementType();
  }
};

/// A run of `lanes` elements of which the first `valid` exist.
struct Lanes {
  int64_t lanes;
  int64_t valid;
};

/// Emits into one function at the builder's insertion point. Index arithmetic
/// is folded on the way, and constants are made once, before the kernel, so
/// that the IR stays small without a canonicalizer run.
class Emitter {
public:
  /// \p costs outlives this object.
  Emitter(mlir::OpBuilder &builder, mlir::Operation *before,
          const CostModel &costs);

  const CostModel &costs() const { return numbers; }
  mlir::OpBuilder &builder() { return rewriter; }
  mlir::Location loc() const { return location; }

  /// Flattens `memref`; null where a stride is unknown or the last dimension is
  /// not contiguous. Must be called outside of loops.
  std::optional<FlatView> flatten(mlir::Value memref);

  mlir::Value index(int64_t value);
  mlir::Value add(mlir::Value a, mlir::Value b);
  mlir::Value add(mlir::Value a, int64_t b) { return add(a, index(b)); }
  mlir::Value mul(mlir::Value a, int64_t b);
  mlir::Value min(mlir::Value a, mlir::Value b);
  mlir::Value max(mlir::Value a, mlir::Value b);
  /// `value` below `begin`, and what is `count` larger from there on.
  mlir::Value leaveOut(mlir::Value value, int64_t begin, int64_t count);
  /// a * scale + b.
  mlir::Value mulAdd(mlir::Value a, int64_t scale, mlir::Value b) {
    return add(mul(a, scale), b);
  }
  /// ceil(a / divisor), for any sign of a.
  mlir::Value ceilDiv(mlir::Value a, int64_t divisor);

  /// First and one past the last tap of `dim` that is inside the input, for a
  /// window whose first tap is at `origin`; constants where they are the same
  /// for every position.
  std::pair<mlir::Value, mlir::Value> validTaps(const WindowDim &dim,
                                                mlir::Value origin);

  /// A loop over begin, begin + step, ...; straight code for a single trip.
  void loop(int64_t begin, int64_t count, int64_t step,
            llvm::function_ref<void(mlir::Value)> body);

  /// Makes a loop of rounds that are independent of each other and of those of
  /// the loops around them: threads may share them.
  void parallelLoop(int64_t begin, int64_t count, int64_t step,
                    llvm::function_ref<void(mlir::Value)> body);

  /// A parallel loop over the first positions of the tiles of `group`.
  void tileLoop(const TileGroup &group,
                llvm::function_ref<void(mlir::Value)> body);

  /// `body` in a loop: one of a single round where the kernel has none around.
  void enclosed(llvm::function_ref<void()> body);

  /// A loop over begin, begin + step, ... that carries `values`; `body` returns
  /// the next ones. Straight code for a single round, none for no round.
  using CarryBody = llvm::function_ref<llvm::SmallVector<mlir::Value>(
      mlir::Value, mlir::ValueRange)>;
  llvm::SmallVector<mlir::Value> carry(mlir::Value begin, mlir::Value end,
                                       mlir::ValueRange values, CarryBody body,
                                       int64_t step = 1);

  mlir::VectorType vectorType(int64_t lanes, mlir::Type element = {});
  /// A splat of `value`, made before the kernel.
  mlir::Value splat(double value, int64_t lanes);
  /// A vector of zeros, made before the kernel.
  mlir::Value zeros(mlir::VectorType type);
  /// Elements that do not exist are zero.
  mlir::Value load(const FlatView &view, mlir::Value at, Lanes lanes);
  /// A number or vector of f32 or of integers as f32 or i32; exact for integers
  /// below 2^24.
  mlir::Value toF32(mlir::Value value);
  mlir::Value signExtend(mlir::Value value, mlir::Type element);
  mlir::Value zeroExtend(mlir::Value value, mlir::Type element);
  mlir::Value loadScalar(const FlatView &view, mlir::Value at);
  mlir::Value broadcast(mlir::Value scalar, int64_t lanes);
  void store(mlir::Value vector, const FlatView &view, mlir::Value at,
             Lanes lanes);
  /// Fetches the cache line of `at` into the second-level cache.
  void prefetch(const FlatView &view, mlir::Value at, bool isWrite);
  /// Elements of a cache line.
  static int64_t lineOf(const FlatView &view);

  /// A constant array, placed in the module's read-only data shared by
  /// the kernels that need the same one.
  mlir::Value constantTable(mlir::MemRefType type,
                            mlir::DenseElementsAttr data);

  /// `count` numbers of `element` on the stack of the function around the
  /// kernel; the same ones for every call with as many of the same type. A loop
  /// that writes them gets some of its own when it is outlined: others, unless
  /// they are inside of it, do not see what it has written.
  FlatView scratch(mlir::Type element, int64_t count);

  /// Runs `body` with the insertion point before the kernel.
  mlir::Value hoisted(llvm::function_ref<mlir::Value()> body);

private:
  mlir::Value mask(Lanes lanes);
  mlir::Value loadParts(const FlatView &view, mlir::Value at, Lanes lanes);
  void storeParts(mlir::Value vector, const FlatView &view, mlir::Value at,
                  Lanes lanes);

  const CostModel &numbers;
  mlir::OpBuilder &rewriter;
  mlir::Location location;
  mlir::Operation *kernel;
  llvm::DenseMap<int64_t, mlir::Value> indices;
  llvm::DenseMap<std::pair<int64_t, int64_t>, mlir::Value> masks;
  llvm::DenseMap<std::pair<uint64_t, int64_t>, mlir::Value> splats;
  llvm::DenseMap<mlir::Type, mlir::Value> zeroVectors;
  llvm::DenseMap<mlir::Type, mlir::Value> scratchBuffers;
};

/// The epilogue of a kernel, applied to vectors of accumulators.
class Epilogue {
public:
  /// Null where an extra cannot be flattened.
  static std::optional<Epilogue> create(KernelOpInterface op, Emitter &emitter);

  /// Flat offsets of one output pixel in the destination and in each extra of
  /// the destination's shape (unset for channel vectors).
  struct Pixel {
    mlir::Value out;
    llvm::SmallVector<mlir::Value> extras;
  };

  /// The pixel (batch, row, column).
  Pixel pixel(mlir::Value batch, mlir::Value row, mlir::Value column);
  /// The accumulators of a tile: vector v of pixel p of row r is values[(r *
  /// pixels + p) * vectors + v] and holds the channels from `channel` + v *
  /// lanes on.
  struct Tile {
    llvm::ArrayRef<mlir::Value> values;
    Pixel first;
    /// The number of pixels of a row.
    int64_t pixels;
    mlir::Value channel;
    int64_t vectors;
    int64_t lanes;
    /// Existing channels of a pixel.
    int64_t channels;
    int64_t rows = 1;

    Lanes lanesOf(int64_t vector) const {
      return {lanes, std::min(lanes, channels - vector * lanes)};
    }
  };

  /// Applies the epilogue to a tile and stores the result.
  void finish(const Tile &tile);
  /// Finishes a tile without values, whose accumulators are too many to be
  /// there at once: `body` returns those of one vector of all pixels. The
  /// vectors are full, or there is one.
  using VectorBody =
      llvm::function_ref<llvm::SmallVector<mlir::Value>(mlir::Value vector)>;
  void finishVectors(const Tile &tile, VectorBody body);

  /// Fetches what will be written next, the cache line after that of `channel`,
  /// of `count` pixels of a row.
  void prefetchNextLine(const Pixel &first, int64_t count, mlir::Value channel);

  /// True if pixels follow each other at one distance in the destination and
  /// every extra, so that batch, rows and columns are one dimension.
  bool uniformPixels() const;

private:
  Epilogue(KernelOpInterface op, Emitter &emitter)
      : op(op), emitter(&emitter) {}

  /// The pixel `rows` below and `columns` to the right of `pixel`.
  Pixel moved(const Pixel &pixel, mlir::Value rows, mlir::Value columns);
  /// The pixel of a tile with this number, row by row.
  Pixel pixelOf(const Tile &tile, int64_t pixel);
  /// The channel vectors among the extras, null for the others.
  llvm::SmallVector<mlir::Value> loadChannels(mlir::Value channel, Lanes lanes);
  /// The value to store for `accumulator`.
  mlir::Value apply(mlir::Value accumulator, const Pixel &pixel,
                    mlir::Value channel, Lanes lanes,
                    llvm::ArrayRef<mlir::Value> channelVectors);
  mlir::Value cloneBody(mlir::Value accumulator, mlir::ValueRange extras,
                        int64_t lanes);
  bool isLong() const;
  void finishInRegisters(const Tile &tile);
  FlatView sumsOf(const Tile &tile);
  void storeSums(const Tile &tile, const FlatView &sums, mlir::Value vector,
                 llvm::ArrayRef<mlir::Value> values);
  void finishInLoop(const Tile &tile, const FlatView &sums);
  void finishChannels(const Tile &tile, const Pixel &pixel,
                      const FlatView &sums, mlir::Value sumsAt);

  KernelOpInterface op;
  Emitter *emitter;
  FlatView out;
  llvm::SmallVector<FlatView> extras;
  /// Those of one number for all channels of a pixel.
  llvm::SmallVector<bool> isOfPixels;
  /// Values of the epilogue that do not depend on the element, per lanes.
  llvm::DenseMap<std::pair<mlir::Value, int64_t>, mlir::Value> invariants;
};

/// True if `view`, of a [B,H,W,C] shape, has its pixels at one distance.
bool hasUniformPixels(const FlatView &view, llvm::ArrayRef<int64_t> shape);

/// Lowerings of one operation each, at the emitter's insertion point. Fail with
/// a diagnostic where a layout is not supported.
llvm::LogicalResult emitConvolution(Conv2DOp op, Emitter &emitter,
                                    const KernelTarget &target);
llvm::LogicalResult emitDepthwise(DepthwiseConv2DOp op, Emitter &emitter,
                                  const KernelTarget &target);
llvm::LogicalResult emitPool(Pool2DOp op, Emitter &emitter,
                             const KernelTarget &target);

} // namespace nnhal::kernel

#endif // NNHAL_LIB_TARGET_CPU_KERNELTOVECTOR_EMITTER_H
