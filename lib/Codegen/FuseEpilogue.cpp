//===- FuseEpilogue.cpp - Elementwise consumers into kernels --------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EpilogueCost.h"

#include "nnhal/Codegen/Passes.h"
#include "nnhal/Dialect/Kernel/Kernel.h"
#include "nnhal/Dialect/NNHal/IR/Target.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/InferIntRangeInterface.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace nnhal {
#define GEN_PASS_DEF_FUSEEPILOGUE
#include "nnhal/Codegen/Passes.h.inc"
} // namespace nnhal

using namespace mlir;
using namespace nnhal::kernel;

namespace {

/// How the elementwise operation sees the kernel's result.
struct Producer {
  KernelOpInterface kernel;
  /// The reshape between them, or null.
  Operation *reshape = nullptr;
  unsigned operand = 0;

  RankedTensorType type() const {
    return cast<RankedTensorType>(
        KernelOpInterface(kernel).getDestination().getType());
  }
};

/// Kernel behind `value`, through at most one reshape, each used once.
Producer findProducer(Value value, Block *block) {
  Producer producer;
  if (!value.hasOneUse())
    return producer;
  Operation *op = value.getDefiningOp();
  if (op && isa<tensor::CollapseShapeOp, tensor::ExpandShapeOp>(op)) {
    producer.reshape = op;
    op = op->getOperand(0).getDefiningOp();
    if (!op || !op->hasOneUse())
      return {};
  }
  producer.kernel = dyn_cast_or_null<KernelOpInterface>(op);
  if (producer.kernel && op->getBlock() != block)
    producer.kernel = nullptr;
  return producer;
}

/// True if an input with `map` is a vector of channels: its last dimension is
/// the last loop, the others have one element.
bool isChannelVector(AffineMap map, RankedTensorType type) {
  if (map.getNumResults() == 0 ||
      llvm::any_of(type.getShape().drop_back(),
                   [](int64_t extent) { return extent != 1; }))
    return false;
  auto dim = dyn_cast<AffineDimExpr>(map.getResults().back());
  return dim && dim.getPosition() + 1 == map.getNumDims();
}

/// True if an input with `map` has one number for all channels of each pixel of
/// `result`.
bool isOfPixels(AffineMap map, RankedTensorType type, RankedTensorType result) {
  if (type.getRank() != result.getRank() ||
      type.getShape().drop_back() != result.getShape().drop_back() ||
      type.getShape().back() != 1)
    return false;
  SmallVector<AffineExpr> expected(
      AffineMap::getMultiDimIdentityMap(type.getRank(), map.getContext())
          .getResults());
  expected.back() = getAffineConstantExpr(0, map.getContext());
  return map.getResults() == ArrayRef<AffineExpr>(expected);
}

/// `value` without its leading dimensions of one element.
Value toChannelVector(Value value, Location loc, PatternRewriter &rewriter) {
  auto type = cast<RankedTensorType>(value.getType());
  if (type.getRank() == 1)
    return value;
  ReassociationIndices all =
      llvm::to_vector(llvm::seq<int64_t>(type.getRank()));
  return tensor::CollapseShapeOp::create(rewriter, loc, value,
                                         ArrayRef<ReassociationIndices>{all});
}

/// Whether kernels of \p policy read elements of \p type beside their input,
/// and store them.
bool isElement(Type type, const nnhal::LoweringPolicy &policy) {
  return type.isF32() || (type.isF16() && policy.hasHalfKernels()) ||
         type.isInteger(32) || type.isInteger(16) || type.isInteger(8);
}

bool isElementwise(linalg::GenericOp op) {
  if (op.getNumParallelLoops() != op.getNumLoops() ||
      op.getNumDpsInits() != 1 || op->getNumResults() != 1 ||
      !op.getIndexingMapsArray().back().isIdentity())
    return false;
  Block *body = op.getBody();
  // The destination's old value is not available to an epilogue.
  if (!body->getArguments().back().use_empty())
    return false;
  return llvm::all_of(body->without_terminator(), [](Operation &inner) {
    return inner.hasTrait<OpTrait::ConstantLike>() ||
           OpTrait::hasElementwiseMappableTraits(&inner);
  });
}

/// Folds an elementwise linalg.generic into the kernel that produces one of its
/// inputs. The kernel moves down to the consumer, where every operand of either
/// is available.
struct FuseConsumer : public OpRewritePattern<linalg::GenericOp> {
  FuseConsumer(MLIRContext *context, const nnhal::LoweringPolicy &policy)
      : OpRewritePattern(context), policy(policy),
        fusedChannels(policy.fusedChannels()) {}

  LogicalResult matchAndRewrite(linalg::GenericOp op,
                                PatternRewriter &rewriter) const override {
    if (!op.hasPureTensorSemantics() || !isElementwise(op))
      return rewriter.notifyMatchFailure(op, "not elementwise");
    // The later one of two kernels whose results are added takes the other's
    // result as its extra.
    Producer best;
    for (OpOperand *input : op.getDpsInputOperands()) {
      Producer found = findProducer(input->get(), op->getBlock());
      found.operand = input->getOperandNumber();
      if (found.kernel && fits(op, found) &&
          (!best.kernel || best.kernel->isBeforeInBlock(found.kernel)))
        best = found;
    }
    if (!best.kernel)
      return rewriter.notifyMatchFailure(op, "no kernel to fuse into");
    fuse(op, best, rewriter);
    return success();
  }

private:
  /// True if every operand can be seen from the kernel's shape.
  bool fits(linalg::GenericOp op, const Producer &producer) const {
    auto result = dyn_cast<RankedTensorType>(op.getResult(0).getType());
    auto kernelType = producer.type();
    if (!result || !isElement(result.getElementType(), policy))
      return false;
    // A register holds the few channels of one pixel: by itself the operation
    // fills registers with many.
    if (kernelType.getShape().back() < fusedChannels &&
        hasFunctions(*op.getBody()))
      return false;
    if (producer.reshape &&
        (!result.hasStaticShape() || !kernelType.hasStaticShape() ||
         result.getShape().back() != kernelType.getShape().back()))
      return false;
    SmallVector<AffineMap> maps = op.getIndexingMapsArray();
    for (OpOperand *input : op.getDpsInputOperands()) {
      auto type = dyn_cast<RankedTensorType>(input->get().getType());
      AffineMap map = maps[input->getOperandNumber()];
      // Scalars are captured; tensors have the result's shape, or a number for
      // each of its pixels, or are vectors of its channels.
      if (!type || !isElement(type.getElementType(), policy))
        return false;
      if (input->getOperandNumber() == producer.operand) {
        if (!map.isIdentity())
          return false;
        continue;
      }
      if (!(map.isIdentity() && type.getShape() == result.getShape()) &&
          !isOfPixels(map, type, result) &&
          !(isChannelVector(map, type) &&
            type.getShape().back() == result.getShape().back()))
        return false;
    }
    return true;
  }

  /// `value`, of the consumer's shape or pixels, in the shape of the kernel.
  static Value toKernelShape(Value value, const Producer &producer,
                             Location loc, PatternRewriter &rewriter) {
    if (!producer.reshape)
      return value;
    auto from = cast<RankedTensorType>(value.getType());
    SmallVector<int64_t> shape(producer.type().getShape());
    shape.back() = from.getShape().back();
    auto type = RankedTensorType::get(shape, from.getElementType());
    if (auto collapse = dyn_cast<tensor::CollapseShapeOp>(producer.reshape))
      return tensor::ExpandShapeOp::create(rewriter, loc, type, value,
                                           collapse.getReassociationIndices());
    auto expand = cast<tensor::ExpandShapeOp>(producer.reshape);
    return tensor::CollapseShapeOp::create(rewriter, loc, type, value,
                                           expand.getReassociationIndices());
  }

  static Value fromKernelShape(Value value, const Producer &producer,
                               RankedTensorType type, Location loc,
                               PatternRewriter &rewriter) {
    if (!producer.reshape)
      return value;
    if (auto collapse = dyn_cast<tensor::CollapseShapeOp>(producer.reshape))
      return tensor::CollapseShapeOp::create(
          rewriter, loc, type, value, collapse.getReassociationIndices());
    auto expand = cast<tensor::ExpandShapeOp>(producer.reshape);
    return tensor::ExpandShapeOp::create(rewriter, loc, type, value,
                                         expand.getReassociationIndices());
  }

  static void fuse(linalg::GenericOp op, const Producer &producer,
                   PatternRewriter &rewriter) {
    rewriter.setInsertionPoint(op);
    Location loc = op.getLoc();
    KernelOpInterface kernel = producer.kernel;
    SmallVector<Value> extras(kernel.getExtras());
    SmallVector<OpOperand *> added;
    for (OpOperand *input : op.getDpsInputOperands())
      if (input->getOperandNumber() != producer.operand) {
        added.push_back(input);
        auto type = cast<RankedTensorType>(input->get().getType());
        auto result = cast<RankedTensorType>(op.getResult(0).getType());
        AffineMap map = op.getMatchingIndexingMap(input);
        bool hasPixels =
            (type.getShape() == result.getShape() && map.isIdentity()) ||
            isOfPixels(map, type, result);
        extras.push_back(
            hasPixels ? toKernelShape(input->get(), producer, loc, rewriter)
                      : toChannelVector(input->get(), loc, rewriter));
      }
    Value init = toKernelShape(op.getDpsInits()[0], producer, loc, rewriter);
    Operation *fused = kernel.cloneWithExtras(rewriter, extras, init);
    fused->setLoc(rewriter.getFusedLoc({kernel->getLoc(), loc}));
    buildEpilogue(op, producer, added, cast<KernelOpInterface>(fused),
                  rewriter);
    rewriter.replaceOp(
        op, fromKernelShape(fused->getResult(0), producer,
                            cast<RankedTensorType>(op.getResult(0).getType()),
                            loc, rewriter));
    if (producer.reshape)
      rewriter.eraseOp(producer.reshape);
    rewriter.eraseOp(kernel);
  }

  /// The old epilogue followed by the consumer's body.
  static void buildEpilogue(linalg::GenericOp op, const Producer &producer,
                            ArrayRef<OpOperand *> added,
                            KernelOpInterface fused,
                            PatternRewriter &rewriter) {
    OpBuilder::InsertionGuard guard(rewriter);
    KernelOpInterface kernel = producer.kernel;
    SmallVector<Type> types = {kernel.getAccumulatorType()};
    for (Value extra : fused.getExtras())
      types.push_back(cast<ShapedType>(extra.getType()).getElementType());
    SmallVector<Location> locs(types.size(), op.getLoc());
    Block *block = rewriter.createBlock(&fused.getEpilogue(), {}, types, locs);
    IRMapping mapping;
    Value value = block->getArgument(0);
    unsigned next = 1;
    if (!kernel.getEpilogue().empty()) {
      Block &old = kernel.getEpilogue().front();
      for (BlockArgument argument : old.getArguments())
        mapping.map(argument, block->getArgument(argument.getArgNumber()));
      next = old.getNumArguments();
      for (Operation &inner : old.without_terminator())
        rewriter.clone(inner, mapping);
      value = mapping.lookupOrDefault(cast<YieldOp>(old.back()).getValue());
    }
    Block *body = op.getBody();
    mapping.map(body->getArgument(producer.operand), value);
    for (OpOperand *operand : added)
      mapping.map(body->getArgument(operand->getOperandNumber()),
                  block->getArgument(next++));
    for (Operation &inner : body->without_terminator())
      rewriter.clone(inner, mapping);
    Value result = mapping.lookupOrDefault(
        cast<linalg::YieldOp>(body->getTerminator()).getOperand(0));
    YieldOp::create(rewriter, op.getLoc(), result);
  }

  const nnhal::LoweringPolicy &policy;
  int64_t fusedChannels;
};

/// The f16 tensor that \p op widens to f32, element by element; null where it
/// does anything else.
Value widenedHalves(linalg::GenericOp op) {
  if (!op || !op.hasPureTensorSemantics() || !isElementwise(op) ||
      op.getNumDpsInputs() != 1)
    return {};
  OpOperand *input = op.getDpsInputOperand(0);
  auto extend = op.getBody()
                    ->getTerminator()
                    ->getOperand(0)
                    .getDefiningOp<arith::ExtFOp>();
  if (!extend || extend.getIn() != op.getMatchingBlockArgument(input) ||
      !extend.getIn().getType().isF16() || !extend.getType().isF32() ||
      !op.getMatchingIndexingMap(input).isIdentity())
    return {};
  return input->get();
}

/// A kernel of f32 that halves have been widened for reads the halves, through
/// at most one reshape.
struct ReadHalves : OpInterfaceRewritePattern<KernelOpInterface> {
  using OpInterfaceRewritePattern::OpInterfaceRewritePattern;

  LogicalResult matchAndRewrite(KernelOpInterface kernel,
                                PatternRewriter &rewriter) const override {
    Value input = kernel->getOperand(0);
    Operation *reshape = input.getDefiningOp();
    if (!isa_and_present<tensor::CollapseShapeOp, tensor::ExpandShapeOp>(
            reshape))
      reshape = nullptr;
    Value halves = widenedHalves((reshape ? reshape->getOperand(0) : input)
                                     .getDefiningOp<linalg::GenericOp>());
    if (!halves)
      return rewriter.notifyMatchFailure(kernel, "reads no widened halves");
    if (reshape) {
      auto type = cast<RankedTensorType>(input.getType());
      Operation *ofHalves = rewriter.clone(*reshape);
      ofHalves->setOperand(0, halves);
      ofHalves->getResult(0).setType(type.clone(rewriter.getF16Type()));
      halves = ofHalves->getResult(0);
    }
    rewriter.modifyOpInPlace(kernel, [&] { kernel->setOperand(0, halves); });
    return success();
  }
};

/// What is known of the integer `value` from at most `depth` operations.
ConstantIntRanges rangeOf(Value value, unsigned depth) {
  unsigned width = ConstantIntRanges::getStorageBitwidth(value.getType());
  ConstantIntRanges range = ConstantIntRanges::maxRange(width);
  auto op = value.getDefiningOp<InferIntRangeInterface>();
  if (!op || depth == 0 || !llvm::all_of(op->getOperandTypes(), [](Type type) {
        return type.isIntOrIndex();
      }))
    return range;
  SmallVector<ConstantIntRanges> operands;
  for (Value operand : op->getOperands())
    operands.push_back(rangeOf(operand, depth - 1));
  op.inferResultRanges(operands,
                       [&](Value result, const ConstantIntRanges &inferred) {
                         if (result == value)
                           range = inferred;
                       });
  return range;
}

/// extsi(trunci(x)) -> x, extended or truncated once, where nothing is cut off:
/// a quantized output that was clamped to its type is the next kernel's input.
/// LLVM does not see through the zero point between the bounds and the
/// truncation; packing and unpacking then cost a third of an epilogue.
template <typename ExtendOp> struct FoldNarrowing : OpRewritePattern<ExtendOp> {
  using OpRewritePattern<ExtendOp>::OpRewritePattern;

  LogicalResult matchAndRewrite(ExtendOp op,
                                PatternRewriter &rewriter) const override {
    auto narrow = op.getIn().template getDefiningOp<arith::TruncIOp>();
    if (!narrow || !narrow.getType().isInteger())
      return failure();
    unsigned width = narrow.getType().getIntOrFloatBitWidth();
    Value wide = narrow.getIn();
    // A clamp and a zero point.
    ConstantIntRanges range = rangeOf(wide, /*depth=*/4);
    bool isKept = std::is_same_v<ExtendOp, arith::ExtSIOp>
                      ? range.smin().isSignedIntN(width) &&
                            range.smax().isSignedIntN(width)
                      : range.umax().isIntN(width);
    if (!isKept)
      return failure();
    unsigned from = wide.getType().getIntOrFloatBitWidth();
    unsigned to = op.getType().getIntOrFloatBitWidth();
    if (from < to)
      rewriter.replaceOpWithNewOp<ExtendOp>(op, op.getType(), wide);
    else if (from > to)
      rewriter.replaceOpWithNewOp<arith::TruncIOp>(op, op.getType(), wide);
    else
      rewriter.replaceOp(op, wide);
    return success();
  }
};

struct FuseEpiloguePass
    : public nnhal::impl::FuseEpilogueBase<FuseEpiloguePass> {
  using Base::Base;

  void runOnOperation() override {
    std::unique_ptr<nnhal::LoweringPolicy> policy =
        nnhal::loweringPolicyOf(getOperation());
    if (!policy)
      return signalPassFailure();
    auto count = [&] {
      int64_t found = 0;
      getOperation()->walk([&](linalg::GenericOp) { ++found; });
      return found;
    };
    int64_t before = count();
    RewritePatternSet patterns(&getContext());
    patterns.add<FuseConsumer>(&getContext(), *policy);
    if (policy->hasHalfKernels())
      patterns.add<ReadHalves>(&getContext());
    patterns.add<FoldNarrowing<arith::ExtSIOp>, FoldNarrowing<arith::ExtUIOp>>(
        &getContext());
    GreedyRewriteConfig config;
    config.enableFolding(false).enableConstantCSE(false);
    if (failed(
            applyPatternsGreedily(getOperation(), std::move(patterns), config)))
      return signalPassFailure();
    numFused += before - count();
  }
};

} // namespace
