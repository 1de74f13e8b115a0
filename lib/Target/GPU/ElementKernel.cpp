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

#include "Codegen/Scans.h"

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
  // Elements that rounds read again are not in registers until the last one.
  if (readsOutputs(op))
    return false;
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

int64_t nngpu::countReduced(linalg::LinalgOp op) {
  SmallVector<unsigned> reductions;
  op.getReductionDims(reductions);
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  int64_t count = 1;
  for (unsigned loop : reductions)
    count *= ranges[loop];
  return count;
}

//===----------------------------------------------------------------------===//
// Sums that are shared
//===----------------------------------------------------------------------===//

namespace {
/// The operations by which a reduction takes a value into its sum.
struct Combiner {
  /// The operations that do it, and the value that they take into the sum.
  SmallVector<Operation *> operations;
  Value sum, value;
  /// Whether a sum that is taken in twice changes nothing.
  bool isIdempotent = false;
};
} // namespace

/// Fails where \p op does not add or compare, or does more with the sum.
static std::optional<Combiner> findCombiner(linalg::LinalgOp op) {
  if (op.getNumDpsInits() != 1)
    return std::nullopt;
  Combiner combiner;
  combiner.sum = op.getMatchingBlockArgument(op.getDpsInitOperand(0));
  Operation *last =
      op.getBlock()->getTerminator()->getOperand(0).getDefiningOp();
  if (!last || last->getBlock() != op.getBlock())
    return std::nullopt;
  auto other = [&](Value a, Value b) -> Value {
    return a == combiner.sum ? b : b == combiner.sum ? a : Value();
  };
  if (auto select = dyn_cast<arith::SelectOp>(last)) {
    Operation *compare = select.getCondition().getDefiningOp();
    if (!isa_and_present<arith::CmpFOp, arith::CmpIOp>(compare))
      return std::nullopt;
    combiner.value = other(select.getTrueValue(), select.getFalseValue());
    if (combiner.value != other(compare->getOperand(0), compare->getOperand(1)))
      return std::nullopt;
    combiner.operations = {compare, select};
  } else if (isa<arith::AddFOp, arith::AddIOp, arith::MaxSIOp, arith::MinSIOp,
                 arith::MaxUIOp, arith::MinUIOp, arith::MaximumFOp,
                 arith::MinimumFOp>(last)) {
    combiner.value = other(last->getOperand(0), last->getOperand(1));
    combiner.operations = {last};
  }
  auto isCombined = [&](Operation *user) {
    return llvm::is_contained(combiner.operations, user);
  };
  if (!combiner.value || !llvm::all_of(combiner.sum.getUsers(), isCombined))
    return std::nullopt;
  combiner.isIdempotent = !isa<arith::AddFOp, arith::AddIOp>(last);
  return combiner;
}

bool nngpu::canShareSums(linalg::LinalgOp op) {
  return !isScan(op) && findCombiner(op).has_value();
}

//===----------------------------------------------------------------------===//
// Emission
//===----------------------------------------------------------------------===//

namespace {
/// The work of one invocation.
class ElementEmitter {
public:
  ElementEmitter(Kernel &kernel, linalg::LinalgOp op)
      : kernel(kernel), op(op), builder(kernel.builder()), loc(op.getLoc()),
        ranges(op.getStaticLoopRanges()), indices(op.getNumLoops()) {}

  LogicalResult run(const FirstValues &firstValues);
  LogicalResult runShared(const FirstValues &firstValues, int64_t invocations);

private:
  LogicalResult bringOperands(const FirstValues &firstValues);
  /// Whether \p output has one element for all rounds, which is a sum. What a
  /// round of a scan has for others it stores.
  bool isSum(OpOperand &output) { return !isScanned(op, output); }
  /// The loops that are parallel are at element \p number.
  void goTo(Value number);
  /// Combines \p sum, of which each invocation of a workgroup has a part, in a
  /// tree.
  Value meet(Value sum, const Combiner &combiner, int64_t invocations);
  void storeSums(ValueRange sums);
  SmallVector<Value> firstSums(const FirstValues &firstValues);
  /// The sums after the reduction loops from \p next on.
  SmallVector<Value> reduce(ArrayRef<unsigned> loops, ValueRange sums);
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

LogicalResult ElementEmitter::bringOperands(const FirstValues &firstValues) {
  for (OpOperand &operand : op->getOpOperands())
    if (failed(kernel.bring(operand.get(), op)))
      return failure();
  for (Value value : firstValues)
    if (value && failed(kernel.bring(value, op)))
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
    if (!isSum(output))
      continue;
    if (firstValues[index])
      sums.push_back(kernel.mapping().lookup(firstValues[index]));
    // A loop carries every sum, also one that nothing adds to.
    else if (op.payloadUsesValueFromOperand(&output) ||
             op.getNumReductionLoops() != 0)
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
  for (OpOperand &output : op.getDpsInitsMutable()) {
    BlockArgument argument = op.getMatchingBlockArgument(&output);
    if (isSum(output)) {
      if (sums.front())
        map.map(argument, sums.front());
      sums = sums.drop_front();
    } else if (!argument.use_empty()) {
      map.map(argument, loadFrom(output));
    }
  }
  for (Operation &inner : body->without_terminator()) {
    if (auto index = dyn_cast<linalg::IndexOp>(inner))
      map.map(index.getResult(), indices[index.getDim()]);
    else
      builder.clone(inner, map);
  }
  SmallVector<Value> results;
  for (auto [output, yielded] : llvm::zip_equal(
           op.getDpsInitsMutable(), body->getTerminator()->getOperands())) {
    Value value = map.lookupOrDefault(yielded);
    if (isSum(output))
      results.push_back(value);
    else
      memref::StoreOp::create(builder, loc, value, map.lookup(output.get()),
                              positionIn(output));
  }
  return results;
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
    return kernel.loop(zero, end, 1, sums, round);
  return kernel.loop(
      zero, end, maxRounds, sums, [&](Value first, ValueRange before) {
        Value last = arith::AddIOp::create(builder, loc, first,
                                           kernel.constant(maxRounds));
        Value bound = arith::MinUIOp::create(builder, loc, last, end);
        return kernel.loop(first, bound, 1, before, round);
      });
}

void ElementEmitter::goTo(Value number) {
  SmallVector<unsigned> parallel = parallelLoops(op);
  SmallVector<int64_t> extents;
  for (unsigned loop : parallel)
    extents.push_back(ranges[loop]);
  for (auto [loop, index] :
       llvm::zip_equal(parallel, kernel.delinearize(number, extents)))
    indices[loop] = index;
}

void ElementEmitter::storeSums(ValueRange sums) {
  for (OpOperand &output : op.getDpsInitsMutable())
    if (isSum(output)) {
      memref::StoreOp::create(builder, loc, sums.front(),
                              kernel.mapping().lookup(output.get()),
                              positionIn(output));
      sums = sums.drop_front();
    }
}

LogicalResult ElementEmitter::run(const FirstValues &firstValues) {
  if (failed(bringOperands(firstValues)))
    return failure();
  goTo(kernel.invocation());
  SmallVector<unsigned> reductions;
  op.getReductionDims(reductions);
  storeSums(reduce(reductions, firstSums(firstValues)));
  return success();
}

Value ElementEmitter::meet(Value sum, const Combiner &combiner,
                           int64_t invocations) {
  Value array = kernel.shared(MemRefType::get({invocations}, sum.getType()));
  Value own = kernel.invocation();
  auto isBelow = [&](int64_t bound) -> Value {
    return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult, own,
                                 kernel.constant(bound));
  };
  memref::StoreOp::create(builder, loc, sum, array, own);
  for (int64_t half = invocations / 2; half > 0; half /= 2) {
    gpu::BarrierOp::create(builder, loc);
    auto guarded = scf::IfOp::create(builder, loc, isBelow(half), false);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(guarded.thenBlock());
    Value other =
        arith::AddIOp::create(builder, loc, own, kernel.constant(half));
    IRMapping map;
    map.map(combiner.sum, memref::LoadOp::create(builder, loc, array, own));
    map.map(combiner.value, memref::LoadOp::create(builder, loc, array, other));
    for (Operation *operation : combiner.operations)
      builder.clone(*operation, map);
    memref::StoreOp::create(
        builder, loc, map.lookup(combiner.operations.back()->getResult(0)),
        array, own);
  }
  // Invocation 0, which has written the result, stores it.
  auto guarded = scf::IfOp::create(builder, loc, isBelow(1), false);
  builder.setInsertionPointToStart(guarded.thenBlock());
  return memref::LoadOp::create(builder, loc, array, own);
}

LogicalResult ElementEmitter::runShared(const FirstValues &firstValues,
                                        int64_t invocations) {
  if (failed(bringOperands(firstValues)))
    return failure();
  goTo(kernel.group());
  SmallVector<unsigned> reductions;
  op.getReductionDims(reductions);
  SmallVector<int64_t> extents;
  for (unsigned loop : reductions)
    extents.push_back(ranges[loop]);
  Combiner combiner = *findCombiner(op);
  Value sum = firstSums(firstValues).front();
  if (!combiner.isIdempotent) {
    Type type = sum.getType();
    Value zero =
        arith::ConstantOp::create(builder, loc, builder.getZeroAttr(type));
    Value isFirst =
        arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                              kernel.invocation(), kernel.constant(0));
    sum = arith::SelectOp::create(builder, loc, isFirst, sum, zero);
  }
  sum = kernel
            .loop(kernel.invocation(), kernel.constant(countReduced(op)),
                  invocations, sum,
                  [&](Value number, ValueRange before) {
                    for (auto [loop, index] : llvm::zip_equal(
                             reductions, kernel.delinearize(number, extents)))
                      indices[loop] = index;
                    return computeBody(before);
                  })
            .front();
  OpBuilder::InsertionGuard guard(builder);
  storeSums(meet(sum, combiner, invocations));
  return success();
}

LogicalResult nngpu::emitElement(Kernel &kernel, linalg::LinalgOp op,
                                 const FirstValues &firstValues) {
  return ElementEmitter(kernel, op).run(firstValues);
}

LogicalResult nngpu::emitShared(Kernel &kernel, linalg::LinalgOp op,
                                const FirstValues &firstValues,
                                int64_t invocations) {
  return ElementEmitter(kernel, op).runShared(firstValues, invocations);
}
