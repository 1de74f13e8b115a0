// Convolutions that no model is raised to.
// RUN: nnhal-opt %s --load-dialect-plugin=%{extension-halves}/nnhal.tflite.compiler.so --split-input-file --verify-diagnostics

func.func @extents(%x: tensor<1x?x4x2x!quant.uniform<i16:f32, 0.5>>, %w: tensor<3x3x3x2x!quant.uniform<i8:f32, 0.5>>) -> tensor<1x4x4x3x!quant.uniform<i16:f32, 0.5>> {
  // expected-error @+1 {{'tflite.convolution' op has a tensor of type 'tensor<1x?x4x2x!quant.uniform<i16:f32, 5.000000e-01>>', whose extents must be known}}
  %0 = tflite.convolution once_in_32 %x, %w [1, 1] [1, 1] [1, 1] biases [0, 0, 0] multipliers [1, 1, 1] shifts [2, 2, 2] : tensor<1x?x4x2x!quant.uniform<i16:f32, 0.5>>, tensor<3x3x3x2x!quant.uniform<i8:f32, 0.5>> -> tensor<1x4x4x3x!quant.uniform<i16:f32, 0.5>>
  return %0 : tensor<1x4x4x3x!quant.uniform<i16:f32, 0.5>>
}

// -----

func.func @activation(%x: tensor<1x4x4x2x!quant.uniform<i16:f32, 0.5>>, %w: tensor<3x3x3x2x!quant.uniform<i8:f32, 0.5>>) -> tensor<1x4x4x3x!quant.uniform<i16:f32, 0.5>> {
  // expected-error @+1 {{'tflite.convolution' op has the activation 4, which is none of 0 to 3}}
  %0 = tflite.convolution once_in_32 %x, %w [1, 1] [1, 1] [1, 1] biases [0, 0, 0] multipliers [1, 1, 1] shifts [2, 2, 2] {activation = 4 : i32} : tensor<1x4x4x2x!quant.uniform<i16:f32, 0.5>>, tensor<3x3x3x2x!quant.uniform<i8:f32, 0.5>> -> tensor<1x4x4x3x!quant.uniform<i16:f32, 0.5>>
  return %0 : tensor<1x4x4x3x!quant.uniform<i16:f32, 0.5>>
}

// -----

func.func @elements(%x: tensor<1x4x4x2x!quant.uniform<i16:f32, 0.5>>, %w: tensor<3x3x3x2xf32>) -> tensor<1x4x4x3x!quant.uniform<i16:f32, 0.5>> {
  // expected-error @+1 {{'tflite.convolution' op elements of these types are not compiled}}
  %0 = tflite.convolution once_in_32 %x, %w [1, 1] [1, 1] [1, 1] biases [0, 0, 0] multipliers [1, 1, 1] shifts [2, 2, 2] : tensor<1x4x4x2x!quant.uniform<i16:f32, 0.5>>, tensor<3x3x3x2xf32> -> tensor<1x4x4x3x!quant.uniform<i16:f32, 0.5>>
  return %0 : tensor<1x4x4x3x!quant.uniform<i16:f32, 0.5>>
}

// -----

func.func @channels(%x: tensor<1x4x4x3x!quant.uniform<i16:f32, 0.5>>, %w: tensor<3x3x3x2x!quant.uniform<i8:f32, 0.5>>) -> tensor<1x4x4x3x!quant.uniform<i16:f32, 0.5>> {
  // expected-error @+1 {{'tflite.convolution' op has places outside of a tensor}}
  %0 = tflite.convolution once_in_32 %x, %w [1, 1] [1, 1] [1, 1] biases [0, 0, 0] multipliers [1, 1, 1] shifts [2, 2, 2] : tensor<1x4x4x3x!quant.uniform<i16:f32, 0.5>>, tensor<3x3x3x2x!quant.uniform<i8:f32, 0.5>> -> tensor<1x4x4x3x!quant.uniform<i16:f32, 0.5>>
  return %0 : tensor<1x4x4x3x!quant.uniform<i16:f32, 0.5>>
}

// -----

func.func @no_channels(%x: tensor<1x4x4x0x!quant.uniform<i16:f32, 0.5>>, %w: tensor<3x3x3x0x!quant.uniform<i8:f32, 0.5>>) -> tensor<1x4x4x3x!quant.uniform<i16:f32, 0.5>> {
  // expected-error @+1 {{'tflite.convolution' op has places outside of a tensor}}
  %0 = tflite.convolution once_in_32 %x, %w [1, 1] [1, 1] [1, 1] biases [0, 0, 0] multipliers [1, 1, 1] shifts [2, 2, 2] : tensor<1x4x4x0x!quant.uniform<i16:f32, 0.5>>, tensor<3x3x3x0x!quant.uniform<i8:f32, 0.5>> -> tensor<1x4x4x3x!quant.uniform<i16:f32, 0.5>>
  return %0 : tensor<1x4x4x3x!quant.uniform<i16:f32, 0.5>>
}

// -----

func.func @result_channels(%x: tensor<1x4x4x2x!quant.uniform<i16:f32, 0.5>>, %w: tensor<2x3x3x2x!quant.uniform<i8:f32, 0.5>>) -> tensor<1x4x4x3x!quant.uniform<i16:f32, 0.5>> {
  // expected-error @+1 {{'tflite.convolution' op has places outside of a tensor}}
  %0 = tflite.convolution once_in_32 %x, %w [1, 1] [1, 1] [1, 1] biases [0, 0, 0] multipliers [1, 1, 1] shifts [2, 2, 2] : tensor<1x4x4x2x!quant.uniform<i16:f32, 0.5>>, tensor<2x3x3x2x!quant.uniform<i8:f32, 0.5>> -> tensor<1x4x4x3x!quant.uniform<i16:f32, 0.5>>
  return %0 : tensor<1x4x4x3x!quant.uniform<i16:f32, 0.5>>
}

// -----

func.func @filter_rank(%x: tensor<1x4x4x2x!quant.uniform<i16:f32, 0.5>>, %w: tensor<3x3x2x!quant.uniform<i8:f32, 0.5>>) -> tensor<1x4x4x3x!quant.uniform<i16:f32, 0.5>> {
  // expected-error @+1 {{'tflite.convolution' op has places outside of a tensor}}
  %0 = tflite.convolution once_in_32 %x, %w [1, 1] [1, 1] [1, 1] biases [0, 0, 0] multipliers [1, 1, 1] shifts [2, 2, 2] : tensor<1x4x4x2x!quant.uniform<i16:f32, 0.5>>, tensor<3x3x2x!quant.uniform<i8:f32, 0.5>> -> tensor<1x4x4x3x!quant.uniform<i16:f32, 0.5>>
  return %0 : tensor<1x4x4x3x!quant.uniform<i16:f32, 0.5>>
}

// -----

func.func @strides(%x: tensor<1x4x4x2x!quant.uniform<i16:f32, 0.5>>, %w: tensor<3x3x3x2x!quant.uniform<i8:f32, 0.5>>) -> tensor<1x4x4x3x!quant.uniform<i16:f32, 0.5>> {
  // expected-error @+1 {{'tflite.convolution' op has places outside of a tensor}}
  %0 = tflite.convolution once_in_32 %x, %w [0, 1] [1, 1] [1, 1] biases [0, 0, 0] multipliers [1, 1, 1] shifts [2, 2, 2] : tensor<1x4x4x2x!quant.uniform<i16:f32, 0.5>>, tensor<3x3x3x2x!quant.uniform<i8:f32, 0.5>> -> tensor<1x4x4x3x!quant.uniform<i16:f32, 0.5>>
  return %0 : tensor<1x4x4x3x!quant.uniform<i16:f32, 0.5>>
}

// -----

func.func @low(%x: tensor<1x4x4x2x!quant.uniform<i16:f32, 0.5>>, %w: tensor<3x3x3x2x!quant.uniform<i8:f32, 0.5>>) -> tensor<1x4x4x3x!quant.uniform<i16:f32, 0.5>> {
  // expected-error @+1 {{'tflite.convolution' op has places outside of a tensor}}
  %0 = tflite.convolution once_in_32 %x, %w [1, 1] [1, 1] [1, 3] biases [0, 0, 0] multipliers [1, 1, 1] shifts [2, 2, 2] : tensor<1x4x4x2x!quant.uniform<i16:f32, 0.5>>, tensor<3x3x3x2x!quant.uniform<i8:f32, 0.5>> -> tensor<1x4x4x3x!quant.uniform<i16:f32, 0.5>>
  return %0 : tensor<1x4x4x3x!quant.uniform<i16:f32, 0.5>>
}

// -----

func.func @windows(%x: tensor<1x4x4x2x!quant.uniform<i16:f32, 0.5>>, %w: tensor<3x3x3x2x!quant.uniform<i8:f32, 0.5>>) -> tensor<1x9x4x3x!quant.uniform<i16:f32, 0.5>> {
  // expected-error @+1 {{'tflite.convolution' op has places outside of a tensor}}
  %0 = tflite.convolution once_in_32 %x, %w [1, 1] [1, 1] [1, 1] biases [0, 0, 0] multipliers [1, 1, 1] shifts [2, 2, 2] : tensor<1x4x4x2x!quant.uniform<i16:f32, 0.5>>, tensor<3x3x3x2x!quant.uniform<i8:f32, 0.5>> -> tensor<1x9x4x3x!quant.uniform<i16:f32, 0.5>>
  return %0 : tensor<1x9x4x3x!quant.uniform<i16:f32, 0.5>>
}

// -----

func.func @biases(%x: tensor<1x4x4x2x!quant.uniform<i16:f32, 0.5>>, %w: tensor<3x3x3x2x!quant.uniform<i8:f32, 0.5>>) -> tensor<1x4x4x3x!quant.uniform<i16:f32, 0.5>> {
  // expected-error @+1 {{'tflite.convolution' op has places outside of a tensor}}
  %0 = tflite.convolution once_in_32 %x, %w [1, 1] [1, 1] [1, 1] biases [0, 0] multipliers [1, 1, 1] shifts [2, 2, 2] : tensor<1x4x4x2x!quant.uniform<i16:f32, 0.5>>, tensor<3x3x3x2x!quant.uniform<i8:f32, 0.5>> -> tensor<1x4x4x3x!quant.uniform<i16:f32, 0.5>>
  return %0 : tensor<1x4x4x3x!quant.uniform<i16:f32, 0.5>>
}

// -----

func.func @no_parts(%x: tensor<1x4x4x2x!quant.uniform<i16:f32, 0.5>>, %w: tensor<3x3x3x2x!quant.uniform<i8:f32, 0.5>>) -> tensor<1x4x4x3x!quant.uniform<i16:f32, 0.5>> {
  // expected-error @+1 {{'tflite.convolution' op has places outside of a tensor}}
  %0 = tflite.convolution once_in_64 %x, %w [1, 1] [1, 1] [1, 1] biases [0, 0, 0] multipliers [1, 1, 1] shifts [2, 2, 2] {parts = 0 : i64} : tensor<1x4x4x2x!quant.uniform<i16:f32, 0.5>>, tensor<3x3x3x2x!quant.uniform<i8:f32, 0.5>> -> tensor<1x4x4x3x!quant.uniform<i16:f32, 0.5>>
  return %0 : tensor<1x4x4x3x!quant.uniform<i16:f32, 0.5>>
}

// -----

func.func @empty_part(%x: tensor<1x4x4x2x!quant.uniform<i16:f32, 0.5>>, %w: tensor<3x3x3x2x!quant.uniform<i8:f32, 0.5>>) -> tensor<1x4x4x3x!quant.uniform<i16:f32, 0.5>> {
  // expected-error @+1 {{'tflite.convolution' op has places outside of a tensor}}
  %0 = tflite.convolution once_in_64 %x, %w [1, 1] [1, 1] [1, 1] biases [0, 0, 0] multipliers [1, 1, 1] shifts [2, 2, 2] {parts = 2 : i64} : tensor<1x4x4x2x!quant.uniform<i16:f32, 0.5>>, tensor<3x3x3x2x!quant.uniform<i8:f32, 0.5>> -> tensor<1x4x4x3x!quant.uniform<i16:f32, 0.5>>
  return %0 : tensor<1x4x4x3x!quant.uniform<i16:f32, 0.5>>
}

// -----

func.func @parts_of_32_bits(%x: tensor<1x4x4x4x!quant.uniform<i16:f32, 0.5>>, %w: tensor<3x3x3x4x!quant.uniform<i8:f32, 0.5>>) -> tensor<1x4x4x3x!quant.uniform<i16:f32, 0.5>> {
  // expected-error @+1 {{'tflite.convolution' op has places outside of a tensor}}
  %0 = tflite.convolution once_in_32 %x, %w [1, 1] [1, 1] [1, 1] biases [0, 0, 0] multipliers [1, 1, 1] shifts [2, 2, 2] {parts = 2 : i64} : tensor<1x4x4x4x!quant.uniform<i16:f32, 0.5>>, tensor<3x3x3x4x!quant.uniform<i8:f32, 0.5>> -> tensor<1x4x4x3x!quant.uniform<i16:f32, 0.5>>
  return %0 : tensor<1x4x4x3x!quant.uniform<i16:f32, 0.5>>
}

// -----

func.func @multiplier(%x: tensor<1x4x4x2x!quant.uniform<i16:f32, 0.5>>, %w: tensor<3x3x3x2x!quant.uniform<i8:f32, 0.5>>) -> tensor<1x4x4x3x!quant.uniform<i16:f32, 0.5>> {
  // expected-error @+1 {{'tflite.convolution' op has the multiplier 32768, which is none of 0 to 32767}}
  %0 = tflite.convolution once_in_32 %x, %w [1, 1] [1, 1] [1, 1] biases [0, 0, 0] multipliers [1, 1, 32768] shifts [2, 2, 2] : tensor<1x4x4x2x!quant.uniform<i16:f32, 0.5>>, tensor<3x3x3x2x!quant.uniform<i8:f32, 0.5>> -> tensor<1x4x4x3x!quant.uniform<i16:f32, 0.5>>
  return %0 : tensor<1x4x4x3x!quant.uniform<i16:f32, 0.5>>
}

// -----

func.func @multiplier_of_two_roundings(%x: tensor<1x4x4x2x!quant.uniform<i16:f32, 0.5>>, %w: tensor<3x3x3x2x!quant.uniform<i8:f32, 0.5>>) -> tensor<1x4x4x3x!quant.uniform<i16:f32, 0.5>> {
  // expected-error @+1 {{'tflite.convolution' op has the multiplier -1, which is none of 0 to 2147483647}}
  %0 = tflite.convolution twice %x, %w [1, 1] [1, 1] [1, 1] biases [0, 0, 0] multipliers [1, -1, 1] shifts [2, 2, 2] : tensor<1x4x4x2x!quant.uniform<i16:f32, 0.5>>, tensor<3x3x3x2x!quant.uniform<i8:f32, 0.5>> -> tensor<1x4x4x3x!quant.uniform<i16:f32, 0.5>>
  return %0 : tensor<1x4x4x3x!quant.uniform<i16:f32, 0.5>>
}

// -----

func.func @shift(%x: tensor<1x4x4x2x!quant.uniform<i16:f32, 0.5>>, %w: tensor<3x3x3x2x!quant.uniform<i8:f32, 0.5>>) -> tensor<1x4x4x3x!quant.uniform<i16:f32, 0.5>> {
  // expected-error @+1 {{'tflite.convolution' op has the shift 32, which is none of 1 to 31}}
  %0 = tflite.convolution once_in_32 %x, %w [1, 1] [1, 1] [1, 1] biases [0, 0, 0] multipliers [1, 1, 1] shifts [2, 2, 32] : tensor<1x4x4x2x!quant.uniform<i16:f32, 0.5>>, tensor<3x3x3x2x!quant.uniform<i8:f32, 0.5>> -> tensor<1x4x4x3x!quant.uniform<i16:f32, 0.5>>
  return %0 : tensor<1x4x4x3x!quant.uniform<i16:f32, 0.5>>
}

// -----

func.func @shift_of_64_bits(%x: tensor<1x4x4x2x!quant.uniform<i16:f32, 0.5>>, %w: tensor<3x3x3x2x!quant.uniform<i8:f32, 0.5>>) -> tensor<1x4x4x3x!quant.uniform<i16:f32, 0.5>> {
  // expected-error @+1 {{'tflite.convolution' op has the shift 63, which is none of 1 to 62}}
  %0 = tflite.convolution once_in_64 %x, %w [1, 1] [1, 1] [1, 1] biases [0, 0, 0] multipliers [1, 1, 1] shifts [2, 2, 63] : tensor<1x4x4x2x!quant.uniform<i16:f32, 0.5>>, tensor<3x3x3x2x!quant.uniform<i8:f32, 0.5>> -> tensor<1x4x4x3x!quant.uniform<i16:f32, 0.5>>
  return %0 : tensor<1x4x4x3x!quant.uniform<i16:f32, 0.5>>
}

// -----

func.func @shift_of_two_roundings(%x: tensor<1x4x4x2x!quant.uniform<i16:f32, 0.5>>, %w: tensor<3x3x3x2x!quant.uniform<i8:f32, 0.5>>) -> tensor<1x4x4x3x!quant.uniform<i16:f32, 0.5>> {
  // expected-error @+1 {{'tflite.convolution' op has the shift -32, which is none of -31 to 31}}
  %0 = tflite.convolution twice %x, %w [1, 1] [1, 1] [1, 1] biases [0, 0, 0] multipliers [1, 1, 1] shifts [2, 2, -32] : tensor<1x4x4x2x!quant.uniform<i16:f32, 0.5>>, tensor<3x3x3x2x!quant.uniform<i8:f32, 0.5>> -> tensor<1x4x4x3x!quant.uniform<i16:f32, 0.5>>
  return %0 : tensor<1x4x4x3x!quant.uniform<i16:f32, 0.5>>
}
