//===- DoublingHighMul.cpp - The high half of products --------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DoublingHighMul.h"

#include "nnhal/Dialect/Kernel/Kernel.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

using namespace mlir;
using nnhal::kernel::DoublingHighMulOp;

/// `number` as a value of \p type, an integer or a vector.
static Value constantOf(ImplicitLocOpBuilder &builder, Type type,
                        int64_t number) {
  TypedAttr attribute =
      builder.getIntegerAttr(getElementTypeOrSelf(type), number);
  if (auto vector = dyn_cast<VectorType>(type))
    attribute = DenseElementsAttr::get(vector, attribute);
  return arith::ConstantOp::create(builder, attribute);
}

namespace {
/// One product of i64 for each number or lane.
struct ExpandPlain : OpRewritePattern<DoublingHighMulOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(DoublingHighMulOp op,
                                PatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    Type wide = builder.getI64Type();
    if (auto vector = dyn_cast<VectorType>(op.getType()))
      wide = vector.clone(wide);
    Value lhs = arith::ExtSIOp::create(builder, wide, op.getLhs());
    Value rhs = arith::ExtSIOp::create(builder, wide, op.getRhs());
    Value product = arith::MulIOp::create(builder, lhs, rhs);
    Value nudged = arith::AddIOp::create(
        builder, product, constantOf(builder, wide, int64_t(1) << 30));
    Value shifted =
        arith::ShRSIOp::create(builder, nudged, constantOf(builder, wide, 31));
    rewriter.replaceOpWithNewOp<arith::TruncIOp>(op, op.getType(), shifted);
    return success();
  }
};
} // namespace

void nnhal::populateDoublingHighMulExpansion(RewritePatternSet &patterns) {
  patterns.add<ExpandPlain>(patterns.getContext());
}
