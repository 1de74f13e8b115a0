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

let opDocGroup = NNHal_ActivationGroup in {

def NNHal_ReluOp : NNHal_FormOp<NNHal_RELU> {
  let summary = "max(x, 0)";
  let description = [{
    Per element, of any float or 8-bit asymmetric type. A quantized result has the
    type of the operand: stored values are limited (M-051).

    ```mlir
    %0 = nnhal.relu %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
    ```
  }];
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}
def NNHal_Relu1Op : NNHal_FormOp<NNHal_RELU1> {
  let summary = "x limited to [-1, 1]";
  let description = [{
    Per element. A quantized result has the type of the operand.

    ```mlir
    %0 = nnhal.relu1 %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
    ```
  }];
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}
def NNHal_Relu6Op : NNHal_FormOp<NNHal_RELU6> {
  let summary = "x limited to [0, 6]";
  let description = [{
    Per element. A quantized result has the type of the operand.

    ```mlir
    %0 = nnhal.relu6 %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
    ```
  }];
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}
def NNHal_TanhOp : NNHal_FormOp<NNHal_TANH> {
  let summary = "hyperbolic tangent";
  let description = [{
    Per element. A quantized result has scale 1 / 128, and the zero point that
    stands for the middle of the stored values (M-053).

    ```mlir
    %0 = nnhal.tanh %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
    ```
  }];
}
def NNHal_LogisticOp : NNHal_FormOp<NNHal_LOGISTIC> {
  let summary = "1 / (1 + exp(-x))";
  let description = [{
    Per element. A quantized result has scale 1 / 256, and the lowest stored value
    as its zero point (M-052).

    ```mlir
    %0 = nnhal.logistic %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
    ```
  }];
}
def NNHal_EluOp : NNHal_FormOp<NNHal_ELU> {
  let summary = "x for x >= 0, else alpha * (exp(x) - 1)";
  let description = [{
    Per element, of floats. `alpha` is stated in f32 for f16 tensors, too.

    ```mlir
    %0 = nnhal.elu %x alpha 1.0 : (tensor<2x3xf32>) -> tensor<2x3xf32>
    ```
  }];
}
def NNHal_HardSwishOp : NNHal_FormOp<NNHal_HARD_SWISH> {
  let summary = "x * clamp(x + 3, 0, 6) / 6";
  let description = [{
    x * max(0, min(6, x + 3)) / 6 per element. The quantization of the result is
    free.

    ```mlir
    %0 = nnhal.hard_swish %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
    ```
  }];
}
def NNHal_PreluOp : NNHal_FormOp<NNHal_PRELU> {
  let summary = "x for x >= 0, else alpha * x; broadcasting";
  let description = [{
    x where x is not negative, alpha * x elsewhere; `alpha` broadcasts to the input.

    ```mlir
    %0 = nnhal.prelu %x, %y
        : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
    ```
  }];
}
def NNHal_SoftmaxOp : NNHal_FormOp<NNHal_SOFTMAX> {
  let summary = "exp(beta * x), normalized to sum 1 along an axis";
  let description = [{
    exp(beta * x) divided by its sum along `axis`, which counts from the end where it
    is negative. A quantized result has scale 1 / 256.

    ```mlir
    %0 = nnhal.softmax %x beta 1.0 : (tensor<2x3xf32>) -> tensor<2x3xf32>
    ```
  }];
}
def NNHal_LogSoftmaxOp : NNHal_FormOp<NNHal_LOG_SOFTMAX> {
  let summary = "logarithm of softmax along an axis";
  let description = [{
    beta * x less the logarithm of the sum of exp(beta * x) along `axis`.

    ```mlir
    %0 = nnhal.log_softmax %x beta 1.0 axis 1 : (tensor<2x3xf32>) -> tensor<2x3xf32>
    ```
  }];
}

} // opDocGroup

#endif // NNHAL_DIALECT_NNHAL_IR_ACTIVATION
