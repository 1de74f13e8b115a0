//===- Window.cpp - Pools -------------------------------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Patterns.h"

#include "nnhal/Dialect/Kernel/Kernel.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace nnhal;

namespace {

/// A pool -> nnk.pool_2d of kind \p Kind.
template <typename OpTy, kernel::PoolKind Kind>
struct PoolLowering : LoweringPattern<OpTy> {
  using LoweringPattern<OpTy>::LoweringPattern;
  LogicalResult lower(OpTy op, typename OpTy::Adaptor adaptor,
                      ImplicitLocOpBuilder &builder,
                      ConversionPatternRewriter &rewriter) const override {
    if (!op.getPads())
      return rewriter.notifyMatchFailure(op, "the pads follow from extents");
    RankedTensorType type = op.getOutput().getType();
    Value init = tensor::EmptyOp::create(builder, type.getShape(),
                                         type.getElementType());
    auto pool = kernel::Pool2DOp::create(builder, Kind, adaptor.getInput(),
                                         init, op.getWindow(), op.getStrides(),
                                         *op.getPads());
    addEpilogue(builder, pool, op.getActivation());
    rewriter.replaceOp(op, pool.getResults());
    return success();
  }
};

} // namespace

void nnhal::populateWindowPatterns(const TypeConverter &converter,
                                   RewritePatternSet &patterns,
                                   LinalgLowering &lowering) {
  patterns.add<PoolLowering<AveragePool2DOp, kernel::PoolKind::average>,
               PoolLowering<L2Pool2DOp, kernel::PoolKind::l2>,
               PoolLowering<MaxPool2DOp, kernel::PoolKind::max>>(
      converter, patterns.getContext(), lowering);
  populateResizePatterns(converter, patterns, lowering);
}
