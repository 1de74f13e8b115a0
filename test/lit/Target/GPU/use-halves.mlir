// RUN: nnhal-opt %s --split-input-file --nnk-fuse-epilogue --canonicalize --nnhal-gpu-use-halves | FileCheck %s

// In a relaxed model what one kernel stores for another is f16, and so is the
// filter, which is rounded. What callers see stays f32.

module attributes {nnhal.target = #nnhal.target<"vulkan">} {
// CHECK-LABEL: func.func @relaxed
// CHECK-SAME:    %[[X:.+]]: tensor<1x4x4x4xf32>
// CHECK:         %[[FILTER:.+]] = arith.constant dense_resource<filter_half{{.*}}> : tensor<1x1x1x4x4xf16>
// CHECK:         %[[DOUBLE:.+]] = linalg.generic {{.*}} outs(%{{.+}} : tensor<1x4x4x4xf16>)
// CHECK:           arith.addf
// CHECK:           %[[HALF:.+]] = arith.truncf %{{.+}} : f32 to f16
// CHECK:           linalg.yield %[[HALF]] : f16
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
// A kernel that rounds to halves and widens them stores the halves.

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

// -----

// Results of which several are stored, extras, reshapes, and branches. Where one
// reader cannot widen, f32 stays.

#id = affine_map<(a, b, c, d) -> (a, b, c, d)>
#flat = affine_map<(a, b) -> (a, b)>
module attributes {nnhal.target = #nnhal.target<"vulkan">} {
// CHECK-LABEL: func.func @readers
// CHECK:         %[[TWO:.+]]:2 = linalg.generic {{.*}} outs(%{{.+}}, %{{.+}} : tensor<1x4x4x4xf16>, tensor<1x4x4x4xf16>)
// CHECK:         nnk.pool_2d max ins(%[[TWO]]#0 : tensor<1x4x4x4xf16>) extras(%[[TWO]]#1 : tensor<1x4x4x4xf16>)
// CHECK-NEXT:    ^bb0(%{{.+}}: f32, %[[EXTRA:.+]]: f16):
// CHECK-NEXT:      arith.extf %[[EXTRA]] : f16 to f32
// CHECK:         tensor.collapse_shape {{.*}} : tensor<1x4x4x4xf16> into tensor<16x4xf16>
// CHECK:         %[[MIXED:.+]] = nnk.pool_2d max {{.*}} -> tensor<1x4x4x4xf32>
// CHECK:         scf.if
// CHECK:           %[[INNER:.+]] = nnk.pool_2d average {{.*}} outs(%{{.+}} : tensor<1x4x4x4xf16>)
// CHECK:           nnk.pool_2d average ins(%[[INNER]] : tensor<1x4x4x4xf16>)
// CHECK:         return %{{.+}}, %{{.+}}, %[[MIXED]]
func.func @readers(%c: i1, %x: tensor<1x4x4x4xf32>)
    -> (tensor<16x4xf32>, tensor<1x4x4x4xf32>, tensor<1x4x4x4xf32>) attributes {nnhal.entry, nnhal.relaxed} {
  %empty = tensor.empty() : tensor<1x4x4x4xf32>
  %result = tensor.empty() : tensor<16x4xf32>
  %two:2 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%x : tensor<1x4x4x4xf32>) outs(%empty, %empty : tensor<1x4x4x4xf32>, tensor<1x4x4x4xf32>) {
  ^bb0(%in: f32, %out: f32, %other: f32):
    %sum = arith.addf %in, %in : f32
    linalg.yield %sum, %sum : f32, f32
  } -> (tensor<1x4x4x4xf32>, tensor<1x4x4x4xf32>)
  %pool = nnk.pool_2d max ins(%two#0 : tensor<1x4x4x4xf32>) extras(%two#1 : tensor<1x4x4x4xf32>)
      outs(%empty : tensor<1x4x4x4xf32>) window [1, 1] strides [1, 1] pads [0, 0, 0, 0] epilogue {
  ^bb0(%max: f32, %extra: f32):
    %sum = arith.addf %max, %extra : f32
    nnk.yield %sum : f32
  } -> tensor<1x4x4x4xf32>
  %flat = tensor.collapse_shape %pool [[0, 1, 2], [3]] : tensor<1x4x4x4xf32> into tensor<16x4xf32>
  %square = linalg.generic {indexing_maps = [#flat, #flat, #flat], iterator_types = ["parallel", "parallel"]}
      ins(%flat, %flat : tensor<16x4xf32>, tensor<16x4xf32>) outs(%result : tensor<16x4xf32>) {
  ^bb0(%in: f32, %again: f32, %out: f32):
    %product = arith.mulf %in, %again : f32
    linalg.yield %product : f32
  } -> tensor<16x4xf32>
  %mixed = nnk.pool_2d max ins(%x : tensor<1x4x4x4xf32>) outs(%empty : tensor<1x4x4x4xf32>)
      window [1, 1] strides [1, 1] pads [0, 0, 0, 0] -> tensor<1x4x4x4xf32>
  %chosen = scf.if %c -> tensor<1x4x4x4xf32> {
    %inner = nnk.pool_2d average ins(%x : tensor<1x4x4x4xf32>) outs(%empty : tensor<1x4x4x4xf32>)
        window [1, 1] strides [1, 1] pads [0, 0, 0, 0] -> tensor<1x4x4x4xf32>
    %next = nnk.pool_2d average ins(%inner : tensor<1x4x4x4xf32>) outs(%empty : tensor<1x4x4x4xf32>)
        window [1, 1] strides [1, 1] pads [0, 0, 0, 0] -> tensor<1x4x4x4xf32>
    scf.yield %next : tensor<1x4x4x4xf32>
  } else {
    scf.yield %mixed : tensor<1x4x4x4xf32>
  }
  return %square, %chosen, %mixed : tensor<16x4xf32>, tensor<1x4x4x4xf32>, tensor<1x4x4x4xf32>
}
}

// -----

// Sums of integers, and numbers that become integers, stay exact. A result that
// is a part of what its operation writes to keeps the other parts. A filter that
// somebody else reads stays f32.

#id = affine_map<(a, b, c, d) -> (a, b, c, d)>
module attributes {nnhal.target = #nnhal.target<"vulkan">} {
// CHECK-LABEL: func.func @exact_parts
// CHECK-NOT:     f16
// CHECK:         return
func.func @exact_parts(%bytes: tensor<1x4x4x4xi8>, %x: tensor<1x4x4x4xf32>, %row: tensor<4xf32>, %old: tensor<2x4xf32>)
    -> (tensor<1x4x4x4xf32>, tensor<1x4x4x4xi8>, tensor<2x4xf32>) attributes {nnhal.entry, nnhal.relaxed} {
  %taps = arith.constant dense<0.5> : tensor<1x1x4xf32>
  %bias = arith.constant dense<0.5> : tensor<4xf32>
  %empty = tensor.empty() : tensor<1x4x4x4xf32>
  %result = tensor.empty() : tensor<1x4x4x4xi8>
  %sums = nnk.depthwise_conv_2d ins(%bytes, %taps, %bias : tensor<1x4x4x4xi8>, tensor<1x1x4xf32>, tensor<4xf32>)
      outs(%empty : tensor<1x4x4x4xf32>) strides [1, 1] dilations [1, 1] pads [0, 0, 0, 0] depth_multiplier 1
      -> tensor<1x4x4x4xf32>
  %largest = nnk.pool_2d max ins(%sums : tensor<1x4x4x4xf32>) outs(%empty : tensor<1x4x4x4xf32>)
      window [1, 1] strides [1, 1] pads [0, 0, 0, 0] -> tensor<1x4x4x4xf32>
  %means = nnk.pool_2d average ins(%x : tensor<1x4x4x4xf32>) outs(%empty : tensor<1x4x4x4xf32>)
      window [1, 1] strides [1, 1] pads [0, 0, 0, 0] -> tensor<1x4x4x4xf32>
  %rounded = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%means : tensor<1x4x4x4xf32>) outs(%result : tensor<1x4x4x4xi8>) {
  ^bb0(%in: f32, %out: i8):
    %byte = arith.fptosi %in : f32 to i8
    linalg.yield %byte : i8
  } -> tensor<1x4x4x4xi8>
  %part = linalg.generic {indexing_maps = [affine_map<(a) -> (a)>, affine_map<(a) -> (0, a)>], iterator_types = ["parallel"]}
      ins(%row : tensor<4xf32>) outs(%old : tensor<2x4xf32>) {
  ^bb0(%in: f32, %out: f32):
    %sum = arith.addf %in, %in : f32
    linalg.yield %sum : f32
  } -> tensor<2x4xf32>
  %other = tensor.empty() : tensor<2x4xf32>
  %square = linalg.generic {indexing_maps = [affine_map<(a, b) -> (a, b)>, affine_map<(a, b) -> (a, b)>],
      iterator_types = ["parallel", "parallel"]} ins(%part : tensor<2x4xf32>) outs(%other : tensor<2x4xf32>) {
  ^bb0(%in: f32, %out: f32):
    %product = arith.mulf %in, %in : f32
    linalg.yield %product : f32
  } -> tensor<2x4xf32>
  return %largest, %rounded, %square : tensor<1x4x4x4xf32>, tensor<1x4x4x4xi8>, tensor<2x4xf32>
}

// CHECK-LABEL: func.func @shared_filter
// CHECK:         %[[FILTER:.+]] = arith.constant dense_resource<{{.*}}> : tensor<1x1x1x4x4xf16>
// CHECK:         nnk.conv_2d ins(%{{.+}}, %[[FILTER]],
// CHECK:         nnk.conv_2d ins(%{{.+}}, %[[FILTER]],
// CHECK-LABEL: func.func @other_reader
// CHECK-NOT:     f16>, tensor<1x1x1x4x4xf16>
// CHECK:         return
func.func @shared_filter(%x: tensor<1x4x4x4xf16>) -> (tensor<1x4x4x4xf32>, tensor<1x4x4x4xf32>) {
  %filter = arith.constant dense<0.25> : tensor<1x1x1x4x4xf32>
  %bias = arith.constant dense<1.0> : tensor<1x4xf32>
  %empty = tensor.empty() : tensor<1x4x4x4xf32>
  %0 = nnk.conv_2d ins(%x, %filter, %bias : tensor<1x4x4x4xf16>, tensor<1x1x1x4x4xf32>, tensor<1x4xf32>)
      outs(%empty : tensor<1x4x4x4xf32>) strides [1, 1] dilations [1, 1] pads [0, 0, 0, 0] -> tensor<1x4x4x4xf32>
  %1 = nnk.conv_2d ins(%x, %filter, %bias : tensor<1x4x4x4xf16>, tensor<1x1x1x4x4xf32>, tensor<1x4xf32>)
      outs(%empty : tensor<1x4x4x4xf32>) strides [1, 1] dilations [1, 1] pads [0, 0, 0, 0] -> tensor<1x4x4x4xf32>
  return %0, %1 : tensor<1x4x4x4xf32>, tensor<1x4x4x4xf32>
}

func.func @other_reader(%x: tensor<1x4x4x4xf16>, %y: tensor<1x4x4x4xf32>) -> (tensor<1x4x4x4xf32>, tensor<1x4x4x4xf32>) {
  %filter = arith.constant dense<0.25> : tensor<1x1x1x4x4xf32>
  %bias = arith.constant dense<1.0> : tensor<1x4xf32>
  %empty = tensor.empty() : tensor<1x4x4x4xf32>
  %0 = nnk.conv_2d ins(%x, %filter, %bias : tensor<1x4x4x4xf16>, tensor<1x1x1x4x4xf32>, tensor<1x4xf32>)
      outs(%empty : tensor<1x4x4x4xf32>) strides [1, 1] dilations [1, 1] pads [0, 0, 0, 0] -> tensor<1x4x4x4xf32>
  %1 = nnk.conv_2d ins(%y, %filter, %bias : tensor<1x4x4x4xf32>, tensor<1x1x1x4x4xf32>, tensor<1x4xf32>)
      outs(%empty : tensor<1x4x4x4xf32>) strides [1, 1] dilations [1, 1] pads [0, 0, 0, 0] -> tensor<1x4x4x4xf32>
  return %0, %1 : tensor<1x4x4x4xf32>, tensor<1x4x4x4xf32>
}
}
