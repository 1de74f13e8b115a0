// RUN: nnhal-opt %s --verify-roundtrip | FileCheck %s

// CHECK-LABEL: @reshape_takes_its_shape_from_the_result
// CHECK-COUNT-2: nnhal.reshape
func.func @reshape_takes_its_shape_from_the_result(%x: tensor<2x6xf32>) -> tensor<?x3xf32> {
  %0 = nnhal.reshape %x : (tensor<2x6xf32>) -> tensor<3x4xf32>
  %1 = nnhal.reshape %0 : (tensor<3x4xf32>) -> tensor<?x3xf32>
  return %1 : tensor<?x3xf32>
}

// CHECK-LABEL: @extents_of_one
// CHECK: nnhal.squeeze %{{.*}} axes [0, -1]
// CHECK: nnhal.squeeze %{{.*}} axes [0] : (tensor<1xf32>) -> tensor<1xf32>
// CHECK: nnhal.expand_dims %{{.*}} axis -1
func.func @extents_of_one(%x: tensor<1x4x1xf32>, %y: tensor<1xf32>) -> tensor<4x1xf32> {
  %0 = nnhal.squeeze %x axes [0, -1] : (tensor<1x4x1xf32>) -> tensor<4xf32>
  %1 = nnhal.squeeze %y axes [0] : (tensor<1xf32>) -> tensor<1xf32>
  %2 = nnhal.expand_dims %0 axis -1 : (tensor<4xf32>) -> tensor<4x1xf32>
  return %2 : tensor<4x1xf32>
}

// CHECK-LABEL: @transpose_permutes_extents
// CHECK: nnhal.transpose %{{.*}} permutation [2, 0, 1]
// CHECK: nnhal.channel_shuffle %{{.*}} groups 2 axis 0
func.func @transpose_permutes_extents(%x: tensor<2x?x4xf32>) -> tensor<4x2x?xf32> {
  %0 = nnhal.transpose %x permutation [2, 0, 1] : (tensor<2x?x4xf32>) -> tensor<4x2x?xf32>
  %1 = nnhal.channel_shuffle %0 groups 2 axis 0 : (tensor<4x2x?xf32>) -> tensor<4x2x?xf32>
  return %1 : tensor<4x2x?xf32>
}

// CHECK-LABEL: @blocks_move_between_dimensions
// CHECK: nnhal.depth_to_space %{{.*}} block_size 2
// CHECK: nnhal.space_to_depth %{{.*}} block_size 4
// CHECK: nnhal.space_to_batch_nd %{{.*}} block_shape [3, 2] pads [1, 0, 0, 0]
// CHECK: nnhal.batch_to_space_nd %{{.*}} block_shape [3, 2]
func.func @blocks_move_between_dimensions(%x: tensor<1x4x4x8xf32>) -> tensor<1x3x2x32xf32> {
  %0 = nnhal.depth_to_space %x block_size 2 : (tensor<1x4x4x8xf32>) -> tensor<1x8x8x2xf32>
  %1 = nnhal.space_to_depth %0 block_size 4 : (tensor<1x8x8x2xf32>) -> tensor<1x2x2x32xf32>
  %2 = nnhal.space_to_batch_nd %1 block_shape [3, 2] pads [1, 0, 0, 0]
      : (tensor<1x2x2x32xf32>) -> tensor<6x1x1x32xf32>
  %3 = nnhal.batch_to_space_nd %2 block_shape [3, 2] : (tensor<6x1x1x32xf32>) -> tensor<1x3x2x32xf32>
  return %3 : tensor<1x3x2x32xf32>
}
