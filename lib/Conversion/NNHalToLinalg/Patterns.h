//===- Patterns.h - What the families' patterns share -----------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_CONVERSION_NNHALTOLINALG_PATTERNS_H
#define NNHAL_LIB_CONVERSION_NNHALTOLINALG_PATTERNS_H

#include "nnhal/Conversion/NNHalToLinalg.h"
#include "nnhal/Dialect/Kernel/Kernel.h"
#include "nnhal/Dialect/NNHal/IR/NNHalOps.h"

#include "../Common/LinalgBuilders.h"

namespace nnhal {

/// Base of every lowering: checks what all of them need, then calls lower().
template <typename OpTy>
class LoweringPattern : public mlir::OpConversionPattern<OpTy> {
public:
  using Adaptor = typename OpTy::Adaptor;

  LoweringPattern(const mlir::TypeConverter &converter,
                  mlir::MLIRContext *context, LinalgLowering &lowering)
      : mlir::OpConversionPattern<OpTy>(converter, context),
        lowering(lowering) {}

  mlir::LogicalResult
  matchAndRewrite(OpTy op, Adaptor adaptor,
                  mlir::ConversionPatternRewriter &rewriter) const final;

protected:
  /// Replaces \p op, or returns reject(...) before it has changed anything.
  virtual mlir::LogicalResult
  lower(OpTy op, Adaptor adaptor, mlir::ImplicitLocOpBuilder &builder,
        mlir::ConversionPatternRewriter &rewriter) const = 0;

  mlir::LogicalResult reject(mlir::Operation *op,
                             const llvm::Twine &reason) const {
    return lowering.reject(op, reason);
  }

  LinalgLowering &lowering;
};

/// Success when every operand and result of \p op is a tensor that can be
/// compiled; otherwise rejects the first that is not.
mlir::LogicalResult checkTensorTypes(mlir::Operation *op,
                                     LinalgLowering &lowering);

template <typename OpTy>
mlir::LogicalResult LoweringPattern<OpTy>::matchAndRewrite(
    OpTy op, Adaptor adaptor, mlir::ConversionPatternRewriter &rewriter) const {
  if (failed(checkTensorTypes(op, lowering)))
    return mlir::failure();
  mlir::ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
  return lower(op, adaptor, builder, rewriter);
}

/// \p value limited as \p activation says (M-019).
mlir::Value applyActivation(mlir::ImplicitLocOpBuilder &builder,
                            FusedActivation activation, mlir::Value value);

/// Ends \p kernel in \p activation, on the accumulators.
void addEpilogue(mlir::ImplicitLocOpBuilder &builder,
                 kernel::KernelOpInterface kernel, FusedActivation activation);

/// \p axis counted from the front.
inline int64_t frontAxis(int64_t axis, int64_t rank) {
  return axis < 0 ? axis + rank : axis;
}

void populateActivationPatterns(const mlir::TypeConverter &converter,
                                mlir::RewritePatternSet &patterns,
                                LinalgLowering &lowering);
void populateConstantPatterns(const mlir::TypeConverter &converter,
                              mlir::RewritePatternSet &patterns,
                              LinalgLowering &lowering);
void populateContractionPatterns(const mlir::TypeConverter &converter,
                                 mlir::RewritePatternSet &patterns,
                                 LinalgLowering &lowering);
void populateDataMovementPatterns(const mlir::TypeConverter &converter,
                                  mlir::RewritePatternSet &patterns,
                                  LinalgLowering &lowering);
void populateElementwisePatterns(const mlir::TypeConverter &converter,
                                 mlir::RewritePatternSet &patterns,
                                 LinalgLowering &lowering);
/// Operations in the HAL's form (General/OperationLowering.h).
void populateGeneralPatterns(const mlir::TypeConverter &converter,
                             mlir::RewritePatternSet &patterns,
                             LinalgLowering &lowering);
void populateReductionPatterns(const mlir::TypeConverter &converter,
                               mlir::RewritePatternSet &patterns,
                               LinalgLowering &lowering);
void populateResizePatterns(const mlir::TypeConverter &converter,
                            mlir::RewritePatternSet &patterns,
                            LinalgLowering &lowering);
void populateWindowPatterns(const mlir::TypeConverter &converter,
                            mlir::RewritePatternSet &patterns,
                            LinalgLowering &lowering);

} // namespace nnhal

#endif // NNHAL_LIB_CONVERSION_NNHALTOLINALG_PATTERNS_H
