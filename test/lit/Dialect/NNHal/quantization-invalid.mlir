// RUN: nnhal-opt %s --split-input-file --verify-diagnostics

func.func @quantize_c1(%arg0: tensor<2xi32>) {
  // expected-error @below {{'nnhal.quantize' op input type TENSOR_INT32 is not among TENSOR_FLOAT32, TENSOR_FLOAT16}}
  %0 = nnhal.quantize %arg0 : (tensor<2xi32>) -> tensor<2x!quant.uniform<u8:f32, 0.5:128>>
  return
}

// -----

func.func @quantize_c2(%arg0: tensor<2xf32>) {
  // expected-error @below {{'nnhal.quantize' op result type TENSOR_FLOAT32 is not among TENSOR_QUANT8_ASYMM, TENSOR_QUANT8_ASYMM_SIGNED}}
  %0 = nnhal.quantize %arg0 : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @quantize_c3(%arg0: tensor<2xf32>) {
  // expected-error @below {{'nnhal.quantize' op result shape 3 differs from input shape 2}}
  %0 = nnhal.quantize %arg0 : (tensor<2xf32>) -> tensor<3x!quant.uniform<u8:f32, 0.5:128>>
  return
}

// -----

func.func @dequantize_c1(%arg0: tensor<2xi32>) {
  // expected-error @below {{'nnhal.dequantize' op input type TENSOR_INT32 is not among TENSOR_QUANT8_ASYMM, TENSOR_QUANT8_ASYMM_SIGNED, TENSOR_QUANT8_SYMM, TENSOR_QUANT8_SYMM_PER_CHANNEL}}
  %0 = nnhal.dequantize %arg0 : (tensor<2xi32>) -> tensor<2xf32>
  return
}

// -----

func.func @dequantize_c2(%arg0: tensor<2x!quant.uniform<u8:f32, 0.5:128>>) {
  // expected-error @below {{'nnhal.dequantize' op result type TENSOR_INT32 is not among TENSOR_FLOAT32, TENSOR_FLOAT16}}
  %0 = nnhal.dequantize %arg0 : (tensor<2x!quant.uniform<u8:f32, 0.5:128>>) -> tensor<2xi32>
  return
}

// -----

func.func @dequantize_c3(%arg0: tensor<2x!quant.uniform<u8:f32, 0.5:128>>) {
  // expected-error @below {{'nnhal.dequantize' op result shape 3 differs from input shape 2}}
  %0 = nnhal.dequantize %arg0 : (tensor<2x!quant.uniform<u8:f32, 0.5:128>>) -> tensor<3xf32>
  return
}
