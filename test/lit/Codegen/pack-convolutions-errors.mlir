// RUN: not nnhal-opt %s --nnk-pack-convolutions 2>&1 | FileCheck %s

// CHECK: error: 'nnk.conv_2d_fhwc' op cannot be packed: the target has no micro-kernels
func.func @no_target(%x: tensor<1x4x4x2xf32>, %f: tensor<3x1x1x2xf32>, %b: tensor<3xf32>) -> tensor<1x4x4x3xf32> {
  %e = tensor.empty() : tensor<1x4x4x3xf32>
  %0 = nnk.conv_2d_fhwc ins(%x, %f, %b : tensor<1x4x4x2xf32>, tensor<3x1x1x2xf32>, tensor<3xf32>)
      outs(%e : tensor<1x4x4x3xf32>) strides [1, 1] dilations [1, 1] pads [0, 0, 0, 0] -> tensor<1x4x4x3xf32>
  return %0 : tensor<1x4x4x3xf32>
}
