//===- Canonicalization.cpp - Rewrites of two operations to one -----------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Canonicalization.h"

#include "Folding.h"
#include "RuleAdapter.h"

#include "mlir/IR/PatternMatch.h"

using namespace nnhal;
using mlir::failure;
using mlir::PatternRewriter;
using mlir::success;

//===----------------------------------------------------------------------===//
// Activations
//===----------------------------------------------------------------------===//

static std::optional<FusedActivation>
standaloneActivation(mlir::Operation *op) {
  if (llvm::isa<ReluOp>(op))
    return FusedActivation::relu;
  if (llvm::isa<Relu1Op>(op))
    return FusedActivation::relu1;
  if (llvm::isa<Relu6Op>(op))
    return FusedActivation::relu6;
  return std::nullopt;
}

std::optional<FusedActivation> nnhal::activationOf(mlir::Value value) {
  mlir::Operation *op = value.getDefiningOp();
  if (!op)
    return std::nullopt;
  if (std::optional<FusedActivation> activation = standaloneActivation(op))
    return activation;
  if (auto fusing = llvm::dyn_cast<FusedActivationOpInterface>(op))
    return fusing.getActivation();
  return std::nullopt;
}

namespace {
/// relu6(conv_2d(x)) -> conv_2d(x) {activation = relu6}
///
/// The types are the same, so a quantized result is limited to the same stored
/// values (M-051); the bounds have an exact f16, so rounding before or after
/// limiting is the same.
template <typename OpTy> struct FuseActivation : mlir::OpRewritePattern<OpTy> {
  using mlir::OpRewritePattern<OpTy>::OpRewritePattern;

  llvm::LogicalResult
  matchAndRewrite(OpTy op, PatternRewriter &rewriter) const override {
    mlir::Value input = op.getInput();
    std::optional<FusedActivation> inner = activationOf(input),
                                   outer = standaloneActivation(op);
    if (!inner || !outer || !input.hasOneUse() ||
        input.getType() != op.getType())
      return failure();
    mlir::Operation *producer = input.getDefiningOp();
    std::optional<FusedActivation> composed = compose(*inner, *outer);
    if (!composed || standaloneActivation(producer))
      return failure();
    rewriter.modifyOpInPlace(producer, [&] {
      llvm::cast<FusedActivationOpInterface>(producer).setActivation(*composed);
    });
    rewriter.replaceOp(op, input);
    return success();
  }
};

/// relu6(relu(x)) -> relu6(x), relu(relu6(x)) is folded.
template <typename OpTy>
struct MergeActivations : mlir::OpRewritePattern<OpTy> {
  using mlir::OpRewritePattern<OpTy>::OpRewritePattern;

  llvm::LogicalResult
  matchAndRewrite(OpTy op, PatternRewriter &rewriter) const override {
    mlir::Operation *producer = op.getInput().getDefiningOp();
    std::optional<FusedActivation> inner =
        producer ? standaloneActivation(producer) : std::nullopt;
    std::optional<FusedActivation> outer = standaloneActivation(op);
    if (!inner || compose(*inner, *outer) != outer)
      return failure();
    mlir::Value source = producer->getOperand(0);
    if (source.getType() != op.getInput().getType())
      return failure();
    rewriter.modifyOpInPlace(op, [&] { op.getInputMutable().assign(source); });
    return success();
  }
};
} // namespace

void ReluOp::getCanonicalizationPatterns(mlir::RewritePatternSet &patterns,
                                         mlir::MLIRContext *context) {
  patterns.add<FuseActivation<ReluOp>, MergeActivations<ReluOp>>(context);
}

void Relu1Op::getCanonicalizationPatterns(mlir::RewritePatternSet &patterns,
                                          mlir::MLIRContext *context) {
  patterns.add<FuseActivation<Relu1Op>, MergeActivations<Relu1Op>>(context);
}

void Relu6Op::getCanonicalizationPatterns(mlir::RewritePatternSet &patterns,
                                          mlir::MLIRContext *context) {
  patterns.add<FuseActivation<Relu6Op>, MergeActivations<Relu6Op>>(context);
}

//===----------------------------------------------------------------------===//
// Casts
//===----------------------------------------------------------------------===//

/// Whether every stored value of \p from is one of \p to.
static bool isLossless(mlir::Type from, mlir::Type to) {
  if (from.isF16())
    return to.isF16() || to.isF32();
  // cast takes TENSOR_QUANT8_ASYMM as numbers from 0 to 255. A TENSOR_INT32 may
  // have a scale.
  auto storage = [](mlir::Type type) {
    auto quantized = llvm::dyn_cast<mlir::quant::QuantizedType>(type);
    return quantized ? quantized.getStorageType() : type;
  };
  if (llvm::isa<mlir::quant::QuantizedType>(from) && storage(from).isInteger(8))
    return to.isF16() || to.isF32() || storage(to).isInteger(32) ||
           storage(to) == storage(from);
  return from == to;
}

namespace {
/// cast(cast(x)) -> cast(x), where the inner one loses nothing.
struct MergeCasts : mlir::OpRewritePattern<CastOp> {
  using OpRewritePattern::OpRewritePattern;

  llvm::LogicalResult
  matchAndRewrite(CastOp op, PatternRewriter &rewriter) const override {
    auto inner = op.getInput().getDefiningOp<CastOp>();
    if (!inner || !isLossless(mlir::getElementTypeOrSelf(inner.getInput()),
                              inner.getType().getElementType()))
      return failure();
    rewriter.modifyOpInPlace(
        op, [&] { op.getInputMutable().assign(inner.getInput()); });
    return success();
  }
};
} // namespace

void CastOp::getCanonicalizationPatterns(mlir::RewritePatternSet &patterns,
                                         mlir::MLIRContext *context) {
  patterns.add<MergeCasts>(context);
}

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

namespace {
/// expand_dims(squeeze(x)) -> reshape(x), likewise for all operations that
/// keep the elements in order; x itself where it has the result's type.
template <typename OpTy> struct MergeReshapes : mlir::OpRewritePattern<OpTy> {
  using mlir::OpRewritePattern<OpTy>::OpRewritePattern;

  llvm::LogicalResult
  matchAndRewrite(OpTy op, PatternRewriter &rewriter) const override {
    mlir::Operation *inner = op.getInput().getDefiningOp();
    if (!llvm::isa_and_present<ReshapeOp, SqueezeOp, ExpandDimsOp>(inner))
      return failure();
    mlir::Value source = inner->getOperand(0);
    auto type = llvm::cast<mlir::RankedTensorType>(source.getType());
    if (!type.hasStaticShape() || !op.getType().hasStaticShape())
      return failure();
    if (type == op.getType()) {
      rewriter.replaceOp(op, source);
      return success();
    }
    // expand_dims takes types and ranks that reshape does not.
    if (!rt::checkReshape(typeOf(source), typeOf(op.getOutput())).isOk())
      return failure();
    rewriter.replaceOpWithNewOp<ReshapeOp>(op, op.getType(), source);
    return success();
  }
};
} // namespace

void ReshapeOp::getCanonicalizationPatterns(mlir::RewritePatternSet &patterns,
                                            mlir::MLIRContext *context) {
  patterns.add<MergeReshapes<ReshapeOp>>(context);
}

void SqueezeOp::getCanonicalizationPatterns(mlir::RewritePatternSet &patterns,
                                            mlir::MLIRContext *context) {
  patterns.add<MergeReshapes<SqueezeOp>>(context);
}

void ExpandDimsOp::getCanonicalizationPatterns(
    mlir::RewritePatternSet &patterns, mlir::MLIRContext *context) {
  patterns.add<MergeReshapes<ExpandDimsOp>>(context);
}
