//===- Quantization.td - Quantization ----------------------*- tablegen -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_DIALECT_NNHAL_IR_QUANTIZATION
#define NNHAL_DIALECT_NNHAL_IR_QUANTIZATION

include "nnhal/Dialect/NNHal/IR/NNHalEnums.td"

def NNHal_QuantizationGroup : OpDocGroup {
  let summary = "Quantization";
  let description = "Rules: docs/Spec/Quantization.md.";
}

let opDocGroup = NNHal_QuantizationGroup in {

def NNHal_QuantizeOp : NNHal_StatedOp<"quantize", /*opCode=*/72, "V1_2"> {
  let summary = "real values to the result's quantized type";
  let hasFolder = 1;
  let arguments = (ins NNHal_Tensor:$input);
  let results = (outs NNHal_Tensor:$output);
}

def NNHal_DequantizeOp : NNHal_StatedOp<"dequantize", /*opCode=*/6, "V1_0"> {
  let summary = "quantized values to real values";
  let hasFolder = 1;
  let arguments = (ins NNHal_Tensor:$input);
  let results = (outs NNHal_Tensor:$output);
}

} // opDocGroup

#endif // NNHAL_DIALECT_NNHAL_IR_QUANTIZATION
