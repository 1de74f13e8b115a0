// RUN: nnhal-opt %s --convert-nnhal-to-linalg | FileCheck %s

// CHECK-LABEL: @reshape_through_one_dimension
// CHECK:         tensor.collapse_shape {{.*}} into tensor<12xf32>
// CHECK:         tensor.expand_shape {{.*}} into tensor<4x3xf32>
func.func @reshape_through_one_dimension(%x: tensor<2x6xf32>) -> tensor<4x3xf32> {
  %0 = nnhal.reshape %x : (tensor<2x6xf32>) -> tensor<4x3xf32>
  return %0 : tensor<4x3xf32>
}

// CHECK-LABEL: @concatenation_inserts_in_place
// CHECK:         %[[EMPTY:.+]] = tensor.empty() : tensor<2x5xf32>
// CHECK:         %[[FIRST:.+]] = tensor.insert_slice %arg0 into %[[EMPTY]][0, 0] [2, 2]
// CHECK:         tensor.insert_slice %arg1 into %[[FIRST]][0, 2] [2, 3]
func.func @concatenation_inserts_in_place(%a: tensor<2x2xf32>, %b: tensor<2x3xf32>) -> tensor<2x5xf32> {
  %0 = nnhal.concatenation %a, %b axis 1 : (tensor<2x2xf32>, tensor<2x3xf32>) -> tensor<2x5xf32>
  return %0 : tensor<2x5xf32>
}

// CHECK-LABEL: @split_extracts_parts
// CHECK:         tensor.extract_slice %arg0[0, 0] [2, 2]
// CHECK:         tensor.extract_slice %arg0[0, 2] [2, 2]
func.func @split_extracts_parts(%x: tensor<2x4xf32>) -> (tensor<2x2xf32>, tensor<2x2xf32>) {
  %0:2 = nnhal.split %x axis 1 : (tensor<2x4xf32>) -> (tensor<2x2xf32>, tensor<2x2xf32>)
  return %0#0, %0#1 : tensor<2x2xf32>, tensor<2x2xf32>
}

// CHECK-LABEL: @transpose_permutes
// CHECK:         linalg.transpose {{.*}} permutation = [0, 3, 1, 2]
func.func @transpose_permutes(%x: tensor<1x2x3x4xf32>) -> tensor<1x4x2x3xf32> {
  %0 = nnhal.transpose %x permutation [0, 3, 1, 2] : (tensor<1x2x3x4xf32>) -> tensor<1x4x2x3xf32>
  return %0 : tensor<1x4x2x3xf32>
}

// CHECK-LABEL: @strided_slice_backward_reverses
// CHECK:         tensor.extract_slice %arg0[0, 1] [1, 2] [1, 2]
// CHECK:         arith.subi
// CHECK:         tensor.extract
// CHECK:         tensor.collapse_shape {{.*}} into tensor<2xf32>
func.func @strided_slice_backward_reverses(%x: tensor<2x4xf32>) -> tensor<2xf32> {
  %0 = nnhal.strided_slice %x begin [0, 3] end [1, 0] strides [1, -2] end_mask 2 shrink_mask 1
      : (tensor<2x4xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// CHECK-LABEL: @pad_v2_fills
// CHECK:         %[[FILL:.+]] = arith.constant 9.000000e+00 : f32
// CHECK:         %[[FILLED:.+]] = linalg.fill ins(%[[FILL]]
// CHECK:         tensor.insert_slice %arg0 into %[[FILLED]][1] [2]
func.func @pad_v2_fills(%x: tensor<2xf32>) -> tensor<4xf32> {
  %0 = nnhal.pad_v2 %x paddings [1, 1] value(9.0 : f32) : (tensor<2xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: @tile_repeats
// CHECK:         tensor.empty() : tensor<2x2x1x3xf32>
// CHECK:         linalg.generic {{.*}} ins(%arg0 : tensor<2x3xf32>)
// CHECK:         tensor.collapse_shape {{.*}} into tensor<4x3xf32>
func.func @tile_repeats(%x: tensor<2x3xf32>) -> tensor<4x3xf32> {
  %0 = nnhal.tile %x multiples [2, 1] : (tensor<2x3xf32>) -> tensor<4x3xf32>
  return %0 : tensor<4x3xf32>
}

// CHECK-LABEL: @gather_reads_indices
// CHECK:         arith.constant dense<[2, 0]> : tensor<2xi32>
// CHECK:         linalg.generic
// CHECK:           tensor.extract
func.func @gather_reads_indices(%x: tensor<3x4xf32>) -> tensor<2x4xf32> {
  %i = nnhal.constant dense<[2, 0]> : tensor<2xi32> -> tensor<2xi32>
  %0 = nnhal.gather %x, %i axis 0 : (tensor<3x4xf32>, tensor<2xi32>) -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}

// CHECK-LABEL: @depth_to_space_is_block_major
// CHECK:         tensor.expand_shape {{.*}} into tensor<1x2x2x2x2x3xf32>
// CHECK:         linalg.transpose {{.*}} permutation = [0, 1, 3, 2, 4, 5]
// CHECK:         tensor.collapse_shape {{.*}} into tensor<1x4x4x3xf32>
func.func @depth_to_space_is_block_major(%x: tensor<1x2x2x12xf32>) -> tensor<1x4x4x3xf32> {
  %0 = nnhal.depth_to_space %x block_size 2 : (tensor<1x2x2x12xf32>) -> tensor<1x4x4x3xf32>
  return %0 : tensor<1x4x4x3xf32>
}

// CHECK-LABEL: @space_to_batch_nd_pads_first
// CHECK:         tensor.insert_slice %arg0 into {{.*}}[0, 1, 0, 0] [1, 3, 2, 1]
// CHECK:         linalg.transpose {{.*}} permutation = [2, 4, 0, 1, 3, 5]
func.func @space_to_batch_nd_pads_first(%x: tensor<1x3x2x1xf32>) -> tensor<4x2x1x1xf32> {
  %0 = nnhal.space_to_batch_nd %x block_shape [2, 2] pads [1, 0, 0, 0] : (tensor<1x3x2x1xf32>) -> tensor<4x2x1x1xf32>
  return %0 : tensor<4x2x1x1xf32>
}
