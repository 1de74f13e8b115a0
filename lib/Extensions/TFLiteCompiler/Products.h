//===- Products.h - Sums of products of integers ----------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sums of products as named operations of linalg, of which the passes of
// targets make what is fast there.
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_EXTENSIONS_TFLITECOMPILER_PRODUCTS_H
#define NNHAL_LIB_EXTENSIONS_TFLITECOMPILER_PRODUCTS_H

#include "mlir/IR/ImplicitLocOpBuilder.h"

#include <array>

namespace nnhal::tflite {

/// A window that moves over an image; heights first.
struct ProductWindow {
  llvm::ArrayRef<int64_t> strides, dilations;
  /// [top, bottom, left, right].
  std::array<int64_t, 4> pads;
};

/// \p image, NHWC, with the zeros that \p pads say around it.
mlir::Value padded(mlir::ImplicitLocOpBuilder &b, mlir::Value image,
                   const std::array<int64_t, 4> &pads);

/// The sums, in i32 and of \p shape, of the products of \p image and \p filter,
/// [out, height, width, in], both of i8 or i16. Those of an output channel
/// begin with its number of \p first.
mlir::Value sumProducts(mlir::ImplicitLocOpBuilder &b, mlir::Value image,
                        mlir::Value filter, llvm::ArrayRef<int32_t> first,
                        llvm::ArrayRef<int64_t> shape,
                        const ProductWindow &window);

/// Returns sumProducts() of the rows of \p matrix, [1, 1, rows, depth], and
/// those of \p filter, [out, 1, 1, depth]: a product of matrices.
mlir::Value sumProductsOfRows(mlir::ImplicitLocOpBuilder &b, mlir::Value matrix,
                              mlir::Value filter,
                              llvm::ArrayRef<int32_t> first);

} // namespace nnhal::tflite

#endif // NNHAL_LIB_EXTENSIONS_TFLITECOMPILER_PRODUCTS_H
