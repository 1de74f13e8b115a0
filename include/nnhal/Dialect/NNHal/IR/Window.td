//===- Window.td - Pooling and resizing --------------------*- tablegen -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_DIALECT_NNHAL_IR_WINDOW
#define NNHAL_DIALECT_NNHAL_IR_WINDOW

include "nnhal/Dialect/NNHal/IR/NNHalEnums.td"

def NNHal_WindowGroup : OpDocGroup {
  let summary = "Pooling and resizing";
  let description = [{
    Rules: docs/Spec/Window.md. `window` and `strides` are [height, width],
    `pads` is [top, bottom, left, right]. Padding takes no part in a result.
  }];
}

class NNHal_Pool2DOp<string mnemonic, int opCode, string halVersion>
    : NNHal_InferredOp<mnemonic, opCode, halVersion> {
  let arguments = (ins NNHal_Tensor:$input, DenseI64ArrayAttr:$window,
                       DenseI64ArrayAttr:$strides, DenseI64ArrayAttr:$pads,
                       NNHal_OptionalActivation:$activation);
  let results = (outs NNHal_Tensor:$output);
}

/// The result type has the new height and width.
class NNHal_ResizeOp<string mnemonic, int opCode, string halVersion>
    : NNHal_StatedOp<mnemonic, opCode, halVersion> {
  let arguments = (ins NNHal_Tensor:$input,
                       DefaultValuedAttr<BoolAttr, "false">:$align_corners,
                       DefaultValuedAttr<BoolAttr, "false">:$half_pixel_centers);
  let results = (outs NNHal_Tensor:$output);
}

let opDocGroup = NNHal_WindowGroup in {

def NNHal_AveragePool2DOp
    : NNHal_Pool2DOp<"average_pool_2d", /*opCode=*/1, "V1_0"> {
  let summary = "mean of each window";
}
def NNHal_L2Pool2DOp : NNHal_Pool2DOp<"l2_pool_2d", /*opCode=*/12, "V1_0"> {
  let summary = "root of the mean of squares of each window";
}
def NNHal_MaxPool2DOp : NNHal_Pool2DOp<"max_pool_2d", /*opCode=*/17, "V1_0"> {
  let summary = "largest element of each window";
}
def NNHal_ResizeBilinearOp
    : NNHal_ResizeOp<"resize_bilinear", /*opCode=*/23, "V1_0"> {
  let summary = "resizing with bilinear interpolation";
}
def NNHal_ResizeNearestNeighborOp
    : NNHal_ResizeOp<"resize_nearest_neighbor", /*opCode=*/94, "V1_2"> {
  let summary = "resizing with the nearest element";
}

} // opDocGroup

#endif // NNHAL_DIALECT_NNHAL_IR_WINDOW
