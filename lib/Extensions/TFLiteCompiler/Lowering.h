//===- Lowering.h - The lowering of one operation ---------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_EXTENSIONS_TFLITECOMPILER_LOWERING_H
#define NNHAL_LIB_EXTENSIONS_TFLITECOMPILER_LOWERING_H

#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/Transforms/DialectConversion.h"

#include <memory>

namespace nnhal::tflite {

/// \p value, of known extents, in another shape of as many elements.
mlir::Value reshaped(mlir::ImplicitLocOpBuilder &builder, mlir::Value value,
                     llvm::ArrayRef<int64_t> shape);

/// The lowering of \p Op, whose only result has a type of known extents. The
/// file of an operation specializes lower(), which returns what replaces it.
template <typename Op> struct TensorLowering : mlir::OpConversionPattern<Op> {
  using mlir::OpConversionPattern<Op>::OpConversionPattern;

  llvm::LogicalResult
  matchAndRewrite(Op op, typename Op::Adaptor adaptor,
                  mlir::ConversionPatternRewriter &rewriter) const override {
    auto result = llvm::dyn_cast_or_null<mlir::RankedTensorType>(
        this->getTypeConverter()->convertType(op.getResult().getType()));
    if (!result)
      return llvm::failure();
    mlir::ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    rewriter.replaceOp(op, lower(b, op, adaptor, result));
    return llvm::success();
  }

private:
  static mlir::Value lower(mlir::ImplicitLocOpBuilder &b, Op op,
                           typename Op::Adaptor adaptor,
                           mlir::RankedTensorType result);
};

} // namespace nnhal::tflite

#endif // NNHAL_LIB_EXTENSIONS_TFLITECOMPILER_LOWERING_H
