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

let opDocGroup = NNHal_ReductionGroup in {

def NNHal_MeanOp : NNHal_FormOp<NNHal_MEAN> {
  let summary = "mean over axes";
  let description = [{
    `keep_dims` keeps the dimensions as such of extent 1.

    ```mlir
    %0 = nnhal.mean %x axes [1] keep_dims : (tensor<2x3xf32>) -> tensor<2x1xf32>
    ```
  }];
}
def NNHal_ReduceSumOp : NNHal_FormOp<NNHal_REDUCE_SUM> {
  let summary = "sum over axes";
  let description = [{
    `keep_dims` keeps the dimensions as such of extent 1.

    ```mlir
    %0 = nnhal.reduce_sum %x axes [1] : (tensor<2x3xf32>) -> tensor<2xf32>
    ```
  }];
}
def NNHal_ReduceProdOp : NNHal_FormOp<NNHal_REDUCE_PROD> {
  let summary = "product over axes";
  let description = [{
    `keep_dims` keeps the dimensions as such of extent 1.

    ```mlir
    %0 = nnhal.reduce_prod %x axes [1] : (tensor<2x3xf32>) -> tensor<2xf32>
    ```
  }];
}
def NNHal_ReduceMaxOp : NNHal_FormOp<NNHal_REDUCE_MAX> {
  let summary = "largest element over axes";
  let description = [{
    `keep_dims` keeps the dimensions as such of extent 1.

    ```mlir
    %0 = nnhal.reduce_max %x axes [1] : (tensor<2x3xf32>) -> tensor<2xf32>
    ```
  }];
}
def NNHal_ReduceMinOp : NNHal_FormOp<NNHal_REDUCE_MIN> {
  let summary = "smallest element over axes";
  let description = [{
    `keep_dims` keeps the dimensions as such of extent 1.

    ```mlir
    %0 = nnhal.reduce_min %x axes [1] : (tensor<2x3xf32>) -> tensor<2xf32>
    ```
  }];
}
def NNHal_ReduceAllOp : NNHal_FormOp<NNHal_REDUCE_ALL> {
  let summary = "conjunction over axes";
  let description = [{
    `keep_dims` keeps the dimensions as such of extent 1.

    ```mlir
    %0 = nnhal.reduce_all %x axes [1] : (tensor<2x3xi8>) -> tensor<2xi8>
    ```
  }];
}
def NNHal_ReduceAnyOp : NNHal_FormOp<NNHal_REDUCE_ANY> {
  let summary = "disjunction over axes";
  let description = [{
    `keep_dims` keeps the dimensions as such of extent 1.

    ```mlir
    %0 = nnhal.reduce_any %x axes [1] : (tensor<2x3xi8>) -> tensor<2xi8>
    ```
  }];
}
def NNHal_ArgMaxOp
    : NNHal_FormOp<NNHal_ARGMAX, (outs NNHal_IndexTensor:$output)> {
  let summary = "index of the first largest element along an axis";
  let description = [{
    The dimension `axis` disappears.

    ```mlir
    %0 = nnhal.argmax %x axis 1 : (tensor<2x3xf32>) -> tensor<2xi32>
    ```
  }];
}
def NNHal_ArgMinOp
    : NNHal_FormOp<NNHal_ARGMIN, (outs NNHal_IndexTensor:$output)> {
  let summary = "index of the first smallest element along an axis";
  let description = [{
    The dimension `axis` disappears.

    ```mlir
    %0 = nnhal.argmin %x axis -1 : (tensor<2x3xf32>) -> tensor<2xi32>
    ```
  }];
}
def NNHal_TopKV2Op
    : NNHal_FormOp<NNHal_TOPK_V2,
                   (outs NNHal_Tensor:$values, NNHal_IndexTensor:$indices)> {
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
