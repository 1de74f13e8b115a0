// RUN: nnhal-opt %s --split-input-file --convert-nnhal-graph-to-func --convert-nnhal-to-linalg --canonicalize | FileCheck %s --implicit-check-not=scf.for
// RUN: nnhal-opt %s --split-input-file --convert-nnhal-graph-to-func --convert-nnhal-to-linalg --canonicalize --linalg-specialize-generic-ops | FileCheck %s --check-prefix=NAMES

// Contractions of known extents are upstream's named operations for every target,
// and padding is one of its own.

// CHECK-LABEL: @conv_2d
// CHECK:         %[[PADDED:.+]] = tensor.pad %arg0 low[0, 1, 2, 0] high[0, 0, 1, 0]
// CHECK:         %[[FIRST:.+]] = linalg.broadcast ins(%arg2 : tensor<4xf32>) outs(%{{.*}} : tensor<1x3x4x4xf32>) dimensions = [0, 1, 2]
// CHECK:         %[[SUMS:.+]] = linalg.conv_2d_nhwc_fhwc {dilations = dense<[1, 2]> : tensor<2xi64>, strides = dense<[2, 1]> : tensor<2xi64>} ins(%[[PADDED]], %arg1 : tensor<1x7x8x2xf32>, tensor<4x3x3x2xf32>) outs(%[[FIRST]] : tensor<1x3x4x4xf32>)
// CHECK:         linalg.generic {{.*}} ins(%[[SUMS]] : tensor<1x3x4x4xf32>)
// CHECK-NEXT:    ^bb0
// CHECK-NEXT:      arith.cmpf
func.func @conv_2d(%in: tensor<1x6x5x2xf32>, %filter: tensor<4x3x3x2xf32>, %bias: tensor<4xf32>) -> tensor<1x3x4x4xf32> {
  %0 = nnhal.conv_2d %in, %filter, %bias pads [1, 0, 2, 1] strides [2, 1] dilations [1, 2] activation relu
      : (tensor<1x6x5x2xf32>, tensor<4x3x3x2xf32>, tensor<4xf32>) -> tensor<1x3x4x4xf32>
  return %0 : tensor<1x3x4x4xf32>
}

// -----

// CHECK-LABEL: @grouped_conv_2d
// CHECK-DAG:     %[[IMAGE:.+]] = tensor.expand_shape %arg0 {{.*}} : tensor<1x4x4x4xf32> into tensor<1x4x4x2x2xf32>
// CHECK-DAG:     %[[FILTER:.+]] = tensor.expand_shape %arg1 {{.*}} : tensor<6x3x3x2xf32> into tensor<2x3x3x3x2xf32>
// CHECK:         linalg.conv_2d_nhwgc_gfhwc {{.*}} ins(%[[IMAGE]], %[[FILTER]] : {{.*}}) outs(%{{.*}} : tensor<1x2x2x2x3xf32>)
// CHECK:         tensor.collapse_shape %{{.*}} : tensor<1x2x2x2x3xf32> into tensor<1x2x2x6xf32>
func.func @grouped_conv_2d(%in: tensor<1x4x4x4xf32>, %filter: tensor<6x3x3x2xf32>, %bias: tensor<6xf32>) -> tensor<1x2x2x6xf32> {
  %0 = nnhal.grouped_conv_2d %in, %filter, %bias pads [0, 0, 0, 0] strides [1, 1] groups 2
      : (tensor<1x4x4x4xf32>, tensor<6x3x3x2xf32>, tensor<6xf32>) -> tensor<1x2x2x6xf32>
  return %0 : tensor<1x2x2x6xf32>
}

// -----

// CHECK-LABEL: @depthwise_conv_2d
// CHECK:         %[[FILTER:.+]] = tensor.collapse_shape %arg1 {{.*}} : tensor<1x3x3x2xf32> into tensor<3x3x2xf32>
// CHECK:         linalg.depthwise_conv_2d_nhwc_hwc {{.*}} ins(%arg0, %[[FILTER]] : {{.*}})
func.func @depthwise_conv_2d(%in: tensor<1x4x4x2xf32>, %filter: tensor<1x3x3x2xf32>, %bias: tensor<2xf32>) -> tensor<1x2x2x2xf32> {
  %0 = nnhal.depthwise_conv_2d %in, %filter, %bias pads [0, 0, 0, 0] strides [1, 1] depth_multiplier 1
      : (tensor<1x4x4x2xf32>, tensor<1x3x3x2xf32>, tensor<2xf32>) -> tensor<1x2x2x2xf32>
  return %0 : tensor<1x2x2x2xf32>
}

// -----

// CHECK-LABEL: @depth_multiplier
// CHECK:         linalg.depthwise_conv_2d_nhwc_hwcm {{.*}} ins(%arg0, %{{.*}} : tensor<1x4x4x2xf32>, tensor<3x3x2x3xf32>) outs(%{{.*}} : tensor<1x2x2x2x3xf32>)
func.func @depth_multiplier(%in: tensor<1x4x4x2xf32>, %filter: tensor<1x3x3x6xf32>, %bias: tensor<6xf32>) -> tensor<1x2x2x6xf32> {
  %0 = nnhal.depthwise_conv_2d %in, %filter, %bias pads [0, 0, 0, 0] strides [1, 1] depth_multiplier 3
      : (tensor<1x4x4x2xf32>, tensor<1x3x3x6xf32>, tensor<6xf32>) -> tensor<1x2x2x6xf32>
  return %0 : tensor<1x2x2x6xf32>
}

// -----

// The pixels of the input lie among zeros, and the filter is turned round.
// CHECK-LABEL: @transpose_conv_2d
// CHECK:         %[[APART:.+]] = tensor.insert_slice %arg0 into %{{.*}}[0, 2, 2, 0] [1, 3, 3, 2] [1, 2, 2, 1] : tensor<1x3x3x2xf32> into tensor<1x9x9x2xf32>
// CHECK:         arith.subi %c2
// CHECK:         linalg.conv_2d_nhwc_fhwc {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>} ins(%[[APART]], %{{.*}})
func.func @transpose_conv_2d(%in: tensor<1x3x3x2xf32>, %filter: tensor<4x3x3x2xf32>, %bias: tensor<4xf32>) -> tensor<1x7x7x4xf32> {
  %0 = nnhal.transpose_conv_2d %in, %filter, %bias pads [0, 0, 0, 0] strides [2, 2]
      : (tensor<1x3x3x2xf32>, tensor<4x3x3x2xf32>, tensor<4xf32>) -> tensor<1x7x7x4xf32>
  return %0 : tensor<1x7x7x4xf32>
}

// -----

// CHECK-LABEL: @fully_connected
// CHECK:         linalg.matmul indexing_maps = [{{.*}}] ins(%arg0, %arg1 : tensor<2x8xf32>, tensor<3x8xf32>)
func.func @fully_connected(%in: tensor<2x8xf32>, %weights: tensor<3x8xf32>, %bias: tensor<3xf32>) -> tensor<2x3xf32> {
  %0 = nnhal.fully_connected %in, %weights, %bias : (tensor<2x8xf32>, tensor<3x8xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// -----

// Quantized values are multiplied less their zero points, which padding is.
// CHECK-LABEL: func.func @main
// CHECK:         %[[CENTERED:.+]] = linalg.generic {{.*}} ins(%{{.*}} : tensor<1x4x4x2xi8>) outs(%{{.*}} : tensor<1x4x4x2xi16>)
// CHECK:           arith.extui
// CHECK:           arith.subi %{{.*}}, %c128_i32
// CHECK:         %[[PADDED:.+]] = tensor.pad %[[CENTERED]] low[0, 1, 1, 0] high[0, 1, 1, 0]
// CHECK:           tensor.yield %c0_i16
// CHECK:         linalg.conv_2d_nhwc_fhwc {{.*}} ins(%[[PADDED]], %{{.*}} : tensor<1x6x6x2xi16>, tensor<3x3x3x2xi16>) outs(%{{.*}} : tensor<1x4x4x3xi32>)
nnhal.model @quantized attributes {hal_version = "1.3"} {
  nnhal.graph @main(%x: tensor<1x4x4x2x!quant.uniform<u8:f32, 0.5:128>>) -> tensor<1x4x4x3x!quant.uniform<u8:f32, 0.25:3>> {
    %filter = nnhal.constant dense<1> : tensor<3x3x3x2xi8> -> tensor<3x3x3x2x!quant.uniform<i8<-127:127>:f32:0, {0.5, 0.25, 0.125}>>
    %bias = nnhal.constant dense<0> : tensor<3xi32> -> tensor<3xi32>
    %0 = nnhal.conv_2d %x, %filter, %bias pads [1, 1, 1, 1] strides [1, 1]
        : (tensor<1x4x4x2x!quant.uniform<u8:f32, 0.5:128>>, tensor<3x3x3x2x!quant.uniform<i8<-127:127>:f32:0, {0.5, 0.25, 0.125}>>, tensor<3xi32>) -> tensor<1x4x4x3x!quant.uniform<u8:f32, 0.25:3>>
    nnhal.return %0 : tensor<1x4x4x3x!quant.uniform<u8:f32, 0.25:3>>
  }
}

// -----

// What has a name of upstream's and its numbers gets that by upstream's pass.
// NAMES-LABEL: @elementwise
// NAMES:         linalg.add ins(%arg0, %arg1
// NAMES:         linalg.div
// NAMES:         linalg.exp
func.func @elementwise(%x: tensor<2x3xf32>, %y: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = nnhal.add %x, %y : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  %1 = nnhal.div %0, %y : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  %2 = nnhal.exp %1 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return %2 : tensor<2x3xf32>
}
