//===- Elements.h - Arithmetic of elements ----------------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Builds the arithmetic of FixedPoint.h, which the extension's half in the
// runtime computes with, as operations on one element: bit for bit the same.
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_EXTENSIONS_TFLITECOMPILER_ELEMENTS_H
#define NNHAL_LIB_EXTENSIONS_TFLITECOMPILER_ELEMENTS_H

#include "Extensions/TFLite/FixedPoint.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace nnhal::tflite {

/// Builds operations on scalars.
class Elements {
public:
  explicit Elements(mlir::ImplicitLocOpBuilder &builder) : b(builder) {}

  mlir::ImplicitLocOpBuilder &builder() { return b; }
  mlir::Value constant(mlir::Type type, int64_t number);
  mlir::Value constant(float number);
  template <typename Op, typename... Operands>
  mlir::Value make(Operands &&...operands) {
    return Op::create(b, std::forward<Operands>(operands)...);
  }
  mlir::Value compare(mlir::arith::CmpIPredicate predicate, mlir::Value a,
                      mlir::Value b);
  mlir::Value compare(mlir::arith::CmpFPredicate predicate, mlir::Value a,
                      mlir::Value b);

  /// value * 2^-exponent, rounded to nearest, halves away from zero.
  mlir::Value roundingShift(mlir::Value value, int32_t exponent);
  /// value * 2^-exponent with an exponent that is computed, rounded to nearest,
  /// halves away from zero.
  mlir::Value roundingShift(mlir::Value value, mlir::Value exponent);
  /// value * factor, rounded twice. The left shift wraps.
  mlir::Value scale(mlir::Value value, Factor factor);
  /// A 16-bit number with 15 more bits, times a factor of at most 1/2.
  mlir::Value widenedBy15(mlir::Value value, Factor factor);
  /// 1 / (1 + x) for x from 0 to 1, both without integer bits.
  mlir::Value reciprocalOfOnePlus(mlir::Value x);
  /// The number within \p bounds.
  mlir::Value bounded(mlir::Value value, Bounds bounds);
  /// The entry \p place of \p table, which is within it.
  mlir::Value lookUp(mlir::Value table, mlir::Value place);
  /// A number without quantization after a fused activation.
  mlir::Value activated(mlir::Value value, Activation activation);

private:
  /// Rounds value * 2^-exponent by a \p mask of the bits that are shifted out,
  /// and half of that.
  mlir::Value roundingShift(mlir::Value value, mlir::Value exponent,
                            mlir::Value mask, mlir::Value half);

  mlir::ImplicitLocOpBuilder &b;
};

/// Builds a loop over all elements of a tensor of type \p result, each of which
/// \p body computes of the elements of \p inputs at \p maps.
mlir::Value
mapElements(mlir::ImplicitLocOpBuilder &builder, mlir::RankedTensorType result,
            mlir::ValueRange inputs, llvm::SmallVector<mlir::AffineMap> maps,
            llvm::function_ref<mlir::Value(Elements &, mlir::ValueRange)> body);

/// Builds a tensor of \p shape whose elements are \p element.
mlir::Value filled(mlir::ImplicitLocOpBuilder &builder,
                   llvm::ArrayRef<int64_t> shape, mlir::Value element);
inline mlir::Value filled(mlir::ImplicitLocOpBuilder &builder,
                          llvm::ArrayRef<int64_t> shape,
                          mlir::TypedAttr element) {
  return filled(builder, shape,
                mlir::arith::ConstantOp::create(builder, element));
}

/// Builds a constant of \p entries.
mlir::Value tableConstant(mlir::OpBuilder &builder, mlir::Location loc,
                          llvm::ArrayRef<int8_t> entries);
mlir::Value tableConstant(mlir::OpBuilder &builder, mlir::Location loc,
                          llvm::ArrayRef<int16_t> entries);
mlir::Value tableConstant(mlir::OpBuilder &builder, mlir::Location loc,
                          llvm::ArrayRef<int32_t> entries);

} // namespace nnhal::tflite

#endif // NNHAL_LIB_EXTENSIONS_TFLITECOMPILER_ELEMENTS_H
