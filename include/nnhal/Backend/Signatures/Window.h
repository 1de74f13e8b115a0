//===- Window.h - Decoded pooling and resizing ------------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_BACKEND_SIGNATURES_WINDOW_H
#define NNHAL_BACKEND_SIGNATURES_WINDOW_H

#include "nnhal/Backend/Signatures.h"
#include "nnhal/Runtime/Api.h"

namespace nnhal::rt {

/// A pooling with its parameters resolved: NHWC input, explicit pads.
struct PoolForm {
  TensorType input;
  WindowParams params;
  bool isNchw = false;
};

/// Decodes AVERAGE_POOL_2D, L2_POOL_2D and MAX_POOL_2D. Where a value is
/// absent, the extents of the form's input are unknown and the parameters break
/// no rule. Fails with invalidArgument where no form fits.
NNHAL_API Result<PoolForm> decodePool(const OperationView &operation);

struct ResizeForm {
  /// The input is NHWC.
  TensorType input;
  /// The size of the result; unknown where it depends on an unknown value.
  Extent2D size;
  bool alignCorners = false;
  bool halfPixelCenters = false;
  bool isNchw = false;
};

/// Decodes RESIZE_BILINEAR and RESIZE_NEAREST_NEIGHBOR under the same terms as
/// decodePool().
NNHAL_API Result<ResizeForm> decodeResize(const OperationView &operation);

} // namespace nnhal::rt

#endif // NNHAL_BACKEND_SIGNATURES_WINDOW_H
