// RUN: nnhal-opt %s --nnhal-raise-operations="strict" --split-input-file | FileCheck %s --implicit-check-not=nnhal.operation

// The operations of a quantized MobileNet: uint8 as published, then signed with
// scales per channel and a batch that is not known, then half precision.

!x = !quant.uniform<u8:f32, 7.812500e-03:128>
!w = !quant.uniform<u8:f32, 2.500000e-01:122>
!b = !quant.uniform<i32:f32, 1.953125e-03>
!y = !quant.uniform<u8:f32, 2.343750e-02>
!d = !quant.uniform<i32:f32, 5.859375e-03>
!p = !quant.uniform<u8:f32, 3.906250e-03>

// CHECK-LABEL: nnhal.model @mobilenet_v1
nnhal.model @mobilenet_v1 attributes {hal_version = "1.3"} {
  nnhal.graph @main(%x: tensor<1x8x8x3x!x>, %w0: tensor<4x3x3x3x!w>, %b0: tensor<4x!b>,
                    %w1: tensor<1x3x3x4x!w>, %b1: tensor<4x!d>, %w2: tensor<5x4x!w>, %b2: tensor<5x!d>)
      -> (tensor<1x5x!p>, tensor<1x5xf32>) {
    %same = nnhal.constant_copy 1 : i32 -> i32
    %one = nnhal.constant_copy 1 : i32 -> i32
    %two = nnhal.constant_copy 2 : i32 -> i32
    %four = nnhal.constant_copy 4 : i32 -> i32
    %none = nnhal.constant_copy 0 : i32 -> i32
    %relu6 = nnhal.constant_copy 3 : i32 -> i32
    %beta = nnhal.constant_copy 1.0 : f32 -> f32
    %shape = nnhal.constant_copy dense<[1, 4]> : tensor<2xi32> -> tensor<2xi32>
    // CHECK: nnhal.conv_2d {{.*}}pads [0, 1, 0, 1] {{.*}}activation relu6
    %0 = nnhal.operation "CONV_2D"(%x, %w0, %b0, %same, %two, %two, %relu6)
        : (tensor<1x8x8x3x!x>, tensor<4x3x3x3x!w>, tensor<4x!b>, i32, i32, i32, i32) -> tensor<1x4x4x4x!y>
    // CHECK: nnhal.depthwise_conv_2d {{.*}}pads [1, 1, 1, 1] {{.*}}depth_multiplier 1
    %1 = nnhal.operation "DEPTHWISE_CONV_2D"(%0, %w1, %b1, %same, %one, %one, %one, %relu6)
        : (tensor<1x4x4x4x!y>, tensor<1x3x3x4x!w>, tensor<4x!d>, i32, i32, i32, i32, i32) -> tensor<1x4x4x4x!y>
    // CHECK: nnhal.add
    %2 = nnhal.operation "ADD"(%0, %1, %none)
        : (tensor<1x4x4x4x!y>, tensor<1x4x4x4x!y>, i32) -> tensor<1x4x4x4x!y>
    // CHECK: nnhal.average_pool_2d {{.*}}window [4, 4]
    %3 = nnhal.operation "AVERAGE_POOL_2D"(%2, %two, %one, %one, %four, %four, %none)
        : (tensor<1x4x4x4x!y>, i32, i32, i32, i32, i32, i32) -> tensor<1x1x1x4x!y>
    // CHECK: nnhal.reshape
    %4 = nnhal.operation "RESHAPE"(%3, %shape) : (tensor<1x1x1x4x!y>, tensor<2xi32>) -> tensor<1x4x!y>
    // CHECK: nnhal.fully_connected
    %5 = nnhal.operation "FULLY_CONNECTED"(%4, %w2, %b2, %none)
        : (tensor<1x4x!y>, tensor<5x4x!w>, tensor<5x!d>, i32) -> tensor<1x5x!y>
    // CHECK: nnhal.softmax
    %6 = nnhal.operation "SOFTMAX"(%5, %beta) : (tensor<1x5x!y>, f32) -> tensor<1x5x!p>
    // CHECK: nnhal.dequantize
    %7 = nnhal.operation "DEQUANTIZE"(%6) : (tensor<1x5x!p>) -> tensor<1x5xf32>
    nnhal.return %6, %7 : tensor<1x5x!p>, tensor<1x5xf32>
  }
}

// -----

!x = !quant.uniform<i8:f32, 5.000000e-01>
!w = !quant.uniform<i8<-127:127>:f32:0, {5.000000e-01, 2.500000e-01}>

// CHECK-LABEL: nnhal.model @per_channel
nnhal.model @per_channel attributes {hal_version = "1.3"} {
  nnhal.graph @main(%x: tensor<?x8x8x3x!x>, %w: tensor<2x3x3x3x!w>, %b: tensor<2xi32>)
      -> tensor<?x2x2x!x> {
    %same = nnhal.constant_copy 1 : i32 -> i32
    %two = nnhal.constant_copy 2 : i32 -> i32
    %none = nnhal.constant_copy 0 : i32 -> i32
    %keep = nnhal.constant_copy 0 : i8 -> i8
    %axes = nnhal.constant_copy dense<[3]> : tensor<1xi32> -> tensor<1xi32>
    // CHECK: nnhal.conv_2d {{.*}} : (tensor<?x8x8x3x{{.*}} -> tensor<?x4x4x2x
    %0 = nnhal.operation "CONV_2D"(%x, %w, %b, %same, %two, %two, %none)
        : (tensor<?x8x8x3x!x>, tensor<2x3x3x3x!w>, tensor<2xi32>, i32, i32, i32, i32) -> tensor<?x4x4x2x!x>
    // CHECK: nnhal.resize_nearest_neighbor
    // CHECK: nnhal.reduce_max
    %1 = nnhal.operation "RESIZE_NEAREST_NEIGHBOR"(%0, %two, %two, %keep)
        : (tensor<?x4x4x2x!x>, i32, i32, i8) -> tensor<?x2x2x2x!x>
    %2 = nnhal.operation "REDUCE_MAX"(%1, %axes, %keep)
        : (tensor<?x2x2x2x!x>, tensor<1xi32>, i8) -> tensor<?x2x2x!x>
    nnhal.return %2 : tensor<?x2x2x!x>
  }
}

// -----

// CHECK-LABEL: nnhal.model @half_precision
nnhal.model @half_precision attributes {hal_version = "1.3"} {
  nnhal.graph @main(%x: tensor<?x3xf16>) -> tensor<?x3xf16> {
    %alpha = nnhal.constant_copy 0.5 : f16 -> f16
    // CHECK: nnhal.elu %{{.+}} alpha 5.000000e-01 : (tensor<?x3xf16>) -> tensor<?x3xf16>
    %0 = nnhal.operation "ELU"(%x, %alpha) : (tensor<?x3xf16>, f16) -> tensor<?x3xf16>
    nnhal.return %0 : tensor<?x3xf16>
  }
}
