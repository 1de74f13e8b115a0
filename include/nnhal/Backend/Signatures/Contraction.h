//===- Contraction.h - Decoded convolutions ---------------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_BACKEND_SIGNATURES_CONTRACTION_H
#define NNHAL_BACKEND_SIGNATURES_CONTRACTION_H

#include "nnhal/Backend/Signatures.h"
#include "nnhal/Runtime/Api.h"

namespace nnhal::rt {

/// A convolution of any kind with its parameters resolved: whatever form the
/// operation has, these are its NHWC input and explicit pads.
struct ConvolutionForm {
  TensorType input;
  ConvolutionParams params;
  /// The depth multiplier of DEPTHWISE_CONV_2D.
  int64_t depthMultiplier = 1;
  /// The number of groups of GROUPED_CONV_2D.
  int64_t groups = 1;
  /// Input 0 and output 0 are in NCHW order; the filter never is (M-011).
  bool isNchw = false;
};

/// Decodes CONV_2D, DEPTHWISE_CONV_2D, GROUPED_CONV_2D and TRANSPOSE_CONV_2D.
/// Where a value is absent, the extents of the form's input are unknown and the
/// parameters break no rule. Fails with invalidArgument where no form fits.
NNHAL_API Result<ConvolutionForm>
decodeConvolution(const OperationView &operation);

} // namespace nnhal::rt

#endif // NNHAL_BACKEND_SIGNATURES_CONTRACTION_H
