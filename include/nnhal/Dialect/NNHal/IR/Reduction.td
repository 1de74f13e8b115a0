//===- Reduction.td - Reductions ---------------------------*- tablegen -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_DIALECT_NNHAL_IR_REDUCTION
#define NNHAL_DIALECT_NNHAL_IR_REDUCTION

include "nnhal/Dialect/NNHal/IR/HalForm.td"

def NNHal_ReductionGroup : OpDocGroup {
  let summary = "Reductions";
  let description = [{
    Rules: docs/Spec/Reduction.md. Negative axes count from the end, repeated
    axes count once. A result without dimensions has shape [1].
  }];
}

class NNHal_ReduceOp<string mnemonic, int opCode, string halVersion,
                     NNHal_HalInput keepDims = NNHal_OptionalFlagIn<"keep_dims">>
    : NNHal_FormOp<mnemonic, opCode, halVersion,
                   [NNHal_In<"input">, NNHal_IntegersIn<"axes">, keepDims],
                   (outs NNHal_Tensor:$output), /*resultCount=*/1>;

class NNHal_ArgReduceOp<string mnemonic, int opCode>
    : NNHal_FormOp<mnemonic, opCode, "V1_2",
                   [NNHal_In<"input">, NNHal_IntegerIn<"axis">],
                   (outs NNHal_IndexTensor:$output), /*resultCount=*/1>;

let opDocGroup = NNHal_ReductionGroup in {

def NNHal_MeanOp : NNHal_ReduceOp<"mean", /*opCode=*/31, "V1_1",
                                  NNHal_PositiveFlagIn<"keep_dims">> {
  let summary = "mean over axes";
  let description = [{
    `keep_dims` keeps the dimensions as such of extent 1.

    ```mlir
    %0 = nnhal.mean %x axes [1] keep_dims : (tensor<2x3xf32>) -> tensor<2x1xf32>
    ```
  }];
}
def NNHal_ReduceSumOp : NNHal_ReduceOp<"reduce_sum", /*opCode=*/80, "V1_2"> {
  let summary = "sum over axes";
  let description = [{
    `keep_dims` keeps the dimensions as such of extent 1.

    ```mlir
    %0 = nnhal.reduce_sum %x axes [1] : (tensor<2x3xf32>) -> tensor<2xf32>
    ```
  }];
}
def NNHal_ReduceProdOp : NNHal_ReduceOp<"reduce_prod", /*opCode=*/79, "V1_2"> {
  let summary = "product over axes";
  let description = [{
    `keep_dims` keeps the dimensions as such of extent 1.

    ```mlir
    %0 = nnhal.reduce_prod %x axes [1] : (tensor<2x3xf32>) -> tensor<2xf32>
    ```
  }];
}
def NNHal_ReduceMaxOp : NNHal_ReduceOp<"reduce_max", /*opCode=*/77, "V1_2"> {
  let summary = "largest element over axes";
  let description = [{
    `keep_dims` keeps the dimensions as such of extent 1.

    ```mlir
    %0 = nnhal.reduce_max %x axes [1] : (tensor<2x3xf32>) -> tensor<2xf32>
    ```
  }];
}
def NNHal_ReduceMinOp : NNHal_ReduceOp<"reduce_min", /*opCode=*/78, "V1_2"> {
  let summary = "smallest element over axes";
  let description = [{
    `keep_dims` keeps the dimensions as such of extent 1.

    ```mlir
    %0 = nnhal.reduce_min %x axes [1] : (tensor<2x3xf32>) -> tensor<2xf32>
    ```
  }];
}
def NNHal_ReduceAllOp : NNHal_ReduceOp<"reduce_all", /*opCode=*/75, "V1_2"> {
  let summary = "conjunction over axes";
  let description = [{
    `keep_dims` keeps the dimensions as such of extent 1.

    ```mlir
    %0 = nnhal.reduce_all %x axes [1] : (tensor<2x3xi8>) -> tensor<2xi8>
    ```
  }];
}
def NNHal_ReduceAnyOp : NNHal_ReduceOp<"reduce_any", /*opCode=*/76, "V1_2"> {
  let summary = "disjunction over axes";
  let description = [{
    `keep_dims` keeps the dimensions as such of extent 1.

    ```mlir
    %0 = nnhal.reduce_any %x axes [1] : (tensor<2x3xi8>) -> tensor<2xi8>
    ```
  }];
}
def NNHal_ArgMaxOp : NNHal_ArgReduceOp<"argmax", /*opCode=*/39> {
  let summary = "index of the first largest element along an axis";
  let description = [{
    The dimension `axis` disappears.

    ```mlir
    %0 = nnhal.argmax %x axis 1 : (tensor<2x3xf32>) -> tensor<2xi32>
    ```
  }];
}
def NNHal_ArgMinOp : NNHal_ArgReduceOp<"argmin", /*opCode=*/40> {
  let summary = "index of the first smallest element along an axis";
  let description = [{
    The dimension `axis` disappears.

    ```mlir
    %0 = nnhal.argmin %x axis -1 : (tensor<2x3xf32>) -> tensor<2xi32>
    ```
  }];
}
def NNHal_TopKV2Op
    : NNHal_FormOp<"topk_v2", /*opCode=*/90, "V1_2",
                   [NNHal_In<"input">, NNHal_IntegerIn<"k">],
                   (outs NNHal_Tensor:$values, NNHal_IndexTensor:$indices),
                   /*resultCount=*/2> {
  let summary = "the k largest elements of each row, larger index first";
  let description = [{
    Rows are along the last dimension. Of equal elements those with larger indices
    come first (M-137).

    ```mlir
    %0:2 = nnhal.topk_v2 %x k 2
        : (tensor<2x3xf32>) -> (tensor<2x2xf32>, tensor<2x2xi32>)
    ```
  }];
}

} // opDocGroup

#endif // NNHAL_DIALECT_NNHAL_IR_REDUCTION
