// RUN: nnhal-opt %s --verify-roundtrip | FileCheck %s

!u8 = !quant.uniform<u8:f32, 0.5:128>
!i8 = !quant.uniform<i8:f32, 0.5:3>

// CHECK-LABEL: @rectifiers_keep_the_type
// CHECK: nnhal.relu
// CHECK: nnhal.relu1
// CHECK: nnhal.relu6
func.func @rectifiers_keep_the_type(%a: tensor<?x4x!u8>) -> tensor<?x4x!u8> {
  %0 = nnhal.relu %a : (tensor<?x4x!u8>) -> tensor<?x4x!u8>
  %1 = nnhal.relu1 %0 : (tensor<?x4x!u8>) -> tensor<?x4x!u8>
  %2 = nnhal.relu6 %1 : (tensor<?x4x!u8>) -> tensor<?x4x!u8>
  return %2 : tensor<?x4x!u8>
}

// M-243 to M-245.
// CHECK-LABEL: @prescribed_quantization_of_unsigned_results
// CHECK: nnhal.tanh
// CHECK: nnhal.logistic
// CHECK: nnhal.softmax %{{.*}} beta 1.000000e+00
func.func @prescribed_quantization_of_unsigned_results(%a: tensor<2x4x!u8>) {
  %0 = nnhal.tanh %a : (tensor<2x4x!u8>) -> tensor<2x4x!quant.uniform<u8:f32, 0.0078125:128>>
  %1 = nnhal.logistic %a : (tensor<2x4x!u8>) -> tensor<2x4x!quant.uniform<u8:f32, 0.00390625>>
  %2 = nnhal.softmax %a beta 1.0 axis -1 : (tensor<2x4x!u8>) -> tensor<2x4x!quant.uniform<u8:f32, 0.00390625>>
  return
}

// CHECK-LABEL: @prescribed_quantization_of_signed_results
// CHECK: nnhal.tanh
// CHECK: nnhal.logistic
// CHECK: nnhal.softmax
func.func @prescribed_quantization_of_signed_results(%a: tensor<2x4x!i8>) {
  %0 = nnhal.tanh %a : (tensor<2x4x!i8>) -> tensor<2x4x!quant.uniform<i8:f32, 0.0078125>>
  %1 = nnhal.logistic %a : (tensor<2x4x!i8>) -> tensor<2x4x!quant.uniform<i8:f32, 0.00390625:-128>>
  %2 = nnhal.softmax %a beta 1.0 axis 1 : (tensor<2x4x!i8>) -> tensor<2x4x!quant.uniform<i8:f32, 0.00390625:-128>>
  return
}

// CHECK-LABEL: @activations_with_parameters
// CHECK: nnhal.elu %{{.*}} alpha 2.000000e+00
// CHECK: nnhal.hard_swish
// CHECK: nnhal.prelu
// CHECK: nnhal.log_softmax %{{.*}} beta 5.000000e-01 axis 0
func.func @activations_with_parameters(%a: tensor<2x4xf16>, %alpha: tensor<3x1x1xf16>) -> tensor<3x2x4xf16> {
  %0 = nnhal.elu %a alpha 2.0 : (tensor<2x4xf16>) -> tensor<2x4xf16>
  %1 = nnhal.hard_swish %0 : (tensor<2x4xf16>) -> tensor<2x4xf16>
  %2 = nnhal.prelu %1, %alpha : (tensor<2x4xf16>, tensor<3x1x1xf16>) -> tensor<3x2x4xf16>
  %3 = nnhal.log_softmax %2 beta 0.5 axis 0 : (tensor<3x2x4xf16>) -> tensor<3x2x4xf16>
  return %3 : tensor<3x2x4xf16>
}
