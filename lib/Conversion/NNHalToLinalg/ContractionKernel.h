//===- ContractionKernel.h - Quantized contractions as kernels --*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Contractions of 8-bit tensors with known extents, where quantized models
// spend their time, as micro-kernels. Values less their zero points are
// multiplied: as pairs of i16 that i32 accumulate, or as f32 where every sum is
// an integer below 2^24, so that nothing is rounded. Where the target has an
// instruction for it, quads of 8 bits are multiplied as they are, and what the
// zero points add is taken off: of the inputs' in what sums begin with, of the
// filter's with a sum of each window's inputs. The scaling to the output's
// units is elementwise; fusion makes it the kernel's epilogue. Also the
// products of recurrent cells of floats, all gates at once.
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_CONVERSION_NNHALTOLINALG_CONTRACTIONKERNEL_H
#define NNHAL_LIB_CONVERSION_NNHALTOLINALG_CONTRACTIONKERNEL_H

#include "Engine/WindowAxes.h"

namespace nnhal {

/// Whether inputs 0 and 1 of \p op are what kernels take, and the target has
/// kernels: 8 bits, elements, known extents.
bool isKernelContraction(const OperationLowering &op, const Tensor &input,
                         const Tensor &filter);

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
