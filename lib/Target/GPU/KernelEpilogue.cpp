//===- KernelEpilogue.cpp - From sums to stored values --------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelEpilogue.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace nnhal;
using namespace nnhal::nngpu;

/// Brings what the epilogue of \p op uses from outside of it.
static LogicalResult bringEpilogue(Kernel &kernel,
                                   nnhal::kernel::KernelOpInterface op) {
  Region &epilogue = op.getEpilogue();
  WalkResult result = epilogue.walk([&](Operation *inner) {
    for (Value operand : inner->getOperands())
      if (!epilogue.isAncestor(operand.getParentRegion()) &&
          failed(kernel.bring(operand, op)))
        return WalkResult::interrupt();
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

FailureOr<KernelEpilogue> KernelEpilogue::of(Kernel &kernel,
                                             kernel::KernelOpInterface op) {
  FailureOr<FlatBuffer> destination =
      FlatBuffer::of(kernel, op.getDestination(), op);
  if (failed(destination) || failed(bringEpilogue(kernel, op)))
    return failure();
  KernelEpilogue result(kernel, op, *destination);
  for (Value extra : op.getExtras()) {
    FailureOr<FlatBuffer> buffer = FlatBuffer::of(kernel, extra, op);
    if (failed(buffer))
      return failure();
    result.extras.push_back(*buffer);
  }
  return result;
}

/// Whether a buffer of \p shape has one number for all \p channels channels of
/// a pixel.
static bool isOfPixels(ArrayRef<int64_t> shape, int64_t channels) {
  return shape.size() > 1 && shape.back() == 1 && channels != 1;
}

bool nngpu::storesFours(kernel::KernelOpInterface op) {
  auto shapeOf = [](Value view) {
    return cast<MemRefType>(view.getType()).getShape();
  };
  int64_t channels = shapeOf(op.getDestination()).back();
  return channels % 4 == 0 && isInFours(op.getDestination()) &&
         llvm::all_of(op.getExtras(), [&](Value extra) {
           return isOfPixels(shapeOf(extra), channels) || isInFours(extra);
         });
}

/// The number of channel \p channel of pixel \p pixel in \p buffer, whose
/// pixels may be apart.
Value KernelEpilogue::numberIn(const FlatBuffer &buffer, Value pixel,
                               Value channel) {
  if (buffer.shape().size() == 1)
    return buffer.number({channel});
  ArrayRef<int64_t> outer = buffer.shape().drop_back();
  SmallVector<Value> indices = kernel->delinearize(pixel, outer);
  indices.push_back(isOfPixels(buffer.shape(), channels()) ? kernel->constant(0)
                                                           : channel);
  return buffer.number(indices);
}

Value KernelEpilogue::apply(Value sum, ArrayRef<Value> values) {
  if (op.getEpilogue().empty())
    return sum;
  Block &body = op.getEpilogue().front();
  IRMapping map(kernel->mapping());
  map.map(body.getArgument(0), sum);
  map.map(body.getArguments().drop_front(), values);
  for (Operation &inner : body.without_terminator())
    kernel->builder().clone(inner, map);
  return map.lookupOrDefault(cast<kernel::YieldOp>(body.back()).getValue());
}

void KernelEpilogue::storeOne(Value pixel, Value channel, Value sum) {
  SmallVector<Value> values;
  for (const FlatBuffer &extra : extras)
    values.push_back(extra.load(numberIn(extra, pixel, channel)));
  destination.store(apply(sum, values), numberIn(destination, pixel, channel));
}

void KernelEpilogue::storeFour(Value pixel, Value channel,
                               ArrayRef<Value> sums) {
  OpBuilder &builder = kernel->builder();
  Location loc = op.getLoc();
  SmallVector<SmallVector<Value>> values(sums.size());
  for (const FlatBuffer &extra : extras) {
    Value number = numberIn(extra, pixel, channel);
    bool isOne = isOfPixels(extra.shape(), channels());
    Value loaded = isOne ? extra.load(number) : extra.loadFour(number);
    for (auto [lane, ofLane] : llvm::enumerate(values))
      ofLane.push_back(
          isOne ? loaded
                : vector::ExtractOp::create(builder, loc, loaded, int64_t(lane))
                      .getResult());
  }
  SmallVector<Value> results;
  for (auto [sum, ofLane] : llvm::zip_equal(sums, values))
    results.push_back(apply(sum, ofLane));
  destination.storeFour(
      vector::FromElementsOp::create(
          builder, loc, VectorType::get({4}, destination.element()), results),
      numberIn(destination, pixel, channel));
}

void KernelEpilogue::store(Value pixel, Value channel, ArrayRef<Value> sums) {
  if (sums.size() == 4 && storesFours(op))
    return storeFour(pixel, channel, sums);
  OpBuilder &builder = kernel->builder();
  Location loc = op.getLoc();
  bool isWhole = channels() % int64_t(sums.size()) == 0;
  for (auto [lane, sum] : llvm::enumerate(sums)) {
    Value at = lane == 0 ? channel
                         : arith::AddIOp::create(builder, loc, channel,
                                                 kernel->constant(lane))
                               .getResult();
    OpBuilder::InsertionGuard guard(builder);
    if (!isWhole) {
      Value exists =
          arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult, at,
                                kernel->constant(channels()));
      auto guarded = scf::IfOp::create(builder, loc, exists, false);
      builder.setInsertionPointToStart(guarded.thenBlock());
    }
    storeOne(pixel, at, sum);
  }
}
