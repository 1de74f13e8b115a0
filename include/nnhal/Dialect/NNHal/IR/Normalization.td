//===- Normalization.td - Normalizations -------------------*- tablegen -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_DIALECT_NNHAL_IR_NORMALIZATION
#define NNHAL_DIALECT_NNHAL_IR_NORMALIZATION

include "nnhal/Dialect/NNHal/IR/HalForm.td"

def NNHal_NormalizationGroup : OpDocGroup {
  let summary = "Normalizations";
  let description = "Rules: docs/Spec/Normalization.md.";
}

let opDocGroup = NNHal_NormalizationGroup in {

def NNHal_L2NormalizationOp : NNHal_FormOp<NNHal_L2_NORMALIZATION> {
  let summary = "x divided by the root of the sum of squares along an axis";
  let description = [{
    ```mlir
    %0 = nnhal.l2_normalization %x axis 1 : (tensor<2x3xf32>) -> tensor<2x3xf32>
    ```
  }];
}

def NNHal_LocalResponseNormalizationOp
    : NNHal_FormOp<NNHal_LOCAL_RESPONSE_NORMALIZATION> {
  let summary = "x / (bias + alpha * sum of squares within radius)^beta";
  let description = [{
    ```mlir
    %0 = nnhal.local_response_normalization %x
        radius 2 bias 1.0 alpha 2.0 beta 0.5
        : (tensor<1x1x1x6xf32>) -> tensor<1x1x1x6xf32>
    ```
  }];
}

def NNHal_InstanceNormalizationOp
    : NNHal_FormOp<NNHal_INSTANCE_NORMALIZATION, hasSpatialResult = 1> {
  let summary = "gamma * (x - mean) / sqrt(variance + epsilon) + beta";
  let description = [{
    Mean and variance are those of each channel of each batch.

    ```mlir
    %0 = nnhal.instance_normalization %x
        gamma 1.0 beta 0.0 epsilon 1.0e-4
        : (tensor<2x2x2x2xf32>) -> tensor<2x2x2x2xf32>
    ```
  }];
}

} // opDocGroup

#endif // NNHAL_DIALECT_NNHAL_IR_NORMALIZATION
