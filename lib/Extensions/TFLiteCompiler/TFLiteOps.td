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
  let dependentDialects = ["::mlir::arith::ArithDialect"];
  let hasConstantMaterializer = 1;
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
    I32EnumAttrCase<"div", 42>,
    I32EnumAttrCase<"exp", 47>, I32EnumAttrCase<"cast", 53>,
    I32EnumAttrCase<"prelu", 54>,
    I32EnumAttrCase<"maximum", 55>, I32EnumAttrCase<"minimum", 57>,
    I32EnumAttrCase<"less", 58>, I32EnumAttrCase<"neg", 59>,
    I32EnumAttrCase<"greater", 61>, I32EnumAttrCase<"greater_equal", 62>,
    I32EnumAttrCase<"less_equal", 63>, I32EnumAttrCase<"sin", 66>,
    I32EnumAttrCase<"equal", 71>, I32EnumAttrCase<"not_equal", 72>,
    I32EnumAttrCase<"log", 73>, I32EnumAttrCase<"sqrt", 75>,
    I32EnumAttrCase<"rsqrt", 76>, I32EnumAttrCase<"pow", 78>,
    I32EnumAttrCase<"logical_or", 84>, I32EnumAttrCase<"logical_and", 86>,
    I32EnumAttrCase<"logical_not", 87>, I32EnumAttrCase<"floor_div", 90>,
    I32EnumAttrCase<"square", 92>, I32EnumAttrCase<"floor_mod", 95>,
    I32EnumAttrCase<"leaky_relu", 98>,
    I32EnumAttrCase<"squared_difference", 99>, I32EnumAttrCase<"abs", 101>,
    I32EnumAttrCase<"ceil", 104>, I32EnumAttrCase<"add_n", 106>,
    I32EnumAttrCase<"cos", 108>,
    I32EnumAttrCase<"elu", 111>, I32EnumAttrCase<"quantize", 114>,
    I32EnumAttrCase<"round", 116>, I32EnumAttrCase<"hard_swish", 117>,
    I32EnumAttrCase<"select_v2", 123>, I32EnumAttrCase<"broadcast_to", 130>,
    I32EnumAttrCase<"gelu", 150>,
    I32EnumAttrCase<"relu_0_to_1", 152>, I32EnumAttrCase<"atan2", 156>, I32EnumAttrCase<"sign", 158>,
    I32EnumAttrCase<"bitcast", 159>, I32EnumAttrCase<"bitwise_xor", 160>,
    I32EnumAttrCase<"right_shift", 161>, I32EnumAttrCase<"shift_left", 207>]> {
  let cppNamespace = "::nnhal::tflite";
  let genSpecializedAttr = 1;
}

def TFLite_ElementwiseOp : Op<TFLite_Dialect, "elementwise", [Pure]> {
  let summary = "an operator that computes each element by itself";
  let description = [{
    The operands broadcast to the shape of the result. Quantized elements are
    computed by the scales of the types, as docs/Spec/TFLiteExtension.md says.
    `activation` is TensorFlow Lite's code, `alpha` the factor of negative
    numbers, `approximate` says which GELU it is. Divisors that are integers
    are not 0.

    ```mlir
    %0 = tflite.elementwise add(%a, %b) {activation = 1 : i32}
           : (tensor<4xf32>, tensor<1xf32>) -> tensor<4xf32>
    ```
  }];
  let arguments = (ins TFLite_Function:$function,
                       Variadic<AnyRankedTensor>:$inputs,
                       DefaultValuedAttr<I32Attr, "0">:$activation,
                       DefaultValuedAttr<F32Attr, "0.0f">:$alpha,
                       UnitAttr:$approximate);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    $function `(` $inputs `)` attr-dict `:`
    functional-type($inputs, results)
  }];
  let hasFolder = 1;
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
  let hasFolder = 1;
  let hasVerifier = 1;
}

/// The cases are the numbers of the operators.
def TFLite_Reducer : I32EnumAttr<"Reducer", "how elements are joined", [
    I32EnumAttrCase<"mean", 40>, I32EnumAttrCase<"sum", 74>,
    I32EnumAttrCase<"product", 81>, I32EnumAttrCase<"maximum", 82>,
    I32EnumAttrCase<"minimum", 89>, I32EnumAttrCase<"any", 91>,
    I32EnumAttrCase<"all", 140>]> {
  let cppNamespace = "::nnhal::tflite";
  let genSpecializedAttr = 1;
}

def TFLite_ReduceOp : Op<TFLite_Dialect, "reduce", [Pure]> {
  let summary = "the elements along dimensions joined to one";
  let description = [{
    The result is without the dimensions `axes`, which ascend.

    ```mlir
    %0 = tflite.reduce sum %x [1] : tensor<2x3xf32> -> tensor<2xf32>
    ```
  }];
  let arguments = (ins TFLite_Reducer:$reducer, AnyRankedTensor:$input,
                       DenseI64ArrayAttr:$axes);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    $reducer $input $axes attr-dict `:` type($input) `->` type($result)
  }];
  let hasFolder = 1;
  let hasVerifier = 1;
}

def TFLite_PoolOp : Op<TFLite_Dialect, "pool", [Pure]> {
  let summary = "a pool of a 16-bit image";
  let description = [{
    AVERAGE_POOL_2D, which is `mean` and takes signed bytes, too, and
    MAX_POOL_2D. Elements of windows that
    are missing in the input lie before its first line and column, one half
    rounded down, and behind the last ones.

    ```mlir
    %0 = tflite.pool mean %x [2, 2] [2, 2] {activation = 1 : i32}
           : tensor<1x4x4x8x!quant16_symm> -> tensor<1x2x2x8x!quant16_symm>
    ```
  }];
  let arguments = (ins TFLite_Reducer:$reducer, AnyRankedTensor:$input,
                       DenseI64ArrayAttr:$filter, DenseI64ArrayAttr:$strides,
                       DefaultValuedAttr<I32Attr, "0">:$activation);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    $reducer $input $filter $strides attr-dict `:`
    type($input) `->` type($result)
  }];
  let hasVerifier = 1;
}

def TFLite_SliceOp : Op<TFLite_Dialect, "slice", [Pure]> {
  let summary = "a box of elements";
  let description = [{
    Along dimension i the result has the elements offsets[i] + n * strides[i].
    A negative stride reverses their order.

    ```mlir
    %0 = tflite.slice %x [0, 2] [1, -1] : tensor<2x3xf32> -> tensor<2x3xf32>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$input, DenseI64ArrayAttr:$offsets,
                       DenseI64ArrayAttr:$strides);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    $input $offsets $strides attr-dict `:` type($input) `->` type($result)
  }];
  let hasFolder = 1;
  let hasVerifier = 1;
}

def TFLite_TransposeOp : Op<TFLite_Dialect, "transpose", [Pure]> {
  let summary = "the same elements with dimensions in another order";
  let description = [{
    ```mlir
    %0 = tflite.transpose %x [1, 0] : tensor<2x3xf32> -> tensor<3x2xf32>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$input,
                       DenseI64ArrayAttr:$permutation);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    $input $permutation attr-dict `:` type($input) `->` type($result)
  }];
  let hasVerifier = 1;
}

def TFLite_ConcatenateOp : Op<TFLite_Dialect, "concatenate", [Pure]> {
  let summary = "tensors one after the other";
  let description = [{
    ```mlir
    %0 = tflite.concatenate %x, %y {axis = 1}
           : tensor<2x3xf32>, tensor<2x4xf32> -> tensor<2x7xf32>
    ```
  }];
  let arguments = (ins Variadic<AnyRankedTensor>:$inputs, I64Attr:$axis);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    $inputs attr-dict `:` type($inputs) `->` type($result)
  }];
  let hasFolder = 1;
  let hasVerifier = 1;
}

def TFLite_PadOp : Op<TFLite_Dialect, "pad", [Pure]> {
  let summary = "elements around a tensor";
  let description = [{
    They are what stands for 0, or the only element of `value`. Before dimension
    i are low[i] of them.

    ```mlir
    %0 = tflite.pad %x [1, 0] : (tensor<2x3xf32>) -> tensor<3x4xf32>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$input,
                       Optional<AnyRankedTensor>:$value,
                       DenseI64ArrayAttr:$low);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    $input (`,` $value^)? $low attr-dict `:`
    functional-type(operands, $result)
  }];
  let hasVerifier = 1;
}

def TFLite_SoftmaxOp : Op<TFLite_Dialect, "softmax", [Pure]> {
  let summary = "SOFTMAX of the last dimension";
  let description = [{
    Elements are floats or 16-bit numbers, or signed bytes that become numbers
    of 16 bits without a sign.

    ```mlir
    %0 = tflite.softmax %x {beta = 1.0 : f32}
           : tensor<2x10x!quant16_symm> -> tensor<2x10x!quant16_symm>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$input, F32Attr:$beta);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$input attr-dict `:` type($input) `->` type($result)";
  let hasVerifier = 1;
}

/// The cases are the numbers of the operators.
def TFLite_Normalizer : I32EnumAttr<"Normalizer", "how rows are normalized", [
    I32EnumAttrCase<"l2", 11>, I32EnumAttrCase<"log_softmax", 50>]> {
  let cppNamespace = "::nnhal::tflite";
  let genSpecializedAttr = 1;
}

def TFLite_NormalizeOp : Op<TFLite_Dialect, "normalize", [Pure]> {
  let summary = "the last dimension of floats normalized";
  let description = [{
    L2_NORMALIZATION and LOG_SOFTMAX.

    ```mlir
    %0 = tflite.normalize l2 %x : tensor<2x10xf32> -> tensor<2x10xf32>
    ```
  }];
  let arguments = (ins TFLite_Normalizer:$normalizer, AnyRankedTensor:$input);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    $normalizer $input attr-dict `:` type($input) `->` type($result)
  }];
  let hasVerifier = 1;
}

def TFLite_ArgOp : Op<TFLite_Dialect, "arg", [Pure]> {
  let summary = "the places of the largest or the smallest elements";
  let description = [{
    ARG_MAX, which is `maximum`, and ARG_MIN. Of equal elements along `axis`,
    without which the result is, it takes the first.

    ```mlir
    %0 = tflite.arg maximum %x {axis = 1} : tensor<2x3xf32> -> tensor<2xi32>
    ```
  }];
  let arguments = (ins TFLite_Reducer:$reducer, AnyRankedTensor:$input,
                       I64Attr:$axis);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    $reducer $input attr-dict `:` type($input) `->` type($result)
  }];
  let hasVerifier = 1;
}

def TFLite_GatherOp : Op<TFLite_Dialect, "gather", [NoMemoryEffect]> {
  let summary = "elements by indices along a dimension";
  let description = [{
    In place of dimension `axis` the result has those of the indices but for the
    first `batch` ones, which are also the first ones of the input. Unless it is
    `inside`, which constants are, an index outside of the dimension ends the
    execution, so that the operation is not moved to where it would not run.

    ```mlir
    %0 = tflite.gather %x, %places {axis = 1, batch = 1}
           : tensor<2x9x5xf32>, tensor<2x4xi32> -> tensor<2x4x5xf32>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$input, AnyRankedTensor:$indices,
                       I64Attr:$axis, DefaultValuedAttr<I64Attr, "0">:$batch,
                       UnitAttr:$inside);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    $input `,` $indices attr-dict `:`
    type($input) `,` type($indices) `->` type($result)
  }];
  let hasFolder = 1;
  let hasVerifier = 1;
}

def TFLite_GatherNdOp : Op<TFLite_Dialect, "gather_nd", [NoMemoryEffect]> {
  let summary = "parts of a tensor by computed places";
  let description = [{
    A row of the indices is a place in as many first dimensions of the input as
    it has elements, and the part of the result that it stands for is what lies
    there. A place outside of the input ends the execution, so that the
    operation is not moved to where it would not run.

    ```mlir
    %0 = tflite.gather_nd %x, %places
           : tensor<2x9x5xf32>, tensor<4x2xi32> -> tensor<4x5xf32>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$input, AnyRankedTensor:$indices);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    $input `,` $indices attr-dict `:`
    type($input) `,` type($indices) `->` type($result)
  }];
  let hasVerifier = 1;
}

def TFLite_OneHotOp : Op<TFLite_Dialect, "one_hot", [Pure]> {
  let summary = "a row for each index with one element that differs";
  let description = [{
    Along `axis`, a dimension more than the indices have, the element at the
    index is the only one of `on`, others are that of `off`.

    ```mlir
    %0 = tflite.one_hot %places, %on, %off {axis = 1}
           : (tensor<2xi32>, tensor<1xf32>, tensor<1xf32>) -> tensor<2x9xf32>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$indices, AnyRankedTensor:$on,
                       AnyRankedTensor:$off, I64Attr:$axis);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    $indices `,` $on `,` $off attr-dict `:` functional-type(operands, $result)
  }];
  let hasVerifier = 1;
}

def TFLite_CumsumOp : Op<TFLite_Dialect, "cumsum", [Pure]> {
  let summary = "sums of all elements up to each one along a dimension";
  let description = [{
    The element itself is left out where it is `exclusive`; sums begin at the
    end where it is `reverse`.

    ```mlir
    %0 = tflite.cumsum %x {axis = 1, reverse}
           : tensor<2x3xf32> -> tensor<2x3xf32>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$input, I64Attr:$axis,
                       UnitAttr:$exclusive, UnitAttr:$reverse);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$input attr-dict `:` type($input) `->` type($result)";
  let hasVerifier = 1;
}

/// The cases are the numbers of the operators.
def TFLite_Sampler : I32EnumAttr<"Sampler", "which pixels are taken", [
    I32EnumAttrCase<"bilinear", 23>, I32EnumAttrCase<"nearest", 97>]> {
  let cppNamespace = "::nnhal::tflite";
  let genSpecializedAttr = 1;
}

def TFLite_ResizeOp : Op<TFLite_Dialect, "resize", [Pure]> {
  let summary = "an image of another size";
  let description = [{
    RESIZE_BILINEAR and RESIZE_NEAREST_NEIGHBOR. Either corners are aligned, or
    pixels have their centers at halves, or neither.

    ```mlir
    %0 = tflite.resize bilinear %x {align_corners}
           : tensor<1x4x4x8xf32> -> tensor<1x7x7x8xf32>
    ```
  }];
  let arguments = (ins TFLite_Sampler:$sampler, AnyRankedTensor:$input,
                       UnitAttr:$align_corners, UnitAttr:$half_pixel_centers);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    $sampler $input attr-dict `:` type($input) `->` type($result)
  }];
  let hasVerifier = 1;
}

def TFLite_DiagonalOp : Op<TFLite_Dialect, "diagonal", [Pure]> {
  let summary = "matrices of diagonals, and zeros elsewhere";
  let description = [{
    MATRIX_DIAG.

    ```mlir
    %0 = tflite.diagonal %x : tensor<2x3xf32> -> tensor<2x3x3xf32>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$input);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$input attr-dict `:` type($input) `->` type($result)";
  let hasVerifier = 1;
}

def TFLite_DepthwiseOp : Op<TFLite_Dialect, "depthwise", [Pure]> {
  let summary = "DEPTHWISE_CONV_2D of a 16-bit image";
  let description = [{
    The filter is of [1, lines, columns, channels], and has fewer than 256
    weights for each channel, so that sums fit 32 bits. Each sum begins with one
    of `biases`, whose magnitude is at most 2^30, is multiplied by one of
    `multipliers`, which have 15 bits, shifted right by one of `shifts` and
    rounded once. Elements of windows that are missing in the input are 0; `low`
    of them lie before its first line and column. They are few beside the
    image, or fit a cache with it.

    ```mlir
    %0 = tflite.depthwise %x, %w [1, 1] [1, 1] [1, 1] biases [0, 3]
           multipliers [16384, 20000] shifts [20, 21] {activation = 1 : i32}
           : tensor<1x4x4x2x!quant16_symm>, tensor<1x3x3x2x!quant8_symm>
           -> tensor<1x4x4x2x!quant16_symm>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$input, AnyRankedTensor:$filter,
                       DenseI64ArrayAttr:$strides,
                       DenseI64ArrayAttr:$dilations, DenseI64ArrayAttr:$low,
                       DenseI32ArrayAttr:$biases,
                       DenseI32ArrayAttr:$multipliers,
                       DenseI32ArrayAttr:$shifts,
                       DefaultValuedAttr<I32Attr, "0">:$activation);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    $input `,` $filter $strides $dilations $low `biases` $biases
    `multipliers` $multipliers `shifts` $shifts attr-dict `:`
    type($input) `,` type($filter) `->` type($result)
  }];
  let hasVerifier = 1;
}

def TFLite_SumRounding : I32EnumAttr<"SumRounding", "how sums are rounded", [
    I32EnumAttrCase<"once_in_32", 0>, I32EnumAttrCase<"once_in_64", 1>,
    I32EnumAttrCase<"twice", 2>]> {
  let cppNamespace = "::nnhal::tflite";
  let genSpecializedAttr = 1;
}

def TFLite_ConvolutionOp : Op<TFLite_Dialect, "convolution", [Pure]> {
  let summary = "CONV_2D of a 16-bit image, or FULLY_CONNECTED";
  let description = [{
    The filter is one of [result channels, lines, columns, input channels], or
    of [result channels, input channels] for windows of one element. Input
    channels are taken in `parts` parts, whose sums fit 32 bits by the weights
    of a constant filter, or by any weights; those of the first one begin with
    one of `biases`. The whole sum is multiplied by one of `multipliers` and shifted
    right by one of `shifts`:

    - `once_in_32`, `once_in_64`: multipliers have 15 bits, and the product is
      rounded once. In 32 bits there is one part, the lower 16 bits of products
      are cut off, and shifts are counted from there on.
    - `twice`: there is one part, whose sums wrap. Multipliers have 31 bits, the
      product is rounded where its upper half begins, and where it is shifted. A
      shift above 0 is one to the left, and comes first.

    Elements of windows that are missing in the input are 0; `low` of them lie
    before its first line and column.

    ```mlir
    %0 = tflite.convolution once_in_32 %x, %w [1, 1] [1, 1] [1, 1] biases [0, 3]
           multipliers [16384, 20000] shifts [20, 21] {activation = 1 : i32}
           : tensor<1x4x4x5x!quant16_symm>, tensor<2x3x3x5x!quant8_symm>
           -> tensor<1x4x4x2x!quant16_symm>
    ```
  }];
  let arguments = (ins TFLite_SumRounding:$rounding, AnyRankedTensor:$input,
                       AnyRankedTensor:$filter, DenseI64ArrayAttr:$strides,
                       DenseI64ArrayAttr:$dilations, DenseI64ArrayAttr:$low,
                       DenseI32ArrayAttr:$biases,
                       DenseI32ArrayAttr:$multipliers,
                       DenseI32ArrayAttr:$shifts,
                       DefaultValuedAttr<I64Attr, "1">:$parts,
                       DefaultValuedAttr<I32Attr, "0">:$activation);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    $rounding $input `,` $filter $strides $dilations $low `biases` $biases
    `multipliers` $multipliers `shifts` $shifts attr-dict `:`
    type($input) `,` type($filter) `->` type($result)
  }];
  let hasVerifier = 1;
}

def TFLite_ByteProductOp : Op<TFLite_Dialect, "byte_product", [Pure]> {
  let summary = "FULLY_CONNECTED of bytes with factors of result channels";
  let description = [{
    Rows of `input` times rows of `weights`, which have no zero point. Sums of
    32 bits, which wrap, begin with one of `biases`, are multiplied by one of
    `factors` in double precision, and rounded once, halves away from 0.

    ```mlir
    %0 = tflite.byte_product %x, %w biases [0, 3] factors [0.25, 0.5]
           {activation = 1 : i32} : tensor<3x5x!quant.uniform<i8:f32, 0.5:-1>>,
           tensor<2x5x!quant.uniform<i8:f32:0, {0.25, 0.5}>>
           -> tensor<3x2x!quant.uniform<i8:f32, 0.5>>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$input, AnyRankedTensor:$weights,
                       DenseI32ArrayAttr:$biases, DenseF64ArrayAttr:$factors,
                       DefaultValuedAttr<I32Attr, "0">:$activation);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    $input `,` $weights `biases` $biases `factors` $factors attr-dict `:`
    type($input) `,` type($weights) `->` type($result)
  }];
  let hasVerifier = 1;
}

def TFLite_MatMulOp : Op<TFLite_Dialect, "matmul", [Pure]> {
  let summary = "BATCH_MATMUL of 16-bit matrices";
  let description = [{
    Each tensor has the dimensions of matrices, rows and columns. One of `x` or
    `y` alone is a factor of all products. Where `transposed`, rows of `y` are
    those of the sums. Sums of 64 bits are multiplied by `multiplier`, which has
    15 bits, shifted right by `shift` and rounded once.

    ```mlir
    %0 = tflite.matmul %x, %y multiplier 16384 shift 20 {transposed}
           : tensor<2x3x5x!quant16_symm>, tensor<1x4x5x!quant16_symm>
           -> tensor<2x3x4x!quant16_symm>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$x, AnyRankedTensor:$y,
                       UnitAttr:$transposed, I32Attr:$multiplier,
                       I32Attr:$shift);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    $x `,` $y `multiplier` $multiplier `shift` $shift attr-dict `:`
    type($x) `,` type($y) `->` type($result)
  }];
  let hasVerifier = 1;
}

#endif // NNHAL_LIB_EXTENSIONS_TFLITECOMPILER_TFLITEOPS
