// Products of matrices that no model is raised to.
// RUN: nnhal-opt %s --load-dialect-plugin=%{extension-halves}/nnhal.tflite.compiler.so --split-input-file --verify-diagnostics

func.func @extents(%x: tensor<2x?x5x!quant.uniform<i16:f32, 0.5>>, %y: tensor<1x4x5x!quant.uniform<i16:f32, 0.5>>) -> tensor<2x3x4x!quant.uniform<i16:f32, 0.5>> {
  // expected-error @+1 {{'tflite.matmul' op has a tensor of type 'tensor<2x?x5x!quant.uniform<i16:f32, 5.000000e-01>>', whose extents must be known}}
  %0 = tflite.matmul %x, %y multiplier 1 shift 2 {transposed} : tensor<2x?x5x!quant.uniform<i16:f32, 0.5>>, tensor<1x4x5x!quant.uniform<i16:f32, 0.5>> -> tensor<2x3x4x!quant.uniform<i16:f32, 0.5>>
  return %0 : tensor<2x3x4x!quant.uniform<i16:f32, 0.5>>
}

// -----

func.func @elements(%x: tensor<2x3x5x!quant.uniform<i16:f32, 0.5>>, %y: tensor<1x4x5xf32>) -> tensor<2x3x4x!quant.uniform<i16:f32, 0.5>> {
  // expected-error @+1 {{'tflite.matmul' op elements of these types are not compiled}}
  %0 = tflite.matmul %x, %y multiplier 1 shift 2 {transposed} : tensor<2x3x5x!quant.uniform<i16:f32, 0.5>>, tensor<1x4x5xf32> -> tensor<2x3x4x!quant.uniform<i16:f32, 0.5>>
  return %0 : tensor<2x3x4x!quant.uniform<i16:f32, 0.5>>
}

// -----

func.func @rank(%x: tensor<3x5x!quant.uniform<i16:f32, 0.5>>, %y: tensor<1x4x5x!quant.uniform<i16:f32, 0.5>>) -> tensor<2x3x4x!quant.uniform<i16:f32, 0.5>> {
  // expected-error @+1 {{'tflite.matmul' op has places outside of a tensor}}
  %0 = tflite.matmul %x, %y multiplier 1 shift 2 {transposed} : tensor<3x5x!quant.uniform<i16:f32, 0.5>>, tensor<1x4x5x!quant.uniform<i16:f32, 0.5>> -> tensor<2x3x4x!quant.uniform<i16:f32, 0.5>>
  return %0 : tensor<2x3x4x!quant.uniform<i16:f32, 0.5>>
}

// -----

func.func @depth(%x: tensor<2x3x5x!quant.uniform<i16:f32, 0.5>>, %y: tensor<1x4x5x!quant.uniform<i16:f32, 0.5>>) -> tensor<2x3x4x!quant.uniform<i16:f32, 0.5>> {
  // expected-error @+1 {{'tflite.matmul' op has places outside of a tensor}}
  %0 = tflite.matmul %x, %y multiplier 1 shift 2 : tensor<2x3x5x!quant.uniform<i16:f32, 0.5>>, tensor<1x4x5x!quant.uniform<i16:f32, 0.5>> -> tensor<2x3x4x!quant.uniform<i16:f32, 0.5>>
  return %0 : tensor<2x3x4x!quant.uniform<i16:f32, 0.5>>
}

// -----

func.func @rows(%x: tensor<2x3x5x!quant.uniform<i16:f32, 0.5>>, %y: tensor<1x4x5x!quant.uniform<i16:f32, 0.5>>) -> tensor<2x2x4x!quant.uniform<i16:f32, 0.5>> {
  // expected-error @+1 {{'tflite.matmul' op has places outside of a tensor}}
  %0 = tflite.matmul %x, %y multiplier 1 shift 2 {transposed} : tensor<2x3x5x!quant.uniform<i16:f32, 0.5>>, tensor<1x4x5x!quant.uniform<i16:f32, 0.5>> -> tensor<2x2x4x!quant.uniform<i16:f32, 0.5>>
  return %0 : tensor<2x2x4x!quant.uniform<i16:f32, 0.5>>
}

// -----

func.func @matrices(%x: tensor<2x3x5x!quant.uniform<i16:f32, 0.5>>, %y: tensor<3x4x5x!quant.uniform<i16:f32, 0.5>>) -> tensor<2x3x4x!quant.uniform<i16:f32, 0.5>> {
  // expected-error @+1 {{'tflite.matmul' op has places outside of a tensor}}
  %0 = tflite.matmul %x, %y multiplier 1 shift 2 {transposed} : tensor<2x3x5x!quant.uniform<i16:f32, 0.5>>, tensor<3x4x5x!quant.uniform<i16:f32, 0.5>> -> tensor<2x3x4x!quant.uniform<i16:f32, 0.5>>
  return %0 : tensor<2x3x4x!quant.uniform<i16:f32, 0.5>>
}

// -----

func.func @nothing(%x: tensor<2x3x0x!quant.uniform<i16:f32, 0.5>>, %y: tensor<1x4x0x!quant.uniform<i16:f32, 0.5>>) -> tensor<2x3x4x!quant.uniform<i16:f32, 0.5>> {
  // expected-error @+1 {{'tflite.matmul' op has places outside of a tensor}}
  %0 = tflite.matmul %x, %y multiplier 1 shift 2 {transposed} : tensor<2x3x0x!quant.uniform<i16:f32, 0.5>>, tensor<1x4x0x!quant.uniform<i16:f32, 0.5>> -> tensor<2x3x4x!quant.uniform<i16:f32, 0.5>>
  return %0 : tensor<2x3x4x!quant.uniform<i16:f32, 0.5>>
}

// -----

func.func @multiplier(%x: tensor<2x3x5x!quant.uniform<i16:f32, 0.5>>, %y: tensor<1x4x5x!quant.uniform<i16:f32, 0.5>>) -> tensor<2x3x4x!quant.uniform<i16:f32, 0.5>> {
  // expected-error @+1 {{'tflite.matmul' op has the multiplier 32768, which is none of 0 to 32767}}
  %0 = tflite.matmul %x, %y multiplier 32768 shift 2 {transposed} : tensor<2x3x5x!quant.uniform<i16:f32, 0.5>>, tensor<1x4x5x!quant.uniform<i16:f32, 0.5>> -> tensor<2x3x4x!quant.uniform<i16:f32, 0.5>>
  return %0 : tensor<2x3x4x!quant.uniform<i16:f32, 0.5>>
}

// -----

func.func @shift(%x: tensor<2x3x5x!quant.uniform<i16:f32, 0.5>>, %y: tensor<1x4x5x!quant.uniform<i16:f32, 0.5>>) -> tensor<2x3x4x!quant.uniform<i16:f32, 0.5>> {
  // expected-error @+1 {{'tflite.matmul' op has the shift 63, which is none of 1 to 62}}
  %0 = tflite.matmul %x, %y multiplier 1 shift 63 {transposed} : tensor<2x3x5x!quant.uniform<i16:f32, 0.5>>, tensor<1x4x5x!quant.uniform<i16:f32, 0.5>> -> tensor<2x3x4x!quant.uniform<i16:f32, 0.5>>
  return %0 : tensor<2x3x4x!quant.uniform<i16:f32, 0.5>>
}
