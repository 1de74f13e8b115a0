// RUN: nnhal-opt %s --split-input-file --nnk-fuse-epilogue --canonicalize --nnhal-gpu-use-halves | FileCheck %s

// In a relaxed model what one kernel stores for another is f16, and so is a
// filter whose numbers f16 has. What callers see stays f32.

module attributes {nnhal.target = #nnhal.target<"vulkan">} {
// CHECK-LABEL: func.func @relaxed
// CHECK-SAME:    %[[X:.+]]: tensor<1x4x4x4xf32>
// CHECK:         %[[DOUBLE:.+]] = linalg.generic {{.*}} outs(%{{.+}} : tensor<1x4x4x4xf16>)
// CHECK:           arith.addf
// CHECK:           %[[HALF:.+]] = arith.truncf %{{.+}} : f32 to f16
// CHECK:           linalg.yield %[[HALF]] : f16
// CHECK:         %[[FILTER:.+]] = arith.constant dense_resource<filter_half{{.*}}> : tensor<1x1x1x4x4xf16>
// CHECK:         %[[CONV:.+]] = nnk.conv_2d ins(%[[DOUBLE]], %[[FILTER]], %{{.+}} : tensor<1x4x4x4xf16>, tensor<1x1x1x4x4xf16>, tensor<1x4xf32>)
// CHECK-SAME:      outs(%{{.+}} : tensor<1x4x4x4xf16>)
// CHECK-NEXT:    ^bb0(%[[SUM:.+]]: f32):
// CHECK-NEXT:      %[[STORED:.+]] = arith.truncf %[[SUM]] : f32 to f16
// CHECK-NEXT:      nnk.yield %[[STORED]] : f16
// CHECK:         %[[POOLED:.+]] = nnk.pool_2d max ins(%[[CONV]] : tensor<1x4x4x4xf16>)
// CHECK-SAME:      -> tensor<1x4x4x4xf32>
// CHECK:         return %[[POOLED]] : tensor<1x4x4x4xf32>
func.func @relaxed(%x: tensor<1x4x4x4xf32>) -> tensor<1x4x4x4xf32> attributes {nnhal.entry, nnhal.relaxed} {
  %filter = arith.constant dense<0.1> : tensor<1x1x1x4x4xf32>
  %bias = arith.constant dense<1.0> : tensor<1x4xf32>
  %empty = tensor.empty() : tensor<1x4x4x4xf32>
  %double = linalg.generic {indexing_maps = [affine_map<(a, b, c, d) -> (a, b, c, d)>,
      affine_map<(a, b, c, d) -> (a, b, c, d)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%x : tensor<1x4x4x4xf32>) outs(%empty : tensor<1x4x4x4xf32>) {
  ^bb0(%in: f32, %out: f32):
    %sum = arith.addf %in, %in : f32
    linalg.yield %sum : f32
  } -> tensor<1x4x4x4xf32>
  %conv = nnk.conv_2d ins(%double, %filter, %bias : tensor<1x4x4x4xf32>, tensor<1x1x1x4x4xf32>, tensor<1x4xf32>)
      outs(%empty : tensor<1x4x4x4xf32>) strides [1, 1] dilations [1, 1] pads [0, 0, 0, 0] -> tensor<1x4x4x4xf32>
  %pool = nnk.pool_2d max ins(%conv : tensor<1x4x4x4xf32>) outs(%empty : tensor<1x4x4x4xf32>)
      window [1, 1] strides [1, 1] pads [0, 0, 0, 0] -> tensor<1x4x4x4xf32>
  return %pool : tensor<1x4x4x4xf32>
}
}

// -----

// A weight that f16 does not have: the filter stays, in a model that is not
// relaxed as well as where it would become infinite. Sums of a reduction stay.

module attributes {nnhal.target = #nnhal.target<"vulkan">} {
// CHECK-LABEL: func.func @exact
// CHECK:         nnk.conv_2d ins(%{{.+}}, %{{.+}}, %{{.+}} : tensor<1x4x4x4xf16>, tensor<1x1x1x4x4xf32>, tensor<1x4xf32>)
func.func @exact(%x: tensor<1x4x4x4xf16>) -> tensor<1x4x4x4xf32> attributes {nnhal.entry} {
  %filter = arith.constant dense<0.1> : tensor<1x1x1x4x4xf32>
  %bias = arith.constant dense<1.0> : tensor<1x4xf32>
  %empty = tensor.empty() : tensor<1x4x4x4xf32>
  %conv = nnk.conv_2d ins(%x, %filter, %bias : tensor<1x4x4x4xf16>, tensor<1x1x1x4x4xf32>, tensor<1x4xf32>)
      outs(%empty : tensor<1x4x4x4xf32>) strides [1, 1] dilations [1, 1] pads [0, 0, 0, 0] -> tensor<1x4x4x4xf32>
  return %conv : tensor<1x4x4x4xf32>
}

// CHECK-LABEL: func.func @large
// CHECK:         nnk.conv_2d ins(%{{.+}}, %{{.+}}, %{{.+}} : tensor<1x4x4x4xf16>, tensor<1x1x1x4x4xf32>, tensor<1x4xf32>)
// CHECK-SAME:      outs(%{{.+}} : tensor<1x4x4x4xf16>)
// CHECK:         linalg.generic {{.*}} ins(%{{.+}} : tensor<1x4x4x4xf16>) outs(%{{.+}} : tensor<1x4x4xf32>)
// CHECK:           arith.extf
// CHECK:         linalg.generic {{.*}} ins(%{{.+}} : tensor<1x4x4xf32>)
func.func @large(%x: tensor<1x4x4x4xf16>) -> tensor<1x4x4xf32> attributes {nnhal.relaxed} {
  %filter = arith.constant dense<70000.0> : tensor<1x1x1x4x4xf32>
  %bias = arith.constant dense<1.0> : tensor<1x4xf32>
  %zero = arith.constant dense<0.0> : tensor<1x4x4xf32>
  %empty = tensor.empty() : tensor<1x4x4x4xf32>
  %result = tensor.empty() : tensor<1x4x4xf32>
  %conv = nnk.conv_2d ins(%x, %filter, %bias : tensor<1x4x4x4xf16>, tensor<1x1x1x4x4xf32>, tensor<1x4xf32>)
      outs(%empty : tensor<1x4x4x4xf32>) strides [1, 1] dilations [1, 1] pads [0, 0, 0, 0] -> tensor<1x4x4x4xf32>
  %sums = linalg.generic {indexing_maps = [affine_map<(a, b, c, d) -> (a, b, c, d)>,
      affine_map<(a, b, c, d) -> (a, b, c)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%conv : tensor<1x4x4x4xf32>) outs(%zero : tensor<1x4x4xf32>) {
  ^bb0(%in: f32, %out: f32):
    %sum = arith.addf %in, %out : f32
    linalg.yield %sum : f32
  } -> tensor<1x4x4xf32>
  %roots = linalg.generic {indexing_maps = [affine_map<(a, b, c) -> (a, b, c)>,
      affine_map<(a, b, c) -> (a, b, c)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%sums : tensor<1x4x4xf32>) outs(%result : tensor<1x4x4xf32>) {
  ^bb0(%in: f32, %out: f32):
    %root = math.sqrt %in : f32
    linalg.yield %root : f32
  } -> tensor<1x4x4xf32>
  return %roots : tensor<1x4x4xf32>
}
}

// -----

// Halves that are widened for a kernel, through a reshape: it reads the halves.
// What was rounded before it is stored is stored as what it is.

#identity = affine_map<(a, b, c, d) -> (a, b, c, d)>
module attributes {nnhal.target = #nnhal.target<"vulkan">} {
// CHECK-LABEL: func.func @widened
// CHECK-SAME:    %[[X:.+]]: tensor<16x4xf16>
// CHECK:         %[[PIXELS:.+]] = tensor.expand_shape %[[X]] {{.*}} : tensor<16x4xf16> into tensor<1x4x4x4xf16>
// CHECK:         %[[FIRST:.+]] = nnk.depthwise_conv_2d ins(%[[PIXELS]],
// CHECK-SAME:      outs(%{{.+}} : tensor<1x4x4x4xf16>)
// CHECK-NEXT:    ^bb0(%[[SUM:.+]]: f32):
// CHECK-NEXT:      %[[ROUNDED:.+]] = arith.truncf %[[SUM]] : f32 to f16
// CHECK-NEXT:      nnk.yield %[[ROUNDED]] : f16
// CHECK:         nnk.conv_2d ins(%[[FIRST]], %{{.+}}, %{{.+}} : tensor<1x4x4x4xf16>, tensor<1x1x1x4x4xf16>, tensor<1x4xf32>)
func.func @widened(%x: tensor<16x4xf16>) -> tensor<1x4x4x4xf32> attributes {nnhal.entry} {
  %taps = arith.constant dense<0.5> : tensor<1x1x4xf32>
  %biases = arith.constant dense<0.5> : tensor<4xf32>
  %filter = arith.constant dense<0.25> : tensor<1x1x1x4x4xf32>
  %bias = arith.constant dense<1.0> : tensor<1x4xf32>
  %flat = tensor.empty() : tensor<16x4xf32>
  %empty = tensor.empty() : tensor<1x4x4x4xf32>
  %wide = linalg.generic {indexing_maps = [affine_map<(a, b) -> (a, b)>, affine_map<(a, b) -> (a, b)>],
      iterator_types = ["parallel", "parallel"]} ins(%x : tensor<16x4xf16>) outs(%flat : tensor<16x4xf32>) {
  ^bb0(%in: f16, %out: f32):
    %w = arith.extf %in : f16 to f32
    linalg.yield %w : f32
  } -> tensor<16x4xf32>
  %pixels = tensor.expand_shape %wide [[0, 1, 2], [3]] output_shape [1, 4, 4, 4] : tensor<16x4xf32> into tensor<1x4x4x4xf32>
  %first = nnk.depthwise_conv_2d ins(%pixels, %taps, %biases : tensor<1x4x4x4xf32>, tensor<1x1x4xf32>, tensor<4xf32>)
      outs(%empty : tensor<1x4x4x4xf32>) strides [1, 1] dilations [1, 1] pads [0, 0, 0, 0] depth_multiplier 1
      -> tensor<1x4x4x4xf32>
  %rounded = linalg.generic {indexing_maps = [#identity, #identity],
      iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%first : tensor<1x4x4x4xf32>) outs(%empty : tensor<1x4x4x4xf32>) {
  ^bb0(%in: f32, %out: f32):
    %h = arith.truncf %in : f32 to f16
    %w = arith.extf %h : f16 to f32
    linalg.yield %w : f32
  } -> tensor<1x4x4x4xf32>
  %conv = nnk.conv_2d ins(%rounded, %filter, %bias : tensor<1x4x4x4xf32>, tensor<1x1x1x4x4xf32>, tensor<1x4xf32>)
      outs(%empty : tensor<1x4x4x4xf32>) strides [1, 1] dilations [1, 1] pads [0, 0, 0, 0] -> tensor<1x4x4x4xf32>
  return %conv : tensor<1x4x4x4xf32>
}
}

// -----

// A device whose memory has no halves.

module attributes {nnhal.target = #nnhal.target<"vulkan", parameters = {device_class = "words"}>} {
// CHECK-LABEL: func.func @words
// CHECK-NOT:     f16
func.func @words(%x: tensor<1x4x4x4xf32>) -> tensor<1x4x4x4xf32> attributes {nnhal.entry, nnhal.relaxed} {
  %empty = tensor.empty() : tensor<1x4x4x4xf32>
  %first = nnk.pool_2d max ins(%x : tensor<1x4x4x4xf32>) outs(%empty : tensor<1x4x4x4xf32>)
      window [1, 1] strides [1, 1] pads [0, 0, 0, 0] -> tensor<1x4x4x4xf32>
  %second = nnk.pool_2d max ins(%first : tensor<1x4x4x4xf32>) outs(%empty : tensor<1x4x4x4xf32>)
      window [1, 1] strides [1, 1] pads [0, 0, 0, 0] -> tensor<1x4x4x4xf32>
  return %second : tensor<1x4x4x4xf32>
}
}
