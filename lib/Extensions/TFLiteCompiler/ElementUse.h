//===- ElementUse.h - What an element is computed of ------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_EXTENSIONS_TFLITECOMPILER_ELEMENTUSE_H
#define NNHAL_LIB_EXTENSIONS_TFLITECOMPILER_ELEMENTUSE_H

#include "Elements.h"
#include "TFLiteDialect.h"

#include "mlir/Dialect/Quant/IR/QuantTypes.h"
#include "mlir/IR/TypeUtilities.h"

namespace nnhal::tflite {

inline float scaleOf(mlir::Type type) {
  auto quantized = llvm::cast<mlir::quant::UniformQuantizedType>(
      mlir::getElementTypeOrSelf(type));
  return float(quantized.getScale());
}

/// An operation whose elements are computed, with the types that the model
/// states.
struct Use {
  // The accessors of operations are not const.
  mutable ElementwiseOp op;
  ElementClass element;
  /// The type of an element of the result as it is stored.
  mlir::Type stored;
  /// The results of a function of one byte or 16-bit number for each of its bit
  /// patterns; null where they are computed otherwise.
  mlir::Value table;

  Function function() const { return op.getFunction(); }
  float scale(unsigned input) const {
    return scaleOf(op.getInputs()[input].getType());
  }
  float resultScale() const { return scaleOf(op.getResult().getType()); }
  Activation activation() const { return Activation(op.getActivation()); }
  Bounds bounds(Activation activation) const {
    return activationBounds(activation, boundsOf<int16_t>(), resultScale(), 0);
  }
};

/// Builds the table of \p op in front of it; null where its function needs
/// none.
mlir::Value buildTable(mlir::OpBuilder &builder, ElementwiseOp op);
/// The result of the bits \p x in the table of \p use.
mlir::Value lookedUp(Elements &elements, const Use &use, mlir::Value x);
/// Computes an element of 16-bit numbers \p x.
mlir::Value computeFixed16(Elements &elements, const Use &use,
                           mlir::ValueRange x);

/// The quotient of quantized numbers less their zero points, which have 32
/// bits, times \p factor.
mlir::Value quotientOfSteps(Elements &elements, mlir::Value a, mlir::Value b,
                            Factor factor);

/// The quotient of integers that is rounded to 0, that is rounded down, or the
/// rest of the latter. They wrap; a divisor of 0 is taken for 1, so that no
/// damaged constant ends the process.
mlir::Value dividedIntegers(Elements &elements, Function function,
                            mlir::Value a, mlir::Value b);

} // namespace nnhal::tflite

#endif // NNHAL_LIB_EXTENSIONS_TFLITECOMPILER_ELEMENTUSE_H
