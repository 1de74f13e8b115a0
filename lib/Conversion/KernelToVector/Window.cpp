//===- Window.cpp - Loops of depthwise convolutions and pools -------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One output row at a time: a tile of output columns times vectors of channels
// is accumulated in registers over the rows of the window that lie inside the
// input (a loop with computed bounds) and its columns (unrolled, each input
// loaded once for all the columns that use it; padding left out statically).
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

class WindowEmitter {
public:
  WindowEmitter(KernelOpInterface op, Emitter &emitter,
                const KernelTarget &target, WindowBody &body, WindowDim height,
                WindowDim width, int64_t multiplier)
      : op(op), emitter(emitter), target(target), body(body), height(height),
        width(width), multiplier(multiplier) {}

  LogicalResult emit();

private:
  void emitRow(Value batch, Value row);
  void emitChannels(llvm::function_ref<void(ChannelBlock)> block);
  void emitTile(const TileGroup &group, const ChannelBlock &channels,
                const Epilogue::Pixel &pixel, Value inputAt);
  SmallVector<Value> emitTaps(const TileGroup &group,
                              const ChannelBlock &channels, Value row,
                              Value inputAt, ValueRange values);
  SmallVector<Value> emitTapLoop(const TileGroup &group,
                                 const ChannelBlock &channels, Value row,
                                 Value inputAt, ValueRange values);
  Value element(Value at, const ChannelBlock &channels, int64_t vector);
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
  tile =
      chooseWindowTile(width, inner % lanes == 0 ? inner / lanes : 1, target);
  // Not the channels: their last vector overlaps its neighbour.
  emitter.parallelLoop(0, in[0], 1, [&](Value batch) {
    emitter.parallelLoop(0, height.out, 1,
                         [&](Value row) { emitRow(batch, row); });
  });
  return success();
}

void WindowEmitter::emitRow(Value batch, Value row) {
  Value origin = emitter.add(emitter.mul(row, height.stride), -height.padHead);
  std::tie(firstRow, lastRow) = emitter.validTaps(height, origin);
  Value base = emitter.mulAdd(batch, input.strides[0],
                              emitter.mul(origin, input.strides[1]));
  for (const TileGroup &group : planTiles(width, tile.columns))
    emitter.parallelLoop(
        group.start, group.count, group.size, [&](Value column) {
          Value first =
              emitter.add(emitter.mul(column, width.stride), -width.padHead);
          Value at = emitter.mulAdd(first, input.strides[2], base);
          Epilogue::Pixel pixel = epilogue->pixel(batch, row, column);
          emitChannels([&](const ChannelBlock &block) {
            emitTile(group, block, pixel, at);
          });
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

void WindowEmitter::emitTile(const TileGroup &group,
                             const ChannelBlock &channels,
                             const Epilogue::Pixel &pixel, Value inputAt) {
  int64_t lanes = channels.lanes.lanes;
  SmallVector<Value> starts, values;
  for (int64_t vector = 0; vector < channels.vectors; ++vector)
    starts.push_back(
        body.start(emitter.add(channels.out, vector * lanes), channels.lanes));
  for (int64_t column = 0; column < group.size; ++column)
    values.append(starts);
  values = emitter.carry(
      firstRow, lastRow, values, [&](Value row, ValueRange carried) {
        Value at =
            emitter.mulAdd(row, height.dilation * input.strides[1], inputAt);
        return tile.loopTaps ? emitTapLoop(group, channels, row, at, carried)
                             : emitTaps(group, channels, row, at, carried);
      });
  for (auto [index, value] : llvm::enumerate(values)) {
    const TapRange &taps = group.taps[index / channels.vectors];
    value = body.finish(value, [&] { return count(taps); }, lanes);
  }
  epilogue->finish({values, pixel, group.size, channels.out, channels.vectors,
                    lanes,
                    (channels.vectors - 1) * lanes + channels.lanes.valid});
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

/// One row of the window, unrolled: input columns outermost, so that each is
/// loaded once.
SmallVector<Value> WindowEmitter::emitTaps(const TileGroup &group,
                                           const ChannelBlock &channels,
                                           Value row, Value inputAt,
                                           ValueRange carried) {
  SmallVector<Value> values(carried);
  Value weightRow = body.weightRow(row);
  // Input column -> (output column, tap) that use it, in order.
  std::map<int64_t, SmallVector<std::pair<int64_t, int64_t>>> uses;
  for (auto [column, taps] : llvm::enumerate(group.taps))
    for (int64_t tap = taps.begin; tap < taps.end; ++tap)
      uses[column * width.stride + tap * width.dilation].push_back(
          {column, tap});
  for (int64_t vector = 0; vector < channels.vectors; ++vector) {
    std::map<int64_t, Value> weights;
    Value channel = emitter.add(channels.out, vector * channels.lanes.lanes);
    for (const auto &[position, users] : uses) {
      Value loaded = element(emitter.add(inputAt, position * input.strides[2]),
                             channels, vector);
      for (auto [column, tap] : users) {
        Value &weight = weights[tap];
        if (!weight)
          weight = body.weight(weightRow, emitter.index(tap), channel,
                               channels.lanes);
        Value &value = values[column * channels.vectors + vector];
        value = body.step(value, loaded, weight);
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
