// RUN: nnhal-opt %s --canonicalize --split-input-file | FileCheck %s

// CHECK-LABEL: func @reshape_identity
// CHECK-SAME: (%[[X:.+]]: tensor<2x3xf32>)
// CHECK-NEXT: return %[[X]]
func.func @reshape_identity(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = nnhal.reshape %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// -----

// CHECK-LABEL: func @reshape_chain
// CHECK-SAME: (%[[X:.+]]: tensor<2x6xf32>)
// CHECK-NEXT: %[[R:.+]] = nnhal.reshape %[[X]] : (tensor<2x6xf32>) -> tensor<4x3xf32>
// CHECK-NEXT: return %[[R]]
func.func @reshape_chain(%x: tensor<2x6xf32>) -> tensor<4x3xf32> {
  %0 = nnhal.reshape %x : (tensor<2x6xf32>) -> tensor<12xf32>
  %1 = nnhal.reshape %0 : (tensor<12xf32>) -> tensor<2x2x3xf32>
  %2 = nnhal.reshape %1 : (tensor<2x2x3xf32>) -> tensor<4x3xf32>
  return %2 : tensor<4x3xf32>
}

// -----

// CHECK-LABEL: func @squeeze_then_expand
// CHECK-SAME: (%[[X:.+]]: tensor<2x1xf32>)
// CHECK-NEXT: %[[R:.+]] = nnhal.reshape %[[X]] : (tensor<2x1xf32>) -> tensor<1x2xf32>
// CHECK-NEXT: return %[[R]]
func.func @squeeze_then_expand(%x: tensor<2x1xf32>) -> tensor<1x2xf32> {
  %0 = nnhal.squeeze %x axes [1] : (tensor<2x1xf32>) -> tensor<2xf32>
  %1 = nnhal.expand_dims %0 axis 0 : (tensor<2xf32>) -> tensor<1x2xf32>
  return %1 : tensor<1x2xf32>
}

// -----

// CHECK-LABEL: func @expand_then_squeeze
// CHECK-SAME: (%[[X:.+]]: tensor<2x3xf32>)
// CHECK-NEXT: return %[[X]]
func.func @expand_then_squeeze(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = nnhal.expand_dims %x axis 1 : (tensor<2x3xf32>) -> tensor<2x1x3xf32>
  %1 = nnhal.squeeze %0 axes [1] : (tensor<2x1x3xf32>) -> tensor<2x3xf32>
  return %1 : tensor<2x3xf32>
}

// -----

// reshape takes no i32: the chain stays.
// CHECK-LABEL: func @expand_integers
// CHECK-COUNT-2: nnhal.expand_dims
func.func @expand_integers(%x: tensor<2xi32>) -> tensor<1x1x2xi32> {
  %0 = nnhal.expand_dims %x axis 0 : (tensor<2xi32>) -> tensor<1x2xi32>
  %1 = nnhal.expand_dims %0 axis 0 : (tensor<1x2xi32>) -> tensor<1x1x2xi32>
  return %1 : tensor<1x1x2xi32>
}

// -----

// Two unknown extents: the shape between is not forgotten.
// CHECK-LABEL: func @reshape_unknown
// CHECK-COUNT-2: nnhal.reshape
func.func @reshape_unknown(%x: tensor<?x6xf32>) -> tensor<?x3xf32> {
  %0 = nnhal.reshape %x : (tensor<?x6xf32>) -> tensor<?xf32>
  %1 = nnhal.reshape %0 : (tensor<?xf32>) -> tensor<?x3xf32>
  return %1 : tensor<?x3xf32>
}

// -----

// CHECK-LABEL: func @transpose_identity
// CHECK-SAME: (%[[X:.+]]: tensor<2x3xf32>)
// CHECK-NEXT: return %[[X]]
func.func @transpose_identity(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = nnhal.transpose %x permutation [0, 1] : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// -----

// CHECK-LABEL: func @transpose_chain
// CHECK-SAME: (%[[X:.+]]: tensor<2x3x4xf32>)
// CHECK-NEXT: %[[R:.+]] = nnhal.transpose %[[X]] permutation [2, 0, 1] : (tensor<2x3x4xf32>) -> tensor<4x2x3xf32>
// CHECK-NEXT: return %[[R]]
func.func @transpose_chain(%x: tensor<2x3x4xf32>) -> tensor<4x2x3xf32> {
  %0 = nnhal.transpose %x permutation [1, 2, 0] : (tensor<2x3x4xf32>) -> tensor<3x4x2xf32>
  %1 = nnhal.transpose %0 permutation [1, 2, 0] : (tensor<3x4x2xf32>) -> tensor<4x2x3xf32>
  return %1 : tensor<4x2x3xf32>
}

// -----

// NCHW to NHWC and back.
// CHECK-LABEL: func @transpose_and_back
// CHECK-SAME: (%[[X:.+]]: tensor<1x2x3x4xf32>)
// CHECK-NEXT: return %[[X]]
func.func @transpose_and_back(%x: tensor<1x2x3x4xf32>) -> tensor<1x2x3x4xf32> {
  %0 = nnhal.transpose %x permutation [0, 2, 3, 1] : (tensor<1x2x3x4xf32>) -> tensor<1x3x4x2xf32>
  %1 = nnhal.transpose %0 permutation [0, 3, 1, 2] : (tensor<1x3x4x2xf32>) -> tensor<1x2x3x4xf32>
  return %1 : tensor<1x2x3x4xf32>
}

// -----

// CHECK-LABEL: func @identities
// CHECK-SAME: (%[[X:.+]]: tensor<2x3xf32>)
// CHECK-NEXT: return %[[X]]
func.func @identities(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = nnhal.pad %x paddings [0, 0, 0, 0] : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %1 = nnhal.pad_v2 %0 paddings [0, 0, 0, 0] value(1.0 : f32) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %2 = nnhal.slice %1 begin [0, 0] size [2, -1] : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %3 = nnhal.strided_slice %2 begin [0, 0] end [2, 3] strides [1, 1] : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %4 = nnhal.tile %3 multiples [1, 1] : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %5 = nnhal.concatenation %4 axis 0 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %6 = nnhal.split %5 axis 1 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return %6 : tensor<2x3xf32>
}

// -----

// A reversal keeps the shape, too.
// CHECK-LABEL: func @reversal
// CHECK: nnhal.strided_slice
func.func @reversal(%x: tensor<3xf32>) -> tensor<3xf32> {
  %0 = nnhal.strided_slice %x begin [2] end [0] strides [-1] end_mask 1 : (tensor<3xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// -----

// Other quantization parameters mean requantization.
!p = !quant.uniform<u8:f32, 0.5:128>
!q = !quant.uniform<u8:f32, 0.25:128>
// CHECK-LABEL: func @concatenation_requantizes
// CHECK: nnhal.concatenation
func.func @concatenation_requantizes(%x: tensor<2x!p>) -> tensor<2x!q> {
  %0 = nnhal.concatenation %x axis 0 : (tensor<2x!p>) -> tensor<2x!q>
  return %0 : tensor<2x!q>
}
