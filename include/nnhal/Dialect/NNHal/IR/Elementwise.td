//===- Elementwise.td - Element-wise operations ------------*- tablegen -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_DIALECT_NNHAL_IR_ELEMENTWISE
#define NNHAL_DIALECT_NNHAL_IR_ELEMENTWISE

include "nnhal/Dialect/NNHal/IR/HalForm.td"

def NNHal_ElementwiseGroup : OpDocGroup {
  let summary = "Element-wise operations";
  let description = "Rules: docs/Spec/Elementwise.md.";
}

/// Broadcasting, with a fused activation.
class NNHal_ArithmeticOp<string mnemonic, int opCode, string halVersion,
                         list<Trait> traits = []>
    : NNHal_FormOp<mnemonic, opCode, halVersion,
                   [NNHal_In<"lhs">, NNHal_In<"rhs">, NNHal_ActivationIn],
                   (outs NNHal_Tensor:$output), /*resultCount=*/1,
                   /*isNamed=*/0, /*hasSpatialResult=*/0, traits> {
  let hasFolder = 1;
}

/// Broadcasting, without activation.
class NNHal_BinaryOp<string mnemonic, int opCode, string halVersion,
                     list<Trait> traits = []>
    : NNHal_FormOp<mnemonic, opCode, halVersion,
                   [NNHal_In<"lhs">, NNHal_In<"rhs">],
                   (outs NNHal_Tensor:$output), /*resultCount=*/1,
                   /*isNamed=*/0, /*hasSpatialResult=*/0, traits>;

/// Broadcasting; the result is TENSOR_BOOL8.
class NNHal_ComparisonOp<string mnemonic, int opCode, list<Trait> traits = []>
    : NNHal_FormOp<mnemonic, opCode, "V1_2",
                   [NNHal_In<"lhs">, NNHal_In<"rhs">],
                   (outs NNHal_BoolTensor:$output), /*resultCount=*/1,
                   /*isNamed=*/0, /*hasSpatialResult=*/0, traits> {
  let hasFolder = 1;
}

/// Result type is operand type.
class NNHal_UnaryOp<string mnemonic, int opCode, string halVersion>
    : NNHal_FormOp<mnemonic, opCode, halVersion, [NNHal_In<"input">],
                   (outs NNHal_Tensor:$output), /*resultCount=*/1>;

let opDocGroup = NNHal_ElementwiseGroup in {

def NNHal_AddOp
    : NNHal_ArithmeticOp<"add", /*opCode=*/0, "V1_0", [Commutative]> {
  let summary = "sum of two tensors";
  let description = [{
    lhs + rhs. Operands broadcast (M-021). The quantization of a result is free.

    ```mlir
    %0 = nnhal.add %x, %y activation relu
        : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
    ```
  }];
}
def NNHal_SubOp : NNHal_ArithmeticOp<"sub", /*opCode=*/36, "V1_1"> {
  let summary = "difference of two tensors";
  let description = [{
    lhs - rhs. Operands broadcast (M-021). The quantization of a result is free.

    ```mlir
    %0 = nnhal.sub %x, %y
        : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
    ```
  }];
}
def NNHal_MulOp
    : NNHal_ArithmeticOp<"mul", /*opCode=*/18, "V1_0", [Commutative]> {
  let summary = "product of two tensors";
  let description = [{
    lhs * rhs. Operands broadcast (M-021). The scale of a quantized result is above
    the product of the others (M-039).

    ```mlir
    %0 = nnhal.mul %x, %y
        : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
    ```
  }];
}
def NNHal_DivOp : NNHal_ArithmeticOp<"div", /*opCode=*/30, "V1_1"> {
  let summary = "quotient of two tensors, toward negative infinity for i32";
  let description = [{
    lhs / rhs. Operands broadcast (M-021). Integers are divided towards negative
    infinity (M-041).

    ```mlir
    %0 = nnhal.div %x, %y
        : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
    ```
  }];
}
def NNHal_PowOp : NNHal_BinaryOp<"pow", /*opCode=*/70, "V1_2"> {
  let summary = "lhs to the power of rhs";
  let description = [{
    The bases are raised to the exponents, which broadcast (M-021). Floats only.

    ```mlir
    %0 = nnhal.pow %x, %y
        : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
    ```
  }];
}
def NNHal_MaximumOp
    : NNHal_BinaryOp<"maximum", /*opCode=*/65, "V1_2", [Commutative]> {
  let summary = "larger of two tensors";
  let description = [{
    Operands broadcast (M-021).

    ```mlir
    %0 = nnhal.maximum %x, %y
        : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
    ```
  }];
  let hasFolder = 1;
}
def NNHal_MinimumOp
    : NNHal_BinaryOp<"minimum", /*opCode=*/66, "V1_2", [Commutative]> {
  let summary = "smaller of two tensors";
  let description = [{
    Operands broadcast (M-021).

    ```mlir
    %0 = nnhal.minimum %x, %y
        : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
    ```
  }];
  let hasFolder = 1;
}

def NNHal_EqualOp : NNHal_ComparisonOp<"equal", /*opCode=*/48, [Commutative]> {
  let summary = "1 where lhs equals rhs";
  let description = [{
    Operands broadcast (M-021). A byte of the result is 1 or 0.

    ```mlir
    %0 = nnhal.equal %x, %y
        : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xi8>
    ```
  }];
}
def NNHal_NotEqualOp
    : NNHal_ComparisonOp<"not_equal", /*opCode=*/68, [Commutative]> {
  let summary = "1 where lhs differs from rhs";
  let description = [{
    Operands broadcast (M-021). A byte of the result is 1 or 0.

    ```mlir
    %0 = nnhal.not_equal %x, %y
        : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xi8>
    ```
  }];
}
def NNHal_GreaterOp : NNHal_ComparisonOp<"greater", /*opCode=*/53> {
  let summary = "1 where lhs is above rhs";
  let description = [{
    Operands broadcast (M-021). A byte of the result is 1 or 0.

    ```mlir
    %0 = nnhal.greater %x, %y
        : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xi8>
    ```
  }];
}
def NNHal_GreaterEqualOp : NNHal_ComparisonOp<"greater_equal", /*opCode=*/54> {
  let summary = "1 where lhs is not below rhs";
  let description = [{
    Operands broadcast (M-021). A byte of the result is 1 or 0.

    ```mlir
    %0 = nnhal.greater_equal %x, %y
        : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xi8>
    ```
  }];
}
def NNHal_LessOp : NNHal_ComparisonOp<"less", /*opCode=*/58> {
  let summary = "1 where lhs is below rhs";
  let description = [{
    Operands broadcast (M-021). A byte of the result is 1 or 0.

    ```mlir
    %0 = nnhal.less %x, %y
        : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xi8>
    ```
  }];
}
def NNHal_LessEqualOp : NNHal_ComparisonOp<"less_equal", /*opCode=*/59> {
  let summary = "1 where lhs is not above rhs";
  let description = [{
    Operands broadcast (M-021). A byte of the result is 1 or 0.

    ```mlir
    %0 = nnhal.less_equal %x, %y
        : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xi8>
    ```
  }];
}

def NNHal_LogicalAndOp
    : NNHal_BinaryOp<"logical_and", /*opCode=*/61, "V1_2", [Commutative]> {
  let summary = "1 where both operands are true";
  let description = [{
    Any byte but 0 is true. Operands broadcast (M-021).

    ```mlir
    %0 = nnhal.logical_and %x, %y
        : (tensor<2x3xi8>, tensor<3xi8>) -> tensor<2x3xi8>
    ```
  }];
  let hasFolder = 1;
}
def NNHal_LogicalOrOp
    : NNHal_BinaryOp<"logical_or", /*opCode=*/63, "V1_2", [Commutative]> {
  let summary = "1 where either operand is true";
  let description = [{
    Any byte but 0 is true. Operands broadcast (M-021).

    ```mlir
    %0 = nnhal.logical_or %x, %y
        : (tensor<2x3xi8>, tensor<3xi8>) -> tensor<2x3xi8>
    ```
  }];
  let hasFolder = 1;
}
def NNHal_LogicalNotOp : NNHal_UnaryOp<"logical_not", /*opCode=*/62, "V1_2"> {
  let summary = "1 where the operand is false";
  let description = [{
    Any byte but 0 is true.

    ```mlir
    %0 = nnhal.logical_not %x : (tensor<2x3xi8>) -> tensor<2x3xi8>
    ```
  }];
  let hasFolder = 1;
}

def NNHal_SelectOp
    : NNHal_FormOp<"select", /*opCode=*/84, "V1_2",
                   [NNHal_In<"condition", NNHal_BoolTensor>, NNHal_In<"lhs">,
                    NNHal_In<"rhs">],
                   (outs NNHal_Tensor:$output), /*resultCount=*/1> {
  let summary = "elements of lhs where the condition holds, else of rhs";
  let description = [{
    All three have one shape (M-141). Any byte of the condition but 0 is true.

    ```mlir
    %0 = nnhal.select %condition, %x, %y
        : (tensor<3xi8>, tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
    ```
  }];
  let hasFolder = 1;
}

def NNHal_AbsOp : NNHal_UnaryOp<"abs", /*opCode=*/38, "V1_2"> {
  let summary = "magnitude";
  let description = [{
    Floats and i32.

    ```mlir
    %0 = nnhal.abs %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
    ```
  }];
  let hasFolder = 1;
}
def NNHal_NegOp : NNHal_UnaryOp<"neg", /*opCode=*/67, "V1_2"> {
  let summary = "negation";
  let description = [{
    Floats and i32.

    ```mlir
    %0 = nnhal.neg %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
    ```
  }];
  let hasFolder = 1;
}
def NNHal_ExpOp : NNHal_UnaryOp<"exp", /*opCode=*/49, "V1_2"> {
  let summary = "exponential";
  let description = [{
    Floats only.

    ```mlir
    %0 = nnhal.exp %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
    ```
  }];
}
def NNHal_LogOp : NNHal_UnaryOp<"log", /*opCode=*/60, "V1_2"> {
  let summary = "natural logarithm";
  let description = [{
    Floats only.

    ```mlir
    %0 = nnhal.log %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
    ```
  }];
}
def NNHal_SinOp : NNHal_UnaryOp<"sin", /*opCode=*/85, "V1_2"> {
  let summary = "sine";
  let description = [{
    Floats only.

    ```mlir
    %0 = nnhal.sin %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
    ```
  }];
}
def NNHal_SqrtOp : NNHal_UnaryOp<"sqrt", /*opCode=*/88, "V1_2"> {
  let summary = "square root";
  let description = [{
    Floats only.

    ```mlir
    %0 = nnhal.sqrt %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
    ```
  }];
}
def NNHal_RsqrtOp : NNHal_UnaryOp<"rsqrt", /*opCode=*/83, "V1_2"> {
  let summary = "reciprocal of the square root";
  let description = [{
    Floats only.

    ```mlir
    %0 = nnhal.rsqrt %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
    ```
  }];
}
def NNHal_FloorOp : NNHal_UnaryOp<"floor", /*opCode=*/8, "V1_0"> {
  let summary = "largest integer not above";
  let description = [{
    Floats only.

    ```mlir
    %0 = nnhal.floor %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
    ```
  }];
  let hasFolder = 1;
}

def NNHal_CastOp
    : NNHal_FormOp<"cast", /*opCode=*/45, "V1_2", [NNHal_In<"input">],
                   (outs NNHal_Tensor:$output), /*resultCount=*/0> {
  let summary = "conversion of the stored values, ignoring quantization";
  let description = [{
    Floats are rounded towards zero; stored values of quantized tensors are taken as
    numbers, without scale and zero point (M-150).

    ```mlir
    %0 = nnhal.cast %x : (tensor<2x3xf32>) -> tensor<2x3xi32>
    ```
  }];
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

} // opDocGroup

#endif // NNHAL_DIALECT_NNHAL_IR_ELEMENTWISE
