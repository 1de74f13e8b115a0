// RUN: nnhal-opt %s --split-input-file --verify-diagnostics

func.func @reduce_c1(%arg0: tensor<2x3x4xf32>) {
  // expected-error @below {{'nnhal.reduce_all' op operand #0 must be ranked tensor of 8-bit signless integer values, but got 'tensor<2x3x4xf32>'}}
  %0 = nnhal.reduce_all %arg0 axes [1] {keep_dims = false}
      : (tensor<2x3x4xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @reduce_c1_rank(%arg0: tensor<1x1x1x1x2xf32>) {
  // expected-error @below {{'nnhal.mean' op input rank 5 is above 4}}
  %0 = nnhal.mean %arg0 axes [1] {keep_dims = false}
      : (tensor<1x1x1x1x2xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @reduce_c2(%arg0: tensor<2x3x4xf32>) {
  // expected-error @below {{'nnhal.mean' op input 1 of shape 0 is zero-sized}}
  %0 = nnhal.mean %arg0 axes [] {keep_dims = false}
      : (tensor<2x3x4xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @reduce_c3(%arg0: tensor<2x3x4xf32>) {
  // expected-error @below {{'nnhal.mean' op axis 3 is outside [-3, 3)}}
  %0 = nnhal.mean %arg0 axes [3] {keep_dims = false}
      : (tensor<2x3x4xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @reduce_sum_takes_no_quantized_type(%arg0: tensor<2x3x4x!quant.uniform<u8:f32, 0.5:128>>) {
  // expected-error @below {{'nnhal.reduce_sum' op input type TENSOR_QUANT8_ASYMM is not among TENSOR_FLOAT32, TENSOR_FLOAT16}}
  %0 = nnhal.reduce_sum %arg0 axes [1] {keep_dims = false}
      : (tensor<2x3x4x!quant.uniform<u8:f32, 0.5:128>>) -> tensor<2x4x!quant.uniform<u8:f32, 0.5:128>>
  return
}

// -----

func.func @stated_c2(%arg0: tensor<2x3x4xf32>) {
  // expected-error @below {{'nnhal.mean' op output shape 2x1x4 has rank 3, expected shape 2x4}}
  %0 = nnhal.mean %arg0 axes [1] {keep_dims = false}
      : (tensor<2x3x4xf32>) -> tensor<2x1x4xf32>
  return
}

// -----

func.func @mean_keeps_quantization(%arg0: tensor<2x3x4x!quant.uniform<u8:f32, 0.5:128>>) {
  // expected-error @below {{'nnhal.mean' op output has scale 0.25 and zero point 128, expected scale 0.5 and zero point 128}}
  %0 = nnhal.mean %arg0 axes [1] {keep_dims = false}
      : (tensor<2x3x4x!quant.uniform<u8:f32, 0.5:128>>) -> tensor<2x4x!quant.uniform<u8:f32, 0.25:128>>
  return
}

// -----

func.func @arg_reduce_c1(%arg0: tensor<2x3xi8>) {
  // expected-error @below {{'nnhal.argmax' op input type TENSOR_BOOL8 is not among TENSOR_FLOAT32, TENSOR_FLOAT16, TENSOR_INT32, TENSOR_QUANT8_ASYMM, TENSOR_QUANT8_ASYMM_SIGNED}}
  %0 = nnhal.argmax %arg0 axis 0 : (tensor<2x3xi8>) -> tensor<3xi32>
  return
}

// -----

func.func @arg_reduce_c2(%arg0: tensor<2x3xf32>) {
  // expected-error @below {{'nnhal.argmin' op axis -3 is outside [-2, 2)}}
  %0 = nnhal.argmin %arg0 axis -3 : (tensor<2x3xf32>) -> tensor<3xi32>
  return
}

// -----

func.func @arg_reduce_c3(%arg0: tensor<0x3xf32>) {
  // expected-error @below {{'nnhal.argmax' op input 0 of shape 0x3 is zero-sized}}
  %0 = nnhal.argmax %arg0 axis 0 : (tensor<0x3xf32>) -> tensor<3xi32>
  return
}

// -----

func.func @topk_v2_c1(%arg0: tensor<4xi8>) {
  // expected-error @below {{'nnhal.topk_v2' op input type TENSOR_BOOL8 is not among TENSOR_FLOAT32, TENSOR_FLOAT16, TENSOR_INT32, TENSOR_QUANT8_ASYMM, TENSOR_QUANT8_ASYMM_SIGNED}}
  %0:2 = nnhal.topk_v2 %arg0 k 1 : (tensor<4xi8>) -> (tensor<1xi8>, tensor<1xi32>)
  return
}

// -----

func.func @topk_v2_c2(%arg0: tensor<4xf32>) {
  // expected-error @below {{'nnhal.topk_v2' op k 0 must be positive}}
  %0:2 = nnhal.topk_v2 %arg0 k 0 : (tensor<4xf32>) -> (tensor<1xf32>, tensor<1xi32>)
  return
}

// -----

func.func @topk_v2_c3(%arg0: tensor<4xf32>) {
  // expected-error @below {{'nnhal.topk_v2' op k 5 exceeds the last extent 4}}
  %0:2 = nnhal.topk_v2 %arg0 k 5 : (tensor<4xf32>) -> (tensor<5xf32>, tensor<5xi32>)
  return
}

// -----

func.func @topk_v2_indices_have_the_shape_of_values(%arg0: tensor<4xf32>) {
  // expected-error @below {{'nnhal.topk_v2' op output 1 dimension 0 is 3, expected 2}}
  %0:2 = nnhal.topk_v2 %arg0 k 2 : (tensor<4xf32>) -> (tensor<2xf32>, tensor<3xi32>)
  return
}
