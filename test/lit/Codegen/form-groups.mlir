// RUN: nnhal-opt %s --split-input-file --nnhal-set-target --convert-nnhal-graph-to-func --convert-nnhal-to-linalg --nnk-form-kernels --nnk-pack-convolutions --canonicalize | FileCheck %s

// Each group is a convolution of its own.
// CHECK-LABEL: @two_groups
// CHECK:         tensor.extract_slice %arg0[0, 0, 0, 0] [1, 4, 4, 2]
// CHECK:         %[[FIRST:.*]] = nnk.conv_2d {{.*}} -> tensor<1x4x4x3xf32>
// CHECK:         tensor.extract_slice %arg0[0, 0, 0, 2] [1, 4, 4, 2]
// CHECK:         %[[SECOND:.*]] = nnk.conv_2d {{.*}} -> tensor<1x4x4x3xf32>
// CHECK-DAG:     tensor.insert_slice %[[FIRST]] into %{{.*}}[0, 0, 0, 0] [1, 4, 4, 3]
// CHECK-DAG:     tensor.insert_slice %[[SECOND]] into %{{.*}}[0, 0, 0, 3] [1, 4, 4, 3]
func.func @two_groups(%x: tensor<1x4x4x4xf32>) -> tensor<1x4x4x6xf32> {
  %filter = nnhal.constant dense<1.0> : tensor<6x3x3x2xf32> -> tensor<6x3x3x2xf32>
  %bias = nnhal.constant dense<1.0> : tensor<6xf32> -> tensor<6xf32>
  %0 = nnhal.grouped_conv_2d %x, %filter, %bias pads [1, 1, 1, 1] strides [1, 1] groups 2
      : (tensor<1x4x4x4xf32>, tensor<6x3x3x2xf32>, tensor<6xf32>) -> tensor<1x4x4x6xf32>
  return %0 : tensor<1x4x4x6xf32>
}

// Groups of one input channel are a convolution per channel. Taps 1 and 2 of
// the first channel, 3 and 4 of the second become rows of both channels.
// CHECK-LABEL: @one_channel_each
// CHECK:         nnk.depthwise_conv_2d
// CHECK-SAME:      tensor<1x2x2xf32>
func.func @one_channel_each(%x: tensor<1x4x4x2xf32>) -> tensor<1x4x3x2xf32> {
  %filter = nnhal.constant dense<[[[[1.0], [2.0]]], [[[3.0], [4.0]]]]> : tensor<2x1x2x1xf32> -> tensor<2x1x2x1xf32>
  %bias = nnhal.constant dense<1.0> : tensor<2xf32> -> tensor<2xf32>
  %0 = nnhal.grouped_conv_2d %x, %filter, %bias pads [0, 0, 0, 0] strides [1, 1] groups 2
      : (tensor<1x4x4x2xf32>, tensor<2x1x2x1xf32>, tensor<2xf32>) -> tensor<1x4x3x2xf32>
  return %0 : tensor<1x4x3x2xf32>
}

// CHECK-LABEL: @one_group
// CHECK-NOT:     tensor.extract_slice
// CHECK:         nnk.conv_2d
func.func @one_group(%x: tensor<1x4x4x4xf32>) -> tensor<1x4x4x6xf32> {
  %filter = nnhal.constant dense<1.0> : tensor<6x3x3x4xf32> -> tensor<6x3x3x4xf32>
  %bias = nnhal.constant dense<1.0> : tensor<6xf32> -> tensor<6xf32>
  %0 = nnhal.grouped_conv_2d %x, %filter, %bias pads [1, 1, 1, 1] strides [1, 1] groups 1
      : (tensor<1x4x4x4xf32>, tensor<6x3x3x4xf32>, tensor<6xf32>) -> tensor<1x4x4x6xf32>
  return %0 : tensor<1x4x4x6xf32>
}

// A computed filter is cut into groups when the model runs.
// CHECK-LABEL: @computed_filter
// CHECK:         tensor.extract_slice %arg1[0, 0, 0, 0] [3, 3, 3, 2]
// CHECK:         nnk.conv_2d
// CHECK:         tensor.extract_slice %arg1[3, 0, 0, 0] [3, 3, 3, 2]
// CHECK:         nnk.conv_2d
func.func @computed_filter(%x: tensor<1x4x4x4xf32>, %filter: tensor<6x3x3x2xf32>) -> tensor<1x4x4x6xf32> {
  %bias = nnhal.constant dense<1.0> : tensor<6xf32> -> tensor<6xf32>
  %0 = nnhal.grouped_conv_2d %x, %filter, %bias pads [1, 1, 1, 1] strides [1, 1] groups 2
      : (tensor<1x4x4x4xf32>, tensor<6x3x3x2xf32>, tensor<6xf32>) -> tensor<1x4x4x6xf32>
  return %0 : tensor<1x4x4x6xf32>
}

// Nobody knows where a bias of unknown size is to be cut: it is added to the sums
// of all groups.
// CHECK-LABEL: @bias_of_unknown_size
// CHECK-COUNT-2: nnk.conv_2d
// CHECK:         linalg.generic
// CHECK:           arith.addf
func.func @bias_of_unknown_size(%x: tensor<1x4x4x4xf32>, %bias: tensor<?xf32>) -> tensor<1x4x4x6xf32> {
  %filter = nnhal.constant dense<1.0> : tensor<6x3x3x2xf32> -> tensor<6x3x3x2xf32>
  %0 = nnhal.grouped_conv_2d %x, %filter, %bias pads [1, 1, 1, 1] strides [1, 1] groups 2
      : (tensor<1x4x4x4xf32>, tensor<6x3x3x2xf32>, tensor<?xf32>) -> tensor<1x4x4x6xf32>
  return %0 : tensor<1x4x4x6xf32>
}

// Code for each of many groups takes time to compile.
// CHECK-LABEL: @many_groups
// CHECK-NOT:     nnk.
// CHECK:         linalg.conv_2d_nhwgc_gfhwc
func.func @many_groups(%x: tensor<1x1x1x258xf32>) -> tensor<1x1x1x129xf32> {
  %filter = nnhal.constant dense<1.0> : tensor<129x1x1x2xf32> -> tensor<129x1x1x2xf32>
  %bias = nnhal.constant dense<1.0> : tensor<129xf32> -> tensor<129xf32>
  %0 = nnhal.grouped_conv_2d %x, %filter, %bias pads [0, 0, 0, 0] strides [1, 1] groups 129
      : (tensor<1x1x1x258xf32>, tensor<129x1x1x2xf32>, tensor<129xf32>) -> tensor<1x1x1x129xf32>
  return %0 : tensor<1x1x1x129xf32>
}

// Somebody else reads the sums of all groups, beside the activation.
// CHECK-LABEL: @other_readers
// CHECK:         %[[FIRST:.*]] = nnk.conv_2d {{.*}} -> tensor<1x4x4x3xf32>
// CHECK:         %[[SECOND:.*]] = nnk.conv_2d {{.*}} -> tensor<1x4x4x3xf32>
// CHECK:         tensor.insert_slice %[[FIRST]]
// CHECK:         %[[ALL:.*]] = tensor.insert_slice %[[SECOND]]
// CHECK:         %[[NEGATIVE:.*]] = linalg.generic {{.*}} ins(%[[ALL]]
// CHECK:         return %[[ALL]], %[[NEGATIVE]]
func.func @other_readers(%x: tensor<1x4x4x4xf32>, %filter: tensor<6x3x3x2xf32>, %bias: tensor<6xf32>) -> (tensor<1x4x4x6xf32>, tensor<1x4x4x6xf32>) {
  %0 = nnhal.grouped_conv_2d %x, %filter, %bias pads [1, 1, 1, 1] strides [1, 1] groups 2
      : (tensor<1x4x4x4xf32>, tensor<6x3x3x2xf32>, tensor<6xf32>) -> tensor<1x4x4x6xf32>
  %1 = nnhal.neg %0 : (tensor<1x4x4x6xf32>) -> tensor<1x4x4x6xf32>
  return %0, %1 : tensor<1x4x4x6xf32>, tensor<1x4x4x6xf32>
}

// CHECK:         {{_per_channel: "0x400000000000803F000040400000004000008040"}}

// -----

// Scales of channels are those of the group.
// CHECK-LABEL: func.func @main
// CHECK-COUNT-2: nnk.conv_2d {{.*}} -> tensor<1x4x4x2xi32>
nnhal.model @quantized_channels attributes {hal_version = "1.3"} {
  nnhal.graph @main(%x: tensor<1x4x4x4x!quant.uniform<i8:f32, 0.5>>) -> tensor<1x4x4x4x!quant.uniform<i8:f32, 4.0>> {
    %filter = nnhal.constant dense<1> : tensor<4x3x3x2xi8> -> tensor<4x3x3x2x!quant.uniform<i8<-127:127>:f32:0, {0.5, 0.25, 0.125, 1.0}>>
    %bias = nnhal.constant dense<1> : tensor<4xi32> -> tensor<4xi32>
    %0 = nnhal.grouped_conv_2d %x, %filter, %bias pads [1, 1, 1, 1] strides [1, 1] groups 2
        : (tensor<1x4x4x4x!quant.uniform<i8:f32, 0.5>>, tensor<4x3x3x2x!quant.uniform<i8<-127:127>:f32:0, {0.5, 0.25, 0.125, 1.0}>>, tensor<4xi32>) -> tensor<1x4x4x4x!quant.uniform<i8:f32, 4.0>>
    nnhal.return %0 : tensor<1x4x4x4x!quant.uniform<i8:f32, 4.0>>
  }
}
