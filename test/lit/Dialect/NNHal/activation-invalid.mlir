// RUN: nnhal-opt %s --split-input-file --verify-diagnostics

func.func @rectifier_c1(%arg0: tensor<2xi32>) {
  // expected-error @below {{'nnhal.relu6' op input type TENSOR_INT32 is not among TENSOR_FLOAT32, TENSOR_FLOAT16, TENSOR_QUANT8_ASYMM, TENSOR_QUANT8_ASYMM_SIGNED}}
  %0 = nnhal.relu6 %arg0 : (tensor<2xi32>) -> tensor<2xi32>
  return
}

// -----

func.func @stated_c4_relu_keeps_quantization(%arg0: tensor<2x3x!quant.uniform<u8:f32, 0.5:128>>) {
  // expected-error @below {{'nnhal.relu' op output has scale 0.25 and zero point 128, expected scale 0.5 and zero point 128}}
  %0 = nnhal.relu %arg0
      : (tensor<2x3x!quant.uniform<u8:f32, 0.5:128>>) -> tensor<2x3x!quant.uniform<u8:f32, 0.25:128>>
  return
}

// -----

func.func @tanh_c1(%arg0: tensor<1x1x1x1x2xf32>) {
  // expected-error @below {{'nnhal.tanh' op input rank 5 is above 4}}
  %0 = nnhal.tanh %arg0 : (tensor<1x1x1x1x2xf32>) -> tensor<1x1x1x1x2xf32>
  return
}

// -----

func.func @tanh_prescribes_quantization(%arg0: tensor<2x3x!quant.uniform<u8:f32, 0.5:128>>) {
  // expected-error @below {{'nnhal.tanh' op output has scale 0.5 and zero point 128, expected scale 0.0078125 and zero point 128}}
  %0 = nnhal.tanh %arg0
      : (tensor<2x3x!quant.uniform<u8:f32, 0.5:128>>) -> tensor<2x3x!quant.uniform<u8:f32, 0.5:128>>
  return
}

// -----

func.func @logistic_c1(%arg0: tensor<1x1x1x1x2xf32>) {
  // expected-error @below {{'nnhal.logistic' op input rank 5 is above 4}}
  %0 = nnhal.logistic %arg0 : (tensor<1x1x1x1x2xf32>) -> tensor<1x1x1x1x2xf32>
  return
}

// -----

func.func @logistic_prescribes_quantization(%arg0: tensor<2x3x!quant.uniform<i8:f32, 0.5:3>>) {
  // expected-error @below {{'nnhal.logistic' op output has scale 0.00390625 and zero point 0, expected scale 0.00390625 and zero point -128}}
  %0 = nnhal.logistic %arg0
      : (tensor<2x3x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<2x3x!quant.uniform<i8:f32, 0.00390625:0>>
  return
}

// -----

func.func @elu_c1(%arg0: tensor<2x3x!quant.uniform<u8:f32, 0.5:128>>) {
  // expected-error @below {{'nnhal.elu' op input type TENSOR_QUANT8_ASYMM is not among TENSOR_FLOAT32, TENSOR_FLOAT16}}
  %0 = nnhal.elu %arg0 alpha 1.0
      : (tensor<2x3x!quant.uniform<u8:f32, 0.5:128>>) -> tensor<2x3x!quant.uniform<u8:f32, 0.5:128>>
  return
}

// -----

func.func @hard_swish_c1(%arg0: tensor<2xi32>) {
  // expected-error @below {{'nnhal.hard_swish' op input type TENSOR_INT32 is not among TENSOR_FLOAT32, TENSOR_FLOAT16, TENSOR_QUANT8_ASYMM, TENSOR_QUANT8_ASYMM_SIGNED}}
  %0 = nnhal.hard_swish %arg0 : (tensor<2xi32>) -> tensor<2xi32>
  return
}

// -----

func.func @prelu_c1(%arg0: tensor<2xi32>, %arg1: tensor<2xi32>) {
  // expected-error @below {{'nnhal.prelu' op input type TENSOR_INT32 is not among TENSOR_FLOAT32, TENSOR_FLOAT16, TENSOR_QUANT8_ASYMM, TENSOR_QUANT8_ASYMM_SIGNED}}
  %0 = nnhal.prelu %arg0, %arg1 : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi32>
  return
}

// -----

func.func @prelu_c2(%arg0: tensor<2xf32>, %arg1: tensor<2xf16>) {
  // expected-error @below {{'nnhal.prelu' op alpha type TENSOR_FLOAT16 differs from input type TENSOR_FLOAT32}}
  %0 = nnhal.prelu %arg0, %arg1 : (tensor<2xf32>, tensor<2xf16>) -> tensor<2xf32>
  return
}

// -----

func.func @prelu_c3(%arg0: tensor<2xf32>, %arg1: tensor<3xf32>) {
  // expected-error @below {{'nnhal.prelu' op shapes 2 and 3 do not broadcast}}
  %0 = nnhal.prelu %arg0, %arg1 : (tensor<2xf32>, tensor<3xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @softmax_c1(%arg0: tensor<1x1x1x1x2xf32>) {
  // expected-error @below {{'nnhal.softmax' op input rank 5 is above 4}}
  %0 = nnhal.softmax %arg0 beta 1.0 axis -1
      : (tensor<1x1x1x1x2xf32>) -> tensor<1x1x1x1x2xf32>
  return
}

// -----

func.func @softmax_c2(%arg0: tensor<2x3xf32>) {
  // expected-error @below {{'nnhal.softmax' op beta 0 must be positive}}
  %0 = nnhal.softmax %arg0 beta 0.0 axis -1 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @softmax_c3(%arg0: tensor<2x3xf32>) {
  // expected-error @below {{'nnhal.softmax' op axis 2 is outside [-2, 2)}}
  %0 = nnhal.softmax %arg0 beta 1.0 axis 2 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @softmax_prescribes_quantization(%arg0: tensor<2x3x!quant.uniform<u8:f32, 0.5:128>>) {
  // expected-error @below {{'nnhal.softmax' op output has scale 0.5 and zero point 128, expected scale 0.00390625 and zero point 0}}
  %0 = nnhal.softmax %arg0 beta 1.0 axis -1
      : (tensor<2x3x!quant.uniform<u8:f32, 0.5:128>>) -> tensor<2x3x!quant.uniform<u8:f32, 0.5:128>>
  return
}

// -----

func.func @log_softmax_c1(%arg0: tensor<2xi32>) {
  // expected-error @below {{'nnhal.log_softmax' op input type TENSOR_INT32 is not among TENSOR_FLOAT32, TENSOR_FLOAT16}}
  %0 = nnhal.log_softmax %arg0 beta 1.0 axis 0 : (tensor<2xi32>) -> tensor<2xi32>
  return
}

// -----

func.func @log_softmax_c2(%arg0: tensor<2xf32>) {
  // expected-error @below {{'nnhal.log_softmax' op axis -2 is outside [-1, 1)}}
  %0 = nnhal.log_softmax %arg0 beta 1.0 axis -2 : (tensor<2xf32>) -> tensor<2xf32>
  return
}
