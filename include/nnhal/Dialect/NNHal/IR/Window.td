//===- Window.td - Pooling and resizing --------------------*- tablegen -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_DIALECT_NNHAL_IR_WINDOW
#define NNHAL_DIALECT_NNHAL_IR_WINDOW

include "nnhal/Dialect/NNHal/IR/HalForm.td"

def NNHal_WindowGroup : OpDocGroup {
  let summary = "Pooling and resizing";
  let description = [{
    Rules: docs/Spec/Window.md. `window` and `strides` are [height, width],
    `pads` is [top, bottom, left, right]. Padding takes no part in a result.
    Where `pads` is left out it follows from the extents, which may be unknown,
    as padding SAME says (M-007).
  }];
}

/// The result type has the new height and width, where they are known.
class NNHal_ResizeOp<NNHal_HalSignature signature>
    : NNHal_FormOp<signature, hasSpatialResult = 1, infersResults = 0>;

let opDocGroup = NNHal_WindowGroup in {

def NNHal_AveragePool2DOp
    : NNHal_FormOp<NNHal_AVERAGE_POOL_2D, hasSpatialResult = 1> {
  let summary = "mean of each window";
  let description = [{
    Divided is by the number of elements that are no padding. The mean of quantized
    values rounds halves up (M-093).

    ```mlir
    %0 = nnhal.average_pool_2d %x
        pads [0, 0, 0, 0] strides [2, 2] window [2, 2] : (tensor<1x4x4x3xf32>) -> tensor<1x2x2x3xf32>
    ```
  }];
}
def NNHal_L2Pool2DOp : NNHal_FormOp<NNHal_L2_POOL_2D, hasSpatialResult = 1> {
  let summary = "root of the mean of squares of each window";
  let description = [{
    The mean is that of the elements that are no padding (M-094). Floats only.

    ```mlir
    %0 = nnhal.l2_pool_2d %x
        pads [0, 0, 0, 0] strides [2, 2] window [2, 2] : (tensor<1x4x4x3xf32>) -> tensor<1x2x2x3xf32>
    ```
  }];
}
def NNHal_MaxPool2DOp : NNHal_FormOp<NNHal_MAX_POOL_2D, hasSpatialResult = 1> {
  let summary = "largest element of each window";
  let description = [{
    A NaN is passed over.

    ```mlir
    %0 = nnhal.max_pool_2d %x
        pads [0, 0, 0, 0] strides [2, 2] window [2, 2] : (tensor<1x4x4x3xf32>) -> tensor<1x2x2x3xf32>
    ```
  }];
}
def NNHal_ResizeBilinearOp : NNHal_ResizeOp<NNHal_RESIZE_BILINEAR> {
  let summary = "resizing with bilinear interpolation";
  let description = [{
    The result states its extents, or they are those of the input times
    `width_factor` and `height_factor`. `align_corners` maps corner pixels to each
    other, `half_pixel_centers` takes pixels for areas (M-201).

    ```mlir
    %0 = nnhal.resize_bilinear %x half_pixel_centers : (tensor<1x4x4x3xf32>) -> tensor<1x8x8x3xf32>
    ```
  }];
}
def NNHal_ResizeNearestNeighborOp
    : NNHal_ResizeOp<NNHal_RESIZE_NEAREST_NEIGHBOR> {
  let summary = "resizing with the nearest element";
  let description = [{
    The result states its extents, or they are those of the input times
    `width_factor` and `height_factor`.

    ```mlir
    %0 = nnhal.resize_nearest_neighbor %x : (tensor<1x4x4x3xf32>) -> tensor<1x8x8x3xf32>
    ```
  }];
}

} // opDocGroup

#endif // NNHAL_DIALECT_NNHAL_IR_WINDOW
