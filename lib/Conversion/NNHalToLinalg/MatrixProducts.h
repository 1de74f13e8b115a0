//===- MatrixProducts.h - Products of the cells of networks -----*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Products of vectors with constant matrices, in which recurrent networks spend
// their time, as linalg's products of matrices. Several matrices that the same
// vectors are multiplied with are one, the rows of the next below those of the
// last.
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_CONVERSION_NNHALTOLINALG_MATRIXPRODUCTS_H
#define NNHAL_LIB_CONVERSION_NNHALTOLINALG_MATRIXPRODUCTS_H

#include "Engine/OperationLowering.h"

namespace nnhal {

/// Whether input \p index of \p op is a matrix of constant f32 with elements.
bool isConstantMatrix(const OperationLowering &op, size_t index);
/// The f32 \p vectors, [rows, size] of known extents, times each row of the
/// matrices that are the inputs \p matrices, one below the other, [units,
/// size]; plus the biases, of constant f32, that are the inputs \p biases, if
/// any. Returns [rows, all units].
Tensor multiplyByMatrices(OperationLowering &op, const Tensor &vectors,
                          llvm::ArrayRef<size_t> matrices,
                          llvm::ArrayRef<size_t> biases);

/// Multiplies like multiplyByMatrices() without biases, \p vectors of 8 bits
/// and constant matrices of 8 bits, both less their zero points, as i32.
/// Nothing where one of them is something else, or a sum might not fit.
std::optional<Tensor> multiplyByByteMatrices(OperationLowering &op,
                                             const Tensor &vectors,
                                             llvm::ArrayRef<size_t> matrices);

} // namespace nnhal

#endif // NNHAL_LIB_CONVERSION_NNHALTOLINALG_MATRIXPRODUCTS_H
