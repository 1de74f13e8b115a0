// RUN: nnhal-opt %s --convert-nnhal-to-linalg --split-input-file --verify-diagnostics

func.func @unknown_dimension(%x: tensor<?x4xf32>) -> tensor<?x4xf32> {
  // expected-error @below {{'nnhal.relu' op cannot be lowered: operand 0 of type tensor<?x4xf32> has unknown dimensions}}
  %0 = nnhal.relu %x : (tensor<?x4xf32>) -> tensor<?x4xf32>
  return %0 : tensor<?x4xf32>
}

// -----

func.func @half_precision(%x: tensor<4xf16>) -> tensor<4xf16> {
  // expected-error @below {{'nnhal.relu' op cannot be lowered: operand 0 of type tensor<4xf16> has elements that are not f32, i32 or i8}}
  %0 = nnhal.relu %x : (tensor<4xf16>) -> tensor<4xf16>
  return %0 : tensor<4xf16>
}

// -----

func.func @quantized(%x: tensor<4x!quant.uniform<u8:f32, 0.5>>) -> tensor<4x!quant.uniform<u8:f32, 0.5>> {
  // expected-error @below {{'nnhal.relu' op cannot be lowered: operand 0 of type tensor<4x!quant.uniform<u8:f32, 5.000000e-01>> has quantized elements}}
  %0 = nnhal.relu %x : (tensor<4x!quant.uniform<u8:f32, 0.5>>) -> tensor<4x!quant.uniform<u8:f32, 0.5>>
  return %0 : tensor<4x!quant.uniform<u8:f32, 0.5>>
}

// -----

// Every operation that stays is reported, not only the first.
func.func @no_lowering(%x: tensor<2x4xf32>) -> (tensor<2x1xf32>, tensor<2x4xf32>) {
  // expected-error @below {{'nnhal.topk_v2' op cannot be lowered: no lowering for this operation}}
  %0:2 = nnhal.topk_v2 %x {k = 1 : i64} : (tensor<2x4xf32>) -> (tensor<2x1xf32>, tensor<2x1xi32>)
  // expected-error @below {{'nnhal.pow' op cannot be lowered: no lowering for this operation}}
  %1 = nnhal.pow %x, %x : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  return %0#0, %1 : tensor<2x1xf32>, tensor<2x4xf32>
}

// -----

func.func @gather_computed_indices(%x: tensor<3xf32>, %i: tensor<2xi32>) -> tensor<2xf32> {
  // expected-error @below {{'nnhal.gather' op cannot be lowered: the indices are not constant}}
  %0 = nnhal.gather %x, %i {axis = 0 : i64} : (tensor<3xf32>, tensor<2xi32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// -----

func.func @gather_index_out_of_range(%x: tensor<3xf32>) -> tensor<2xf32> {
  %i = nnhal.constant dense<[0, 3]> : tensor<2xi32> -> tensor<2xi32>
  // expected-error @below {{'nnhal.gather' op cannot be lowered: index 3 is not in [0, 3)}}
  %0 = nnhal.gather %x, %i {axis = 0 : i64} : (tensor<3xf32>, tensor<2xi32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// -----

func.func @transpose_conv_computed_filter(%x: tensor<1x2x2x1xf32>, %f: tensor<1x2x2x1xf32>, %b: tensor<1xf32>) -> tensor<1x4x4x1xf32> {
  // expected-error @below {{'nnhal.transpose_conv_2d' op cannot be lowered: the filter is not constant}}
  %0 = nnhal.transpose_conv_2d %x, %f, %b {strides = array<i64: 2, 2>, pads = array<i64: 0, 0, 0, 0>}
      : (tensor<1x2x2x1xf32>, tensor<1x2x2x1xf32>, tensor<1xf32>) -> tensor<1x4x4x1xf32>
  return %0 : tensor<1x4x4x1xf32>
}

// -----

func.func @no_elements(%x: tensor<0x4xf32>) -> tensor<0x4xf32> {
  // expected-error @below {{'nnhal.relu' op cannot be lowered: operand 0 of type tensor<0x4xf32> has no elements}}
  %0 = nnhal.relu %x : (tensor<0x4xf32>) -> tensor<0x4xf32>
  return %0 : tensor<0x4xf32>
}
