// Computed places of GATHER_ND are those of rows, unless there are many single elements,
// which the call finds faster.
// RUN: nnhal-opt %s --load-dialect-plugin=%{extension-halves}/nnhal.tflite.compiler.so --nnhal-raise-operations 2>%t | FileCheck %s
// RUN: FileCheck %s --check-prefix=REASONS <%t
// CHECK-LABEL: nnhal.model @places
// CHECK: %[[TABLE:.+]] = tflite.reshape %arg0 : tensor<4x3x2x5xf32> -> tensor<4x3x10xf32>
// CHECK: %[[PLACES:.+]] = tflite.reshape %arg1 : tensor<6x7x2xi32> -> tensor<42x2xi32>
// CHECK: %[[PARTS:.+]] = tflite.gather_nd %[[TABLE]], %[[PLACES]] : tensor<4x3x10xf32>, tensor<42x2xi32> -> tensor<42x10xf32>
// CHECK: tflite.reshape %[[PARTS]] : tensor<42x10xf32> -> tensor<6x7x2x5xf32>
// CHECK: tflite.gather_nd %{{.+}} : tensor<4x3x2x5x1xf32>, tensor<2048x4xi32> -> tensor<2048x1xf32>
// REASONS: not raised: nnhal.tflite:107: its places are those of single elements
nnhal.model @places attributes {hal_version = "1.3", extension_names = ["nnhal.tflite"], extension_prefixes = array<i32: 1>} {
  nnhal.graph @main(%x: tensor<4x3x2x5xf32>, %places: tensor<6x7x2xi32>, %some: tensor<2048x4xi32>, %many: tensor<2049x4xi32>) -> (tensor<6x7x2x5xf32>, tensor<2048xf32>, tensor<2049xf32>) {
    %0 = nnhal.operation "nnhal.tflite:107"(%x, %places) : (tensor<4x3x2x5xf32>, tensor<6x7x2xi32>) -> tensor<6x7x2x5xf32>
    %1 = nnhal.operation "nnhal.tflite:107"(%x, %some) : (tensor<4x3x2x5xf32>, tensor<2048x4xi32>) -> tensor<2048xf32>
    %2 = nnhal.operation "nnhal.tflite:107"(%x, %many) : (tensor<4x3x2x5xf32>, tensor<2049x4xi32>) -> tensor<2049xf32>
    nnhal.return %0, %1, %2 : tensor<6x7x2x5xf32>, tensor<2048xf32>, tensor<2049xf32>
  }
}
