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
                   dag attributes>
    : NNHal_InferredOp<mnemonic, opCode, halVersion> {
  let arguments = !con((ins NNHal_Tensor:$input), attributes);
  let results = (outs NNHal_Tensor:$output);
}

let opDocGroup = NNHal_DataMovementGroup in {

def NNHal_ReshapeOp : NNHal_StatedOp<"reshape", /*opCode=*/22, "V1_0"> {
  let summary = "the same elements in the result's shape";
  let hasFolder = 1;
  let hasCanonicalizer = 1;
  let arguments = (ins NNHal_Tensor:$input);
  let results = (outs NNHal_Tensor:$output);
}

def NNHal_SqueezeOp : NNHal_MoveOp<"squeeze", /*opCode=*/34, "V1_1",
                                   (ins DenseI64ArrayAttr:$axes)> {
  let summary = "removes the listed dimensions, each of extent 1";
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

def NNHal_ExpandDimsOp : NNHal_MoveOp<"expand_dims", /*opCode=*/50, "V1_2",
                                      (ins I64Attr:$axis)> {
  let summary = "inserts a dimension of extent 1";
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

def NNHal_TransposeOp : NNHal_MoveOp<"transpose", /*opCode=*/37, "V1_1",
                                     (ins DenseI64ArrayAttr:$permutation)> {
  let summary = "result dimension i is operand dimension permutation[i]";
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

def NNHal_ConcatenationOp
    : NNHal_InferredOp<"concatenation", /*opCode=*/2, "V1_0"> {
  let summary = "the operands one after another along an axis";
  let hasFolder = 1;
  let arguments = (ins Variadic<NNHal_Tensor>:$inputs, I64Attr:$axis);
  let results = (outs NNHal_Tensor:$output);
}

def NNHal_SplitOp : NNHal_StatedOp<"split", /*opCode=*/87, "V1_2"> {
  let summary = "equal parts along an axis, one per result";
  let hasFolder = 1;
  let arguments = (ins NNHal_Tensor:$input, I64Attr:$axis);
  let results = (outs Variadic<NNHal_Tensor>:$outputs);
}

def NNHal_SliceOp : NNHal_MoveOp<"slice", /*opCode=*/86, "V1_2",
    (ins DenseI64ArrayAttr:$begin, DenseI64ArrayAttr:$size)> {
  let summary = "size[i] elements from begin[i]; size -1 reaches to the end";
  let hasFolder = 1;
}

def NNHal_StridedSliceOp : NNHal_MoveOp<"strided_slice", /*opCode=*/35, "V1_1",
    (ins DenseI64ArrayAttr:$begin, DenseI64ArrayAttr:$end,
         DenseI64ArrayAttr:$strides,
         DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$shrink_axes)> {
  let summary = "every strides[i]-th element from begin[i] up to end[i]";
  let hasFolder = 1;
  let description = [{
    `begin` and `end` are positions, not wrapped or masked: 0 to the extent for
    a positive stride, -1 to the extent - 1 for a negative one, whose end -1 is
    the place before the first element. The axes in `shrink_axes` yield one
    element and are removed.
  }];
}

def NNHal_PadOp : NNHal_MoveOp<"pad", /*opCode=*/32, "V1_1",
                               (ins DenseI64ArrayAttr:$paddings)> {
  let summary = "real zero around the operand; paddings [low, high] per dimension";
  let hasFolder = 1;
}

def NNHal_PadV2Op : NNHal_MoveOp<"pad_v2", /*opCode=*/69, "V1_2",
    (ins DenseI64ArrayAttr:$paddings, AnyAttrOf<[F32Attr, I32Attr]>:$value)> {
  let summary = "a value around the operand; paddings [low, high] per dimension";
  let hasFolder = 1;
  let description = [{
    `value` is an f32 for a floating-point operand and an i32 otherwise; for a
    quantized operand it is the stored value (M-118).
  }];
}

def NNHal_TileOp : NNHal_MoveOp<"tile", /*opCode=*/89, "V1_2",
                                (ins DenseI64ArrayAttr:$multiples)> {
  let summary = "the operand repeated multiples[i] times along dimension i";
  let hasFolder = 1;
}

def NNHal_GatherOp : NNHal_InferredOp<"gather", /*opCode=*/51, "V1_2"> {
  let summary = "the slices along an axis that the indices name";
  let hasFolder = 1;
  let arguments = (ins NNHal_Tensor:$input, NNHal_IndexTensor:$indices,
                       I64Attr:$axis);
  let results = (outs NNHal_Tensor:$output);
}

def NNHal_FillOp : NNHal_StatedOp<"fill", /*opCode=*/100, "V1_3"> {
  let summary = "one value in the result's shape";
  let hasFolder = 1;
  let arguments = (ins AnyAttrOf<[F32Attr, I32Attr]>:$value);
  let results = (outs NNHal_Tensor:$output);
}

def NNHal_ChannelShuffleOp
    : NNHal_MoveOp<"channel_shuffle", /*opCode=*/46, "V1_2",
                   (ins I64Attr:$groups, I64Attr:$axis)> {
  let summary = "interleaves groups of channels";
}

def NNHal_DepthToSpaceOp : NNHal_MoveOp<"depth_to_space", /*opCode=*/5, "V1_0",
                                        (ins I64Attr:$block_size)> {
  let summary = "moves blocks of channels to height and width";
}

def NNHal_SpaceToDepthOp
    : NNHal_MoveOp<"space_to_depth", /*opCode=*/26, "V1_0",
                   (ins I64Attr:$block_size)> {
  let summary = "moves blocks of height and width to channels";
}

def NNHal_BatchToSpaceNDOp
    : NNHal_MoveOp<"batch_to_space_nd", /*opCode=*/29, "V1_1",
                   (ins DenseI64ArrayAttr:$block_shape)> {
  let summary = "moves blocks of the batch to height and width";
}

def NNHal_SpaceToBatchNDOp
    : NNHal_MoveOp<"space_to_batch_nd", /*opCode=*/33, "V1_1",
                   (ins DenseI64ArrayAttr:$block_shape,
                        DenseI64ArrayAttr:$pads)> {
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
