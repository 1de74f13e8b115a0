// RUN: nnhal-opt %s --split-input-file --nnhal-outline-kernels | FileCheck %s
// RUN: nnhal-opt %s --split-input-file --nnhal-set-target=parameters=split-work=1,split-piece=1 --nnhal-outline-kernels | FileCheck %s --check-prefix=EAGER

// 64 rows of some 3 us each: a range of rows, of which one is enough.
// CHECK-LABEL: func.func @long
// CHECK-SAME:  %[[A:.+]]: memref<64x4096xf32>, %[[B:.+]]: memref
// CHECK:       %[[BEGIN:c0(_.+)?]] = arith.constant 0 : index
// CHECK:       %[[END:c64(_.+)?]] = arith.constant 64 : index
// CHECK:       call @kernel_0(%[[BEGIN]], %[[END]], %[[A]], %[[B]]) {nnhal.grain = 1 : i64}
// CHECK:       func.func private @kernel_0(%[[FIRST:.+]]: index, %[[LAST:.+]]: index, %{{.+}}: memref<64x4096xf32>
// CHECK:       scf.for %{{.+}} = %[[FIRST]] to %[[LAST]] step
// CHECK:         scf.for
// CHECK-NOT:   scf.forall
func.func @long(%a: memref<64x4096xf32>, %b: memref<64x4096xf32>) attributes {nnhal.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c64 = arith.constant 64 : index
  %c4096 = arith.constant 4096 : index
  scf.forall (%i) = (%c0) to (%c64) step (%c1) {
    scf.for %j = %c0 to %c4096 step %c8 {
      %v = vector.load %a[%i, %j] : memref<64x4096xf32>, vector<8xf32>
      %q = arith.divf %v, %v : vector<8xf32>
      vector.store %q, %b[%i, %j] : memref<64x4096xf32>, vector<8xf32>
    }
  } {mapping = [#nnk.piece]}
  return
}

// -----

// A nest of a few microseconds stays whole.
// CHECK-LABEL: func.func @short
// CHECK:       call @kernel_0(%{{[^,]+}}, %{{[^,]+}}) : (memref<64x64xf32>, memref<64x64xf32>) -> ()
// CHECK:       func.func private @kernel_0(%{{.+}}: memref<64x64xf32>, %{{.+}}: memref<64x64xf32>)
// CHECK-NOT:   scf.forall
// EAGER-LABEL: func.func @short
// EAGER:       call @kernel_0(%{{.+}}) {nnhal.grain = 1 : i64}
func.func @short(%a: memref<64x64xf32>, %b: memref<64x64xf32>) attributes {nnhal.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c64 = arith.constant 64 : index
  scf.forall (%i) = (%c0) to (%c64) step (%c1) {
    scf.for %j = %c0 to %c64 step %c8 {
      %v = vector.load %a[%i, %j] : memref<64x64xf32>, vector<8xf32>
      vector.store %v, %b[%i, %j] : memref<64x64xf32>, vector<8xf32>
    }
  } {mapping = [#nnk.piece]}
  return
}

// -----

// Nobody said that its rounds are independent.
// EAGER-LABEL: func.func @sequential
// EAGER-NOT:   nnhal.grain
func.func @sequential(%a: memref<64xf32>) attributes {nnhal.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c63 = arith.constant 63 : index
  scf.for %i = %c0 to %c63 step %c1 {
    %next = arith.addi %i, %c1 : index
    %v = memref.load %a[%i] : memref<64xf32>
    memref.store %v, %a[%next] : memref<64xf32>
  }
  return
}

// -----

// Two rounds outside: the rows inside are shared, those of either loop in
// proportion.
// EAGER-LABEL: func.func @inner
// EAGER:       arith.constant 40 : index
// EAGER:       call @kernel_0
// EAGER:       func.func private @kernel_0(%[[FIRST:.+]]: index, %[[LAST:.+]]: index
// EAGER:       scf.for
// EAGER:         scf.for
// EAGER:         scf.for
func.func @inner(%a: memref<2x60xf32>) attributes {nnhal.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c40 = arith.constant 40 : index
  %c60 = arith.constant 60 : index
  %one = arith.constant 1.0 : f32
  scf.forall (%i) = (%c0) to (%c2) step (%c1) {
    scf.forall (%j) = (%c0) to (%c40) step (%c1) {
      memref.store %one, %a[%i, %j] : memref<2x60xf32>
    } {mapping = [#nnk.piece]}
    scf.forall (%j) = (%c40) to (%c60) step (%c2) {
      memref.store %one, %a[%i, %j] : memref<2x60xf32>
    } {mapping = [#nnk.piece]}
  } {mapping = [#nnk.piece]}
  return
}

// -----

// What stands beside the inner loop would be done by every piece.
// EAGER-LABEL: func.func @beside
// EAGER:       call @kernel_0(%{{[^,]+}}, %[[TWO:[^,]+]], %{{[^,]+}}) {nnhal.grain = 1 : i64}
func.func @beside(%a: memref<2x60xf32>) attributes {nnhal.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c60 = arith.constant 60 : index
  %one = arith.constant 1.0 : f32
  scf.forall (%i) = (%c0) to (%c2) step (%c1) {
    memref.store %one, %a[%i, %c0] : memref<2x60xf32>
    scf.forall (%j) = (%c1) to (%c60) step (%c1) {
      memref.store %one, %a[%i, %j] : memref<2x60xf32>
    } {mapping = [#nnk.piece]}
  } {mapping = [#nnk.piece]}
  return
}

// -----

// Pieces could not be told the extent.
// EAGER-LABEL: func.func @dynamic
// EAGER-NOT:   nnhal.grain
func.func @dynamic(%a: memref<?xf32>) attributes {nnhal.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c60 = arith.constant 60 : index
  %one = arith.constant 1.0 : f32
  scf.forall (%i) = (%c0) to (%c60) step (%c1) {
    memref.store %one, %a[%i] : memref<?xf32>
  } {mapping = [#nnk.piece]}
  return
}

// -----

// Rounds that are independent in one run of a loop need not be so in all runs:
// without the mapping nothing is split. What counts in several dimensions
// becomes as many loops.
// EAGER-LABEL: func.func @unmapped
// EAGER-NOT:   nnhal.grain
// EAGER:       func.func private @kernel_0
// EAGER:       scf.for
// EAGER-NEXT:  scf.for
// EAGER-NOT:   scf.forall
func.func @unmapped(%a: memref<60x60xf32>) attributes {nnhal.entry} {
  %one = arith.constant 1.0 : f32
  scf.forall (%i, %j) in (60, 60) {
    memref.store %one, %a[%i, %j] : memref<60x60xf32>
  }
  return
}

// -----

// Loops around those that are shared may be in order: each piece runs them all.
// Bounds may be attributes, as upstream's canonical form has them.
// EAGER-LABEL: func.func @in_order
// EAGER:       call @kernel_0(%{{.+}}) {nnhal.grain = 1 : i64}
// EAGER:       func.func private @kernel_0(%[[FIRST:.+]]: index, %[[LAST:.+]]: index, %{{.+}}: memref<60xf32>)
// EAGER:       scf.for
// EAGER:         scf.for %{{.+}} = %[[FIRST]] to %[[LAST]]
func.func @in_order(%a: memref<60xf32>) attributes {nnhal.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  scf.for %i = %c0 to %c3 step %c1 {
    scf.forall (%j) in (60) {
      %v = memref.load %a[%j] : memref<60xf32>
      %w = arith.addf %v, %v : f32
      memref.store %w, %a[%j] : memref<60xf32>
    } {mapping = [#nnk.piece]}
  }
  return
}

// -----

// Threads share a part of each round, so that the loop stays in the entry
// function, around a kernel for each part.
// EAGER-LABEL: func.func @in_rounds
// EAGER:       scf.for
// EAGER:         call @kernel_0(%{{.+}}) : (index, memref<1xf32>) -> ()
// EAGER:         call @kernel_1(%{{.+}}) {nnhal.grain = 2 : i64}
// EAGER:       func.func private @kernel_1(%[[FIRST:.+]]: index, %[[LAST:.+]]: index, %{{.+}}: memref<1xf32>, %{{.+}}: memref<60xf32>)
// EAGER:       scf.for %{{.+}} = %[[FIRST]] to %[[LAST]]
func.func @in_rounds(%a: memref<60xf32>, %b: memref<1xf32>) attributes {nnhal.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  scf.for %i = %c0 to %c3 step %c1 {
    scf.for %j = %c0 to %c1 step %c1 {
      %n = arith.index_cast %i : index to i32
      %f = arith.sitofp %n : i32 to f32
      memref.store %f, %b[%j] : memref<1xf32>
    }
    scf.forall (%j) in (60) {
      %v = memref.load %b[%c0] : memref<1xf32>
      memref.store %v, %a[%j] : memref<60xf32>
    } {mapping = [#nnk.piece]}
  }
  return
}
