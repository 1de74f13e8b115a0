// RUN: nnhal-opt %s --convert-nnhal-to-linalg --split-input-file --verify-diagnostics

// What chooses the code must be constant, and the rank of a result known.
func.func @computed_axis(%x: tensor<2x3xf32>, %axis: i32) -> tensor<4x3xf32> {
  // expected-error @below {{'nnhal.operation' op cannot be lowered: the axis is not constant}}
  %0 = nnhal.operation "CONCATENATION"(%x, %x, %axis) : (tensor<2x3xf32>, tensor<2x3xf32>, i32) -> tensor<4x3xf32>
  return %0 : tensor<4x3xf32>
}

// -----

func.func @computed_shuffle_axis(%x: tensor<2x4xf32>, %axis: i32) -> tensor<2x4xf32> {
  %groups = nnhal.constant_copy 2 : i32 -> i32
  // expected-error @below {{'nnhal.operation' op cannot be lowered: the axis is not constant}}
  %0 = nnhal.operation "CHANNEL_SHUFFLE"(%x, %groups, %axis) : (tensor<2x4xf32>, i32, i32) -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}

// -----

func.func @computed_shuffle_layout(%x: tensor<1x2x2x4xf32>, %nchw: i8) -> tensor<1x4x4x1xf32> {
  %two = nnhal.constant_copy 2 : i32 -> i32
  // expected-error @below {{'nnhal.operation' op cannot be lowered: the layout is not constant}}
  %0 = nnhal.operation "DEPTH_TO_SPACE"(%x, %two, %nchw) : (tensor<1x2x2x4xf32>, i32, i8) -> tensor<1x4x4x1xf32>
  return %0 : tensor<1x4x4x1xf32>
}

// -----

func.func @computed_detection_layout(%x: tensor<1x4x4x1xf32>, %boxes: tensor<1x4xf32>, %nchw: i8) -> (tensor<1x1xf32>, tensor<1x1x2xf32>) {
  // expected-error @below {{'nnhal.operation' op cannot be lowered: the layout is not constant}}
  %0:2 = nnhal.operation "HEATMAP_MAX_KEYPOINT"(%x, %boxes, %nchw) : (tensor<1x4x4x1xf32>, tensor<1x4xf32>, i8) -> (tensor<1x1xf32>, tensor<1x1x2xf32>)
  return %0#0, %0#1 : tensor<1x1xf32>, tensor<1x1x2xf32>
}

// -----

// Only raising takes pictures in NCHW order.
func.func @nchw(%x: tensor<1x4x2x2xf32>, %block: i32) -> tensor<1x1x4x4xf32> {
  %nchw = nnhal.constant_copy 1 : i8 -> i8
  // expected-error @below {{'nnhal.operation' op cannot be lowered: pictures are in NCHW order, which only nnhal-raise-operations takes}}
  %0 = nnhal.operation "DEPTH_TO_SPACE"(%x, %block, %nchw) : (tensor<1x4x2x2xf32>, i32, i8) -> tensor<1x1x4x4xf32>
  return %0 : tensor<1x1x4x4xf32>
}

// -----

func.func @computed_activation(%x: tensor<4xf32>, %activation: i32) -> tensor<4xf32> {
  // expected-error @below {{'nnhal.operation' op cannot be lowered: the fused activation is no constant}}
  %0 = nnhal.operation "ADD"(%x, %x, %activation) : (tensor<4xf32>, tensor<4xf32>, i32) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @computed_l2_axis(%x: tensor<2x4xf32>, %axis: i32) -> tensor<2x4xf32> {
  // expected-error @below {{'nnhal.operation' op cannot be lowered: the axis is no constant}}
  %0 = nnhal.operation "L2_NORMALIZATION"(%x, %axis) : (tensor<2x4xf32>, i32) -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}

// -----

func.func @computed_response_axis(%x: tensor<2x4xf32>, %axis: i32) -> tensor<2x4xf32> {
  %r = nnhal.constant_copy 1 : i32 -> i32
  %f = nnhal.constant_copy 1.0 : f32 -> f32
  // expected-error @below {{'nnhal.operation' op cannot be lowered: the axis is no constant}}
  %0 = nnhal.operation "LOCAL_RESPONSE_NORMALIZATION"(%x, %r, %f, %f, %f, %axis) : (tensor<2x4xf32>, i32, f32, f32, f32, i32) -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}

// -----

func.func @computed_instance_layout(%x: tensor<1x2x2x4xf32>, %nchw: i8) -> tensor<1x2x2x4xf32> {
  %f = nnhal.constant_copy 1.0 : f32 -> f32
  // expected-error @below {{'nnhal.operation' op cannot be lowered: the layout is not constant}}
  %0 = nnhal.operation "INSTANCE_NORMALIZATION"(%x, %f, %f, %f, %nchw) : (tensor<1x2x2x4xf32>, f32, f32, f32, i8) -> tensor<1x2x2x4xf32>
  return %0 : tensor<1x2x2x4xf32>
}

// -----

func.func @computed_softmax_axis(%x: tensor<2x4xf32>, %axis: i32) -> tensor<2x4xf32> {
  %f = nnhal.constant_copy 1.0 : f32 -> f32
  // expected-error @below {{'nnhal.operation' op cannot be lowered: the axis is no constant}}
  %0 = nnhal.operation "SOFTMAX"(%x, %f, %axis) : (tensor<2x4xf32>, f32, i32) -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}

// -----

func.func @computed_keep_dims(%x: tensor<2x4xf32>, %axes: tensor<1xi32>, %keep: i8) -> tensor<2xf32> {
  // expected-error @below {{'nnhal.operation' op cannot be lowered: keep_dims is no constant}}
  %0 = nnhal.operation "REDUCE_SUM"(%x, %axes, %keep) : (tensor<2x4xf32>, tensor<1xi32>, i8) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// -----

func.func @rank_of_axes(%x: tensor<2x4xf32>, %axes: tensor<?xi32>) -> tensor<*xf32> {
  %keep = nnhal.constant_copy 0 : i8 -> i8
  // expected-error @below {{'nnhal.operation' op cannot be lowered: the rank of the result depends on the axes}}
  %0 = nnhal.operation "REDUCE_SUM"(%x, %axes, %keep) : (tensor<2x4xf32>, tensor<?xi32>, i8) -> tensor<*xf32>
  return %0 : tensor<*xf32>
}

// -----

func.func @computed_argmax_axis(%x: tensor<2x4xf32>, %axis: i32) -> tensor<2xi32> {
  // expected-error @below {{'nnhal.operation' op cannot be lowered: the axis is no constant}}
  %0 = nnhal.operation "ARGMAX"(%x, %axis) : (tensor<2x4xf32>, i32) -> tensor<2xi32>
  return %0 : tensor<2xi32>
}

// -----

func.func @computed_resize(%x: tensor<1x2x2x1xf32>, %flag: i8) -> tensor<1x4x4x1xf32> {
  %four = nnhal.constant_copy 4 : i32 -> i32
  %no = nnhal.constant_copy 0 : i8 -> i8
  // expected-error @below {{'nnhal.operation' op cannot be lowered: the flag for half pixel centers is not constant}}
  %0 = nnhal.operation "RESIZE_BILINEAR"(%x, %four, %four, %no, %no, %flag) : (tensor<1x2x2x1xf32>, i32, i32, i8, i8, i8) -> tensor<1x4x4x1xf32>
  return %0 : tensor<1x4x4x1xf32>
}

// -----

func.func @rank_of_shape(%x: tensor<4xf32>, %shape: tensor<?xi32>) -> tensor<*xf32> {
  // expected-error @below {{'nnhal.operation' op cannot be lowered: the rank of output 0 is not known}}
  %0 = nnhal.operation "RESHAPE"(%x, %shape) : (tensor<4xf32>, tensor<?xi32>) -> tensor<*xf32>
  return %0 : tensor<*xf32>
}

// -----

func.func @computed_quantized_activation(%x: tensor<4x!quant.uniform<u8:f32, 0.5>>, %activation: i32) -> tensor<4x!quant.uniform<u8:f32, 0.5>> {
  // expected-error @below {{'nnhal.operation' op cannot be lowered: the fused activation is no constant}}
  %0 = nnhal.operation "ADD"(%x, %x, %activation) : (tensor<4x!quant.uniform<u8:f32, 0.5>>, tensor<4x!quant.uniform<u8:f32, 0.5>>, i32) -> tensor<4x!quant.uniform<u8:f32, 0.5>>
  return %0 : tensor<4x!quant.uniform<u8:f32, 0.5>>
}
