//===- FuseElementwise.cpp - Chains of elementwise operations -------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Conversion/Common/ReadMap.h"

#include "nnhal/Codegen/Passes.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace nnhal {
#define GEN_PASS_DEF_FUSEELEMENTWISE
#include "nnhal/Codegen/Passes.h.inc"

using namespace mlir;

namespace {

/// The indexing map of a read from outside of \p op; null where none says it.
AffineMap readMap(linalg::GenericOp op, tensor::ExtractOp read) {
  auto source = read.getTensor().getType();
  if (!source.hasStaticShape() || source.getRank() == 0 ||
      op->isProperAncestor(read.getTensor().getParentRegion()->getParentOp()))
    return {};
  return mapOfRead(op, source, read.getIndices());
}

/// Makes operands of what the body of an operation reads at its own indices.
struct PromoteReads : OpRewritePattern<linalg::GenericOp> {
  PromoteReads(MLIRContext *context, Pass::Statistic &count)
      : OpRewritePattern(context, /*benefit=*/2), count(count) {}

  LogicalResult matchAndRewrite(linalg::GenericOp op,
                                PatternRewriter &rewriter) const override {
    if (!op.hasPureTensorSemantics() || op.hasDynamicShape() ||
        op.getNumParallelLoops() != op.getNumLoops())
      return failure();
    SmallVector<std::pair<tensor::ExtractOp, AffineMap>> reads;
    for (auto read : op.getBody()->getOps<tensor::ExtractOp>())
      if (AffineMap map = readMap(op, read))
        reads.push_back({read, map});
    if (reads.empty())
      return rewriter.notifyMatchFailure(op, "reads nothing at its indices");
    promote(op, reads, rewriter);
    count += reads.size();
    return success();
  }

private:
  static void promote(linalg::GenericOp op,
                      ArrayRef<std::pair<tensor::ExtractOp, AffineMap>> reads,
                      PatternRewriter &rewriter) {
    SmallVector<Value> inputs = op.getDpsInputs();
    SmallVector<AffineMap> maps = op.getIndexingMapsArray();
    unsigned oldInputs = inputs.size();
    for (auto [index, read] : llvm::enumerate(reads)) {
      inputs.push_back(tensor::ExtractOp(read.first).getTensor());
      maps.insert(maps.begin() + oldInputs + index, read.second);
    }
    auto promoted = linalg::GenericOp::create(
        rewriter, op.getLoc(), op.getResultTypes(), inputs, op.getOutputs(),
        maps, op.getIteratorTypesArray());
    Block *body = op.getBody();
    for (auto [index, read] : llvm::enumerate(reads)) {
      tensor::ExtractOp extract = read.first;
      BlockArgument element = body->insertArgument(
          oldInputs + index, extract.getType(), extract.getLoc());
      rewriter.replaceOp(extract, element);
    }
    rewriter.inlineRegionBefore(op.getRegion(), promoted.getRegion(),
                                promoted.getRegion().begin());
    rewriter.replaceOp(op, promoted.getResults());
  }

  Pass::Statistic &count;
};

/// Whether the body of \p op, branches included, reads a tensor at computed
/// places. Reads at its own indices are operands by now.
bool looksUp(Operation *op) {
  auto generic = dyn_cast<linalg::GenericOp>(op);
  return generic &&
         generic.getRegion()
             .walk([](tensor::ExtractOp) { return WalkResult::interrupt(); })
             .wasInterrupted();
}

/// Whether to compute the operation behind \p operand where it is read.
bool isWorthFusing(OpOperand *operand, bool keepLookups) {
  Operation *producer = operand->get().getDefiningOp();
  if (!producer || !producer->hasOneUse())
    return false;
  auto consumer = dyn_cast<linalg::LinalgOp>(operand->getOwner());
  if (keepLookups && consumer && isa<linalg::LinalgOp>(producer) &&
      looksUp(producer) != looksUp(consumer))
    return false;
  // Reshapes ask as well.
  return !consumer || consumer.getMatchingIndexingMap(operand).isPermutation();
}

struct FuseElementwisePass : impl::FuseElementwiseBase<FuseElementwisePass> {
  using Base::Base;
  void runOnOperation() override {
    auto isFused = [this](OpOperand *operand) {
      return isWorthFusing(operand, keepLookups);
    };
    MLIRContext *context = &getContext();
    RewritePatternSet patterns(context);
    patterns.add<PromoteReads>(context, numPromoted);
    // What linalg-fuse-elementwise-ops runs, which takes no limit.
    linalg::populateElementwiseOpsFusionPatterns(patterns, isFused);
    linalg::populateFoldReshapeOpsByExpansionPatterns(patterns, isFused);
    linalg::populateConstantFoldLinalgOperations(patterns, isFused);
    affine::AffineApplyOp::getCanonicalizationPatterns(patterns, context);
    linalg::GenericOp::getCanonicalizationPatterns(patterns, context);
    tensor::DimOp::getCanonicalizationPatterns(patterns, context);
    tensor::ExpandShapeOp::getCanonicalizationPatterns(patterns, context);
    tensor::CollapseShapeOp::getCanonicalizationPatterns(patterns, context);
    context->getLoadedDialect<linalg::LinalgDialect>()
        ->getCanonicalizationPatterns(patterns);
    // Each operation is fused with what it reads, top down like upstream's.
    if (failed(applyPatternsGreedily(
            getOperation(), std::move(patterns),
            GreedyRewriteConfig().setUseTopDownTraversal())))
      signalPassFailure();
  }
};

} // namespace

} // namespace nnhal
