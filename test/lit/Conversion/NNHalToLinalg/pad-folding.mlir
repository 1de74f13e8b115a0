// RUN: nnhal-opt %s --nnhal-set-target --convert-nnhal-to-linalg --nnk-form-kernels | FileCheck %s

// CHECK-LABEL: @pad_becomes_part_of_conv_2d
// CHECK-NOT:     tensor.insert_slice
// CHECK:         nnk.conv_2d
// CHECK-SAME:      pads [0, 1, 1, 1]
func.func @pad_becomes_part_of_conv_2d(%x: tensor<1x4x4x8xf32>, %bias: tensor<8xf32>) -> tensor<1x3x4x8xf32> {
  %filter = nnhal.constant dense<1.0> : tensor<8x3x3x8xf32> -> tensor<8x3x3x8xf32>
  %p = nnhal.pad %x paddings [0, 0, 0, 1, 1, 1, 0, 0] : (tensor<1x4x4x8xf32>) -> tensor<1x5x6x8xf32>
  %0 = nnhal.conv_2d %p, %filter, %bias pads [0, 0, 0, 0] strides [1, 1] dilations [1, 1]
      : (tensor<1x5x6x8xf32>, tensor<8x3x3x8xf32>, tensor<8xf32>) -> tensor<1x3x4x8xf32>
  return %0 : tensor<1x3x4x8xf32>
}

// A convolution's padding must stay below its filter's extent.
// CHECK-LABEL: @wide_pad_stays
// CHECK:         tensor.insert_slice
// CHECK:         nnk.depthwise_conv_2d
// CHECK-SAME:      pads [0, 0, 0, 0]
func.func @wide_pad_stays(%x: tensor<1x4x4x8xf32>, %bias: tensor<8xf32>) -> tensor<1x5x4x8xf32> {
  %filter = nnhal.constant dense<1.0> : tensor<1x3x3x8xf32> -> tensor<1x3x3x8xf32>
  %p = nnhal.pad %x paddings [0, 0, 3, 0, 1, 1, 0, 0] : (tensor<1x4x4x8xf32>) -> tensor<1x7x6x8xf32>
  %0 = nnhal.depthwise_conv_2d %p, %filter, %bias pads [0, 0, 0, 0] strides [1, 1] depth_multiplier 1 dilations [1, 1]
      : (tensor<1x7x6x8xf32>, tensor<1x3x3x8xf32>, tensor<8xf32>) -> tensor<1x5x4x8xf32>
  return %0 : tensor<1x5x4x8xf32>
}

// The zeros of a pad count in a mean; a pool's own padding does not.
// CHECK-LABEL: @pad_before_pool_stays
// CHECK:         tensor.insert_slice
// CHECK:         nnk.pool_2d average {{.*}} pads [0, 0, 0, 0]
func.func @pad_before_pool_stays(%x: tensor<1x4x4x8xf32>) -> tensor<1x4x4x8xf32> {
  %p = nnhal.pad %x paddings [0, 0, 1, 1, 1, 1, 0, 0] : (tensor<1x4x4x8xf32>) -> tensor<1x6x6x8xf32>
  %0 = nnhal.average_pool_2d %p pads [0, 0, 0, 0] strides [1, 1] window [3, 3]
      : (tensor<1x6x6x8xf32>) -> tensor<1x4x4x8xf32>
  return %0 : tensor<1x4x4x8xf32>
}

// CHECK-LABEL: @pad_of_channels_stays
// CHECK:         tensor.insert_slice
// CHECK:         nnk.conv_2d
func.func @pad_of_channels_stays(%x: tensor<1x4x4x4xf32>, %bias: tensor<8xf32>) -> tensor<1x4x4x8xf32> {
  %filter = nnhal.constant dense<1.0> : tensor<8x3x3x8xf32> -> tensor<8x3x3x8xf32>
  %p = nnhal.pad %x paddings [0, 0, 1, 1, 1, 1, 0, 4] : (tensor<1x4x4x4xf32>) -> tensor<1x6x6x8xf32>
  %0 = nnhal.conv_2d %p, %filter, %bias pads [0, 0, 0, 0] strides [1, 1] dilations [1, 1]
      : (tensor<1x6x6x8xf32>, tensor<8x3x3x8xf32>, tensor<8xf32>) -> tensor<1x4x4x8xf32>
  return %0 : tensor<1x4x4x8xf32>
}
