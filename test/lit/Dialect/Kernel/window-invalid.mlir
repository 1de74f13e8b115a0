// RUN: nnhal-opt %s -split-input-file -verify-diagnostics

func.func @depthwise_input_rank(%in: memref<8x8x3xf32>, %filter: memref<3x3x6xf32>, %bias: memref<6xf32>, %out: memref<1x8x8x6xf32>) {
  // expected-error@+1 {{input type 'memref<8x8x3xf32>' must have rank 4}}
  nnk.depthwise_conv_2d ins(%in, %filter, %bias : memref<8x8x3xf32>, memref<3x3x6xf32>, memref<6xf32>) outs(%out : memref<1x8x8x6xf32>) strides [1, 1] dilations [1, 1] pads [1, 1, 1, 1] depth_multiplier 2
  return
}

// -----

func.func @depthwise_filter_rank(%in: memref<1x8x8x3xf32>, %filter: memref<1x3x3x6xf32>, %bias: memref<6xf32>, %out: memref<1x8x8x6xf32>) {
  // expected-error@+1 {{filter type 'memref<1x3x3x6xf32>' must have rank 3}}
  nnk.depthwise_conv_2d ins(%in, %filter, %bias : memref<1x8x8x3xf32>, memref<1x3x3x6xf32>, memref<6xf32>) outs(%out : memref<1x8x8x6xf32>) strides [1, 1] dilations [1, 1] pads [1, 1, 1, 1] depth_multiplier 2
  return
}

// -----

func.func @depthwise_bias_rank(%in: memref<1x8x8x3xf32>, %filter: memref<3x3x6xf32>, %bias: memref<1x6xf32>, %out: memref<1x8x8x6xf32>) {
  // expected-error@+1 {{bias type 'memref<1x6xf32>' must have rank 1}}
  nnk.depthwise_conv_2d ins(%in, %filter, %bias : memref<1x8x8x3xf32>, memref<3x3x6xf32>, memref<1x6xf32>) outs(%out : memref<1x8x8x6xf32>) strides [1, 1] dilations [1, 1] pads [1, 1, 1, 1] depth_multiplier 2
  return
}

// -----

func.func @depthwise_multiplier(%in: memref<1x8x8x3xf32>, %filter: memref<3x3x6xf32>, %bias: memref<6xf32>, %out: memref<1x8x8x6xf32>) {
  // expected-error@+1 {{depth multiplier 0 must be at least 1}}
  nnk.depthwise_conv_2d ins(%in, %filter, %bias : memref<1x8x8x3xf32>, memref<3x3x6xf32>, memref<6xf32>) outs(%out : memref<1x8x8x6xf32>) strides [1, 1] dilations [1, 1] pads [1, 1, 1, 1] depth_multiplier 0
  return
}

// -----

func.func @depthwise_dynamic_filter(%in: memref<1x8x8x3xf32>, %filter: memref<3x?x6xf32>, %bias: memref<6xf32>, %out: memref<1x8x8x6xf32>) {
  // expected-error@+1 {{filter must have a static shape}}
  nnk.depthwise_conv_2d ins(%in, %filter, %bias : memref<1x8x8x3xf32>, memref<3x?x6xf32>, memref<6xf32>) outs(%out : memref<1x8x8x6xf32>) strides [1, 1] dilations [1, 1] pads [1, 1, 1, 1] depth_multiplier 2
  return
}

// -----

func.func @depthwise_output_channels(%in: memref<1x8x8x3xf32>, %filter: memref<3x3x6xf32>, %bias: memref<6xf32>, %out: memref<1x8x8x6xf32>) {
  // expected-error@+1 {{output channels is 6, expected 9}}
  nnk.depthwise_conv_2d ins(%in, %filter, %bias : memref<1x8x8x3xf32>, memref<3x3x6xf32>, memref<6xf32>) outs(%out : memref<1x8x8x6xf32>) strides [1, 1] dilations [1, 1] pads [1, 1, 1, 1] depth_multiplier 3
  return
}

// -----

func.func @depthwise_filter_channels(%in: memref<1x8x8x3xf32>, %filter: memref<3x3x5xf32>, %bias: memref<6xf32>, %out: memref<1x8x8x6xf32>) {
  // expected-error@+1 {{filter channels is 5, expected 6}}
  nnk.depthwise_conv_2d ins(%in, %filter, %bias : memref<1x8x8x3xf32>, memref<3x3x5xf32>, memref<6xf32>) outs(%out : memref<1x8x8x6xf32>) strides [1, 1] dilations [1, 1] pads [1, 1, 1, 1] depth_multiplier 2
  return
}

// -----

func.func @depthwise_bias_channels(%in: memref<1x8x8x3xf32>, %filter: memref<3x3x6xf32>, %bias: memref<5xf32>, %out: memref<1x8x8x6xf32>) {
  // expected-error@+1 {{bias channels is 5, expected 6}}
  nnk.depthwise_conv_2d ins(%in, %filter, %bias : memref<1x8x8x3xf32>, memref<3x3x6xf32>, memref<5xf32>) outs(%out : memref<1x8x8x6xf32>) strides [1, 1] dilations [1, 1] pads [1, 1, 1, 1] depth_multiplier 2
  return
}

// -----

func.func @depthwise_output_height(%in: memref<1x8x8x3xf32>, %filter: memref<3x3x6xf32>, %bias: memref<6xf32>, %out: memref<1x8x8x6xf32>) {
  // expected-error@+1 {{output height is 8, expected 6}}
  nnk.depthwise_conv_2d ins(%in, %filter, %bias : memref<1x8x8x3xf32>, memref<3x3x6xf32>, memref<6xf32>) outs(%out : memref<1x8x8x6xf32>) strides [1, 1] dilations [1, 1] pads [0, 0, 1, 1] depth_multiplier 2
  return
}

// -----

func.func @pool_input_rank(%in: memref<8x8x3xf32>, %out: memref<1x4x4x3xf32>) {
  // expected-error@+1 {{input type 'memref<8x8x3xf32>' must have rank 4}}
  nnk.pool_2d average ins(%in : memref<8x8x3xf32>) outs(%out : memref<1x4x4x3xf32>) window [2, 2] strides [2, 2] pads [0, 0, 0, 0]
  return
}

// -----

func.func @pool_window_count(%in: memref<1x8x8x3xf32>, %out: memref<1x4x4x3xf32>) {
  // expected-error@+1 {{window has 1 elements, expected 2}}
  nnk.pool_2d average ins(%in : memref<1x8x8x3xf32>) outs(%out : memref<1x4x4x3xf32>) window [2] strides [2, 2] pads [0, 0, 0, 0]
  return
}

// -----

func.func @pool_window_value(%in: memref<1x8x8x3xf32>, %out: memref<1x4x4x3xf32>) {
  // expected-error@+1 {{window value 0 must be at least 1}}
  nnk.pool_2d average ins(%in : memref<1x8x8x3xf32>) outs(%out : memref<1x4x4x3xf32>) window [2, 0] strides [2, 2] pads [0, 0, 0, 0]
  return
}

// -----

func.func @pool_output_width(%in: memref<1x8x8x3xf32>, %out: memref<1x4x4x3xf32>) {
  // expected-error@+1 {{output width is 4, expected 8}}
  nnk.pool_2d average ins(%in : memref<1x8x8x3xf32>) outs(%out : memref<1x4x4x3xf32>) window [2, 2] strides [2, 1] pads [0, 0, 0, 1]
  return
}

// -----

func.func @pool_channels(%in: memref<1x8x8x3xf32>, %out: memref<1x4x4x4xf32>) {
  // expected-error@+1 {{output channels is 4, expected 3}}
  nnk.pool_2d average ins(%in : memref<1x8x8x3xf32>) outs(%out : memref<1x4x4x4xf32>) window [2, 2] strides [2, 2] pads [0, 0, 0, 0]
  return
}

// -----

func.func @pool_padding(%in: memref<1x8x8x3xf32>, %out: memref<1x5x4x3xf32>) {
  // expected-error@+1 {{padding 2 must be smaller than the window extent 2}}
  nnk.pool_2d average ins(%in : memref<1x8x8x3xf32>) outs(%out : memref<1x5x4x3xf32>) window [2, 2] strides [2, 2] pads [2, 0, 0, 0]
  return
}
