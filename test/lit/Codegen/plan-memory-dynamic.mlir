// RUN: nnhal-opt %s --nnhal-plan-memory --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @unknown_size
// CHECK-SAME: %[[N:[^:]+]]: index
// CHECK: nnrt.allocate(%[[N]]) : memref<?xf32>
func.func @unknown_size(%n: index, %out: memref<f32>) attributes {nnhal.entry} {
  %c0 = arith.constant 0 : index
  %a = memref.alloc(%n) : memref<?xf32>
  %x = memref.load %a[%c0] : memref<?xf32>
  memref.store %x, %out[] : memref<f32>
  return
}

// -----

// A buffer of one round of a loop has a place for all rounds, one that the next
// round reads has not.
// CHECK-LABEL: func.func @rounds
// CHECK: scf.for
// CHECK: memref.view
// CHECK: nnrt.allocate() : memref<4xf32>
func.func @rounds(%n: index, %first: memref<4xf32>) attributes {nnhal.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %last = scf.for %i = %c0 to %n step %c1 iter_args(%state = %first) -> memref<4xf32> {
    %own = memref.alloc() : memref<4xf32>
    memref.copy %state, %own : memref<4xf32> to memref<4xf32>
    %next = memref.alloc() : memref<4xf32>
    memref.copy %own, %next : memref<4xf32> to memref<4xf32>
    scf.yield %next : memref<4xf32>
  }
  memref.copy %last, %first : memref<4xf32> to memref<4xf32>
  return
}
