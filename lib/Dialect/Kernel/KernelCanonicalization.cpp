//===- KernelCanonicalization.cpp - What kernels need of their operands ---===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "nnhal/Dialect/Kernel/Kernel.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace nnhal::kernel;

namespace {
/// transpose(transpose(x)) -> cast(x), where the permutations cancel and the
/// result has extents that x does not state.
///
/// Upstream's FoldTransposeWithTranspose (LLVM 22) replaces the result by x,
/// whatever its type: a kernel whose operand was static then reads one of
/// unknown extents. This pattern goes first by its benefit.
struct CancelTransposes : OpRewritePattern<linalg::TransposeOp> {
  explicit CancelTransposes(MLIRContext *context)
      : OpRewritePattern(context, /*benefit=*/2) {}

  LogicalResult matchAndRewrite(linalg::TransposeOp outer,
                                PatternRewriter &rewriter) const override {
    auto inner = outer.getInput().getDefiningOp<linalg::TransposeOp>();
    if (!inner || !inner.hasPureTensorSemantics())
      return rewriter.notifyMatchFailure(outer, "transposes no transpose");
    Value source = inner.getInput();
    Type type = outer->getResult(0).getType();
    if (source.getType() == type)
      return rewriter.notifyMatchFailure(outer, "upstream's folding is right");
    for (auto [dimension, from] : llvm::enumerate(outer.getPermutation()))
      if (inner.getPermutation()[size_t(from)] != int64_t(dimension))
        return rewriter.notifyMatchFailure(outer, "the order is another one");
    rewriter.replaceOpWithNewOp<tensor::CastOp>(outer, type, source);
    return success();
  }
};
} // namespace

void KernelDialect::getCanonicalizationPatterns(
    RewritePatternSet &patterns) const {
  patterns.add<CancelTransposes>(getContext());
}
