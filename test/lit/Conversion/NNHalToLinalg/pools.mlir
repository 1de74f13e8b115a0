// RUN: nnhal-opt %s --split-input-file --convert-nnhal-graph-to-func --convert-nnhal-to-linalg --canonicalize | FileCheck %s
// RUN: nnhal-opt %s --split-input-file --nnhal-set-target --convert-nnhal-graph-to-func --convert-nnhal-to-linalg --canonicalize | FileCheck %s

// Pools of known extents are upstream's operations, whatever the target: padding
// is one of its own, and so is a mean, which counts places that are not padding
// along rows and along columns.

// CHECK-LABEL: @average_pool_2d
// CHECK-DAG:     %[[COUNTS:.+]] = arith.constant dense<[2.000000e+00, 3.000000e+00, 3.000000e+00, 2.000000e+00]> : tensor<4xf32>
// CHECK:         %[[PADDED:.+]] = tensor.pad %arg0
// CHECK:         %[[SUMS:.+]] = linalg.pooling_nhwc_sum {{.*}} ins(%[[PADDED]], %{{.*}} : tensor<1x6x6x3xf32>, tensor<3x3xf32>)
// CHECK:         linalg.generic {{.*}} ins(%[[SUMS]], %[[COUNTS]], %[[COUNTS]] : tensor<1x4x4x3xf32>, tensor<4xf32>, tensor<4xf32>)
// CHECK:           %[[PLACES:.+]] = arith.mulf %in_{{.*}}, %in_{{.*}} : f32
// CHECK:           arith.divf %in, %[[PLACES]] : f32
func.func @average_pool_2d(%x: tensor<1x4x4x3xf32>) -> tensor<1x4x4x3xf32> {
  %0 = nnhal.average_pool_2d %x pads [1, 1, 1, 1] strides [1, 1] window [3, 3]
      : (tensor<1x4x4x3xf32>) -> tensor<1x4x4x3xf32>
  return %0 : tensor<1x4x4x3xf32>
}

// -----

// CHECK-LABEL: @l2_pool_2d
// CHECK:           arith.mulf
// CHECK:         linalg.pooling_nhwc_sum
// CHECK:           arith.divf
// CHECK:           math.sqrt
func.func @l2_pool_2d(%x: tensor<1x4x4x3xf32>) -> tensor<1x2x2x3xf32> {
  %0 = nnhal.l2_pool_2d %x pads [0, 0, 0, 0] strides [2, 2] window [2, 2]
      : (tensor<1x4x4x3xf32>) -> tensor<1x2x2x3xf32>
  return %0 : tensor<1x2x2x3xf32>
}

// -----

// A NaN is passed over, as no named operation does. The activation follows.
// CHECK-LABEL: @max_pool_2d
// CHECK:         linalg.generic {{.*}}"reduction", "reduction"]} ins(%arg0, %{{.*}} : tensor<1x4x4x3xf32>, tensor<2x2xf32>)
// CHECK:           arith.cmpf ogt, %in, %out
// CHECK:         linalg.generic
// CHECK:           arith.cmpf ogt
func.func @max_pool_2d(%x: tensor<1x4x4x3xf32>) -> tensor<1x2x2x3xf32> {
  %0 = nnhal.max_pool_2d %x pads [0, 0, 0, 0] strides [2, 2] window [2, 2] activation relu
      : (tensor<1x4x4x3xf32>) -> tensor<1x2x2x3xf32>
  return %0 : tensor<1x2x2x3xf32>
}

// -----

// Halves are pooled as float32, and rounded in the end.
// CHECK-LABEL: @pool_of_halves
// CHECK:         arith.extf
// CHECK:         linalg.pooling_nhwc_sum {{.*}} : tensor<1x4x4x3xf32>, tensor<2x2xf32>)
// CHECK:         arith.truncf
func.func @pool_of_halves(%x: tensor<1x4x4x3xf16>) -> tensor<1x3x3x3xf16> {
  %0 = nnhal.l2_pool_2d %x pads [0, 0, 0, 0] strides [1, 1] window [2, 2]
      : (tensor<1x4x4x3xf16>) -> tensor<1x3x3x3xf16>
  return %0 : tensor<1x3x3x3xf16>
}

// -----

// CHECK-LABEL: func.func @main
// CHECK:         arith.subi %{{.*}}, %c-128_i32
// CHECK:         tensor.pad
// CHECK:           tensor.yield %c0_i32
// CHECK:         linalg.pooling_nhwc_max {{.*}} : tensor<1x5x5x3xi32>, tensor<2x2xi32>)
// CHECK:         arith.addi %{{.*}}, %c-128_i32
nnhal.model @max_of_bytes attributes {hal_version = "1.3"} {
  nnhal.graph @main(%x: tensor<1x4x4x3x!quant.uniform<i8:f32, 0.5>>) -> tensor<1x4x4x3x!quant.uniform<i8:f32, 0.5>> {
    %0 = nnhal.max_pool_2d %x pads [0, 1, 0, 1] strides [1, 1] window [2, 2]
        : (tensor<1x4x4x3x!quant.uniform<i8:f32, 0.5>>) -> tensor<1x4x4x3x!quant.uniform<i8:f32, 0.5>>
    nnhal.return %0 : tensor<1x4x4x3x!quant.uniform<i8:f32, 0.5>>
  }
}

// -----

// A mean of bytes, from the lowest on, is rounded half up.
// CHECK-LABEL: func.func @main
// CHECK:         %[[COUNTS:.+]] = arith.constant dense<3> : tensor<2xi32>
// CHECK:         arith.extsi
// CHECK:         arith.subi %{{.*}}, %c-128_i32
// CHECK:         %[[SUMS:.+]] = linalg.pooling_nhwc_sum {{.*}} : tensor<1x4x4x3xi32>, tensor<3x3xi32>)
// CHECK:         linalg.generic {{.*}} ins(%[[SUMS]], %[[COUNTS]], %[[COUNTS]] :
// CHECK:           %[[PLACES:.+]] = arith.muli %in_{{.*}}, %in_{{.*}} : i32
// CHECK:           %[[HALF:.+]] = arith.divsi %[[PLACES]], %c2_i32
// CHECK:           %[[MORE:.+]] = arith.addi %in, %[[HALF]]
// CHECK:           arith.divsi %[[MORE]], %[[PLACES]]
nnhal.model @average_of_bytes attributes {hal_version = "1.3"} {
  nnhal.graph @main(%x: tensor<1x4x4x3x!quant.uniform<i8:f32, 0.5>>) -> tensor<1x2x2x3x!quant.uniform<i8:f32, 0.5>> {
    %0 = nnhal.average_pool_2d %x pads [0, 0, 0, 0] strides [1, 1] window [3, 3]
        : (tensor<1x4x4x3x!quant.uniform<i8:f32, 0.5>>) -> tensor<1x2x2x3x!quant.uniform<i8:f32, 0.5>>
    nnhal.return %0 : tensor<1x2x2x3x!quant.uniform<i8:f32, 0.5>>
  }
}

// -----

// The sum of 2^22 bytes does not fit i32.
// CHECK-LABEL: func.func @main
// CHECK:         linalg.pooling_nhwc_sum {{.*}} outs(%{{.*}} : tensor<1x1x1x1xi64>)
nnhal.model @average_of_many_bytes attributes {hal_version = "1.3"} {
  nnhal.graph @main(%x: tensor<1x2048x2048x1x!quant.uniform<i8:f32, 0.5>>) -> tensor<1x1x1x1x!quant.uniform<i8:f32, 0.5>> {
    %0 = nnhal.average_pool_2d %x pads [0, 0, 0, 0] strides [1, 1] window [2048, 2048]
        : (tensor<1x2048x2048x1x!quant.uniform<i8:f32, 0.5>>) -> tensor<1x1x1x1x!quant.uniform<i8:f32, 0.5>>
    nnhal.return %0 : tensor<1x1x1x1x!quant.uniform<i8:f32, 0.5>>
  }
}

// -----

// Padding for which there is no room is left out by loops.
// CHECK-LABEL: @wide_padding
// CHECK-NOT:     tensor.pad
// CHECK:         scf.for
func.func @wide_padding(%x: tensor<1x4x4x1xf32>) -> tensor<1x1x1x1xf32> {
  %0 = nnhal.average_pool_2d %x pads [99999, 99999, 99999, 99999] strides [200000, 200000] window [200000, 200000]
      : (tensor<1x4x4x1xf32>) -> tensor<1x1x1x1xf32>
  return %0 : tensor<1x1x1x1xf32>
}
