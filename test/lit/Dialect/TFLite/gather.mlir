// Only computed indices are checked, in front of the loop that uses them.
// RUN: nnhal-opt %s --split-input-file --load-dialect-plugin=%{extension-halves}/nnhal.tflite.compiler.so --convert-nnhal-graph-to-func --convert-nnhal-to-linalg | FileCheck %s
!long = !nnhal.extension<"nnhal.tflite", 0 : 8>
// CHECK-LABEL: func.func @main
// CHECK-NOT: nnrt.check
// CHECK: linalg.generic
// CHECK: %[[FOUND:.+]]:3 = scf.for
// CHECK: nnrt.check %[[FOUND]]#0, %[[FOUND]]#1, %[[FOUND]]#2 reason 4
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

// -----

!long = !nnhal.extension<"nnhal.tflite", 0 : 8>
// Each element of a place has the extent of its own dimension.
// CHECK-LABEL: func.func @main
// CHECK-DAG: %[[FIRST:.+]] = arith.constant 4 : i64
// CHECK-DAG: %[[SECOND:.+]] = arith.constant 3 : i64
// CHECK: %[[FOUND:.+]]:3 = scf.for
// CHECK: arith.select %{{.+}}, %[[FIRST]], %{{.+}} : i64
// CHECK: arith.cmpi ult, %{{.+}}, %[[FIRST]] : i64
// CHECK: arith.select %{{.+}}, %[[SECOND]], %{{.+}} : i64
// CHECK: arith.cmpi ult, %{{.+}}, %[[SECOND]] : i64
// CHECK: nnrt.check %[[FOUND]]#0, %[[FOUND]]#1, %[[FOUND]]#2 reason 4
// CHECK: linalg.generic
// CHECK: tensor.extract %{{.+}}[%{{.+}}, %{{.+}}, %{{.+}}] : tensor<4x3x2xf32>
nnhal.model @places attributes {hal_version = "1.3", extension_names = ["nnhal.tflite"], extension_prefixes = array<i32: 1>} {
  nnhal.graph @main(%x: tensor<4x3x2xf32>, %places: tensor<5x2x!long>) -> tensor<5x2xf32> {
    %0 = tflite.gather_nd %x, %places : tensor<4x3x2xf32>, tensor<5x2x!long> -> tensor<5x2xf32>
    nnhal.return %0 : tensor<5x2xf32>
  }
}
