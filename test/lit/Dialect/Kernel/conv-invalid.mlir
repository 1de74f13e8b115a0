// RUN: nnhal-opt %s -split-input-file -verify-diagnostics

func.func @conv_input_rank(%in: memref<8x8x3xf32>, %filter: memref<2x3x3x3x16xf32>, %bias: memref<2x16xf32>, %out: memref<1x8x8x21xf32>) {
  // expected-error@+1 {{'nnk.conv_2d' op input type 'memref<8x8x3xf32>' must have rank 4}}
  nnk.conv_2d ins(%in, %filter, %bias : memref<8x8x3xf32>, memref<2x3x3x3x16xf32>, memref<2x16xf32>)  outs(%out : memref<1x8x8x21xf32>) strides [1, 1] dilations [1, 1] pads [1, 1, 1, 1] 
  return
}

// -----

func.func @conv_filter_rank(%in: memref<1x8x8x3xf32>, %filter: memref<2x3x3x16xf32>, %bias: memref<2x16xf32>, %out: memref<1x8x8x21xf32>) {
  // expected-error@+1 {{filter type 'memref<2x3x3x16xf32>' must have rank 5}}
  nnk.conv_2d ins(%in, %filter, %bias : memref<1x8x8x3xf32>, memref<2x3x3x16xf32>, memref<2x16xf32>)  outs(%out : memref<1x8x8x21xf32>) strides [1, 1] dilations [1, 1] pads [1, 1, 1, 1] 
  return
}

// -----

func.func @conv_bias_rank(%in: memref<1x8x8x3xf32>, %filter: memref<2x3x3x3x16xf32>, %bias: memref<32xf32>, %out: memref<1x8x8x21xf32>) {
  // expected-error@+1 {{bias type 'memref<32xf32>' must have rank 2}}
  nnk.conv_2d ins(%in, %filter, %bias : memref<1x8x8x3xf32>, memref<2x3x3x3x16xf32>, memref<32xf32>)  outs(%out : memref<1x8x8x21xf32>) strides [1, 1] dilations [1, 1] pads [1, 1, 1, 1] 
  return
}

// -----

func.func @conv_output_rank(%in: memref<1x8x8x3xf32>, %filter: memref<2x3x3x3x16xf32>, %bias: memref<2x16xf32>, %out: memref<8x8x21xf32>) {
  // expected-error@+1 {{output type 'memref<8x8x21xf32>' must have rank 4}}
  nnk.conv_2d ins(%in, %filter, %bias : memref<1x8x8x3xf32>, memref<2x3x3x3x16xf32>, memref<2x16xf32>)  outs(%out : memref<8x8x21xf32>) strides [1, 1] dilations [1, 1] pads [1, 1, 1, 1] 
  return
}

// -----

func.func @conv_dynamic_filter(%in: memref<1x8x8x3xf32>, %filter: memref<?x3x3x3x16xf32>, %bias: memref<2x16xf32>, %out: memref<1x8x8x21xf32>) {
  // expected-error@+1 {{filter must have a static shape}}
  nnk.conv_2d ins(%in, %filter, %bias : memref<1x8x8x3xf32>, memref<?x3x3x3x16xf32>, memref<2x16xf32>)  outs(%out : memref<1x8x8x21xf32>) strides [1, 1] dilations [1, 1] pads [1, 1, 1, 1] 
  return
}

// -----

func.func @conv_panel_width(%in: memref<1x8x8x3xf32>, %filter: memref<2x3x3x3x11xf32>, %bias: memref<2x11xf32>, %out: memref<1x8x8x21xf32>) {
  // expected-error@+1 {{panel width 11 must be a positive multiple of 4}}
  nnk.conv_2d ins(%in, %filter, %bias : memref<1x8x8x3xf32>, memref<2x3x3x3x11xf32>, memref<2x11xf32>)  outs(%out : memref<1x8x8x21xf32>) strides [1, 1] dilations [1, 1] pads [1, 1, 1, 1] 
  return
}

// -----

func.func @conv_input_channels(%in: memref<1x8x8x4xf32>, %filter: memref<2x3x3x3x16xf32>, %bias: memref<2x16xf32>, %out: memref<1x8x8x21xf32>) {
  // expected-error@+1 {{input channels is 4, expected 3}}
  nnk.conv_2d ins(%in, %filter, %bias : memref<1x8x8x4xf32>, memref<2x3x3x3x16xf32>, memref<2x16xf32>)  outs(%out : memref<1x8x8x21xf32>) strides [1, 1] dilations [1, 1] pads [1, 1, 1, 1] 
  return
}

// -----

func.func @conv_bias_panels(%in: memref<1x8x8x3xf32>, %filter: memref<2x3x3x3x16xf32>, %bias: memref<3x16xf32>, %out: memref<1x8x8x21xf32>) {
  // expected-error@+1 {{bias panels is 3, expected 2}}
  nnk.conv_2d ins(%in, %filter, %bias : memref<1x8x8x3xf32>, memref<2x3x3x3x16xf32>, memref<3x16xf32>)  outs(%out : memref<1x8x8x21xf32>) strides [1, 1] dilations [1, 1] pads [1, 1, 1, 1] 
  return
}

// -----

func.func @conv_bias_width(%in: memref<1x8x8x3xf32>, %filter: memref<2x3x3x3x16xf32>, %bias: memref<2x8xf32>, %out: memref<1x8x8x21xf32>) {
  // expected-error@+1 {{bias panel width is 8, expected 16}}
  nnk.conv_2d ins(%in, %filter, %bias : memref<1x8x8x3xf32>, memref<2x3x3x3x16xf32>, memref<2x8xf32>)  outs(%out : memref<1x8x8x21xf32>) strides [1, 1] dilations [1, 1] pads [1, 1, 1, 1] 
  return
}

// -----

func.func @conv_too_many_channels(%in: memref<1x8x8x3xf32>, %filter: memref<2x3x3x3x16xf32>, %bias: memref<2x16xf32>, %out: memref<1x8x8x33xf32>) {
  // expected-error@+1 {{33 output channels do not fill 2 panels of 16}}
  nnk.conv_2d ins(%in, %filter, %bias : memref<1x8x8x3xf32>, memref<2x3x3x3x16xf32>, memref<2x16xf32>)  outs(%out : memref<1x8x8x33xf32>) strides [1, 1] dilations [1, 1] pads [1, 1, 1, 1] 
  return
}

// -----

func.func @conv_too_few_channels(%in: memref<1x8x8x3xf32>, %filter: memref<2x3x3x3x16xf32>, %bias: memref<2x16xf32>, %out: memref<1x8x8x16xf32>) {
  // expected-error@+1 {{16 output channels do not fill 2 panels of 16}}
  nnk.conv_2d ins(%in, %filter, %bias : memref<1x8x8x3xf32>, memref<2x3x3x3x16xf32>, memref<2x16xf32>)  outs(%out : memref<1x8x8x16xf32>) strides [1, 1] dilations [1, 1] pads [1, 1, 1, 1] 
  return
}

// -----

func.func @conv_strides_count(%in: memref<1x8x8x3xf32>, %filter: memref<2x3x3x3x16xf32>, %bias: memref<2x16xf32>, %out: memref<1x8x8x21xf32>) {
  // expected-error@+1 {{strides has 1 elements, expected 2}}
  nnk.conv_2d ins(%in, %filter, %bias : memref<1x8x8x3xf32>, memref<2x3x3x3x16xf32>, memref<2x16xf32>)  outs(%out : memref<1x8x8x21xf32>) strides [1] dilations [1, 1] pads [1, 1, 1, 1] 
  return
}

// -----

func.func @conv_strides_value(%in: memref<1x8x8x3xf32>, %filter: memref<2x3x3x3x16xf32>, %bias: memref<2x16xf32>, %out: memref<1x8x8x21xf32>) {
  // expected-error@+1 {{strides value 0 must be at least 1}}
  nnk.conv_2d ins(%in, %filter, %bias : memref<1x8x8x3xf32>, memref<2x3x3x3x16xf32>, memref<2x16xf32>)  outs(%out : memref<1x8x8x21xf32>) strides [0, 1] dilations [1, 1] pads [1, 1, 1, 1] 
  return
}

// -----

func.func @conv_dilations_value(%in: memref<1x8x8x3xf32>, %filter: memref<2x3x3x3x16xf32>, %bias: memref<2x16xf32>, %out: memref<1x8x8x21xf32>) {
  // expected-error@+1 {{dilations value -1 must be at least 1}}
  nnk.conv_2d ins(%in, %filter, %bias : memref<1x8x8x3xf32>, memref<2x3x3x3x16xf32>, memref<2x16xf32>)  outs(%out : memref<1x8x8x21xf32>) strides [1, 1] dilations [1, -1] pads [1, 1, 1, 1] 
  return
}

// -----

func.func @conv_pads_count(%in: memref<1x8x8x3xf32>, %filter: memref<2x3x3x3x16xf32>, %bias: memref<2x16xf32>, %out: memref<1x8x8x21xf32>) {
  // expected-error@+1 {{pads has 2 elements, expected 4}}
  nnk.conv_2d ins(%in, %filter, %bias : memref<1x8x8x3xf32>, memref<2x3x3x3x16xf32>, memref<2x16xf32>)  outs(%out : memref<1x8x8x21xf32>) strides [1, 1] dilations [1, 1] pads [1, 1] 
  return
}

// -----

func.func @conv_pads_value(%in: memref<1x8x8x3xf32>, %filter: memref<2x3x3x3x16xf32>, %bias: memref<2x16xf32>, %out: memref<1x8x8x21xf32>) {
  // expected-error@+1 {{pads value -2 must be at least 0}}
  nnk.conv_2d ins(%in, %filter, %bias : memref<1x8x8x3xf32>, memref<2x3x3x3x16xf32>, memref<2x16xf32>)  outs(%out : memref<1x8x8x21xf32>) strides [1, 1] dilations [1, 1] pads [1, 1, -2, 1] 
  return
}

// -----

func.func @conv_batch(%in: memref<1x8x8x3xf32>, %filter: memref<2x3x3x3x16xf32>, %bias: memref<2x16xf32>, %out: memref<2x8x8x21xf32>) {
  // expected-error@+1 {{output batch is 2, expected 1}}
  nnk.conv_2d ins(%in, %filter, %bias : memref<1x8x8x3xf32>, memref<2x3x3x3x16xf32>, memref<2x16xf32>)  outs(%out : memref<2x8x8x21xf32>) strides [1, 1] dilations [1, 1] pads [1, 1, 1, 1] 
  return
}

// -----

func.func @conv_output_height(%in: memref<1x8x8x3xf32>, %filter: memref<2x3x3x3x16xf32>, %bias: memref<2x16xf32>, %out: memref<1x7x8x21xf32>) {
  // expected-error@+1 {{output height is 7, expected 8}}
  nnk.conv_2d ins(%in, %filter, %bias : memref<1x8x8x3xf32>, memref<2x3x3x3x16xf32>, memref<2x16xf32>)  outs(%out : memref<1x7x8x21xf32>) strides [1, 1] dilations [1, 1] pads [1, 1, 1, 1] 
  return
}

// -----

func.func @conv_output_width(%in: memref<1x8x8x3xf32>, %filter: memref<2x3x3x3x16xf32>, %bias: memref<2x16xf32>, %out: memref<1x8x8x21xf32>) {
  // expected-error@+1 {{output width is 8, expected 4}}
  nnk.conv_2d ins(%in, %filter, %bias : memref<1x8x8x3xf32>, memref<2x3x3x3x16xf32>, memref<2x16xf32>)  outs(%out : memref<1x8x8x21xf32>) strides [1, 2] dilations [1, 1] pads [1, 1, 1, 1] 
  return
}

// -----

func.func @conv_window_too_large(%in: memref<1x2x8x3xf32>, %filter: memref<2x3x3x3x16xf32>, %bias: memref<2x16xf32>, %out: memref<1x8x8x21xf32>) {
  // expected-error@+1 {{output height computes to 0, the window does not fit into the padded input}}
  nnk.conv_2d ins(%in, %filter, %bias : memref<1x2x8x3xf32>, memref<2x3x3x3x16xf32>, memref<2x16xf32>)  outs(%out : memref<1x8x8x21xf32>) strides [1, 1] dilations [1, 1] pads [0, 0, 1, 1] 
  return
}

// -----

func.func @conv_extra_shape(%in: memref<1x8x8x3xf32>, %filter: memref<2x3x3x3x16xf32>, %bias: memref<2x16xf32>, %out: memref<1x8x8x21xf32>, %e: memref<1x8x8x20xf32>) {
  // expected-error@+1 {{extra 0 of type 'memref<1x8x8x20xf32>' must have the output's shape, or one element for each of its pixels, or be a vector of its 21 channels}}
  nnk.conv_2d ins(%in, %filter, %bias : memref<1x8x8x3xf32>, memref<2x3x3x3x16xf32>, memref<2x16xf32>) extras(%e : memref<1x8x8x20xf32>) outs(%out : memref<1x8x8x21xf32>) strides [1, 1] dilations [1, 1] pads [1, 1, 1, 1] epilogue {
  ^bb0(%a: f32):
    nnk.yield %a : f32
  }
  return
}

// -----

func.func @conv_extra_without_epilogue(%in: memref<1x8x8x3xf32>, %filter: memref<2x3x3x3x16xf32>, %bias: memref<2x16xf32>, %out: memref<1x8x8x21xf32>, %e: memref<21xf32>) {
  // expected-error@+1 {{has extras but no epilogue}}
  nnk.conv_2d ins(%in, %filter, %bias : memref<1x8x8x3xf32>, memref<2x3x3x3x16xf32>, memref<2x16xf32>) extras(%e : memref<21xf32>) outs(%out : memref<1x8x8x21xf32>) strides [1, 1] dilations [1, 1] pads [1, 1, 1, 1] 
  return
}

// -----

func.func @conv_epilogue_arguments(%in: memref<1x8x8x3xf32>, %filter: memref<2x3x3x3x16xf32>, %bias: memref<2x16xf32>, %out: memref<1x8x8x21xf32>, %e: memref<21xf32>) {
  // expected-error@+1 {{epilogue has 1 arguments, expected 2}}
  nnk.conv_2d ins(%in, %filter, %bias : memref<1x8x8x3xf32>, memref<2x3x3x3x16xf32>, memref<2x16xf32>) extras(%e : memref<21xf32>) outs(%out : memref<1x8x8x21xf32>) strides [1, 1] dilations [1, 1] pads [1, 1, 1, 1] epilogue {
  ^bb0(%a: f32):
    nnk.yield %a : f32
  }
  return
}

// -----

func.func @conv_epilogue_argument_type(%in: memref<1x8x8x3xf32>, %filter: memref<2x3x3x3x16xf32>, %bias: memref<2x16xf32>, %out: memref<1x8x8x21xf32>) {
  // expected-error@+1 {{epilogue argument 0 must be of type 'f32'}}
  nnk.conv_2d ins(%in, %filter, %bias : memref<1x8x8x3xf32>, memref<2x3x3x3x16xf32>, memref<2x16xf32>)  outs(%out : memref<1x8x8x21xf32>) strides [1, 1] dilations [1, 1] pads [1, 1, 1, 1] epilogue {
  ^bb0(%a: f64):
    nnk.yield %a : f64
  }
  return
}

// -----

func.func @conv_epilogue_yield(%in: memref<1x8x8x3xf32>, %filter: memref<2x3x3x3x16xf32>, %bias: memref<2x16xf32>, %out: memref<1x8x8x21xf32>) {
  // expected-error@+1 {{epilogue must end in 'nnk.yield'}}
  nnk.conv_2d ins(%in, %filter, %bias : memref<1x8x8x3xf32>, memref<2x3x3x3x16xf32>, memref<2x16xf32>)  outs(%out : memref<1x8x8x21xf32>) strides [1, 1] dilations [1, 1] pads [1, 1, 1, 1] epilogue {
  ^bb0(%a: f32):
    %b = arith.addf %a, %a : f32
  }
  return
}

// -----

func.func @conv_epilogue_yield_type(%in: memref<1x8x8x3xf32>, %filter: memref<2x3x3x3x16xf32>, %bias: memref<2x16xf32>, %out: memref<1x8x8x21xf32>) {
  // expected-error@+1 {{epilogue must yield 'f32'}}
  nnk.conv_2d ins(%in, %filter, %bias : memref<1x8x8x3xf32>, memref<2x3x3x3x16xf32>, memref<2x16xf32>)  outs(%out : memref<1x8x8x21xf32>) strides [1, 1] dilations [1, 1] pads [1, 1, 1, 1] epilogue {
  ^bb0(%a: f32):
    %b = arith.extf %a : f32 to f64
    nnk.yield %b : f64
  }
  return
}

// -----

func.func @conv_epilogue_elementwise(%in: memref<1x8x8x3xf32>, %filter: memref<2x3x3x3x16xf32>, %bias: memref<2x16xf32>, %out: memref<1x8x8x21xf32>, %m: memref<f32>) {
  // expected-error@+1 {{epilogue operation 'memref.load' is not elementwise}}
  nnk.conv_2d ins(%in, %filter, %bias : memref<1x8x8x3xf32>, memref<2x3x3x3x16xf32>, memref<2x16xf32>)  outs(%out : memref<1x8x8x21xf32>) strides [1, 1] dilations [1, 1] pads [1, 1, 1, 1] epilogue {
  ^bb0(%a: f32):
    %b = memref.load %m[] : memref<f32>
    nnk.yield %b : f32
  }
  return
}

// -----

func.func @conv_missing_result(%in: tensor<1x8x8x3xf32>, %filter: tensor<2x3x3x3x16xf32>, %bias: tensor<2x16xf32>, %out: tensor<1x8x8x21xf32>) {
  // expected-error@+1 {{must have one result on tensors and none on memrefs}}
  nnk.conv_2d ins(%in, %filter, %bias : tensor<1x8x8x3xf32>, tensor<2x3x3x3x16xf32>, tensor<2x16xf32>)  outs(%out : tensor<1x8x8x21xf32>) strides [1, 1] dilations [1, 1] pads [1, 1, 1, 1] 
  return
}

// -----

func.func @conv_result_type(%in: tensor<1x8x8x3xf32>, %filter: tensor<2x3x3x3x16xf32>, %bias: tensor<2x16xf32>, %out: tensor<1x8x8x21xf32>) {
  // expected-error@+1 {{result type 'tensor<1x8x8x20xf32>' must be the destination's type 'tensor<1x8x8x21xf32>'}}
  %0 = nnk.conv_2d ins(%in, %filter, %bias : tensor<1x8x8x3xf32>, tensor<2x3x3x3x16xf32>, tensor<2x16xf32>)  outs(%out : tensor<1x8x8x21xf32>) strides [1, 1] dilations [1, 1] pads [1, 1, 1, 1] -> tensor<1x8x8x20xf32>
  return
}

// -----

func.func @conv_input_elements(%in: memref<1x8x8x4xi32>, %filter: memref<1x1x1x4x16xf32>, %bias: memref<1x16xf32>, %out: memref<1x8x8x16xf32>) {
  // expected-error@+1 {{input elements of type 'i32' must be 'f32' or 'f16' or 'i16' or 'i8'}}
  nnk.conv_2d ins(%in, %filter, %bias : memref<1x8x8x4xi32>, memref<1x1x1x4x16xf32>, memref<1x16xf32>) outs(%out : memref<1x8x8x16xf32>) strides [1, 1] dilations [1, 1] pads [0, 0, 0, 0]
  return
}

// -----

// A filter is f16 beside an input of f16 only.
func.func @conv_half_filter(%in: memref<1x8x8x4xf32>, %filter: memref<1x1x1x4x16xf16>, %bias: memref<1x16xf32>, %out: memref<1x8x8x16xf32>) {
  // expected-error@+1 {{filter elements of type 'f16' must be 'f32'}}
  nnk.conv_2d ins(%in, %filter, %bias : memref<1x8x8x4xf32>, memref<1x1x1x4x16xf16>, memref<1x16xf32>) outs(%out : memref<1x8x8x16xf32>) strides [1, 1] dilations [1, 1] pads [0, 0, 0, 0]
  return
}

// -----

func.func @conv_filter_elements(%in: memref<1x8x8x4xi16>, %filter: memref<1x1x1x2x32xf32>, %bias: memref<1x16xi32>, %out: memref<1x8x8x16xi32>) {
  // expected-error@+1 {{filter elements of type 'f32' must be 'i8' or 'i16'}}
  nnk.conv_2d ins(%in, %filter, %bias : memref<1x8x8x4xi16>, memref<1x1x1x2x32xf32>, memref<1x16xi32>) outs(%out : memref<1x8x8x16xi32>) strides [1, 1] dilations [1, 1] pads [0, 0, 0, 0]
  return
}

// -----

func.func @conv_bias_elements(%in: memref<1x8x8x4xi16>, %filter: memref<1x1x1x2x32xi8>, %bias: memref<1x16xf32>, %out: memref<1x8x8x16xf32>) {
  // expected-error@+1 {{bias elements of type 'f32' must be 'i32'}}
  nnk.conv_2d ins(%in, %filter, %bias : memref<1x8x8x4xi16>, memref<1x1x1x2x32xi8>, memref<1x16xf32>) outs(%out : memref<1x8x8x16xf32>) strides [1, 1] dilations [1, 1] pads [0, 0, 0, 0]
  return
}

// -----

func.func @conv_odd_pairs(%in: memref<1x8x8x3xi16>, %filter: memref<1x1x1x2x32xi8>, %bias: memref<1x16xi32>, %out: memref<1x8x8x16xi32>) {
  // expected-error@+1 {{input has 3 channels, pairs need an even number}}
  nnk.conv_2d ins(%in, %filter, %bias : memref<1x8x8x3xi16>, memref<1x1x1x2x32xi8>, memref<1x16xi32>) outs(%out : memref<1x8x8x16xi32>) strides [1, 1] dilations [1, 1] pads [0, 0, 0, 0]
  return
}

// -----

func.func @conv_plain_destination(%in: memref<1x8x8x4xi16>, %filter: memref<1x1x1x2x32xi8>, %bias: memref<1x16xi32>, %out: memref<1x8x8x16xi8>) {
  // expected-error@+1 {{stores 'i32' into a destination of 'memref<1x8x8x16xi8>'}}
  nnk.conv_2d ins(%in, %filter, %bias : memref<1x8x8x4xi16>, memref<1x1x1x2x32xi8>, memref<1x16xi32>) outs(%out : memref<1x8x8x16xi8>) strides [1, 1] dilations [1, 1] pads [0, 0, 0, 0]
  return
}

// -----

func.func @conv_partial_quads(%in: memref<1x8x8x6xi8>, %filter: memref<1x1x1x2x64xi8>, %bias: memref<1x16xi32>, %out: memref<1x8x8x16xi32>) {
  // expected-error@+1 {{input has 6 channels, quads need a multiple of 4}}
  nnk.conv_2d ins(%in, %filter, %bias : memref<1x8x8x6xi8>, memref<1x1x1x2x64xi8>, memref<1x16xi32>) outs(%out : memref<1x8x8x16xi32>) strides [1, 1] dilations [1, 1] pads [0, 0, 0, 0]
  return
}

// -----

func.func @conv_quads_by_shorts(%in: memref<1x8x8x4xi8>, %filter: memref<1x1x1x1x64xi16>, %bias: memref<1x16xi32>, %out: memref<1x8x8x16xi32>) {
  // expected-error@+1 {{filter elements of type 'i16' must be 'i8'}}
  nnk.conv_2d ins(%in, %filter, %bias : memref<1x8x8x4xi8>, memref<1x1x1x1x64xi16>, memref<1x16xi32>) outs(%out : memref<1x8x8x16xi32>) strides [1, 1] dilations [1, 1] pads [0, 0, 0, 0]
  return
}

// -----

func.func @conv_unsigned_pairs(%in: memref<1x8x8x4xi16>, %filter: memref<1x1x1x2x32xi8>, %bias: memref<1x16xi32>, %out: memref<1x8x8x16xi32>) {
  // expected-error@+1 {{has unsigned inputs that are not of i8}}
  nnk.conv_2d ins(%in, %filter, %bias : memref<1x8x8x4xi16>, memref<1x1x1x2x32xi8>, memref<1x16xi32>) outs(%out : memref<1x8x8x16xi32>) strides [1, 1] dilations [1, 1] pads [0, 0, 0, 0] unsigned_input
  return
}

// -----

func.func @conv_sums_of_halves(%in: memref<1x8x8x4xf16>, %filter: memref<1x1x1x4x16xf16>, %bias: memref<1x16xf32>, %out: memref<1x8x8x16xf16>) {
  // expected-error@+1 {{stores 'f32' into a destination of 'memref<1x8x8x16xf16>'}}
  nnk.conv_2d ins(%in, %filter, %bias : memref<1x8x8x4xf16>, memref<1x1x1x4x16xf16>, memref<1x16xf32>) outs(%out : memref<1x8x8x16xf16>) strides [1, 1] dilations [1, 1] pads [0, 0, 0, 0]
  return
}
