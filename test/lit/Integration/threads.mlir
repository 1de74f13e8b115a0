// RUN: nnhal-opt %s --nnhal-compile=until=outline | FileCheck %s

// Rows, tiles and elements of long kernels can be shared by threads; what is
// short is called as it is.
// CHECK-LABEL: func.func @main
// CHECK:         llvm.getelementptr %{{.+}}[64]
// CHECK:         %[[SHARED:.+]] = llvm.icmp "ne"
// CHECK:         scf.if %[[SHARED]]
// CHECK:           llvm.call
// CHECK:         } else {
// CHECK:           call @kernel_0_piece(
// CHECK:         scf.if %[[SHARED]]
// CHECK:           call @kernel_1_piece(
// CHECK:         call @kernel_2(
// CHECK-NOT:     scf.if %[[SHARED]]
// CHECK:         return
// CHECK-DAG:   func.func private @kernel_0_piece(
// CHECK-DAG:   func.func private @kernel_1_piece(
// CHECK-DAG:   func.func private @kernel_2(%{{.+}}: memref
// CHECK-NOT:   @kernel_2_piece
nnhal.model @model attributes {hal_version = "1.3"} {
  nnhal.graph @main(%x: tensor<1x48x48x16xf32>) -> (tensor<1x48x48x32xf32>, tensor<1x48x48x32xf32>, tensor<1x1x48x16xf32>) {
    %c0 = nnhal.constant_copy 0 : i32 -> i32
    %c1 = nnhal.constant_copy 1 : i32 -> i32
    %c48 = nnhal.constant_copy 48 : i32 -> i32
    %w = nnhal.constant_copy dense<0.5> : tensor<32x3x3x16xf32> -> tensor<32x3x3x16xf32>
    %b = nnhal.constant_copy dense<0.5> : tensor<32xf32> -> tensor<32xf32>
    %begin = nnhal.constant_copy dense<0> : tensor<4xi32> -> tensor<4xi32>
    %size = nnhal.constant_copy dense<[1, 1, 48, 16]> : tensor<4xi32> -> tensor<4xi32>
    %0 = nnhal.operation "CONV_2D"(%x, %w, %b, %c1, %c1, %c1, %c0)
        : (tensor<1x48x48x16xf32>, tensor<32x3x3x16xf32>, tensor<32xf32>, i32, i32, i32, i32) -> tensor<1x48x48x32xf32>
    %1 = nnhal.operation "TANH"(%0) : (tensor<1x48x48x32xf32>) -> tensor<1x48x48x32xf32>
    %2 = nnhal.operation "SLICE"(%x, %begin, %size) : (tensor<1x48x48x16xf32>, tensor<4xi32>, tensor<4xi32>) -> tensor<1x1x48x16xf32>
    %3 = nnhal.operation "TANH"(%2) : (tensor<1x1x48x16xf32>) -> tensor<1x1x48x16xf32>
    nnhal.return %0, %1, %3 : tensor<1x48x48x32xf32>, tensor<1x48x48x32xf32>, tensor<1x1x48x16xf32>
  }
}
