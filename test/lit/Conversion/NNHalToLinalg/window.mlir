// RUN: nnhal-opt %s --nnhal-set-target --convert-nnhal-graph-to-func --convert-nnhal-to-linalg --split-input-file | FileCheck %s

// CHECK-LABEL: @max_pool_2d_ends_in_activation
// CHECK:         nnk.pool_2d max ins(%{{.*}} : tensor<1x4x4x3xf32>)
// CHECK-SAME:      window [2, 2] strides [2, 1] pads [0, 1, 0, 1]
// CHECK-SAME:      epilogue {
// CHECK:           arith.cmpf ogt
func.func @max_pool_2d_ends_in_activation(%x: tensor<1x4x4x3xf32>) -> tensor<1x2x4x3xf32> {
  %0 = nnhal.max_pool_2d %x pads [0, 1, 0, 1] strides [2, 1] window [2, 2] activation relu
      : (tensor<1x4x4x3xf32>) -> tensor<1x2x4x3xf32>
  return %0 : tensor<1x2x4x3xf32>
}

// -----

// CHECK-LABEL: @l2_pool_2d
// CHECK:         nnk.pool_2d l2
func.func @l2_pool_2d(%x: tensor<1x4x4x3xf32>) -> tensor<1x3x3x3xf32> {
  %0 = nnhal.l2_pool_2d %x pads [0, 0, 0, 0] strides [1, 1] window [2, 2]
      : (tensor<1x4x4x3xf32>) -> tensor<1x3x3x3xf32>
  return %0 : tensor<1x3x3x3xf32>
}

// -----

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

// -----

// Halves are pooled as float32, and rounded in the end.
// CHECK-LABEL: @pool_of_halves
// CHECK:         arith.extf
// CHECK:         nnk.pool_2d l2 ins(%{{.*}} : tensor<1x4x4x3xf32>)
// CHECK:         arith.truncf
func.func @pool_of_halves(%x: tensor<1x4x4x3xf16>) -> tensor<1x3x3x3xf16> {
  %0 = nnhal.l2_pool_2d %x pads [0, 0, 0, 0] strides [1, 1] window [2, 2]
      : (tensor<1x4x4x3xf16>) -> tensor<1x3x3x3xf16>
  return %0 : tensor<1x3x3x3xf16>
}

// -----

// Bytes are pooled as floats from 0 on, and a mean is rounded half up: 0.5 and a
// fourth of a ninth are added before digits are cut off.
// CHECK-LABEL: func.func @main
// CHECK:         nnk.pool_2d average ins(%{{.*}} : tensor<1x4x4x3xf32>)
// CHECK:         arith.addf %{{.*}}, %[[HALF:.*]] : f32
// CHECK:         arith.fptosi
// CHECK:         arith.addi %{{.*}}, %{{.*}} : i32
nnhal.model @average_of_bytes attributes {hal_version = "1.3"} {
  nnhal.graph @main(%x: tensor<1x4x4x3x!quant.uniform<i8:f32, 0.5>>) -> tensor<1x2x2x3x!quant.uniform<i8:f32, 0.5>> {
    %0 = nnhal.average_pool_2d %x pads [0, 0, 0, 0] strides [1, 1] window [3, 3]
        : (tensor<1x4x4x3x!quant.uniform<i8:f32, 0.5>>) -> tensor<1x2x2x3x!quant.uniform<i8:f32, 0.5>>
    nnhal.return %0 : tensor<1x2x2x3x!quant.uniform<i8:f32, 0.5>>
  }
}

// -----

// A mean of more than 4096 elements of float32 may be rounded another way.
// CHECK-LABEL: func.func @main
// CHECK-NOT:     nnk.pool_2d
// CHECK:         scf.for
nnhal.model @average_of_many_bytes attributes {hal_version = "1.3"} {
  nnhal.graph @main(%x: tensor<1x64x65x1x!quant.uniform<i8:f32, 0.5>>) -> tensor<1x1x1x1x!quant.uniform<i8:f32, 0.5>> {
    %0 = nnhal.average_pool_2d %x pads [0, 0, 0, 0] strides [1, 1] window [64, 65]
        : (tensor<1x64x65x1x!quant.uniform<i8:f32, 0.5>>) -> tensor<1x1x1x1x!quant.uniform<i8:f32, 0.5>>
    nnhal.return %0 : tensor<1x1x1x1x!quant.uniform<i8:f32, 0.5>>
  }
}
