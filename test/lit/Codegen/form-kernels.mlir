// RUN: nnhal-opt %s --split-input-file --convert-nnhal-graph-to-func --convert-nnhal-to-linalg --canonicalize --nnk-form-kernels --canonicalize | FileCheck %s

// Padding is the kernel's, and the activation stays behind it.
// CHECK-LABEL: @max_pool_2d
// CHECK-NOT:     tensor.pad
// CHECK:         %[[POOL:.+]] = nnk.pool_2d max ins(%arg0 : tensor<1x4x4x3xf32>) outs(%{{.*}} : tensor<1x2x4x3xf32>) window [2, 2] strides [2, 1] pads [0, 1, 0, 1]
// CHECK:         linalg.generic {{.*}} ins(%[[POOL]] :
// CHECK:           arith.cmpf ogt
func.func @max_pool_2d(%x: tensor<1x4x4x3xf32>) -> tensor<1x2x4x3xf32> {
  %0 = nnhal.max_pool_2d %x pads [0, 1, 0, 1] strides [2, 1] window [2, 2] activation relu
      : (tensor<1x4x4x3xf32>) -> tensor<1x2x4x3xf32>
  return %0 : tensor<1x2x4x3xf32>
}

// -----

// CHECK-LABEL: @average_pool_2d
// CHECK-NEXT:    tensor.empty
// CHECK-NEXT:    %[[POOL:.+]] = nnk.pool_2d average ins(%arg0 : tensor<2x4x4x3xf32>) outs(%{{.*}} : tensor<2x1x4x3xf32>) window [4, 3] strides [2, 1] pads [1, 0, 1, 1]
// CHECK-NEXT:    return %[[POOL]]
func.func @average_pool_2d(%x: tensor<2x4x4x3xf32>) -> tensor<2x1x4x3xf32> {
  %0 = nnhal.average_pool_2d %x pads [1, 0, 1, 1] strides [2, 1] window [4, 3]
      : (tensor<2x4x4x3xf32>) -> tensor<2x1x4x3xf32>
  return %0 : tensor<2x1x4x3xf32>
}

// -----

// CHECK-LABEL: @of_one_place
// CHECK:         nnk.pool_2d average
// CHECK-NOT:     arith.divf
func.func @of_one_place(%x: tensor<1x4x4x3xf32>) -> tensor<1x4x4x3xf32> {
  %0 = nnhal.average_pool_2d %x pads [0, 0, 0, 0] strides [1, 1] window [1, 1]
      : (tensor<1x4x4x3xf32>) -> tensor<1x4x4x3xf32>
  return %0 : tensor<1x4x4x3xf32>
}

// -----

// Both counts of places are one operand after canonicalization.
// CHECK-LABEL: @of_the_whole_image
// CHECK:         nnk.pool_2d average ins(%arg0 : tensor<1x4x4x3xf32>) outs(%{{.*}} : tensor<1x1x1x3xf32>) window [4, 4]
// CHECK-NOT:     arith.divf
func.func @of_the_whole_image(%x: tensor<1x4x4x3xf32>) -> tensor<1x1x1x3xf32> {
  %0 = nnhal.average_pool_2d %x pads [0, 0, 0, 0] strides [1, 1] window [4, 4]
      : (tensor<1x4x4x3xf32>) -> tensor<1x1x1x3xf32>
  return %0 : tensor<1x1x1x3xf32>
}

// -----

// The kernel squares.
// CHECK-LABEL: @l2_pool_2d
// CHECK-NOT:     linalg
// CHECK:         nnk.pool_2d l2 ins(%arg0 : tensor<1x4x4x3xf32>)
// CHECK-NOT:     linalg
func.func @l2_pool_2d(%x: tensor<1x4x4x3xf32>) -> tensor<1x4x4x3xf32> {
  %0 = nnhal.l2_pool_2d %x pads [1, 1, 1, 1] strides [1, 1] window [3, 3]
      : (tensor<1x4x4x3xf32>) -> tensor<1x4x4x3xf32>
  return %0 : tensor<1x4x4x3xf32>
}

// -----

// CHECK-LABEL: func.func @main
// CHECK-NOT:     tensor.pad
// CHECK:         arith.sitofp %{{.*}} : i32 to f32
// CHECK:         nnk.pool_2d max ins(%{{.*}} : tensor<1x4x4x3xf32>)
// CHECK:         arith.fptosi
nnhal.model @max_of_bytes attributes {hal_version = "1.3"} {
  nnhal.graph @main(%x: tensor<1x4x4x3x!quant.uniform<i8:f32, 0.5>>) -> tensor<1x4x4x3x!quant.uniform<i8:f32, 0.5>> {
    %0 = nnhal.max_pool_2d %x pads [0, 1, 0, 1] strides [1, 1] window [2, 2]
        : (tensor<1x4x4x3x!quant.uniform<i8:f32, 0.5>>) -> tensor<1x4x4x3x!quant.uniform<i8:f32, 0.5>>
    nnhal.return %0 : tensor<1x4x4x3x!quant.uniform<i8:f32, 0.5>>
  }
}

// -----

// A mean is rounded half up: 0.5 and a fourth of a ninth are added before digits
// are cut off.
// CHECK-LABEL: func.func @main
// CHECK:         %[[HALF:.+]] = arith.constant 0.527777791 : f32
// CHECK:         %[[POOL:.+]] = nnk.pool_2d average ins(%{{.*}} : tensor<1x4x4x3xf32>)
// CHECK:         linalg.generic {{.*}} ins(%[[POOL]] :
// CHECK:           arith.addf %in, %[[HALF]] : f32
// CHECK-NEXT:      arith.fptosi
// CHECK-NOT:       arith.divsi
nnhal.model @average_of_bytes attributes {hal_version = "1.3"} {
  nnhal.graph @main(%x: tensor<1x4x4x3x!quant.uniform<i8:f32, 0.5>>) -> tensor<1x2x2x3x!quant.uniform<i8:f32, 0.5>> {
    %0 = nnhal.average_pool_2d %x pads [0, 0, 0, 0] strides [1, 1] window [3, 3]
        : (tensor<1x4x4x3x!quant.uniform<i8:f32, 0.5>>) -> tensor<1x2x2x3x!quant.uniform<i8:f32, 0.5>>
    nnhal.return %0 : tensor<1x2x2x3x!quant.uniform<i8:f32, 0.5>>
  }
}

// -----

// A mean of more than 4096 elements of float32 may be rounded another way.
// CHECK-LABEL: func.func @main
// CHECK-NOT:     nnk.pool_2d
// CHECK:         linalg.pooling_nhwc_sum
nnhal.model @average_of_many_bytes attributes {hal_version = "1.3"} {
  nnhal.graph @main(%x: tensor<1x64x65x1x!quant.uniform<i8:f32, 0.5>>) -> tensor<1x1x1x1x!quant.uniform<i8:f32, 0.5>> {
    %0 = nnhal.average_pool_2d %x pads [0, 0, 0, 0] strides [1, 1] window [64, 65]
        : (tensor<1x64x65x1x!quant.uniform<i8:f32, 0.5>>) -> tensor<1x1x1x1x!quant.uniform<i8:f32, 0.5>>
    nnhal.return %0 : tensor<1x1x1x1x!quant.uniform<i8:f32, 0.5>>
  }
}

// -----

#sum = affine_map<(n, y, x, c) -> (n, y, x, c)>
#row = affine_map<(n, y, x, c) -> (y)>
#column = affine_map<(n, y, x, c) -> (x)>

// Padding counts here: four places everywhere.
// CHECK-LABEL: @with_padding
// CHECK-NOT:     nnk.pool_2d
func.func @with_padding(%in: tensor<1x2x2x4xf32>) -> tensor<1x2x2x4xf32> {
  %zero = arith.constant 0.0 : f32
  %two = arith.constant dense<2.0> : tensor<2xf32>
  %padded = tensor.pad %in low[0, 0, 0, 0] high[0, 1, 1, 0] {
  ^bb0(%n: index, %y: index, %x: index, %c: index):
    tensor.yield %zero : f32
  } : tensor<1x2x2x4xf32> to tensor<1x3x3x4xf32>
  %window = tensor.empty() : tensor<2x2xf32>
  %empty = tensor.empty() : tensor<1x2x2x4xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%empty : tensor<1x2x2x4xf32>) -> tensor<1x2x2x4xf32>
  %sums = linalg.pooling_nhwc_sum ins(%padded, %window : tensor<1x3x3x4xf32>, tensor<2x2xf32>) outs(%zeros : tensor<1x2x2x4xf32>) -> tensor<1x2x2x4xf32>
  %means = linalg.generic {indexing_maps = [#sum, #row, #column, #sum], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%sums, %two, %two : tensor<1x2x2x4xf32>, tensor<2xf32>, tensor<2xf32>) outs(%empty : tensor<1x2x2x4xf32>) {
  ^bb0(%sum: f32, %rows: f32, %columns: f32, %out: f32):
    %count = arith.mulf %rows, %columns : f32
    %mean = arith.divf %sum, %count : f32
    linalg.yield %mean : f32
  } -> tensor<1x2x2x4xf32>
  return %means : tensor<1x2x2x4xf32>
}

// -----

// Integers that f32 may not hold, and a maximum that hands on NaN.
// CHECK-LABEL: @other_maxima
// CHECK:         linalg.pooling_nhwc_max
// CHECK:         linalg.pooling_nhwc_max
// CHECK-NOT:     nnk.pool_2d
func.func @other_maxima(%integers: tensor<1x4x4x1xi32>, %floats: tensor<1x4x4x1xf32>) -> (tensor<1x3x3x1xi32>, tensor<1x3x3x1xf32>) {
  %lowest = arith.constant -128 : i32
  %infinity = arith.constant 0xFF800000 : f32
  %window = tensor.empty() : tensor<2x2xf32>
  %e0 = tensor.empty() : tensor<1x3x3x1xi32>
  %i0 = linalg.fill ins(%lowest : i32) outs(%e0 : tensor<1x3x3x1xi32>) -> tensor<1x3x3x1xi32>
  %0 = linalg.pooling_nhwc_max ins(%integers, %window : tensor<1x4x4x1xi32>, tensor<2x2xf32>) outs(%i0 : tensor<1x3x3x1xi32>) -> tensor<1x3x3x1xi32>
  %e1 = tensor.empty() : tensor<1x3x3x1xf32>
  %i1 = linalg.fill ins(%infinity : f32) outs(%e1 : tensor<1x3x3x1xf32>) -> tensor<1x3x3x1xf32>
  %1 = linalg.pooling_nhwc_max ins(%floats, %window : tensor<1x4x4x1xf32>, tensor<2x2xf32>) outs(%i1 : tensor<1x3x3x1xf32>) -> tensor<1x3x3x1xf32>
  return %0, %1 : tensor<1x3x3x1xi32>, tensor<1x3x3x1xf32>
}

// -----

// linalg takes fewer results than there are windows, results that begin with
// other numbers than padding has, and padding that cuts.
// CHECK-LABEL: @other_windows
// CHECK-COUNT-4: linalg.generic
// CHECK-NOT:     nnk.pool_2d
#image = affine_map<(n, y, x, c, i, j) -> (n, y + i, x + j, c)>
#window = affine_map<(n, y, x, c, i, j) -> (i, j)>
#result = affine_map<(n, y, x, c, i, j) -> (n, y, x, c)>
func.func @other_windows(%in: tensor<1x4x4x1xf32>) -> (tensor<1x2x3x1xf32>, tensor<1x3x3x1xf32>, tensor<1x4x3x1xf32>, tensor<1x2x3x1xf32>) {
  %infinity = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0.0 : f32
  %window = tensor.empty() : tensor<2x2xf32>
  %e0 = tensor.empty() : tensor<1x2x3x1xf32>
  %e1 = tensor.empty() : tensor<1x3x3x1xf32>
  %e2 = tensor.empty() : tensor<1x4x3x1xf32>
  %i0 = linalg.fill ins(%infinity : f32) outs(%e0 : tensor<1x2x3x1xf32>) -> tensor<1x2x3x1xf32>
  %i1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<1x3x3x1xf32>) -> tensor<1x3x3x1xf32>
  %i2 = linalg.fill ins(%infinity : f32) outs(%e2 : tensor<1x4x3x1xf32>) -> tensor<1x4x3x1xf32>
  %fewer = linalg.generic {indexing_maps = [#image, #window, #result], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]}
      ins(%in, %window : tensor<1x4x4x1xf32>, tensor<2x2xf32>) outs(%i0 : tensor<1x2x3x1xf32>) {
  ^bb0(%e: f32, %w: f32, %largest: f32):
    %is = arith.cmpf ogt, %e, %largest : f32
    %m = arith.select %is, %e, %largest : f32
    linalg.yield %m : f32
  } -> tensor<1x2x3x1xf32>
  %from_zero = linalg.generic {indexing_maps = [#image, #window, #result], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]}
      ins(%in, %window : tensor<1x4x4x1xf32>, tensor<2x2xf32>) outs(%i1 : tensor<1x3x3x1xf32>) {
  ^bb0(%e: f32, %w: f32, %largest: f32):
    %is = arith.cmpf ogt, %e, %largest : f32
    %m = arith.select %is, %e, %largest : f32
    linalg.yield %m : f32
  } -> tensor<1x3x3x1xf32>
  %zeros = tensor.pad %in low[0, 0, 0, 0] high[0, 1, 0, 0] {
  ^bb0(%n: index, %y: index, %x: index, %c: index):
    tensor.yield %zero : f32
  } : tensor<1x4x4x1xf32> to tensor<1x5x4x1xf32>
  %over_zeros = linalg.generic {indexing_maps = [#image, #window, #result], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]}
      ins(%zeros, %window : tensor<1x5x4x1xf32>, tensor<2x2xf32>) outs(%i2 : tensor<1x4x3x1xf32>) {
  ^bb0(%e: f32, %w: f32, %largest: f32):
    %is = arith.cmpf oge, %e, %largest : f32
    %m = arith.select %is, %e, %largest : f32
    linalg.yield %m : f32
  } -> tensor<1x4x3x1xf32>
  %cut = tensor.pad %in low[0, -1, 0, 0] high[0, 0, 0, 0] {
  ^bb0(%n: index, %y: index, %x: index, %c: index):
    tensor.yield %infinity : f32
  } : tensor<1x4x4x1xf32> to tensor<1x3x4x1xf32>
  %within = linalg.generic {indexing_maps = [#image, #window, #result], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]}
      ins(%cut, %window : tensor<1x3x4x1xf32>, tensor<2x2xf32>) outs(%i0 : tensor<1x2x3x1xf32>) {
  ^bb0(%e: f32, %w: f32, %largest: f32):
    %is = arith.cmpf ogt, %e, %largest : f32
    %m = arith.select %is, %e, %largest : f32
    linalg.yield %m : f32
  } -> tensor<1x2x3x1xf32>
  return %fewer, %from_zero, %over_zeros, %within : tensor<1x2x3x1xf32>, tensor<1x3x3x1xf32>, tensor<1x4x3x1xf32>, tensor<1x2x3x1xf32>
}

// -----

#all = affine_map<(n, y, x, c) -> (n, y, x, c)>
#row = affine_map<(n, y, x, c) -> (y)>
#column = affine_map<(n, y, x, c) -> (x)>

// Somebody else reads the sums.
// CHECK-LABEL: @sums_with_two_readers
// CHECK-NOT:     nnk.pool_2d
// CHECK:         linalg.pooling_nhwc_sum
func.func @sums_with_two_readers(%in: tensor<1x3x3x4xf32>) -> (tensor<1x2x2x4xf32>, tensor<1x2x2x4xf32>) {
  %zero = arith.constant 0.0 : f32
  %two = arith.constant dense<2.0> : tensor<2xf32>
  %window = tensor.empty() : tensor<2x2xf32>
  %empty = tensor.empty() : tensor<1x2x2x4xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%empty : tensor<1x2x2x4xf32>) -> tensor<1x2x2x4xf32>
  %sums = linalg.pooling_nhwc_sum ins(%in, %window : tensor<1x3x3x4xf32>, tensor<2x2xf32>) outs(%zeros : tensor<1x2x2x4xf32>) -> tensor<1x2x2x4xf32>
  %means = linalg.generic {indexing_maps = [#all, #row, #column, #all], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%sums, %two, %two : tensor<1x2x2x4xf32>, tensor<2xf32>, tensor<2xf32>) outs(%empty : tensor<1x2x2x4xf32>) {
  ^bb0(%sum: f32, %rows: f32, %columns: f32, %out: f32):
    %count = arith.mulf %rows, %columns : f32
    %mean = arith.divf %sum, %count : f32
    linalg.yield %mean : f32
  } -> tensor<1x2x2x4xf32>
  return %sums, %means : tensor<1x2x2x4xf32>, tensor<1x2x2x4xf32>
}
