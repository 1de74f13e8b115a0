//===- NNHalToLinalg.cpp - nnhal to linalg --------------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "nnhal/Conversion/NNHalToLinalg.h"

#include "Patterns.h"

#include "nnhal/Dialect/Kernel/Kernel.h"
#include "nnhal/Dialect/NNHal/IR/ExtensionInterface.h"
#include "nnhal/Dialect/NNHal/IR/NNHalOps.h"
#include "nnhal/Dialect/NNHal/IR/OperandTypes.h"
#include "nnhal/Dialect/Runtime/RuntimeOps.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Quant/IR/Quant.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Transforms/Patterns.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Iterators.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace nnhal {
#define GEN_PASS_DEF_CONVERTNNHALTOLINALG
#include "nnhal/Conversion/Passes.h.inc"
} // namespace nnhal

using namespace mlir;
using namespace nnhal;

namespace {

/// Where a graph begins and ends: its values are stored values from now on.
struct StorageCastPattern : OpConversionPattern<quant::StorageCastOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(quant::StorageCastOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOp(op, adaptor.getInput());
    return success();
  }
};

/// Between stored values, in its region, too.
struct CopyPattern : OpConversionPattern<linalg::CopyOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(linalg::CopyOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<linalg::CopyOp>(op, adaptor.getInputs(),
                                                adaptor.getOutputs());
    return success();
  }
};

/// Records by operation why patterns do not lower it. Patterns say so in a
/// remark, which has a location only, and operations may share one; but a
/// conversion tells its listener which operation a pattern is tried on.
class ReasonRecorder final : public RewriterBase::Listener {
public:
  void notifyPatternBegin(const Pattern &, Operation *op) override {
    current = op;
  }
  void notifyPatternEnd(const Pattern &, LogicalResult) override {
    current = nullptr;
  }

  void clear() { reasons.clear(); }

  /// Takes \p remark if it is a pattern's.
  LogicalResult record(const Diagnostic &remark) {
    if (!current)
      return failure();
    reasons.try_emplace(current, remark.str());
    return success();
  }

  /// Why \p op stays; null where no pattern said it.
  const std::string *reasonOf(Operation *op) const {
    auto found = reasons.find(op);
    return found == reasons.end() ? nullptr : &found->second;
  }

private:
  Operation *current = nullptr;
  llvm::DenseMap<Operation *, std::string> reasons;
};

/// The same operation on stored values.
template <typename OpTy> struct StoredPattern : OpConversionPattern<OpTy> {
  using OpConversionPattern<OpTy>::OpConversionPattern;
  LogicalResult
  matchAndRewrite(OpTy op, typename OpTy::Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    SmallVector<Type> types;
    if (failed(this->getTypeConverter()->convertTypes(op->getResultTypes(),
                                                      types)))
      return failure();
    rewriter.replaceOpWithNewOp<OpTy>(op, types, adaptor.getOperands(),
                                      op->getAttrs());
    return success();
  }
};

struct ConvertNNHalToLinalg
    : nnhal::impl::ConvertNNHalToLinalgBase<ConvertNNHalToLinalg> {
  using Base::Base;

  void runOnOperation() override {
    reasons.clear();
    conversionError.clear();
    std::unique_ptr<LoweringPolicy> policy = loweringPolicyOf(getOperation());
    if (!policy || failed(prepare()))
      return signalPassFailure();
    TargetAttr target = findTarget(getOperation());
    LinalgLowering lowering(*policy, target ? target.getRounding()
                                            : rt::Rounding::doubleRounding);
    if (failed(convertQuietly(lowering))) {
      reportReasons();
      return signalPassFailure();
    }
    if (failed(reportLeftovers()))
      return signalPassFailure();
    eraseDeadOperations();
  }

private:
  /// Rewrites operations to others of the dialect that have faster lowerings.
  LogicalResult prepare() {
    RewritePatternSet patterns(&getContext());
    populatePadFoldingPatterns(patterns, &numFoldedPads);
    populateHalfContractionPatterns(patterns, &numWidened);
    populateTransposedConvolutionPatterns(patterns, &numConvolved);
    populateStepRollingPatterns(patterns, &numRolled);
    return applyPatternsGreedily(getOperation(), std::move(patterns));
  }

  LogicalResult convert(LinalgLowering &lowering) {
    MLIRContext *context = &getContext();
    ConversionTarget target(*context);
    // Lowerings produce these dialects, which the passes of every target take.
    target.addLegalDialect<arith::ArithDialect, linalg::LinalgDialect,
                           math::MathDialect>();
    target.addLegalOp<bufferization::AllocTensorOp>();
    // Neither the dialect nor anything else is marked illegal: an operation
    // that no pattern takes stays, so that reportLeftovers() can name all of
    // them at once with reasons. Together the two are a full conversion.
    TypeConverter converter;
    converter.addConversion([](Type type) { return type; });
    converter.addConversion([](TensorType type) -> std::optional<Type> {
      auto element = dyn_cast<quant::QuantizedType>(type.getElementType());
      if (!element)
        return std::nullopt;
      // Of an operand that is left out.
      if (!type.hasRank())
        return UnrankedTensorType::get(element.getStorageType());
      return storageTypeOf(type);
    });
    auto isStored = [&](Operation *op) { return converter.isLegal(op); };
    target.addDynamicallyLegalOp<linalg::CopyOp>(isStored);
    target.addDynamicallyLegalDialect<tensor::TensorDialect, scf::SCFDialect,
                                      kernel::KernelDialect,
                                      runtime::RuntimeDialect>(isStored);
    target.addIllegalOp<quant::StorageCastOp>();
    RewritePatternSet patterns(context);
    populateNNHalToLinalgPatterns(converter, patterns, lowering);
    scf::populateSCFStructuralTypeConversions(converter, patterns);
    patterns.add<StorageCastPattern, CopyPattern, StoredPattern<tensor::CastOp>,
                 StoredPattern<tensor::DimOp>, StoredPattern<tensor::EmptyOp>,
                 StoredPattern<tensor::ExtractSliceOp>,
                 StoredPattern<tensor::InsertSliceOp>>(converter, context);
    populateExtensionPatterns(converter, patterns, target);
    DialectInterfaceCollection<NNHalExtensionInterface> extensions(context);
    for (const NNHalExtensionInterface &extension : extensions)
      extension.populateLowering(converter, patterns, target);
    ConversionConfig config;
    config.listener = &reasons;
    return applyPartialConversion(getOperation(), target, std::move(patterns),
                                  config);
  }

  /// Keeps the remarks by which patterns say why nothing will lower an
  /// operation, and the errors of the conversion, which say less.
  LogicalResult convertQuietly(LinalgLowering &lowering) {
    ScopedDiagnosticHandler handler(&getContext(), [&](Diagnostic &diagnostic) {
      switch (diagnostic.getSeverity()) {
      case DiagnosticSeverity::Remark:
        return reasons.record(diagnostic);
      case DiagnosticSeverity::Error:
        if (conversionError.empty())
          conversionError = diagnostic.str();
        return success();
      default:
        return failure();
      }
    });
    return convert(lowering);
  }

  ReasonRecorder reasons;
  /// What the conversion itself said, for want of a reason.
  std::string conversionError;

  void reportReasons() {
    bool isSilent = true;
    getOperation()->walk([&](Operation *op) {
      const std::string *reason = reasons.reasonOf(op);
      if (!isOfHal(op) || !reason)
        return;
      isSilent = false;
      op->emitOpError("cannot be lowered: ") << *reason;
    });
    if (isSilent)
      getOperation()->emitError("cannot be lowered: ") << conversionError;
  }

  /// Whether \p op is of the dialect or of an extension's.
  static bool isOfHal(Operation *op) {
    Dialect *dialect = op->getDialect();
    return isa_and_present<NNHalDialect>(dialect) ||
           (dialect &&
            dialect->getRegisteredInterface<NNHalExtensionInterface>());
  }

  LogicalResult reportLeftovers() {
    bool hasLeftovers = false;
    getOperation()->walk([&](Operation *op) {
      if (!isOfHal(op))
        return;
      if (isa<NoValueOp, ConstantCopyOp, ConstantOp>(op)) {
        // What reads it has a reason of its own.
        if (op->use_empty())
          op->erase();
        return;
      }
      hasLeftovers = true;
      const std::string *reason = reasons.reasonOf(op);
      op->emitOpError("cannot be lowered: ")
          << (reason ? StringRef(*reason) : "no lowering for this operation");
    });
    return failure(hasLeftovers);
  }

  /// Lowerings ask for parameters as values, of which most are known and fold
  /// into what is built. Most of the operations of a network would otherwise be
  /// constants that nobody reads.
  void eraseDeadOperations() {
    getOperation()->walk<WalkOrder::PostOrder, ReverseIterator>(
        [](Operation *op) {
          if (isOpTriviallyDead(op))
            op->erase();
        });
  }
};

} // namespace
