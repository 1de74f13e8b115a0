// RUN: nnhal-opt %s --load-dialect-plugin=%{extension-halves}/nnhal.tflite.compiler.so --split-input-file --verify-diagnostics

func.func @floats(%x: tensor<3x5xf32>, %w: tensor<2x5x!quant.uniform<i8:f32, 0.5>>) -> tensor<3x2x!quant.uniform<i8:f32, 0.5>> {
  // expected-error@+1 {{'tflite.byte_product' op elements of these types are not compiled}}
  %0 = tflite.byte_product %x, %w biases [0, 0] factors [1.0, 1.0]
      : tensor<3x5xf32>, tensor<2x5x!quant.uniform<i8:f32, 0.5>> -> tensor<3x2x!quant.uniform<i8:f32, 0.5>>
  return %0 : tensor<3x2x!quant.uniform<i8:f32, 0.5>>
}

// -----

func.func @depth(%x: tensor<3x4x!quant.uniform<i8:f32, 0.5>>, %w: tensor<2x5x!quant.uniform<i8:f32, 0.5>>) -> tensor<3x2x!quant.uniform<i8:f32, 0.5>> {
  // expected-error@+1 {{has places outside of a tensor}}
  %0 = tflite.byte_product %x, %w biases [0, 0] factors [1.0, 1.0]
      : tensor<3x4x!quant.uniform<i8:f32, 0.5>>, tensor<2x5x!quant.uniform<i8:f32, 0.5>> -> tensor<3x2x!quant.uniform<i8:f32, 0.5>>
  return %0 : tensor<3x2x!quant.uniform<i8:f32, 0.5>>
}

// -----

func.func @counts(%x: tensor<3x5x!quant.uniform<i8:f32, 0.5>>, %w: tensor<2x5x!quant.uniform<i8:f32, 0.5>>) -> tensor<3x2x!quant.uniform<i8:f32, 0.5>> {
  // expected-error@+1 {{has 1 biases and 2 factors for 2 result channels}}
  %0 = tflite.byte_product %x, %w biases [0] factors [1.0, 1.0]
      : tensor<3x5x!quant.uniform<i8:f32, 0.5>>, tensor<2x5x!quant.uniform<i8:f32, 0.5>> -> tensor<3x2x!quant.uniform<i8:f32, 0.5>>
  return %0 : tensor<3x2x!quant.uniform<i8:f32, 0.5>>
}

// -----

func.func @infinite(%x: tensor<3x5x!quant.uniform<i8:f32, 0.5>>, %w: tensor<2x5x!quant.uniform<i8:f32, 0.5>>) -> tensor<3x2x!quant.uniform<i8:f32, 0.5>> {
  // expected-error@+1 {{, which is not finite}}
  %0 = tflite.byte_product %x, %w biases [0, 0] factors [1.0, 0x7FF0000000000000]
      : tensor<3x5x!quant.uniform<i8:f32, 0.5>>, tensor<2x5x!quant.uniform<i8:f32, 0.5>> -> tensor<3x2x!quant.uniform<i8:f32, 0.5>>
  return %0 : tensor<3x2x!quant.uniform<i8:f32, 0.5>>
}
