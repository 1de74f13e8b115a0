// Only computed indices are checked, in front of the loop that uses them.
// RUN: nnhal-opt %s --load-dialect-plugin=%{extension-halves}/nnhal.tflite.compiler.so --convert-nnhal-graph-to-func --convert-nnhal-to-linalg | FileCheck %s
!long = !nnhal.extension<"nnhal.tflite", 0 : 8>
// CHECK-LABEL: func.func @main
// CHECK-NOT: nnrt.check
// CHECK: linalg.generic
// CHECK: %[[BOUND:.+]] = arith.constant 3 : i64
// CHECK: %[[FOUND:.+]]:2 = scf.for
// CHECK: nnrt.check %[[FOUND]]#0, %[[FOUND]]#1, %[[BOUND]] reason 4
// CHECK: linalg.generic
// CHECK-NOT: nnrt.check
nnhal.model @gathered attributes {hal_version = "1.3", extension_names = ["nnhal.tflite"], extension_prefixes = array<i32: 1>} {
  nnhal.graph @main(%x: tensor<4x3xf32>, %indices: tensor<2x1x!long>) -> tensor<2x1xf32> {
    %rows = nnhal.constant dense<[3, 0]> : tensor<2xi32> -> tensor<2xi32>
    %0 = tflite.gather %x, %rows {axis = 0, inside} : tensor<4x3xf32>, tensor<2xi32> -> tensor<2x3xf32>
    %1 = tflite.gather %0, %indices {axis = 1, batch = 1} : tensor<2x3xf32>, tensor<2x1x!long> -> tensor<2x1xf32>
    nnhal.return %1 : tensor<2x1xf32>
  }
}
