//===- Rows.h - Operations on rows ------------------------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_EXTENSIONS_TFLITECOMPILER_ROWS_H
#define NNHAL_LIB_EXTENSIONS_TFLITECOMPILER_ROWS_H

#include "Elements.h"

#include "Extensions/TFLite/ByteExponential.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace nnhal::tflite {

/// Builds operations on the rows of one tensor.
class Rows {
public:
  using Body = llvm::function_ref<mlir::SmallVector<mlir::Value>(
      Elements &, mlir::ValueRange)>;

  Rows(mlir::ImplicitLocOpBuilder &builder, mlir::ArrayRef<int64_t> shape)
      : b(builder), shape(shape) {}

  /// Returns tensors of \p types, of one element for each row or for each
  /// element of the rows, of \p inputs of either.
  mlir::SmallVector<mlir::Value> map(mlir::ArrayRef<mlir::Type> types,
                                     bool areRows, mlir::ValueRange inputs,
                                     Body body) {
    mlir::ArrayRef<int64_t> extents = areRows ? shape.drop_back() : shape;
    mlir::SmallVector<mlir::Value> results;
    for (mlir::Type type : types)
      results.push_back(mlir::tensor::EmptyOp::create(b, extents, type));
    return generic(extents.size(), inputs, results, body);
  }

  /// Joins the elements of each row to \p first.
  mlir::Value fold(mlir::Value input, mlir::Value first, Body body) {
    return generic(shape.size(), input, filled(b, shape.drop_back(), first),
                   body)
        .front();
  }

private:
  /// A loop over \p loops dimensions, of which tensors have all or all but the
  /// last one.
  mlir::SmallVector<mlir::Value> generic(size_t loops, mlir::ValueRange inputs,
                                         mlir::ValueRange results, Body body) {
    mlir::SmallVector<mlir::AffineMap> maps;
    for (mlir::ValueRange values : {inputs, results})
      for (mlir::Value value : values) {
        mlir::SmallVector<mlir::AffineExpr> places;
        for (int64_t axis = 0; axis < rankOf(value); ++axis)
          places.push_back(b.getAffineDimExpr(unsigned(axis)));
        maps.push_back(
            mlir::AffineMap::get(unsigned(loops), 0, places, b.getContext()));
      }
    mlir::SmallVector<mlir::utils::IteratorType> iterators(
        loops, mlir::utils::IteratorType::parallel);
    if (rankOf(results.front()) < int64_t(loops))
      iterators.back() = mlir::utils::IteratorType::reduction;
    auto op = mlir::linalg::GenericOp::create(
        b, results.getTypes(), inputs, results, maps, iterators,
        [&](mlir::OpBuilder &builder, mlir::Location loc,
            mlir::ValueRange arguments) {
          mlir::ImplicitLocOpBuilder inner(loc, builder);
          Elements elements(inner);
          mlir::linalg::YieldOp::create(inner, body(elements, arguments));
        });
    return mlir::SmallVector<mlir::Value>(op.getResults());
  }

  static int64_t rankOf(mlir::Value value) {
    return llvm::cast<mlir::RankedTensorType>(value.getType()).getRank();
  }

  mlir::ImplicitLocOpBuilder &b;
  mlir::ArrayRef<int64_t> shape;
};

/// Builds SOFTMAX of the rows of \p input, of floats.
mlir::Value floatSoftmax(mlir::ImplicitLocOpBuilder &builder, mlir::Value input,
                         float beta);
/// Builds SOFTMAX of the rows of \p input, of signed bytes, whose results are
/// fractions of 16 bits.
mlir::Value byteSoftmax(mlir::ImplicitLocOpBuilder &builder, mlir::Value input,
                        const ByteExponential &exponential);

} // namespace nnhal::tflite

#endif // NNHAL_LIB_EXTENSIONS_TFLITECOMPILER_ROWS_H
