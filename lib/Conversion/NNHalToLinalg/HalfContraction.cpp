//===- HalfContraction.cpp - float16 contractions as those of float32 -----===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Convolutions and matrix products of float16 are computed in float32 and
// rounded once, in the end. Stated so, between conversions that cost little
// beside them, they get the micro-kernels of float32. Weights that are constant
// are converted while compiling.
//
//===----------------------------------------------------------------------===//

#include "Patterns.h"
#include "Weights.h"

#include "Runtime/Support/Float16.h"

#include "nnhal/Dialect/NNHal/IR/NNHalOps.h"

#include "mlir/IR/IRMapping.h"

#include <cstring>

using namespace mlir;
using namespace nnhal;

/// The elements of \p half, of float16, as float32.
static std::vector<char> widen(ArrayRef<char> half) {
  std::vector<char> wide(half.size() * 2);
  for (size_t i = 0; i < half.size() / sizeof(uint16_t); ++i) {
    uint16_t bits = 0;
    std::memcpy(&bits, half.data() + i * sizeof(bits), sizeof(bits));
    float number = rt::floatFromFloat16(bits);
    std::memcpy(wide.data() + i * sizeof(number), &number, sizeof(number));
  }
  return wide;
}

/// \p value, of float16, as float32.
static Value widened(PatternRewriter &rewriter, Location location,
                     TypedValue<RankedTensorType> value) {
  auto type = value.getType().clone(rewriter.getF32Type());
  if (auto weights = ConstantWeights::of(value))
    return weights->replace(rewriter, location, type, widen(weights->bytes()),
                            "_wide");
  return CastOp::create(rewriter, location, type, value);
}

namespace {
template <typename Contraction>
struct WidenContraction : OpRewritePattern<Contraction> {
  WidenContraction(MLIRContext *context, Pass::Statistic *numWidened)
      : OpRewritePattern<Contraction>(context), numWidened(numWidened) {}

  LogicalResult matchAndRewrite(Contraction op,
                                PatternRewriter &rewriter) const override {
    RankedTensorType type = op.getOutput().getType();
    if (!type.getElementType().isF16())
      return rewriter.notifyMatchFailure(op, "not of float16");
    // Convolutions take a batch of nothing, conversions do not.
    if (!llvm::all_of(op->getOperandTypes(), [](Type operand) {
          return hasElements(cast<RankedTensorType>(operand));
        }))
      return rewriter.notifyMatchFailure(op, "extents are not known or 0");
    IRMapping operands;
    for (Value operand : op->getOperands())
      operands.map(operand,
                   widened(rewriter, op.getLoc(),
                           cast<TypedValue<RankedTensorType>>(operand)));
    Operation *wide = rewriter.clone(*op, operands);
    wide->getResult(0).setType(type.clone(rewriter.getF32Type()));
    rewriter.replaceOpWithNewOp<CastOp>(op, type, wide->getResult(0));
    if (numWidened)
      ++*numWidened;
    return success();
  }

  Pass::Statistic *numWidened;
};
} // namespace

void nnhal::populateHalfContractionPatterns(RewritePatternSet &patterns,
                                            Pass::Statistic *numWidened) {
  patterns.add<WidenContraction<Conv2DOp>, WidenContraction<DepthwiseConv2DOp>,
               WidenContraction<GroupedConv2DOp>,
               WidenContraction<TransposeConv2DOp>,
               WidenContraction<FullyConnectedOp>>(patterns.getContext(),
                                                   numWidened);
}
