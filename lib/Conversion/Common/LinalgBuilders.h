//===- LinalgBuilders.h - Short forms for building linalg -------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_CONVERSION_COMMON_LINALGBUILDERS_H
#define NNHAL_LIB_CONVERSION_COMMON_LINALGBUILDERS_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace nnhal {

/// Builds the body of a linalg operation from the elements of its operands.
using BodyBuilder = llvm::function_ref<mlir::Value(mlir::ImplicitLocOpBuilder &,
                                                   mlir::ValueRange)>;

/// An f32 or integer constant, as a scalar of \p type.
mlir::Value scalarConstant(mlir::ImplicitLocOpBuilder &builder, mlir::Type type,
                           double value);

/// `lhs > rhs ? lhs : rhs` and its counterpart; signed for integers. In this
/// form a processor needs one instruction: arith.maximumf costs three for its
/// NaN rule.
mlir::Value larger(mlir::ImplicitLocOpBuilder &builder, mlir::Value lhs,
                   mlir::Value rhs);
mlir::Value smaller(mlir::ImplicitLocOpBuilder &builder, mlir::Value lhs,
                    mlir::Value rhs);

/// The map by which an operand of shape \p operand is read in a loop nest over
/// \p result: right-aligned, extent 1 stays at 0 (M-021).
mlir::AffineMap broadcastMap(mlir::RankedTensorType operand,
                             mlir::RankedTensorType result);

/// One result element from one element of each input, with broadcasting.
mlir::Value buildElementwise(mlir::ImplicitLocOpBuilder &builder,
                             mlir::RankedTensorType type,
                             mlir::ValueRange inputs, BodyBuilder body);

/// The same, written over \p init, for example a slice of a larger result.
mlir::Value buildElementwiseInto(mlir::ImplicitLocOpBuilder &builder,
                                 mlir::Value init, mlir::ValueRange inputs,
                                 BodyBuilder body);

/// A tensor full of \p value.
mlir::Value buildFilled(mlir::ImplicitLocOpBuilder &builder,
                        mlir::RankedTensorType type, mlir::Value value);

/// Folds \p input over \p axes (ascending, distinct), starting from
/// \p identity; the result has no such dimensions. \p body gets (element,
/// accumulator).
mlir::Value buildReduction(mlir::ImplicitLocOpBuilder &builder,
                           mlir::Value input, llvm::ArrayRef<int64_t> axes,
                           mlir::Value identity, BodyBuilder body);

/// The elements of \p value in another shape of as many.
mlir::Value buildReshape(mlir::ImplicitLocOpBuilder &builder, mlir::Value value,
                         llvm::ArrayRef<int64_t> shape);

/// Result dimension i is dimension permutation[i] of \p value.
mlir::Value buildTranspose(mlir::ImplicitLocOpBuilder &builder,
                           mlir::Value value,
                           llvm::ArrayRef<int64_t> permutation);

/// \p value surrounded by \p fill; low and high extents per dimension.
mlir::Value buildPadded(mlir::ImplicitLocOpBuilder &builder, mlir::Value value,
                        llvm::ArrayRef<int64_t> low,
                        llvm::ArrayRef<int64_t> high, mlir::Value fill);

/// \p source in \p target at static \p offsets.
mlir::Value buildInsert(mlir::ImplicitLocOpBuilder &builder, mlir::Value source,
                        mlir::Value target, llvm::ArrayRef<int64_t> offsets);

/// Static part of \p source.
mlir::Value buildExtract(mlir::ImplicitLocOpBuilder &builder,
                         mlir::Value source, llvm::ArrayRef<int64_t> offsets,
                         llvm::ArrayRef<int64_t> sizes,
                         llvm::ArrayRef<int64_t> strides);

inline mlir::RankedTensorType rankedType(mlir::Value value) {
  return llvm::cast<mlir::RankedTensorType>(value.getType());
}

} // namespace nnhal

#endif // NNHAL_LIB_CONVERSION_COMMON_LINALGBUILDERS_H
