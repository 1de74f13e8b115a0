//===- SplitReductions.cpp - Parts of large reductions --------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CostModel.h"

#include "Codegen/Scans.h"
#include "nnhal/Target/CPU/Passes.h"

#include "mlir/Analysis/SliceAnalysis.h" // matchReduction
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/Support/MathExtras.h"

#include <bit>

namespace nnhal {
#define GEN_PASS_DEF_SPLITREDUCTIONS
#include "nnhal/Target/CPU/Passes.h.inc"

using namespace mlir;

namespace {

struct SplitReductionsPass : impl::SplitReductionsBase<SplitReductionsPass> {
  void runOnOperation() override;

private:
  int64_t countParts(linalg::GenericOp op, ArrayRef<unsigned> reduced) const;
  void split(linalg::GenericOp op, IRRewriter &rewriter);

  kernel::CostModel costs;
};

} // namespace

/// Whether \p op joins elements to one by one operation whose neutral element
/// is known, which partial results begin with.
static bool hasNeutralElement(linalg::GenericOp op) {
  SmallVector<Operation *, 4> combiners;
  return op.getNumDpsInits() == 1 && !op.hasIndexSemantics() && !isScan(op) &&
         matchReduction(op.getRegionOutputArgs(), 0, combiners) &&
         combiners.size() == 1 && arith::getNeutralElement(combiners.front());
}

/// Whether linalg can divide \p op along \p reduced: it reads dimensions of
/// operands as dimensions of loops, which constant indices and sums are not,
/// and makes one dimension of those that are reduced, which therefore follow
/// each other in every operand that has them.
static bool areDivisible(linalg::GenericOp op, ArrayRef<unsigned> reduced) {
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  ReassociationIndices dims(reduced.begin(), reduced.end());
  return reduced.back() - reduced.front() + 1 == reduced.size() &&
         llvm::all_of(
             maps,
             [](AffineMap map) { return map.isProjectedPermutation(); }) &&
         (reduced.size() == 1 ||
          linalg::areDimSequencesPreserved(maps, {dims}));
}

/// The parts that \p op is divided into, a power of two that divides the
/// elements which are joined to one along \p reduced; 1 where \p op stays.
/// Each part joins so many that the partial results are little beside them.
int64_t SplitReductionsPass::countParts(linalg::GenericOp op,
                                        ArrayRef<unsigned> reduced) const {
  int64_t elements = 1, joined = 1;
  for (auto [dim, extent] : llvm::enumerate(op.getStaticLoopRanges())) {
    // Threads share what is parallel around a reduction.
    if (ShapedType::isDynamic(extent) || (dim < reduced.front() && extent > 1))
      return 1;
    if (llvm::MulOverflow(elements, extent, elements) || elements == 0)
      return 1;
    if (llvm::is_contained(reduced, dim))
      joined *= extent;
  }
  int64_t most = std::min({elements / costs.reducedPart, costs.splitPieces,
                           joined / costs.joinedElements});
  if (most < 2)
    return 1;
  int64_t power = int64_t(1) << std::countr_zero(uint64_t(joined));
  return std::min(power, int64_t(std::bit_floor(uint64_t(most))));
}

void SplitReductionsPass::split(linalg::GenericOp op, IRRewriter &rewriter) {
  SmallVector<unsigned> reduced;
  op.getReductionDims(reduced);
  if (reduced.empty() || !op.hasPureTensorSemantics() ||
      !hasNeutralElement(op) || !areDivisible(op, reduced))
    return;
  int64_t parts = countParts(op, reduced);
  if (parts < 2)
    return;
  rewriter.setInsertionPoint(op);
  linalg::LinalgOp whole = op;
  if (reduced.size() > 1) {
    ReassociationIndices dims(reduced.begin(), reduced.end());
    FailureOr<linalg::CollapseResult> collapsed =
        linalg::collapseOpIterationDims(op, {dims}, rewriter);
    if (failed(collapsed))
      return;
    rewriter.replaceOp(op, collapsed->results);
    whole = collapsed->collapsedOp;
  }
  auto outermost = [&](linalg::LinalgOp) {
    return linalg::SplitReductionOptions{parts, /*index=*/0,
                                         /*innerParallel=*/false};
  };
  if (succeeded(linalg::splitReduction(rewriter, whole, outermost)))
    ++numSplit;
}

void SplitReductionsPass::runOnOperation() {
  if (getOperation().isExternal())
    return;
  std::optional<kernel::KernelTarget> target =
      kernel::KernelTarget::of(getOperation());
  if (!target)
    return signalPassFailure();
  costs = target->costs();
  SmallVector<linalg::GenericOp> operations;
  getOperation().walk([&](linalg::GenericOp op) { operations.push_back(op); });
  IRRewriter rewriter(&getContext());
  for (linalg::GenericOp op : operations)
    split(op, rewriter);
}

} // namespace nnhal
