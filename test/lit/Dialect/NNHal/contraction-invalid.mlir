// RUN: nnhal-opt %s --split-input-file --verify-diagnostics

func.func @convolution_c1(%arg0: tensor<1x8x8x3xi32>, %arg1: tensor<16x3x3x3xi32>, %arg2: tensor<16xi32>) {
  // expected-error @below {{'nnhal.conv_2d' op input type TENSOR_INT32 is not among TENSOR_FLOAT32, TENSOR_FLOAT16, TENSOR_QUANT8_ASYMM, TENSOR_QUANT8_ASYMM_SIGNED}}
  %0 = nnhal.conv_2d %arg0, %arg1, %arg2
      pads [0, 0, 0, 0] strides [1, 1] dilations [1, 1]
      : (tensor<1x8x8x3xi32>, tensor<16x3x3x3xi32>, tensor<16xi32>) -> tensor<1x6x6x16xi32>
  return
}

// -----

func.func @convolution_c1_rank(%arg0: tensor<8x8x3xf32>, %arg1: tensor<16x3x3x3xf32>, %arg2: tensor<16xf32>) {
  // expected-error @below {{'nnhal.conv_2d' op input rank 3 is below 4}}
  %0 = nnhal.conv_2d %arg0, %arg1, %arg2
      pads [0, 0, 0, 0] strides [1, 1] dilations [1, 1]
      : (tensor<8x8x3xf32>, tensor<16x3x3x3xf32>, tensor<16xf32>) -> tensor<1x6x6x16xf32>
  return
}

// -----

func.func @convolution_c2(%arg0: tensor<1x8x8x3xf32>, %arg1: tensor<16x3x3x3xf32>, %arg2: tensor<16xf32>) {
  // expected-error @below {{'nnhal.conv_2d' op stride height 0 must be positive}}
  %0 = nnhal.conv_2d %arg0, %arg1, %arg2
      pads [0, 0, 0, 0] strides [0, 1] dilations [1, 1]
      : (tensor<1x8x8x3xf32>, tensor<16x3x3x3xf32>, tensor<16xf32>) -> tensor<1x6x6x16xf32>
  return
}

// -----

func.func @convolution_c3(%arg0: tensor<1x8x8x3xf32>, %arg1: tensor<16x3x3x3xf32>, %arg2: tensor<16xf32>) {
  // expected-error @below {{'nnhal.conv_2d' op dilation width -1 must be positive}}
  %0 = nnhal.conv_2d %arg0, %arg1, %arg2
      pads [0, 0, 0, 0] strides [1, 1] dilations [1, -1]
      : (tensor<1x8x8x3xf32>, tensor<16x3x3x3xf32>, tensor<16xf32>) -> tensor<1x6x6x16xf32>
  return
}

// -----

func.func @convolution_c5(%arg0: tensor<1x0x8x3xf32>, %arg1: tensor<16x3x3x3xf32>, %arg2: tensor<16xf32>) {
  // expected-error @below {{'nnhal.conv_2d' op input height 0 must be positive}}
  %0 = nnhal.conv_2d %arg0, %arg1, %arg2
      pads [0, 0, 0, 0] strides [1, 1] dilations [1, 1]
      : (tensor<1x0x8x3xf32>, tensor<16x3x3x3xf32>, tensor<16xf32>) -> tensor<1x6x6x16xf32>
  return
}

// -----

func.func @convolution_c6(%arg0: tensor<1x8x8x3xf32>, %arg1: tensor<16x3x0x3xf32>, %arg2: tensor<16xf32>) {
  // expected-error @below {{'nnhal.conv_2d' op filter width 0 must be positive}}
  %0 = nnhal.conv_2d %arg0, %arg1, %arg2
      pads [0, 0, 0, 0] strides [1, 1] dilations [1, 1]
      : (tensor<1x8x8x3xf32>, tensor<16x3x0x3xf32>, tensor<16xf32>) -> tensor<1x6x6x16xf32>
  return
}

// -----

func.func @convolution_c7_not_negative(%arg0: tensor<1x8x8x3xf32>, %arg1: tensor<16x3x3x3xf32>, %arg2: tensor<16xf32>) {
  // expected-error @below {{'nnhal.conv_2d' op pad top -1 must not be negative}}
  %0 = nnhal.conv_2d %arg0, %arg1, %arg2
      pads [-1, 0, 0, 0] strides [1, 1] dilations [1, 1]
      : (tensor<1x8x8x3xf32>, tensor<16x3x3x3xf32>, tensor<16xf32>) -> tensor<1x6x6x16xf32>
  return
}

// -----

func.func @convolution_c7_below_filter(%arg0: tensor<1x8x8x3xf32>, %arg1: tensor<16x3x3x3xf32>, %arg2: tensor<16xf32>) {
  // expected-error @below {{'nnhal.conv_2d' op pad left 3 must be below the window's 3}}
  %0 = nnhal.conv_2d %arg0, %arg1, %arg2
      pads [0, 0, 3, 0] strides [1, 1] dilations [1, 1]
      : (tensor<1x8x8x3xf32>, tensor<16x3x3x3xf32>, tensor<16xf32>) -> tensor<1x6x6x16xf32>
  return
}

// -----

func.func @convolution_c8(%arg0: tensor<1x8x8x3xf32>, %arg1: tensor<16x3x3x3xf32>, %arg2: tensor<16xf32>) {
  // expected-error @below {{'nnhal.conv_2d' op filter width 9 exceeds padded input width 8}}
  %0 = nnhal.conv_2d %arg0, %arg1, %arg2
      pads [0, 0, 0, 0] strides [1, 1] dilations [1, 4]
      : (tensor<1x8x8x3xf32>, tensor<16x3x3x3xf32>, tensor<16xf32>) -> tensor<1x6x6x16xf32>
  return
}

// -----

func.func @strides_have_two_elements(%arg0: tensor<1x8x8x3xf32>, %arg1: tensor<16x3x3x3xf32>, %arg2: tensor<16xf32>) {
  // expected-error @below {{'nnhal.conv_2d' op strides has 3 elements, expected 2}}
  %0 = nnhal.conv_2d %arg0, %arg1, %arg2
      pads [0, 0, 0, 0] strides [1, 1, 1] dilations [1, 1]
      : (tensor<1x8x8x3xf32>, tensor<16x3x3x3xf32>, tensor<16xf32>) -> tensor<1x6x6x16xf32>
  return
}

// -----

func.func @pads_have_four_elements(%arg0: tensor<1x8x8x3xf32>, %arg1: tensor<16x3x3x3xf32>, %arg2: tensor<16xf32>) {
  // expected-error @below {{'nnhal.conv_2d' op pads has 2 elements, expected 4}}
  %0 = nnhal.conv_2d %arg0, %arg1, %arg2
      pads [1, 1] strides [1, 1] dilations [1, 1]
      : (tensor<1x8x8x3xf32>, tensor<16x3x3x3xf32>, tensor<16xf32>) -> tensor<1x6x6x16xf32>
  return
}

// -----

func.func @strides_fit_32_bits(%arg0: tensor<1x8x8x3xf32>, %arg1: tensor<16x3x3x3xf32>, %arg2: tensor<16xf32>) {
  // expected-error @below {{'nnhal.conv_2d' op strides is 4294967296, expected -2147483648 to 2147483647}}
  %0 = nnhal.conv_2d %arg0, %arg1, %arg2
      pads [0, 0, 0, 0] strides [4294967296, 1] dilations [1, 1]
      : (tensor<1x8x8x3xf32>, tensor<16x3x3x3xf32>, tensor<16xf32>) -> tensor<1x6x6x16xf32>
  return
}

// -----

func.func @filter_c1(%arg0: tensor<1x8x8x3xf32>, %arg1: tensor<16x3x3x3xf16>, %arg2: tensor<16xf32>) {
  // expected-error @below {{'nnhal.conv_2d' op filter type TENSOR_FLOAT16 differs from input type TENSOR_FLOAT32}}
  %0 = nnhal.conv_2d %arg0, %arg1, %arg2
      pads [0, 0, 0, 0] strides [1, 1] dilations [1, 1]
      : (tensor<1x8x8x3xf32>, tensor<16x3x3x3xf16>, tensor<16xf32>) -> tensor<1x6x6x16xf32>
  return
}

// -----

func.func @filter_c2(%arg0: tensor<1x8x8x3xf32>, %arg1: tensor<3x3x3xf32>, %arg2: tensor<16xf32>) {
  // expected-error @below {{'nnhal.conv_2d' op filter rank 3 is below 4}}
  %0 = nnhal.conv_2d %arg0, %arg1, %arg2
      pads [0, 0, 0, 0] strides [1, 1] dilations [1, 1]
      : (tensor<1x8x8x3xf32>, tensor<3x3x3xf32>, tensor<16xf32>) -> tensor<1x6x6x16xf32>
  return
}

// -----

func.func @filter_c3(%arg0: tensor<1x8x8x2x!quant.uniform<u8:f32, 0.5:128>>, %arg1: tensor<2x3x3x2x!quant.uniform<i8<-127:127>:f32:3, {0.5, 0.25}>>, %arg2: tensor<2xi32>) {
  // expected-error @below {{'nnhal.conv_2d' op filter scales are along dimension 3, expected 0}}
  %0 = nnhal.conv_2d %arg0, %arg1, %arg2
      pads [0, 0, 0, 0] strides [1, 1] dilations [1, 1]
      : (tensor<1x8x8x2x!quant.uniform<u8:f32, 0.5:128>>, tensor<2x3x3x2x!quant.uniform<i8<-127:127>:f32:3, {0.5, 0.25}>>, tensor<2xi32>) -> tensor<1x6x6x2x!quant.uniform<u8:f32, 2.0:128>>
  return
}

// -----

func.func @filter_c4(%arg0: tensor<1x8x8x2x!quant.uniform<u8:f32, 0.5:128>>, %arg1: tensor<3x3x3x2x!quant.uniform<i8<-127:127>:f32:0, {0.5, 0.25}>>, %arg2: tensor<3xi32>) {
  // expected-error @below {{'nnhal.conv_2d' op number of filter scales 2 differs from filter extent 3}}
  %0 = nnhal.conv_2d %arg0, %arg1, %arg2
      pads [0, 0, 0, 0] strides [1, 1] dilations [1, 1]
      : (tensor<1x8x8x2x!quant.uniform<u8:f32, 0.5:128>>, tensor<3x3x3x2x!quant.uniform<i8<-127:127>:f32:0, {0.5, 0.25}>>, tensor<3xi32>) -> tensor<1x6x6x3x!quant.uniform<u8:f32, 2.0:128>>
  return
}

// -----

func.func @bias_c1(%arg0: tensor<1x8x8x3xf32>, %arg1: tensor<16x3x3x3xf32>, %arg2: tensor<16xf16>) {
  // expected-error @below {{'nnhal.conv_2d' op bias type TENSOR_FLOAT16 is not among TENSOR_FLOAT32}}
  %0 = nnhal.conv_2d %arg0, %arg1, %arg2
      pads [0, 0, 0, 0] strides [1, 1] dilations [1, 1]
      : (tensor<1x8x8x3xf32>, tensor<16x3x3x3xf32>, tensor<16xf16>) -> tensor<1x6x6x16xf32>
  return
}

// -----

func.func @bias_c1_rank(%arg0: tensor<1x8x8x3xf32>, %arg1: tensor<16x3x3x3xf32>, %arg2: tensor<1x16xf32>) {
  // expected-error @below {{'nnhal.conv_2d' op bias rank 2 is above 1}}
  %0 = nnhal.conv_2d %arg0, %arg1, %arg2
      pads [0, 0, 0, 0] strides [1, 1] dilations [1, 1]
      : (tensor<1x8x8x3xf32>, tensor<16x3x3x3xf32>, tensor<1x16xf32>) -> tensor<1x6x6x16xf32>
  return
}

// -----

func.func @bias_c2(%arg0: tensor<1x8x8x3xf32>, %arg1: tensor<16x3x3x3xf32>, %arg2: tensor<15xf32>) {
  // expected-error @below {{'nnhal.conv_2d' op bias extent 15 differs from output channels 16}}
  %0 = nnhal.conv_2d %arg0, %arg1, %arg2
      pads [0, 0, 0, 0] strides [1, 1] dilations [1, 1]
      : (tensor<1x8x8x3xf32>, tensor<16x3x3x3xf32>, tensor<15xf32>) -> tensor<1x6x6x16xf32>
  return
}

// -----

func.func @bias_c3(%arg0: tensor<1x8x8x3x!quant.uniform<u8:f32, 0.5:128>>, %arg1: tensor<16x3x3x3x!quant.uniform<u8:f32, 0.5:128>>, %arg2: tensor<16x!quant.uniform<i32:f32, 0.25:1>>) {
  // expected-error @below {{'nnhal.conv_2d' op bias zero point 1 must be 0}}
  %0 = nnhal.conv_2d %arg0, %arg1, %arg2
      pads [0, 0, 0, 0] strides [1, 1] dilations [1, 1]
      : (tensor<1x8x8x3x!quant.uniform<u8:f32, 0.5:128>>, tensor<16x3x3x3x!quant.uniform<u8:f32, 0.5:128>>, tensor<16x!quant.uniform<i32:f32, 0.25:1>>) -> tensor<1x6x6x16x!quant.uniform<u8:f32, 2.0:128>>
  return
}

// -----

func.func @bias_c4(%arg0: tensor<1x8x8x2x!quant.uniform<u8:f32, 0.5:128>>, %arg1: tensor<2x3x3x2x!quant.uniform<i8<-127:127>:f32:0, {0.5, 0.25}>>, %arg2: tensor<2x!quant.uniform<i32:f32, 0.25>>) {
  // expected-error @below {{'nnhal.conv_2d' op bias scale 0.25 must be 0 with a filter quantized per channel}}
  %0 = nnhal.conv_2d %arg0, %arg1, %arg2
      pads [0, 0, 0, 0] strides [1, 1] dilations [1, 1]
      : (tensor<1x8x8x2x!quant.uniform<u8:f32, 0.5:128>>, tensor<2x3x3x2x!quant.uniform<i8<-127:127>:f32:0, {0.5, 0.25}>>, tensor<2x!quant.uniform<i32:f32, 0.25>>) -> tensor<1x6x6x2x!quant.uniform<u8:f32, 2.0:128>>
  return
}

// -----

func.func @bias_c5(%arg0: tensor<1x8x8x3x!quant.uniform<u8:f32, 0.5:128>>, %arg1: tensor<16x3x3x3x!quant.uniform<u8:f32, 0.5:128>>, %arg2: tensor<16x!quant.uniform<i32:f32, 0.5>>) {
  // expected-error @below {{'nnhal.conv_2d' op bias scale 0.5 differs from 0.25, the product of input and filter scale}}
  %0 = nnhal.conv_2d %arg0, %arg1, %arg2
      pads [0, 0, 0, 0] strides [1, 1] dilations [1, 1]
      : (tensor<1x8x8x3x!quant.uniform<u8:f32, 0.5:128>>, tensor<16x3x3x3x!quant.uniform<u8:f32, 0.5:128>>, tensor<16x!quant.uniform<i32:f32, 0.5>>) -> tensor<1x6x6x16x!quant.uniform<u8:f32, 2.0:128>>
  return
}

// -----

func.func @bias_c5_without_scale(%arg0: tensor<1x8x8x3x!quant.uniform<u8:f32, 0.5:128>>, %arg1: tensor<16x3x3x3x!quant.uniform<u8:f32, 0.5:128>>, %arg2: tensor<16xi32>) {
  // expected-error @below {{'nnhal.conv_2d' op bias scale 0 differs from 0.25, the product of input and filter scale}}
  %0 = nnhal.conv_2d %arg0, %arg1, %arg2
      pads [0, 0, 0, 0] strides [1, 1] dilations [1, 1]
      : (tensor<1x8x8x3x!quant.uniform<u8:f32, 0.5:128>>, tensor<16x3x3x3x!quant.uniform<u8:f32, 0.5:128>>, tensor<16xi32>) -> tensor<1x6x6x16x!quant.uniform<u8:f32, 2.0:128>>
  return
}

// -----

func.func @conv_2d_c1(%arg0: tensor<1x8x8x3xf32>, %arg1: tensor<16x3x3x4xf32>, %arg2: tensor<16xf32>) {
  // expected-error @below {{'nnhal.conv_2d' op filter channels 4 differs from input channels 3}}
  %0 = nnhal.conv_2d %arg0, %arg1, %arg2
      pads [0, 0, 0, 0] strides [1, 1] dilations [1, 1]
      : (tensor<1x8x8x3xf32>, tensor<16x3x3x4xf32>, tensor<16xf32>) -> tensor<1x6x6x16xf32>
  return
}

// -----

func.func @stated_c3(%arg0: tensor<1x8x8x3xf32>, %arg1: tensor<16x3x3x3xf32>, %arg2: tensor<16xf32>) {
  // expected-error @below {{'nnhal.conv_2d' op output dimension 2 is 8, expected 6}}
  %0 = nnhal.conv_2d %arg0, %arg1, %arg2
      pads [0, 0, 0, 0] strides [1, 1] dilations [1, 1]
      : (tensor<1x8x8x3xf32>, tensor<16x3x3x3xf32>, tensor<16xf32>) -> tensor<1x6x8x16xf32>
  return
}

// -----

func.func @depthwise_conv_2d_c1(%arg0: tensor<1x8x8x3xf32>, %arg1: tensor<2x3x3x6xf32>, %arg2: tensor<6xf32>) {
  // expected-error @below {{'nnhal.depthwise_conv_2d' op filter dimension 0 is 2, expected 1}}
  %0 = nnhal.depthwise_conv_2d %arg0, %arg1, %arg2
      pads [0, 0, 0, 0] strides [1, 1] depth_multiplier 2 dilations [1, 1]
      : (tensor<1x8x8x3xf32>, tensor<2x3x3x6xf32>, tensor<6xf32>) -> tensor<1x6x6x6xf32>
  return
}

// -----

func.func @depthwise_conv_2d_c2(%arg0: tensor<1x8x8x3xf32>, %arg1: tensor<1x3x3x6xf32>, %arg2: tensor<6xf32>) {
  // expected-error @below {{'nnhal.depthwise_conv_2d' op depth multiplier 0 must be positive}}
  %0 = nnhal.depthwise_conv_2d %arg0, %arg1, %arg2
      pads [0, 0, 0, 0] strides [1, 1] depth_multiplier 0 dilations [1, 1]
      : (tensor<1x8x8x3xf32>, tensor<1x3x3x6xf32>, tensor<6xf32>) -> tensor<1x6x6x6xf32>
  return
}

// -----

func.func @depthwise_conv_2d_c3(%arg0: tensor<1x8x8x3xf32>, %arg1: tensor<1x3x3x7xf32>, %arg2: tensor<6xf32>) {
  // expected-error @below {{'nnhal.depthwise_conv_2d' op filter channels 7 differs from input channels times depth multiplier 6}}
  %0 = nnhal.depthwise_conv_2d %arg0, %arg1, %arg2
      pads [0, 0, 0, 0] strides [1, 1] depth_multiplier 2 dilations [1, 1]
      : (tensor<1x8x8x3xf32>, tensor<1x3x3x7xf32>, tensor<6xf32>) -> tensor<1x6x6x6xf32>
  return
}

// -----

func.func @grouped_conv_2d_c1(%arg0: tensor<1x8x8x4xf32>, %arg1: tensor<6x3x3x2xf32>, %arg2: tensor<6xf32>) {
  // expected-error @below {{'nnhal.grouped_conv_2d' op groups 0 must be positive}}
  %0 = nnhal.grouped_conv_2d %arg0, %arg1, %arg2
      pads [0, 0, 0, 0] strides [1, 1] groups 0
      : (tensor<1x8x8x4xf32>, tensor<6x3x3x2xf32>, tensor<6xf32>) -> tensor<1x6x6x6xf32>
  return
}

// -----

func.func @grouped_conv_2d_c2(%arg0: tensor<1x8x8x4xf32>, %arg1: tensor<6x3x3x2xf32>, %arg2: tensor<6xf32>) {
  // expected-error @below {{'nnhal.grouped_conv_2d' op output channels 6 are not a multiple of groups 4}}
  %0 = nnhal.grouped_conv_2d %arg0, %arg1, %arg2
      pads [0, 0, 0, 0] strides [1, 1] groups 4
      : (tensor<1x8x8x4xf32>, tensor<6x3x3x2xf32>, tensor<6xf32>) -> tensor<1x6x6x6xf32>
  return
}

// -----

func.func @grouped_conv_2d_c3(%arg0: tensor<1x8x8x4xf32>, %arg1: tensor<6x3x3x2xf32>, %arg2: tensor<6xf32>) {
  // expected-error @below {{'nnhal.grouped_conv_2d' op filter channels times groups 6 differs from input channels 4}}
  %0 = nnhal.grouped_conv_2d %arg0, %arg1, %arg2
      pads [0, 0, 0, 0] strides [1, 1] groups 3
      : (tensor<1x8x8x4xf32>, tensor<6x3x3x2xf32>, tensor<6xf32>) -> tensor<1x6x6x6xf32>
  return
}

// -----

func.func @transpose_conv_2d_c1(%arg0: tensor<1x4x4x3xf32>, %arg1: tensor<16x3x3x4xf32>, %arg2: tensor<16xf32>) {
  // expected-error @below {{'nnhal.transpose_conv_2d' op filter channels 4 differs from input channels 3}}
  %0 = nnhal.transpose_conv_2d %arg0, %arg1, %arg2
      pads [0, 0, 0, 0] strides [1, 1]
      : (tensor<1x4x4x3xf32>, tensor<16x3x3x4xf32>, tensor<16xf32>) -> tensor<1x6x6x16xf32>
  return
}

// -----

func.func @transpose_conv_2d_c2(%arg0: tensor<1x4x4x3xf32>, %arg1: tensor<16x3x3x3xf32>, %arg2: tensor<16xf32>) {
  // expected-error @below {{'nnhal.transpose_conv_2d' op leading pad -1 of the width must not be negative}}
  %0 = nnhal.transpose_conv_2d %arg0, %arg1, %arg2
      pads [0, 0, -1, 0] strides [1, 1]
      : (tensor<1x4x4x3xf32>, tensor<16x3x3x3xf32>, tensor<16xf32>) -> tensor<1x6x6x16xf32>
  return
}

// -----

func.func @transpose_conv_2d_c3(%arg0: tensor<1x4x4x3xf32>, %arg1: tensor<16x3x3x3xf32>, %arg2: tensor<16xf32>) {
  // expected-error @below {{'nnhal.transpose_conv_2d' op pads 3 and 0 of the height must be below the filter's 3}}
  %0 = nnhal.transpose_conv_2d %arg0, %arg1, %arg2
      pads [3, 0, 0, 0] strides [1, 1]
      : (tensor<1x4x4x3xf32>, tensor<16x3x3x3xf32>, tensor<16xf32>) -> tensor<1x6x6x16xf32>
  return
}

// -----

func.func @transpose_conv_2d_c4(%arg0: tensor<1x1x4x3xf32>, %arg1: tensor<16x2x3x3xf32>, %arg2: tensor<16xf32>) {
  // expected-error @below {{'nnhal.transpose_conv_2d' op result height 0 must be positive}}
  %0 = nnhal.transpose_conv_2d %arg0, %arg1, %arg2
      pads [1, 1, 0, 0] strides [1, 1]
      : (tensor<1x1x4x3xf32>, tensor<16x2x3x3xf32>, tensor<16xf32>) -> tensor<1x6x6x16xf32>
  return
}

// -----

func.func @fully_connected_c1(%arg0: tensor<8xf32>, %arg1: tensor<4x8xf32>, %arg2: tensor<4xf32>) {
  // expected-error @below {{'nnhal.fully_connected' op input rank 1 is below 2}}
  %0 = nnhal.fully_connected %arg0, %arg1, %arg2
      : (tensor<8xf32>, tensor<4x8xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @fully_connected_c2(%arg0: tensor<2x8xf32>, %arg1: tensor<4x8xf16>, %arg2: tensor<4xf32>) {
  // expected-error @below {{'nnhal.fully_connected' op weights type TENSOR_FLOAT16 differs from input type TENSOR_FLOAT32}}
  %0 = nnhal.fully_connected %arg0, %arg1, %arg2
      : (tensor<2x8xf32>, tensor<4x8xf16>, tensor<4xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @fully_connected_c3(%arg0: tensor<2x8xf32>, %arg1: tensor<1x4x8xf32>, %arg2: tensor<4xf32>) {
  // expected-error @below {{'nnhal.fully_connected' op weights rank 3 is above 2}}
  %0 = nnhal.fully_connected %arg0, %arg1, %arg2
      : (tensor<2x8xf32>, tensor<1x4x8xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @fully_connected_c5(%arg0: tensor<2x8xf32>, %arg1: tensor<0x8xf32>, %arg2: tensor<4xf32>) {
  // expected-error @below {{'nnhal.fully_connected' op units 0 must be positive}}
  %0 = nnhal.fully_connected %arg0, %arg1, %arg2
      : (tensor<2x8xf32>, tensor<0x8xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @fully_connected_c5_row(%arg0: tensor<2x8xf32>, %arg1: tensor<4x0xf32>, %arg2: tensor<4xf32>) {
  // expected-error @below {{'nnhal.fully_connected' op weights row size 0 must be positive}}
  %0 = nnhal.fully_connected %arg0, %arg1, %arg2
      : (tensor<2x8xf32>, tensor<4x0xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @fully_connected_c6(%arg0: tensor<2x7xf32>, %arg1: tensor<4x8xf32>, %arg2: tensor<4xf32>) {
  // expected-error @below {{'nnhal.fully_connected' op input has 14 elements, no multiple of the weights row size 8}}
  %0 = nnhal.fully_connected %arg0, %arg1, %arg2
      : (tensor<2x7xf32>, tensor<4x8xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  return
}
