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

def NNHal_EmbeddingLookupOp : NNHal_FormOp<NNHal_EMBEDDING_LOOKUP> {
  let summary = "the slices of values that the lookups name";
  let description = [{
    ```mlir
    %0 = nnhal.embedding_lookup %lookups, %values
        : (tensor<3xi32>, tensor<5x2xf32>) -> tensor<3x2xf32>
    ```
  }];
}

def NNHal_HashtableLookupOp
    : NNHal_FormOp<NNHal_HASHTABLE_LOOKUP,
                   (outs NNHal_Tensor:$output, NNHal_Tensor:$hits)> {
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
    : NNHal_FormOp<NNHal_LSH_PROJECTION,
                   (outs NNHal_IndexTensor:$output), isNamed = 1> {
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
    : NNHal_FormOp<NNHal_RANDOM_MULTINOMIAL, (outs NNHal_IndexTensor:$output)> {
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
