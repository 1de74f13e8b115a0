// RUN: nnhal-opt %s --verify-roundtrip | FileCheck %s

!u8 = !quant.uniform<u8:f32, 0.5:128>
!bias = !quant.uniform<i32:f32, 0.25>

// CHECK-LABEL: @conv_2d_with_padding_stride_and_dilation
// CHECK: nnhal.conv_2d %{{.*}}, %{{.*}}, %{{.*}} pads [2, 2, 0, 1] strides [1, 2] dilations [2, 1] activation relu
func.func @conv_2d_with_padding_stride_and_dilation(
    %x: tensor<?x8x9x3xf32>, %f: tensor<16x3x3x3xf32>, %b: tensor<16xf32>) -> tensor<?x8x4x16xf32> {
  %0 = nnhal.conv_2d %x, %f, %b pads [2, 2, 0, 1] strides [1, 2]
      dilations [2, 1] activation relu
      : (tensor<?x8x9x3xf32>, tensor<16x3x3x3xf32>, tensor<16xf32>) -> tensor<?x8x4x16xf32>
  return %0 : tensor<?x8x4x16xf32>
}

// CHECK-LABEL: @conv_2d_with_unknown_height
// CHECK: nnhal.conv_2d
func.func @conv_2d_with_unknown_height(
    %x: tensor<1x?x8x3xf16>, %f: tensor<16x3x3x3xf16>, %b: tensor<16xf16>) -> tensor<1x?x6x16xf16> {
  %0 = nnhal.conv_2d %x, %f, %b pads [0, 0, 0, 0] strides [1, 1] dilations [1, 1]
      : (tensor<1x?x8x3xf16>, tensor<16x3x3x3xf16>, tensor<16xf16>) -> tensor<1x?x6x16xf16>
  return %0 : tensor<1x?x6x16xf16>
}

// CHECK-LABEL: @conv_2d_quantized
// CHECK: nnhal.conv_2d
func.func @conv_2d_quantized(%x: tensor<1x8x8x3x!u8>, %f: tensor<16x3x3x3x!u8>, %b: tensor<16x!bias>) {
  %0 = nnhal.conv_2d %x, %f, %b pads [0, 0, 0, 0] strides [1, 1] dilations [1, 1]
      : (tensor<1x8x8x3x!u8>, tensor<16x3x3x3x!u8>, tensor<16x!bias>) -> tensor<1x6x6x16x!quant.uniform<u8:f32, 3.0:1>>
  return
}

// The bias of a filter quantized per channel has no scale (M-012).
// CHECK-LABEL: @conv_2d_quantized_per_channel
// CHECK: nnhal.conv_2d
func.func @conv_2d_quantized_per_channel(
    %x: tensor<1x8x8x3x!u8>, %f: tensor<2x3x3x3x!quant.uniform<i8<-127:127>:f32:0, {0.5, 0.25}>>, %b: tensor<2xi32>) {
  %0 = nnhal.conv_2d %x, %f, %b pads [0, 0, 0, 0] strides [1, 1] dilations [1, 1]
      : (tensor<1x8x8x3x!u8>, tensor<2x3x3x3x!quant.uniform<i8<-127:127>:f32:0, {0.5, 0.25}>>, tensor<2xi32>)
      -> tensor<1x6x6x2x!u8>
  return
}

// CHECK-LABEL: @depthwise_conv_2d_multiplies_channels
// CHECK: nnhal.depthwise_conv_2d {{.*}}depth_multiplier 2
func.func @depthwise_conv_2d_multiplies_channels(%x: tensor<1x8x8x3xf32>, %f: tensor<1x3x3x6xf32>, %b: tensor<6xf32>) {
  %0 = nnhal.depthwise_conv_2d %x, %f, %b pads [0, 1, 0, 1] strides [2, 2]
      depth_multiplier 2 dilations [1, 1]
      : (tensor<1x8x8x3xf32>, tensor<1x3x3x6xf32>, tensor<6xf32>) -> tensor<1x4x4x6xf32>
  return
}

// CHECK-LABEL: @grouped_conv_2d_divides_channels
// CHECK: nnhal.grouped_conv_2d {{.*}}groups 2
func.func @grouped_conv_2d_divides_channels(%x: tensor<1x8x8x4xf32>, %f: tensor<6x3x3x2xf32>, %b: tensor<6xf32>) {
  %0 = nnhal.grouped_conv_2d %x, %f, %b pads [1, 1, 1, 1] strides [1, 1] groups 2
      : (tensor<1x8x8x4xf32>, tensor<6x3x3x2xf32>, tensor<6xf32>) -> tensor<1x8x8x6xf32>
  return
}

// M-086: the height is one that the last window does not reach.
// CHECK-LABEL: @transpose_conv_2d_may_extend_beyond_windows
// CHECK: nnhal.transpose_conv_2d
func.func @transpose_conv_2d_may_extend_beyond_windows(%x: tensor<1x2x2x1xf32>, %f: tensor<1x2x2x1xf32>, %b: tensor<1xf32>) {
  %0 = nnhal.transpose_conv_2d %x, %f, %b strides [3, 3]
      : (tensor<1x2x2x1xf32>, tensor<1x2x2x1xf32>, tensor<1xf32>) -> tensor<1x6x6x1xf32>
  return
}

// CHECK-LABEL: @fully_connected_flattens_its_input
// CHECK: nnhal.fully_connected
// CHECK: nnhal.fully_connected
func.func @fully_connected_flattens_its_input(
    %x: tensor<2x1x2x4xf32>, %y: tensor<?x8xf32>, %w: tensor<5x8xf32>, %b: tensor<5xf32>) -> tensor<?x5xf32> {
  %0 = nnhal.fully_connected %x, %w, %b : (tensor<2x1x2x4xf32>, tensor<5x8xf32>, tensor<5xf32>) -> tensor<2x5xf32>
  %1 = nnhal.fully_connected %y, %w, %b activation relu1
      : (tensor<?x8xf32>, tensor<5x8xf32>, tensor<5xf32>) -> tensor<?x5xf32>
  return %1 : tensor<?x5xf32>
}
