// The counts of elements inside of an image are a factor for each line and one for
// each column.
// RUN: nnhal-opt %s --load-dialect-plugin=%{extension-halves}/nnhal.tflite.compiler.so --convert-nnhal-graph-to-func --convert-nnhal-to-linalg | FileCheck %s
!fixed = !quant.uniform<i16:f32, 0.5>
// CHECK-LABEL: func.func @main
// CHECK-DAG: %[[SUM:.+]] = linalg.pooling_nhwc_sum
// CHECK-DAG: %[[LINES:.+]] = arith.constant dense<2.000000e+00> : tensor<2xf64>
// CHECK-DAG: %[[COLUMNS:.+]] = arith.constant dense<[2.000000e+00, 3.000000e+00, 3.000000e+00, 2.000000e+00]> : tensor<4xf64>
// CHECK: linalg.generic {{.*}} ins(%[[SUM]], %[[LINES]], %[[COLUMNS]]
// CHECK: arith.mulf %{{.+}}, %{{.+}} : f64
nnhal.model @average attributes {hal_version = "1.3", extension_names = ["nnhal.tflite"], extension_prefixes = array<i32: 1>} {
  nnhal.graph @main(%x: tensor<1x2x4x8x!fixed>) -> tensor<1x2x4x8x!fixed> {
    %0 = tflite.pool mean %x [3, 3] [1, 1] : tensor<1x2x4x8x!fixed> -> tensor<1x2x4x8x!fixed>
    nnhal.return %0 : tensor<1x2x4x8x!fixed>
  }
}
