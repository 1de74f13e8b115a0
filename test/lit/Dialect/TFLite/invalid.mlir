// RUN: nnhal-opt %s --load-dialect-plugin=%{extension-halves}/nnhal.tflite.compiler.so --split-input-file --verify-diagnostics

func.func @extents(%x: tensor<?xf32>) -> tensor<?xf32> {
  // expected-error @+1 {{'tflite.elementwise' op has a tensor of type 'tensor<?xf32>', whose extents must be known}}
  %0 = tflite.elementwise floor(%x) : (tensor<?xf32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

func.func @inputs(%x: tensor<2xf32>, %y: tensor<3xf32>) -> tensor<3xf32> {
  // expected-error @+1 {{'tflite.elementwise' op has inputs that do not broadcast}}
  %0 = tflite.elementwise add(%x, %y) : (tensor<2xf32>, tensor<3xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// -----

func.func @result(%x: tensor<2xf32>) -> tensor<3xf32> {
  // expected-error @+1 {{'tflite.elementwise' op has a result of type 'tensor<3xf32>', which is not the shape that the inputs broadcast to}}
  %0 = tflite.elementwise floor(%x) : (tensor<2xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// -----

func.func @types(%x: tensor<2xi32>) -> tensor<2xi32> {
  // expected-error @+1 {{'tflite.elementwise' op elements of these types are not compiled}}
  %0 = tflite.elementwise floor(%x) : (tensor<2xi32>) -> tensor<2xi32>
  return %0 : tensor<2xi32>
}

// -----

func.func @count(%x: tensor<2xf32>) -> tensor<2xf32> {
  // expected-error @+1 {{'tflite.elementwise' op it has not the operator's number of inputs}}
  %0 = tflite.elementwise add(%x) : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// -----

func.func @elements(%x: tensor<2xf32>) -> tensor<3xf32> {
  // expected-error @+1 {{'tflite.reshape' op has 2 elements in its input and 3 in its result}}
  %0 = tflite.reshape %x : tensor<2xf32> -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// -----

func.func @slice(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  // expected-error @+1 {{'tflite.slice' op has places outside of a tensor}}
  %0 = tflite.slice %x [0, 1] [1, 1] : tensor<2x3xf32> -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// -----

func.func @reversed(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  // expected-error @+1 {{'tflite.slice' op has places outside of a tensor}}
  %0 = tflite.slice %x [0, 1] [1, -1] : tensor<2x3xf32> -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// -----

func.func @transposed(%x: tensor<2x3xf32>) -> tensor<3x2xf32> {
  // expected-error @+1 {{'tflite.transpose' op has places outside of a tensor}}
  %0 = tflite.transpose %x [1, 1] : tensor<2x3xf32> -> tensor<3x2xf32>
  return %0 : tensor<3x2xf32>
}

// -----

func.func @concatenated(%x: tensor<2x3xf32>, %y: tensor<3x3xf32>) -> tensor<2x6xf32> {
  // expected-error @+1 {{'tflite.concatenate' op has places outside of a tensor}}
  %0 = tflite.concatenate %x, %y {axis = 1} : tensor<2x3xf32>, tensor<3x3xf32> -> tensor<2x6xf32>
  return %0 : tensor<2x6xf32>
}

// -----

func.func @padded(%x: tensor<2x3xf32>) -> tensor<3x3xf32> {
  // expected-error @+1 {{'tflite.pad' op has places outside of a tensor}}
  %0 = tflite.pad %x [2, 0] : (tensor<2x3xf32>) -> tensor<3x3xf32>
  return %0 : tensor<3x3xf32>
}

// -----

func.func @softmax(%x: tensor<2x!quant.uniform<i16:f32, 0.5>>) -> tensor<3x!quant.uniform<i16:f32, 0.5>> {
  // expected-error @+1 {{'tflite.softmax' op has an input of type 'tensor<2x!quant.uniform<i16:f32, 5.000000e-01>>' and a result of another shape, or without rows}}
  %0 = tflite.softmax %x {beta = 1.0 : f32} : tensor<2x!quant.uniform<i16:f32, 0.5>> -> tensor<3x!quant.uniform<i16:f32, 0.5>>
  return %0 : tensor<3x!quant.uniform<i16:f32, 0.5>>
}

// -----

func.func @reduced(%x: tensor<2x3xf32>) -> tensor<3xf32> {
  // expected-error @+1 {{'tflite.reduce' op has places outside of a tensor}}
  %0 = tflite.reduce sum %x [1] : tensor<2x3xf32> -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// -----

func.func @pooled(%x: tensor<1x4x4x8x!quant.uniform<i16:f32, 0.5>>) -> tensor<1x3x2x8x!quant.uniform<i16:f32, 0.5>> {
  // expected-error @+1 {{'tflite.pool' op has places outside of a tensor}}
  %0 = tflite.pool mean %x [2, 2] [2, 2] : tensor<1x4x4x8x!quant.uniform<i16:f32, 0.5>> -> tensor<1x3x2x8x!quant.uniform<i16:f32, 0.5>>
  return %0 : tensor<1x3x2x8x!quant.uniform<i16:f32, 0.5>>
}

// -----

func.func @window(%x: tensor<1x4x4x8x!quant.uniform<i16:f32, 0.5>>) -> tensor<1x1x1x8x!quant.uniform<i16:f32, 0.5>> {
  // expected-error @+1 {{'tflite.pool' op its windows have more than 65536 elements}}
  %0 = tflite.pool mean %x [257, 257] [4, 4] : tensor<1x4x4x8x!quant.uniform<i16:f32, 0.5>> -> tensor<1x1x1x8x!quant.uniform<i16:f32, 0.5>>
  return %0 : tensor<1x1x1x8x!quant.uniform<i16:f32, 0.5>>
}
