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

/// Element types of tensors that a pattern takes, as bits.
enum ElementTypes : unsigned {
  takesFloats = 1,
  takesIntegers = 2,
  takesBooleans = 4,
};

/// Base of lowerings that make better code of some uses than the general one of
/// Engine/OperationLowering.h, which takes the rest: declines what is not of
/// static tensors with elements of \p types, then calls lower().
template <typename OpTy>
class LoweringPattern : public mlir::OpConversionPattern<OpTy> {
public:
  using Adaptor = typename OpTy::Adaptor;

  LoweringPattern(const mlir::TypeConverter &converter,
                  mlir::MLIRContext *context, LinalgLowering &lowering,
                  unsigned types = takesFloats)
      : mlir::OpConversionPattern<OpTy>(converter, context, /*benefit=*/2),
        lowering(lowering), types(types) {}

  mlir::LogicalResult
  matchAndRewrite(OpTy op, Adaptor adaptor,
                  mlir::ConversionPatternRewriter &rewriter) const final;

protected:
  /// Replaces \p op, or declines it before it has changed anything.
  virtual mlir::LogicalResult
  lower(OpTy op, Adaptor adaptor, mlir::ImplicitLocOpBuilder &builder,
        mlir::ConversionPatternRewriter &rewriter) const = 0;

  LinalgLowering &lowering;

private:
  unsigned types;
};

/// Whether the operands and results of \p op are static tensors with elements
/// of f32, i32 or i8, the data being of \p types. The data is the last operand
/// of an operation that has one, else the result: the others have its type or
/// one that the rule says.
bool isStatic(mlir::Operation *op, unsigned types);

template <typename OpTy>
mlir::LogicalResult LoweringPattern<OpTy>::matchAndRewrite(
    OpTy op, Adaptor adaptor, mlir::ConversionPatternRewriter &rewriter) const {
  if (!isStatic(op, types))
    return rewriter.notifyMatchFailure(op, "other types or unknown extents");
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
/// Operations in the HAL's form (Engine/OperationLowering.h).
void populateGeneralPatterns(const mlir::TypeConverter &converter,
                             mlir::RewritePatternSet &patterns,
                             LinalgLowering &lowering);
void populateReductionPatterns(const mlir::TypeConverter &converter,
                               mlir::RewritePatternSet &patterns,
                               LinalgLowering &lowering);
void populateResizePatterns(const mlir::TypeConverter &converter,
                            mlir::RewritePatternSet &patterns,
                            LinalgLowering &lowering);
void populateShapePatterns(const mlir::TypeConverter &converter,
                           mlir::RewritePatternSet &patterns,
                           LinalgLowering &lowering);
void populateSoftmaxPatterns(const mlir::TypeConverter &converter,
                             mlir::RewritePatternSet &patterns,
                             LinalgLowering &lowering);
void populateWindowPatterns(const mlir::TypeConverter &converter,
                            mlir::RewritePatternSet &patterns,
                            LinalgLowering &lowering);

} // namespace nnhal

#endif // NNHAL_LIB_CONVERSION_NNHALTOLINALG_PATTERNS_H
