//===- Contraction.td - Convolutions and products ----------*- tablegen -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_DIALECT_NNHAL_IR_CONTRACTION
#define NNHAL_DIALECT_NNHAL_IR_CONTRACTION

include "nnhal/Dialect/NNHal/IR/HalForm.td"

def NNHal_ContractionGroup : OpDocGroup {
  let summary = "Convolutions and products";
  let description = [{
    Rules: docs/Spec/Contraction.md. `strides` and `dilations` are [height,
    width], `pads` is [top, bottom, left, right]. Padding is real zero. Where
    `pads` is left out it follows from the extents, which may be unknown, as
    padding SAME says (M-007).
  }];
}

let opDocGroup = NNHal_ContractionGroup in {

def NNHal_Conv2DOp : NNHal_FormOp<NNHal_CONV_2D, hasSpatialResult = 1> {
  let summary = "convolution; filter [out, height, width, in]";
  let description = [{
    Every output channel is the sum of products of a window of the input with a
    filter of its own, and a bias. Dilations are the distances between the taps of a
    filter. A quantized filter may have a scale per output channel (M-073).

    ```mlir
    %0 = nnhal.conv_2d %x, %filter, %bias
        pads [1, 1, 1, 1] strides [1, 1] activation relu6
        : (tensor<1x4x4x3xf32>, tensor<8x3x3x3xf32>, tensor<8xf32>)
          -> tensor<1x4x4x8xf32>
    ```
  }];
}

def NNHal_DepthwiseConv2DOp
    : NNHal_FormOp<NNHal_DEPTHWISE_CONV_2D, hasSpatialResult = 1> {
  let summary = "convolution per channel; filter [1, height, width, out]";
  let description = [{
    Output channel n is a convolution of input channel n / `depth_multiplier` with a
    filter of one channel.

    ```mlir
    %0 = nnhal.depthwise_conv_2d %x, %filter, %bias
        pads [1, 1, 1, 1] strides [1, 1] depth_multiplier 2
        : (tensor<1x4x4x3xf32>, tensor<1x3x3x6xf32>, tensor<6xf32>)
          -> tensor<1x4x4x6xf32>
    ```
  }];
}

def NNHal_GroupedConv2DOp
    : NNHal_FormOp<NNHal_GROUPED_CONV_2D, hasSpatialResult = 1> {
  let summary = "convolution per group; filter [out, height, width, in / groups]";
  let description = [{
    Input and output channels are divided into `groups` parts, each of which is a
    convolution of its own.

    ```mlir
    %0 = nnhal.grouped_conv_2d %x, %filter, %bias
        pads [0, 0, 0, 0] strides [2, 2] groups 2
        : (tensor<1x4x4x4xf32>, tensor<8x2x2x2xf32>, tensor<8xf32>)
          -> tensor<1x2x2x8xf32>
    ```
  }];
}

def NNHal_TransposeConv2DOp
    : NNHal_FormOp<NNHal_TRANSPOSE_CONV_2D, hasSpatialResult = 1> {
  let summary = "transposed convolution; filter [out, height, width, in]";
  let description = [{
    Without `pads` the height and width of the result's type are the extents
    from which padding SAME follows (M-086).

    ```mlir
    %0 = nnhal.transpose_conv_2d %x, %filter, %bias
        pads [0, 0, 0, 0] strides [2, 2]
        : (tensor<1x2x2x3xf32>, tensor<8x2x2x3xf32>, tensor<8xf32>)
          -> tensor<1x4x4x8xf32>
    ```
  }];
}

def NNHal_FullyConnectedOp : NNHal_FormOp<NNHal_FULLY_CONNECTED> {
  let summary = "product with weights [units, size], input flattened to rows";
  let description = [{
    The elements of the input, in rows of `size`, times the weights, and the bias
    (M-101).

    ```mlir
    %0 = nnhal.fully_connected %x, %weights, %bias
        activation relu
        : (tensor<2x3xf32>, tensor<4x3xf32>, tensor<4xf32>) -> tensor<2x4xf32>
    ```
  }];
}

} // opDocGroup

#endif // NNHAL_DIALECT_NNHAL_IR_CONTRACTION
