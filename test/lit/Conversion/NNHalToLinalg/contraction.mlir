// RUN: nnhal-opt %s --nnhal-set-target --convert-nnhal-to-linalg --nnk-form-kernels --nnk-pack-convolutions --split-input-file | FileCheck %s
// RUN: nnhal-opt %s --nnhal-set-target=parameters=vector-bits=128 --convert-nnhal-to-linalg --nnk-form-kernels --nnk-pack-convolutions --split-input-file | FileCheck %s --check-prefix=SSE

// Two panels of 16 channels, the second with four zeros.
// CHECK-LABEL: @conv_2d_packs_constants
// CHECK-DAG:     %[[FILTER:.+]] = arith.constant dense_resource<filter_packed> : tensor<2x1x1x2x16xf32>
// CHECK-DAG:     %[[BIAS:.+]] = arith.constant dense_resource<bias_packed> : tensor<2x16xf32>
// CHECK:         nnk.conv_2d ins(%{{.*}}, %[[FILTER]], %[[BIAS]] :
// CHECK-SAME:      strides [1, 1] dilations [1, 1] pads [0, 0, 0, 0]
// CHECK-SAME:      epilogue {
// CHECK:         ^{{.*}}(%[[ACC:.+]]: f32):
// CHECK:           arith.cmpf ogt, %{{.+}}, %[[ACC]]
// CHECK:           nnk.yield
// SSE:           dense_resource<filter_packed> : tensor<4x1x1x2x8xf32>
func.func @conv_2d_packs_constants(%x: tensor<1x4x4x2xf32>) -> tensor<1x4x4x28xf32> {
  %filter = nnhal.constant dense<1.0> : tensor<28x1x1x2xf32> -> tensor<28x1x1x2xf32>
  %bias = nnhal.constant dense<2.0> : tensor<28xf32> -> tensor<28xf32>
  %0 = nnhal.conv_2d %x, %filter, %bias pads [0, 0, 0, 0] strides [1, 1]
      dilations [1, 1] activation relu
      : (tensor<1x4x4x2xf32>, tensor<28x1x1x2xf32>, tensor<28xf32>) -> tensor<1x4x4x28xf32>
  return %0 : tensor<1x4x4x28xf32>
}

// -----

// CHECK-LABEL: @conv_2d_shares_packed_constants
// CHECK:         arith.constant dense_resource<weights_packed>
// CHECK-NOT:     weights_packed_1
// CHECK:         nnk.conv_2d
// CHECK:         nnk.conv_2d
// CHECK:       weights_packed: "0x40000000{{0*}}0000803F
func.func @conv_2d_shares_packed_constants(%x: tensor<1x4x4x1xf32>, %bias: tensor<1xf32>) -> (tensor<1x4x4x1xf32>, tensor<1x4x4x1xf32>) {
  %f = nnhal.constant dense_resource<weights> : tensor<1x1x1x1xf32> -> tensor<1x1x1x1xf32>
  %g = nnhal.constant dense_resource<weights> : tensor<1x1x1x1xf32> -> tensor<1x1x1x1xf32>
  %0 = nnhal.conv_2d %x, %f, %bias pads [0, 0, 0, 0] strides [1, 1] dilations [1, 1]
      : (tensor<1x4x4x1xf32>, tensor<1x1x1x1xf32>, tensor<1xf32>) -> tensor<1x4x4x1xf32>
  %1 = nnhal.conv_2d %0, %g, %bias pads [0, 0, 0, 0] strides [1, 1] dilations [1, 1]
      : (tensor<1x4x4x1xf32>, tensor<1x1x1x1xf32>, tensor<1xf32>) -> tensor<1x4x4x1xf32>
  return %0, %1 : tensor<1x4x4x1xf32>, tensor<1x4x4x1xf32>
}

{-#
  dialect_resources: {
    builtin: {
      weights: "0x400000000000803F"
    }
  }
#-}

// -----

// CHECK-LABEL: @conv_2d_packs_computed_filter
// CHECK:         tensor.insert_slice
// CHECK:         tensor.expand_shape {{.*}} into tensor<1x8x1x1x2xf32>
// CHECK:         linalg.transpose {{.*}} permutation = [0, 2, 3, 4, 1]
// CHECK:         nnk.conv_2d
func.func @conv_2d_packs_computed_filter(%x: tensor<1x4x4x2xf32>, %filter: tensor<5x1x1x2xf32>, %bias: tensor<5xf32>) -> tensor<1x4x4x5xf32> {
  %0 = nnhal.conv_2d %x, %filter, %bias pads [0, 0, 0, 0] strides [1, 1] dilations [1, 1]
      : (tensor<1x4x4x2xf32>, tensor<5x1x1x2xf32>, tensor<5xf32>) -> tensor<1x4x4x5xf32>
  return %0 : tensor<1x4x4x5xf32>
}

// -----

// CHECK-LABEL: @depthwise_conv_2d_keeps_channels_innermost
// CHECK:         %[[FILTER:.+]] = arith.constant dense<3.000000e+00> : tensor<3x3x4xf32>
// CHECK:         nnk.depthwise_conv_2d ins(%arg0, %[[FILTER]], %arg1 :
// CHECK-SAME:      depth_multiplier 2
func.func @depthwise_conv_2d_keeps_channels_innermost(%x: tensor<1x4x4x2xf32>, %bias: tensor<4xf32>) -> tensor<1x4x4x4xf32> {
  %filter = nnhal.constant dense<3.0> : tensor<1x3x3x4xf32> -> tensor<1x3x3x4xf32>
  %0 = nnhal.depthwise_conv_2d %x, %filter, %bias pads [1, 1, 1, 1]
      strides [1, 1] depth_multiplier 2 dilations [1, 1]
      : (tensor<1x4x4x2xf32>, tensor<1x3x3x4xf32>, tensor<4xf32>) -> tensor<1x4x4x4xf32>
  return %0 : tensor<1x4x4x4xf32>
}

// -----

// CHECK-LABEL: @fully_connected_is_a_row_of_pixels
// CHECK:         %[[ROW:.+]] = tensor.expand_shape {{.*}} into tensor<1x1x2x6xf32>
// CHECK:         %[[OUT:.+]] = nnk.conv_2d ins(%[[ROW]]
// CHECK:         tensor.collapse_shape %[[OUT]] {{.*}} into tensor<2x3xf32>
func.func @fully_connected_is_a_row_of_pixels(%x: tensor<2x2x3xf32>, %bias: tensor<3xf32>) -> tensor<2x3xf32> {
  %w = nnhal.constant dense<1.0> : tensor<3x6xf32> -> tensor<3x6xf32>
  %0 = nnhal.fully_connected %x, %w, %bias : (tensor<2x2x3xf32>, tensor<3x6xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// -----

// Splats have one element in memory and two in panels.
// CHECK-LABEL: @conv_2d_packs_small_splats
// CHECK:         nnk.conv_2d
// CHECK-DAG:   filter_packed: "0x40000000{{0*}}0000004000000040{{0*}}"
// CHECK-DAG:   bias_packed: "0x40000000{{0*}}0000803F0000803F{{0*}}"
func.func @conv_2d_packs_small_splats(%x: tensor<1x4x4x1xf32>) -> tensor<1x4x4x2xf32> {
  %filter = nnhal.constant dense<2.0> : tensor<2x1x1x1xf32> -> tensor<2x1x1x1xf32>
  %bias = nnhal.constant dense<1.0> : tensor<2xf32> -> tensor<2xf32>
  %0 = nnhal.conv_2d %x, %filter, %bias pads [0, 0, 0, 0] strides [1, 1] dilations [1, 1]
      : (tensor<1x4x4x1xf32>, tensor<2x1x1x1xf32>, tensor<2xf32>) -> tensor<1x4x4x2xf32>
  return %0 : tensor<1x4x4x2xf32>
}
