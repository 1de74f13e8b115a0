//===- Contraction.td - Convolutions and products ----------*- tablegen -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_DIALECT_NNHAL_IR_CONTRACTION
#define NNHAL_DIALECT_NNHAL_IR_CONTRACTION

include "nnhal/Dialect/NNHal/IR/NNHalEnums.td"

def NNHal_ContractionGroup : OpDocGroup {
  let summary = "Convolutions and products";
  let description = [{
    Rules: docs/Spec/Contraction.md. `strides` and `dilations` are [height,
    width], `pads` is [top, bottom, left, right]. Padding is real zero.
  }];
}

class NNHal_ConvolutionOp<string mnemonic, int opCode, string halVersion>
    : NNHal_InferredOp<mnemonic, opCode, halVersion> {
  let results = (outs NNHal_Tensor:$output);
}

let opDocGroup = NNHal_ContractionGroup in {

def NNHal_Conv2DOp : NNHal_ConvolutionOp<"conv_2d", /*opCode=*/3, "V1_0"> {
  let summary = "convolution; filter [out, height, width, in]";
  let arguments = (ins NNHal_Tensor:$input, NNHal_Tensor:$filter,
                       NNHal_Tensor:$bias, DenseI64ArrayAttr:$strides,
                       DenseI64ArrayAttr:$dilations, DenseI64ArrayAttr:$pads,
                       NNHal_OptionalActivation:$activation);
}

def NNHal_DepthwiseConv2DOp
    : NNHal_ConvolutionOp<"depthwise_conv_2d", /*opCode=*/4, "V1_0"> {
  let summary = "convolution per channel; filter [1, height, width, out]";
  let arguments = (ins NNHal_Tensor:$input, NNHal_Tensor:$filter,
                       NNHal_Tensor:$bias, DenseI64ArrayAttr:$strides,
                       DenseI64ArrayAttr:$dilations, DenseI64ArrayAttr:$pads,
                       I64Attr:$depth_multiplier,
                       NNHal_OptionalActivation:$activation);
}

def NNHal_GroupedConv2DOp
    : NNHal_ConvolutionOp<"grouped_conv_2d", /*opCode=*/55, "V1_2"> {
  let summary = "convolution per group; filter [out, height, width, in / groups]";
  let arguments = (ins NNHal_Tensor:$input, NNHal_Tensor:$filter,
                       NNHal_Tensor:$bias, DenseI64ArrayAttr:$strides,
                       DenseI64ArrayAttr:$pads, I64Attr:$groups,
                       NNHal_OptionalActivation:$activation);
}

def NNHal_TransposeConv2DOp
    : NNHal_ConvolutionOp<"transpose_conv_2d", /*opCode=*/91, "V1_2"> {
  let summary = "transposed convolution; filter [out, height, width, in]";
  let description = [{
    The bottom and right pad may be negative: the result then extends beyond
    the last window (M-086).
  }];
  let arguments = (ins NNHal_Tensor:$input, NNHal_Tensor:$filter,
                       NNHal_Tensor:$bias, DenseI64ArrayAttr:$strides,
                       DenseI64ArrayAttr:$pads,
                       NNHal_OptionalActivation:$activation);
}

def NNHal_FullyConnectedOp
    : NNHal_ConvolutionOp<"fully_connected", /*opCode=*/9, "V1_0"> {
  let summary = "product with weights [units, size], input flattened to rows";
  let arguments = (ins NNHal_Tensor:$input, NNHal_Tensor:$weights,
                       NNHal_Tensor:$bias,
                       NNHal_OptionalActivation:$activation);
}

} // opDocGroup

#endif // NNHAL_DIALECT_NNHAL_IR_CONTRACTION
