//===- Window.cpp - Loops of depthwise convolutions and pools -------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tile of output columns times vectors of channels is accumulated in
// registers over the rows of the window that lie inside the input (a loop with
// computed bounds) and its columns (unrolled, each input loaded once for all
// the columns that use it; padding left out statically). One output row at a
// time; or two, which have most of their input rows in common.
//
// Where that pays (TilePlan.h), tiles of bytes have one code everywhere: what
// lies outside of the image is another element times 0. Of floats, which may be
// infinite, sums with such an element are masked at the left and right border.
// Elsewhere, and in pools, tiles at the border have code of their own, without
// those taps.
//
// Around that are loops over batches, rows and tiles of a row, which threads
// may share, and over channels, inside of the tiles or, where rows of all
// channels leave the cache, outside. Rows with a code of their own are those at
// the borders or left over, which one loop has where the image stays in the
// cache; columns are cut into groups of tiles with the same padding. The last
// vector of channels overlaps its neighbour instead of being masked.
//
// A depthwise convolution multiplies with weights and adds; a pool takes
// maxima, or adds and divides by the number of elements inside of the input.
//
//===----------------------------------------------------------------------===//

#include "Emitter.h"
#include "TilePlan.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"

#include <limits>
#include <map>
#include <tuple>

using namespace mlir;
using namespace nnhal::kernel;

namespace {

/// What a kernel does with the elements of its window.
class WindowBody {
public:
  virtual ~WindowBody() = default;
  /// Accumulator of the channels from `channel` on.
  virtual Value start(Value channel, Lanes lanes) = 0;
  /// Flat index of the weights of window element (row, 0); unused by pools.
  virtual Value weightRow(Value row) = 0;
  /// Weights of one element of the window, null for pools.
  virtual Value weight(Value weightRow, Value tap, Value channel,
                       Lanes lanes) = 0;
  virtual Value step(Value accumulator, Value element, Value weight) = 0;
  /// The bytes of the weights of one element of the window.
  virtual int64_t tapBytes() const = 0;
  /// `count` is the number of elements that were accumulated, f32.
  virtual Value finish(Value accumulator, llvm::function_ref<Value()> count,
                       int64_t lanes) = 0;
};

/// Channels of one position of the channel loops.
struct ChannelBlock {
  /// Output channel.
  Value out;
  /// Input channel; the same unless there is a depth multiplier.
  Value in;
  int64_t vectors;
  Lanes lanes;
};

/// A row or column of the input that some tiles read.
struct InputLine {
  /// Flat index, relative to that of the line under the first tap.
  Value offset;
  /// Lanes of booleans: whether the line is inside of the image; null where it
  /// is for all tiles. A line outside is read as another one.
  Value mask;
};

/// Where a tile stands: output pixel, and the flat index of the input under the
/// first tap of its window; may lie in the padding (then never read).
struct TilePlace {
  const TileGroup &group;
  Epilogue::Pixel pixel;
  Value input;
  /// Columns of the input, by their distance from the first one, unless a loop
  /// goes over the taps.
  SmallVector<InputLine> columns;
};

/// An output row of a tile that uses some row of the input, where the weights
/// are that it uses it with, and the mask of these, if any.
struct RowUse {
  int64_t row;
  Value weightRow;
  Value mask;
};

class WindowEmitter {
public:
  WindowEmitter(KernelOpInterface op, Emitter &emitter,
                const KernelTarget &target, WindowBody &body, WindowDim height,
                WindowDim width, int64_t multiplier)
      : op(op), emitter(emitter), target(target), body(body), height(height),
        width(width), multiplier(multiplier) {}

  LogicalResult emit();

private:
  void emitRows(Value batch, int64_t begin, int64_t end, int64_t rows);
  void emitAllRows(Value batch);
  void emitBorderRows(Value batch, TapRange inner);
  void emitRow(Value batch, Value row, int64_t rows);
  void emitChannels(llvm::function_ref<void(ChannelBlock)> block);
  void emitTile(const TilePlace &place, const ChannelBlock &channels);
  void emitInnerTile(const TilePlace &place, const ChannelBlock &channels,
                     int64_t rows);
  SmallVector<Value> emitTaps(const TilePlace &place,
                              const ChannelBlock &channels,
                              ArrayRef<RowUse> uses, Value inputAt,
                              ValueRange values);
  SmallVector<Value> emitTapLoop(const TileGroup &group,
                                 const ChannelBlock &channels, Value row,
                                 Value inputAt, ValueRange values);
  SmallVector<InputLine> findLines(const WindowDim &dim, Value origin,
                                   int64_t outputs, int64_t distance,
                                   bool isUniform);
  SmallVector<TileGroup> planColumns() const;
  Value element(Value at, const ChannelBlock &channels, int64_t vector);
  Value masked(Value vector, Value mask, Value other = {});
  Value count(const TapRange &taps);

  KernelOpInterface op;
  Emitter &emitter;
  const KernelTarget &target;
  WindowBody &body;
  WindowDim height, width;
  int64_t multiplier;
  FlatView input;
  std::optional<Epilogue> epilogue;
  int64_t channels;
  WindowTile tile;
  /// Valid rows of the window for the current output row.
  Value firstRow, lastRow;
  /// Rows of the input that the current output rows use, if there are several.
  SmallVector<InputLine> inputRows;
};

LogicalResult WindowEmitter::emit() {
  Value source = op->getOperand(0);
  ArrayRef<int64_t> in = cast<ShapedType>(source.getType()).getShape();
  std::optional<FlatView> view = emitter.flatten(source);
  epilogue = Epilogue::create(op, emitter);
  if (!view || !epilogue)
    return op->emitOpError("needs memrefs of static shape with known strides "
                           "and contiguous channels");
  input = *view;
  channels = in[3];
  int64_t inner = multiplier == 1 ? channels : multiplier;
  int64_t lanes = chooseChannelLanes(inner, target);
  auto bytesOf = [](Value image, int64_t elements) {
    return elements *
           cast<ShapedType>(image.getType()).getElementTypeBitWidth() / 8;
  };
  tile = chooseWindowTile(height, width, inner % lanes == 0 ? inner / lanes : 1,
                          {bytesOf(source, input.strides[2]),
                           bytesOf(op.getDestination(), channels * multiplier),
                           body.tapBytes(),
                           height.out * width.out * channels * multiplier *
                               height.filter * width.filter,
                           !isa<FloatType>(getElementTypeOrSelf(source))},
                          target);
  if (tile.uniformRows) {
    emitter.parallelLoop(0, in[0], 1, [&](Value batch) { emitAllRows(batch); });
    return success();
  }
  TapRange interior = interiorOf(height);
  if (tile.rows == 1)
    interior = {0, 0};
  int64_t innerEnd = interior.end - interior.size() % tile.rows;
  // An image that leaves the cache is read in order.
  bool isOneLoop = interior.begin > 0 && innerEnd < height.out &&
                   bytesOf(source, height.in * input.strides[1]) <=
                       target.costs().inputCache;
  // Not the channels: their last vector overlaps its neighbour.
  emitter.parallelLoop(0, in[0], 1, [&](Value batch) {
    if (isOneLoop)
      emitBorderRows(batch, {interior.begin, innerEnd});
    else
      emitRows(batch, 0, interior.begin, 1);
    emitRows(batch, interior.begin, innerEnd, tile.rows);
    if (!isOneLoop)
      emitRows(batch, innerEnd, height.out, 1);
  });
  return success();
}

/// Output rows [begin, end), `rows` at once.
void WindowEmitter::emitRows(Value batch, int64_t begin, int64_t end,
                             int64_t rows) {
  if (begin < end)
    emitter.parallelLoop(begin, (end - begin) / rows, rows,
                         [&](Value row) { emitRow(batch, row, rows); });
}

/// All output rows, as many at once as a tile has; the last ones overlap those
/// before.
void WindowEmitter::emitAllRows(Value batch) {
  int64_t count = llvm::divideCeil(height.out, tile.rows);
  emitter.parallelLoop(0, count, tile.rows, [&](Value row) {
    if (height.out % tile.rows != 0)
      row = emitter.min(row, emitter.index(height.out - tile.rows));
    emitRow(batch, row, tile.rows);
  });
}

/// Output rows above and below those of `inner`, one at a time, by one loop:
/// half the code.
void WindowEmitter::emitBorderRows(Value batch, TapRange inner) {
  emitter.parallelLoop(0, height.out - inner.size(), 1, [&](Value position) {
    emitRow(batch, emitter.leaveOut(position, inner.begin, inner.size()), 1);
  });
}

/// The lines of the input along `dim`, `distance` apart, that `outputs` output
/// lines use, whose windows begin at `origin`; with masks if `isUniform`.
SmallVector<InputLine> WindowEmitter::findLines(const WindowDim &dim,
                                                Value origin, int64_t outputs,
                                                int64_t distance,
                                                bool isUniform) {
  OpBuilder &builder = emitter.builder();
  Location loc = emitter.loc();
  int64_t lanes =
      chooseChannelLanes(multiplier == 1 ? channels : multiplier, target);
  VectorType booleans = emitter.vectorType(lanes, builder.getI1Type());
  int64_t first = -dim.padHead;
  int64_t last = (dim.out - outputs) * dim.stride - dim.padHead;
  int64_t count =
      (outputs - 1) * dim.stride + (dim.filter - 1) * dim.dilation + 1;
  SmallVector<InputLine> lines;
  if (tile.loopTaps)
    return lines;
  for (int64_t line = 0; line < count; ++line) {
    lines.push_back({emitter.index(line * distance), {}});
    if (!isUniform || (first + line >= 0 && last + line < dim.in))
      continue;
    Value position = emitter.add(origin, line);
    Value isInside =
        arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult, position,
                              emitter.index(dim.in));
    Value read = emitter.min(emitter.max(position, emitter.index(0)),
                             emitter.index(dim.in - 1));
    lines.back() = {
        emitter.mul(emitter.add(read, emitter.mul(origin, -1)), distance),
        vector::BroadcastOp::create(builder, loc, booleans, isInside)};
  }
  return lines;
}

/// Tiles of a row: one group of them if columns are uniform.
SmallVector<TileGroup> WindowEmitter::planColumns() const {
  if (!tile.uniformColumns)
    return planTiles(width, tile.columns, target.costs().overlappedPixels);
  SmallVector<TapRange> taps(tile.columns, TapRange{0, width.filter});
  return {{0, tile.columns, int64_t(llvm::divideCeil(width.out, tile.columns)),
           std::move(taps), width.out - tile.columns}};
}

/// Output rows from `row` on; more than one only where all rows of their
/// windows are inside the input, or rows are uniform.
void WindowEmitter::emitRow(Value batch, Value row, int64_t rows) {
  Value origin = emitter.add(emitter.mul(row, height.stride), -height.padHead);
  if (rows > 1) {
    std::tie(firstRow, lastRow) =
        std::pair(emitter.index(0), emitter.index(height.filter));
    inputRows =
        findLines(height, origin, rows, input.strides[1], tile.uniformRows);
  } else {
    std::tie(firstRow, lastRow) = emitter.validTaps(height, origin);
  }
  Value base = emitter.mulAdd(batch, input.strides[0],
                              emitter.mul(origin, input.strides[1]));
  auto eachPlace = [&](llvm::function_ref<void(const TilePlace &)> emit) {
    for (const TileGroup &group : planColumns())
      emitter.tileLoop(group, [&](Value column) {
        Value first =
            emitter.add(emitter.mul(column, width.stride), -width.padHead);
        emit({group, epilogue->pixel(batch, row, column),
              emitter.mulAdd(first, input.strides[2], base),
              findLines(width, first, group.size, input.strides[2],
                        tile.uniformColumns)});
      });
  };
  auto emitAt = [&](const TilePlace &place, const ChannelBlock &block) {
    if (rows > 1)
      emitInnerTile(place, block, rows);
    else
      emitTile(place, block);
  };
  if (tile.channelsOutermost)
    emitChannels([&](const ChannelBlock &block) {
      eachPlace([&](const TilePlace &place) { emitAt(place, block); });
    });
  else
    eachPlace([&](const TilePlace &place) {
      emitChannels([&](const ChannelBlock &block) { emitAt(place, block); });
    });
}

void WindowEmitter::emitChannels(llvm::function_ref<void(ChannelBlock)> block) {
  // With a multiplier, the vectors run over the outputs of one input channel,
  // which is broadcast.
  int64_t inner = multiplier == 1 ? channels : multiplier;
  int64_t lanes = chooseChannelLanes(inner, target);
  auto vectors = [&](Value out, Value in) {
    auto at = [&](Value channel, int64_t count, Lanes run) {
      block({emitter.add(out, channel),
             multiplier == 1 ? emitter.add(in, channel) : in, count, run});
    };
    if (inner <= lanes) {
      at(emitter.index(0), 1, {lanes, inner});
      return;
    }
    int64_t width = tile.vectors * lanes;
    // The last vector overlaps its neighbour instead of being masked: the same
    // code for all, and the same values are stored twice.
    emitter.loop(0, llvm::divideCeil(inner, width), width, [&](Value channel) {
      if (inner % width != 0)
        channel = emitter.min(channel, emitter.index(inner - width));
      at(channel, tile.vectors, {lanes, lanes});
    });
  };
  if (multiplier == 1)
    vectors(emitter.index(0), emitter.index(0));
  else
    emitter.loop(0, channels, 1, [&](Value channel) {
      vectors(emitter.mul(channel, multiplier), channel);
    });
}

/// `count` of a window with the valid columns `taps`, as f32.
Value WindowEmitter::count(const TapRange &taps) {
  OpBuilder &builder = emitter.builder();
  Value rows = emitter.add(lastRow, emitter.mul(firstRow, -1));
  Value elements = emitter.mul(rows, taps.size());
  Value integer = arith::IndexCastOp::create(builder, emitter.loc(),
                                             builder.getI32Type(), elements);
  return arith::SIToFPOp::create(builder, emitter.loc(), builder.getF32Type(),
                                 integer);
}

void WindowEmitter::emitTile(const TilePlace &place,
                             const ChannelBlock &channels) {
  const TileGroup &group = place.group;
  int64_t lanes = channels.lanes.lanes;
  if (tile.prefetch)
    epilogue->prefetchNextLine(place.pixel, group.size, channels.out);
  SmallVector<Value> starts, values;
  for (int64_t vector = 0; vector < channels.vectors; ++vector)
    starts.push_back(
        body.start(emitter.add(channels.out, vector * lanes), channels.lanes));
  for (int64_t column = 0; column < group.size; ++column)
    values.append(starts);
  values = emitter.carry(
      firstRow, lastRow, values, [&](Value row, ValueRange carried) {
        Value at = emitter.mulAdd(row, height.dilation * input.strides[1],
                                  place.input);
        if (tile.loopTaps)
          return emitTapLoop(group, channels, row, at, carried);
        return emitTaps(place, channels,
                        RowUse{0, body.weightRow(row), /*mask=*/{}}, at,
                        carried);
      });
  for (auto [index, value] : llvm::enumerate(values)) {
    const TapRange &taps = group.taps[index / channels.vectors];
    value = body.finish(value, [&] { return count(taps); }, lanes);
  }
  epilogue->finish({values, place.pixel, group.size, channels.out,
                    channels.vectors, lanes,
                    (channels.vectors - 1) * lanes + channels.lanes.valid});
}

/// `rows` output rows, each row of the input loaded once for all that use it;
/// one vector of channels after the other.
void WindowEmitter::emitInnerTile(const TilePlace &place,
                                  const ChannelBlock &channels, int64_t rows) {
  const TileGroup &group = place.group;
  int64_t lanes = channels.lanes.lanes;
  auto accumulate = [&](Value vector) {
    ChannelBlock block = channels;
    block.vectors = 1;
    block.out = emitter.mulAdd(vector, lanes, channels.out);
    if (multiplier == 1)
      block.in = emitter.mulAdd(vector, lanes, channels.in);
    SmallVector<Value> values(rows * group.size,
                              body.start(block.out, block.lanes));
    for (auto [number, inputRow] : llvm::enumerate(inputRows)) {
      SmallVector<RowUse> uses;
      for (int64_t row = 0; row < rows; ++row)
        if (int64_t tap = int64_t(number) - row * height.stride;
            tap >= 0 && tap < height.filter)
          uses.push_back(
              {row, body.weightRow(emitter.index(tap)), inputRow.mask});
      Value at = emitter.add(place.input, inputRow.offset);
      values = emitTaps(place, block, uses, at, values);
    }
    for (auto [index, value] : llvm::enumerate(values)) {
      const TapRange &taps = group.taps[index % group.size];
      value = body.finish(value, [&] { return count(taps); }, lanes);
    }
    return values;
  };
  epilogue->finishVectors(
      {/*values=*/{}, place.pixel, group.size, channels.out, channels.vectors,
       lanes, (channels.vectors - 1) * lanes + channels.lanes.valid, rows},
      accumulate);
}

Value WindowEmitter::element(Value at, const ChannelBlock &channels,
                             int64_t vector) {
  if (multiplier != 1)
    return emitter.broadcast(
        emitter.toF32(emitter.loadScalar(input, emitter.add(at, channels.in))),
        channels.lanes.lanes);
  Value channel = emitter.add(channels.in, vector * channels.lanes.lanes);
  return emitter.toF32(
      emitter.load(input, emitter.add(at, channel), channels.lanes));
}

/// `vector`, or `other` where `mask`, if there is one, is false: zeros, if
/// there is none.
Value WindowEmitter::masked(Value vector, Value mask, Value other) {
  if (!mask)
    return vector;
  if (!other)
    other = emitter.zeros(cast<VectorType>(vector.getType()));
  return arith::SelectOp::create(emitter.builder(), emitter.loc(), mask, vector,
                                 other);
}

/// One row of the input, unrolled: its columns outermost, so that each is
/// loaded once.
SmallVector<Value> WindowEmitter::emitTaps(const TilePlace &place,
                                           const ChannelBlock &channels,
                                           ArrayRef<RowUse> rows, Value inputAt,
                                           ValueRange carried) {
  SmallVector<Value> values(carried);
  // Input column -> (output column, tap) that use it, in order.
  std::map<int64_t, SmallVector<std::pair<int64_t, int64_t>>> uses;
  for (auto [column, taps] : llvm::enumerate(place.group.taps))
    for (int64_t tap = taps.begin; tap < taps.end; ++tap)
      uses[column * width.stride + tap * width.dilation].push_back(
          {column, tap});
  for (int64_t vector = 0; vector < channels.vectors; ++vector) {
    std::map<std::pair<int64_t, int64_t>, Value> weights;
    Value channel = emitter.add(channels.out, vector * channels.lanes.lanes);
    for (const auto &[position, users] : uses) {
      const InputLine &line = place.columns[position];
      Value loaded =
          element(emitter.add(inputAt, line.offset), channels, vector);
      if (tile.skips == WindowTile::Skip::factors)
        loaded = masked(loaded, line.mask);
      for (auto [row, weightRow, mask] : rows)
        for (auto [column, tap] : users) {
          Value &weight = weights[{row, tap}];
          if (!weight) {
            weight = body.weight(weightRow, emitter.index(tap), channel,
                                 channels.lanes);
            if (tile.skips == WindowTile::Skip::factors)
              weight = masked(weight, mask);
          }
          int64_t pixel = row * place.group.size + column;
          Value &value = values[pixel * channels.vectors + vector];
          Value next = body.step(value, loaded, weight);
          if (tile.skips == WindowTile::Skip::sums)
            next = masked(next, line.mask, value);
          value = next;
        }
    }
  }
  return values;
}

/// One row of a wide window as a loop; the tile has one column.
SmallVector<Value> WindowEmitter::emitTapLoop(const TileGroup &group,
                                              const ChannelBlock &channels,
                                              Value row, Value inputAt,
                                              ValueRange carried) {
  Value weightRow = body.weightRow(row);
  TapRange taps = group.taps[0];
  if (taps.size() == 0)
    return SmallVector<Value>(carried);
  return emitter.carry(
      emitter.index(taps.begin), emitter.index(taps.end), carried,
      [&](Value tap, ValueRange inner) {
        SmallVector<Value> values(inner);
        Value at =
            emitter.mulAdd(tap, width.dilation * input.strides[2], inputAt);
        for (auto [vector, value] : llvm::enumerate(values)) {
          Value channel =
              emitter.add(channels.out, vector * channels.lanes.lanes);
          Value weight = body.weight(weightRow, tap, channel, channels.lanes);
          value = body.step(value, element(at, channels, vector), weight);
        }
        return values;
      });
}

//===----------------------------------------------------------------------===//
// The kernels
//===----------------------------------------------------------------------===//

class DepthwiseBody : public WindowBody {
public:
  DepthwiseBody(Emitter &emitter, FlatView filter, FlatView bias)
      : emitter(emitter), filter(std::move(filter)), bias(std::move(bias)) {}

  Value start(Value channel, Lanes lanes) override {
    return emitter.load(bias, channel, lanes);
  }
  int64_t tapBytes() const override {
    auto type = cast<MemRefType>(filter.buffer.getType());
    return filter.strides[1] * type.getElementTypeBitWidth() / 8;
  }
  Value weightRow(Value row) override {
    return emitter.mul(row, filter.strides[0]);
  }
  Value weight(Value weightRow, Value tap, Value channel,
               Lanes lanes) override {
    Value at = emitter.mulAdd(tap, filter.strides[1], weightRow);
    return emitter.load(filter, emitter.add(at, channel), lanes);
  }
  Value step(Value accumulator, Value element, Value weight) override {
    return vector::FMAOp::create(emitter.builder(), emitter.loc(), element,
                                 weight, accumulator);
  }
  Value finish(Value accumulator, llvm::function_ref<Value()>,
               int64_t) override {
    return accumulator;
  }

private:
  Emitter &emitter;
  FlatView filter, bias;
};

class PoolBody : public WindowBody {
public:
  PoolBody(Emitter &emitter, PoolKind kind) : emitter(emitter), kind(kind) {}

  Value start(Value, Lanes lanes) override {
    return emitter.splat(
        kind == PoolKind::max ? -std::numeric_limits<double>::infinity() : 0.0,
        lanes.lanes);
  }
  int64_t tapBytes() const override { return 0; }
  Value weightRow(Value) override { return {}; }
  Value weight(Value, Value, Value, Lanes) override { return {}; }

  Value step(Value accumulator, Value element, Value) override {
    OpBuilder &builder = emitter.builder();
    Location loc = emitter.loc();
    switch (kind) {
    case PoolKind::max: {
      // One instruction; arith.maximumf would add two for NaN.
      Value greater = arith::CmpFOp::create(
          builder, loc, arith::CmpFPredicate::OGT, element, accumulator);
      return arith::SelectOp::create(builder, loc, greater, element,
                                     accumulator);
    }
    case PoolKind::average:
      return arith::AddFOp::create(builder, loc, accumulator, element);
    case PoolKind::l2:
      return vector::FMAOp::create(builder, loc, element, element, accumulator);
    }
    llvm_unreachable("covered switch");
  }

  Value finish(Value accumulator, llvm::function_ref<Value()> count,
               int64_t lanes) override {
    if (kind == PoolKind::max)
      return accumulator;
    OpBuilder &builder = emitter.builder();
    Location loc = emitter.loc();
    Value mean = arith::DivFOp::create(builder, loc, accumulator,
                                       emitter.broadcast(count(), lanes));
    if (kind == PoolKind::l2)
      return math::SqrtOp::create(builder, loc, mean);
    return mean;
  }

private:
  Emitter &emitter;
  PoolKind kind;
};

/// The window of a kernel in both dimensions.
std::pair<WindowDim, WindowDim> windowDims(Value input, Value output,
                                           ArrayRef<int64_t> filter,
                                           ArrayRef<int64_t> strides,
                                           ArrayRef<int64_t> dilations,
                                           ArrayRef<int64_t> pads) {
  ArrayRef<int64_t> in = cast<ShapedType>(input.getType()).getShape();
  ArrayRef<int64_t> out = cast<ShapedType>(output.getType()).getShape();
  return {{in[1], out[1], filter[0], strides[0], dilations[0], pads[0]},
          {in[2], out[2], filter[1], strides[1], dilations[1], pads[2]}};
}

} // namespace

LogicalResult nnhal::kernel::emitDepthwise(DepthwiseConv2DOp op,
                                           Emitter &emitter,
                                           const KernelTarget &target) {
  std::optional<FlatView> filter = emitter.flatten(op.getFilter());
  std::optional<FlatView> bias = emitter.flatten(op.getBias());
  if (!filter || !bias)
    return op.emitOpError("needs memrefs of static shape with known strides "
                          "and contiguous channels");
  DepthwiseBody body(emitter, *filter, *bias);
  auto [height, width] = windowDims(
      op.getInput(), op.getInit(),
      cast<ShapedType>(op.getFilter().getType()).getShape().take_front(2),
      op.getStrides(), op.getDilations(), op.getPads());
  return WindowEmitter(cast<KernelOpInterface>(op.getOperation()), emitter,
                       target, body, height, width, op.getDepthMultiplier())
      .emit();
}

LogicalResult nnhal::kernel::emitPool(Pool2DOp op, Emitter &emitter,
                                      const KernelTarget &target) {
  PoolBody body(emitter, op.getKind());
  auto [height, width] = windowDims(op.getInput(), op.getInit(), op.getWindow(),
                                    op.getStrides(), {1, 1}, op.getPads());
  return WindowEmitter(cast<KernelOpInterface>(op.getOperation()), emitter,
                       target, body, height, width, /*multiplier=*/1)
      .emit();
}
