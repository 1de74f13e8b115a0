// What upstream does that nnhal-separate-destinations and
// nnhal-fold-output-copies are there for. Where one of these checks fails
// because upstream has been mended, the part of the pass that its comment names
// has lost its reason.
// RUN: nnhal-opt %s --pass-pipeline='builtin.module(eliminate-empty-tensors,one-shot-bufferize,canonicalize)' | FileCheck %s

#id = affine_map<(i) -> (i)>

// The first sum is copied to its output after the second one has been computed
// there, and the second output becomes a copy of the first.
// (nnhal-separate-destinations: copies of fills and of tensor.empty)
// CHECK-LABEL: func.func @shared_fill
// CHECK-SAME:  %[[IN:.+]]: memref<4xf32>, %[[FIRST:.+]]: memref<4xf32>, %[[SECOND:.+]]: memref<4xf32>
// CHECK:       linalg.add ins(%[[IN]], %[[FIRST]] {{.*}} outs(%[[SUM:.+]] : memref<4xf32>)
// CHECK:       linalg.generic {{.*}} outs(%[[FIRST]] : memref<4xf32>)
// CHECK:       memref.copy %[[SUM]], %[[FIRST]]
// CHECK:       memref.copy %[[FIRST]], %[[SECOND]]
func.func @shared_fill(%in: memref<4xf32>, %out0: memref<4xf32>, %out1: memref<4xf32>) {
  %zero = arith.constant 0.0 : f32
  %x = bufferization.to_tensor %in restrict : memref<4xf32> to tensor<4xf32>
  %empty = tensor.empty() : tensor<4xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<4xf32>) -> tensor<4xf32>
  %0 = linalg.add ins(%x, %init : tensor<4xf32>, tensor<4xf32>) outs(%init : tensor<4xf32>) -> tensor<4xf32>
  %1 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%x : tensor<4xf32>) outs(%init : tensor<4xf32>) {
  ^bb0(%a: f32, %b: f32):
    %difference = arith.subf %a, %b : f32
    linalg.yield %difference : f32
  } -> tensor<4xf32>
  bufferization.materialize_in_destination %0 in restrict writable %out0 : (tensor<4xf32>, memref<4xf32>) -> ()
  bufferization.materialize_in_destination %1 in restrict writable %out1 : (tensor<4xf32>, memref<4xf32>) -> ()
  return
}

// The sum, which is the second output, is computed in the first one; that is
// overwritten before it is copied.
// (nnhal-separate-destinations: copies of computed tensors)
// CHECK-LABEL: func.func @written_over
// CHECK-SAME:  %[[FIRST:[a-z0-9]+]]: memref<4xf32>, %[[SECOND:[a-z0-9]+]]: memref<4xf32>)
// CHECK:       linalg.add {{.*}} outs(%[[FIRST]] : memref<4xf32>)
// CHECK:       memref.copy %{{.+}}, %[[FIRST]]
// CHECK:       memref.copy %[[FIRST]], %[[SECOND]]
func.func @written_over(%in: memref<1xf32>, %other: memref<4xf32>, %out0: memref<4xf32>, %out1: memref<4xf32>) {
  %x = bufferization.to_tensor %in restrict : memref<1xf32> to tensor<1xf32>
  %y = bufferization.to_tensor %other restrict : memref<4xf32> to tensor<4xf32>
  %empty = tensor.empty() : tensor<4xf32>
  %sum = linalg.add ins(%y, %y : tensor<4xf32>, tensor<4xf32>) outs(%empty : tensor<4xf32>) -> tensor<4xf32>
  %0 = tensor.insert_slice %x into %sum[1] [1] [1] : tensor<1xf32> into tensor<4xf32>
  bufferization.materialize_in_destination %0 in restrict writable %out0 : (tensor<4xf32>, memref<4xf32>) -> ()
  bufferization.materialize_in_destination %sum in restrict writable %out1 : (tensor<4xf32>, memref<4xf32>) -> ()
  return
}

// The part of the output is written before the check of where it is.
// (nnhal-separate-destinations: parts at computed places)
// CHECK-LABEL: func.func @computed_place
// CHECK:       %[[PART:.+]] = memref.subview %{{.+}}[%{{.+}}] [4] [1]
// CHECK:       linalg.exp {{.*}} outs(%[[PART]]
// CHECK:       nnrt.check
func.func @computed_place(%in: memref<4xf32>, %at: index, %out: memref<9xf32>) {
  %low = arith.constant 0 : index
  %low64 = arith.constant 0 : i64
  %zero = arith.constant 0.0 : f32
  %x = bufferization.to_tensor %in restrict : memref<4xf32> to tensor<4xf32>
  %empty = tensor.empty() : tensor<4xf32>
  %part = linalg.exp ins(%x : tensor<4xf32>) outs(%empty : tensor<4xf32>) -> tensor<4xf32>
  %isInside = arith.cmpi sge, %at, %low : index
  nnrt.check %isInside, %low64, %low64 reason 8
  %whole = tensor.empty() : tensor<9xf32>
  %filled = linalg.fill ins(%zero : f32) outs(%whole : tensor<9xf32>) -> tensor<9xf32>
  %0 = tensor.insert_slice %part into %filled[%at] [4] [1] : tensor<4xf32> into tensor<9xf32>
  bufferization.materialize_in_destination %0 in restrict writable %out : (tensor<9xf32>, memref<9xf32>) -> ()
  return
}

// What is reshaped on its way to an output is computed elsewhere and copied.
// (nnhal-fold-output-copies)
// CHECK-LABEL: func.func @through_reshape
// CHECK:       %[[BUFFER:.+]] = memref.alloc()
// CHECK:       linalg.exp {{.*}} outs(%[[BUFFER]]
// CHECK:       memref.copy
func.func @through_reshape(%in: memref<16xf32>, %out: memref<4x4xf32>) {
  %x = bufferization.to_tensor %in restrict : memref<16xf32> to tensor<16xf32>
  %empty = tensor.empty() : tensor<16xf32>
  %flat = linalg.exp ins(%x : tensor<16xf32>) outs(%empty : tensor<16xf32>) -> tensor<16xf32>
  %square = tensor.expand_shape %flat [[0, 1]] output_shape [4, 4] : tensor<16xf32> into tensor<4x4xf32>
  bufferization.materialize_in_destination %square in restrict writable %out : (tensor<4x4xf32>, memref<4x4xf32>) -> ()
  return
}
