// RUN: nnhal-opt %s --verify-roundtrip | FileCheck %s

// M-025: an axis that is listed twice counts once.
// CHECK-LABEL: @axes_may_be_negative_and_repeated
// CHECK: nnhal.mean %{{.*}} axes [1, -2] :
// CHECK: nnhal.reduce_sum %{{.*}} axes [0] keep_dims :
func.func @axes_may_be_negative_and_repeated(%x: tensor<2x3x4xf32>) -> tensor<1x4xf32> {
  %0 = nnhal.mean %x axes [1, -2] : (tensor<2x3x4xf32>) -> tensor<2x4xf32>
  %1 = nnhal.reduce_sum %0 axes [0] keep_dims : (tensor<2x4xf32>) -> tensor<1x4xf32>
  return %1 : tensor<1x4xf32>
}

// M-026.
// CHECK-LABEL: @no_dimension_left_is_one
// CHECK: nnhal.reduce_prod
// CHECK: nnhal.reduce_max
// CHECK: nnhal.reduce_min
// CHECK: nnhal.argmax
func.func @no_dimension_left_is_one(%x: tensor<2x?xf32>, %y: tensor<4xi32>) -> tensor<1xi32> {
  %0 = nnhal.reduce_prod %x axes [0, 1] : (tensor<2x?xf32>) -> tensor<1xf32>
  %1 = nnhal.reduce_max %x axes [0, 1] : (tensor<2x?xf32>) -> tensor<1xf32>
  %2 = nnhal.reduce_min %x axes [0] : (tensor<2x?xf32>) -> tensor<?xf32>
  %3 = nnhal.argmax %y axis 0 : (tensor<4xi32>) -> tensor<1xi32>
  return %3 : tensor<1xi32>
}

// CHECK-LABEL: @logical_reductions
// CHECK: nnhal.reduce_all
// CHECK: nnhal.reduce_any
func.func @logical_reductions(%x: tensor<2x3xi8>) -> tensor<1xi8> {
  %0 = nnhal.reduce_all %x axes [0] : (tensor<2x3xi8>) -> tensor<3xi8>
  %1 = nnhal.reduce_any %0 axes [0] : (tensor<3xi8>) -> tensor<1xi8>
  return %1 : tensor<1xi8>
}

// CHECK-LABEL: @indices_are_i32
// CHECK: nnhal.argmin
// CHECK: nnhal.topk_v2 %{{.*}} k 2 : (tensor<5x7xf16>) -> (tensor<5x2xf16>, tensor<5x2xi32>)
func.func @indices_are_i32(%x: tensor<5x7xf16>) -> tensor<5x2xi32> {
  %0 = nnhal.argmin %x axis -1 : (tensor<5x7xf16>) -> tensor<5xi32>
  %1:2 = nnhal.topk_v2 %x k 2 : (tensor<5x7xf16>) -> (tensor<5x2xf16>, tensor<5x2xi32>)
  return %1#1 : tensor<5x2xi32>
}
