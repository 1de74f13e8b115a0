//===- ContractionKernel.h - Contractions as micro-kernels ------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Contractions of known extents, where models spend their time, as operations
// of nnk. Those of f32 have the activation as their epilogue. Those of 8 bits
// add up products of values less their zero points; scaling the sums to the
// output's units is elementwise, and fusion makes it the kernel's epilogue.
// Filters stay in the order of the model: nnk-pack-convolutions packs them.
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_CONVERSION_NNHALTOLINALG_CONTRACTIONKERNEL_H
#define NNHAL_LIB_CONVERSION_NNHALTOLINALG_CONTRACTIONKERNEL_H

#include "Engine/WindowAxes.h"

namespace nnhal {

/// Whether inputs 0 to 2 of \p op are what kernels take, and the target has
/// kernels: elements, known extents, and 8 bits, or f32 with a bias for each of
/// \p channels output channels.
bool isKernelContraction(OperationLowering &op, const Tensor &input,
                         const Tensor &filter, Scalar channels);

/// Define the output. The filter is [out, height, width, in]; [1, height,
/// width, out]; [units, size], which \p input, [rows, size], is multiplied
/// with. lowerToDepthwiseKernel() returns false, and defines nothing, where
/// sums may not be exact.
void lowerToConvolutionKernel(OperationLowering &op, const Tensor &input,
                              const Tensor &filter, const KernelWindow &window,
                              rt::FusedActivation activation);
bool lowerToDepthwiseKernel(OperationLowering &op, const Tensor &input,
                            const Tensor &filter, const KernelWindow &window,
                            rt::FusedActivation activation);
void lowerToProductKernel(OperationLowering &op, const Tensor &input,
                          const Tensor &filter, rt::FusedActivation activation);

/// Whether input \p index of \p op is a matrix of constant f32 with elements,
/// and the target has kernels.
bool isKernelMatrix(const OperationLowering &op, size_t index);
/// The f32 \p vectors, [rows, size] of known extents, times each row of the
/// matrices that are the inputs \p matrices, one below the other, [units,
/// size]; plus the biases, of constant f32, that are the inputs \p biases, if
/// any. Returns [rows, all units].
Tensor multiplyByMatrices(OperationLowering &op, const Tensor &vectors,
                          llvm::ArrayRef<size_t> matrices,
                          llvm::ArrayRef<size_t> biases);

/// The same of \p vectors of 8 bits and constant matrices of 8 bits, both less
/// their zero points, as i32. Nothing where one of them is something else, or a
/// sum might not fit.
std::optional<Tensor> multiplyByByteMatrices(OperationLowering &op,
                                             const Tensor &vectors,
                                             llvm::ArrayRef<size_t> matrices);

} // namespace nnhal

#endif // NNHAL_LIB_CONVERSION_NNHALTOLINALG_CONTRACTIONKERNEL_H
