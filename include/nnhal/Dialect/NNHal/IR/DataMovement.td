//===- DataMovement.td - Data movement ---------------------*- tablegen -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_DIALECT_NNHAL_IR_DATAMOVEMENT
#define NNHAL_DIALECT_NNHAL_IR_DATAMOVEMENT

include "nnhal/Dialect/NNHal/IR/HalForm.td"

def NNHal_DataMovementGroup : OpDocGroup {
  let summary = "Data movement";
  let description = "Rules: docs/Spec/DataMovement.md.";
}

let opDocGroup = NNHal_DataMovementGroup in {

def NNHal_ReshapeOp : NNHal_FormOp<NNHal_RESHAPE, infersResults = 0> {
  let summary = "the same elements in the result's shape";
  let description = [{
    The order of the elements in memory stays. The result states its shape; one
    unknown extent is what remains.

    ```mlir
    %0 = nnhal.reshape %x : (tensor<2x3xf32>) -> tensor<6xf32>
    ```
  }];
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

def NNHal_SqueezeOp : NNHal_FormOp<NNHal_SQUEEZE> {
  let summary = "removes the listed dimensions, each of extent 1";
  let description = [{
    Without `axes` the HAL removes every dimension of extent 1; raising lists them.

    ```mlir
    %0 = nnhal.squeeze %x axes [0, 2] : (tensor<1x3x1xf32>) -> tensor<3xf32>
    ```
  }];
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

def NNHal_ExpandDimsOp : NNHal_FormOp<NNHal_EXPAND_DIMS> {
  let summary = "inserts a dimension of extent 1";
  let description = [{
    `axis` is the place of the dimension in the result; a negative one counts from
    the end of the result.

    ```mlir
    %0 = nnhal.expand_dims %x axis 1 : (tensor<2x3xf32>) -> tensor<2x1x3xf32>
    ```
  }];
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

def NNHal_TransposeOp : NNHal_FormOp<NNHal_TRANSPOSE> {
  let summary = "result dimension i is operand dimension permutation[i]";
  let description = [{
    Without a permutation the HAL reverses the dimensions; raising states it.

    ```mlir
    %0 = nnhal.transpose %x permutation [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>
    ```
  }];
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

def NNHal_ConcatenationOp : NNHal_FormOp<NNHal_CONCATENATION> {
  let summary = "the operands one after another along an axis";
  let description = [{
    The operands have the same extents but along `axis`. Quantized operands may have
    scales of their own: what is copied is scaled again (M-110).

    ```mlir
    %0 = nnhal.concatenation %x, %y axis 0
        : (tensor<2x3xf32>, tensor<1x3xf32>) -> tensor<3x3xf32>
    ```
  }];
  let hasFolder = 1;
}

def NNHal_SplitOp : NNHal_FormOp<NNHal_SPLIT> {
  let summary = "equal parts along an axis, one per result";
  let description = [{
    The number of results divides the extent along `axis`.

    ```mlir
    %0:3 = nnhal.split %x axis 1
        : (tensor<2x3xf32>) -> (tensor<2x1xf32>, tensor<2x1xf32>, tensor<2x1xf32>)
    ```
  }];
  let hasFolder = 1;
}

def NNHal_SliceOp : NNHal_FormOp<NNHal_SLICE> {
  let summary = "size[i] elements from begin[i]; size -1 reaches to the end";
  let description = [{
    `begin` and `size` have one element per dimension.

    ```mlir
    %0 = nnhal.slice %x begin [0, 1] size [-1, 2] : (tensor<2x3xf32>) -> tensor<2x2xf32>
    ```
  }];
  let hasFolder = 1;
}

def NNHal_StridedSliceOp : NNHal_FormOp<NNHal_STRIDED_SLICE> {
  let summary = "every strides[i]-th element from begin[i] up to end[i]";
  let hasFolder = 1;
  let description = [{
    Negative positions count from the end. In a dimension whose bit is set in
    `begin_mask` or `end_mask` the slice begins or ends where the operand does.
    A dimension whose bit is set in `shrink_mask` yields one element and is
    removed (M-114).

    ```mlir
    %0 = nnhal.strided_slice %x
        begin [1, 0] end [2, 3] strides [1, 1] shrink_mask 1 : (tensor<2x3xf32>) -> tensor<3xf32>
    ```
  }];
}

def NNHal_PadOp : NNHal_FormOp<NNHal_PAD> {
  let summary = "real zero around the operand; paddings [low, high] per dimension";
  let description = [{
    `paddings` has a pair per dimension. A quantized tensor is padded with its zero
    point.

    ```mlir
    %0 = nnhal.pad %x paddings [1, 1, 0, 0] : (tensor<2x3xf32>) -> tensor<4x3xf32>
    ```
  }];
  let hasFolder = 1;
}

def NNHal_PadV2Op : NNHal_FormOp<NNHal_PAD_V2> {
  let summary = "a value around the operand; paddings [low, high] per dimension";
  let hasFolder = 1;
  let description = [{
    `value` is an f32 for a floating-point operand and an i32 otherwise; for a
    quantized operand it is the stored value (M-118).

    ```mlir
    %0 = nnhal.pad_v2 %x paddings [0, 0, 2, 0] value(1.0 : f32) : (tensor<2x3xf32>) -> tensor<2x5xf32>
    ```
  }];
}

def NNHal_TileOp : NNHal_FormOp<NNHal_TILE> {
  let summary = "the operand repeated multiples[i] times along dimension i";
  let description = [{
    `multiples` has one element per dimension.

    ```mlir
    %0 = nnhal.tile %x multiples [1, 2] : (tensor<2x3xf32>) -> tensor<2x6xf32>
    ```
  }];
  let hasFolder = 1;
}

def NNHal_GatherOp : NNHal_FormOp<NNHal_GATHER> {
  let summary = "the slices along an axis that the indices name";
  let description = [{
    The dimension `axis` of the input is replaced by those of the indices.

    ```mlir
    %0 = nnhal.gather %x, %indices axis 1
        : (tensor<2x3xf32>, tensor<4xi32>) -> tensor<2x4xf32>
    ```
  }];
  let hasFolder = 1;
}

def NNHal_FillOp : NNHal_FormOp<NNHal_FILL, infersResults = 0> {
  let summary = "one value in the result's shape";
  let description = [{
    The result states its shape. `value` has the type of its elements.

    ```mlir
    %0 = nnhal.fill value(1.0 : f32) : () -> tensor<2x3xf32>
    ```
  }];
  let hasFolder = 1;
}

def NNHal_ChannelShuffleOp : NNHal_FormOp<NNHal_CHANNEL_SHUFFLE> {
  let summary = "interleaves groups of channels";
  let description = [{
    Along `axis`, element i of group g becomes element g of group i: a transpose of
    [groups, size] to [size, groups].

    ```mlir
    %0 = nnhal.channel_shuffle %x groups 2 axis 1 : (tensor<2x6xf32>) -> tensor<2x6xf32>
    ```
  }];
}

def NNHal_DepthToSpaceOp
    : NNHal_FormOp<NNHal_DEPTH_TO_SPACE, hasSpatialResult = 1> {
  let summary = "moves blocks of channels to height and width";
  let description = [{
    A pixel of block_size^2 * C channels becomes a block of pixels of C channels.

    ```mlir
    %0 = nnhal.depth_to_space %x block_size 2 : (tensor<1x2x2x8xf32>) -> tensor<1x4x4x2xf32>
    ```
  }];
}

def NNHal_SpaceToDepthOp
    : NNHal_FormOp<NNHal_SPACE_TO_DEPTH, hasSpatialResult = 1> {
  let summary = "moves blocks of height and width to channels";
  let description = [{
    The inverse of `nnhal.depth_to_space` (M-119).

    ```mlir
    %0 = nnhal.space_to_depth %x block_size 2 : (tensor<1x4x4x2xf32>) -> tensor<1x2x2x8xf32>
    ```
  }];
}

def NNHal_BatchToSpaceNDOp
    : NNHal_FormOp<NNHal_BATCH_TO_SPACE_ND, hasSpatialResult = 1> {
  let summary = "moves blocks of the batch to height and width";
  let description = [{
    `block_shape` is [height, width]; the batch is divided by its product.

    ```mlir
    %0 = nnhal.batch_to_space_nd %x block_shape [2, 2] : (tensor<4x2x2x1xf32>) -> tensor<1x4x4x1xf32>
    ```
  }];
}

def NNHal_SpaceToBatchNDOp
    : NNHal_FormOp<NNHal_SPACE_TO_BATCH_ND, hasSpatialResult = 1> {
  let summary = "pads [top, bottom, left, right], then moves blocks to the batch";
  let description = [{
    `block_shape` is [height, width] and divides the padded extents. The padding is
    real zero.

    ```mlir
    %0 = nnhal.space_to_batch_nd %x
        block_shape [2, 2] pads [0, 0, 0, 0] : (tensor<1x4x4x1xf32>) -> tensor<4x2x2x1xf32>
    ```
  }];
}

// ODS infers the result type: it is always the same.
def NNHal_RankOp
    : NNHal_FormOp<NNHal_RANK, (outs I32:$output), infersResults = 0> {
  let summary = "the number of dimensions, a scalar";
  let description = [{
    ```mlir
    %0 = nnhal.rank %x : (tensor<2x3xf32>) -> i32
    ```
  }];
}

} // opDocGroup

#endif // NNHAL_DIALECT_NNHAL_IR_DATAMOVEMENT
