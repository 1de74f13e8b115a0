// Shapes that follow from those of tensors, but are not those of the results, do
// not end the compiler: operations that take them stay calls, which report them.
// RUN: nnhal-opt %s --load-dialect-plugin=%{extension-halves}/nnhal.tflite.compiler.so --nnhal-raise-operations --verify-diagnostics | FileCheck %s
// CHECK-NOT: tflite.{{[a-z]}}
!long = !nnhal.extension<"nnhal.tflite", 0 : 8>
nnhal.model @model attributes {hal_version = "1.3", extension_names = ["nnhal.tflite"], extension_prefixes = array<i32: 1>} {
  nnhal.graph @main(%x: tensor<1x6xf32>, %y: tensor<2x3xf32>) -> (tensor<3x2xf32>, tensor<6x1xf32>, tensor<1x6x1xf32>, tensor<1x6x1xf32>, tensor<4x6xf32>) {
    %type = nnhal.constant_copy 4 : i32 -> i32
    %open = nnhal.constant_copy dense<[-1, -1]> : tensor<2xi64> -> tensor<2x!long>
    %shape = nnhal.operation "nnhal.tflite:77"(%y, %type) : (tensor<2x3xf32>, i32) -> tensor<2x!long>
    %rank = nnhal.operation "nnhal.tflite:110"(%shape) : (tensor<2x!long>) -> tensor<1xi32>
    // expected-remark @+1 {{not raised: nnhal.tflite:22: its options and shapes do not fit}}
    %0 = nnhal.operation "nnhal.tflite:22"(%x, %shape) : (tensor<1x6xf32>, tensor<2x!long>) -> tensor<3x2xf32>
    // expected-remark @+1 {{not raised: nnhal.tflite:22: its options and shapes do not fit}}
    %1 = nnhal.operation "nnhal.tflite:22"(%x, %open) : (tensor<1x6xf32>, tensor<2x!long>) -> tensor<6x1xf32>
    // expected-remark @+1 {{not raised: nnhal.tflite:70: its options and shapes do not fit}}
    %2 = nnhal.operation "nnhal.tflite:70"(%x, %shape) : (tensor<1x6xf32>, tensor<2x!long>) -> tensor<1x6x1xf32>
    // expected-remark @+1 {{not raised: nnhal.tflite:70: its options and shapes do not fit}}
    %3 = nnhal.operation "nnhal.tflite:70"(%x, %rank) : (tensor<1x6xf32>, tensor<1xi32>) -> tensor<1x6x1xf32>
    // expected-remark @+1 {{not raised: nnhal.tflite:130: its options and shapes do not fit}}
    %4 = nnhal.operation "nnhal.tflite:130"(%x, %shape) : (tensor<1x6xf32>, tensor<2x!long>) -> tensor<4x6xf32>
    nnhal.return %0, %1, %2, %3, %4 : tensor<3x2xf32>, tensor<6x1xf32>, tensor<1x6x1xf32>, tensor<1x6x1xf32>, tensor<4x6xf32>
  }
}
