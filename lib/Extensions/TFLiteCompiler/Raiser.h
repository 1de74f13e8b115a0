//===- Raiser.h - What raising one operation needs --------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_EXTENSIONS_TFLITECOMPILER_RAISER_H
#define NNHAL_LIB_EXTENSIONS_TFLITECOMPILER_RAISER_H

#include "Raising.h"
#include "TFLiteDialect.h"

#include "nnhal/Dialect/NNHal/IR/HalForm.h"

#include "mlir/Dialect/Utils/IndexingUtils.h"

namespace nnhal::tflite {

using Extents = llvm::SmallVector<int64_t>;

/// Reads the operands of one operation, the first of which is a tensor of known
/// extents, and builds in its place.
class Raiser {
protected:
  Raiser(OperationOp op, mlir::OpBuilder &builder)
      : op(op), builder(builder), loc(op.getLoc()),
        input(op.getInputs().front()) {}

  Extents integers(unsigned index) {
    return constantIntegers(op.getInputs()[index]);
  }
  /// None where the operand is not one integer.
  std::optional<int64_t> integer(size_t index) {
    return constantInteger(op.getInputs()[index]);
  }
  static Extents shapeOf(mlir::Value value) {
    return Extents(tflite::shapeOf(value));
  }
  static mlir::RankedTensorType typeOf(mlir::Value value,
                                       llvm::ArrayRef<int64_t> shape) {
    return mlir::RankedTensorType::get(
        shape, mlir::getElementTypeOrSelf(value.getType()));
  }
  mlir::RankedTensorType resultType(unsigned index = 0) {
    return llvm::cast<mlir::RankedTensorType>(op->getResult(index).getType());
  }
  Extents resultShape(unsigned index = 0) {
    return Extents(resultType(index).getShape());
  }
  /// Whether the result has as many elements as a tensor of \p shape.
  bool hasElements(llvm::ArrayRef<int64_t> shape, unsigned index = 0) {
    std::optional<int64_t> count = elementsOf(shape);
    return count && count == elementsOf(resultType(index).getShape());
  }
  mlir::Value reshape(mlir::Value value, llvm::ArrayRef<int64_t> shape) {
    if (tflite::shapeOf(value) == shape)
      return value;
    return ReshapeOp::create(builder, loc, typeOf(value, shape), value);
  }

  mlir::Value transpose(mlir::Value value,
                        llvm::ArrayRef<int64_t> permutation) {
    return TransposeOp::create(
        builder, loc,
        typeOf(value, mlir::applyPermutation(shapeOf(value), permutation)),
        value, permutation);
  }
  /// \p size elements along \p axis, \p stride apart, from \p offset on.
  mlir::Value slice(mlir::Value value, size_t axis, int64_t offset,
                    int64_t size, int64_t stride = 1) {
    Extents shape = shapeOf(value), offsets(shape.size(), 0),
            strides(shape.size(), 1);
    shape[axis] = size;
    offsets[axis] = offset;
    strides[axis] = stride;
    return SliceOp::create(builder, loc, typeOf(value, shape), value, offsets,
                           strides);
  }
  mlir::Value concatenate(mlir::ValueRange values, size_t axis) {
    Extents shape = shapeOf(values.front());
    for (mlir::Value value : values.drop_front())
      shape[axis] += shapeOf(value)[axis];
    return ConcatenateOp::create(builder, loc, typeOf(values.front(), shape),
                                 values, axis);
  }

  OperationOp op;
  mlir::OpBuilder &builder;
  mlir::Location loc;
  mlir::Value input;
};

} // namespace nnhal::tflite

#endif // NNHAL_LIB_EXTENSIONS_TFLITECOMPILER_RAISER_H
