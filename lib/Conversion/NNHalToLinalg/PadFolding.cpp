//===- PadFolding.cpp - Pads become part of convolutions ------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Patterns.h"

#include "nnhal/Dialect/NNHal/IR/NNHalOps.h"

using namespace mlir;
using namespace nnhal;

namespace {

/// nnhal.pad around height and width -> pads of the convolution that is its
/// only reader. Not for pools: their padding takes no part in a result, while
/// the zeros of a pad do.
template <typename ConvOp> struct FoldPadIntoConv : OpRewritePattern<ConvOp> {
  FoldPadIntoConv(MLIRContext *context, Pass::Statistic *numFolded)
      : OpRewritePattern<ConvOp>(context), numFolded(numFolded) {}

  LogicalResult matchAndRewrite(ConvOp op,
                                PatternRewriter &rewriter) const override {
    auto pad = op.getInput().template getDefiningOp<PadOp>();
    if (!pad || !pad->hasOneUse() || !op.getPads())
      return rewriter.notifyMatchFailure(
          op, "no pad of its own, or pads that follow");
    ArrayRef<int64_t> around = pad.getPaddings();
    if (around.size() != 8 || around[0] || around[1] || around[6] || around[7])
      return rewriter.notifyMatchFailure(op, "pads batch or channels");
    SmallVector<int64_t> pads(*op.getPads());
    for (unsigned i = 0; i < 4; ++i)
      pads[i] += around[2 + i];
    // A convolution's padding stays below its filter's extent (M-009).
    auto filter = cast<RankedTensorType>(op.getFilter().getType());
    for (unsigned i = 0; i < 4; ++i) {
      int64_t taps = filter.getDimSize(1 + i / 2);
      if (pads[i] > (taps - 1) * op.getDilations()[i / 2])
        return rewriter.notifyMatchFailure(op, "pads a whole filter extent");
    }
    rewriter.modifyOpInPlace(op, [&] {
      op.getInputMutable().assign(pad.getInput());
      op.setPads(pads);
    });
    rewriter.eraseOp(pad);
    if (numFolded)
      ++*numFolded;
    return success();
  }

  Pass::Statistic *numFolded;
};

} // namespace

void nnhal::populatePadFoldingPatterns(RewritePatternSet &patterns,
                                       Pass::Statistic *numFolded) {
  patterns.add<FoldPadIntoConv<Conv2DOp>, FoldPadIntoConv<DepthwiseConv2DOp>>(
      patterns.getContext(), numFolded);
}
