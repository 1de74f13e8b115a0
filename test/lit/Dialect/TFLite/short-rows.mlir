// Places and sums of few elements are carried in registers, and those of more as rows.
// RUN: nnhal-opt %s --load-dialect-plugin=%{extension-halves}/nnhal.tflite.compiler.so --convert-nnhal-to-linalg | FileCheck %s

// CHECK-LABEL: func.func @few_sums
// CHECK: scf.for {{.*}} iter_args(%{{.+}} = %{{.+}}, %{{.+}} = %{{.+}}, %{{.+}} = %{{.+}}) -> (tensor<2x9x2xf32>, f32, f32)
// CHECK-NOT: linalg.generic
func.func @few_sums(%x: tensor<2x9x2xf32>) -> tensor<2x9x2xf32> {
  %0 = tflite.cumsum %x {axis = 1} : tensor<2x9x2xf32> -> tensor<2x9x2xf32>
  return %0 : tensor<2x9x2xf32>
}

// CHECK-LABEL: func.func @row_of_sums
// CHECK: scf.for {{.*}} -> (tensor<2x9x17xf32>, tensor<17xf32>)
// CHECK: linalg.generic
func.func @row_of_sums(%x: tensor<2x9x17xf32>) -> tensor<2x9x17xf32> {
  %0 = tflite.cumsum %x {axis = 1} : tensor<2x9x17xf32> -> tensor<2x9x17xf32>
  return %0 : tensor<2x9x17xf32>
}

// CHECK-LABEL: func.func @few_places
// CHECK: %[[PLACE:.+]] = linalg.generic {{.*}}iterator_types = ["parallel"]} ins(%arg0, %arg0, %arg0 : tensor<2x3xi32>, tensor<2x3xi32>, tensor<2x3xi32>)
// CHECK-NOT: linalg.generic
// CHECK: return %[[PLACE]]
func.func @few_places(%x: tensor<2x3xi32>) -> tensor<2xi32> {
  %0 = tflite.arg maximum %x {axis = 1} : tensor<2x3xi32> -> tensor<2xi32>
  return %0 : tensor<2xi32>
}

// CHECK-LABEL: func.func @row_of_places
// CHECK: linalg.generic {{.*}}iterator_types = ["parallel", "reduction"]}
// CHECK: linalg.generic {{.*}}iterator_types = ["parallel", "reduction"]}
func.func @row_of_places(%x: tensor<2x16xi32>) -> tensor<2xi32> {
  %0 = tflite.arg maximum %x {axis = 1} : tensor<2x16xi32> -> tensor<2xi32>
  return %0 : tensor<2xi32>
}
