// Channels are computed four at a time, and as few as possible that are padding.
// RUN: nnhal-opt %s --nnhal-set-target=name=vulkan --convert-nnhal-to-linalg --nnk-form-kernels --nnk-pack-convolutions | FileCheck %s

// CHECK-LABEL: func.func @one_panel
// CHECK:         nnk.conv_2d {{.*}} tensor<1x1x1x1x8xf32>
func.func @one_panel(%x: tensor<1x4x4x1xf32>) -> tensor<1x4x4x6xf32> {
  %filter = nnhal.constant dense<2.0> : tensor<6x1x1x1xf32> -> tensor<6x1x1x1xf32>
  %bias = nnhal.constant dense<1.0> : tensor<6xf32> -> tensor<6xf32>
  %0 = nnhal.conv_2d %x, %filter, %bias pads [0, 0, 0, 0] strides [1, 1] dilations [1, 1]
      : (tensor<1x4x4x1xf32>, tensor<6x1x1x1xf32>, tensor<6xf32>) -> tensor<1x4x4x6xf32>
  return %0 : tensor<1x4x4x6xf32>
}

// Three panels of 24 have no padding, those of 32 would have 24 channels of it.
// CHECK-LABEL: func.func @three_panels
// CHECK:         nnk.conv_2d {{.*}} tensor<3x1x1x1x24xf32>
func.func @three_panels(%x: tensor<1x4x4x1xf32>) -> tensor<1x4x4x72xf32> {
  %filter = nnhal.constant dense<2.0> : tensor<72x1x1x1xf32> -> tensor<72x1x1x1xf32>
  %bias = nnhal.constant dense<1.0> : tensor<72xf32> -> tensor<72xf32>
  %0 = nnhal.conv_2d %x, %filter, %bias pads [0, 0, 0, 0] strides [1, 1] dilations [1, 1]
      : (tensor<1x4x4x1xf32>, tensor<72x1x1x1xf32>, tensor<72xf32>) -> tensor<1x4x4x72xf32>
  return %0 : tensor<1x4x4x72xf32>
}
