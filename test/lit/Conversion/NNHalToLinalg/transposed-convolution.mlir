// RUN: nnhal-opt %s --split-input-file --nnhal-set-target --convert-nnhal-graph-to-func --convert-nnhal-to-linalg --nnk-form-kernels --nnk-pack-convolutions --canonicalize | FileCheck %s

// Two taps and a stride of 2 on each axis: each pixel of the input becomes four
// of the output, which are channels at first.
// CHECK-LABEL: @as_many_taps_as_phases
// CHECK:         %[[CONV:.*]] = nnk.conv_2d ins(%arg0, {{.*}} : tensor<1x3x5x4xf32>, tensor<2x1x1x4x16xf32>, tensor<2x16xf32>)
// CHECK-SAME:      strides [1, 1] dilations [1, 1] pads [0, 0, 0, 0] -> tensor<1x3x5x32xf32>
// CHECK:         linalg.transpose {{.*}} outs(%{{.*}} : tensor<3x2x5x16xf32>) permutation = [0, 2, 1, 3]
// CHECK:         return %{{.*}} : tensor<1x6x10x8xf32>
func.func @as_many_taps_as_phases(%x: tensor<1x3x5x4xf32>) -> tensor<1x6x10x8xf32> {
  %filter = nnhal.constant dense<1.0> : tensor<8x2x2x4xf32> -> tensor<8x2x2x4xf32>
  %bias = nnhal.constant dense<1.0> : tensor<8xf32> -> tensor<8xf32>
  %0 = nnhal.transpose_conv_2d %x, %filter, %bias pads [0, 0, 0, 0] strides [2, 2]
      : (tensor<1x3x5x4xf32>, tensor<8x2x2x4xf32>, tensor<8xf32>) -> tensor<1x6x10x8xf32>
  return %0 : tensor<1x6x10x8xf32>
}

// Phases of one row are in place. The first of three taps is that of the pixel
// itself, in the first phase together with the third one, of the pixel before.
// CHECK-LABEL: @three_taps_in_two_phases
// CHECK:         nnk.conv_2d
// CHECK-SAME:      pads [0, 0, 1, 0] -> tensor<1x1x2x2xf32>
// CHECK-NOT:     linalg.transpose
// CHECK:         tensor.extract_slice %{{.*}}[0, 0, 1, 0] [1, 1, 3, 1] [1, 1, 1, 1]
func.func @three_taps_in_two_phases(%x: tensor<1x1x2x1xf32>) -> tensor<1x1x3x1xf32> {
  %filter = nnhal.constant dense<[[[[1.0], [2.0], [3.0]]]]> : tensor<1x1x3x1xf32> -> tensor<1x1x3x1xf32>
  %bias = nnhal.constant dense<0.0> : tensor<1xf32> -> tensor<1xf32>
  %0 = nnhal.transpose_conv_2d %x, %filter, %bias pads [0, 0, 1, 1] strides [1, 2]
      : (tensor<1x1x2x1xf32>, tensor<1x1x3x1xf32>, tensor<1xf32>) -> tensor<1x1x3x1xf32>
  return %0 : tensor<1x1x3x1xf32>
}

// A stride of 1 has one phase.
// CHECK-LABEL: @one_phase
// CHECK:         nnk.conv_2d
// CHECK-SAME:      pads [1, 1, 1, 1] -> tensor<1x4x4x8xf32>
// CHECK-NEXT:    return
func.func @one_phase(%x: tensor<1x4x4x4xf32>) -> tensor<1x4x4x8xf32> {
  %filter = nnhal.constant dense<1.0> : tensor<8x3x3x4xf32> -> tensor<8x3x3x4xf32>
  %bias = nnhal.constant dense<1.0> : tensor<8xf32> -> tensor<8xf32>
  %0 = nnhal.transpose_conv_2d %x, %filter, %bias pads [1, 1, 1, 1] strides [1, 1]
      : (tensor<1x4x4x4xf32>, tensor<8x3x3x4xf32>, tensor<8xf32>) -> tensor<1x4x4x8xf32>
  return %0 : tensor<1x4x4x8xf32>
}

// Strides of two axes and images of a batch have nothing to do with each other.
// CHECK-LABEL: @uneven_strides
// CHECK:         nnk.conv_2d
// CHECK-SAME:      pads [1, 1, 0, 0] -> tensor<2x4x5x12xf32>
// CHECK:         linalg.transpose {{.*}} outs(%{{.*}} : tensor<8x3x5x4xf32>)
// CHECK:         tensor.extract_slice %{{.*}}[0, 0, 0, 0] [2, 11, 10, 2]
func.func @uneven_strides(%x: tensor<2x3x5x4xf32>) -> tensor<2x11x10x2xf32> {
  %filter = nnhal.constant dense<1.0> : tensor<2x5x2x4xf32> -> tensor<2x5x2x4xf32>
  %bias = nnhal.constant dense<1.0> : tensor<2xf32> -> tensor<2xf32>
  %0 = nnhal.transpose_conv_2d %x, %filter, %bias pads [0, 0, 0, 0] strides [3, 2]
      : (tensor<2x3x5x4xf32>, tensor<2x5x2x4xf32>, tensor<2xf32>) -> tensor<2x11x10x2xf32>
  return %0 : tensor<2x11x10x2xf32>
}

// More phases without taps than with some would be multiplied.
// CHECK-LABEL: @gaps_without_taps
// CHECK-NOT:     nnk.conv_2d
// CHECK:         linalg.generic
func.func @gaps_without_taps(%x: tensor<1x3x3x4xf32>) -> tensor<1x7x7x8xf32> {
  %filter = nnhal.constant dense<1.0> : tensor<8x1x1x4xf32> -> tensor<8x1x1x4xf32>
  %bias = nnhal.constant dense<1.0> : tensor<8xf32> -> tensor<8xf32>
  %0 = nnhal.transpose_conv_2d %x, %filter, %bias pads [0, 0, 0, 0] strides [3, 3]
      : (tensor<1x3x3x4xf32>, tensor<8x1x1x4xf32>, tensor<8xf32>) -> tensor<1x7x7x8xf32>
  return %0 : tensor<1x7x7x8xf32>
}

// CHECK-LABEL: @strides_beyond_everything
// CHECK-NOT:     nnk.conv_2d
// CHECK:         return
func.func @strides_beyond_everything(%x: tensor<1x1x1x4xf32>) -> tensor<1x1x1x8xf32> {
  %filter = nnhal.constant dense<1.0> : tensor<8x1x1x4xf32> -> tensor<8x1x1x4xf32>
  %bias = nnhal.constant dense<1.0> : tensor<8xf32> -> tensor<8xf32>
  %0 = nnhal.transpose_conv_2d %x, %filter, %bias pads [0, 0, 0, 0] strides [2147483647, 65536]
      : (tensor<1x1x1x4xf32>, tensor<8x1x1x4xf32>, tensor<8xf32>) -> tensor<1x1x1x8xf32>
  return %0 : tensor<1x1x1x8xf32>
}

// The phases of a filter are made while compiling. One that is computed is turned
// round, and the pixels lie among zeros.
// CHECK-LABEL: @computed_filter
// CHECK:         %[[APART:.+]] = tensor.insert_slice %arg0
// CHECK:         nnk.conv_2d ins(%[[APART]], {{.*}} pads [0, 0, 0, 0]
func.func @computed_filter(%x: tensor<1x3x5x4xf32>, %filter: tensor<8x2x2x4xf32>) -> tensor<1x6x10x8xf32> {
  %bias = nnhal.constant dense<1.0> : tensor<8xf32> -> tensor<8xf32>
  %0 = nnhal.transpose_conv_2d %x, %filter, %bias pads [0, 0, 0, 0] strides [2, 2]
      : (tensor<1x3x5x4xf32>, tensor<8x2x2x4xf32>, tensor<8xf32>) -> tensor<1x6x10x8xf32>
  return %0 : tensor<1x6x10x8xf32>
}

// A panel of eight channels of @three_taps_in_two_phases has 3 and 0 for the
// pixel before, 1 and 2 for the pixel itself.
// CHECK:         {{_packed: "0x4000000000004040(00000000){7}0000803F00000040(00000000){6}"}}

// -----

// Pads follow from the extents of the result. Each phase has the scales of all
// channels.
// CHECK-LABEL: func.func @main
// CHECK:         nnk.conv_2d
// CHECK-SAME:      pads [1, 0, 1, 0] -> tensor<1x3x3x8xi32>
// CHECK:         linalg.transpose {{.*}} outs(%{{.*}} : tensor<3x2x3x4xi8>)
nnhal.model @same_of_quantized_channels attributes {hal_version = "1.3"} {
  nnhal.graph @main(%x: tensor<1x3x3x4x!quant.uniform<i8:f32, 0.5>>) -> tensor<1x6x6x2x!quant.uniform<i8:f32, 4.0>> {
    %filter = nnhal.constant dense<1> : tensor<2x3x3x4xi8> -> tensor<2x3x3x4x!quant.uniform<i8<-127:127>:f32:0, {0.5, 0.25}>>
    %bias = nnhal.constant dense<1> : tensor<2xi32> -> tensor<2xi32>
    %0 = nnhal.transpose_conv_2d %x, %filter, %bias strides [2, 2]
        : (tensor<1x3x3x4x!quant.uniform<i8:f32, 0.5>>, tensor<2x3x3x4x!quant.uniform<i8<-127:127>:f32:0, {0.5, 0.25}>>, tensor<2xi32>) -> tensor<1x6x6x2x!quant.uniform<i8:f32, 4.0>>
    nnhal.return %0 : tensor<1x6x6x2x!quant.uniform<i8:f32, 4.0>>
  }
}
