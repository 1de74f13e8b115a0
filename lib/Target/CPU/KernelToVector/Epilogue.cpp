//===- Epilogue.cpp - What a kernel makes of its sums ---------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tile of accumulators becomes elements of the result: the scalar body of the
// kernel's epilogue is emitted once for each vector of accumulators, on vectors
// of its extra operands that are loaded from where the tile is. An extra that
// has one element for each channel is loaded once for all pixels of a tile; one
// that has a number for each pixel is broadcast; what the body computes from
// constants alone is made before the kernel.
//
// A long body, such as the scaling of integers in 64 bits, would be as many
// copies of code as the tile has accumulators. Then the tile is stored, in the
// destination where elements are as wide, otherwise in scratch memory of the
// kernel, and a loop over its pixels runs the body on what it loads again.
//
//===----------------------------------------------------------------------===//

#include "Emitter.h"

#include "Codegen/EpilogueCost.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace nnhal::kernel;

bool nnhal::kernel::hasUniformPixels(const FlatView &view,
                                     ArrayRef<int64_t> shape) {
  // The stride of a dimension with one element is never used.
  int64_t expected = view.strides[2] * shape[2];
  if (shape[1] > 1 && view.strides[1] != expected)
    return false;
  expected *= shape[1];
  return shape[0] == 1 || view.strides[0] == expected;
}

std::optional<Epilogue> Epilogue::create(KernelOpInterface op,
                                         Emitter &emitter) {
  Epilogue epilogue(op, emitter);
  std::optional<FlatView> out = emitter.flatten(op.getDestination());
  if (!out)
    return std::nullopt;
  epilogue.out = *out;
  auto channelsOf = [](Value value) {
    return cast<ShapedType>(value.getType()).getShape().back();
  };
  for (Value extra : op.getExtras()) {
    std::optional<FlatView> view = emitter.flatten(extra);
    if (!view)
      return std::nullopt;
    epilogue.extras.push_back(*view);
    epilogue.isOfPixels.push_back(view->strides.size() > 1 &&
                                  channelsOf(extra) !=
                                      channelsOf(op.getDestination()));
  }
  return epilogue;
}

bool Epilogue::uniformPixels() const {
  ArrayRef<int64_t> shape =
      cast<ShapedType>(KernelOpInterface(op).getDestination().getType())
          .getShape();
  return hasUniformPixels(out, shape) &&
         llvm::all_of(extras, [&](const FlatView &view) {
           return view.strides.size() == 1 || hasUniformPixels(view, shape);
         });
}

Epilogue::Pixel Epilogue::pixel(Value batch, Value row, Value column) {
  auto offset = [&](const FlatView &view) {
    Value at = emitter->mul(column, view.strides[2]);
    at = emitter->add(emitter->mul(row, view.strides[1]), at);
    return emitter->add(emitter->mul(batch, view.strides[0]), at);
  };
  Pixel pixel{offset(out), {}};
  for (const FlatView &view : extras) {
    if (view.strides.size() == 1)
      pixel.extras.push_back(Value());
    else
      pixel.extras.push_back(view.strides == out.strides ? pixel.out
                                                         : offset(view));
  }
  return pixel;
}

Epilogue::Pixel Epilogue::moved(const Pixel &pixel, Value rows, Value columns) {
  auto offset = [&](const FlatView &view, Value at) {
    return emitter->mulAdd(rows, view.strides[1],
                           emitter->mulAdd(columns, view.strides[2], at));
  };
  Pixel result{offset(out, pixel.out), {}};
  for (auto [view, at] : llvm::zip_equal(extras, pixel.extras)) {
    if (!at || view.strides == out.strides)
      result.extras.push_back(at ? result.out : at);
    else
      result.extras.push_back(offset(view, at));
  }
  return result;
}

Epilogue::Pixel Epilogue::pixelOf(const Tile &tile, int64_t pixel) {
  return moved(tile.first, emitter->index(pixel / tile.pixels),
               emitter->index(pixel % tile.pixels));
}

void Epilogue::prefetchNextLine(const Pixel &first, int64_t count,
                                Value channel) {
  Value at =
      emitter->add(emitter->add(first.out, channel), Emitter::lineOf(out));
  for (int64_t pixel = 0; pixel < count; ++pixel)
    emitter->prefetch(out, emitter->add(at, pixel * out.strides[2]),
                      /*isWrite=*/true);
}

bool Epilogue::isLong() const {
  Region &region = KernelOpInterface(op).getEpilogue();
  if (region.empty())
    return false;
  int64_t operations =
      llvm::count_if(region.front().without_terminator(), [](Operation &inner) {
        return !inner.hasTrait<OpTrait::ConstantLike>();
      });
  // Requantization takes more, activations and residuals less.
  return operations >= emitter->costs().longEpilogue ||
         hasFunctions(region.front());
}

void Epilogue::finish(const Tile &tile) {
  if (!isLong())
    return finishInRegisters(tile);
  FlatView sums = sumsOf(tile);
  for (int64_t vector = 0; vector < tile.vectors; ++vector) {
    SmallVector<Value> values;
    for (size_t at = vector; at < tile.values.size(); at += tile.vectors)
      values.push_back(tile.values[at]);
    storeSums(tile, sums, emitter->index(vector), values);
  }
  finishInLoop(tile, sums);
}

void Epilogue::finishVectors(const Tile &tile, VectorBody body) {
  if (isLong()) {
    FlatView sums = sumsOf(tile);
    return emitter->enclosed([&] {
      emitter->loop(0, tile.vectors, 1, [&](Value vector) {
        storeSums(tile, sums, vector, body(vector));
      });
      finishInLoop(tile, sums);
    });
  }
  emitter->loop(0, tile.vectors, 1, [&](Value vector) {
    SmallVector<Value> values = body(vector);
    Tile part = tile;
    part.values = values;
    part.channel = emitter->mulAdd(vector, tile.lanes, tile.channel);
    part.channels = std::min(tile.channels, tile.lanes);
    part.vectors = 1;
    finishInRegisters(part);
  });
}

void Epilogue::finishInRegisters(const Tile &tile) {
  // Loaded before the first store, which might change them for all LLVM knows.
  SmallVector<SmallVector<Value>> channelVectors;
  for (int64_t vector = 0; vector < tile.vectors; ++vector)
    channelVectors.push_back(loadChannels(
        emitter->add(tile.channel, vector * tile.lanes), tile.lanesOf(vector)));
  for (int64_t pixel = 0; pixel < tile.rows * tile.pixels; ++pixel) {
    Pixel at = pixelOf(tile, pixel);
    for (int64_t vector = 0; vector < tile.vectors; ++vector) {
      Value channel = emitter->add(tile.channel, vector * tile.lanes);
      Lanes lanes = tile.lanesOf(vector);
      Value value = apply(tile.values[pixel * tile.vectors + vector], at,
                          channel, lanes, channelVectors[vector]);
      emitter->store(value, out, emitter->add(at.out, channel), lanes);
    }
  }
}

/// Where the accumulators of a tile are kept that finishInLoop() reads.
FlatView Epilogue::sumsOf(const Tile &tile) {
  if (out.element() == op.getAccumulatorType())
    return out;
  return emitter->scratch(op.getAccumulatorType(),
                          tile.rows * tile.pixels * tile.vectors * tile.lanes);
}

/// Stores `values`, those of one vector of all pixels.
void Epilogue::storeSums(const Tile &tile, const FlatView &sums, Value vector,
                         ArrayRef<Value> values) {
  bool inDestination = sums.buffer == out.buffer;
  for (auto [pixel, value] : llvm::enumerate(values)) {
    Lanes lanes{tile.lanes, tile.lanes};
    Value at = emitter->mulAdd(
        vector, tile.lanes, emitter->index(pixel * tile.vectors * tile.lanes));
    if (inDestination) {
      lanes = tile.lanesOf(getConstantIntValue(vector).value_or(0));
      at = emitter->add(pixelOf(tile, int64_t(pixel)).out,
                        emitter->mulAdd(vector, tile.lanes, tile.channel));
    }
    emitter->store(value, sums, at, lanes);
  }
}

/// A long epilogue runs over stored accumulators, which the first-level cache
/// still holds: one copy of its code instead of one per accumulator, which
/// takes LLVM three times as long and runs no faster.
void Epilogue::finishInLoop(const Tile &tile, const FlatView &sums) {
  int64_t width = tile.vectors * tile.lanes;
  bool inDestination = sums.buffer == out.buffer;
  emitter->loop(0, tile.rows, 1, [&](Value row) {
    emitter->loop(0, tile.pixels, 1, [&](Value column) {
      Pixel pixel = moved(tile.first, row, column);
      Value at = inDestination ? emitter->add(pixel.out, tile.channel)
                               : emitter->mulAdd(row, tile.pixels * width,
                                                 emitter->mul(column, width));
      finishChannels(tile, pixel, sums, at);
    });
  });
}

/// One pixel of a tile. Two vectors at once where results are narrower than
/// sums: a register of them is packed from two.
void Epilogue::finishChannels(const Tile &tile, const Pixel &pixel,
                              const FlatView &sums, Value sumsAt) {
  bool isPacked = out.element().getIntOrFloatBitWidth() < 32;
  int64_t lanes = tile.lanes * (isPacked && tile.vectors > 1 ? 2 : 1);
  auto finishVector = [&](Value offset, Lanes run) {
    Value channel = emitter->add(tile.channel, offset);
    Value sum = emitter->load(sums, emitter->add(sumsAt, offset), run);
    Value value = apply(sum, pixel, channel, run, loadChannels(channel, run));
    emitter->store(value, out, emitter->add(pixel.out, channel), run);
  };
  int64_t full = tile.channels / lanes;
  if (full > 0)
    emitter->loop(0, full, lanes,
                  [&](Value offset) { finishVector(offset, {lanes, lanes}); });
  for (int64_t done = full * lanes; done < tile.channels;) {
    int64_t rest = tile.channels - done;
    int64_t part = rest <= tile.lanes ? tile.lanes : lanes;
    finishVector(emitter->index(done), {part, std::min(part, rest)});
    done += part;
  }
}

SmallVector<Value> Epilogue::loadChannels(Value channel, Lanes lanes) {
  SmallVector<Value> result;
  for (const FlatView &view : extras)
    result.push_back(view.strides.size() == 1
                         ? emitter->load(view, channel, lanes)
                         : Value());
  return result;
}

Value Epilogue::apply(Value accumulator, const Pixel &pixel, Value channel,
                      Lanes lanes, ArrayRef<Value> channelVectors) {
  if (op.getEpilogue().empty())
    return accumulator;
  SmallVector<Value> values;
  for (auto [view, at, vector, isOfPixel] :
       llvm::zip_equal(extras, pixel.extras, channelVectors, isOfPixels)) {
    if (vector)
      values.push_back(vector);
    else if (isOfPixel)
      values.push_back(
          emitter->broadcast(emitter->loadScalar(view, at), lanes.lanes));
    else
      values.push_back(emitter->load(view, emitter->add(at, channel), lanes));
  }
  return cloneBody(accumulator, values, lanes.lanes);
}

Value Epilogue::cloneBody(Value accumulator, ValueRange extraValues,
                          int64_t lanes) {
  OpBuilder &builder = emitter->builder();
  Block &body = op.getEpilogue().front();
  IRMapping mapping;
  mapping.map(body.getArgument(0), accumulator);
  for (auto [argument, value] :
       llvm::zip_equal(body.getArguments().drop_front(), extraValues))
    mapping.map(argument, value);
  // A constant of the body or a scalar from outside becomes a splat before the
  // kernel.
  auto lookup = [&](Value scalar) -> Value {
    if (Value mapped = mapping.lookupOrNull(scalar))
      return mapped;
    Value &cached = invariants[{scalar, lanes}];
    if (!cached)
      cached = emitter->hoisted([&]() -> Value {
        Attribute value;
        if (matchPattern(scalar, m_Constant(&value)))
          return arith::ConstantOp::create(
              builder, emitter->loc(),
              DenseElementsAttr::get(
                  emitter->vectorType(lanes, scalar.getType()), value));
        return emitter->broadcast(scalar, lanes);
      });
    return cached;
  };
  for (Operation &inner : body.without_terminator()) {
    if (inner.hasTrait<OpTrait::ConstantLike>())
      continue;
    OperationState state(emitter->loc(), inner.getName());
    for (Value operand : inner.getOperands())
      state.addOperands(lookup(operand));
    for (Type type : inner.getResultTypes())
      state.addTypes(emitter->vectorType(lanes, type));
    state.addAttributes(inner.getAttrs());
    Operation *vectorized = builder.create(state);
    mapping.map(inner.getResults(), vectorized->getResults());
  }
  return lookup(cast<YieldOp>(body.back()).getValue());
}
