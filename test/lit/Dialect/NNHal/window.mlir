// RUN: nnhal-opt %s --verify-roundtrip | FileCheck %s

!u8 = !quant.uniform<u8:f32, 0.5:128>

// CHECK-LABEL: @pools_keep_the_type
// CHECK: nnhal.average_pool_2d %{{.*}} {pads = array<i64: 0, 1, 0, 1>, strides = array<i64: 2, 2>, window = array<i64: 3, 3>}
// CHECK: nnhal.max_pool_2d %{{.*}} {activation = #nnhal<activation relu>,
func.func @pools_keep_the_type(%x: tensor<?x8x8x3x!u8>) -> tensor<?x2x2x3x!u8> {
  %0 = nnhal.average_pool_2d %x {window = array<i64: 3, 3>, strides = array<i64: 2, 2>, pads = array<i64: 0, 1, 0, 1>}
      : (tensor<?x8x8x3x!u8>) -> tensor<?x4x4x3x!u8>
  %1 = nnhal.max_pool_2d %0 {window = array<i64: 2, 2>, strides = array<i64: 2, 2>, pads = array<i64: 0, 0, 0, 0>,
      activation = #nnhal<activation relu>} : (tensor<?x4x4x3x!u8>) -> tensor<?x2x2x3x!u8>
  return %1 : tensor<?x2x2x3x!u8>
}

// CHECK-LABEL: @l2_pool_2d
// CHECK: nnhal.l2_pool_2d
func.func @l2_pool_2d(%x: tensor<1x8x8x3xf16>) -> tensor<1x4x7x3xf16> {
  %0 = nnhal.l2_pool_2d %x {window = array<i64: 2, 2>, strides = array<i64: 2, 1>, pads = array<i64: 0, 0, 0, 0>}
      : (tensor<1x8x8x3xf16>) -> tensor<1x4x7x3xf16>
  return %0 : tensor<1x4x7x3xf16>
}

// CHECK-LABEL: @resizing_takes_its_size_from_the_result
// CHECK: nnhal.resize_bilinear %{{.*}} {align_corners = true}
// CHECK: nnhal.resize_nearest_neighbor %{{.*}} {half_pixel_centers = true}
func.func @resizing_takes_its_size_from_the_result(%x: tensor<1x8x8x3xf32>) -> tensor<1x5x16x3xf32> {
  %0 = nnhal.resize_bilinear %x {align_corners = true} : (tensor<1x8x8x3xf32>) -> tensor<1x3x3x3xf32>
  %1 = nnhal.resize_nearest_neighbor %0 {half_pixel_centers = true} : (tensor<1x3x3x3xf32>) -> tensor<1x5x16x3xf32>
  return %1 : tensor<1x5x16x3xf32>
}
