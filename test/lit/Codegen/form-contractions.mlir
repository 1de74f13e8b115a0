// RUN: nnhal-opt %s --split-input-file --convert-nnhal-graph-to-func --convert-nnhal-to-linalg --nnk-form-kernels --canonicalize | FileCheck %s
// RUN: nnhal-opt %s --split-input-file --convert-nnhal-graph-to-func --convert-nnhal-to-linalg --canonicalize --nnk-form-kernels --canonicalize | FileCheck %s

// The kernel has padding, bias and activation.
// CHECK-LABEL: @conv_2d
// CHECK-NOT:     linalg.
// CHECK:         nnk.conv_2d_fhwc ins(%arg0, %arg1, %arg2 : tensor<1x6x5x2xf32>, tensor<4x3x3x2xf32>, tensor<4xf32>) outs(%{{.*}} : tensor<1x3x4x4xf32>) strides [2, 1] dilations [1, 2] pads [1, 0, 2, 1] epilogue {
// CHECK:         ^{{.*}}(%[[SUM:.+]]: f32):
// CHECK-NEXT:      arith.cmpf ogt, %{{.+}}, %[[SUM]]
// CHECK:           nnk.yield
// CHECK-NOT:     linalg.
func.func @conv_2d(%in: tensor<1x6x5x2xf32>, %filter: tensor<4x3x3x2xf32>, %bias: tensor<4xf32>) -> tensor<1x3x4x4xf32> {
  %0 = nnhal.conv_2d %in, %filter, %bias pads [1, 0, 2, 1] strides [2, 1] dilations [1, 2] activation relu
      : (tensor<1x6x5x2xf32>, tensor<4x3x3x2xf32>, tensor<4xf32>) -> tensor<1x3x4x4xf32>
  return %0 : tensor<1x3x4x4xf32>
}

// -----

// CHECK-LABEL: @depth_multiplier
// CHECK:         %[[FILTER:.+]] = arith.constant dense_resource<weights> : tensor<1x2x6xf32>
// CHECK:         %[[SUMS:.+]] = nnk.depthwise_conv_2d ins(%arg0, %[[FILTER]], %arg1 : tensor<1x4x4x2xf32>, tensor<1x2x6xf32>, tensor<6xf32>) outs(%{{.*}} : tensor<1x4x3x6xf32>) strides [1, 1] dilations [1, 1] pads [0, 0, 0, 0] depth_multiplier 3 ->
// CHECK-NEXT:    return %[[SUMS]]
func.func @depth_multiplier(%in: tensor<1x4x4x2xf32>, %bias: tensor<6xf32>) -> tensor<1x4x3x6xf32> {
  %filter = nnhal.constant dense_resource<weights> : tensor<1x1x2x6xf32> -> tensor<1x1x2x6xf32>
  %0 = nnhal.depthwise_conv_2d %in, %filter, %bias pads [0, 0, 0, 0] strides [1, 1] depth_multiplier 3
      : (tensor<1x4x4x2xf32>, tensor<1x1x2x6xf32>, tensor<6xf32>) -> tensor<1x4x3x6xf32>
  return %0 : tensor<1x4x3x6xf32>
}

{-#
  dialect_resources: {
    builtin: {
      weights: "0x400000000000803F000000400000404000008040000000BF000080BF0000803F000000400000404000008040000000BF000080BF"
    }
  }
#-}

// -----

// A product of matrices is one row of pixels; its filter is shared.
// CHECK-LABEL: @fully_connected
// CHECK:         %[[FILTER:.+]] = arith.constant dense_resource<matrix> : tensor<2x1x1x2xf32>
// CHECK:         %[[ROW:.+]] = tensor.expand_shape %arg0 {{.*}} into tensor<1x1x3x2xf32>
// CHECK:         %[[SUMS:.+]] = nnk.conv_2d_fhwc ins(%[[ROW]], %[[FILTER]], %arg1 : {{.*}}) outs(%{{.*}} : tensor<1x1x3x2xf32>)
// CHECK:           nnk.yield
// CHECK:         tensor.collapse_shape %[[SUMS]] {{.*}} into tensor<3x2xf32>
// CHECK:         matrix: "0x400000000000803F000000400000404000008040"
func.func @fully_connected(%in: tensor<3x2xf32>, %bias: tensor<2xf32>) -> tensor<3x2xf32> {
  %weights = nnhal.constant dense_resource<matrix> : tensor<2x2xf32> -> tensor<2x2xf32>
  %0 = nnhal.fully_connected %in, %weights, %bias activation relu6
      : (tensor<3x2xf32>, tensor<2x2xf32>, tensor<2xf32>) -> tensor<3x2xf32>
  return %0 : tensor<3x2xf32>
}

{-#
  dialect_resources: {
    builtin: {
      matrix: "0x400000000000803F000000400000404000008040"
    }
  }
#-}

// -----

// The kernel takes both zero points off; the bias is what sums begin with.
// CHECK-LABEL: func.func @main
// CHECK-DAG:     %[[FILTER:.+]] = arith.constant dense<1> : tensor<3x3x3x2xi8>
// CHECK-DAG:     %[[BIAS:.+]] = arith.constant dense<5> : tensor<3xi32>
// CHECK-NOT:     linalg.
// CHECK:         %[[SUMS:.+]] = nnk.conv_2d_fhwc ins(%{{.+}}, %[[FILTER]], %[[BIAS]] : tensor<1x4x4x2xi8>, tensor<3x3x3x2xi8>, tensor<3xi32>) {{.*}} pads [1, 1, 1, 1] unsigned_input {input_zero_point = 128 : i32} -> tensor<1x4x4x3xi32>
// CHECK:         linalg.generic {{.*}} ins(%[[SUMS]]
!image = tensor<1x4x4x2x!quant.uniform<u8:f32, 0.5:128>>
!channels = tensor<3x3x3x2x!quant.uniform<i8<-127:127>:f32:0, {0.5, 0.25, 0.125}>>
!result = tensor<1x4x4x3x!quant.uniform<u8:f32, 0.25:3>>
nnhal.model @conv_2d_of_bytes attributes {hal_version = "1.3"} {
  nnhal.graph @main(%x: !image) -> !result {
    %filter = nnhal.constant dense<1> : tensor<3x3x3x2xi8> -> !channels
    %bias = nnhal.constant dense<5> : tensor<3xi32> -> tensor<3xi32>
    %0 = nnhal.conv_2d %x, %filter, %bias pads [1, 1, 1, 1] strides [1, 1] : (!image, !channels, tensor<3xi32>) -> !result
    nnhal.return %0 : !result
  }
}

// -----

// A bias that is an input is added later.
// CHECK-LABEL: func.func @main
// CHECK:         %[[ZEROS:.+]] = arith.constant dense<0> : tensor<5xi32>
// CHECK:         nnk.conv_2d_fhwc ins(%{{.+}}, %{{.+}}, %[[ZEROS]] : tensor<1x1x4x6xi8>, tensor<5x1x1x6xi8>, tensor<5xi32>) {{.*}} pads [0, 0, 0, 0] {filter_zero_point = 100 : i32, input_zero_point = -3 : i32}
!rows = tensor<4x6x!quant.uniform<i8:f32, 0.5:-3>>
!weights = tensor<5x6x!quant.uniform<i8:f32, 0.5:100>>
!bias = tensor<5x!quant.uniform<i32:f32, 0.25>>
!products = tensor<4x5x!quant.uniform<i8:f32, 2.0>>
nnhal.model @product_of_bytes attributes {hal_version = "1.3"} {
  nnhal.graph @main(%x: !rows, %w: !weights, %b: !bias) -> !products {
    %0 = nnhal.fully_connected %x, %w, %b : (!rows, !weights, !bias) -> !products
    nnhal.return %0 : !products
  }
}

// -----

// f32 holds the sums of a depthwise convolution, and the bias.
// CHECK-LABEL: func.func @main
// CHECK-DAG:     %[[FILTER:.+]] = arith.constant dense_resource<filter_centered> : tensor<1x1x2xf32>
// CHECK-DAG:     %[[BIAS:.+]] = arith.constant dense_resource<bias> : tensor<2xf32>
// CHECK:         %[[IMAGE:.+]] = linalg.generic {{.*}} outs(%{{.*}} : tensor<1x4x4x2xi16>)
// CHECK:         nnk.depthwise_conv_2d ins(%[[IMAGE]], %[[FILTER]], %[[BIAS]] : {{.*}} pads [0, 0, 0, 0]
// CHECK:         arith.fptosi
// CHECK-DAG:   bias: "0x400000000000803F0000803F"
// CHECK-DAG:   filter_centered: "0x400000000000803F0000803F"
!image = tensor<1x4x4x2x!quant.uniform<u8:f32, 0.5:128>>
!taps = tensor<1x1x1x2x!quant.uniform<u8:f32, 0.5:100>>
!result = tensor<1x4x4x2x!quant.uniform<u8:f32, 0.25:3>>
nnhal.model @depthwise_of_bytes attributes {hal_version = "1.3"} {
  nnhal.graph @main(%x: !image) -> !result {
    %filter = nnhal.constant dense<101> : tensor<1x1x1x2xi8> -> !taps
    %bias = nnhal.constant dense<1> : tensor<2xi32> -> tensor<2x!quant.uniform<i32:f32, 0.25>>
    %0 = nnhal.depthwise_conv_2d %x, %filter, %bias pads [0, 0, 0, 0] strides [1, 1] depth_multiplier 1
        : (!image, !taps, tensor<2x!quant.uniform<i32:f32, 0.25>>) -> !result
    nnhal.return %0 : !result
  }
}

// -----

// f32 would not hold the bias: it is added to integers.
// CHECK-LABEL: func.func @main
// CHECK-DAG:     %[[BIAS:.+]] = arith.constant dense<16777216> : tensor<2xi32>
// CHECK-DAG:     %[[ZEROS:.+]] = arith.constant dense<0.000000e+00> : tensor<2xf32>
// CHECK:         %[[SUMS:.+]] = nnk.depthwise_conv_2d ins(%{{.+}}, %{{.+}}, %[[ZEROS]] :
// CHECK:         linalg.generic {{.*}} ins(%[[SUMS]], %[[BIAS]] :
// CHECK:           %[[INTEGER:.+]] = arith.fptosi
// CHECK:           arith.addi %[[INTEGER]], %{{.+}} : i32
!image = tensor<1x4x4x2x!quant.uniform<u8:f32, 0.5:128>>
!taps = tensor<1x1x1x2x!quant.uniform<u8:f32, 0.5:100>>
!result = tensor<1x4x4x2x!quant.uniform<u8:f32, 0.25:3>>
nnhal.model @large_bias attributes {hal_version = "1.3"} {
  nnhal.graph @main(%x: !image) -> !result {
    %filter = nnhal.constant dense<101> : tensor<1x1x1x2xi8> -> !taps
    %bias = nnhal.constant dense<16777216> : tensor<2xi32> -> tensor<2x!quant.uniform<i32:f32, 0.25>>
    %0 = nnhal.depthwise_conv_2d %x, %filter, %bias pads [0, 0, 0, 0] strides [1, 1] depth_multiplier 1
        : (!image, !taps, tensor<2x!quant.uniform<i32:f32, 0.25>>) -> !result
    nnhal.return %0 : !result
  }
}

// -----

// 17 x 17 products of bytes may have a sum that f32 rounds.
// CHECK-LABEL: func.func @main
// CHECK-NOT:     nnk.
// CHECK:         linalg.depthwise_conv_2d_nhwc_hwc
!image = tensor<1x17x17x2x!quant.uniform<u8:f32, 0.5:128>>
!taps = tensor<1x17x17x2x!quant.uniform<u8:f32, 0.5:0>>
!bias = tensor<2x!quant.uniform<i32:f32, 0.25>>
!result = tensor<1x1x1x2x!quant.uniform<u8:f32, 0.25:3>>
nnhal.model @large_sums attributes {hal_version = "1.3"} {
  nnhal.graph @main(%x: !image, %filter: !taps, %bias: !bias) -> !result {
    %0 = nnhal.depthwise_conv_2d %x, %filter, %bias pads [0, 0, 0, 0] strides [1, 1] depth_multiplier 1
        : (!image, !taps, !bias) -> !result
    nnhal.return %0 : !result
  }
}
