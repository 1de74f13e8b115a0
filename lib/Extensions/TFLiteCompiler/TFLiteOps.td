//===- TFLiteOps.td - Operators that become code -----------*- tablegen -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_EXTENSIONS_TFLITECOMPILER_TFLITEOPS
#define NNHAL_LIB_EXTENSIONS_TFLITECOMPILER_TFLITEOPS

include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpBase.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def TFLite_Dialect : Dialect {
  let name = "tflite";
  let cppNamespace = "::nnhal::tflite";
  let summary = "operators of the extension nnhal.tflite that become code";
  let description = [{
    What the compiler's half of the extension raises operations to, and lowers
    to linalg. Tensors have known extents. What it does not raise stays a call
    of the extension's half in the runtime.
  }];
}

/// The cases are the numbers of the operators.
def TFLite_Function : I32EnumAttr<"Function", "what is computed", [
    I32EnumAttrCase<"add", 0>, I32EnumAttrCase<"dequantize", 6>,
    I32EnumAttrCase<"floor", 8>, I32EnumAttrCase<"logistic", 14>,
    I32EnumAttrCase<"mul", 18>, I32EnumAttrCase<"relu", 19>,
    I32EnumAttrCase<"relu_n1_to_1", 20>, I32EnumAttrCase<"relu6", 21>,
    I32EnumAttrCase<"tanh", 28>, I32EnumAttrCase<"sub", 41>,
    I32EnumAttrCase<"exp", 47>, I32EnumAttrCase<"cast", 53>,
    I32EnumAttrCase<"maximum", 55>, I32EnumAttrCase<"minimum", 57>,
    I32EnumAttrCase<"less", 58>, I32EnumAttrCase<"neg", 59>,
    I32EnumAttrCase<"greater", 61>, I32EnumAttrCase<"greater_equal", 62>,
    I32EnumAttrCase<"less_equal", 63>, I32EnumAttrCase<"sin", 66>,
    I32EnumAttrCase<"equal", 71>, I32EnumAttrCase<"not_equal", 72>,
    I32EnumAttrCase<"log", 73>, I32EnumAttrCase<"sqrt", 75>,
    I32EnumAttrCase<"rsqrt", 76>, I32EnumAttrCase<"square", 92>,
    I32EnumAttrCase<"leaky_relu", 98>,
    I32EnumAttrCase<"squared_difference", 99>, I32EnumAttrCase<"abs", 101>,
    I32EnumAttrCase<"ceil", 104>, I32EnumAttrCase<"cos", 108>,
    I32EnumAttrCase<"quantize", 114>, I32EnumAttrCase<"round", 116>,
    I32EnumAttrCase<"select_v2", 123>, I32EnumAttrCase<"broadcast_to", 130>,
    I32EnumAttrCase<"relu_0_to_1", 152>, I32EnumAttrCase<"sign", 158>,
    I32EnumAttrCase<"bitwise_xor", 160>]> {
  let cppNamespace = "::nnhal::tflite";
  let genSpecializedAttr = 1;
}

def TFLite_ElementwiseOp : Op<TFLite_Dialect, "elementwise", [Pure]> {
  let summary = "an operator that computes each element by itself";
  let description = [{
    The operands broadcast to the shape of the result. Quantized elements are
    computed by the scales of the types, as docs/Spec/TFLiteExtension.md says.
    `activation` is TensorFlow Lite's code, `alpha` the factor of negative
    numbers.

    ```mlir
    %0 = tflite.elementwise add(%a, %b) {activation = 1 : i32}
           : (tensor<4xf32>, tensor<1xf32>) -> tensor<4xf32>
    ```
  }];
  let arguments = (ins TFLite_Function:$function,
                       Variadic<AnyRankedTensor>:$inputs,
                       DefaultValuedAttr<I32Attr, "0">:$activation,
                       DefaultValuedAttr<F32Attr, "0.0f">:$alpha);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    $function `(` $inputs `)` attr-dict `:`
    functional-type($inputs, results)
  }];
  let hasVerifier = 1;
}

def TFLite_ReshapeOp : Op<TFLite_Dialect, "reshape", [Pure]> {
  let summary = "the same elements in another shape";
  let description = [{
    RESHAPE, SQUEEZE and EXPAND_DIMS of known extents.

    ```mlir
    %0 = tflite.reshape %x : tensor<2x3xf32> -> tensor<6xf32>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$input);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$input attr-dict `:` type($input) `->` type($result)";
  let hasVerifier = 1;
}

#endif // NNHAL_LIB_EXTENSIONS_TFLITECOMPILER_TFLITEOPS
