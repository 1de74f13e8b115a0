//===- Quantization.td - Quantization ----------------------*- tablegen -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_DIALECT_NNHAL_IR_QUANTIZATION
#define NNHAL_DIALECT_NNHAL_IR_QUANTIZATION

include "nnhal/Dialect/NNHal/IR/HalForm.td"

def NNHal_QuantizationGroup : OpDocGroup {
  let summary = "Quantization";
  let description = "Rules: docs/Spec/Quantization.md.";
}

let opDocGroup = NNHal_QuantizationGroup in {

def NNHal_QuantizeOp
    : NNHal_FormOp<"quantize", /*opCode=*/72, "V1_2", [NNHal_In<"input">],
                   (outs NNHal_Tensor:$output), /*resultCount=*/0> {
  let summary = "real values to the result's quantized type";
  let hasFolder = 1;
}

def NNHal_DequantizeOp
    : NNHal_FormOp<"dequantize", /*opCode=*/6, "V1_0", [NNHal_In<"input">],
                   (outs NNHal_Tensor:$output), /*resultCount=*/0> {
  let summary = "quantized values to real values";
  let hasFolder = 1;
}

} // opDocGroup

#endif // NNHAL_DIALECT_NNHAL_IR_QUANTIZATION
