// RUN: nnhal-opt %s --verify-roundtrip | FileCheck %s

// CHECK-LABEL: @normalizations
// CHECK: nnhal.l2_normalization %{{.*}} axis 1 : (tensor<2x3xf32>) -> tensor<2x3xf32>
// CHECK: nnhal.l2_normalization %{{.*}} : (tensor<?x3xf16>) -> tensor<?x3xf16>
// CHECK: nnhal.l2_normalization %{{.*}} -> tensor<2x3x!quant8_asymm{{[0-9]*}}>
// CHECK: nnhal.local_response_normalization %{{.*}} radius 2 bias 1.000000e+00 alpha 2.000000e+00 beta 5.000000e-01 axis 0
// CHECK: nnhal.instance_normalization %{{.*}} gamma 1.500000e+00 beta 0.000000e+00 epsilon 1.000000e-03
func.func @normalizations(%x: tensor<2x3xf32>, %h: tensor<?x3xf16>, %q: tensor<2x3x!quant.uniform<u8:f32, 0.5:3>>, %i: tensor<2x4x4x3xf16>) {
  %0 = nnhal.l2_normalization %x axis 1 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %1 = nnhal.l2_normalization %h axis -1 : (tensor<?x3xf16>) -> tensor<?x3xf16>
  %2 = nnhal.l2_normalization %q axis -1 : (tensor<2x3x!quant.uniform<u8:f32, 0.5:3>>) -> tensor<2x3x!quant.uniform<u8:f32, 0.0078125:128>>
  %3 = nnhal.local_response_normalization %x radius 2 bias 1.0 alpha 2.0 beta 0.5 axis 0 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %4 = nnhal.instance_normalization %i gamma 1.5 beta 0.0 epsilon 0.001 : (tensor<2x4x4x3xf16>) -> tensor<2x4x4x3xf16>
  return
}

// The axis is the last one where none is stated.
// CHECK-LABEL: @default_axis
// CHECK: nnhal.l2_normalization %{{.*}} : (tensor<2x3xf32>) -> tensor<2x3xf32>
func.func @default_axis(%x: tensor<2x3xf32>) {
  %0 = nnhal.l2_normalization %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}
