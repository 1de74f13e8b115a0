// RUN: nnhal-opt %s --convert-nnhal-to-linalg | FileCheck %s

// Where padding would be as large as the model likes to state it, loops leave it
// out.
// CHECK-LABEL: @pads_without_end
// CHECK-NOT:     tensor.pad
// CHECK:         scf.for
func.func @pads_without_end(%in: tensor<1x4x4x2xf32>, %filter: tensor<4x3x3x2xf32>, %bias: tensor<4xf32>) -> tensor<1x4x4x4xf32> {
  %0 = nnhal.conv_2d %in, %filter, %bias pads [1073741824, 1073741824, 1073741824, 1073741824] strides [1, 1] dilations [1073741824, 1073741824]
      : (tensor<1x4x4x2xf32>, tensor<4x3x3x2xf32>, tensor<4xf32>) -> tensor<1x4x4x4xf32>
  return %0 : tensor<1x4x4x4xf32>
}
