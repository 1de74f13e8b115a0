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
class NNHal_ArithmeticOp<NNHal_HalSignature signature, list<Trait> traits = []>
    : NNHal_FormOp<signature, traits = traits> {
  let hasFolder = 1;
}

/// Broadcasting; the result is TENSOR_BOOL8.
class NNHal_ComparisonOp<NNHal_HalSignature signature, list<Trait> traits = []>
    : NNHal_FormOp<signature, (outs NNHal_BoolTensor:$output), traits = traits> {
  let hasFolder = 1;
}

let opDocGroup = NNHal_ElementwiseGroup in {

def NNHal_AddOp : NNHal_ArithmeticOp<NNHal_ADD, [Commutative]> {
  let summary = "sum of two tensors";
  let description = [{
    lhs + rhs. Operands broadcast (M-021). The quantization of a result is free.

    ```mlir
    %0 = nnhal.add %x, %y activation relu
        : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
    ```
  }];
}
def NNHal_SubOp : NNHal_ArithmeticOp<NNHal_SUB> {
  let summary = "difference of two tensors";
  let description = [{
    lhs - rhs. Operands broadcast (M-021). The quantization of a result is free.

    ```mlir
    %0 = nnhal.sub %x, %y
        : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
    ```
  }];
}
def NNHal_MulOp : NNHal_ArithmeticOp<NNHal_MUL, [Commutative]> {
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
def NNHal_DivOp : NNHal_ArithmeticOp<NNHal_DIV> {
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
def NNHal_PowOp : NNHal_FormOp<NNHal_POW> {
  let summary = "lhs to the power of rhs";
  let description = [{
    The bases are raised to the exponents, which broadcast (M-021). Floats only.

    ```mlir
    %0 = nnhal.pow %x, %y
        : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
    ```
  }];
}
def NNHal_MaximumOp : NNHal_FormOp<NNHal_MAXIMUM, traits = [Commutative]> {
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
def NNHal_MinimumOp : NNHal_FormOp<NNHal_MINIMUM, traits = [Commutative]> {
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

def NNHal_EqualOp : NNHal_ComparisonOp<NNHal_EQUAL, [Commutative]> {
  let summary = "1 where lhs equals rhs";
  let description = [{
    Operands broadcast (M-021). A byte of the result is 1 or 0.

    ```mlir
    %0 = nnhal.equal %x, %y
        : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xi8>
    ```
  }];
}
def NNHal_NotEqualOp : NNHal_ComparisonOp<NNHal_NOT_EQUAL, [Commutative]> {
  let summary = "1 where lhs differs from rhs";
  let description = [{
    Operands broadcast (M-021). A byte of the result is 1 or 0.

    ```mlir
    %0 = nnhal.not_equal %x, %y
        : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xi8>
    ```
  }];
}
def NNHal_GreaterOp : NNHal_ComparisonOp<NNHal_GREATER> {
  let summary = "1 where lhs is above rhs";
  let description = [{
    Operands broadcast (M-021). A byte of the result is 1 or 0.

    ```mlir
    %0 = nnhal.greater %x, %y
        : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xi8>
    ```
  }];
}
def NNHal_GreaterEqualOp : NNHal_ComparisonOp<NNHal_GREATER_EQUAL> {
  let summary = "1 where lhs is not below rhs";
  let description = [{
    Operands broadcast (M-021). A byte of the result is 1 or 0.

    ```mlir
    %0 = nnhal.greater_equal %x, %y
        : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xi8>
    ```
  }];
}
def NNHal_LessOp : NNHal_ComparisonOp<NNHal_LESS> {
  let summary = "1 where lhs is below rhs";
  let description = [{
    Operands broadcast (M-021). A byte of the result is 1 or 0.

    ```mlir
    %0 = nnhal.less %x, %y
        : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xi8>
    ```
  }];
}
def NNHal_LessEqualOp : NNHal_ComparisonOp<NNHal_LESS_EQUAL> {
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
    : NNHal_FormOp<NNHal_LOGICAL_AND, traits = [Commutative]> {
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
def NNHal_LogicalOrOp : NNHal_FormOp<NNHal_LOGICAL_OR, traits = [Commutative]> {
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
def NNHal_LogicalNotOp : NNHal_FormOp<NNHal_LOGICAL_NOT> {
  let summary = "1 where the operand is false";
  let description = [{
    Any byte but 0 is true.

    ```mlir
    %0 = nnhal.logical_not %x : (tensor<2x3xi8>) -> tensor<2x3xi8>
    ```
  }];
  let hasFolder = 1;
}

def NNHal_SelectOp : NNHal_FormOp<NNHal_SELECT> {
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

def NNHal_AbsOp : NNHal_FormOp<NNHal_ABS> {
  let summary = "magnitude";
  let description = [{
    Floats and i32.

    ```mlir
    %0 = nnhal.abs %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
    ```
  }];
  let hasFolder = 1;
}
def NNHal_NegOp : NNHal_FormOp<NNHal_NEG> {
  let summary = "negation";
  let description = [{
    Floats and i32.

    ```mlir
    %0 = nnhal.neg %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
    ```
  }];
  let hasFolder = 1;
}
def NNHal_ExpOp : NNHal_FormOp<NNHal_EXP> {
  let summary = "exponential";
  let description = [{
    Floats only.

    ```mlir
    %0 = nnhal.exp %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
    ```
  }];
}
def NNHal_LogOp : NNHal_FormOp<NNHal_LOG> {
  let summary = "natural logarithm";
  let description = [{
    Floats only.

    ```mlir
    %0 = nnhal.log %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
    ```
  }];
}
def NNHal_SinOp : NNHal_FormOp<NNHal_SIN> {
  let summary = "sine";
  let description = [{
    Floats only.

    ```mlir
    %0 = nnhal.sin %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
    ```
  }];
}
def NNHal_SqrtOp : NNHal_FormOp<NNHal_SQRT> {
  let summary = "square root";
  let description = [{
    Floats only.

    ```mlir
    %0 = nnhal.sqrt %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
    ```
  }];
}
def NNHal_RsqrtOp : NNHal_FormOp<NNHal_RSQRT> {
  let summary = "reciprocal of the square root";
  let description = [{
    Floats only.

    ```mlir
    %0 = nnhal.rsqrt %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
    ```
  }];
}
def NNHal_FloorOp : NNHal_FormOp<NNHal_FLOOR> {
  let summary = "largest integer not above";
  let description = [{
    Floats only.

    ```mlir
    %0 = nnhal.floor %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
    ```
  }];
  let hasFolder = 1;
}

def NNHal_CastOp : NNHal_FormOp<NNHal_CAST, infersResults = 0> {
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
