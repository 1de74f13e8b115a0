// RUN: nnhal-opt %s --split-input-file --verify-diagnostics

func.func @concatenation_c2(%arg0: tensor<2xi32>, %arg1: tensor<2xi32>) {
  // expected-error @below {{'nnhal.concatenation' op input 0 type TENSOR_INT32 is not among TENSOR_FLOAT32, TENSOR_FLOAT16, TENSOR_QUANT8_ASYMM, TENSOR_QUANT8_ASYMM_SIGNED}}
  %0 = nnhal.concatenation %arg0, %arg1 axis 0 : (tensor<2xi32>, tensor<2xi32>) -> tensor<4xi32>
  return
}

// -----

func.func @concatenation_c1() {
  // expected-error @below {{'nnhal.concatenation' op found 1 inputs, expected at least 2}}
  %0 = nnhal.concatenation axis 0 : () -> tensor<4xf32>
  return
}

// -----

func.func @concatenation_c3(%arg0: tensor<2xf32>, %arg1: tensor<2xf16>) {
  // expected-error @below {{'nnhal.concatenation' op input 1 type TENSOR_FLOAT16 differs from input 0 type TENSOR_FLOAT32}}
  %0 = nnhal.concatenation %arg0, %arg1 axis 0 : (tensor<2xf32>, tensor<2xf16>) -> tensor<4xf32>
  return
}

// -----

func.func @concatenation_c4(%arg0: tensor<2xf32>, %arg1: tensor<2xf32>) {
  // expected-error @below {{'nnhal.concatenation' op axis -1 is outside [0, 1)}}
  %0 = nnhal.concatenation %arg0, %arg1 axis -1
      : (tensor<2xf32>, tensor<2xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @concatenation_c5(%arg0: tensor<2xf32>, %arg1: tensor<2x2xf32>) {
  // expected-error @below {{'nnhal.concatenation' op input 1 rank 2 differs from input 0 rank 1}}
  %0 = nnhal.concatenation %arg0, %arg1 axis 0
      : (tensor<2xf32>, tensor<2x2xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @concatenation_c6(%arg0: tensor<2x3xf32>, %arg1: tensor<2x4xf32>) {
  // expected-error @below {{'nnhal.concatenation' op input 1 dimension 1 is 4, expected 3}}
  %0 = nnhal.concatenation %arg0, %arg1 axis 0
      : (tensor<2x3xf32>, tensor<2x4xf32>) -> tensor<4x3xf32>
  return
}

// -----

func.func @split_c1(%arg0: tensor<4xi8>) {
  // expected-error @below {{'nnhal.split' op input type TENSOR_BOOL8 is not among TENSOR_FLOAT32, TENSOR_FLOAT16, TENSOR_INT32, TENSOR_QUANT8_ASYMM, TENSOR_QUANT8_ASYMM_SIGNED}}
  %0:2 = nnhal.split %arg0 axis 0 : (tensor<4xi8>) -> (tensor<2xi8>, tensor<2xi8>)
  return
}

// -----

func.func @split_c2(%arg0: tensor<4xf32>) {
  // expected-error @below {{'nnhal.split' op 0 results, expected at least 1}}
  nnhal.split %arg0 axis 0 : (tensor<4xf32>) -> ()
  return
}

// -----

func.func @split_c3(%arg0: tensor<4xf32>) {
  // expected-error @below {{'nnhal.split' op axis 1 is outside [-1, 1)}}
  %0:2 = nnhal.split %arg0 axis 1 : (tensor<4xf32>) -> (tensor<2xf32>, tensor<2xf32>)
  return
}

// -----

func.func @split_c4(%arg0: tensor<5xf32>) {
  // expected-error @below {{'nnhal.split' op extent 5 of axis 0 is not a multiple of 2 results}}
  %0:2 = nnhal.split %arg0 axis 0 : (tensor<5xf32>) -> (tensor<2xf32>, tensor<2xf32>)
  return
}

// -----

func.func @split_results_are_equal(%arg0: tensor<4xf32>) {
  // expected-error @below {{'nnhal.split' op output 1 dimension 0 is 1, expected 2}}
  %0:2 = nnhal.split %arg0 axis 0 : (tensor<4xf32>) -> (tensor<2xf32>, tensor<1xf32>)
  return
}

// -----

func.func @slice_c1(%arg0: tensor<4x5xi8>) {
  // expected-error @below {{'nnhal.slice' op input type TENSOR_BOOL8 is not among TENSOR_FLOAT32, TENSOR_FLOAT16, TENSOR_INT32, TENSOR_QUANT8_ASYMM, TENSOR_QUANT8_ASYMM_SIGNED}}
  %0 = nnhal.slice %arg0 begin [0, 0] size [2, 2]
      : (tensor<4x5xi8>) -> tensor<2x2xi8>
  return
}

// -----

func.func @slice_c2(%arg0: tensor<4x5xf32>) {
  // expected-error @below {{'nnhal.slice' op begin has 1 elements, expected 2}}
  %0 = nnhal.slice %arg0 begin [0] size [2, 2]
      : (tensor<4x5xf32>) -> tensor<2x2xf32>
  return
}

// -----

func.func @slice_c3(%arg0: tensor<4x5xf32>) {
  // expected-error @below {{'nnhal.slice' op begin -1 of dimension 0 must not be negative}}
  %0 = nnhal.slice %arg0 begin [-1, 0] size [2, 2]
      : (tensor<4x5xf32>) -> tensor<2x2xf32>
  return
}

// -----

func.func @slice_c4(%arg0: tensor<4x5xf32>) {
  // expected-error @below {{'nnhal.slice' op size -2 of dimension 1 is below -1}}
  %0 = nnhal.slice %arg0 begin [0, 0] size [2, -2]
      : (tensor<4x5xf32>) -> tensor<2x2xf32>
  return
}

// -----

func.func @slice_c5(%arg0: tensor<4x5xf32>) {
  // expected-error @below {{'nnhal.slice' op 3 elements from 2 leave dimension 0 of extent 4}}
  %0 = nnhal.slice %arg0 begin [2, 0] size [3, 2]
      : (tensor<4x5xf32>) -> tensor<2x2xf32>
  return
}

// -----

func.func @strided_slice_c1(%arg0: tensor<1x1x1x4x5xf32>) {
  // expected-error @below {{'nnhal.strided_slice' op input rank 5 is above 4}}
  %0 = nnhal.strided_slice %arg0
      begin [0, 0] end [4, 5] strides [1, 1]
      : (tensor<1x1x1x4x5xf32>) -> tensor<4x5xf32>
  return
}

// -----

func.func @strided_slice_c2(%arg0: tensor<4x5xf32>) {
  // expected-error @below {{'nnhal.strided_slice' op end has 1 elements, expected 2}}
  %0 = nnhal.strided_slice %arg0
      begin [0, 0] end [4] strides [1, 1]
      : (tensor<4x5xf32>) -> tensor<4x5xf32>
  return
}

// -----

func.func @strided_slice_c3(%arg0: tensor<4x5xf32>) {
  // expected-error @below {{'nnhal.strided_slice' op stride of dimension 0 must not be 0}}
  %0 = nnhal.strided_slice %arg0
      begin [0, 0] end [4, 5] strides [0, 1]
      : (tensor<4x5xf32>) -> tensor<4x5xf32>
  return
}

// -----

func.func @strided_slice_c7(%arg0: tensor<4x5xf32>) {
  // expected-error @below {{'nnhal.strided_slice' op stride -1 of shrink axis 0 must be positive}}
  %0 = nnhal.strided_slice %arg0
      begin [1, 0] end [0, 5] strides [-1, 1] shrink_mask 1
      : (tensor<4x5xf32>) -> tensor<4x5xf32>
  return
}

// -----

func.func @strided_slice_c8(%arg0: tensor<4x5xf32>) {
  // expected-error @below {{'nnhal.strided_slice' op shrink axis 0 has 2 elements, expected 1}}
  %0 = nnhal.strided_slice %arg0
      begin [0, 0] end [2, 5] strides [1, 1] shrink_mask 1
      : (tensor<4x5xf32>) -> tensor<4x5xf32>
  return
}

// -----

func.func @pad_c1(%arg0: tensor<2xi32>) {
  // expected-error @below {{'nnhal.pad' op input type TENSOR_INT32 is not among TENSOR_FLOAT32, TENSOR_FLOAT16, TENSOR_QUANT8_ASYMM, TENSOR_QUANT8_ASYMM_SIGNED}}
  %0 = nnhal.pad %arg0 paddings [1, 1] : (tensor<2xi32>) -> tensor<4xi32>
  return
}

// -----

func.func @pad_c2(%arg0: tensor<2x2xf32>) {
  // expected-error @below {{'nnhal.pad' op paddings have shape 1x2, expected 2x2}}
  %0 = nnhal.pad %arg0 paddings [1, 1] : (tensor<2x2xf32>) -> tensor<4x2xf32>
  return
}

// -----

func.func @pad_c3(%arg0: tensor<2xf32>) {
  // expected-error @below {{'nnhal.pad' op paddings -1 and 1 of dimension 0 must not be negative}}
  %0 = nnhal.pad %arg0 paddings [-1, 1] : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @stated_c5(%arg0: tensor<4294967295xf32>) {
  // expected-error @below {{'nnhal.pad' op output dimension 0 is 4294967296, above 4294967295}}
  %0 = nnhal.pad %arg0 paddings [0, 1]
      : (tensor<4294967295xf32>) -> tensor<4294967296xf32>
  return
}

// -----

func.func @fill_value_c1(%arg0: tensor<2xf32>) {
  // expected-error @below {{'nnhal.pad_v2' op input 2 (value) has type INT32, expected FLOAT32}}
  %0 = nnhal.pad_v2 %arg0 paddings [1, 1] value(3 : i32)
      : (tensor<2xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @fill_value_c1_quantized(%arg0: tensor<2x!quant.uniform<u8:f32, 0.5:128>>) {
  // expected-error @below {{'nnhal.pad_v2' op input 2 (value) has type FLOAT32, expected INT32}}
  %0 = nnhal.pad_v2 %arg0 paddings [1, 1] value(3.0 : f32)
      : (tensor<2x!quant.uniform<u8:f32, 0.5:128>>) -> tensor<4x!quant.uniform<u8:f32, 0.5:128>>
  return
}

// -----

func.func @tile_c1(%arg0: tensor<2xi8>) {
  // expected-error @below {{'nnhal.tile' op input type TENSOR_BOOL8 is not among TENSOR_FLOAT32, TENSOR_FLOAT16, TENSOR_INT32, TENSOR_QUANT8_ASYMM, TENSOR_QUANT8_ASYMM_SIGNED}}
  %0 = nnhal.tile %arg0 multiples [2] : (tensor<2xi8>) -> tensor<4xi8>
  return
}

// -----

func.func @tile_c2(%arg0: tensor<2xf32>) {
  // expected-error @below {{'nnhal.tile' op multiples has 2 elements, expected 1}}
  %0 = nnhal.tile %arg0 multiples [2, 2] : (tensor<2xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @tile_c3(%arg0: tensor<2xf32>) {
  // expected-error @below {{'nnhal.tile' op multiple -1 of dimension 0 must be positive}}
  %0 = nnhal.tile %arg0 multiples [-1] : (tensor<2xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @tile_exceeds_32_bits(%arg0: tensor<4294967295xf32>) {
  // expected-error @below {{'nnhal.tile' op 4294967295 times 2 elements exceed 4294967295}}
  %0 = nnhal.tile %arg0 multiples [2] : (tensor<4294967295xf32>) -> tensor<?xf32>
  return
}

// -----

func.func @gather_c1(%arg0: tensor<4xi8>, %arg1: tensor<2xi32>) {
  // expected-error @below {{'nnhal.gather' op input type TENSOR_BOOL8 is not among TENSOR_FLOAT32, TENSOR_FLOAT16, TENSOR_INT32, TENSOR_QUANT8_ASYMM, TENSOR_QUANT8_ASYMM_SIGNED}}
  %0 = nnhal.gather %arg0, %arg1 axis 0 : (tensor<4xi8>, tensor<2xi32>) -> tensor<2xi8>
  return
}

// -----

func.func @gather_c2_rank(%arg0: tensor<4xf32>, %arg1: tensor<i32>) {
  // expected-error @below {{'nnhal.gather' op indices rank 0 is below 1}}
  %0 = nnhal.gather %arg0, %arg1 axis 0 : (tensor<4xf32>, tensor<i32>) -> tensor<2xf32>
  return
}

// -----

func.func @gather_c3(%arg0: tensor<4xf32>, %arg1: tensor<2xi32>) {
  // expected-error @below {{'nnhal.gather' op axis 1 is outside [-1, 1)}}
  %0 = nnhal.gather %arg0, %arg1 axis 1 : (tensor<4xf32>, tensor<2xi32>) -> tensor<2xf32>
  return
}

// -----

func.func @fill_c1() {
  // expected-error @below {{'nnhal.fill' op result type TENSOR_BOOL8 is not among TENSOR_FLOAT32, TENSOR_FLOAT16, TENSOR_INT32}}
  %0 = nnhal.fill value(1 : i32) : () -> tensor<2xi8>
  return
}

// -----

func.func @fill_c2() {
  // expected-error @below {{'nnhal.fill' op value is an f32, TENSOR_INT32 takes an i32}}
  %0 = nnhal.fill value(1.0 : f32) : () -> tensor<2xi32>
  return
}

// -----

func.func @pad_odd(%x: tensor<2x3xf32>) {
  // expected-error @below {{'nnhal.pad' op paddings has 3 elements, expected an even number}}
  %0 = nnhal.pad %x paddings [0, 1, 2] : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}
