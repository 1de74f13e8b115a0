// RUN: nnhal-opt %s --split-input-file --verify-diagnostics

func.func @axis(%x: tensor<2x3xf32>) {
  // expected-error @below {{'nnhal.l2_normalization' op axis 2 is outside [-2, 2)}}
  %0 = nnhal.l2_normalization %x axis 2 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

// A scalar of the HAL has 32 bits.
func.func @beyond_int32(%x: tensor<2x3xf32>) {
  // expected-error @below {{'nnhal.l2_normalization' op axis is 4294967296, expected -2147483648 to 2147483647}}
  %0 = nnhal.l2_normalization %x axis 4294967296 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @stated(%x: tensor<2x3xf32>) {
  // expected-error @below {{'nnhal.l2_normalization' op output dimension 1 is 4, expected 3}}
  %0 = nnhal.l2_normalization %x axis 1 : (tensor<2x3xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @radius(%x: tensor<2x3xf32>) {
  // expected-error @below {{'nnhal.local_response_normalization' op radius -1 is below 0}}
  %0 = nnhal.local_response_normalization %x radius -1 bias 1.0 alpha 2.0 beta 0.5 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @rank(%x: tensor<2x3xf32>) {
  // expected-error @below {{'nnhal.instance_normalization' op input rank 2 is below 4}}
  %0 = nnhal.instance_normalization %x gamma 1.0 beta 0.0 epsilon 0.001 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @zero_sized(%x: tensor<0x3xf32>) {
  // expected-error @below {{'nnhal.l2_normalization' op input 0 of shape 0x3 is zero-sized}}
  %0 = nnhal.l2_normalization %x : (tensor<0x3xf32>) -> tensor<0x3xf32>
  return
}
