// RUN: nnhal-opt %s --nnk-fuse-epilogue | FileCheck %s

// Kernels of GPUs read halves that have been widened for them, through a reshape,
// and store those that their results are rounded to. A transposition is no
// widening.

module attributes {nnhal.target = #nnhal.target<"vulkan">} {
// CHECK-LABEL: func.func @collapsed
// CHECK-SAME:    %[[X:.+]]: tensor<1x2x2x4x4xf16>
// CHECK:         %[[PIXELS:.+]] = tensor.collapse_shape %[[X]] {{.*}} : tensor<1x2x2x4x4xf16> into tensor<1x4x4x4xf16>
// CHECK:         nnk.pool_2d max ins(%[[PIXELS]] : tensor<1x4x4x4xf16>)
// CHECK-SAME:      outs(%{{.+}} : tensor<1x4x4x4xf16>)
// CHECK-NEXT:    ^bb0(%[[MAX:.+]]: f32):
// CHECK-NEXT:      arith.truncf %[[MAX]] : f32 to f16
func.func @collapsed(%x: tensor<1x2x2x4x4xf16>) -> tensor<1x4x4x4xf16> {
  %wide = tensor.empty() : tensor<1x2x2x4x4xf32>
  %empty = tensor.empty() : tensor<1x4x4x4xf32>
  %half = tensor.empty() : tensor<1x4x4x4xf16>
  %0 = linalg.generic {indexing_maps = [affine_map<(a, b, c, d, e) -> (a, b, c, d, e)>, affine_map<(a, b, c, d, e) -> (a, b, c, d, e)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]}
      ins(%x : tensor<1x2x2x4x4xf16>) outs(%wide : tensor<1x2x2x4x4xf32>) {
  ^bb0(%in: f16, %out: f32):
    %w = arith.extf %in : f16 to f32
    linalg.yield %w : f32
  } -> tensor<1x2x2x4x4xf32>
  %1 = tensor.collapse_shape %0 [[0], [1, 2], [3], [4]] : tensor<1x2x2x4x4xf32> into tensor<1x4x4x4xf32>
  %2 = nnk.pool_2d max ins(%1 : tensor<1x4x4x4xf32>) outs(%empty : tensor<1x4x4x4xf32>)
      window [1, 1] strides [1, 1] pads [0, 0, 0, 0] -> tensor<1x4x4x4xf32>
  %3 = linalg.generic {indexing_maps = [affine_map<(a, b, c, d) -> (a, b, c, d)>, affine_map<(a, b, c, d) -> (a, b, c, d)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%2 : tensor<1x4x4x4xf32>) outs(%half : tensor<1x4x4x4xf16>) {
  ^bb0(%in: f32, %out: f16):
    %h = arith.truncf %in : f32 to f16
    linalg.yield %h : f16
  } -> tensor<1x4x4x4xf16>
  return %3 : tensor<1x4x4x4xf16>
}

// CHECK-LABEL: func.func @transposed
// CHECK:         nnk.pool_2d max ins(%{{.+}} : tensor<1x4x4x4xf32>)
func.func @transposed(%x: tensor<1x4x4x4xf16>) -> tensor<1x4x4x4xf32> {
  %empty = tensor.empty() : tensor<1x4x4x4xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(a, b, c, d) -> (a, c, b, d)>, affine_map<(a, b, c, d) -> (a, b, c, d)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%x : tensor<1x4x4x4xf16>) outs(%empty : tensor<1x4x4x4xf32>) {
  ^bb0(%in: f16, %out: f32):
    %w = arith.extf %in : f16 to f32
    linalg.yield %w : f32
  } -> tensor<1x4x4x4xf32>
  %1 = nnk.pool_2d max ins(%0 : tensor<1x4x4x4xf32>) outs(%empty : tensor<1x4x4x4xf32>)
      window [1, 1] strides [1, 1] pads [0, 0, 0, 0] -> tensor<1x4x4x4xf32>
  return %1 : tensor<1x4x4x4xf32>
}
}
