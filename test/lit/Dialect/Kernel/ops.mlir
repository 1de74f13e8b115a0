// RUN: nnhal-opt %s | nnhal-opt | FileCheck %s

// CHECK-LABEL: @conv_2d_on_tensors
// CHECK: nnk.conv_2d ins(%{{.+}}, %{{.+}}, %{{.+}} : tensor<1x8x8x3xf32>, tensor<2x3x3x3x16xf32>, tensor<2x16xf32>)
// CHECK-SAME: outs(%{{.+}} : tensor<1x4x4x21xf32>)
// CHECK-SAME: strides [2, 2] dilations [1, 1] pads [0, 1, 0, 1]
// CHECK-SAME: -> tensor<1x4x4x21xf32>
func.func @conv_2d_on_tensors(%in: tensor<1x8x8x3xf32>, %filter: tensor<2x3x3x3x16xf32>, %bias: tensor<2x16xf32>, %out: tensor<1x4x4x21xf32>) -> tensor<1x4x4x21xf32> {
  %0 = nnk.conv_2d ins(%in, %filter, %bias : tensor<1x8x8x3xf32>, tensor<2x3x3x3x16xf32>, tensor<2x16xf32>)
      outs(%out : tensor<1x4x4x21xf32>) strides [2, 2] dilations [1, 1] pads [0, 1, 0, 1] -> tensor<1x4x4x21xf32>
  return %0 : tensor<1x4x4x21xf32>
}

// CHECK-LABEL: @conv_2d_fhwc
// CHECK: nnk.conv_2d_fhwc ins(%{{.+}}, %{{.+}}, %{{.+}} : tensor<1x8x8x3xi8>, tensor<5x3x3x3xi8>, tensor<5xi32>)
// CHECK-SAME: pads [1, 1, 1, 1] unsigned_input {input_zero_point = 128 : i32} -> tensor<1x8x8x5xi32>
func.func @conv_2d_fhwc(%in: tensor<1x8x8x3xi8>, %filter: tensor<5x3x3x3xi8>, %bias: tensor<5xi32>, %out: tensor<1x8x8x5xi32>) -> tensor<1x8x8x5xi32> {
  %0 = nnk.conv_2d_fhwc ins(%in, %filter, %bias : tensor<1x8x8x3xi8>, tensor<5x3x3x3xi8>, tensor<5xi32>)
      outs(%out : tensor<1x8x8x5xi32>) strides [1, 1] dilations [1, 1] pads [1, 1, 1, 1]
      unsigned_input {input_zero_point = 128 : i32, filter_zero_point = 0 : i32} -> tensor<1x8x8x5xi32>
  return %0 : tensor<1x8x8x5xi32>
}

// CHECK-LABEL: @conv_2d_with_dynamic_batch
func.func @conv_2d_with_dynamic_batch(%in: tensor<?x8x8x3xf32>, %filter: tensor<1x1x1x3x8xf32>, %bias: tensor<1x8xf32>, %out: tensor<?x8x8x8xf32>) -> tensor<?x8x8x8xf32> {
  // CHECK: nnk.conv_2d
  %0 = nnk.conv_2d ins(%in, %filter, %bias : tensor<?x8x8x3xf32>, tensor<1x1x1x3x8xf32>, tensor<1x8xf32>)
      outs(%out : tensor<?x8x8x8xf32>) strides [1, 1] dilations [1, 1] pads [0, 0, 0, 0] -> tensor<?x8x8x8xf32>
  return %0 : tensor<?x8x8x8xf32>
}

// CHECK-LABEL: @depthwise_with_epilogue
// CHECK: nnk.depthwise_conv_2d ins
// CHECK-SAME: extras(%{{.+}}, %{{.+}} : memref<1x8x8x6xf32>, memref<6xf32>)
// CHECK-SAME: depth_multiplier 2
// CHECK-SAME: epilogue {
// CHECK-NEXT: ^bb0(%[[ACC:.+]]: f32, %[[E0:.+]]: f32, %[[E1:.+]]: f32):
// CHECK-NEXT: %[[SUM:.+]] = arith.addf %[[ACC]], %[[E0]]
// CHECK-NEXT: %[[R:.+]] = arith.mulf %[[SUM]], %[[E1]]
// CHECK-NEXT: nnk.yield %[[R]] : f32
func.func @depthwise_with_epilogue(%in: memref<1x8x8x3xf32>, %filter: memref<3x3x6xf32>, %bias: memref<6xf32>, %e: memref<1x8x8x6xf32>, %c: memref<6xf32>, %out: memref<1x8x8x6xf32>) {
  nnk.depthwise_conv_2d ins(%in, %filter, %bias : memref<1x8x8x3xf32>, memref<3x3x6xf32>, memref<6xf32>)
      extras(%e, %c : memref<1x8x8x6xf32>, memref<6xf32>) outs(%out : memref<1x8x8x6xf32>)
      strides [1, 1] dilations [1, 1] pads [1, 1, 1, 1] depth_multiplier 2 epilogue {
  ^bb0(%acc: f32, %x: f32, %y: f32):
    %s = arith.addf %acc, %x : f32
    %r = arith.mulf %s, %y : f32
    nnk.yield %r : f32
  }
  return
}

// CHECK-LABEL: @pool_2d_kinds
// CHECK: nnk.pool_2d max ins
// CHECK: nnk.pool_2d average ins
// CHECK: nnk.pool_2d l2 ins
func.func @pool_2d_kinds(%in: memref<1x8x8x3xf32>, %out: memref<1x4x4x3xf32>) {
  nnk.pool_2d max ins(%in : memref<1x8x8x3xf32>) outs(%out : memref<1x4x4x3xf32>) window [2, 2] strides [2, 2] pads [0, 0, 0, 0]
  nnk.pool_2d average ins(%in : memref<1x8x8x3xf32>) outs(%out : memref<1x4x4x3xf32>) window [3, 3] strides [2, 2] pads [0, 1, 1, 0]
  nnk.pool_2d l2 ins(%in : memref<1x8x8x3xf32>) outs(%out : memref<1x4x4x3xf32>) window [2, 2] strides [2, 2] pads [0, 0, 0, 0]
  return
}
