// What upstream leaves that nnhal-fuse-elementwise makes operands of first: an
// operation whose result another one reads with tensor.extract, at the indices
// of its own loops, stays by itself. Where this check fails because upstream
// fuses the two, that part of the pass has lost its reason.
// RUN: nnhal-opt %s --linalg-fuse-elementwise-ops --canonicalize | FileCheck %s

#id = affine_map<(i) -> (i)>

// CHECK-LABEL: func.func @reads
// CHECK:       %[[READ:.+]] = linalg.generic
// CHECK:       linalg.generic
// CHECK:         tensor.extract %[[READ]]
func.func @reads(%x: tensor<8xf32>) -> tensor<8xf32> {
  %empty = tensor.empty() : tensor<8xf32>
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%x : tensor<8xf32>) outs(%empty : tensor<8xf32>) {
  ^bb0(%in: f32, %out: f32):
    %negative = arith.negf %in : f32
    linalg.yield %negative : f32
  } -> tensor<8xf32>
  %1 = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel"]} outs(%empty : tensor<8xf32>) {
  ^bb0(%out: f32):
    %i = linalg.index 0 : index
    %element = tensor.extract %0[%i] : tensor<8xf32>
    %double = arith.addf %element, %element : f32
    linalg.yield %double : f32
  } -> tensor<8xf32>
  return %1 : tensor<8xf32>
}
