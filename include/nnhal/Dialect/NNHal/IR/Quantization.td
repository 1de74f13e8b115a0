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

def NNHal_QuantizeOp : NNHal_FormOp<NNHal_QUANTIZE, infersResults = 0> {
  let summary = "real values to the result's quantized type";
  let description = [{
    x / scale + zero point, rounded half away from zero and limited to what the type
    of the result stores (M-148).

    ```mlir
    %0 = nnhal.quantize %x : (tensor<2x3xf32>) -> tensor<2x3x!quant.uniform<u8:f32, 5.0e-01:128>>
    ```
  }];
  let hasFolder = 1;
}

def NNHal_DequantizeOp : NNHal_FormOp<NNHal_DEQUANTIZE, infersResults = 0> {
  let summary = "quantized values to real values";
  let description = [{
    (q - zero point) * scale, with the scale of the channel where there are several
    (M-030).

    ```mlir
    %0 = nnhal.dequantize %x : (tensor<2x3x!quant.uniform<u8:f32, 5.0e-01:128>>) -> tensor<2x3xf32>
    ```
  }];
  let hasFolder = 1;
}

} // opDocGroup

#endif // NNHAL_DIALECT_NNHAL_IR_QUANTIZATION
