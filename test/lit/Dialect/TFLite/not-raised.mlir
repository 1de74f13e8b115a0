// Why an operation of nnhal.tflite stays a call.
// RUN: nnhal-opt %s --load-dialect-plugin=%{extension-halves}/nnhal.tflite.compiler.so --nnhal-raise-operations 2>&1 | FileCheck %s
// CHECK: remark: not raised: nnhal.tflite:0: it has not the operator's number of operands
// CHECK: remark: not raised: nnhal.tflite:0: an option is not a constant
// CHECK: remark: not raised: nnhal.tflite:130: the shape is computed
// CHECK: remark: not raised: nnhal.tflite:64: the condition is for the first dimension
// CHECK: remark: not raised: nnhal.tflite:22: the result has another type of elements
// CHECK: remark: not raised: nnhal.tflite:95: a divisor may be 0
// CHECK: remark: not raised: nnhal.tflite:95: a divisor may be 0
// CHECK: remark: not raised: nnhal.tflite:105: a place is no constant of integers
// CHECK: remark: not raised: nnhal.tflite:25: its rows have more than 65536 elements
!fixed = !quant.uniform<i16:f32, 0.5>
!fraction = !quant.uniform<i16:f32, 0.000030517578125>
nnhal.model @model attributes {hal_version = "1.3", extension_names = ["nnhal.tflite"], extension_prefixes = array<i32: 1>} {
  nnhal.graph @main(%x: tensor<2x3xf32>, %option: i32, %shape: tensor<2xi32>, %condition: tensor<2xi8>, %long: tensor<65537x!fixed>) -> (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<6xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2x3xf32>, tensor<65537x!fraction>) {
    %divisors = nnhal.constant dense<[3, 0]> : tensor<2xi32> -> tensor<2xi32>
    %beta = nnhal.constant_copy 1.0 : f32 -> f32
    %absent = nnhal.no_value : tensor<1xi32>
    %0 = nnhal.operation "nnhal.tflite:0"(%x, %x) : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
    %1 = nnhal.operation "nnhal.tflite:0"(%x, %x, %option) : (tensor<2x3xf32>, tensor<2x3xf32>, i32) -> tensor<2x3xf32>
    %2 = nnhal.operation "nnhal.tflite:130"(%x, %shape) : (tensor<2x3xf32>, tensor<2xi32>) -> tensor<2x3xf32>
    %3 = nnhal.operation "nnhal.tflite:64"(%condition, %x, %x) : (tensor<2xi8>, tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
    %4 = nnhal.operation "nnhal.tflite:22"(%x, %absent) : (tensor<2x3xf32>, tensor<1xi32>) -> tensor<6xi32>
    %5 = nnhal.operation "nnhal.tflite:95"(%shape, %divisors) : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi32>
    %6 = nnhal.operation "nnhal.tflite:95"(%shape, %shape) : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi32>
    %7 = nnhal.operation "nnhal.tflite:105"(%x, %absent) : (tensor<2x3xf32>, tensor<1xi32>) -> tensor<2x3xf32>
    %8 = nnhal.operation "nnhal.tflite:25"(%long, %beta) : (tensor<65537x!fixed>, f32) -> tensor<65537x!fraction>
    nnhal.return %0, %1, %2, %3, %4, %5, %6, %7, %8 : tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<6xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2x3xf32>, tensor<65537x!fraction>
  }
}

// The zero point is the 0 of bytes, and what is stored as 0 is not.
// CHECK: remark: not raised: nnhal.tflite:42: a divisor may be 0
// CHECK: nnhal.operation "nnhal.tflite:42"
// CHECK: tflite.elementwise div
!byte = !quant.uniform<i8:f32, 0.5:3>
nnhal.model @divisors attributes {hal_version = "1.3", extension_names = ["nnhal.tflite"], extension_prefixes = array<i32: 1>} {
  nnhal.graph @main(%x: tensor<2x!byte>) -> tensor<2x!byte> {
    %none = nnhal.constant_copy 0 : i32 -> i32
    %zero = nnhal.constant_copy dense<[3, 1]> : tensor<2xi8> -> tensor<2x!byte>
    %others = nnhal.constant_copy dense<[0, 1]> : tensor<2xi8> -> tensor<2x!byte>
    %0 = nnhal.operation "nnhal.tflite:42"(%x, %zero, %none) : (tensor<2x!byte>, tensor<2x!byte>, i32) -> tensor<2x!byte>
    %1 = nnhal.operation "nnhal.tflite:42"(%0, %others, %none) : (tensor<2x!byte>, tensor<2x!byte>, i32) -> tensor<2x!byte>
    nnhal.return %1 : tensor<2x!byte>
  }
}
