//===- WindowKernels.cpp - Depthwise convolutions and pools ---------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An invocation has the window of one pixel, and four channels of it where
// those are one access. Neighbors in a workgroup have the next channels. Small
// windows are written out, so that their loads do not wait for each other.
//
//===----------------------------------------------------------------------===//

#include "ImageWindow.h"
#include "MicroKernels.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <limits>

using namespace mlir;
using namespace nnhal;
using namespace nnhal::nngpu;

namespace {

/// Goes through the window of a pixel and of some channels.
class WindowEmitter {
public:
  WindowEmitter(Kernel &kernel, Location loc, const FlatBuffer &input,
                ArrayRef<int64_t> output, ArrayRef<int64_t> extents,
                const ImageWindow::Geometry &geometry, int64_t lanes)
      : kernel(kernel), builder(kernel.builder()), loc(loc), math(kernel, loc),
        input(input), lanes(lanes), extents(extents),
        window(kernel, loc, input, geometry) {
    int64_t across = output[3] / lanes;
    channel = math.multiply(math.remainder(kernel.invocation(), across), lanes);
    pixel = math.divide(kernel.invocation(), across);
    origin = window.originOf(pixel, output);
  }

  /// A place of the window, by its row and column, and where the image has it.
  struct Place : ImageWindow::Place {
    Value row, column;
  };
  using Step =
      llvm::function_ref<SmallVector<Value>(const Place &, ValueRange)>;
  /// Takes each place of the window into the sums, \p first before the first.
  SmallVector<Value> run(ValueRange first, Step step);

  /// The number of channel \p channel of the input at \p place.
  Value channelNumber(const Place &place, Value channel) {
    return math.add(place.number,
                    math.multiply(channel, input.channelStride()));
  }
  /// The values of \p buffer from \p number on, one for each lane; those of f16
  /// as f32.
  SmallVector<Value> loadLanes(const FlatBuffer &buffer, Value number);

  Kernel &kernel;
  OpBuilder &builder;
  Location loc;
  KernelMath math;
  FlatBuffer input;
  int64_t lanes;
  Value pixel, channel;

private:
  SmallVector<Value> loop(int64_t end, bool isUnrolled, ValueRange sums,
                          Kernel::LoopBody body);

  ArrayRef<int64_t> extents;
  ImageWindow window;
  ImageWindow::Origin origin;
};

} // namespace

SmallVector<Value> WindowEmitter::loadLanes(const FlatBuffer &buffer,
                                            Value number) {
  if (lanes == 1)
    return {math.widened(buffer.load(number))};
  Value four = math.widened(buffer.loadFour(number));
  SmallVector<Value> values;
  for (int64_t lane = 0; lane < lanes; ++lane)
    values.push_back(vector::ExtractOp::create(builder, loc, four, lane));
  return values;
}

SmallVector<Value> WindowEmitter::loop(int64_t end, bool isUnrolled,
                                       ValueRange first,
                                       Kernel::LoopBody body) {
  if (!isUnrolled && end > 1)
    return kernel.loop(math.constant(0), math.constant(end), 1, first, body);
  SmallVector<Value> sums(first);
  for (int64_t i = 0; i < end; ++i)
    sums = body(math.constant(i), sums);
  return sums;
}

SmallVector<Value> WindowEmitter::run(ValueRange first, Step step) {
  constexpr int64_t mostWrittenOut = 25;
  int64_t rows = extents[0], columns = extents[1];
  bool isSmall = rows * columns <= mostWrittenOut;
  return loop(rows, isSmall, first, [&](Value row, ValueRange ofRows) {
    return loop(columns, isSmall || columns <= mostWrittenOut / 2, ofRows,
                [&](Value column, ValueRange sums) {
                  return step(
                      {window.placeAt(origin, row, column), row, column}, sums);
                });
  });
}

/// How many channels of \p op an invocation has.
static int64_t lanesOf(kernel::KernelOpInterface op) {
  return isInFours(op->getOperand(0)) && storesFours(op) ? 4 : 1;
}

static Value constantF32(OpBuilder &builder, Location loc, float value) {
  return arith::ConstantOp::create(builder, loc,
                                   builder.getF32FloatAttr(value));
}

/// A kernel of \p op with one invocation for each pixel and \p lanes channels.
static Kernel makeKernel(gpu::GPUModuleOp module, const DeviceClass &device,
                         Location loc, ArrayRef<int64_t> output,
                         int64_t lanes) {
  int64_t invocations = output[0] * output[1] * output[2] * (output[3] / lanes);
  return {module, loc, invocations, device.workgroupSize};
}

//===----------------------------------------------------------------------===//
// Depthwise convolutions
//===----------------------------------------------------------------------===//

/// Adds the products of \p place to \p before.
static SmallVector<Value> addProducts(WindowEmitter &emitter,
                                      const WindowEmitter::Place &place,
                                      const FlatBuffer &filter,
                                      Value inputChannel, ValueRange before) {
  OpBuilder &builder = emitter.builder;
  Location loc = emitter.loc;
  Type f32 = builder.getF32Type();
  SmallVector<Value> weights = emitter.loadLanes(
      filter, filter.number({place.row, place.column, emitter.channel}));
  SmallVector<Value> sums;
  for (auto [value, weight, sum] : llvm::zip_equal(
           emitter.loadLanes(emitter.input,
                             emitter.channelNumber(place, inputChannel)),
           weights, before)) {
    Value factor = value;
    if (factor.getType() != f32)
      factor = arith::SIToFPOp::create(builder, loc, f32, factor);
    factor = emitter.math.orZero(factor, place.isInside);
    sums.push_back(math::FmaOp::create(builder, loc, factor, weight, sum));
  }
  return sums;
}

FailureOr<Kernel> nngpu::emitDepthwise(gpu::GPUModuleOp module,
                                       const DeviceClass &device,
                                       kernel::DepthwiseConv2DOp op) {
  ArrayRef<int64_t> output =
      cast<MemRefType>(op.getInit().getType()).getShape();
  auto multiplier = int64_t(op.getDepthMultiplier());
  bool hasFours =
      multiplier == 1 && isInFours(op.getFilter()) && isInFours(op.getBias());
  int64_t lanes = hasFours ? lanesOf(op) : 1;
  Kernel kernel = makeKernel(module, device, op.getLoc(), output, lanes);
  FailureOr<KernelEpilogue> epilogue = KernelEpilogue::of(kernel, op);
  FailureOr<FlatBuffer> input = FlatBuffer::of(kernel, op.getInput(), op);
  FailureOr<FlatBuffer> filter = FlatBuffer::of(kernel, op.getFilter(), op);
  FailureOr<FlatBuffer> bias = FlatBuffer::of(kernel, op.getBias(), op);
  if (failed(epilogue) || failed(input) || failed(filter) || failed(bias))
    return failure();
  WindowEmitter emitter(kernel, op.getLoc(), *input, output, filter->shape(),
                        {op.getStrides(), op.getDilations(), op.getPads()},
                        lanes);
  SmallVector<Value> first =
      emitter.loadLanes(*bias, bias->number({emitter.channel}));
  Value inputChannel = emitter.math.divide(emitter.channel, multiplier);
  SmallVector<Value> sums = emitter.run(
      first, [&](const WindowEmitter::Place &place, ValueRange before) {
        return addProducts(emitter, place, *filter, inputChannel, before);
      });
  epilogue->store(emitter.pixel, emitter.channel, sums);
  return kernel;
}

//===----------------------------------------------------------------------===//
// Pools
//===----------------------------------------------------------------------===//

/// Takes \p value into \p sum, that of a pool of kind \p kind.
static Value pooled(OpBuilder &builder, Location loc, kernel::PoolKind kind,
                    Value value, Value sum) {
  switch (kind) {
  case kernel::PoolKind::max: {
    // A maximum leaves NaN out, as it does on nnhal-cpu.
    Value isLarger = arith::CmpFOp::create(
        builder, loc, arith::CmpFPredicate::OGT, value, sum);
    return arith::SelectOp::create(builder, loc, isLarger, value, sum);
  }
  case kernel::PoolKind::average:
    return arith::AddFOp::create(builder, loc, sum, value);
  case kernel::PoolKind::l2:
    return math::FmaOp::create(builder, loc, value, value, sum);
  }
  llvm_unreachable("a kind of pools");
}

/// Takes \p place into the sums, of which the last one counts places.
static SmallVector<Value> addPlace(WindowEmitter &emitter,
                                   const WindowEmitter::Place &place,
                                   kernel::PoolKind kind, ValueRange before) {
  OpBuilder &builder = emitter.builder;
  Location loc = emitter.loc;
  auto selected = [&](Value inside, Value otherwise) -> Value {
    if (!place.isInside)
      return inside;
    return arith::SelectOp::create(builder, loc, place.isInside, inside,
                                   otherwise);
  };
  SmallVector<Value> after;
  SmallVector<Value> values = emitter.loadLanes(
      emitter.input, emitter.channelNumber(place, emitter.channel));
  for (auto [value, sum] : llvm::zip_equal(values, before.drop_back()))
    after.push_back(selected(pooled(builder, loc, kind, value, sum), sum));
  Value count = arith::AddFOp::create(builder, loc, before.back(),
                                      constantF32(builder, loc, 1));
  after.push_back(selected(count, before.back()));
  return after;
}

FailureOr<Kernel> nngpu::emitPool(gpu::GPUModuleOp module,
                                  const DeviceClass &device,
                                  kernel::Pool2DOp op) {
  ArrayRef<int64_t> output =
      cast<MemRefType>(op.getInit().getType()).getShape();
  int64_t lanes = lanesOf(op);
  Location loc = op.getLoc();
  Kernel kernel = makeKernel(module, device, loc, output, lanes);
  FailureOr<KernelEpilogue> epilogue = KernelEpilogue::of(kernel, op);
  FailureOr<FlatBuffer> input = FlatBuffer::of(kernel, op.getInput(), op);
  if (failed(epilogue) || failed(input))
    return failure();
  constexpr int64_t ones[] = {1, 1};
  WindowEmitter emitter(kernel, loc, *input, output, op.getWindow(),
                        {op.getStrides(), ones, op.getPads()}, lanes);
  OpBuilder &builder = kernel.builder();
  kernel::PoolKind kind = op.getKind();
  float first = kind == kernel::PoolKind::max
                    ? -std::numeric_limits<float>::infinity()
                    : 0.0F;
  SmallVector<Value> sums(lanes, constantF32(builder, loc, first));
  sums.push_back(constantF32(builder, loc, 0));
  sums = emitter.run(sums,
                     [&](const WindowEmitter::Place &place, ValueRange before) {
                       return addPlace(emitter, place, kind, before);
                     });
  Value count = sums.pop_back_val();
  if (kind != kernel::PoolKind::max)
    for (Value &sum : sums) {
      sum = arith::DivFOp::create(builder, loc, sum, count);
      if (kind == kernel::PoolKind::l2)
        sum = math::SqrtOp::create(builder, loc, sum);
    }
  epilogue->store(emitter.pixel, emitter.channel, sums);
  return kernel;
}
