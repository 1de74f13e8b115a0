//===- ConvolutionKernel.cpp - Implicit matrix products -------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The products of a convolution are those of a matrix of pixels and one of
// output channels; no pixel is copied for that. An invocation keeps the sums of
// some pixels and of four or eight channels in registers, and reads four input
// channels of each pixel, and four rows of weights, at once. Invocations that
// stand side by side in a workgroup read neighboring weights, and the same
// pixels. Where there are few sums, invocations of a workgroup share each:
// every one adds up some of the input channels, and the sums meet in the memory
// of the workgroup, in the same order each time.
//
// Bytes are multiplied in quads, where a word stands for what is an element
// otherwise, and pairs of i16 one by one.
//
//===----------------------------------------------------------------------===//

#include "ConvolutionParts.h"
#include "MicroKernels.h"

#include "nnhal/Dialect/GPU/GPUOps.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace nnhal;
using namespace nnhal::nngpu;

namespace {

class ConvolutionEmitter : public ConvolutionParts {
public:
  ConvolutionEmitter(ConvolutionParts parts, const ConvolutionTile &tile)
      : ConvolutionParts(std::move(parts)), tile(tile) {}

  void run();

private:
  void locate();
  SmallVector<Value> firstSums();
  SmallVector<Value> overWindow(ValueRange sums);
  SmallVector<Value> overChannels(Value row, Value column, ValueRange sums);
  SmallVector<Value> addProducts(ArrayRef<ImageWindow::Place> pixels,
                                 Value weights, Value channel, ValueRange sums);
  SmallVector<Value> addFour(ArrayRef<ImageWindow::Place> pixels, Value weights,
                             Value channel, ValueRange sums);
  SmallVector<Value> loadWeights(Value number, int64_t offset);
  SmallVector<Value> addOne(ArrayRef<ImageWindow::Place> pixels, Value weights,
                            Value channel, ValueRange sums);
  Value product(Value factor, Value weight, Value sum);
  Value widened(Value value);
  void storeOwn(ValueRange sums);
  void storeShared(ValueRange sums);
  void store(Value pixel, ArrayRef<Value> sums);

  SmallVector<Value> loop(Value first, int64_t end, int64_t step,
                          ValueRange sums, Kernel::LoopBody body);

  /// Rows of a panel for one place of the window.
  int64_t steps() const { return filter.shape()[3]; }
  bool isInFours() const {
    return tile.lanes != 1 && steps() % 4 == 0 && stepSize() == 1 &&
           input.isInFours();
  }
  /// Whether quads of the input are no words, as those of a part of a buffer.
  bool isByByte() const { return input.element().isInteger(8); }
  /// Elements of the input that a row of a panel is multiplied by.
  int64_t stepSize() const { return isByByte() ? 4 : isInPairs() ? 2 : 1; }
  bool isInPairs() const { return input.element().isInteger(16); }
  Value pixelNumber(Value pixel) {
    return math.add(math.multiply(firstPixel, tile.rows * tile.pixels),
                    math.add(math.multiply(pixel, tile.rows), row));
  }

  ConvolutionTile tile;
  /// The invocation's row and slice in its workgroup, and its number in the
  /// slice.
  Value row, slice, inSlice;
  /// The number of the workgroup along the pixels.
  Value firstPixel;
  /// The first output channel, which may be beyond the last one, and where it
  /// is in the filter.
  Value channel, panel, inPanel;
  /// The origin of the window of each pixel.
  SmallVector<ImageWindow::Origin> origins;
};

} // namespace

//===----------------------------------------------------------------------===//
// Where an invocation is
//===----------------------------------------------------------------------===//

void ConvolutionEmitter::locate() {
  int64_t perSlice = tile.columns * tile.rows;
  Value id = kernel.invocation();
  slice = math.divide(id, perSlice);
  inSlice = math.remainder(id, perSlice);
  row = math.divide(inSlice, tile.columns);
  int64_t across = llvm::divideCeil(output[3], tile.lanes);
  int64_t groupsAcross = llvm::divideCeil(across, tile.columns);
  Value column = math.add(
      math.multiply(math.remainder(kernel.group(), groupsAcross), tile.columns),
      math.remainder(inSlice, tile.columns));
  firstPixel = math.divide(kernel.group(), groupsAcross);
  channel = math.multiply(column, tile.lanes);
  Value existing = math.multiply(math.limit(column, across), tile.lanes);
  panel = math.divide(existing, panelWidth());
  inPanel = math.remainder(existing, panelWidth());
  for (int64_t i = 0; i < tile.pixels; ++i)
    origins.push_back(window.originOf(
        math.limit(pixelNumber(math.constant(i)), pixelCount()), output));
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

Value ConvolutionEmitter::widened(Value value) {
  Type i32 = builder.getI32Type();
  if (value.getType() == i32)
    return value;
  return arith::ExtSIOp::create(builder, loc, i32, value);
}

Value ConvolutionEmitter::product(Value factor, Value weight, Value sum) {
  if (sum.getType().isF32())
    return math::FmaOp::create(builder, loc, factor, weight, sum);
  if (!isInPairs())
    return Dot4x8Op::create(builder, loc, builder.getI32Type(), factor, weight,
                            sum);
  Value term =
      arith::MulIOp::create(builder, loc, widened(factor), widened(weight));
  return arith::AddIOp::create(builder, loc, sum, term);
}

/// The weights of all lanes, \p offset after \p number.
SmallVector<Value> ConvolutionEmitter::loadWeights(Value number,
                                                   int64_t offset) {
  if (tile.lanes == 1)
    return {math.widened(filter.load(math.add(number, offset)))};
  SmallVector<Value> weights;
  for (int64_t first = 0; first < tile.lanes; first += 4) {
    Value four =
        math.widened(filter.loadFour(math.add(number, offset + first)));
    for (int64_t j = 0; j < 4; ++j)
      weights.push_back(vector::ExtractOp::create(builder, loc, four, j));
  }
  return weights;
}

/// Adds the products of four channels of each pixel from \p at on, with the
/// weights from \p weights on.
SmallVector<Value>
ConvolutionEmitter::addFour(ArrayRef<ImageWindow::Place> pixels, Value weights,
                            Value at, ValueRange before) {
  SmallVector<Value> sums(before), factors;
  auto lane = [&](Value vector, int64_t number) -> Value {
    return vector::ExtractOp::create(builder, loc, vector, number);
  };
  for (const ImageWindow::Place &pixel : pixels)
    factors.push_back(math.widened(math.orZero(
        input.loadFour(math.add(pixel.number, at)), pixel.isInside)));
  for (int64_t i = 0; i < 4; ++i) {
    SmallVector<Value> ofLanes = loadWeights(weights, i * panelWidth());
    for (auto [pixel, factor] : llvm::enumerate(factors))
      for (auto [j, weight] : llvm::enumerate(ofLanes)) {
        Value &sum = sums[pixel * tile.lanes + j];
        sum = product(lane(factor, i), weight, sum);
      }
  }
  return sums;
}

/// Adds the products of one step of channels, an element, quad or pair, of each
/// pixel.
SmallVector<Value>
ConvolutionEmitter::addOne(ArrayRef<ImageWindow::Place> pixels, Value weights,
                           Value at, ValueRange before) {
  SmallVector<Value> sums(before);
  int64_t width = isInPairs() ? 2 : 1;
  for (int64_t part = 0; part < width; ++part) {
    SmallVector<Value> factors;
    for (const ImageWindow::Place &pixel : pixels) {
      Value number = math.add(
          pixel.number, math.multiply(at, stepSize() * input.channelStride()));
      Value factor =
          isByByte()
              ? input.loadQuad(number)
              : input.load(math.add(number, part * input.channelStride()));
      factors.push_back(math.widened(math.orZero(factor, pixel.isInside)));
    }
    SmallVector<Value> ofLanes;
    if (width == 1)
      ofLanes = loadWeights(weights, 0);
    else
      for (int64_t j = 0; j < tile.lanes; ++j)
        ofLanes.push_back(filter.load(math.add(weights, j * width + part)));
    for (auto [j, weight] : llvm::enumerate(ofLanes)) {
      for (auto [pixel, factor] : llvm::enumerate(factors)) {
        Value &sum = sums[pixel * tile.lanes + j];
        sum = product(factor, weight, sum);
      }
    }
  }
  return sums;
}

/// Adds the products of a step of channels \p at; \p weights is the number of
/// the weights of the first one.
SmallVector<Value>
ConvolutionEmitter::addProducts(ArrayRef<ImageWindow::Place> pixels,
                                Value weights, Value at, ValueRange sums) {
  int64_t width = isInPairs() ? 2 * panelWidth() : panelWidth();
  Value number = math.add(weights, math.multiply(at, width));
  return isInFours() ? addFour(pixels, number, at, sums)
                     : addOne(pixels, number, at, sums);
}

//===----------------------------------------------------------------------===//
// Sums
//===----------------------------------------------------------------------===//

/// Emits a loop of at least one round; a single one needs no loop.
SmallVector<Value> ConvolutionEmitter::loop(Value first, int64_t end,
                                            int64_t step, ValueRange sums,
                                            Kernel::LoopBody body) {
  return step >= end ? body(first, sums)
                     : kernel.loop(first, math.constant(end), step, sums, body);
}

SmallVector<Value> ConvolutionEmitter::firstSums() {
  Value number = math.add(math.multiply(panel, panelWidth()), inPanel);
  SmallVector<Value> sums;
  for (int64_t j = 0; j < tile.lanes; ++j)
    sums.push_back(bias.load(math.add(number, j)));
  if (tile.slices > 1) {
    Value isFirst = math.isBelow(slice, 1);
    for (Value &sum : sums)
      sum = math.orZero(sum, isFirst);
  }
  SmallVector<Value> all;
  for (int64_t i = 0; i < tile.pixels; ++i)
    llvm::append_range(all, sums);
  return all;
}

SmallVector<Value> ConvolutionEmitter::overChannels(Value windowRow,
                                                    Value windowColumn,
                                                    ValueRange sums) {
  SmallVector<ImageWindow::Place> pixels;
  for (int64_t i = 0; i < tile.pixels; ++i)
    pixels.push_back(window.placeAt(origins[i], windowRow, windowColumn));
  int64_t pair = isInPairs() ? 2 : 1;
  Value weights =
      filter.number({panel, windowRow, windowColumn, math.constant(0),
                     math.multiply(inPanel, pair)});
  int64_t step = isInFours() ? 4 : 1;
  return loop(math.multiply(slice, step), steps(), step * tile.slices, sums,
              [&](Value at, ValueRange before) {
                return addProducts(pixels, weights, at, before);
              });
}

SmallVector<Value> ConvolutionEmitter::overWindow(ValueRange sums) {
  ArrayRef<int64_t> shape = filter.shape();
  Value zero = math.constant(0);
  return loop(zero, shape[1], 1, sums, [&](Value windowRow, ValueRange ofRows) {
    return loop(zero, shape[2], 1, ofRows,
                [&](Value windowColumn, ValueRange ofColumns) {
                  return overChannels(windowRow, windowColumn, ofColumns);
                });
  });
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

/// Stores the results of pixel \p pixel of the invocation.
void ConvolutionEmitter::store(Value pixel, ArrayRef<Value> sums) {
  Value number = pixelNumber(pixel);
  int64_t tiled = tile.pixels * tile.rows;
  Value exists;
  if (pixelCount() % tiled != 0)
    exists = math.isBelow(number, pixelCount());
  if (output[3] % (tile.lanes * tile.columns) != 0)
    exists = math.both(exists, math.isBelow(channel, output[3]));
  OpBuilder::InsertionGuard guard(builder);
  if (exists) {
    auto guarded = scf::IfOp::create(builder, loc, exists, false);
    builder.setInsertionPointToStart(guarded.thenBlock());
  }
  constexpr size_t mostLanes = 4;
  for (size_t first = 0; first < sums.size(); first += mostLanes) {
    Value at = math.add(channel, int64_t(first));
    OpBuilder::InsertionGuard innerGuard(builder);
    if (first > 0 && output[3] % tile.lanes != 0) {
      auto guarded =
          scf::IfOp::create(builder, loc, math.isBelow(at, output[3]), false);
      builder.setInsertionPointToStart(guarded.thenBlock());
    }
    epilogue.store(number, at,
                   sums.slice(first, std::min(sums.size() - first, mostLanes)));
  }
}

void ConvolutionEmitter::storeOwn(ValueRange sums) {
  for (int64_t i = 0; i < tile.pixels; ++i)
    store(math.constant(i),
          SmallVector<Value>(sums.slice(i * tile.lanes, tile.lanes)));
}

/// Adds up what the slices have, each slice those of some pixels.
void ConvolutionEmitter::storeShared(ValueRange sums) {
  int64_t perSlice = tile.columns * tile.rows;
  int64_t invocations = perSlice * tile.slices;
  Value array = kernel.shared(MemRefType::get(
      {int64_t(sums.size()) * invocations}, sums.front().getType()));
  for (auto [i, sum] : llvm::enumerate(sums))
    memref::StoreOp::create(
        builder, loc, sum, array,
        ValueRange{math.add(kernel.invocation(), int64_t(i) * invocations)});
  gpu::BarrierOp::create(builder, loc);
  Type type = sums.front().getType();
  SmallVector<Value> zeros(tile.lanes, math.zero(type));
  for (int64_t first = 0; first < tile.pixels; first += tile.slices) {
    Value pixel = math.add(slice, first);
    OpBuilder::InsertionGuard guard(builder);
    if (first + tile.slices > tile.pixels) {
      auto guarded = scf::IfOp::create(builder, loc,
                                       math.isBelow(pixel, tile.pixels), false);
      builder.setInsertionPointToStart(guarded.thenBlock());
    }
    Value start =
        math.add(math.multiply(pixel, tile.lanes * invocations), inSlice);
    store(pixel,
          loop(math.constant(0), tile.slices, 1, zeros,
               [&](Value part, ValueRange before) {
                 SmallVector<Value> added;
                 Value of = math.add(start, math.multiply(part, perSlice));
                 for (auto [lane, sum] : llvm::enumerate(before)) {
                   Value value = memref::LoadOp::create(
                       builder, loc, array,
                       ValueRange{math.add(of, int64_t(lane) * invocations)});
                   added.push_back(
                       type.isF32()
                           ? arith::AddFOp::create(builder, loc, sum, value)
                                 .getResult()
                           : arith::AddIOp::create(builder, loc, sum, value)
                                 .getResult());
                 }
                 return added;
               }));
  }
}

void ConvolutionEmitter::run() {
  locate();
  SmallVector<Value> sums = overWindow(firstSums());
  if (tile.slices == 1)
    storeOwn(sums);
  else
    storeShared(sums);
}

FailureOr<Kernel> nngpu::emitConvolution(gpu::GPUModuleOp module,
                                         const DeviceClass &device,
                                         kernel::Conv2DOp op) {
  if (multipliesMatrices(device, op))
    return emitMatrixConvolution(module, op);
  ArrayRef<int64_t> output =
      cast<MemRefType>(op.getInit().getType()).getShape();
  int64_t pixels = output[0] * output[1] * output[2];
  auto filterType = cast<MemRefType>(op.getFilter().getType());
  bool isInPairs = getElementTypeOrSelf(op.getInput()).isInteger(16);
  // Slices have four steps of channels each at least.
  int64_t sumParts = isInPairs ? 1 : filterType.getDimSize(3) / 4;
  ConvolutionTile tile =
      chooseTile(device, pixels, output[3], op.getPanelWidth(), sumParts);
  int64_t across = llvm::divideCeil(output[3], tile.lanes * tile.columns);
  int64_t along = llvm::divideCeil(pixels, tile.pixels * tile.rows);
  Kernel kernel = Kernel::ofGroups(module, op.getLoc(), across * along,
                                   tile.columns * tile.rows * tile.slices);
  FailureOr<ConvolutionParts> parts = ConvolutionParts::of(kernel, op);
  if (failed(parts))
    return failure();
  ConvolutionEmitter(*std::move(parts), tile).run();
  return kernel;
}
