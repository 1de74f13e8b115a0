//===- Activation.td - Activation operations ---------------*- tablegen -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_DIALECT_NNHAL_IR_ACTIVATION
#define NNHAL_DIALECT_NNHAL_IR_ACTIVATION

include "nnhal/Dialect/NNHal/IR/HalForm.td"

def NNHal_ActivationGroup : OpDocGroup {
  let summary = "Activation operations";
  let description = "Rules: docs/Spec/Activation.md.";
}

class NNHal_ActivationOp<string mnemonic, int opCode, string halVersion>
    : NNHal_FormOp<mnemonic, opCode, halVersion, [NNHal_In<"input">],
                   (outs NNHal_Tensor:$output), /*resultCount=*/1>;

class NNHal_SoftmaxLikeOp<string mnemonic, int opCode, string halVersion>
    : NNHal_FormOp<mnemonic, opCode, halVersion,
                   [NNHal_In<"input">, NNHal_RealIn<"beta">,
                    NNHal_OptionalIntegerIn<"axis", "-1">],
                   (outs NNHal_Tensor:$output), /*resultCount=*/1>;

let opDocGroup = NNHal_ActivationGroup in {

def NNHal_ReluOp : NNHal_ActivationOp<"relu", /*opCode=*/19, "V1_0"> {
  let summary = "max(x, 0)";
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}
def NNHal_Relu1Op : NNHal_ActivationOp<"relu1", /*opCode=*/20, "V1_0"> {
  let summary = "x limited to [-1, 1]";
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}
def NNHal_Relu6Op : NNHal_ActivationOp<"relu6", /*opCode=*/21, "V1_0"> {
  let summary = "x limited to [0, 6]";
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}
def NNHal_TanhOp : NNHal_ActivationOp<"tanh", /*opCode=*/28, "V1_0"> {
  let summary = "hyperbolic tangent";
}
def NNHal_LogisticOp : NNHal_ActivationOp<"logistic", /*opCode=*/14, "V1_0"> {
  let summary = "1 / (1 + exp(-x))";
}
def NNHal_EluOp
    : NNHal_FormOp<"elu", /*opCode=*/98, "V1_3",
                   [NNHal_In<"input">, NNHal_RealIn<"alpha">],
                   (outs NNHal_Tensor:$output), /*resultCount=*/1> {
  let summary = "x for x >= 0, else alpha * (exp(x) - 1)";
}
def NNHal_HardSwishOp
    : NNHal_ActivationOp<"hard_swish", /*opCode=*/99, "V1_3"> {
  let summary = "x * clamp(x + 3, 0, 6) / 6";
}
def NNHal_PreluOp
    : NNHal_FormOp<"prelu", /*opCode=*/71, "V1_2",
                   [NNHal_In<"input">, NNHal_In<"alpha">],
                   (outs NNHal_Tensor:$output), /*resultCount=*/1> {
  let summary = "x for x >= 0, else alpha * x; broadcasting";
}
def NNHal_SoftmaxOp : NNHal_SoftmaxLikeOp<"softmax", /*opCode=*/25, "V1_0"> {
  let summary = "exp(beta * x), normalized to sum 1 along an axis";
}
def NNHal_LogSoftmaxOp
    : NNHal_SoftmaxLikeOp<"log_softmax", /*opCode=*/64, "V1_2"> {
  let summary = "logarithm of softmax along an axis";
}

} // opDocGroup

#endif // NNHAL_DIALECT_NNHAL_IR_ACTIVATION
