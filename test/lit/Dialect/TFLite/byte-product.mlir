// RUN: nnhal-opt %s --load-dialect-plugin=%{extension-halves}/nnhal.tflite.compiler.so | nnhal-opt --load-dialect-plugin=%{extension-halves}/nnhal.tflite.compiler.so | FileCheck %s --check-prefix=SYNTAX
// RUN: nnhal-opt %s --load-dialect-plugin=%{extension-halves}/nnhal.tflite.compiler.so --nnhal-set-target --convert-nnhal-graph-to-func --convert-nnhal-to-linalg --nnk-form-kernels | FileCheck %s

// SYNTAX: tflite.byte_product %{{.+}}, %{{.+}} biases [0, 3] factors [2.500000e-01, 5.000000e-01] {activation = 1 : i32} : tensor<3x5x!quant8_asymm_signed>, tensor<2x5x!quant8_symm_per_channel> -> tensor<3x2x!quant8_asymm_signed1>

// Sums of bytes, less the zero point of the input, are scaled in double precision.
// CHECK-DAG: %[[PIXELS:.+]] = tensor.expand_shape %{{.+}} into tensor<1x1x3x5xi8>
// CHECK-DAG: %[[FILTER:.+]] = arith.constant dense<1> : tensor<2x1x1x5xi8>
// CHECK-DAG: %[[BIAS:.+]] = arith.constant dense<[0, 3]> : tensor<2xi32>
// CHECK-DAG: %[[FACTORS:.+]] = arith.constant dense<[2.500000e-01, 5.000000e-01]> : tensor<2xf64>
// CHECK-DAG: %[[SUMS:.+]] = nnk.conv_2d_fhwc ins(%[[PIXELS]], %[[FILTER]], %[[BIAS]] : {{.*}} {input_zero_point = -1 : i32}
// CHECK: linalg.generic {{.*}} ins(%[[SUMS]], %[[FACTORS]] : tensor<1x1x3x2xi32>, tensor<2xf64>) outs(%{{.+}} : tensor<1x1x3x2xi8>)
// CHECK:   arith.sitofp
// CHECK:   math.trunc
// CHECK:   math.copysign
// The activation is RELU, and the result's zero point 2.
// CHECK:   arith.constant 2.000000e+00 : f64
// CHECK:   arith.maximumf
// CHECK:   arith.minimumf
nnhal.model @bytes attributes {hal_version = "1.3"} {
  nnhal.graph @main(%x: tensor<3x5x!quant.uniform<i8:f32, 0.5:-1>>) -> tensor<3x2x!quant.uniform<i8:f32, 0.5:2>> {
    %w = nnhal.constant dense<1> : tensor<2x5xi8> -> tensor<2x5x!quant.uniform<i8<-127:127>:f32:0, {0.25, 0.5}>>
    %0 = tflite.byte_product %x, %w biases [0, 3] factors [0.25, 0.5] {activation = 1 : i32}
        : tensor<3x5x!quant.uniform<i8:f32, 0.5:-1>>, tensor<2x5x!quant.uniform<i8<-127:127>:f32:0, {0.25, 0.5}>>
        -> tensor<3x2x!quant.uniform<i8:f32, 0.5:2>>
    nnhal.return %0 : tensor<3x2x!quant.uniform<i8:f32, 0.5:2>>
  }
}
