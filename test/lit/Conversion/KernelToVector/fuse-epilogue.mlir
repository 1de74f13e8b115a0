// RUN: nnhal-opt %s --nnk-fuse-epilogue | FileCheck %s

#id = affine_map<(b, h, w, c) -> (b, h, w, c)>
#pixel = affine_map<(b, h, w, c) -> (b, h, w, 0)>
#channel = affine_map<(b, h, w, c) -> (c)>
#id2 = affine_map<(m, n) -> (m, n)>
#pixel2 = affine_map<(m, n) -> (m, 0)>
#channel2 = affine_map<(m, n) -> (n)>

// Residual addition, then PReLU with a slope per channel.
// CHECK-LABEL: @chain
// CHECK-SAME: %[[RES:[^ ,]+]]: tensor<1x4x4x8xf32>, %[[SLOPE:[^ ,]+]]: tensor<8xf32>
// CHECK-NOT: linalg.generic
// CHECK: nnk.conv_2d {{.*}} extras(%[[RES]], %[[SLOPE]] : tensor<1x4x4x8xf32>, tensor<8xf32>)
// CHECK: ^bb0(%[[ACC:.+]]: f32, %[[E0:.+]]: f32, %[[E1:.+]]: f32):
// CHECK: %[[SUM:.+]] = arith.addf %[[ACC]], %[[E0]]
// CHECK: %[[POS:.+]] = arith.cmpf ogt, %[[SUM]]
// CHECK: %[[NEG:.+]] = arith.mulf %[[SUM]], %[[E1]]
// CHECK: %[[R:.+]] = arith.select %[[POS]], %[[SUM]], %[[NEG]]
// CHECK: nnk.yield %[[R]]
// CHECK-NOT: linalg.generic
func.func @chain(%in: tensor<1x4x4x4xf32>, %filter: tensor<1x1x1x4x8xf32>, %bias: tensor<1x8xf32>, %res: tensor<1x4x4x8xf32>, %slope: tensor<8xf32>) -> tensor<1x4x4x8xf32> {
  %e = tensor.empty() : tensor<1x4x4x8xf32>
  %0 = nnk.conv_2d ins(%in, %filter, %bias : tensor<1x4x4x4xf32>, tensor<1x1x1x4x8xf32>, tensor<1x8xf32>) outs(%e : tensor<1x4x4x8xf32>)
      strides [1, 1] dilations [1, 1] pads [0, 0, 0, 0] -> tensor<1x4x4x8xf32>
  %1 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%res, %0 : tensor<1x4x4x8xf32>, tensor<1x4x4x8xf32>) outs(%e : tensor<1x4x4x8xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %s = arith.addf %b, %a : f32
    linalg.yield %s : f32
  } -> tensor<1x4x4x8xf32>
  %zero = arith.constant 0.0 : f32
  %2 = linalg.generic {indexing_maps = [#id, #channel, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%1, %slope : tensor<1x4x4x8xf32>, tensor<8xf32>) outs(%e : tensor<1x4x4x8xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %c = arith.cmpf ogt, %a, %zero : f32
    %m = arith.mulf %a, %b : f32
    %r = arith.select %c, %a, %m : f32
    linalg.yield %r : f32
  } -> tensor<1x4x4x8xf32>
  return %2 : tensor<1x4x4x8xf32>
}

// The later one of two kernels that are added becomes the sum and reads the
// other's result, which is complete by then.
// CHECK-LABEL: @two_kernels
// CHECK: %[[FIRST:.+]] = nnk.pool_2d max
// CHECK: nnk.pool_2d average {{.*}} extras(%[[FIRST]] :
func.func @two_kernels(%in: tensor<1x4x4x8xf32>) -> tensor<1x4x4x8xf32> {
  %e = tensor.empty() : tensor<1x4x4x8xf32>
  %0 = nnk.pool_2d max ins(%in : tensor<1x4x4x8xf32>) outs(%e : tensor<1x4x4x8xf32>)
      window [3, 3] strides [1, 1] pads [1, 1, 1, 1] -> tensor<1x4x4x8xf32>
  %1 = nnk.pool_2d average ins(%in : tensor<1x4x4x8xf32>) outs(%e : tensor<1x4x4x8xf32>)
      window [3, 3] strides [1, 1] pads [1, 1, 1, 1] -> tensor<1x4x4x8xf32>
  %2 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%0, %1 : tensor<1x4x4x8xf32>, tensor<1x4x4x8xf32>) outs(%e : tensor<1x4x4x8xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %s = arith.addf %a, %b : f32
    linalg.yield %s : f32
  } -> tensor<1x4x4x8xf32>
  return %2 : tensor<1x4x4x8xf32>
}

// A fully connected layer: the kernel has four dimensions, its consumer two.
// CHECK-LABEL: @through_collapse
// CHECK-DAG: %[[RES4:.+]] = tensor.expand_shape %{{.+}} {{\[}}[0, 1, 2], [3]] {{.*}} : tensor<4x8xf32> into tensor<1x1x4x8xf32>
// CHECK: %[[FUSED:.+]] = nnk.conv_2d {{.*}} extras(%[[RES4]], %{{.+}} : tensor<1x1x4x8xf32>, tensor<8xf32>)
// CHECK: %[[R:.+]] = tensor.collapse_shape %[[FUSED]]
// CHECK: return %[[R]]
func.func @through_collapse(%in: tensor<1x1x4x4xf32>, %filter: tensor<1x1x1x4x8xf32>, %bias: tensor<1x8xf32>, %res: tensor<4x8xf32>, %scale: tensor<8xf32>) -> tensor<4x8xf32> {
  %e = tensor.empty() : tensor<1x1x4x8xf32>
  %0 = nnk.conv_2d ins(%in, %filter, %bias : tensor<1x1x4x4xf32>, tensor<1x1x1x4x8xf32>, tensor<1x8xf32>) outs(%e : tensor<1x1x4x8xf32>)
      strides [1, 1] dilations [1, 1] pads [0, 0, 0, 0] -> tensor<1x1x4x8xf32>
  %1 = tensor.collapse_shape %0 [[0, 1, 2], [3]] : tensor<1x1x4x8xf32> into tensor<4x8xf32>
  %f = tensor.empty() : tensor<4x8xf32>
  %2 = linalg.generic {indexing_maps = [#id2, #id2, #channel2, #id2], iterator_types = ["parallel", "parallel"]}
      ins(%1, %res, %scale : tensor<4x8xf32>, tensor<4x8xf32>, tensor<8xf32>) outs(%f : tensor<4x8xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32, %o: f32):
    %s = arith.addf %a, %b : f32
    %r = arith.mulf %s, %c : f32
    linalg.yield %r : f32
  } -> tensor<4x8xf32>
  return %2 : tensor<4x8xf32>
}

// A second user needs the value before the addition.
// CHECK-LABEL: @second_user_prevents_fusion
// CHECK: nnk.pool_2d
// CHECK: linalg.generic
func.func @second_user_prevents_fusion(%in: tensor<1x4x4x8xf32>) -> (tensor<1x4x4x8xf32>, tensor<1x4x4x8xf32>) {
  %e = tensor.empty() : tensor<1x4x4x8xf32>
  %0 = nnk.pool_2d max ins(%in : tensor<1x4x4x8xf32>) outs(%e : tensor<1x4x4x8xf32>)
      window [1, 1] strides [1, 1] pads [0, 0, 0, 0] -> tensor<1x4x4x8xf32>
  %1 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%0 : tensor<1x4x4x8xf32>) outs(%e : tensor<1x4x4x8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %s = arith.negf %a : f32
    linalg.yield %s : f32
  } -> tensor<1x4x4x8xf32>
  return %0, %1 : tensor<1x4x4x8xf32>, tensor<1x4x4x8xf32>
}

// Rows are not channels.
// CHECK-LABEL: @other_broadcast_prevents_fusion
// CHECK: nnk.pool_2d
// CHECK: linalg.generic
func.func @other_broadcast_prevents_fusion(%in: tensor<1x8x4x8xf32>, %rows: tensor<8xf32>) -> tensor<1x8x4x8xf32> {
  %e = tensor.empty() : tensor<1x8x4x8xf32>
  %0 = nnk.pool_2d max ins(%in : tensor<1x8x4x8xf32>) outs(%e : tensor<1x8x4x8xf32>)
      window [1, 1] strides [1, 1] pads [0, 0, 0, 0] -> tensor<1x8x4x8xf32>
  %1 = linalg.generic {indexing_maps = [#id, affine_map<(b, h, w, c) -> (h)>, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%0, %rows : tensor<1x8x4x8xf32>, tensor<8xf32>) outs(%e : tensor<1x8x4x8xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %s = arith.addf %a, %b : f32
    linalg.yield %s : f32
  } -> tensor<1x8x4x8xf32>
  return %1 : tensor<1x8x4x8xf32>
}

// One pixel added to all pixels is a vector of channels.
// CHECK-LABEL: @broadcast_pixel
// CHECK-SAME: %[[PIXEL:[^ ,]+]]: tensor<1x1x1x8xf32>
// CHECK: %[[VECTOR:.+]] = tensor.collapse_shape %[[PIXEL]] {{\[}}[0, 1, 2, 3]] : tensor<1x1x1x8xf32> into tensor<8xf32>
// CHECK: nnk.pool_2d max {{.*}} extras(%[[VECTOR]] : tensor<8xf32>)
func.func @broadcast_pixel(%in: tensor<1x4x4x8xf32>, %pixel: tensor<1x1x1x8xf32>) -> tensor<1x4x4x8xf32> {
  %e = tensor.empty() : tensor<1x4x4x8xf32>
  %0 = nnk.pool_2d max ins(%in : tensor<1x4x4x8xf32>) outs(%e : tensor<1x4x4x8xf32>)
      window [1, 1] strides [1, 1] pads [0, 0, 0, 0] -> tensor<1x4x4x8xf32>
  %1 = linalg.generic {indexing_maps = [#id, affine_map<(b, h, w, c) -> (b, 0, 0, c)>, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%0, %pixel : tensor<1x4x4x8xf32>, tensor<1x1x1x8xf32>) outs(%e : tensor<1x4x4x8xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %s = arith.addf %a, %b : f32
    linalg.yield %s : f32
  } -> tensor<1x4x4x8xf32>
  return %1 : tensor<1x4x4x8xf32>
}

// A function of few channels would be computed for one pixel at a time.
// CHECK-LABEL: @function_of_one_channel
// CHECK: nnk.conv_2d
// CHECK-NOT: epilogue
// CHECK: linalg.generic
// CHECK: math.exp
func.func @function_of_one_channel(%in: tensor<1x4x4x16xf32>, %filter: tensor<1x1x1x16x8xf32>, %bias: tensor<1x8xf32>) -> tensor<1x4x4x1xf32> {
  %empty = tensor.empty() : tensor<1x4x4x1xf32>
  %0 = nnk.conv_2d ins(%in, %filter, %bias : tensor<1x4x4x16xf32>, tensor<1x1x1x16x8xf32>, tensor<1x8xf32>) outs(%empty : tensor<1x4x4x1xf32>)
      strides [1, 1] dilations [1, 1] pads [0, 0, 0, 0] -> tensor<1x4x4x1xf32>
  %1 = linalg.generic {indexing_maps = [affine_map<(a, b, c, d) -> (a, b, c, d)>, affine_map<(a, b, c, d) -> (a, b, c, d)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%0 : tensor<1x4x4x1xf32>) outs(%empty : tensor<1x4x4x1xf32>) {
  ^bb0(%x: f32, %out: f32):
    %r = math.exp %x : f32
    linalg.yield %r : f32
  } -> tensor<1x4x4x1xf32>
  return %1 : tensor<1x4x4x1xf32>
}

// One number for all channels of a pixel, also seen through a reshape.
// CHECK-LABEL: @pixels
// CHECK-SAME: %[[SUMS:[^ ,]+]]: tensor<1x4x4x1xi32>
// CHECK: nnk.conv_2d {{.*}} extras(%[[SUMS]] : tensor<1x4x4x1xi32>)
// CHECK: %[[ROWS:.+]] = tensor.expand_shape {{.*}} : tensor<16x1xi32> into tensor<1x4x4x1xi32>
// CHECK: nnk.conv_2d {{.*}} extras(%[[ROWS]] : tensor<1x4x4x1xi32>)
// CHECK-NOT: linalg.generic
// CHECK: return
func.func @pixels(%in: tensor<1x4x4x4xi8>, %filter: tensor<1x1x1x1x32xi8>, %bias: tensor<1x8xi32>, %sums: tensor<1x4x4x1xi32>, %rows: tensor<16x1xi32>) -> (tensor<1x4x4x8xi32>, tensor<16x8xi32>) {
  %e = tensor.empty() : tensor<1x4x4x8xi32>
  %0 = nnk.conv_2d ins(%in, %filter, %bias : tensor<1x4x4x4xi8>, tensor<1x1x1x1x32xi8>, tensor<1x8xi32>) outs(%e : tensor<1x4x4x8xi32>)
      strides [1, 1] dilations [1, 1] pads [0, 0, 0, 0] -> tensor<1x4x4x8xi32>
  %1 = linalg.generic {indexing_maps = [#id, #pixel, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%0, %sums : tensor<1x4x4x8xi32>, tensor<1x4x4x1xi32>) outs(%e : tensor<1x4x4x8xi32>) {
  ^bb0(%a: i32, %b: i32, %o: i32):
    %s = arith.addi %a, %b : i32
    linalg.yield %s : i32
  } -> tensor<1x4x4x8xi32>
  %2 = nnk.conv_2d ins(%in, %filter, %bias : tensor<1x4x4x4xi8>, tensor<1x1x1x1x32xi8>, tensor<1x8xi32>) outs(%e : tensor<1x4x4x8xi32>)
      strides [1, 1] dilations [1, 1] pads [0, 0, 0, 0] unsigned_input -> tensor<1x4x4x8xi32>
  %3 = tensor.collapse_shape %2 [[0, 1, 2], [3]] : tensor<1x4x4x8xi32> into tensor<16x8xi32>
  %e2 = tensor.empty() : tensor<16x8xi32>
  %4 = linalg.generic {indexing_maps = [#id2, #pixel2, #id2], iterator_types = ["parallel", "parallel"]}
      ins(%3, %rows : tensor<16x8xi32>, tensor<16x1xi32>) outs(%e2 : tensor<16x8xi32>) {
  ^bb0(%a: i32, %b: i32, %o: i32):
    %s = arith.addi %a, %b : i32
    linalg.yield %s : i32
  } -> tensor<16x8xi32>
  return %1, %4 : tensor<1x4x4x8xi32>, tensor<16x8xi32>
}
