// The compiler's half of nnhal.tflite raises what computes each element by itself,
// and leaves the rest, with a reason.
// RUN: nnhal-opt %s --load-dialect-plugin=%{extension-halves}/nnhal.tflite.compiler.so --nnhal-raise-operations 2>%t | FileCheck %s
// RUN: FileCheck %s --check-prefix=REASONS <%t
!fixed = !quant.uniform<i16:f32, 0.5>
// CHECK-LABEL: nnhal.graph @main
// CHECK: tflite.elementwise add(%arg0, %arg1) {activation = 1 : i32} : (tensor<4x!quant16_symm>, tensor<1x!quant16_symm>) -> tensor<4x!quant16_symm>
// CHECK: tflite.elementwise leaky_relu(%{{.*}}) {alpha = 2.500000e-01 : f32} : (tensor<2xf32>) -> tensor<2xf32>
// CHECK: tflite.reshape %{{.*}} : tensor<2xf32> -> tensor<1x2xf32>
// CHECK: nnhal.operation "nnhal.tflite:14"
// CHECK: nnhal.operation "nnhal.tflite:128"
// CHECK: nnhal.operation "nnhal.tflite:8"
// REASONS: remark: not raised: nnhal.tflite:14: elements of these types are not compiled
// REASONS: remark: not raised: nnhal.tflite:128: the runtime computes it
// REASONS: remark: not raised: nnhal.tflite:8: extents are known to an execution only
nnhal.model @model attributes {hal_version = "1.3", extension_names = ["nnhal.tflite"], extension_prefixes = array<i32: 1>} {
  nnhal.graph @main(%x: tensor<4x!fixed>, %y: tensor<1x!fixed>, %z: tensor<2xf32>, %u: tensor<?xf32>) -> (tensor<4x!fixed>, tensor<1x2xf32>, tensor<4x!quant.uniform<i16:f32, 0.000030517578125>>, tensor<2xf32>, tensor<?xf32>) {
    %relu = nnhal.constant_copy 1 : i32 -> i32
    %alpha = nnhal.constant_copy 2.500000e-01 : f32 -> f32
    %axis = nnhal.constant dense<0> : tensor<1xi32> -> tensor<1xi32>
    %no = nnhal.constant_copy 0 : i8 -> i8
    %absent = nnhal.no_value : tensor<1xi32>
    %0 = nnhal.operation "nnhal.tflite:0"(%x, %y, %relu) : (tensor<4x!fixed>, tensor<1x!fixed>, i32) -> tensor<4x!fixed>
    %1 = nnhal.operation "nnhal.tflite:98"(%z, %alpha) : (tensor<2xf32>, f32) -> tensor<2xf32>
    %2 = nnhal.operation "nnhal.tflite:22"(%1, %absent) : (tensor<2xf32>, tensor<1xi32>) -> tensor<1x2xf32>
    %3 = nnhal.operation "nnhal.tflite:14"(%x) : (tensor<4x!fixed>) -> tensor<4x!quant.uniform<i16:f32, 0.000030517578125>>
    %4 = nnhal.operation "nnhal.tflite:128"(%z, %axis, %no, %no) : (tensor<2xf32>, tensor<1xi32>, i8, i8) -> tensor<2xf32>
    %5 = nnhal.operation "nnhal.tflite:8"(%u) : (tensor<?xf32>) -> tensor<?xf32>
    nnhal.return %0, %2, %3, %4, %5 : tensor<4x!fixed>, tensor<1x2xf32>, tensor<4x!quant.uniform<i16:f32, 0.000030517578125>>, tensor<2xf32>, tensor<?xf32>
  }
}
