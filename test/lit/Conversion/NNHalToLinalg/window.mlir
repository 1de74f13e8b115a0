// RUN: nnhal-opt %s --nnhal-set-target --convert-nnhal-graph-to-func --convert-nnhal-to-linalg --split-input-file | FileCheck %s

// Positions 0, 0.5, 1, 1.5 of two rows.
// CHECK-LABEL: @resize_bilinear_reads_tables
// CHECK-DAG:     arith.constant dense<[0, 0, 1, 1]> : tensor<4xi32>
// CHECK-DAG:     arith.constant dense<[0.000000e+00, 5.000000e-01, 0.000000e+00, 5.000000e-01]> : tensor<4xf32>
// Rows first, then columns; tables are operands.
// CHECK:         %[[ROWS:.+]] = linalg.generic {{.*}} ins({{.*}} : tensor<4xi32>, tensor<4xi32>, tensor<4xf32>) outs({{.*}} : tensor<1x4x2x3xf32>)
// CHECK-COUNT-2: tensor.extract %arg0[
// CHECK:         linalg.generic {{.*}} ins({{.*}} : tensor<4xi32>, tensor<4xi32>, tensor<4xf32>) outs({{.*}} : tensor<1x4x4x3xf32>)
// CHECK-COUNT-2: tensor.extract %[[ROWS]][
// CHECK-NOT:     scf.for
func.func @resize_bilinear_reads_tables(%x: tensor<1x2x2x3xf32>) -> tensor<1x4x4x3xf32> {
  %0 = nnhal.resize_bilinear %x : (tensor<1x2x2x3xf32>) -> tensor<1x4x4x3xf32>
  return %0 : tensor<1x4x4x3xf32>
}

// -----

// A narrower result reads fewer pixels from its four corners at once.
// CHECK-LABEL: @resize_bilinear_shrinks
// CHECK:         linalg.generic {{.*}} outs({{.*}} : tensor<1x4x4x3xf32>)
// CHECK-COUNT-4: tensor.extract %arg0[
// CHECK-NOT:     linalg.generic
// CHECK:         return
func.func @resize_bilinear_shrinks(%x: tensor<1x5x9x3xf32>) -> tensor<1x4x4x3xf32> {
  %0 = nnhal.resize_bilinear %x : (tensor<1x5x9x3xf32>) -> tensor<1x4x4x3xf32>
  return %0 : tensor<1x4x4x3xf32>
}

// -----

// CHECK-LABEL: @resize_bilinear_to_the_same_size
// CHECK-NOT:     linalg
// CHECK:         return %arg0
func.func @resize_bilinear_to_the_same_size(%x: tensor<1x4x4x3xf32>) -> tensor<1x4x4x3xf32> {
  %0 = nnhal.resize_bilinear %x align_corners : (tensor<1x4x4x3xf32>) -> tensor<1x4x4x3xf32>
  return %0 : tensor<1x4x4x3xf32>
}

// -----

// CHECK-LABEL: @resize_bilinear_aligns_corners
// CHECK-DAG:     dense<[0.000000e+00, 0.333333343, 0.666666686, 0.000000e+00]> : tensor<4xf32>
func.func @resize_bilinear_aligns_corners(%x: tensor<1x2x2x3xf32>) -> tensor<1x4x4x3xf32> {
  %0 = nnhal.resize_bilinear %x align_corners : (tensor<1x2x2x3xf32>) -> tensor<1x4x4x3xf32>
  return %0 : tensor<1x4x4x3xf32>
}

// -----

// CHECK-LABEL: @resize_bilinear_half_pixel_centers
// CHECK-DAG:     dense<[0.000000e+00, 2.500000e-01, 7.500000e-01, 2.500000e-01]> : tensor<4xf32>
func.func @resize_bilinear_half_pixel_centers(%x: tensor<1x2x2x3xf32>) -> tensor<1x4x4x3xf32> {
  %0 = nnhal.resize_bilinear %x half_pixel_centers : (tensor<1x2x2x3xf32>) -> tensor<1x4x4x3xf32>
  return %0 : tensor<1x4x4x3xf32>
}

// -----

// CHECK-LABEL: @resize_nearest_neighbor_rounds_aligned_corners
// CHECK-DAG:     dense<[0, 0, 1, 1]> : tensor<4xi32>
// CHECK:         linalg.generic {{.*}} outs({{.*}} : tensor<1x4x4x3xf32>)
// CHECK:         tensor.extract %arg0[
func.func @resize_nearest_neighbor_rounds_aligned_corners(%x: tensor<1x2x2x3xf32>) -> tensor<1x4x4x3xf32> {
  %0 = nnhal.resize_nearest_neighbor %x align_corners : (tensor<1x2x2x3xf32>) -> tensor<1x4x4x3xf32>
  return %0 : tensor<1x4x4x3xf32>
}
