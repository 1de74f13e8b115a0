// Operations that use places, or rows, refuse what is not inside of their tensors,
// and types that they are not lowered for.
// RUN: nnhal-opt %s --load-dialect-plugin=%{extension-halves}/nnhal.tflite.compiler.so --split-input-file --verify-diagnostics

func.func @normalize_extents(%x: tensor<?xf32>) -> tensor<?xf32> {
  // expected-error @+1 {{'tflite.normalize' op has a tensor of type 'tensor<?xf32>', whose extents must be known}}
  %0 = tflite.normalize l2 %x : tensor<?xf32> -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

func.func @normalize_types(%x: tensor<2xi32>) -> tensor<2xi32> {
  // expected-error @+1 {{'tflite.normalize' op elements of these types are not compiled}}
  %0 = tflite.normalize log_softmax %x : tensor<2xi32> -> tensor<2xi32>
  return %0 : tensor<2xi32>
}

// -----

func.func @normalize_rows(%x: tensor<f32>) -> tensor<f32> {
  // expected-error @+1 {{'tflite.normalize' op its result has another shape, or it has no rows}}
  %0 = tflite.normalize l2 %x : tensor<f32> -> tensor<f32>
  return %0 : tensor<f32>
}

// -----

func.func @softmax_of_floats(%x: tensor<2xf32>) -> tensor<3xf32> {
  // expected-error @+1 {{'tflite.softmax' op its result has another shape, or it has no rows}}
  %0 = tflite.softmax %x {beta = 1.0 : f32} : tensor<2xf32> -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// -----

func.func @arg_extents(%x: tensor<?x2xf32>) -> tensor<2xi32> {
  // expected-error @+1 {{'tflite.arg' op has a tensor of type 'tensor<?x2xf32>', whose extents must be known}}
  %0 = tflite.arg maximum %x {axis = 0} : tensor<?x2xf32> -> tensor<2xi32>
  return %0 : tensor<2xi32>
}

// -----

func.func @arg_axis(%x: tensor<2x3xf32>) -> tensor<2xi32> {
  // expected-error @+1 {{'tflite.arg' op has places outside of a tensor}}
  %0 = tflite.arg maximum %x {axis = 2} : tensor<2x3xf32> -> tensor<2xi32>
  return %0 : tensor<2xi32>
}

// -----

func.func @arg_shape(%x: tensor<2x3xf32>) -> tensor<2xi32> {
  // expected-error @+1 {{'tflite.arg' op has places outside of a tensor}}
  %0 = tflite.arg maximum %x {axis = 0} : tensor<2x3xf32> -> tensor<2xi32>
  return %0 : tensor<2xi32>
}

// -----

func.func @arg_reducer(%x: tensor<2x3xf32>) -> tensor<2xi32> {
  // expected-error @+1 {{'tflite.arg' op has places outside of a tensor}}
  %0 = tflite.arg sum %x {axis = 1} : tensor<2x3xf32> -> tensor<2xi32>
  return %0 : tensor<2xi32>
}

// -----

func.func @arg_empty(%x: tensor<2x0xf32>) -> tensor<2xi32> {
  // expected-error @+1 {{'tflite.arg' op has places outside of a tensor}}
  %0 = tflite.arg minimum %x {axis = 1} : tensor<2x0xf32> -> tensor<2xi32>
  return %0 : tensor<2xi32>
}

// -----

func.func @arg_types(%x: tensor<2x3xf32>) -> tensor<2xf32> {
  // expected-error @+1 {{'tflite.arg' op elements of these types are not compiled}}
  %0 = tflite.arg minimum %x {axis = 1} : tensor<2x3xf32> -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// -----

func.func @arg_long_rows(%x: tensor<2x65537xf32>) -> tensor<2xi32> {
  // expected-error @+1 {{'tflite.arg' op its rows are longer than a table of places}}
  %0 = tflite.arg minimum %x {axis = 1} : tensor<2x65537xf32> -> tensor<2xi32>
  return %0 : tensor<2xi32>
}

// -----

func.func @gather_extents(%x: tensor<?xf32>, %i: tensor<2xi32>) -> tensor<2xf32> {
  // expected-error @+1 {{'tflite.gather' op has a tensor of type 'tensor<?xf32>', whose extents must be known}}
  %0 = tflite.gather %x, %i {axis = 0} : tensor<?xf32>, tensor<2xi32> -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// -----

func.func @gather_elements(%x: tensor<3xf32>, %i: tensor<2xi32>) -> tensor<2xi32> {
  // expected-error @+1 {{'tflite.gather' op has an operand of type 'tensor<3xf32>', but a result with elements of type 'i32'}}
  %0 = tflite.gather %x, %i {axis = 0} : tensor<3xf32>, tensor<2xi32> -> tensor<2xi32>
  return %0 : tensor<2xi32>
}

// -----

func.func @gather_indices(%x: tensor<3xf32>, %i: tensor<2xi8>) -> tensor<2xf32> {
  // expected-error @+1 {{'tflite.gather' op has indices of type 'tensor<2xi8>', which are no integers of 16 bits or more}}
  %0 = tflite.gather %x, %i {axis = 0} : tensor<3xf32>, tensor<2xi8> -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// -----

func.func @gather_axis(%x: tensor<3xf32>, %i: tensor<2xi32>) -> tensor<2xf32> {
  // expected-error @+1 {{'tflite.gather' op has places outside of a tensor}}
  %0 = tflite.gather %x, %i {axis = 1, batch = 0} : tensor<3xf32>, tensor<2xi32> -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// -----

func.func @gather_batch(%x: tensor<3x3xf32>, %i: tensor<3x3xi32>) -> tensor<3xf32> {
  // expected-error @+1 {{'tflite.gather' op has places outside of a tensor}}
  %0 = tflite.gather %x, %i {axis = 1, batch = 2} : tensor<3x3xf32>, tensor<3x3xi32> -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// -----

func.func @gather_batches(%x: tensor<3x3xf32>, %i: tensor<2x2xi32>) -> tensor<3x2xf32> {
  // expected-error @+1 {{'tflite.gather' op has places outside of a tensor}}
  %0 = tflite.gather %x, %i {axis = 1, batch = 1} : tensor<3x3xf32>, tensor<2x2xi32> -> tensor<3x2xf32>
  return %0 : tensor<3x2xf32>
}

// -----

func.func @gather_shape(%x: tensor<3x4xf32>, %i: tensor<2xi32>) -> tensor<2x3xf32> {
  // expected-error @+1 {{'tflite.gather' op has places outside of a tensor}}
  %0 = tflite.gather %x, %i {axis = 0, batch = 0} : tensor<3x4xf32>, tensor<2xi32> -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// -----

func.func @gather_empty(%x: tensor<0xf32>, %i: tensor<2xi32>) -> tensor<2xf32> {
  // expected-error @+1 {{'tflite.gather' op has places outside of a tensor}}
  %0 = tflite.gather %x, %i {axis = 0, batch = 0} : tensor<0xf32>, tensor<2xi32> -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// -----

func.func @one_hot_extents(%i: tensor<?xi32>, %on: tensor<1xf32>) -> tensor<2x3xf32> {
  // expected-error @+1 {{'tflite.one_hot' op has a tensor of type 'tensor<?xi32>', whose extents must be known}}
  %0 = tflite.one_hot %i, %on, %on {axis = 1} : (tensor<?xi32>, tensor<1xf32>, tensor<1xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// -----

func.func @one_hot_elements(%i: tensor<2xi32>, %on: tensor<1xf32>) -> tensor<2x3xi32> {
  // expected-error @+1 {{'tflite.one_hot' op has an operand of type 'tensor<1xf32>', but a result with elements of type 'i32'}}
  %0 = tflite.one_hot %i, %on, %on {axis = 1} : (tensor<2xi32>, tensor<1xf32>, tensor<1xf32>) -> tensor<2x3xi32>
  return %0 : tensor<2x3xi32>
}

// -----

func.func @one_hot_indices(%i: tensor<2xf32>, %on: tensor<1xf32>) -> tensor<2x3xf32> {
  // expected-error @+1 {{'tflite.one_hot' op has indices of type 'tensor<2xf32>', which are no integers of 16 bits or more}}
  %0 = tflite.one_hot %i, %on, %on {axis = 1} : (tensor<2xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// -----

func.func @one_hot_axis(%i: tensor<2xi32>, %on: tensor<1xf32>) -> tensor<2x3xf32> {
  // expected-error @+1 {{'tflite.one_hot' op has places outside of a tensor}}
  %0 = tflite.one_hot %i, %on, %on {axis = 2} : (tensor<2xi32>, tensor<1xf32>, tensor<1xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// -----

func.func @one_hot_shape(%i: tensor<2xi32>, %on: tensor<1xf32>) -> tensor<2x3xf32> {
  // expected-error @+1 {{'tflite.one_hot' op has places outside of a tensor}}
  %0 = tflite.one_hot %i, %on, %on {axis = 0} : (tensor<2xi32>, tensor<1xf32>, tensor<1xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// -----

func.func @one_hot_values(%i: tensor<2xi32>, %on: tensor<2xf32>) -> tensor<2x3xf32> {
  // expected-error @+1 {{'tflite.one_hot' op has places outside of a tensor}}
  %0 = tflite.one_hot %i, %on, %on {axis = 1} : (tensor<2xi32>, tensor<2xf32>, tensor<2xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// -----

func.func @cumsum_extents(%x: tensor<?xf32>) -> tensor<?xf32> {
  // expected-error @+1 {{'tflite.cumsum' op has a tensor of type 'tensor<?xf32>', whose extents must be known}}
  %0 = tflite.cumsum %x {axis = 0} : tensor<?xf32> -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

func.func @cumsum_axis(%x: tensor<2xf32>) -> tensor<2xf32> {
  // expected-error @+1 {{'tflite.cumsum' op has places outside of a tensor}}
  %0 = tflite.cumsum %x {axis = 1} : tensor<2xf32> -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// -----

func.func @cumsum_types(%x: tensor<2xf32>) -> tensor<2xi32> {
  // expected-error @+1 {{'tflite.cumsum' op elements of these types are not compiled}}
  %0 = tflite.cumsum %x {axis = 0} : tensor<2xf32> -> tensor<2xi32>
  return %0 : tensor<2xi32>
}

// -----

func.func @resize_extents(%x: tensor<1x?x2x1xf32>) -> tensor<1x2x2x1xf32> {
  // expected-error @+1 {{'tflite.resize' op has a tensor of type 'tensor<1x?x2x1xf32>', whose extents must be known}}
  %0 = tflite.resize nearest %x : tensor<1x?x2x1xf32> -> tensor<1x2x2x1xf32>
  return %0 : tensor<1x2x2x1xf32>
}

// -----

func.func @resize_rank(%x: tensor<1x2x2xf32>) -> tensor<1x2x2xf32> {
  // expected-error @+1 {{'tflite.resize' op has places outside of a tensor}}
  %0 = tflite.resize bilinear %x : tensor<1x2x2xf32> -> tensor<1x2x2xf32>
  return %0 : tensor<1x2x2xf32>
}

// -----

func.func @resize_batch(%x: tensor<1x2x2x1xf32>) -> tensor<2x2x2x1xf32> {
  // expected-error @+1 {{'tflite.resize' op has places outside of a tensor}}
  %0 = tflite.resize bilinear %x : tensor<1x2x2x1xf32> -> tensor<2x2x2x1xf32>
  return %0 : tensor<2x2x2x1xf32>
}

// -----

func.func @resize_channels(%x: tensor<1x2x2x1xf32>) -> tensor<1x2x2x3xf32> {
  // expected-error @+1 {{'tflite.resize' op has places outside of a tensor}}
  %0 = tflite.resize bilinear %x : tensor<1x2x2x1xf32> -> tensor<1x2x2x3xf32>
  return %0 : tensor<1x2x2x3xf32>
}

// -----

func.func @resize_empty(%x: tensor<1x0x2x1xf32>) -> tensor<1x2x2x1xf32> {
  // expected-error @+1 {{'tflite.resize' op has places outside of a tensor}}
  %0 = tflite.resize bilinear %x : tensor<1x0x2x1xf32> -> tensor<1x2x2x1xf32>
  return %0 : tensor<1x2x2x1xf32>
}

// -----

func.func @resize_result(%x: tensor<1x2x2x1xf32>) -> tensor<1x2x0x1xf32> {
  // expected-error @+1 {{'tflite.resize' op has places outside of a tensor}}
  %0 = tflite.resize bilinear %x : tensor<1x2x2x1xf32> -> tensor<1x2x0x1xf32>
  return %0 : tensor<1x2x0x1xf32>
}

// -----

func.func @resize_types(%x: tensor<1x2x2x1xi32>) -> tensor<1x3x3x1xi32> {
  // expected-error @+1 {{'tflite.resize' op elements of these types are not compiled}}
  %0 = tflite.resize bilinear %x : tensor<1x2x2x1xi32> -> tensor<1x3x3x1xi32>
  return %0 : tensor<1x3x3x1xi32>
}

// -----

func.func @resize_flags(%x: tensor<1x2x2x1xf32>) -> tensor<1x3x3x1xf32> {
  // expected-error @+1 {{'tflite.resize' op has align_corners together with half_pixel_centers}}
  %0 = tflite.resize bilinear %x {align_corners, half_pixel_centers} : tensor<1x2x2x1xf32> -> tensor<1x3x3x1xf32>
  return %0 : tensor<1x3x3x1xf32>
}

// -----

func.func @diagonal_extents(%x: tensor<?xf32>) -> tensor<2x2xf32> {
  // expected-error @+1 {{'tflite.diagonal' op has a tensor of type 'tensor<?xf32>', whose extents must be known}}
  %0 = tflite.diagonal %x : tensor<?xf32> -> tensor<2x2xf32>
  return %0 : tensor<2x2xf32>
}

// -----

func.func @diagonal_elements(%x: tensor<2xf32>) -> tensor<2x2xi32> {
  // expected-error @+1 {{'tflite.diagonal' op has an operand of type 'tensor<2xf32>', but a result with elements of type 'i32'}}
  %0 = tflite.diagonal %x : tensor<2xf32> -> tensor<2x2xi32>
  return %0 : tensor<2x2xi32>
}

// -----

func.func @diagonal_shape(%x: tensor<2xf32>) -> tensor<2x3xf32> {
  // expected-error @+1 {{'tflite.diagonal' op has places outside of a tensor}}
  %0 = tflite.diagonal %x : tensor<2xf32> -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// -----

func.func @diagonal_rank(%x: tensor<f32>) -> tensor<1xf32> {
  // expected-error @+1 {{'tflite.diagonal' op has places outside of a tensor}}
  %0 = tflite.diagonal %x : tensor<f32> -> tensor<1xf32>
  return %0 : tensor<1xf32>
}

// -----

func.func @bitcast_sizes(%x: tensor<2xf32>) -> tensor<2xi8> {
  // expected-error @+1 {{'tflite.elementwise' op elements of these types are not compiled}}
  %0 = tflite.elementwise bitcast(%x) : (tensor<2xf32>) -> tensor<2xi8>
  return %0 : tensor<2xi8>
}

// -----

func.func @shift_types(%x: tensor<2xi32>, %y: tensor<2xf32>) -> tensor<2xi32> {
  // expected-error @+1 {{'tflite.elementwise' op elements of these types are not compiled}}
  %0 = tflite.elementwise right_shift(%x, %y) : (tensor<2xi32>, tensor<2xf32>) -> tensor<2xi32>
  return %0 : tensor<2xi32>
}

// -----

func.func @add_n_inputs(%x: tensor<2xi8>) -> tensor<2xi8> {
  // expected-error @+1 {{'tflite.elementwise' op elements of these types are not compiled}}
  %0 = tflite.elementwise add_n(%x, %x) : (tensor<2xi8>, tensor<2xi8>) -> tensor<2xi8>
  return %0 : tensor<2xi8>
}

// -----

func.func @add_n_of_nothing() -> tensor<f32> {
  // expected-error @+1 {{'tflite.elementwise' op it has not the operator's number of inputs}}
  %0 = tflite.elementwise add_n() : () -> tensor<f32>
  return %0 : tensor<f32>
}

// -----

func.func @depthwise_extents(%x: tensor<1x?x4x2x!quant.uniform<i16:f32, 0.5>>, %w: tensor<1x3x3x2x!quant.uniform<i8:f32, 0.5>>) -> tensor<1x4x4x2x!quant.uniform<i16:f32, 0.5>> {
  // expected-error @+1 {{'tflite.depthwise' op has a tensor of type 'tensor<1x?x4x2x!quant.uniform<i16:f32, 5.000000e-01>>', whose extents must be known}}
  %0 = tflite.depthwise %x, %w [1, 1] [1, 1] [1, 1] biases [0, 0] multipliers [1, 1] shifts [2, 2] : tensor<1x?x4x2x!quant.uniform<i16:f32, 0.5>>, tensor<1x3x3x2x!quant.uniform<i8:f32, 0.5>> -> tensor<1x4x4x2x!quant.uniform<i16:f32, 0.5>>
  return %0 : tensor<1x4x4x2x!quant.uniform<i16:f32, 0.5>>
}

// -----

func.func @depthwise_activation(%x: tensor<1x4x4x2x!quant.uniform<i16:f32, 0.5>>, %w: tensor<1x3x3x2x!quant.uniform<i8:f32, 0.5>>) -> tensor<1x4x4x2x!quant.uniform<i16:f32, 0.5>> {
  // expected-error @+1 {{'tflite.depthwise' op has the activation 4, which is none of 0 to 3}}
  %0 = tflite.depthwise %x, %w [1, 1] [1, 1] [1, 1] biases [0, 0] multipliers [1, 1] shifts [2, 2] {activation = 4 : i32} : tensor<1x4x4x2x!quant.uniform<i16:f32, 0.5>>, tensor<1x3x3x2x!quant.uniform<i8:f32, 0.5>> -> tensor<1x4x4x2x!quant.uniform<i16:f32, 0.5>>
  return %0 : tensor<1x4x4x2x!quant.uniform<i16:f32, 0.5>>
}

// -----

func.func @depthwise_taps(%x: tensor<1x4x4x2x!quant.uniform<i16:f32, 0.5>>, %w: tensor<1x16x16x2x!quant.uniform<i8:f32, 0.5>>) -> tensor<1x4x4x2x!quant.uniform<i16:f32, 0.5>> {
  // expected-error @+1 {{'tflite.depthwise' op its channels have not 1 to 255 weights each}}
  %0 = tflite.depthwise %x, %w [1, 1] [1, 1] [1, 1] biases [0, 0] multipliers [1, 1] shifts [2, 2] : tensor<1x4x4x2x!quant.uniform<i16:f32, 0.5>>, tensor<1x16x16x2x!quant.uniform<i8:f32, 0.5>> -> tensor<1x4x4x2x!quant.uniform<i16:f32, 0.5>>
  return %0 : tensor<1x4x4x2x!quant.uniform<i16:f32, 0.5>>
}

// -----

func.func @depthwise_channels(%x: tensor<1x4x4x3x!quant.uniform<i16:f32, 0.5>>, %w: tensor<1x3x3x2x!quant.uniform<i8:f32, 0.5>>) -> tensor<1x4x4x2x!quant.uniform<i16:f32, 0.5>> {
  // expected-error @+1 {{'tflite.depthwise' op has places outside of a tensor}}
  %0 = tflite.depthwise %x, %w [1, 1] [1, 1] [1, 1] biases [0, 0] multipliers [1, 1] shifts [2, 2] : tensor<1x4x4x3x!quant.uniform<i16:f32, 0.5>>, tensor<1x3x3x2x!quant.uniform<i8:f32, 0.5>> -> tensor<1x4x4x2x!quant.uniform<i16:f32, 0.5>>
  return %0 : tensor<1x4x4x2x!quant.uniform<i16:f32, 0.5>>
}

// -----

func.func @depthwise_strides(%x: tensor<1x4x4x2x!quant.uniform<i16:f32, 0.5>>, %w: tensor<1x3x3x2x!quant.uniform<i8:f32, 0.5>>) -> tensor<1x4x4x2x!quant.uniform<i16:f32, 0.5>> {
  // expected-error @+1 {{'tflite.depthwise' op has places outside of a tensor}}
  %0 = tflite.depthwise %x, %w [0, 1] [1, 1] [1, 1] biases [0, 0] multipliers [1, 1] shifts [2, 2] : tensor<1x4x4x2x!quant.uniform<i16:f32, 0.5>>, tensor<1x3x3x2x!quant.uniform<i8:f32, 0.5>> -> tensor<1x4x4x2x!quant.uniform<i16:f32, 0.5>>
  return %0 : tensor<1x4x4x2x!quant.uniform<i16:f32, 0.5>>
}

// -----

func.func @depthwise_low(%x: tensor<1x4x4x2x!quant.uniform<i16:f32, 0.5>>, %w: tensor<1x3x3x2x!quant.uniform<i8:f32, 0.5>>) -> tensor<1x4x4x2x!quant.uniform<i16:f32, 0.5>> {
  // expected-error @+1 {{'tflite.depthwise' op has places outside of a tensor}}
  %0 = tflite.depthwise %x, %w [1, 1] [1, 1] [1, 3] biases [0, 0] multipliers [1, 1] shifts [2, 2] : tensor<1x4x4x2x!quant.uniform<i16:f32, 0.5>>, tensor<1x3x3x2x!quant.uniform<i8:f32, 0.5>> -> tensor<1x4x4x2x!quant.uniform<i16:f32, 0.5>>
  return %0 : tensor<1x4x4x2x!quant.uniform<i16:f32, 0.5>>
}

// -----

func.func @depthwise_windows(%x: tensor<1x4x4x2x!quant.uniform<i16:f32, 0.5>>, %w: tensor<1x3x3x2x!quant.uniform<i8:f32, 0.5>>) -> tensor<1x9x4x2x!quant.uniform<i16:f32, 0.5>> {
  // expected-error @+1 {{'tflite.depthwise' op has places outside of a tensor}}
  %0 = tflite.depthwise %x, %w [1, 1] [1, 1] [1, 1] biases [0, 0] multipliers [1, 1] shifts [2, 2] : tensor<1x4x4x2x!quant.uniform<i16:f32, 0.5>>, tensor<1x3x3x2x!quant.uniform<i8:f32, 0.5>> -> tensor<1x9x4x2x!quant.uniform<i16:f32, 0.5>>
  return %0 : tensor<1x9x4x2x!quant.uniform<i16:f32, 0.5>>
}

// -----

func.func @depthwise_shifts(%x: tensor<1x4x4x2x!quant.uniform<i16:f32, 0.5>>, %w: tensor<1x3x3x2x!quant.uniform<i8:f32, 0.5>>) -> tensor<1x4x4x2x!quant.uniform<i16:f32, 0.5>> {
  // expected-error @+1 {{'tflite.depthwise' op has the shift 32, which is none of 1 to 31}}
  %0 = tflite.depthwise %x, %w [1, 1] [1, 1] [1, 1] biases [0, 0] multipliers [1, 1] shifts [2, 32] : tensor<1x4x4x2x!quant.uniform<i16:f32, 0.5>>, tensor<1x3x3x2x!quant.uniform<i8:f32, 0.5>> -> tensor<1x4x4x2x!quant.uniform<i16:f32, 0.5>>
  return %0 : tensor<1x4x4x2x!quant.uniform<i16:f32, 0.5>>
}

// -----

func.func @depthwise_factors(%x: tensor<1x4x4x2x!quant.uniform<i16:f32, 0.5>>, %w: tensor<1x3x3x2x!quant.uniform<i8:f32, 0.5>>) -> tensor<1x4x4x2x!quant.uniform<i16:f32, 0.5>> {
  // expected-error @+1 {{'tflite.depthwise' op has places outside of a tensor}}
  %0 = tflite.depthwise %x, %w [1, 1] [1, 1] [1, 1] biases [0, 0] multipliers [1, 1] shifts [2] : tensor<1x4x4x2x!quant.uniform<i16:f32, 0.5>>, tensor<1x3x3x2x!quant.uniform<i8:f32, 0.5>> -> tensor<1x4x4x2x!quant.uniform<i16:f32, 0.5>>
  return %0 : tensor<1x4x4x2x!quant.uniform<i16:f32, 0.5>>
}

// -----

func.func @depthwise_bias(%x: tensor<1x4x4x2x!quant.uniform<i16:f32, 0.5>>, %w: tensor<1x3x3x2x!quant.uniform<i8:f32, 0.5>>) -> tensor<1x4x4x2x!quant.uniform<i16:f32, 0.5>> {
  // expected-error @+1 {{'tflite.depthwise' op has the bias 1073741825, which is none of -1073741824 to 1073741824}}
  %0 = tflite.depthwise %x, %w [1, 1] [1, 1] [1, 1] biases [0, 1073741825] multipliers [1, 1] shifts [2, 2] : tensor<1x4x4x2x!quant.uniform<i16:f32, 0.5>>, tensor<1x3x3x2x!quant.uniform<i8:f32, 0.5>> -> tensor<1x4x4x2x!quant.uniform<i16:f32, 0.5>>
  return %0 : tensor<1x4x4x2x!quant.uniform<i16:f32, 0.5>>
}

// -----

func.func @depthwise_negative_bias(%x: tensor<1x4x4x2x!quant.uniform<i16:f32, 0.5>>, %w: tensor<1x3x3x2x!quant.uniform<i8:f32, 0.5>>) -> tensor<1x4x4x2x!quant.uniform<i16:f32, 0.5>> {
  // expected-error @+1 {{'tflite.depthwise' op has the bias -1073741825, which is none of -1073741824 to 1073741824}}
  %0 = tflite.depthwise %x, %w [1, 1] [1, 1] [1, 1] biases [-1073741825, 0] multipliers [1, 1] shifts [2, 2] : tensor<1x4x4x2x!quant.uniform<i16:f32, 0.5>>, tensor<1x3x3x2x!quant.uniform<i8:f32, 0.5>> -> tensor<1x4x4x2x!quant.uniform<i16:f32, 0.5>>
  return %0 : tensor<1x4x4x2x!quant.uniform<i16:f32, 0.5>>
}

// -----

func.func @depthwise_multiplier(%x: tensor<1x4x4x2x!quant.uniform<i16:f32, 0.5>>, %w: tensor<1x3x3x2x!quant.uniform<i8:f32, 0.5>>) -> tensor<1x4x4x2x!quant.uniform<i16:f32, 0.5>> {
  // expected-error @+1 {{'tflite.depthwise' op has the multiplier 32768, which is none of 0 to 32767}}
  %0 = tflite.depthwise %x, %w [1, 1] [1, 1] [1, 1] biases [0, 0] multipliers [32767, 32768] shifts [2, 2] : tensor<1x4x4x2x!quant.uniform<i16:f32, 0.5>>, tensor<1x3x3x2x!quant.uniform<i8:f32, 0.5>> -> tensor<1x4x4x2x!quant.uniform<i16:f32, 0.5>>
  return %0 : tensor<1x4x4x2x!quant.uniform<i16:f32, 0.5>>
}

// -----

func.func @depthwise_negative_multiplier(%x: tensor<1x4x4x2x!quant.uniform<i16:f32, 0.5>>, %w: tensor<1x3x3x2x!quant.uniform<i8:f32, 0.5>>) -> tensor<1x4x4x2x!quant.uniform<i16:f32, 0.5>> {
  // expected-error @+1 {{'tflite.depthwise' op has the multiplier -1, which is none of 0 to 32767}}
  %0 = tflite.depthwise %x, %w [1, 1] [1, 1] [1, 1] biases [0, 0] multipliers [-1, 1] shifts [2, 2] : tensor<1x4x4x2x!quant.uniform<i16:f32, 0.5>>, tensor<1x3x3x2x!quant.uniform<i8:f32, 0.5>> -> tensor<1x4x4x2x!quant.uniform<i16:f32, 0.5>>
  return %0 : tensor<1x4x4x2x!quant.uniform<i16:f32, 0.5>>
}

// -----

func.func @depthwise_padding(%x: tensor<1x4x4x2x!quant.uniform<i16:f32, 0.5>>, %w: tensor<1x3x3x2x!quant.uniform<i8:f32, 0.5>>) -> tensor<1x4x4x2x!quant.uniform<i16:f32, 0.5>> {
  // expected-error @+1 {{'tflite.depthwise' op its windows reach so far that they pad most of the image}}
  %0 = tflite.depthwise %x, %w [1, 1] [200, 200] [200, 200] biases [0, 0] multipliers [1, 1] shifts [2, 2] : tensor<1x4x4x2x!quant.uniform<i16:f32, 0.5>>, tensor<1x3x3x2x!quant.uniform<i8:f32, 0.5>> -> tensor<1x4x4x2x!quant.uniform<i16:f32, 0.5>>
  return %0 : tensor<1x4x4x2x!quant.uniform<i16:f32, 0.5>>
}

// -----

// A place has more elements than the tensor has dimensions.
func.func @gather_nd_depth(%x: tensor<3xf32>, %i: tensor<4x2xi32>) -> tensor<4xf32> {
  // expected-error @+1 {{'tflite.gather_nd' op has places outside of a tensor}}
  %0 = tflite.gather_nd %x, %i : tensor<3xf32>, tensor<4x2xi32> -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @gather_nd_shape(%x: tensor<3x5xf32>, %i: tensor<4x1xi32>) -> tensor<4xf32> {
  // expected-error @+1 {{'tflite.gather_nd' op has places outside of a tensor}}
  %0 = tflite.gather_nd %x, %i : tensor<3x5xf32>, tensor<4x1xi32> -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @gather_nd_empty(%x: tensor<0x5xf32>, %i: tensor<4x1xi32>) -> tensor<4x5xf32> {
  // expected-error @+1 {{'tflite.gather_nd' op has places outside of a tensor}}
  %0 = tflite.gather_nd %x, %i : tensor<0x5xf32>, tensor<4x1xi32> -> tensor<4x5xf32>
  return %0 : tensor<4x5xf32>
}

// -----

func.func @gather_nd_indices(%x: tensor<3x5xf32>, %i: tensor<4x1xf32>) -> tensor<4x5xf32> {
  // expected-error @+1 {{'tflite.gather_nd' op has indices of type 'tensor<4x1xf32>', which are no integers of 16 bits or more}}
  %0 = tflite.gather_nd %x, %i : tensor<3x5xf32>, tensor<4x1xf32> -> tensor<4x5xf32>
  return %0 : tensor<4x5xf32>
}
