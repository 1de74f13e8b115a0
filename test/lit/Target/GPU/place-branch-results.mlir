// RUN: nnhal-opt %s --split-input-file --nnhal-gpu-place-branch-results | FileCheck %s

// CHECK-LABEL: func.func @branch
// CHECK-SAME:    (%[[C:.+]]: i1, %[[X:.+]]: tensor<4xf32>, %[[Y:.+]]: tensor<2x2xi8>)
// CHECK:         %[[FIRST:.+]] = memref.alloc() : memref<4xf32>
// CHECK:         %[[THIRD:.+]] = memref.alloc() : memref<2x2xi8>
// CHECK:         %[[SCALAR:.+]] = scf.if %[[C]] -> (f32) {
// CHECK:           %[[SUM:.+]] = arith.addf %[[X]], %[[X]]
// CHECK:           bufferization.materialize_in_destination %[[SUM]] in restrict writable %[[FIRST]]
// CHECK:           bufferization.materialize_in_destination %[[Y]] in restrict writable %[[THIRD]]
// CHECK:           scf.yield %{{.+}} : f32
// CHECK:         } else {
// CHECK:           bufferization.materialize_in_destination %[[X]] in restrict writable %[[FIRST]]
// CHECK:           bufferization.materialize_in_destination %[[Y]] in restrict writable %[[THIRD]]
// CHECK:         }
// CHECK-DAG:     %[[READ:.+]] = bufferization.to_tensor %[[FIRST]] restrict
// CHECK-DAG:     %[[READ_THIRD:.+]] = bufferization.to_tensor %[[THIRD]] restrict
// CHECK:         return %[[READ]], %[[SCALAR]], %[[READ_THIRD]]
func.func @branch(%c: i1, %x: tensor<4xf32>, %y: tensor<2x2xi8>)
    -> (tensor<4xf32>, f32, tensor<2x2xi8>) {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %0:3 = scf.if %c -> (tensor<4xf32>, f32, tensor<2x2xi8>) {
    %sum = arith.addf %x, %x : tensor<4xf32>
    scf.yield %sum, %one, %y : tensor<4xf32>, f32, tensor<2x2xi8>
  } else {
    scf.yield %x, %zero, %y : tensor<4xf32>, f32, tensor<2x2xi8>
  }
  return %0#0, %0#1, %0#2 : tensor<4xf32>, f32, tensor<2x2xi8>
}

// -----

// A choice between tensors copies one of them; one between elements does not.

// CHECK-LABEL: func.func @select
// CHECK-SAME:    (%[[C:.+]]: i1, %[[D:.+]]: tensor<4xi1>, %[[X:.+]]: tensor<4xf32>, %[[Y:.+]]: tensor<4xf32>)
// CHECK:         %[[BUFFER:.+]] = memref.alloc() : memref<4xf32>
// CHECK:         scf.if %[[C]] {
// CHECK:           bufferization.materialize_in_destination %[[X]] in restrict writable %[[BUFFER]]
// CHECK:         } else {
// CHECK:           bufferization.materialize_in_destination %[[Y]] in restrict writable %[[BUFFER]]
// CHECK:         }
// CHECK:         %[[READ:.+]] = bufferization.to_tensor %[[BUFFER]] restrict
// CHECK:         arith.select %[[D]], %[[READ]], %[[Y]] : tensor<4xi1>, tensor<4xf32>
func.func @select(%c: i1, %d: tensor<4xi1>, %x: tensor<4xf32>,
                  %y: tensor<4xf32>) -> tensor<4xf32> {
  %0 = arith.select %c, %x, %y : tensor<4xf32>
  %1 = arith.select %d, %0, %y : tensor<4xi1>, tensor<4xf32>
  return %1 : tensor<4xf32>
}

// -----

// An inner branch writes to a buffer of its own.

// CHECK-LABEL: func.func @nested
// CHECK:         %[[OUTER:.+]] = memref.alloc() : memref<4xf32>
// CHECK:         scf.if
// CHECK:           %[[INNER:.+]] = memref.alloc() : memref<4xf32>
// CHECK:           scf.if
// CHECK:           %[[READ:.+]] = bufferization.to_tensor %[[INNER]] restrict
// CHECK:           bufferization.materialize_in_destination %[[READ]] in restrict writable %[[OUTER]]
// CHECK:         } else {
func.func @nested(%c: i1, %d: i1, %x: tensor<4xf32>, %y: tensor<4xf32>)
    -> tensor<4xf32> {
  %0 = scf.if %c -> tensor<4xf32> {
    %1 = scf.if %d -> tensor<4xf32> {
      scf.yield %x : tensor<4xf32>
    } else {
      scf.yield %y : tensor<4xf32>
    }
    scf.yield %1 : tensor<4xf32>
  } else {
    scf.yield %y : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}
