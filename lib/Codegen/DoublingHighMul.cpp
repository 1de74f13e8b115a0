//===- DoublingHighMul.cpp - Products of even and odd lanes ---------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MathExpansions.h"

#include "Conversion/Common/DoublingHighMul.h"

#include "nnhal/Dialect/Kernel/Kernel.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

using namespace mlir;
using nnhal::kernel::DoublingHighMulOp;

namespace {

constexpr int64_t half = int64_t(1) << 30;

/// `number` as a value of \p type, a vector of integers.
Value constantOf(ImplicitLocOpBuilder &builder, VectorType type,
                 int64_t number) {
  Attribute element = builder.getIntegerAttr(type.getElementType(), number);
  return arith::ConstantOp::create(builder,
                                   DenseElementsAttr::get(type, element));
}

/// Each pair of lanes is one i64: its low and its high half are multiplied
/// where they lie (one instruction for four products on x86), and the results
/// are blended.
struct ExpandPairs : OpRewritePattern<DoublingHighMulOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(DoublingHighMulOp op,
                                PatternRewriter &rewriter) const override {
    auto type = dyn_cast<VectorType>(op.getType());
    if (!type || type.getRank() != 1 || type.getNumElements() % 2 != 0)
      return rewriter.notifyMatchFailure(op, "not pairs of lanes");
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    int64_t lanes = type.getNumElements();
    auto wide = VectorType::get({lanes / 2}, builder.getI64Type());
    Value shift = constantOf(builder, wide, 32);
    bool isDoubled = op.getNsw();
    Value nudge = constantOf(builder, wide, isDoubled ? 2 * half : half);
    Value multiplicand = op.getLhs();
    if (isDoubled)
      multiplicand = arith::AddIOp::create(builder, multiplicand, multiplicand);
    auto pairs = [&](Value value) -> Value {
      return vector::BitCastOp::create(builder, wide, value);
    };
    auto lowHalf = [&](Value value) -> Value {
      Value raised = arith::ShLIOp::create(builder, value, shift);
      return arith::ShRSIOp::create(builder, raised, shift);
    };
    auto highHalf = [&](Value value) -> Value {
      return arith::ShRSIOp::create(builder, value, shift);
    };
    Value lhs = pairs(multiplicand), rhs = pairs(op.getRhs());
    auto nudgedProduct = [&](Value a, Value b) -> Value {
      return arith::AddIOp::create(builder,
                                   arith::MulIOp::create(builder, a, b), nudge);
    };
    Value even = nudgedProduct(lowHalf(lhs), lowHalf(rhs));
    Value odd = nudgedProduct(highHalf(lhs), highHalf(rhs));
    // The result is in the high half of doubled products, and in bits 31 to 62
    // of others. The odd ones are moved by the blend then: a shift to the left
    // LLVM would apply to a constant factor, which is too wide afterwards.
    Value resultBits = constantOf(builder, wide, isDoubled ? 32 : 31);
    even = arith::ShRUIOp::create(builder, even, resultBits);
    if (!isDoubled)
      odd = arith::ShRUIOp::create(builder, odd, resultBits);
    SmallVector<int64_t> blend;
    for (int64_t lane = 0; lane < lanes; ++lane) {
      bool isOddFromLow = lane % 2 != 0 && !isDoubled;
      blend.push_back(lane % 2 == 0 ? lane : lanes + lane - isOddFromLow);
    }
    rewriter.replaceOpWithNewOp<vector::ShuffleOp>(
        op, vector::BitCastOp::create(builder, type, even),
        vector::BitCastOp::create(builder, type, odd), blend);
    return success();
  }
};

} // namespace

void nnhal::populateDoublingHighMulExpansions(RewritePatternSet &patterns) {
  patterns.add<ExpandPairs>(patterns.getContext(), /*benefit=*/2);
  populateDoublingHighMulExpansion(patterns);
}
