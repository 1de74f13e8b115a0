// RUN: nnhal-opt %s --nnhal-set-target --convert-nnhal-to-linalg --nnk-form-kernels --nnk-pack-convolutions --canonicalize | FileCheck %s

// Weights are widened while compiling: 1.5 and -0.25.
// CHECK-LABEL: @conv_2d
// CHECK:         %[[WIDE:.*]] = linalg.generic {{.*}} ins(%arg0 : tensor<1x4x4x1xf16>) outs(%{{.*}} : tensor<1x4x4x1xf32>)
// CHECK:           arith.extf
// CHECK:         %[[CONV:.*]] = nnk.conv_2d ins(%[[WIDE]],
// CHECK-SAME:      epilogue {
// CHECK:         linalg.generic {{.*}} ins(%[[CONV]] : tensor<1x4x4x2xf32>) outs(%{{.*}} : tensor<1x4x4x2xf16>)
// CHECK:           arith.truncf
func.func @conv_2d(%x: tensor<1x4x4x1xf16>) -> tensor<1x4x4x2xf16> {
  %filter = nnhal.constant dense<[[[[1.5]]], [[[-0.25]]]]> : tensor<2x1x1x1xf16> -> tensor<2x1x1x1xf16>
  %bias = nnhal.constant dense<0.0> : tensor<2xf16> -> tensor<2xf16>
  %0 = nnhal.conv_2d %x, %filter, %bias pads [0, 0, 0, 0] strides [1, 1] activation relu
      : (tensor<1x4x4x1xf16>, tensor<2x1x1x1xf16>, tensor<2xf16>) -> tensor<1x4x4x2xf16>
  return %0 : tensor<1x4x4x2xf16>
}

// CHECK-LABEL: @fully_connected_by_computed_weights
// CHECK-COUNT-3: arith.extf
// CHECK:         nnk.conv_2d
// CHECK:         arith.truncf
func.func @fully_connected_by_computed_weights(%x: tensor<2x3xf16>, %weights: tensor<8x3xf16>, %bias: tensor<8xf16>) -> tensor<2x8xf16> {
  %0 = nnhal.fully_connected %x, %weights, %bias
      : (tensor<2x3xf16>, tensor<8x3xf16>, tensor<8xf16>) -> tensor<2x8xf16>
  return %0 : tensor<2x8xf16>
}

// A conversion of no elements is an error where a convolution of none is not.
// CHECK-LABEL: @unknown_batch
// CHECK-NOT:     nnk.conv_2d
// CHECK:         return
func.func @unknown_batch(%x: tensor<?x4x4x1xf16>) -> tensor<?x4x4x2xf16> {
  %filter = nnhal.constant dense<1.0> : tensor<2x1x1x1xf16> -> tensor<2x1x1x1xf16>
  %bias = nnhal.constant dense<0.0> : tensor<2xf16> -> tensor<2xf16>
  %0 = nnhal.conv_2d %x, %filter, %bias pads [0, 0, 0, 0] strides [1, 1]
      : (tensor<?x4x4x1xf16>, tensor<2x1x1x1xf16>, tensor<2xf16>) -> tensor<?x4x4x2xf16>
  return %0 : tensor<?x4x4x2xf16>
}

// Infinities, a NaN and the least subnormal stay what they are.
func.func @special_weights(%x: tensor<1x1x1x1xf16>) -> tensor<1x1x1x4xf16> {
  %filter = nnhal.constant dense<[[[[0x7C00]]], [[[0xFC00]]], [[[0x7E00]]], [[[0x0001]]]]> : tensor<4x1x1x1xf16> -> tensor<4x1x1x1xf16>
  %bias = nnhal.constant dense<0.0> : tensor<4xf16> -> tensor<4xf16>
  %0 = nnhal.conv_2d %x, %filter, %bias pads [0, 0, 0, 0] strides [1, 1]
      : (tensor<1x1x1x1xf16>, tensor<4x1x1x1xf16>, tensor<4xf16>) -> tensor<1x1x1x4xf16>
  return %0 : tensor<1x1x1x4xf16>
}

// CHECK-DAG:     {{wide.*_packed: "0x400000000000807F000080FF0000C07F00008033}}
// CHECK-DAG:     {{wide.*_packed: "0x400000000000C03F000080BE}}
