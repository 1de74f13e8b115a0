//===- ElementKernel.cpp - An invocation for each element -----------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Upstream's linalgOpToParallelLoops leaves sums in memory, which a reduction
// of n values then loads and stores n times, and nests parallel loops inside of
// reductions where the iterators are in that order.
//
//===----------------------------------------------------------------------===//

#include "ElementKernel.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Affine/Utils.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace nnhal;
using namespace nnhal::nngpu;

/// Mesa's software driver ends every loop after 65,535 rounds, without a word;
/// longer reductions are nests of two loops.
static constexpr int64_t maxRounds = 32768;

/// The numbers of the parallel loops of \p op.
static SmallVector<unsigned> parallelLoops(linalg::LinalgOp op) {
  SmallVector<unsigned> loops;
  op.getParallelDims(loops);
  return loops;
}

bool nngpu::hasElementKernel(linalg::LinalgOp op) {
  size_t parallel = parallelLoops(op).size();
  for (OpOperand &output : op.getDpsInitsMutable()) {
    AffineMap map = op.getMatchingIndexingMap(&output);
    // Permuted or not, each parallel loop moves along the output.
    size_t moving = 0;
    for (unsigned loop : parallelLoops(op))
      moving += map.isFunctionOfDim(loop);
    if (moving != parallel || !map.isProjectedPermutation())
      return false;
  }
  return !llvm::any_of(op.getStaticLoopRanges(), ShapedType::isDynamic);
}

int64_t nngpu::countElements(linalg::LinalgOp op) {
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  int64_t count = 1;
  for (unsigned loop : parallelLoops(op))
    count *= ranges[loop];
  return count;
}

namespace {
/// The work of one invocation.
class ElementEmitter {
public:
  ElementEmitter(Kernel &kernel, linalg::LinalgOp op)
      : kernel(kernel), op(op), builder(kernel.builder()), loc(op.getLoc()),
        ranges(op.getStaticLoopRanges()), indices(op.getNumLoops()) {}

  LogicalResult run(const FirstValues &firstValues);

private:
  LogicalResult bringOperands();
  SmallVector<Value> firstSums(const FirstValues &firstValues);
  /// The sums after the reduction loops from \p next on.
  SmallVector<Value> reduce(ArrayRef<unsigned> loops, ValueRange sums);
  using LoopBody = llvm::function_ref<SmallVector<Value>(Value, ValueRange)>;
  SmallVector<Value> loop(Value lower, Value upper, int64_t step,
                          ValueRange sums, LoopBody body);
  SmallVector<Value> computeBody(ValueRange sums);
  /// Where the invocation is in \p operand.
  SmallVector<Value> positionIn(OpOperand &operand);
  Value loadFrom(OpOperand &operand);

  Kernel &kernel;
  linalg::LinalgOp op;
  OpBuilder &builder;
  Location loc;
  SmallVector<int64_t> ranges;
  /// The value of each loop.
  SmallVector<Value> indices;
};
} // namespace

LogicalResult ElementEmitter::bringOperands() {
  for (OpOperand &operand : op->getOpOperands())
    if (failed(kernel.bring(operand.get(), op)))
      return failure();
  return kernel.bringCaptures(op, op);
}

SmallVector<Value> ElementEmitter::positionIn(OpOperand &operand) {
  SmallVector<Value> position;
  for (AffineExpr expr : op.getMatchingIndexingMap(&operand).getResults())
    position.push_back(
        affine::expandAffineExpr(builder, loc, expr, indices, {}));
  return position;
}

Value ElementEmitter::loadFrom(OpOperand &operand) {
  Value source = kernel.mapping().lookup(operand.get());
  if (!isa<MemRefType>(source.getType()))
    return source;
  return memref::LoadOp::create(builder, loc, source, positionIn(operand));
}

SmallVector<Value> ElementEmitter::firstSums(const FirstValues &firstValues) {
  SmallVector<Value> sums;
  for (auto [index, output] : llvm::enumerate(op.getDpsInitsMutable())) {
    if (firstValues[index])
      sums.push_back(kernel.mapping().lookup(firstValues[index]));
    else if (op.payloadUsesValueFromOperand(&output))
      sums.push_back(loadFrom(output));
    else
      sums.push_back({});
  }
  return sums;
}

SmallVector<Value> ElementEmitter::computeBody(ValueRange sums) {
  IRMapping &map = kernel.mapping();
  Block *body = op.getBlock();
  for (OpOperand *input : op.getDpsInputOperands())
    if (BlockArgument argument = op.getMatchingBlockArgument(input);
        !argument.use_empty())
      map.map(argument, loadFrom(*input));
  for (auto [output, sum] : llvm::zip_equal(op.getDpsInitsMutable(), sums))
    if (sum)
      map.map(op.getMatchingBlockArgument(&output), sum);
  for (Operation &inner : body->without_terminator()) {
    if (auto index = dyn_cast<linalg::IndexOp>(inner))
      map.map(index.getResult(), indices[index.getDim()]);
    else
      builder.clone(inner, map);
  }
  SmallVector<Value> results;
  for (Value value : body->getTerminator()->getOperands())
    results.push_back(map.lookupOrDefault(value));
  return results;
}

SmallVector<Value> ElementEmitter::loop(Value lower, Value upper, int64_t step,
                                        ValueRange sums, LoopBody body) {
  auto loop = scf::ForOp::create(builder, loc, lower, upper,
                                 kernel.constant(step), sums);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  scf::YieldOp::create(builder, loc,
                       body(loop.getInductionVar(), loop.getRegionIterArgs()));
  return SmallVector<Value>(loop.getResults());
}

SmallVector<Value> ElementEmitter::reduce(ArrayRef<unsigned> loops,
                                          ValueRange sums) {
  if (loops.empty())
    return computeBody(sums);
  unsigned number = loops.front();
  int64_t range = ranges[number];
  auto round = [&](Value index, ValueRange before) {
    indices[number] = index;
    return reduce(loops.drop_front(), before);
  };
  Value zero = kernel.constant(0), end = kernel.constant(range);
  if (range == 1)
    return round(zero, sums);
  if (range <= maxRounds)
    return loop(zero, end, 1, sums, round);
  return loop(zero, end, maxRounds, sums, [&](Value first, ValueRange before) {
    Value last =
        arith::AddIOp::create(builder, loc, first, kernel.constant(maxRounds));
    Value bound = arith::MinUIOp::create(builder, loc, last, end);
    return loop(first, bound, 1, before, round);
  });
}

LogicalResult ElementEmitter::run(const FirstValues &firstValues) {
  if (failed(bringOperands()))
    return failure();
  for (Value value : firstValues)
    if (value && failed(kernel.bring(value, op)))
      return failure();
  SmallVector<unsigned> parallel = parallelLoops(op), reductions;
  op.getReductionDims(reductions);
  SmallVector<int64_t> extents;
  for (unsigned loop : parallel)
    extents.push_back(ranges[loop]);
  for (auto [loop, index] : llvm::zip_equal(
           parallel, kernel.delinearize(kernel.invocation(), extents)))
    indices[loop] = index;
  SmallVector<Value> sums = firstSums(firstValues);
  // A loop carries every sum, also one that nothing adds to.
  if (!reductions.empty())
    for (auto [index, output] : llvm::enumerate(op.getDpsInitsMutable()))
      if (!sums[index])
        sums[index] = loadFrom(output);
  sums = reduce(reductions, sums);
  for (auto [output, sum] : llvm::zip_equal(op.getDpsInitsMutable(), sums))
    memref::StoreOp::create(builder, loc, sum,
                            kernel.mapping().lookup(output.get()),
                            positionIn(output));
  return success();
}

LogicalResult nngpu::emitElement(Kernel &kernel, linalg::LinalgOp op,
                                 const FirstValues &firstValues) {
  return ElementEmitter(kernel, op).run(firstValues);
}
