// RUN: nnhal-opt %s --split-input-file --verify-diagnostics

func.func @reshape_c1(%arg0: tensor<4xi32>) {
  // expected-error @below {{'nnhal.reshape' op input type TENSOR_INT32 is not among TENSOR_FLOAT32, TENSOR_FLOAT16, TENSOR_QUANT8_ASYMM, TENSOR_QUANT8_ASYMM_SIGNED}}
  %0 = nnhal.reshape %arg0 : (tensor<4xi32>) -> tensor<2x2xi32>
  return
}

// -----

func.func @reshape_c2(%arg0: tensor<4xf32>) {
  // expected-error @below {{'nnhal.reshape' op output type TENSOR_FLOAT16 is not the expected TENSOR_FLOAT32}}
  %0 = nnhal.reshape %arg0 : (tensor<4xf32>) -> tensor<2x2xf16>
  return
}

// -----

func.func @reshape_c3(%arg0: tensor<4xf32>) {
  // expected-error @below {{'nnhal.reshape' op result shape 2x3 has 6 elements, input shape 4 has 4}}
  %0 = nnhal.reshape %arg0 : (tensor<4xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @reshape_c4(%arg0: tensor<4xf32>) {
  // expected-error @below {{'nnhal.reshape' op input has 4 elements, no multiple of the 3 that result shape ?x3 fixes}}
  %0 = nnhal.reshape %arg0 : (tensor<4xf32>) -> tensor<?x3xf32>
  return
}

// -----

func.func @squeeze_c1(%arg0: tensor<1x4xi32>) {
  // expected-error @below {{'nnhal.squeeze' op input type TENSOR_INT32 is not among TENSOR_FLOAT32, TENSOR_FLOAT16, TENSOR_QUANT8_ASYMM, TENSOR_QUANT8_ASYMM_SIGNED}}
  %0 = nnhal.squeeze %arg0 axes [0] : (tensor<1x4xi32>) -> tensor<4xi32>
  return
}

// -----

func.func @squeeze_c2(%arg0: tensor<1x4xf32>) {
  // expected-error @below {{'nnhal.squeeze' op axis 2 is outside [-2, 2)}}
  %0 = nnhal.squeeze %arg0 axes [2] : (tensor<1x4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @squeeze_c3(%arg0: tensor<1x4xf32>) {
  // expected-error @below {{'nnhal.squeeze' op extent 4 of axis -1 must be 1}}
  %0 = nnhal.squeeze %arg0 axes [-1] : (tensor<1x4xf32>) -> tensor<1xf32>
  return
}

// -----

func.func @expand_dims_c1(%arg0: tensor<4xi8>) {
  // expected-error @below {{'nnhal.expand_dims' op input type TENSOR_BOOL8 is not among TENSOR_FLOAT32, TENSOR_FLOAT16, TENSOR_INT32, TENSOR_QUANT8_ASYMM, TENSOR_QUANT8_ASYMM_SIGNED}}
  %0 = nnhal.expand_dims %arg0 axis 0 : (tensor<4xi8>) -> tensor<1x4xi8>
  return
}

// -----

func.func @expand_dims_c2(%arg0: tensor<4xf32>) {
  // expected-error @below {{'nnhal.expand_dims' op axis 2 is outside [-2, 2)}}
  %0 = nnhal.expand_dims %arg0 axis 2 : (tensor<4xf32>) -> tensor<4x1xf32>
  return
}

// -----

func.func @transpose_c1(%arg0: tensor<1x1x1x1x2xf32>) {
  // expected-error @below {{'nnhal.transpose' op input rank 5 is above 4}}
  %0 = nnhal.transpose %arg0 permutation [0, 1, 2, 3, 4]
      : (tensor<1x1x1x1x2xf32>) -> tensor<1x1x1x1x2xf32>
  return
}

// -----

func.func @transpose_c2(%arg0: tensor<2x3xf32>) {
  // expected-error @below {{'nnhal.transpose' op permutation has 1 elements, expected 2}}
  %0 = nnhal.transpose %arg0 permutation [0] : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @transpose_c3(%arg0: tensor<2x3xf32>) {
  // expected-error @below {{'nnhal.transpose' op permutation element 2 is outside [0, 2)}}
  %0 = nnhal.transpose %arg0 permutation [0, 2] : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @transpose_c4(%arg0: tensor<2x3xf32>) {
  // expected-error @below {{'nnhal.transpose' op permutation repeats dimension 1}}
  %0 = nnhal.transpose %arg0 permutation [1, 1] : (tensor<2x3xf32>) -> tensor<3x3xf32>
  return
}

// -----

func.func @channel_shuffle_c1(%arg0: tensor<2x4xi32>) {
  // expected-error @below {{'nnhal.channel_shuffle' op input type TENSOR_INT32 is not among TENSOR_FLOAT32, TENSOR_FLOAT16, TENSOR_QUANT8_ASYMM, TENSOR_QUANT8_ASYMM_SIGNED}}
  %0 = nnhal.channel_shuffle %arg0 groups 2 axis -1 : (tensor<2x4xi32>) -> tensor<2x4xi32>
  return
}

// -----

func.func @channel_shuffle_c2(%arg0: tensor<2x4xf32>) {
  // expected-error @below {{'nnhal.channel_shuffle' op groups 0 must be positive}}
  %0 = nnhal.channel_shuffle %arg0 groups 0 axis -1 : (tensor<2x4xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @channel_shuffle_c3(%arg0: tensor<2x4xf32>) {
  // expected-error @below {{'nnhal.channel_shuffle' op axis 2 is outside [-2, 2)}}
  %0 = nnhal.channel_shuffle %arg0 groups 2 axis 2 : (tensor<2x4xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @channel_shuffle_c4(%arg0: tensor<2x4xf32>) {
  // expected-error @below {{'nnhal.channel_shuffle' op extent 4 of axis -1 is not a multiple of groups 3}}
  %0 = nnhal.channel_shuffle %arg0 groups 3 axis -1 : (tensor<2x4xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @depth_to_space_c1(%arg0: tensor<2x2x4xf32>) {
  // expected-error @below {{'nnhal.depth_to_space' op input rank 3 is below 4}}
  %0 = nnhal.depth_to_space %arg0 block_size 2 : (tensor<2x2x4xf32>) -> tensor<4x4x1xf32>
  return
}

// -----

func.func @depth_to_space_c2(%arg0: tensor<1x2x2x4xf32>) {
  // expected-error @below {{'nnhal.depth_to_space' op block size 0 must be positive}}
  %0 = nnhal.depth_to_space %arg0 block_size 0 : (tensor<1x2x2x4xf32>) -> tensor<1x4x4x1xf32>
  return
}

// -----

func.func @depth_to_space_c3(%arg0: tensor<1x2x2x6xf32>) {
  // expected-error @below {{'nnhal.depth_to_space' op input channels 6 is not a multiple of the block's area 4}}
  %0 = nnhal.depth_to_space %arg0 block_size 2 : (tensor<1x2x2x6xf32>) -> tensor<1x4x4x1xf32>
  return
}

// -----

func.func @space_to_depth_c1(%arg0: tensor<2x2x4xf32>) {
  // expected-error @below {{'nnhal.space_to_depth' op input rank 3 is below 4}}
  %0 = nnhal.space_to_depth %arg0 block_size 2 : (tensor<2x2x4xf32>) -> tensor<4x4x1xf32>
  return
}

// -----

func.func @space_to_depth_c2(%arg0: tensor<1x2x2x4xf32>) {
  // expected-error @below {{'nnhal.space_to_depth' op block size -1 must be positive}}
  %0 = nnhal.space_to_depth %arg0 block_size -1 : (tensor<1x2x2x4xf32>) -> tensor<1x4x4x1xf32>
  return
}

// -----

func.func @space_to_depth_c3(%arg0: tensor<1x2x3x4xf32>) {
  // expected-error @below {{'nnhal.space_to_depth' op input width 3 is not a multiple of block size 2}}
  %0 = nnhal.space_to_depth %arg0 block_size 2 : (tensor<1x2x3x4xf32>) -> tensor<1x1x1x16xf32>
  return
}

// -----

func.func @batch_to_space_nd_c1(%arg0: tensor<4x2x2xf32>) {
  // expected-error @below {{'nnhal.batch_to_space_nd' op input rank 3 is below 4}}
  %0 = nnhal.batch_to_space_nd %arg0 block_shape [2, 2]
      : (tensor<4x2x2xf32>) -> tensor<1x4x4xf32>
  return
}

// -----

func.func @batch_to_space_nd_c2(%arg0: tensor<4x2x2x1xf32>) {
  // expected-error @below {{'nnhal.batch_to_space_nd' op block height 0 must be positive}}
  %0 = nnhal.batch_to_space_nd %arg0 block_shape [0, 2]
      : (tensor<4x2x2x1xf32>) -> tensor<1x4x4x1xf32>
  return
}

// -----

func.func @batch_to_space_nd_c2_count(%arg0: tensor<4x2x2x1xf32>) {
  // expected-error @below {{'nnhal.batch_to_space_nd' op block_shape has 1 elements, expected 2}}
  %0 = nnhal.batch_to_space_nd %arg0 block_shape [2]
      : (tensor<4x2x2x1xf32>) -> tensor<1x4x4x1xf32>
  return
}

// -----

func.func @batch_to_space_nd_c3(%arg0: tensor<3x2x2x1xf32>) {
  // expected-error @below {{'nnhal.batch_to_space_nd' op input batch 3 is not a multiple of the block's area 4}}
  %0 = nnhal.batch_to_space_nd %arg0 block_shape [2, 2]
      : (tensor<3x2x2x1xf32>) -> tensor<1x4x4x1xf32>
  return
}

// -----

func.func @space_to_batch_nd_c1(%arg0: tensor<4x4x1xf32>) {
  // expected-error @below {{'nnhal.space_to_batch_nd' op input rank 3 is below 4}}
  %0 = nnhal.space_to_batch_nd %arg0 block_shape [2, 2] pads [0, 0, 0, 0]
      : (tensor<4x4x1xf32>) -> tensor<4x2x2x1xf32>
  return
}

// -----

func.func @space_to_batch_nd_c2(%arg0: tensor<1x4x4x1xf32>) {
  // expected-error @below {{'nnhal.space_to_batch_nd' op block width 0 must be positive}}
  %0 = nnhal.space_to_batch_nd %arg0 block_shape [2, 0] pads [0, 0, 0, 0]
      : (tensor<1x4x4x1xf32>) -> tensor<4x2x2x1xf32>
  return
}

// -----

func.func @space_to_batch_nd_c3(%arg0: tensor<1x4x4x1xf32>) {
  // expected-error @below {{'nnhal.space_to_batch_nd' op pad right -1 must not be negative}}
  %0 = nnhal.space_to_batch_nd %arg0
      block_shape [2, 2] pads [0, 0, 0, -1]
      : (tensor<1x4x4x1xf32>) -> tensor<4x2x2x1xf32>
  return
}

// -----

func.func @space_to_batch_nd_c4(%arg0: tensor<1x4x4x1xf32>) {
  // expected-error @below {{'nnhal.space_to_batch_nd' op padded height 5 is not a multiple of block height 2}}
  %0 = nnhal.space_to_batch_nd %arg0 block_shape [2, 2] pads [1, 0, 0, 0]
      : (tensor<1x4x4x1xf32>) -> tensor<4x2x2x1xf32>
  return
}
