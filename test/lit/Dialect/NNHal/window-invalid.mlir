// RUN: nnhal-opt %s --split-input-file --verify-diagnostics

func.func @pool_c1(%arg0: tensor<1x8x8x3xi32>) {
  // expected-error @below {{'nnhal.max_pool_2d' op input type TENSOR_INT32 is not among TENSOR_FLOAT32, TENSOR_FLOAT16, TENSOR_QUANT8_ASYMM, TENSOR_QUANT8_ASYMM_SIGNED}}
  %0 = nnhal.max_pool_2d %arg0
      pads [0, 0, 0, 0] strides [2, 2] window [2, 2]
      : (tensor<1x8x8x3xi32>) -> tensor<1x4x4x3xi32>
  return
}

// -----

func.func @l2_pool_takes_no_quantized_type(%arg0: tensor<1x8x8x3x!quant.uniform<u8:f32, 0.5:128>>) {
  // expected-error @below {{'nnhal.l2_pool_2d' op input type TENSOR_QUANT8_ASYMM is not among TENSOR_FLOAT32, TENSOR_FLOAT16}}
  %0 = nnhal.l2_pool_2d %arg0
      pads [0, 0, 0, 0] strides [2, 2] window [2, 2]
      : (tensor<1x8x8x3x!quant.uniform<u8:f32, 0.5:128>>) -> tensor<1x4x4x3x!quant.uniform<u8:f32, 0.5:128>>
  return
}

// -----

func.func @pool_c2(%arg0: tensor<1x8x8x3xf32>) {
  // expected-error @below {{'nnhal.max_pool_2d' op window height 0 must be positive}}
  %0 = nnhal.max_pool_2d %arg0
      pads [0, 0, 0, 0] strides [2, 2] window [0, 2]
      : (tensor<1x8x8x3xf32>) -> tensor<1x4x4x3xf32>
  return
}

// -----

func.func @pool_c3(%arg0: tensor<1x8x8x3xf32>) {
  // expected-error @below {{'nnhal.max_pool_2d' op stride width 0 must be positive}}
  %0 = nnhal.max_pool_2d %arg0
      pads [0, 0, 0, 0] strides [2, 0] window [2, 2]
      : (tensor<1x8x8x3xf32>) -> tensor<1x4x4x3xf32>
  return
}

// -----

func.func @pool_c5(%arg0: tensor<1x8x8x3xf32>) {
  // expected-error @below {{'nnhal.max_pool_2d' op pad bottom 2 must be below the window's 2}}
  %0 = nnhal.max_pool_2d %arg0
      pads [0, 2, 0, 0] strides [2, 2] window [2, 2]
      : (tensor<1x8x8x3xf32>) -> tensor<1x4x4x3xf32>
  return
}

// -----

func.func @pool_c6(%arg0: tensor<1x8x8x0xf32>) {
  // expected-error @below {{'nnhal.max_pool_2d' op input channels 0 must be positive}}
  %0 = nnhal.max_pool_2d %arg0
      pads [0, 0, 0, 0] strides [2, 2] window [2, 2]
      : (tensor<1x8x8x0xf32>) -> tensor<1x4x4x3xf32>
  return
}

// -----

func.func @pool_c7(%arg0: tensor<1x8x8x3xf32>) {
  // expected-error @below {{'nnhal.average_pool_2d' op window height 9 exceeds padded input height 8}}
  %0 = nnhal.average_pool_2d %arg0
      pads [0, 0, 0, 0] strides [2, 2] window [9, 2]
      : (tensor<1x8x8x3xf32>) -> tensor<1x4x4x3xf32>
  return
}

// -----

func.func @pool_keeps_quantization(%arg0: tensor<1x8x8x3x!quant.uniform<u8:f32, 0.5:128>>) {
  // expected-error @below {{'nnhal.max_pool_2d' op output has scale 0.25 and zero point 128, expected scale 0.5 and zero point 128}}
  %0 = nnhal.max_pool_2d %arg0
      pads [0, 0, 0, 0] strides [2, 2] window [2, 2]
      : (tensor<1x8x8x3x!quant.uniform<u8:f32, 0.5:128>>) -> tensor<1x4x4x3x!quant.uniform<u8:f32, 0.25:128>>
  return
}

// -----

func.func @resize_c1(%arg0: tensor<8x8x3xf32>) {
  // expected-error @below {{'nnhal.resize_bilinear' op input rank 3 is below 4}}
  %0 = nnhal.resize_bilinear %arg0 : (tensor<8x8x3xf32>) -> tensor<1x4x4x3xf32>
  return
}

// -----

func.func @resize_c2(%arg0: tensor<1x8x8x3xf32>) {
  // expected-error @below {{'nnhal.resize_bilinear' op align_corners and half_pixel_centers exclude each other}}
  %0 = nnhal.resize_bilinear %arg0 align_corners half_pixel_centers
      : (tensor<1x8x8x3xf32>) -> tensor<1x4x4x3xf32>
  return
}

// -----

func.func @resize_c3(%arg0: tensor<1x0x8x3xf32>) {
  // expected-error @below {{'nnhal.resize_bilinear' op input height 0 must be positive}}
  %0 = nnhal.resize_bilinear %arg0 : (tensor<1x0x8x3xf32>) -> tensor<1x4x4x3xf32>
  return
}

// -----

func.func @resize_c4(%arg0: tensor<1x8x8x3xf32>) {
  // expected-error @below {{'nnhal.resize_bilinear' op result width 0 must be positive}}
  %0 = nnhal.resize_bilinear %arg0 : (tensor<1x8x8x3xf32>) -> tensor<1x4x0x3xf32>
  return
}

// -----

func.func @resize_c5(%arg0: tensor<1x8x8x3xf32>) {
  // expected-error @below {{'nnhal.resize_nearest_neighbor' op output dimension 3 is 4, expected 3}}
  %0 = nnhal.resize_nearest_neighbor %arg0 : (tensor<1x8x8x3xf32>) -> tensor<1x4x4x4xf32>
  return
}

// -----

func.func @resize_without_size(%x: tensor<1x?x6x3xf32>) {
  // expected-error @below {{'nnhal.resize_bilinear' op height_factor is left out, but the height of the result is unknown}}
  %0 = nnhal.resize_bilinear %x : (tensor<1x?x6x3xf32>) -> tensor<1x?x6x3xf32>
  return
}
