// RUN: nnhal-opt %s --split-input-file --nnhal-plan-memory | FileCheck %s

// The first and the last buffer never live at once and share bytes; the middle
// one overlaps both.

// CHECK-LABEL: func.func @buffers_share_bytes
// CHECK-SAME:    %[[ARENA:[a-z0-9]+]]: memref<128xi8>
// CHECK-SAME:    nnhal.arena_lower_bound = 128
// CHECK-DAG:   %[[C0:.+]] = arith.constant 0 : index
// CHECK-DAG:   %[[C64:.+]] = arith.constant 64 : index
// CHECK:       memref.view %[[ARENA]][%{{.*}}][] : memref<128xi8> to memref<16xf32>
// CHECK-NOT:   memref.alloc
func.func @buffers_share_bytes(%in: memref<16xf32>, %out: memref<16xf32>)
    attributes {nnhal.entry} {
  %a = memref.alloc() : memref<16xf32>
  %b = memref.alloc() : memref<16xf32>
  %c = memref.alloc() : memref<16xf32>
  memref.copy %in, %a : memref<16xf32> to memref<16xf32>
  memref.copy %a, %b : memref<16xf32> to memref<16xf32>
  memref.copy %b, %c : memref<16xf32> to memref<16xf32>
  memref.copy %c, %out : memref<16xf32> to memref<16xf32>
  return
}

// The small buffers, placed last, would find a gap of 64 bytes below the second
// large one, and the arena would have 512 bytes.

// -----

// CHECK-LABEL: func.func @other_orders_close_gaps
// CHECK-SAME:    memref<448xi8>
// CHECK-SAME:    nnhal.arena_lower_bound = 448
func.func @other_orders_close_gaps(
    %in: memref<48xf32>, %smallIn: memref<32xf32>, %out: memref<48xf32>,
    %smallOut: memref<32xf32>) attributes {nnhal.entry} {
  %a = memref.alloc() : memref<48xf32>
  %b = memref.alloc() : memref<48xf32>
  %c = memref.alloc() : memref<32xf32>
  %d = memref.alloc() : memref<32xf32>
  memref.copy %in, %a : memref<48xf32> to memref<48xf32>
  memref.copy %a, %b : memref<48xf32> to memref<48xf32>
  memref.copy %smallIn, %c : memref<32xf32> to memref<32xf32>
  memref.copy %c, %d : memref<32xf32> to memref<32xf32>
  memref.copy %d, %smallOut : memref<32xf32> to memref<32xf32>
  memref.copy %b, %out : memref<48xf32> to memref<48xf32>
  return
}

// A view of a buffer keeps the buffer alive.

// -----

// CHECK-LABEL: func.func @views_extend_lifetimes
// CHECK-SAME:    memref<128xi8>
func.func @views_extend_lifetimes(%in: memref<16xf32>, %out: memref<16xf32>)
    attributes {nnhal.entry} {
  %a = memref.alloc() : memref<4x4xf32>
  %v = memref.collapse_shape %a [[0, 1]] : memref<4x4xf32> into memref<16xf32>
  memref.copy %in, %v : memref<16xf32> to memref<16xf32>
  %b = memref.alloc() : memref<16xf32>
  memref.copy %in, %b : memref<16xf32> to memref<16xf32>
  memref.copy %b, %out : memref<16xf32> to memref<16xf32>
  memref.copy %v, %out : memref<16xf32> to memref<16xf32>
  return
}

// -----

// CHECK-LABEL: func.func @other_functions_stay
// CHECK:         memref.alloc
func.func @other_functions_stay() {
  %a = memref.alloc() : memref<4xf32>
  return
}

// Rounds that share a buffer of the arena cannot run at the same time.

// -----

// CHECK-LABEL: func.func @nested_buffers_make_loops_sequential
// CHECK:         scf.for
// CHECK-NOT:     scf.forall
func.func @nested_buffers_make_loops_sequential(%in: memref<16xf32>, %out: memref<16xf32>)
    attributes {nnhal.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  scf.forall (%i) = (%c0) to (%c4) step (%c1) {
    %a = memref.alloc() : memref<16xf32>
    memref.copy %in, %a : memref<16xf32> to memref<16xf32>
    memref.copy %a, %out : memref<16xf32> to memref<16xf32>
  } {mapping = [#nnk.piece]}
  return
}
