//===- Lookup.td - Lookups and sampling --------------------*- tablegen -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_DIALECT_NNHAL_IR_LOOKUP
#define NNHAL_DIALECT_NNHAL_IR_LOOKUP

include "nnhal/Dialect/NNHal/IR/HalForm.td"

def NNHal_LookupGroup : OpDocGroup {
  let summary = "Lookups and sampling";
  let description = "Rules: docs/Spec/Lookup.md.";
}

let opDocGroup = NNHal_LookupGroup in {

def NNHal_EmbeddingLookupOp
    : NNHal_FormOp<"embedding_lookup", /*opCode=*/7, "V1_0",
                   [NNHal_In<"lookups", NNHal_IndexTensor>, NNHal_In<"values">],
                   (outs NNHal_Tensor:$output), /*resultCount=*/1> {
  let summary = "the slices of values that the lookups name";
  let description = [{
    ```mlir
    %0 = nnhal.embedding_lookup %lookups, %values
        : (tensor<3xi32>, tensor<5x2xf32>) -> tensor<3x2xf32>
    ```
  }];
}

def NNHal_HashtableLookupOp
    : NNHal_FormOp<"hashtable_lookup", /*opCode=*/10, "V1_0",
                   [NNHal_In<"lookups", NNHal_IndexTensor>,
                    NNHal_In<"keys", NNHal_IndexTensor>, NNHal_In<"values">],
                   (outs NNHal_Tensor:$output, NNHal_Tensor:$hits),
                   /*resultCount=*/2> {
  let summary = "the slices of values whose keys are looked up, or zero";
  let description = [{
    `hits` is 1 where a key is found and 0 where it is not.

    ```mlir
    %0:2 = nnhal.hashtable_lookup %lookups, %keys, %values
        : (tensor<4xi32>, tensor<3xi32>, tensor<3x2xf32>)
        -> (tensor<4x2xf32>, tensor<4x!quant.uniform<u8:f32, 1.0>>)
    ```
  }];
}

def NNHal_LshProjectionOp
    : NNHal_FormOp<"lsh_projection", /*opCode=*/15, "V1_0",
                   [NNHal_In<"hash">, NNHal_In<"input">,
                    NNHal_OptionalIn<"weights">, NNHal_LshKindIn<"kind">],
                   (outs NNHal_IndexTensor:$output), /*resultCount=*/1,
                   /*isNamed=*/1> {
  let summary = "signs of seeded sums, as bits or as numbers of buckets";
  let description = [{
    ```mlir
    %0 = nnhal.lsh_projection hash(%hash) input(%x) weights(%w)
        kind sparse
        : (tensor<4x2xf32>, tensor<3x2xi32>, tensor<3xf32>) -> tensor<4xi32>
    ```
  }];
}

def NNHal_RandomMultinomialOp
    : NNHal_FormOp<"random_multinomial", /*opCode=*/74, "V1_2",
                   [NNHal_In<"logits">, NNHal_IntegerIn<"samples">,
                    NNHal_In<"seeds", NNHal_IndexTensor>],
                   (outs NNHal_IndexTensor:$output), /*resultCount=*/1> {
  let summary = "samples of classes with unnormalized log-probabilities";
  let description = [{
    The seeds determine the result.

    ```mlir
    %0 = nnhal.random_multinomial %logits, %seeds samples 128
        : (tensor<1x1024xf32>, tensor<2xi32>) -> tensor<1x128xi32>
    ```
  }];
}

} // opDocGroup

#endif // NNHAL_DIALECT_NNHAL_IR_LOOKUP
