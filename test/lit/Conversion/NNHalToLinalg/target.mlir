// RUN: nnhal-opt %s --convert-nnhal-to-linalg | FileCheck %s --implicit-check-not=nnk.
// RUN: nnhal-opt %s --nnhal-set-target --convert-nnhal-to-linalg | FileCheck %s --implicit-check-not=nnk.
// RUN: nnhal-opt %s --nnhal-set-target=name=vulkan --convert-nnhal-to-linalg | FileCheck %s --implicit-check-not=nnk.

// Without a target, and for any, nothing is packed, and all that is left are
// upstream's operations.

// CHECK-LABEL: func.func @conv_2d
// CHECK: linalg.conv_2d_nhwc_fhwc
func.func @conv_2d(%in: tensor<1x4x4x8xf32>) -> tensor<1x4x4x16xf32> {
  %filter = nnhal.constant dense<1.0> : tensor<16x1x1x8xf32> -> tensor<16x1x1x8xf32>
  %bias = nnhal.constant dense<0.0> : tensor<16xf32> -> tensor<16xf32>
  %0 = nnhal.conv_2d %in, %filter, %bias pads [0, 0, 0, 0] strides [1, 1]
      : (tensor<1x4x4x8xf32>, tensor<16x1x1x8xf32>, tensor<16xf32>) -> tensor<1x4x4x16xf32>
  return %0 : tensor<1x4x4x16xf32>
}
