// What a scan reads is computed in it. Its results are not computed where they
// are read, and none of its reductions is divided into parts.
// RUN: nnhal-opt %s --nnhal-set-target=parameters=reduced-part=64,joined-elements=4 --nnhal-fuse-elementwise --nnhal-split-reductions --nnk-fuse-epilogue | FileCheck %s

#id = affine_map<(d0, d1) -> (d0, d1)>
#column = affine_map<(d0, d1) -> (d1)>

// CHECK-LABEL: func.func @scan
// CHECK-SAME:    (%[[X:.+]]: tensor<1024x8xf32>, %[[SUM:.+]]: tensor<8xf32>)
// CHECK:         %[[SUMS:.+]]:2 = linalg.generic {{.*}} iterator_types = ["reduction", "parallel"]} ins(%[[X]] : tensor<1024x8xf32>) outs(%[[SUM]], %{{.+}} : tensor<8xf32>, tensor<1024x8xf32>)
// CHECK:           arith.negf
// CHECK:           arith.addf
// CHECK:         linalg.generic {{.*}} iterator_types = ["parallel", "parallel"]} ins(%[[SUMS]]#1
// CHECK:           math.absf
// CHECK-NOT:     linalg.generic
func.func @scan(%x: tensor<1024x8xf32>, %sum: tensor<8xf32>) -> tensor<1024x8xf32> {
  %empty = tensor.empty() : tensor<1024x8xf32>
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<1024x8xf32>) outs(%empty : tensor<1024x8xf32>) {
  ^bb0(%in: f32, %out: f32):
    %now = arith.negf %in : f32
    linalg.yield %now : f32
  } -> tensor<1024x8xf32>
  %1:2 = linalg.generic {indexing_maps = [#id, #column, #id], iterator_types = ["reduction", "parallel"]}
      ins(%0 : tensor<1024x8xf32>) outs(%sum, %empty : tensor<8xf32>, tensor<1024x8xf32>) {
  ^bb0(%in: f32, %before: f32, %out: f32):
    %now = arith.addf %before, %in : f32
    linalg.yield %now, %now : f32, f32
  } -> (tensor<8xf32>, tensor<1024x8xf32>)
  %2 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%1#1 : tensor<1024x8xf32>) outs(%empty : tensor<1024x8xf32>) {
  ^bb0(%in: f32, %out: f32):
    %now = math.absf %in : f32
    linalg.yield %now : f32
  } -> tensor<1024x8xf32>
  return %2 : tensor<1024x8xf32>
}

// Sums that are stored in elements of their own have no parts.
// CHECK-LABEL: func.func @moves
// CHECK:         %[[SUMS:.+]] = linalg.generic {{.*}} iterator_types = ["reduction", "parallel"]} ins(%{{.+}} : tensor<1024x8xf32>) outs(%arg1 : tensor<1024x8xf32>)
// CHECK:         return %[[SUMS]]
func.func @moves(%x: tensor<1024x8xf32>, %sums: tensor<1024x8xf32>) -> tensor<1024x8xf32> {
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["reduction", "parallel"]}
      ins(%x : tensor<1024x8xf32>) outs(%sums : tensor<1024x8xf32>) {
  ^bb0(%in: f32, %out: f32):
    %now = arith.addf %out, %in : f32
    linalg.yield %now : f32
  } -> tensor<1024x8xf32>
  return %0 : tensor<1024x8xf32>
}
