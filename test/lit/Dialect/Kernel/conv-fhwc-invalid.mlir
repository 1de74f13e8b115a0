// RUN: nnhal-opt %s -split-input-file -verify-diagnostics

func.func @input_rank(%x: tensor<4x4x2xf32>, %f: tensor<3x1x1x2xf32>, %b: tensor<3xf32>, %e: tensor<1x4x4x3xf32>) {
  // expected-error@+1 {{'nnk.conv_2d_fhwc' op input type 'tensor<4x4x2xf32>' must have rank 4}}
  %0 = nnk.conv_2d_fhwc ins(%x, %f, %b : tensor<4x4x2xf32>, tensor<3x1x1x2xf32>, tensor<3xf32>) outs(%e : tensor<1x4x4x3xf32>)
      strides [1, 1] dilations [1, 1] pads [0, 0, 0, 0]   -> tensor<1x4x4x3xf32>
  return
}

// -----

func.func @filter_rank(%x: tensor<1x4x4x2xf32>, %f: tensor<1x1x1x2x8xf32>, %b: tensor<3xf32>, %e: tensor<1x4x4x3xf32>) {
  // expected-error@+1 {{filter type 'tensor<1x1x1x2x8xf32>' must have rank 4}}
  %0 = nnk.conv_2d_fhwc ins(%x, %f, %b : tensor<1x4x4x2xf32>, tensor<1x1x1x2x8xf32>, tensor<3xf32>) outs(%e : tensor<1x4x4x3xf32>)
      strides [1, 1] dilations [1, 1] pads [0, 0, 0, 0]   -> tensor<1x4x4x3xf32>
  return
}

// -----

func.func @bias_rank(%x: tensor<1x4x4x2xf32>, %f: tensor<3x1x1x2xf32>, %b: tensor<1x8xf32>, %e: tensor<1x4x4x3xf32>) {
  // expected-error@+1 {{bias type 'tensor<1x8xf32>' must have rank 1}}
  %0 = nnk.conv_2d_fhwc ins(%x, %f, %b : tensor<1x4x4x2xf32>, tensor<3x1x1x2xf32>, tensor<1x8xf32>) outs(%e : tensor<1x4x4x3xf32>)
      strides [1, 1] dilations [1, 1] pads [0, 0, 0, 0]   -> tensor<1x4x4x3xf32>
  return
}

// -----

func.func @unknown_batch(%x: tensor<?x4x4x2xf32>, %f: tensor<3x1x1x2xf32>, %b: tensor<3xf32>, %e: tensor<?x4x4x3xf32>) {
  // expected-error@+1 {{has an operand of type 'tensor<?x4x4x2xf32>', all extents must be known}}
  %0 = nnk.conv_2d_fhwc ins(%x, %f, %b : tensor<?x4x4x2xf32>, tensor<3x1x1x2xf32>, tensor<3xf32>) outs(%e : tensor<?x4x4x3xf32>)
      strides [1, 1] dilations [1, 1] pads [0, 0, 0, 0]   -> tensor<?x4x4x3xf32>
  return
}

// -----

func.func @input_type(%x: tensor<1x4x4x2xi32>, %f: tensor<3x1x1x2xi8>, %b: tensor<3xi32>, %e: tensor<1x4x4x3xi32>) {
  // expected-error@+1 {{input elements of type 'i32' must be 'f32' or 'i16' or 'i8'}}
  %0 = nnk.conv_2d_fhwc ins(%x, %f, %b : tensor<1x4x4x2xi32>, tensor<3x1x1x2xi8>, tensor<3xi32>) outs(%e : tensor<1x4x4x3xi32>)
      strides [1, 1] dilations [1, 1] pads [0, 0, 0, 0]   -> tensor<1x4x4x3xi32>
  return
}

// -----

func.func @filter_type(%x: tensor<1x4x4x2xi8>, %f: tensor<3x1x1x2xf32>, %b: tensor<3xi32>, %e: tensor<1x4x4x3xi32>) {
  // expected-error@+1 {{filter elements of type 'f32' must be 'i16' or 'i8'}}
  %0 = nnk.conv_2d_fhwc ins(%x, %f, %b : tensor<1x4x4x2xi8>, tensor<3x1x1x2xf32>, tensor<3xi32>) outs(%e : tensor<1x4x4x3xi32>)
      strides [1, 1] dilations [1, 1] pads [0, 0, 0, 0]   -> tensor<1x4x4x3xi32>
  return
}

// -----

func.func @bias_type(%x: tensor<1x4x4x2xi8>, %f: tensor<3x1x1x2xi8>, %b: tensor<3xf32>, %e: tensor<1x4x4x3xf32>) {
  // expected-error@+1 {{bias elements of type 'f32' must be 'i32'}}
  %0 = nnk.conv_2d_fhwc ins(%x, %f, %b : tensor<1x4x4x2xi8>, tensor<3x1x1x2xi8>, tensor<3xf32>) outs(%e : tensor<1x4x4x3xf32>)
      strides [1, 1] dilations [1, 1] pads [0, 0, 0, 0]   -> tensor<1x4x4x3xf32>
  return
}

// -----

func.func @zero_point_of_wide(%x: tensor<1x4x4x2xi16>, %f: tensor<3x1x1x2xi8>, %b: tensor<3xi32>, %e: tensor<1x4x4x3xi32>) {
  // expected-error@+1 {{input elements of type 'i16' have a sign and no zero point}}
  %0 = nnk.conv_2d_fhwc ins(%x, %f, %b : tensor<1x4x4x2xi16>, tensor<3x1x1x2xi8>, tensor<3xi32>) outs(%e : tensor<1x4x4x3xi32>)
      strides [1, 1] dilations [1, 1] pads [0, 0, 0, 0]  {input_zero_point = 1 : i32} -> tensor<1x4x4x3xi32>
  return
}

// -----

func.func @zero_point_beyond(%x: tensor<1x4x4x2xi8>, %f: tensor<3x1x1x2xi8>, %b: tensor<3xi32>, %e: tensor<1x4x4x3xi32>) {
  // expected-error@+1 {{filter zero point -1 must be in the range [0, 255]}}
  %0 = nnk.conv_2d_fhwc ins(%x, %f, %b : tensor<1x4x4x2xi8>, tensor<3x1x1x2xi8>, tensor<3xi32>) outs(%e : tensor<1x4x4x3xi32>)
      strides [1, 1] dilations [1, 1] pads [0, 0, 0, 0] unsigned_filter {filter_zero_point = -1 : i32} -> tensor<1x4x4x3xi32>
  return
}

// -----

func.func @input_channels(%x: tensor<1x4x4x2xf32>, %f: tensor<3x1x1x4xf32>, %b: tensor<3xf32>, %e: tensor<1x4x4x3xf32>) {
  // expected-error@+1 {{input channels is 2, expected 4}}
  %0 = nnk.conv_2d_fhwc ins(%x, %f, %b : tensor<1x4x4x2xf32>, tensor<3x1x1x4xf32>, tensor<3xf32>) outs(%e : tensor<1x4x4x3xf32>)
      strides [1, 1] dilations [1, 1] pads [0, 0, 0, 0]   -> tensor<1x4x4x3xf32>
  return
}

// -----

func.func @bias_channels(%x: tensor<1x4x4x2xf32>, %f: tensor<3x1x1x2xf32>, %b: tensor<4xf32>, %e: tensor<1x4x4x3xf32>) {
  // expected-error@+1 {{bias channels is 4, expected 3}}
  %0 = nnk.conv_2d_fhwc ins(%x, %f, %b : tensor<1x4x4x2xf32>, tensor<3x1x1x2xf32>, tensor<4xf32>) outs(%e : tensor<1x4x4x3xf32>)
      strides [1, 1] dilations [1, 1] pads [0, 0, 0, 0]   -> tensor<1x4x4x3xf32>
  return
}

// -----

func.func @output_channels(%x: tensor<1x4x4x2xf32>, %f: tensor<3x1x1x2xf32>, %b: tensor<3xf32>, %e: tensor<1x4x4x4xf32>) {
  // expected-error@+1 {{output channels is 4, expected 3}}
  %0 = nnk.conv_2d_fhwc ins(%x, %f, %b : tensor<1x4x4x2xf32>, tensor<3x1x1x2xf32>, tensor<3xf32>) outs(%e : tensor<1x4x4x4xf32>)
      strides [1, 1] dilations [1, 1] pads [0, 0, 0, 0]   -> tensor<1x4x4x4xf32>
  return
}

// -----

func.func @window(%x: tensor<1x4x4x2xf32>, %f: tensor<3x1x1x2xf32>, %b: tensor<3xf32>, %e: tensor<1x3x4x3xf32>) {
  // expected-error@+1 {{output height is 3, expected 4}}
  %0 = nnk.conv_2d_fhwc ins(%x, %f, %b : tensor<1x4x4x2xf32>, tensor<3x1x1x2xf32>, tensor<3xf32>) outs(%e : tensor<1x3x4x3xf32>)
      strides [1, 1] dilations [1, 1] pads [0, 0, 0, 0]   -> tensor<1x3x4x3xf32>
  return
}

// -----

func.func @epilogue_of_integers(%x: tensor<1x4x4x2xi8>, %f: tensor<3x1x1x2xi8>, %b: tensor<3xi32>, %e: tensor<1x4x4x3xi32>) {
  // expected-error@+1 {{of integers has no epilogue before it is packed}}
  %0 = nnk.conv_2d_fhwc ins(%x, %f, %b : tensor<1x4x4x2xi8>, tensor<3x1x1x2xi8>, tensor<3xi32>) outs(%e : tensor<1x4x4x3xi32>)
      strides [1, 1] dilations [1, 1] pads [0, 0, 0, 0] epilogue {
  ^bb0(%sum: i32):
    nnk.yield %sum : i32
  } -> tensor<1x4x4x3xi32>
  return
}

// -----

func.func @empty_filter(%x: tensor<1x4x4x2xf32>, %f: tensor<0x1x1x2xf32>, %b: tensor<0xf32>, %e: tensor<1x4x4x0xf32>) {
  // expected-error@+1 {{has a filter of type 'tensor<0x1x1x2xf32>', which has no elements}}
  %0 = nnk.conv_2d_fhwc ins(%x, %f, %b : tensor<1x4x4x2xf32>, tensor<0x1x1x2xf32>, tensor<0xf32>) outs(%e : tensor<1x4x4x0xf32>)
      strides [1, 1] dilations [1, 1] pads [0, 0, 0, 0]   -> tensor<1x4x4x0xf32>
  return
}
