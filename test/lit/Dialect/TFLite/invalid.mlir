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
