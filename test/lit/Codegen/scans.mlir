// Scans, whose outputs move along a loop that is a reduction: lanes of parallel
// dimensions at most, each round after the other.
// RUN: nnhal-opt %s --pass-pipeline='builtin.module(func.func(nnhal-vectorize-loops))' | FileCheck %s

#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
#column = affine_map<(d0, d1) -> (d1)>
#line = affine_map<(d0) -> (d0)>
#one = affine_map<(d0) -> ()>
#swapped = affine_map<(d0, d1) -> (d1, d0)>

// Each round stores its sums, so that rounds are not joined.
// CHECK-LABEL: func.func @down
// CHECK-SAME:    (%[[X:.+]]: memref<64x8xf32>, %[[SUM:.+]]: memref<8xf32>, %[[SUMS:.+]]: memref<64x8xf32>)
// CHECK:         %[[STEP:.+]] = arith.constant 1 : index
// CHECK-NEXT:    scf.for %[[I:.+]] = %{{.+}} to %{{.+}} step %[[STEP]] {
// CHECK:           %[[NEW:.+]] = vector.load %[[X]][%[[I]], %[[J:.+]]] : memref<64x8xf32>, vector<8xf32>
// CHECK:           %[[OLD:.+]] = vector.load %[[SUM]][%[[J]]] : memref<8xf32>, vector<8xf32>
// CHECK:           %[[BOTH:.+]] = arith.addf %[[OLD]], %[[NEW]] : vector<8xf32>
// CHECK-NEXT:      vector.store %[[BOTH]], %[[SUM]][%[[J]]]
// CHECK-NEXT:      vector.store %[[BOTH]], %[[SUMS]][%[[I]], %[[J]]]
// CHECK-NEXT:    }
// CHECK-NEXT:    return
func.func @down(%x: memref<64x8xf32>, %sum: memref<8xf32>, %sums: memref<64x8xf32>) {
  linalg.generic {indexing_maps = [#id, #column, #id], iterator_types = ["reduction", "parallel"]}
      ins(%x : memref<64x8xf32>) outs(%sum, %sums : memref<8xf32>, memref<64x8xf32>) {
  ^bb0(%in: f32, %before: f32, %out: f32):
    %now = arith.addf %before, %in : f32
    linalg.yield %now, %now : f32, f32
  }
  return
}

// The only output is the one that moves.
// CHECK-LABEL: func.func @rows_of_their_own
// CHECK-NOT:     vector.store {{.*}}vector.store
// CHECK:         scf.for %[[I:.+]] = %{{.+}} to %{{.+}} step
// CHECK:           %[[V:.+]] = arith.addf {{.*}} : vector<8xf32>
// CHECK-NEXT:      vector.store %[[V]], %{{.+}}[%[[I]], %{{.+}}]
// CHECK-NEXT:    }
// CHECK-NEXT:    return
func.func @rows_of_their_own(%x: memref<64x8xf32>, %sums: memref<64x8xf32>) {
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["reduction", "parallel"]}
      ins(%x : memref<64x8xf32>) outs(%sums : memref<64x8xf32>) {
  ^bb0(%in: f32, %out: f32):
    %now = arith.addf %out, %in : f32
    linalg.yield %now : f32
  }
  return
}

// Along the scan there are no lanes, and nothing is carried past a store.
// CHECK-LABEL: func.func @along
// CHECK-SAME:    (%{{.+}}: memref<3x64xf32>, %[[SUM:.+]]: memref<3xf32>, %[[SUMS:.+]]: memref<3x64xf32>)
// CHECK-NOT:     vector
// CHECK:         scf.forall (%[[I:.+]]) in (3)
// CHECK:           scf.for %[[J:.+]] = {{[^(]*}} {
// CHECK:             memref.load %[[SUM]][%[[I]]]
// CHECK:             %[[NOW:.+]] = arith.addf
// CHECK:             memref.store %[[NOW]], %[[SUM]][%[[I]]]
// CHECK:             memref.store %[[NOW]], %[[SUMS]][%[[I]], %[[J]]]
func.func @along(%x: memref<3x64xf32>, %sum: memref<3xf32>, %sums: memref<3x64xf32>) {
  linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "reduction"]}
      ins(%x : memref<3x64xf32>) outs(%sum, %sums : memref<3xf32>, memref<3x64xf32>) {
  ^bb0(%in: f32, %before: f32, %out: f32):
    %now = arith.addf %before, %in : f32
    linalg.yield %now, %now : f32, f32
  }
  return
}

// A body that loads what rounds before have stored, or an input that shows it,
// sees each of them: no lanes, no pieces, no registers.
// CHECK-LABEL: func.func @looks_back
// CHECK-SAME:    %[[SUMS:[^:]+]]: memref<64xf32>)
// CHECK-NOT:     vector
// CHECK-NOT:     scf.forall
// CHECK:         scf.for %[[I:.+]] = {{[^(]*}} {
// CHECK:           memref.load %[[SUMS]][%c0]
// CHECK:           %[[NOW:.+]] = arith.addf
// CHECK:           memref.store %[[NOW]], %[[SUMS]][%[[I]]]
func.func @looks_back(%x: memref<64xf32>, %sums: memref<64xf32>) {
  %zero = arith.constant 0 : index
  linalg.generic {indexing_maps = [#line, #line], iterator_types = ["parallel"]}
      ins(%x : memref<64xf32>) outs(%sums : memref<64xf32>) {
  ^bb0(%in: f32, %out: f32):
    %first = memref.load %sums[%zero] : memref<64xf32>
    %now = arith.addf %in, %first : f32
    linalg.yield %now : f32
  }
  return
}

// CHECK-LABEL: func.func @accumulates_what_it_reads
// CHECK-NOT:     vector
// CHECK:         scf.for %{{.+}} = {{[^(]*}} {
// CHECK:           memref.load %[[SUM:.+]][]
// CHECK:           memref.store %{{.+}}, %[[SUM]][]
func.func @accumulates_what_it_reads(%x: memref<64xf32>, %sum: memref<f32>) {
  linalg.generic {indexing_maps = [#line, #one], iterator_types = ["reduction"]}
      ins(%x : memref<64xf32>) outs(%sum : memref<f32>) {
  ^bb0(%in: f32, %out: f32):
    %again = memref.load %sum[] : memref<f32>
    %product = arith.mulf %in, %again : f32
    %now = arith.addf %out, %product : f32
    linalg.yield %now : f32
  }
  return
}

// CHECK-LABEL: func.func @shows_an_output_as_input
// CHECK-NOT:     vector
// CHECK-NOT:     scf.forall
// CHECK:         scf.for %[[I:.+]] = {{[^(]*}} {
// CHECK:           scf.for %[[J:.+]] = {{[^(]*}} {
// CHECK:             memref.load %[[SUMS:.+]][%[[J]], %[[I]]]
// CHECK:             memref.store %{{.+}}, %[[SUMS]][%[[I]], %[[J]]]
func.func @shows_an_output_as_input(%x: memref<8x8xf32>, %sums: memref<8x8xf32>) {
  linalg.generic {indexing_maps = [#id, #swapped, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %sums : memref<8x8xf32>, memref<8x8xf32>) outs(%sums : memref<8x8xf32>) {
  ^bb0(%in: f32, %other: f32, %out: f32):
    %now = arith.addf %in, %other : f32
    linalg.yield %now : f32
  }
  return
}
