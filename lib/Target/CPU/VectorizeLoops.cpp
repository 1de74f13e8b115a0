//===- VectorizeLoops.cpp - Bufferized linalg to vector loops -------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One dimension of the iteration space, along which the first output is
// contiguous, becomes that of the lanes, if every operand is read along it with
// stride one or not at all and every operation of the body works on vectors.
// All other dimensions are loops around it, in order. Lanes are a loop of full
// vectors of the widest element, then ever shorter powers of two without a
// loop. What the body computes of values that are the same for all lanes stands
// in front of the loop of lanes; the rest is copied with vectors in place of
// numbers, broadcast where the two meet. Elementwise operations on contiguous
// buffers are seen as one row, so that there is one remainder.
//
// Without such a dimension, one that is reduced serves if inputs are contiguous
// along it and what joins them allows for any order (LaneReduction.h): lanes
// accumulate parts of the result, which are joined in the end, halves with
// halves. Upstream's ways there (linalg::splitReduction, vector.multi_reduction
// and its lowerings) match no extremum of floats that is a select, add a buffer
// for the parts, and reduce floats lane after lane.
//
// A transposition goes tile by tile (TransposeTiles.h), and rows that are
// shorter than a vector are joined several at once (ShortRows.h). What is none
// of these becomes scalar loops by upstream's pattern; what the innermost one
// accumulates is carried in a register. Loops whose rounds write different
// elements are mapped to pieces of a kernel. Scans, whose outputs move along a
// reduction, have lanes of parallel dimensions at most (Scans.h).
//
// The loops are emitted directly. Upstream's way (tile by one vector,
// vectorize, cast away unit dimensions, fold subviews into transfers, lower
// transfers) gives the same inner loops, but spends four greedy rewrites on
// every operation; benchmarks/CompileTime shows what that costs on small
// models.
//
//===----------------------------------------------------------------------===//

#include "nnhal/Target/CPU/Passes.h"

#include "CostModel.h"
#include "KernelSplit.h"
#include "ShortRows.h"
#include "TransposeTiles.h"
#include "VectorLoopEmitter.h"

#include "Codegen/Scans.h"

#include "nnhal/Dialect/Kernel/Kernel.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Linalg/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace nnhal {
#define GEN_PASS_DEF_VECTORIZELOOPS
#include "nnhal/Target/CPU/Passes.h.inc"

using namespace mlir;

namespace {
struct VectorizeLoopsPass : impl::VectorizeLoopsBase<VectorizeLoopsPass> {
  using Base::Base;
  void runOnOperation() override;
};
} // namespace

/// memref.copy between strided buffers would call a runtime function; as a
/// linalg operation it becomes loops. Contiguous ones become memcpy.
static void generalizeStridedCopies(func::FuncOp func) {
  func.walk([](memref::CopyOp copy) {
    auto source = dyn_cast<MemRefType>(copy.getSource().getType());
    auto target = dyn_cast<MemRefType>(copy.getTarget().getType());
    // There is no loop nest of unknown rank; the runtime function stays.
    if (!source || !target)
      return;
    if (source.getLayout().isIdentity() && target.getLayout().isIdentity())
      return;
    OpBuilder builder(copy);
    linalg::makeMemRefCopyOp(builder, copy.getLoc(), copy.getSource(),
                             copy.getTarget());
    copy.erase();
  });
}

/// Indexes what \p loops access by their induction variables themselves:
/// upstream's loops have an affine.apply for each index of each access, so that
/// no two accesses have the same indices.
static void dropIdentities(RewriterBase &rewriter,
                           ArrayRef<Operation *> loops) {
  if (loops.empty())
    return;
  loops.front()->walk([&](affine::AffineApplyOp apply) {
    if (apply.getAffineMap().isIdentity())
      rewriter.replaceOp(apply, apply.getMapOperands());
  });
}

/// Carries what the innermost of \p loops accumulates from round to round in
/// place of a load and a store in each. Without a loop around, the load and the
/// store would be none of the kernel.
static void carryAccumulators(RewriterBase &rewriter,
                              ArrayRef<Operation *> loops) {
  auto loop =
      loops.size() < 2 ? scf::ForOp() : dyn_cast<scf::ForOp>(loops.back());
  if (!loop)
    return;
  SmallVector<memref::StoreOp> stores(loop.getOps<memref::StoreOp>());
  SmallVector<memref::LoadOp> loads;
  for (memref::StoreOp store : stores) {
    auto isOfStore = [&](memref::LoadOp load) {
      return load.getMemref() == store.getMemref() &&
             load.getIndices() == store.getIndices();
    };
    auto isOutside = [&](Value value) {
      return loop.isDefinedOutsideOfLoop(value);
    };
    auto all = loop.getOps<memref::LoadOp>();
    auto load = llvm::find_if(all, isOfStore);
    if (load == all.end() || !llvm::all_of(store.getIndices(), isOutside))
      return;
    loads.push_back(*load);
  }
  SmallVector<Value> first, next;
  for (auto [load, store] : llvm::zip(loads, stores)) {
    rewriter.moveOpBefore(load, loop);
    first.push_back(load);
    next.push_back(store.getValueToStore());
  }
  auto carrying = cast<scf::ForOp>(*loop.replaceWithAdditionalYields(
      rewriter, first, /*replaceInitOperandUsesInLoop=*/true,
      [&](OpBuilder &, Location, ArrayRef<BlockArgument>) { return next; }));
  rewriter.setInsertionPointAfter(carrying);
  for (auto [store, result] : llvm::zip(stores, carrying.getResults())) {
    memref::StoreOp::create(rewriter, store.getLoc(), result, store.getMemref(),
                            store.getIndices());
    rewriter.eraseOp(store);
  }
}

/// Maps to pieces those of \p loops whose rounds are independent. They are the
/// loops of all dimensions of \p op, in order, and stay so.
static void mapParallelLoops(RewriterBase &rewriter, linalg::LinalgOp op,
                             MutableArrayRef<Operation *> loops) {
  if (loops.size() != op.getNumLoops())
    return;
  for (auto [dim, operation] : llvm::enumerate(loops)) {
    if (!isParallel(op, op.getIndexingMapsArray(), dim))
      continue;
    auto loop = cast<scf::ForOp>(operation);
    rewriter.setInsertionPoint(loop);
    scf::ForallOp mapped =
        createPieceLoop(rewriter, loop.getLoc(), loop.getLowerBound(),
                        loop.getUpperBound(), loop.getStep());
    rewriter.eraseOp(loop.getBody()->getTerminator());
    rewriter.inlineBlockBefore(loop.getBody(), mapped.getTerminator(),
                               mapped.getInductionVars());
    rewriter.eraseOp(loop);
    operation = mapped;
  }
}

void VectorizeLoopsPass::runOnOperation() {
  func::FuncOp func = getOperation();
  std::optional<kernel::KernelTarget> target = kernel::KernelTarget::of(func);
  if (!target)
    return signalPassFailure();
  SmallVector<linalg::LinalgOp> ops;
  func.walk([&](linalg::LinalgOp op) { ops.push_back(op); });
  for (linalg::LinalgOp op : ops)
    if (!op.hasPureBufferSemantics()) {
      op.emitOpError("is on tensors: it must be bufferized before it becomes "
                     "loops");
      return signalPassFailure();
    }
  ops.clear();
  generalizeStridedCopies(func);
  func.walk([&](linalg::LinalgOp op) { ops.push_back(op); });
  IRRewriter rewriter(&getContext());
  for (linalg::LinalgOp op : ops) {
    VectorLoopEmitter emitter(rewriter, op, *target);
    if (succeeded(emitter.analyze())) {
      emitter.emit();
      rewriter.eraseOp(op);
      ++numVectorized;
      continue;
    }
    if (succeeded(emitTransposeTiles(rewriter, op, target->costs())) ||
        succeeded(emitShortRows(rewriter, op, *target))) {
      rewriter.eraseOp(op);
      ++numVectorized;
      continue;
    }
    rewriter.setInsertionPoint(op);
    FailureOr<linalg::LinalgLoops> loops =
        linalg::linalgOpToLoops(rewriter, op);
    if (failed(loops)) {
      op.emitError("cannot be lowered to loops");
      return signalPassFailure();
    }
    // Rounds that see what others have stored go one after the other.
    bool areAlone = !readsOutputs(op);
    if (areAlone)
      mapParallelLoops(rewriter, op, *loops);
    dropIdentities(rewriter, *loops);
    if (areAlone)
      carryAccumulators(rewriter, *loops);
    rewriter.eraseOp(op);
    ++numScalar;
  }
}

} // namespace nnhal
