//===- NamedOperations.h - Upstream's operations for windows ----*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Convolutions, products of matrices and pools of known extents as linalg's
// named operations, for every target: passes of targets match such operations,
// tile them and replace them by their own, as nnk-form-kernels by
// micro-kernels.
//
// Padding is a tensor.pad of its own, sums begin with the bias where they can,
// and what follows them (activation, scaling) is a generic. Quantized values
// are multiplied less their zero points, as i16, so that no form of an
// operation depends on a zero point. Padding is multiplied, too: beside a
// weight that is infinite or no number, pixels at the border are NaN where
// loops, which leave padding out, give a number.
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_CONVERSION_NNHALTOLINALG_NAMEDOPERATIONS_H
#define NNHAL_LIB_CONVERSION_NNHALTOLINALG_NAMEDOPERATIONS_H

#include "Engine/WindowAxes.h"

namespace nnhal {

/// Whether a contraction of \p input and \p filter becomes a named operation:
/// all extents are known and above 0.
bool isNamedContraction(const Tensor &input, const Tensor &filter);

/// Whether \p image with the pads of \p window, which a model may state as
/// large as it likes, has fewer bytes than the HAL lets a tensor have.
bool hasRoomForPads(const Tensor &image, const KernelWindow &window);

/// CONV_2D and GROUPED_CONV_2D, of \p groups. The filter is [out, height,
/// width, in / groups], the output that of the operation.
void lowerToNamedConvolution(OperationLowering &op, const Tensor &input,
                             const Tensor &filter, const KernelWindow &window,
                             int64_t groups, rt::FusedActivation activation);

/// DEPTHWISE_CONV_2D; the filter is [1, height, width, out].
void lowerToNamedDepthwise(OperationLowering &op, const Tensor &input,
                           const Tensor &filter, const KernelWindow &window,
                           rt::FusedActivation activation);

/// TRANSPOSE_CONV_2D with the strides, pads and output of \p window; the filter
/// is [out, height, width, in]. False where a pad is as large as the filter, so
/// that input pixels reach no output, where a stride is more than twice as
/// large as the filter, and where pixels apart have no room.
[[nodiscard]] bool lowerToNamedTransposed(OperationLowering &op,
                                          const Tensor &input,
                                          const Tensor &filter,
                                          const KernelWindow &window,
                                          rt::FusedActivation activation);

/// FULLY_CONNECTED of \p rows, a matrix.
void lowerToNamedProduct(OperationLowering &op, const Tensor &rows,
                         const Tensor &weights, rt::FusedActivation activation);

/// The windows of a pool, heights first.
struct NamedPool {
  KernelWindow window;
  std::array<int64_t, 2> extents;
};

/// The sums of the elements of \p image under each window, which start with
/// \p zero and have its type. Padding counts as 0.
Tensor sumWindows(OperationLowering &op, const NamedPool &pool,
                  const Tensor &image, Scalar zero);
/// The largest integer under each window, at least \p lowest. Padding counts as
/// that.
Tensor maximizeWindows(OperationLowering &op, const NamedPool &pool,
                       const Tensor &image, Scalar lowest);
/// Likewise, of floats that are not NaN: linalg's own operation hands on a NaN,
/// which MAX_POOL_2D passes over, so that this is a generic with its maps.
Tensor maximizeFloatWindows(OperationLowering &op, const NamedPool &pool,
                            const Tensor &image);

} // namespace nnhal

#endif // NNHAL_LIB_CONVERSION_NNHALTOLINALG_NAMEDOPERATIONS_H
