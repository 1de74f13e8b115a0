// RUN: nnhal-opt %s --split-input-file --verify-diagnostics

func.func @broadcast_c1_type(%arg0: tensor<2xi8>, %arg1: tensor<2xi8>) {
  // expected-error @below {{'nnhal.add' op lhs type TENSOR_BOOL8 is not among TENSOR_FLOAT32, TENSOR_FLOAT16, TENSOR_INT32, TENSOR_QUANT8_ASYMM, TENSOR_QUANT8_ASYMM_SIGNED}}
  %0 = nnhal.add %arg0, %arg1 : (tensor<2xi8>, tensor<2xi8>) -> tensor<2xi8>
  return
}

// -----

func.func @broadcast_c1_rank_above(%arg0: tensor<1x1x1x1x2xf32>, %arg1: tensor<2xf32>) {
  // expected-error @below {{'nnhal.add' op lhs rank 5 is above 4}}
  %0 = nnhal.add %arg0, %arg1 : (tensor<1x1x1x1x2xf32>, tensor<2xf32>) -> tensor<1x1x1x1x2xf32>
  return
}

// -----

func.func @broadcast_c1_rank_below(%arg0: tensor<f32>, %arg1: tensor<2xf32>) {
  // expected-error @below {{'nnhal.pow' op lhs rank 0 is below 1}}
  %0 = nnhal.pow %arg0, %arg1 : (tensor<f32>, tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @broadcast_c1_extent(%arg0: tensor<4294967296xf32>, %arg1: tensor<1xf32>) {
  // expected-error @below {{'nnhal.pow' op lhs dimension 0 is 4294967296, above 4294967295}}
  %0 = nnhal.pow %arg0, %arg1 : (tensor<4294967296xf32>, tensor<1xf32>) -> tensor<4294967296xf32>
  return
}

// -----

func.func @broadcast_c2(%arg0: tensor<2xf32>, %arg1: tensor<2xf16>) {
  // expected-error @below {{'nnhal.sub' op rhs type TENSOR_FLOAT16 differs from lhs type TENSOR_FLOAT32}}
  %0 = nnhal.sub %arg0, %arg1 : (tensor<2xf32>, tensor<2xf16>) -> tensor<2xf32>
  return
}

// -----

func.func @broadcast_c3(%arg0: tensor<2x3xf32>, %arg1: tensor<2x4xf32>) {
  // expected-error @below {{'nnhal.maximum' op shapes 2x3 and 2x4 do not broadcast}}
  %0 = nnhal.maximum %arg0, %arg1 : (tensor<2x3xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @arithmetic_c2(%arg0: tensor<2xi32>, %arg1: tensor<2xi32>) {
  // expected-error @below {{'nnhal.mul' op fused activation 1 on TENSOR_INT32 must be 0}}
  %0 = nnhal.mul %arg0, %arg1 activation relu
      : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi32>
  return
}

// -----

func.func @div_takes_no_quantized_type(%arg0: tensor<2x!quant.uniform<u8:f32, 0.5:128>>, %arg1: tensor<2x!quant.uniform<u8:f32, 0.5:128>>) {
  // expected-error @below {{'nnhal.div' op lhs type TENSOR_QUANT8_ASYMM is not among TENSOR_FLOAT32, TENSOR_FLOAT16, TENSOR_INT32}}
  %0 = nnhal.div %arg0, %arg1
      : (tensor<2x!quant.uniform<u8:f32, 0.5:128>>, tensor<2x!quant.uniform<u8:f32, 0.5:128>>) -> tensor<2x!quant.uniform<u8:f32, 0.5:128>>
  return
}

// -----

func.func @add_c1(%arg0: tensor<2x!quant.uniform<u8:f32, 1.0:128>>, %arg1: tensor<2x!quant.uniform<u8:f32, 1.0:128>>) {
  // expected-error @below {{'nnhal.add' op result scale 1e-06 must be above 1.9073486328125e-06, twice the larger operand scale over 2^20}}
  %0 = nnhal.add %arg0, %arg1
      : (tensor<2x!quant.uniform<u8:f32, 1.0:128>>, tensor<2x!quant.uniform<u8:f32, 1.0:128>>) -> tensor<2x!quant.uniform<u8:f32, 1.0e-6:128>>
  return
}

// -----

func.func @mul_c1(%arg0: tensor<2x!quant.uniform<u8:f32, 0.5:128>>, %arg1: tensor<2x!quant.uniform<u8:f32, 0.5:128>>) {
  // expected-error @below {{'nnhal.mul' op result scale 0.25 must be above 0.25, the product of the operand scales}}
  %0 = nnhal.mul %arg0, %arg1
      : (tensor<2x!quant.uniform<u8:f32, 0.5:128>>, tensor<2x!quant.uniform<u8:f32, 0.5:128>>) -> tensor<2x!quant.uniform<u8:f32, 0.25:128>>
  return
}

// -----

func.func @logical_not_c1(%arg0: tensor<2xf32>) {
  // expected-error @below {{'nnhal.logical_not' op operand #0 must be ranked tensor of 8-bit signless integer values, but got 'tensor<2xf32>'}}
  %0 = nnhal.logical_not %arg0 : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @select_c2(%arg0: tensor<2xi8>, %arg1: tensor<2xi8>, %arg2: tensor<2xi8>) {
  // expected-error @below {{'nnhal.select' op lhs type TENSOR_BOOL8 is not among TENSOR_FLOAT32, TENSOR_FLOAT16, TENSOR_INT32, TENSOR_QUANT8_ASYMM, TENSOR_QUANT8_ASYMM_SIGNED}}
  %0 = nnhal.select %arg0, %arg1, %arg2 : (tensor<2xi8>, tensor<2xi8>, tensor<2xi8>) -> tensor<2xi8>
  return
}

// -----

func.func @select_c3(%arg0: tensor<2xi8>, %arg1: tensor<2xf32>, %arg2: tensor<2xi32>) {
  // expected-error @below {{'nnhal.select' op rhs type TENSOR_INT32 differs from lhs type TENSOR_FLOAT32}}
  %0 = nnhal.select %arg0, %arg1, %arg2
      : (tensor<2xi8>, tensor<2xf32>, tensor<2xi32>) -> tensor<2xf32>
  return
}

// -----

func.func @select_c4_does_not_broadcast(%arg0: tensor<2x3xi8>, %arg1: tensor<2x3xf32>, %arg2: tensor<3xf32>) {
  // expected-error @below {{'nnhal.select' op rhs shape 3 differs from condition shape 2x3}}
  %0 = nnhal.select %arg0, %arg1, %arg2
      : (tensor<2x3xi8>, tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @signed_unary_c1(%arg0: tensor<2xi8>) {
  // expected-error @below {{'nnhal.abs' op input type TENSOR_BOOL8 is not among TENSOR_FLOAT32, TENSOR_FLOAT16, TENSOR_INT32}}
  %0 = nnhal.abs %arg0 : (tensor<2xi8>) -> tensor<2xi8>
  return
}

// -----

func.func @float_unary_c1(%arg0: tensor<2xi32>) {
  // expected-error @below {{'nnhal.exp' op input type TENSOR_INT32 is not among TENSOR_FLOAT32, TENSOR_FLOAT16}}
  %0 = nnhal.exp %arg0 : (tensor<2xi32>) -> tensor<2xi32>
  return
}

// -----

func.func @floor_c1(%arg0: tensor<1x1x1x1x2xf32>) {
  // expected-error @below {{'nnhal.floor' op input rank 5 is above 4}}
  %0 = nnhal.floor %arg0 : (tensor<1x1x1x1x2xf32>) -> tensor<1x1x1x1x2xf32>
  return
}

// -----

func.func @cast_c1(%arg0: tensor<2xi8>) {
  // expected-error @below {{'nnhal.cast' op no cast from TENSOR_BOOL8 to TENSOR_FLOAT32}}
  %0 = nnhal.cast %arg0 : (tensor<2xi8>) -> tensor<2xf32>
  return
}

// -----

func.func @cast_c2(%arg0: tensor<2xi32>) {
  // expected-error @below {{'nnhal.cast' op result shape 3 differs from input shape 2}}
  %0 = nnhal.cast %arg0 : (tensor<2xi32>) -> tensor<3xf32>
  return
}

// -----

func.func @stated_c1(%arg0: tensor<2xf32>, %arg1: tensor<2xf32>) {
  // expected-error @below {{'nnhal.add' op output type TENSOR_FLOAT16 is not the expected TENSOR_FLOAT32}}
  %0 = nnhal.add %arg0, %arg1 : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf16>
  return
}

// -----

func.func @stated_c2(%arg0: tensor<2x3xf32>) {
  // expected-error @below {{'nnhal.neg' op output shape 6 has rank 1, expected shape 2x3}}
  %0 = nnhal.neg %arg0 : (tensor<2x3xf32>) -> tensor<6xf32>
  return
}

// -----

func.func @stated_c3(%arg0: tensor<2x1xf32>, %arg1: tensor<1x3xf32>) {
  // expected-error @below {{'nnhal.equal' op output dimension 1 is 2, expected 3}}
  %0 = nnhal.equal %arg0, %arg1 : (tensor<2x1xf32>, tensor<1x3xf32>) -> tensor<2x2xi8>
  return
}
