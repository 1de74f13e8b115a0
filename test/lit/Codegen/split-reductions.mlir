// RUN: nnhal-opt %s --nnhal-set-target=parameters=reduced-part=64,joined-elements=6 --nnhal-split-reductions | FileCheck %s
// RUN: nnhal-opt %s --nnhal-set-target=parameters=reduced-part=64,joined-elements=6,split-pieces=2 --nnhal-split-reductions | FileCheck %s --check-prefix=FEW
// RUN: nnhal-opt %s --nnhal-set-target --nnhal-split-reductions | FileCheck %s --check-prefix=SMALL
// RUN: not nnhal-opt %s --nnhal-set-target=parameters=reduced-part=0 --nnhal-split-reductions 2>&1 | FileCheck %s --check-prefix=ERROR

// SMALL-NOT: linalg.fill
// ERROR: error: cost-model: 'reduced-part=0' does not give a number from 1 to 2^30

// 6 x 8 pixels of 16 channels are 12 times 64 elements: eight parts of six
// pixels, which is the next lower power of two, divides 48, and leaves six
// elements to each partial result.
// CHECK-LABEL: func @mean
// CHECK: %[[PIXELS:.+]] = tensor.collapse_shape %arg0 {{\[}}[0], [1, 2], [3]] : tensor<1x6x8x16xf32> into tensor<1x48x16xf32>
// CHECK: %[[PARTS:.+]] = tensor.expand_shape %[[PIXELS]] {{\[}}[0], [1, 2], [3]] output_shape [1, 8, 6, 16]
// CHECK: %[[FIRST:.+]] = linalg.fill ins(%{{.*}} : f32) outs(%{{.*}} : tensor<8x1x16xf32>)
// CHECK: %[[PARTIAL:.+]] = linalg.generic {{.*}} iterator_types = ["parallel", "parallel", "reduction", "parallel"]} ins(%[[PARTS]] : tensor<1x8x6x16xf32>) outs(%[[FIRST]] : tensor<8x1x16xf32>)
// CHECK: arith.addf
// CHECK: linalg.generic {{.*}} iterator_types = ["reduction", "parallel", "parallel"]} ins(%[[PARTIAL]] : tensor<8x1x16xf32>) outs(%arg1 : tensor<1x16xf32>)
// CHECK: arith.addf
// FEW-LABEL: func @mean
// FEW: linalg.fill {{.*}} outs(%{{.*}} : tensor<2x1x16xf32>)
#image = affine_map<(n, h, w, c) -> (n, h, w, c)>
#channels = affine_map<(n, h, w, c) -> (n, c)>
func.func @mean(%image: tensor<1x6x8x16xf32>, %init: tensor<1x16xf32>) -> tensor<1x16xf32> {
  %0 = linalg.generic {indexing_maps = [#image, #channels], iterator_types = ["parallel", "reduction", "reduction", "parallel"]}
      ins(%image : tensor<1x6x8x16xf32>) outs(%init : tensor<1x16xf32>) {
  ^bb0(%in: f32, %out: f32):
    %sum = arith.addf %out, %in : f32
    linalg.yield %sum : f32
  } -> tensor<1x16xf32>
  return %0 : tensor<1x16xf32>
}

// What is left of 1,000 elements divides by eight at most; partial results of
// a maximum begin with the least integer.
// CHECK-LABEL: func @greatest
// CHECK: arith.constant -128 : i8
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "reduction"]} ins(%{{.*}} : tensor<8x125xi8>) outs(%{{.*}} : tensor<8xi8>)
// CHECK: linalg.generic {{.*}} iterator_types = ["reduction"]} ins(%{{.*}} : tensor<8xi8>)
func.func @greatest(%row: tensor<1000xi8>, %init: tensor<i8>) -> tensor<i8> {
  %0 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>], iterator_types = ["reduction"]}
      ins(%row : tensor<1000xi8>) outs(%init : tensor<i8>) {
  ^bb0(%in: i8, %out: i8):
    %most = arith.maxsi %out, %in : i8
    linalg.yield %most : i8
  } -> tensor<i8>
  return %0 : tensor<i8>
}

// Threads share the rows of the first dimension already, 999 is odd, and a
// difference has no neutral element.
// CHECK-LABEL: func @stays
// CHECK-NOT: linalg.fill
func.func @stays(%rows: tensor<4x1000xf32>, %odd: tensor<999xf32>, %row: tensor<1000xf32>, %init: tensor<4xf32>, %one: tensor<f32>)
    -> (tensor<4xf32>, tensor<f32>, tensor<f32>) {
  %0 = linalg.generic {indexing_maps = [affine_map<(n, i) -> (n, i)>, affine_map<(n, i) -> (n)>], iterator_types = ["parallel", "reduction"]}
      ins(%rows : tensor<4x1000xf32>) outs(%init : tensor<4xf32>) {
  ^bb0(%in: f32, %out: f32):
    %sum = arith.addf %out, %in : f32
    linalg.yield %sum : f32
  } -> tensor<4xf32>
  %1 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>], iterator_types = ["reduction"]}
      ins(%odd : tensor<999xf32>) outs(%one : tensor<f32>) {
  ^bb0(%in: f32, %out: f32):
    %sum = arith.addf %out, %in : f32
    linalg.yield %sum : f32
  } -> tensor<f32>
  %2 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>], iterator_types = ["reduction"]}
      ins(%row : tensor<1000xf32>) outs(%one : tensor<f32>) {
  ^bb0(%in: f32, %out: f32):
    %difference = arith.subf %out, %in : f32
    linalg.yield %difference : f32
  } -> tensor<f32>
  return %0, %1, %2 : tensor<4xf32>, tensor<f32>, tensor<f32>
}

// linalg cannot divide what reads an operand elsewhere than at dimensions of
// the loops, or dimensions in another order than they are joined in; and
// partial results of two elements each are not worth it.
// CHECK-LABEL: func @indivisible
// CHECK-NOT: linalg.fill
func.func @indivisible(%image: tensor<1x6x8x16xf32>, %scale: tensor<1x1x1x16xf32>, %row: tensor<1x6x1x1xf32>,
                       %turned: tensor<1x8x6x16xf32>, %sums: tensor<96x16xf32>, %init: tensor<1x16xf32>, %one: tensor<f32>,
                       %mean: tensor<16x8xf32>, %short: tensor<4x16x8xf32>)
    -> (tensor<1x16xf32>, tensor<f32>, tensor<1x16xf32>, tensor<16xf32>, tensor<16x8xf32>) {
  %0 = linalg.generic {indexing_maps = [#image, affine_map<(n, h, w, c) -> (0, 0, 0, c)>, #channels], iterator_types = ["parallel", "reduction", "reduction", "parallel"]}
      ins(%image, %scale : tensor<1x6x8x16xf32>, tensor<1x1x1x16xf32>) outs(%init : tensor<1x16xf32>) {
  ^bb0(%in: f32, %factor: f32, %out: f32):
    %product = arith.mulf %in, %factor : f32
    %sum = arith.addf %out, %product : f32
    linalg.yield %sum : f32
  } -> tensor<1x16xf32>
  %1 = linalg.generic {indexing_maps = [#image, affine_map<(n, h, w, c) -> (0, h, 0, 0)>, affine_map<(n, h, w, c) -> ()>], iterator_types = ["reduction", "reduction", "reduction", "reduction"]}
      ins(%image, %row : tensor<1x6x8x16xf32>, tensor<1x6x1x1xf32>) outs(%one : tensor<f32>) {
  ^bb0(%in: f32, %factor: f32, %out: f32):
    %product = arith.mulf %in, %factor : f32
    %sum = arith.addf %out, %product : f32
    linalg.yield %sum : f32
  } -> tensor<f32>
  %2 = linalg.generic {indexing_maps = [#image, affine_map<(n, h, w, c) -> (n, w, h, c)>, #channels], iterator_types = ["parallel", "reduction", "reduction", "parallel"]}
      ins(%image, %turned : tensor<1x6x8x16xf32>, tensor<1x8x6x16xf32>) outs(%init : tensor<1x16xf32>) {
  ^bb0(%in: f32, %factor: f32, %out: f32):
    %product = arith.mulf %in, %factor : f32
    %sum = arith.addf %out, %product : f32
    linalg.yield %sum : f32
  } -> tensor<1x16xf32>
  %empty = tensor.empty() : tensor<16xf32>
  %3 = linalg.generic {indexing_maps = [affine_map<(h, w, c) -> (h + w, c)>, affine_map<(h, w, c) -> (h, w)>, affine_map<(h, w, c) -> (c)>], iterator_types = ["reduction", "reduction", "parallel"]}
      ins(%sums, %mean : tensor<96x16xf32>, tensor<16x8xf32>) outs(%empty : tensor<16xf32>) {
  ^bb0(%in: f32, %factor: f32, %out: f32):
    %product = arith.mulf %in, %factor : f32
    %sum = arith.addf %out, %product : f32
    linalg.yield %sum : f32
  } -> tensor<16xf32>
  %4 = linalg.generic {indexing_maps = [affine_map<(n, h, c) -> (n, h, c)>, affine_map<(n, h, c) -> (h, c)>], iterator_types = ["reduction", "parallel", "parallel"]}
      ins(%short : tensor<4x16x8xf32>) outs(%mean : tensor<16x8xf32>) {
  ^bb0(%in: f32, %out: f32):
    %sum = arith.addf %out, %in : f32
    linalg.yield %sum : f32
  } -> tensor<16x8xf32>
  return %0, %1, %2, %3, %4 : tensor<1x16xf32>, tensor<f32>, tensor<1x16xf32>, tensor<16xf32>, tensor<16x8xf32>
}
