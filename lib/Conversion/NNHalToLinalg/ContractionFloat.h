//===- ContractionFloat.h - Float contractions as kernels -------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Contractions of f32 tensors with known extents, where float models spend
// their time, as micro-kernels. Filters and biases are packed in panels of
// output channels. Each function defines the output.
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_CONVERSION_NNHALTOLINALG_CONTRACTIONFLOAT_H
#define NNHAL_LIB_CONVERSION_NNHALTOLINALG_CONTRACTIONFLOAT_H

#include "Engine/WindowAxes.h"

namespace nnhal {

/// Whether inputs 0 to 2 of \p op are what the functions below take, and the
/// target has kernels: f32, elements, known extents, a bias for each of \p
/// channels output channels.
bool isFloatContraction(OperationLowering &op, const Tensor &input,
                        const Tensor &filter, Scalar channels);

/// The filter is [out, height, width, in].
void lowerToFloatConvolution(OperationLowering &op, const Tensor &input,
                             const Tensor &filter, const KernelWindow &window,
                             rt::FusedActivation activation);
/// The filter is [1, height, width, out].
void lowerToFloatDepthwise(OperationLowering &op, const Tensor &input,
                           const Tensor &filter, const KernelWindow &window,
                           rt::FusedActivation activation);
/// \p input, of rows of as many elements, times \p weights, [units, size]: a
/// convolution with a 1x1 filter over one row of pixels.
void lowerToFloatProduct(OperationLowering &op, const Tensor &input,
                         const Tensor &weights, rt::FusedActivation activation);

} // namespace nnhal

#endif // NNHAL_LIB_CONVERSION_NNHALTOLINALG_CONTRACTIONFLOAT_H
