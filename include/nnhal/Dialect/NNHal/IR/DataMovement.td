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

/// One tensor to one tensor.
class NNHal_MoveOp<string mnemonic, int opCode, string halVersion,
                   list<NNHal_HalInput> parameters>
    : NNHal_FormOp<mnemonic, opCode, halVersion,
                   !listconcat([NNHal_In<"input">]<NNHal_HalInput>, parameters),
                   (outs NNHal_Tensor:$output), /*resultCount=*/1>;

/// One that moves blocks between height, width and another dimension.
class NNHal_BlockOp<string mnemonic, int opCode, string halVersion,
                    list<NNHal_HalInput> parameters>
    : NNHal_FormOp<mnemonic, opCode, halVersion,
                   !listconcat([NNHal_SpatialIn<"input">]<NNHal_HalInput>,
                               parameters,
                               [NNHal_LayoutIn]<NNHal_HalInput>),
                   (outs NNHal_Tensor:$output), /*resultCount=*/1,
                   /*isNamed=*/0, /*hasSpatialResult=*/1>;

let opDocGroup = NNHal_DataMovementGroup in {

def NNHal_ReshapeOp
    : NNHal_FormOp<"reshape", /*opCode=*/22, "V1_0",
                   [NNHal_In<"input">, NNHal_ResultShapeIn],
                   (outs NNHal_Tensor:$output), /*resultCount=*/0> {
  let summary = "the same elements in the result's shape";
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

def NNHal_SqueezeOp : NNHal_MoveOp<"squeeze", /*opCode=*/34, "V1_1",
                                   [NNHal_UnitAxesIn<"axes">]> {
  let summary = "removes the listed dimensions, each of extent 1";
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

def NNHal_ExpandDimsOp : NNHal_MoveOp<"expand_dims", /*opCode=*/50, "V1_2",
                                      [NNHal_IntegerIn<"axis">]> {
  let summary = "inserts a dimension of extent 1";
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

def NNHal_TransposeOp : NNHal_MoveOp<"transpose", /*opCode=*/37, "V1_1",
                                     [NNHal_PermutationIn<"permutation">]> {
  let summary = "result dimension i is operand dimension permutation[i]";
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

def NNHal_ConcatenationOp
    : NNHal_FormOp<"concatenation", /*opCode=*/2, "V1_0",
                   [NNHal_VariadicIn<"inputs">, NNHal_IntegerIn<"axis">],
                   (outs NNHal_Tensor:$output), /*resultCount=*/1> {
  let summary = "the operands one after another along an axis";
  let hasFolder = 1;
}

def NNHal_SplitOp
    : NNHal_FormOp<"split", /*opCode=*/87, "V1_2",
                   [NNHal_In<"input">, NNHal_IntegerIn<"axis">,
                    NNHal_ResultCountIn],
                   (outs Variadic<NNHal_Tensor>:$outputs), /*resultCount=*/0> {
  let summary = "equal parts along an axis, one per result";
  let hasFolder = 1;
}

def NNHal_SliceOp : NNHal_MoveOp<"slice", /*opCode=*/86, "V1_2",
                                 [NNHal_IntegersIn<"begin">,
                                  NNHal_IntegersIn<"size">]> {
  let summary = "size[i] elements from begin[i]; size -1 reaches to the end";
  let hasFolder = 1;
}

def NNHal_StridedSliceOp
    : NNHal_MoveOp<"strided_slice", /*opCode=*/35, "V1_1",
                   [NNHal_IntegersIn<"begin">, NNHal_IntegersIn<"end">,
                    NNHal_IntegersIn<"strides">,
                    NNHal_OptionalIntegerIn<"begin_mask", "0">,
                    NNHal_OptionalIntegerIn<"end_mask", "0">,
                    NNHal_OptionalIntegerIn<"shrink_mask", "0">]> {
  let summary = "every strides[i]-th element from begin[i] up to end[i]";
  let hasFolder = 1;
  let description = [{
    Negative positions count from the end. In a dimension whose bit is set in
    `begin_mask` or `end_mask` the slice begins or ends where the operand does.
    A dimension whose bit is set in `shrink_mask` yields one element and is
    removed (M-114).
  }];
}

def NNHal_PadOp : NNHal_MoveOp<"pad", /*opCode=*/32, "V1_1",
                               [NNHal_PairsIn<"paddings">]> {
  let summary = "real zero around the operand; paddings [low, high] per dimension";
  let hasFolder = 1;
}

def NNHal_PadV2Op : NNHal_MoveOp<"pad_v2", /*opCode=*/69, "V1_2",
                                 [NNHal_PairsIn<"paddings">,
                                  NNHal_NumberIn<"value">]> {
  let summary = "a value around the operand; paddings [low, high] per dimension";
  let hasFolder = 1;
  let description = [{
    `value` is an f32 for a floating-point operand and an i32 otherwise; for a
    quantized operand it is the stored value (M-118).
  }];
}

def NNHal_TileOp : NNHal_MoveOp<"tile", /*opCode=*/89, "V1_2",
                                [NNHal_IntegersIn<"multiples">]> {
  let summary = "the operand repeated multiples[i] times along dimension i";
  let hasFolder = 1;
}

def NNHal_GatherOp
    : NNHal_FormOp<"gather", /*opCode=*/51, "V1_2",
                   [NNHal_In<"input">, NNHal_IntegerIn<"axis">,
                    NNHal_In<"indices", NNHal_IndexTensor>],
                   (outs NNHal_Tensor:$output), /*resultCount=*/1> {
  let summary = "the slices along an axis that the indices name";
  let hasFolder = 1;
}

def NNHal_FillOp
    : NNHal_FormOp<"fill", /*opCode=*/100, "V1_3",
                   [NNHal_ResultShapeIn, NNHal_NumberIn<"value">],
                   (outs NNHal_Tensor:$output), /*resultCount=*/0> {
  let summary = "one value in the result's shape";
  let hasFolder = 1;
}

def NNHal_ChannelShuffleOp
    : NNHal_MoveOp<"channel_shuffle", /*opCode=*/46, "V1_2",
                   [NNHal_IntegerIn<"groups">, NNHal_IntegerIn<"axis">]> {
  let summary = "interleaves groups of channels";
}

def NNHal_DepthToSpaceOp : NNHal_BlockOp<"depth_to_space", /*opCode=*/5, "V1_0",
                                         [NNHal_IntegerIn<"block_size">]> {
  let summary = "moves blocks of channels to height and width";
}

def NNHal_SpaceToDepthOp
    : NNHal_BlockOp<"space_to_depth", /*opCode=*/26, "V1_0",
                    [NNHal_IntegerIn<"block_size">]> {
  let summary = "moves blocks of height and width to channels";
}

def NNHal_BatchToSpaceNDOp
    : NNHal_BlockOp<"batch_to_space_nd", /*opCode=*/29, "V1_1",
                    [NNHal_IntegersIn<"block_shape">]> {
  let summary = "moves blocks of the batch to height and width";
}

def NNHal_SpaceToBatchNDOp
    : NNHal_BlockOp<"space_to_batch_nd", /*opCode=*/33, "V1_1",
                    [NNHal_IntegersIn<"block_shape">,
                     NNHal_PairsIn<"pads">]> {
  let summary = "pads [top, bottom, left, right], then moves blocks to the batch";
}

// ODS infers the result type: it is always the same.
def NNHal_RankOp
    : NNHal_FormOp<"rank", /*opCode=*/101, "V1_3", [NNHal_In<"input">],
                   (outs I32:$output), /*resultCount=*/0> {
  let summary = "the number of dimensions, a scalar";
  let description = [{
    ```mlir
    %0 = nnhal.rank %x : (tensor<2x3xf32>) -> i32
    ```
  }];
}

} // opDocGroup

#endif // NNHAL_DIALECT_NNHAL_IR_DATAMOVEMENT
