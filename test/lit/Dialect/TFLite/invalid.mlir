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

func.func @softmax(%x: tensor<2x!quant.uniform<i16:f32, 0.5>>) -> tensor<3x!quant.uniform<i16:f32, 0.000030517578125>> {
  // expected-error @+1 {{'tflite.softmax' op its result has another shape, or it has no rows}}
  %0 = tflite.softmax %x {beta = 1.0 : f32} : tensor<2x!quant.uniform<i16:f32, 0.5>> -> tensor<3x!quant.uniform<i16:f32, 0.000030517578125>>
  return %0 : tensor<3x!quant.uniform<i16:f32, 0.000030517578125>>
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

// -----

func.func @no_rows(%x: tensor<!quant.uniform<i16:f32, 0.5>>) -> tensor<!quant.uniform<i16:f32, 0.000030517578125>> {
  // expected-error @+1 {{'tflite.softmax' op its result has another shape, or it has no rows}}
  %0 = tflite.softmax %x {beta = 1.0 : f32} : tensor<!quant.uniform<i16:f32, 0.5>> -> tensor<!quant.uniform<i16:f32, 0.000030517578125>>
  return %0 : tensor<!quant.uniform<i16:f32, 0.000030517578125>>
}

// -----

func.func @softmax_scale(%x: tensor<2x!quant.uniform<i16:f32, 0.5>>) -> tensor<2x!quant.uniform<i16:f32, 0.5>> {
  // expected-error @+1 {{'tflite.softmax' op its result has not the scale 2^-15}}
  %0 = tflite.softmax %x {beta = 1.0 : f32} : tensor<2x!quant.uniform<i16:f32, 0.5>> -> tensor<2x!quant.uniform<i16:f32, 0.5>>
  return %0 : tensor<2x!quant.uniform<i16:f32, 0.5>>
}

// -----

func.func @softmax_byte_scale(%x: tensor<2x!quant.uniform<i8:f32, 0.5>>) -> tensor<2x!quant.uniform<u16:f32, 0.5>> {
  // expected-error @+1 {{'tflite.softmax' op its result has not the scale 2^-16, without a zero point}}
  %0 = tflite.softmax %x {beta = 1.0 : f32} : tensor<2x!quant.uniform<i8:f32, 0.5>> -> tensor<2x!quant.uniform<u16:f32, 0.5>>
  return %0 : tensor<2x!quant.uniform<u16:f32, 0.5>>
}

// -----

func.func @softmax_byte_zero_point(%x: tensor<2x!quant.uniform<i8:f32, 0.5>>) -> tensor<2x!quant.uniform<u16:f32, 0.0000152587890625:3>> {
  // expected-error @+1 {{'tflite.softmax' op its result has not the scale 2^-16, without a zero point}}
  %0 = tflite.softmax %x {beta = 1.0 : f32} : tensor<2x!quant.uniform<i8:f32, 0.5>> -> tensor<2x!quant.uniform<u16:f32, 0.0000152587890625:3>>
  return %0 : tensor<2x!quant.uniform<u16:f32, 0.0000152587890625:3>>
}

// -----

func.func @softmax_byte_rows(%x: tensor<4096x!quant.uniform<i8:f32, 0.5>>) -> tensor<4096x!quant.uniform<u16:f32, 0.0000152587890625>> {
  // expected-error @+1 {{'tflite.softmax' op its rows have more than 4095 elements}}
  %0 = tflite.softmax %x {beta = 1.0 : f32} : tensor<4096x!quant.uniform<i8:f32, 0.5>> -> tensor<4096x!quant.uniform<u16:f32, 0.0000152587890625>>
  return %0 : tensor<4096x!quant.uniform<u16:f32, 0.0000152587890625>>
}

// -----

func.func @softmax_byte_beta(%x: tensor<2x!quant.uniform<i8:f32, 0.5>>) -> tensor<2x!quant.uniform<u16:f32, 0.0000152587890625>> {
  // expected-error @+1 {{'tflite.softmax' op its scale times beta is below 2^-27}}
  %0 = tflite.softmax %x {beta = 1.0e-9 : f32} : tensor<2x!quant.uniform<i8:f32, 0.5>> -> tensor<2x!quant.uniform<u16:f32, 0.0000152587890625>>
  return %0 : tensor<2x!quant.uniform<u16:f32, 0.0000152587890625>>
}

// -----

func.func @softmax_unsigned_bytes(%x: tensor<2x!quant.uniform<u8:f32, 0.5>>) -> tensor<2x!quant.uniform<u16:f32, 0.0000152587890625>> {
  // expected-error @+1 {{'tflite.softmax' op elements of these types are not compiled}}
  %0 = tflite.softmax %x {beta = 1.0 : f32} : tensor<2x!quant.uniform<u8:f32, 0.5>> -> tensor<2x!quant.uniform<u16:f32, 0.0000152587890625>>
  return %0 : tensor<2x!quant.uniform<u16:f32, 0.0000152587890625>>
}

// -----

func.func @logistic_scale(%x: tensor<2x!quant.uniform<i16:f32, 0.5>>) -> tensor<2x!quant.uniform<i16:f32, 0.5>> {
  // expected-error @+1 {{'tflite.elementwise' op its result has not the scale 2^-15}}
  %0 = tflite.elementwise logistic(%x) : (tensor<2x!quant.uniform<i16:f32, 0.5>>) -> tensor<2x!quant.uniform<i16:f32, 0.5>>
  return %0 : tensor<2x!quant.uniform<i16:f32, 0.5>>
}

// -----

func.func @tanh_scale(%x: tensor<2x!quant.uniform<i16:f32, 0.5>>) -> tensor<2x!quant.uniform<i16:f32, 0.5>> {
  // expected-error @+1 {{'tflite.elementwise' op its result has not the scale 2^-15}}
  %0 = tflite.elementwise tanh(%x) : (tensor<2x!quant.uniform<i16:f32, 0.5>>) -> tensor<2x!quant.uniform<i16:f32, 0.5>>
  return %0 : tensor<2x!quant.uniform<i16:f32, 0.5>>
}

// -----

func.func @fewer_dimensions(%x: tensor<2x3xf32>) -> tensor<3xf32> {
  // expected-error @+1 {{'tflite.elementwise' op has a result of type 'tensor<3xf32>', which is not the shape that the inputs broadcast to}}
  %0 = tflite.elementwise broadcast_to(%x) : (tensor<2x3xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// -----

func.func @other_extent(%x: tensor<3xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{'tflite.elementwise' op has inputs that do not broadcast}}
  %0 = tflite.elementwise broadcast_to(%x) : (tensor<3xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @other_result(%x: tensor<3xf32>) -> tensor<1xf32> {
  // expected-error @+1 {{'tflite.elementwise' op has a result of type 'tensor<1xf32>', which is not the shape that the inputs broadcast to}}
  %0 = tflite.elementwise broadcast_to(%x) : (tensor<3xf32>) -> tensor<1xf32>
  return %0 : tensor<1xf32>
}

// -----

func.func @activation(%x: tensor<2xf32>) -> tensor<2xf32> {
  // expected-error @+1 {{'tflite.elementwise' op has the activation 4, which is none of 0 to 3}}
  %0 = tflite.elementwise add(%x, %x) {activation = 4 : i32} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// -----

func.func @pool_activation(%x: tensor<1x4x4x8x!quant.uniform<i16:f32, 0.5>>) -> tensor<1x2x2x8x!quant.uniform<i16:f32, 0.5>> {
  // expected-error @+1 {{'tflite.pool' op has the activation 4294967295, which is none of 0 to 3}}
  %0 = tflite.pool mean %x [2, 2] [2, 2] {activation = -1 : i32} : tensor<1x4x4x8x!quant.uniform<i16:f32, 0.5>> -> tensor<1x2x2x8x!quant.uniform<i16:f32, 0.5>>
  return %0 : tensor<1x2x2x8x!quant.uniform<i16:f32, 0.5>>
}

// -----

func.func @pool_extents(%x: tensor<1x?x4x8x!quant.uniform<i16:f32, 0.5>>) -> tensor<1x2x2x8x!quant.uniform<i16:f32, 0.5>> {
  // expected-error @+1 {{'tflite.pool' op has a tensor of type 'tensor<1x?x4x8x!quant.uniform<i16:f32, 5.000000e-01>>', whose extents must be known}}
  %0 = tflite.pool mean %x [2, 2] [2, 2] : tensor<1x?x4x8x!quant.uniform<i16:f32, 0.5>> -> tensor<1x2x2x8x!quant.uniform<i16:f32, 0.5>>
  return %0 : tensor<1x2x2x8x!quant.uniform<i16:f32, 0.5>>
}

// -----

func.func @huge_window(%x: tensor<1x4x4x8x!quant.uniform<i16:f32, 0.5>>) -> tensor<1x2x2x8x!quant.uniform<i16:f32, 0.5>> {
  // expected-error @+1 {{'tflite.pool' op its windows have more than 65536 elements}}
  %0 = tflite.pool mean %x [4294967296, 4294967296] [2, 2] : tensor<1x4x4x8x!quant.uniform<i16:f32, 0.5>> -> tensor<1x2x2x8x!quant.uniform<i16:f32, 0.5>>
  return %0 : tensor<1x2x2x8x!quant.uniform<i16:f32, 0.5>>
}

// -----

func.func @huge_stride(%x: tensor<1x4x4x8x!quant.uniform<i16:f32, 0.5>>) -> tensor<1x3x2x8x!quant.uniform<i16:f32, 0.5>> {
  // expected-error @+1 {{'tflite.pool' op has places outside of a tensor}}
  %0 = tflite.pool mean %x [2, 2] [9223372036854775807, 2] : tensor<1x4x4x8x!quant.uniform<i16:f32, 0.5>> -> tensor<1x3x2x8x!quant.uniform<i16:f32, 0.5>>
  return %0 : tensor<1x3x2x8x!quant.uniform<i16:f32, 0.5>>
}

// -----

func.func @slice_extents(%x: tensor<?xf32>) -> tensor<2xf32> {
  // expected-error @+1 {{'tflite.slice' op has a tensor of type 'tensor<?xf32>', whose extents must be known}}
  %0 = tflite.slice %x [0] [1] : tensor<?xf32> -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// -----

func.func @huge_slice_stride(%x: tensor<2xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{'tflite.slice' op has places outside of a tensor}}
  %0 = tflite.slice %x [0] [6148914691236517206] : tensor<2xf32> -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @least_slice_stride(%x: tensor<2xf32>) -> tensor<1xf32> {
  // expected-error @+1 {{'tflite.slice' op has places outside of a tensor}}
  %0 = tflite.slice %x [0] [-9223372036854775808] : tensor<2xf32> -> tensor<1xf32>
  return %0 : tensor<1xf32>
}

// -----

func.func @concatenate_sum(%x: tensor<6148914691236517206xf32>) -> tensor<2xf32> {
  // expected-error @+1 {{'tflite.concatenate' op has places outside of a tensor}}
  %0 = tflite.concatenate %x, %x, %x {axis = 0} : tensor<6148914691236517206xf32>, tensor<6148914691236517206xf32>, tensor<6148914691236517206xf32> -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// -----

func.func @concatenate_axis(%x: tensor<2xf32>) -> tensor<2xf32> {
  // expected-error @+1 {{'tflite.concatenate' op has places outside of a tensor}}
  %0 = tflite.concatenate %x {axis = 900000} : tensor<2xf32> -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// -----

func.func @huge_padding(%x: tensor<2xf32>) -> tensor<3xf32> {
  // expected-error @+1 {{'tflite.pad' op has places outside of a tensor}}
  %0 = tflite.pad %x [9223372036854775807] : (tensor<2xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// -----

func.func @many_elements(%x: tensor<4294967296x4294967296xf32>) -> tensor<0xf32> {
  // expected-error @+1 {{'tflite.reshape' op has more elements than 63 bits count}}
  %0 = tflite.reshape %x : tensor<4294967296x4294967296xf32> -> tensor<0xf32>
  return %0 : tensor<0xf32>
}

// -----

func.func @reduce_extents(%x: tensor<?xf32>) -> tensor<f32> {
  // expected-error @+1 {{'tflite.reduce' op has a tensor of type 'tensor<?xf32>', whose extents must be known}}
  %0 = tflite.reduce sum %x [0] : tensor<?xf32> -> tensor<f32>
  return %0 : tensor<f32>
}

// -----

func.func @reshape_elements(%x: tensor<2xi32>) -> tensor<1x2xf32> {
  // expected-error @+1 {{'tflite.reshape' op has an operand of type 'tensor<2xi32>', but a result with elements of type 'f32'}}
  %0 = tflite.reshape %x : tensor<2xi32> -> tensor<1x2xf32>
  return %0 : tensor<1x2xf32>
}

// -----

func.func @slice_elements(%x: tensor<2xi32>) -> tensor<2xf32> {
  // expected-error @+1 {{'tflite.slice' op has an operand of type 'tensor<2xi32>', but a result with elements of type 'f32'}}
  %0 = tflite.slice %x [0] [1] : tensor<2xi32> -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// -----

func.func @transpose_elements(%x: tensor<2xi32>) -> tensor<2xf32> {
  // expected-error @+1 {{'tflite.transpose' op has an operand of type 'tensor<2xi32>', but a result with elements of type 'f32'}}
  %0 = tflite.transpose %x [0] : tensor<2xi32> -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// -----

func.func @concatenate_elements(%x: tensor<2xi32>) -> tensor<2xf32> {
  // expected-error @+1 {{'tflite.concatenate' op has an operand of type 'tensor<2xi32>', but a result with elements of type 'f32'}}
  %0 = tflite.concatenate %x {axis = 0} : tensor<2xi32> -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// -----

func.func @pad_elements(%x: tensor<2xi32>) -> tensor<2xf32> {
  // expected-error @+1 {{'tflite.pad' op has an operand of type 'tensor<2xi32>', but a result with elements of type 'f32'}}
  %0 = tflite.pad %x [0] : (tensor<2xi32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
