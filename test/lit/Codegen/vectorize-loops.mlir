// RUN: nnhal-opt %s --pass-pipeline='builtin.module(func.func(nnhal-vectorize-loops))' | FileCheck %s

#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d1)>
#column = affine_map<(d0, d1) -> (d0)>
#swap = affine_map<(d0, d1) -> (d1, d0)>

// 3x7 elements are one row of 21: two full vectors, then 4 and 1.
// CHECK-LABEL: func.func @contiguous_is_one_row
// CHECK:         memref.collapse_shape
// CHECK:         scf.forall
// CHECK:           vector.load {{.*}} vector<8xf32>
// CHECK:           arith.addf {{.*}} : vector<8xf32>
// CHECK:         } {mapping = [#nnk.piece]}
// CHECK:         arith.addf {{.*}} : vector<4xf32>
// CHECK:         arith.addf {{.*}} : vector<1xf32>
// CHECK-NOT:     linalg
func.func @contiguous_is_one_row(%a: memref<3x7xf32>, %b: memref<3x7xf32>) {
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%a : memref<3x7xf32>) outs(%b : memref<3x7xf32>) {
  ^bb0(%x: f32, %y: f32):
    %r = arith.addf %x, %x : f32
    linalg.yield %r : f32
  }
  return
}

// Dimensions of one element, which operands have or not, are of that row too.
// CHECK-LABEL: func.func @single_elements
// CHECK-COUNT-3: memref.collapse_shape {{.*}} into memref<64xf32>
// CHECK:         scf.forall
// CHECK:           arith.addf {{.*}} : vector<8xf32>
func.func @single_elements(%a: memref<1x64x1xf32>, %b: memref<64x1xf32>, %c: memref<1x64x1xf32>) {
  linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>],
                  iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%a, %b : memref<1x64x1xf32>, memref<64x1xf32>) outs(%c : memref<1x64x1xf32>) {
  ^bb0(%x: f32, %y: f32, %z: f32):
    %r = arith.addf %x, %y : f32
    linalg.yield %r : f32
  }
  return
}

// What repeats for other rows is not.
// CHECK-LABEL: func.func @repeated_rows
// CHECK-NOT:     memref.collapse_shape
// CHECK:         arith.addf {{.*}} : vector<8xf32>
func.func @repeated_rows(%a: memref<2x64xf32>, %b: memref<64xf32>, %c: memref<2x64xf32>) {
  linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%a, %b : memref<2x64xf32>, memref<64xf32>) outs(%c : memref<2x64xf32>) {
  ^bb0(%x: f32, %y: f32, %z: f32):
    %r = arith.addf %x, %y : f32
    linalg.yield %r : f32
  }
  return
}

// CHECK-LABEL: func.func @broadcasts_stay_scalar
// CHECK:         scf.forall
// CHECK:           %[[S:.+]] = memref.load {{.*}} : memref<3xf32>
// CHECK:           %[[V:.+]] = vector.load {{.*}} : memref<8xf32>, vector<8xf32>
// CHECK:           %[[W:.+]] = vector.broadcast %[[S]]
// CHECK:           arith.mulf %[[W]], %[[V]] : vector<8xf32>
func.func @broadcasts_stay_scalar(%a: memref<3xf32>, %b: memref<8xf32>, %c: memref<3x8xf32>) {
  linalg.generic {indexing_maps = [#column, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%a, %b : memref<3xf32>, memref<8xf32>) outs(%c : memref<3x8xf32>) {
  ^bb0(%x: f32, %y: f32, %z: f32):
    %r = arith.mulf %x, %y : f32
    linalg.yield %r : f32
  }
  return
}

// A sum over rows keeps whole vectors of columns; the rows are in order.
// CHECK-LABEL: func.func @outer_reduction
// CHECK:         scf.for %
// CHECK:           vector.load {{.*}} : memref<3x8xf32>, vector<8xf32>
// CHECK:           vector.load {{.*}} : memref<8xf32>, vector<8xf32>
// CHECK:           vector.store
func.func @outer_reduction(%a: memref<3x8xf32>, %c: memref<8xf32>) {
  linalg.generic {indexing_maps = [#id, #row], iterator_types = ["reduction", "parallel"]}
      ins(%a : memref<3x8xf32>) outs(%c : memref<8xf32>) {
  ^bb0(%x: f32, %y: f32):
    %r = arith.addf %x, %y : f32
    linalg.yield %r : f32
  }
  return
}

// Four rows at once, in order, then those that remain: the columns are loaded
// and stored once for all four.
// CHECK-LABEL: func.func @rows_at_once
// CHECK:         scf.for %[[ROW:.+]] = %c0{{.*}} to %c4{{.*}} step %c4
// CHECK:           %[[SECOND:.+]] = arith.addi %[[ROW]], %c1
// CHECK:           %[[THIRD:.+]] = arith.addi %[[ROW]], %c2
// CHECK:           %[[FOURTH:.+]] = arith.addi %[[ROW]], %c3
// CHECK:           %[[X:.+]] = vector.load %{{.+}}[%[[ROW]], %[[LANE:.+]]] : memref<6x8xf32>
// CHECK:           %[[Y:.+]] = vector.load %{{.+}} : memref<8xf32>
// CHECK:           %[[IS:.+]] = arith.cmpf ogt, %[[X]], %[[Y]]
// CHECK:           %[[MAX:.+]] = arith.select %[[IS]], %[[X]], %[[Y]]
// CHECK-NOT:       vector.store
// CHECK:           %[[X2:.+]] = vector.load %{{.+}}[%[[SECOND]], %[[LANE]]] : memref<6x8xf32>
// CHECK-NEXT:      arith.cmpf ogt, %[[X2]], %[[MAX]]
// CHECK-NOT:       memref<8xf32>
// CHECK:           vector.load %{{.+}}[%[[THIRD]], %[[LANE]]] : memref<6x8xf32>
// CHECK-NOT:       memref<8xf32>
// CHECK:           vector.load %{{.+}}[%[[FOURTH]], %[[LANE]]] : memref<6x8xf32>
// CHECK-NOT:       vector.load
// CHECK:           vector.store {{.*}} : memref<8xf32>
// CHECK:         scf.for %[[REST:.+]] = %c4{{.*}} to %c6{{.*}} step %c1
// CHECK:           vector.load %{{.+}}[%[[REST]], %{{.+}}] : memref<6x8xf32>
// CHECK:           vector.load {{.*}} : memref<8xf32>
// CHECK:           vector.store
func.func @rows_at_once(%a: memref<6x8xf32>, %c: memref<8xf32>) {
  linalg.generic {indexing_maps = [#id, #row], iterator_types = ["reduction", "parallel"]}
      ins(%a : memref<6x8xf32>) outs(%c : memref<8xf32>) {
  ^bb0(%x: f32, %y: f32):
    %is = arith.cmpf ogt, %x, %y : f32
    %r = arith.select %is, %x, %y : f32
    linalg.yield %r : f32
  }
  return
}

// Elements that all lanes share are read for each row in front of the loop over
// lanes.
// CHECK-LABEL: func.func @shared_of_rows
// CHECK:         scf.for
// CHECK-COUNT-4:   memref.load {{.*}} : memref<4xf32>
// CHECK:           scf.forall
// CHECK-COUNT-4:     arith.mulf {{.*}} : vector<8xf32>
// CHECK:             vector.store
func.func @shared_of_rows(%a: memref<4x16xf32>, %b: memref<4xf32>, %c: memref<16xf32>) {
  linalg.generic {indexing_maps = [#id, #column, #row], iterator_types = ["reduction", "parallel"]}
      ins(%a, %b : memref<4x16xf32>, memref<4xf32>) outs(%c : memref<16xf32>) {
  ^bb0(%x: f32, %w: f32, %y: f32):
    %p = arith.mulf %x, %w : f32
    %r = arith.addf %y, %p : f32
    linalg.yield %r : f32
  }
  return
}

// No input is contiguous along the rows of the output.
// CHECK-LABEL: func.func @transposed_sum_is_scalar
// CHECK-NOT:     vector
// CHECK:         scf.forall
// CHECK:           scf.forall
// CHECK:         memref.load
// CHECK:         memref.store
func.func @transposed_sum_is_scalar(%a: memref<8x8xf32>, %b: memref<8x8xf32>) {
  linalg.generic {indexing_maps = [#swap, #id], iterator_types = ["parallel", "parallel"]}
      ins(%a : memref<8x8xf32>) outs(%b : memref<8x8xf32>) {
  ^bb0(%x: f32, %y: f32):
    %r = arith.addf %x, %x : f32
    linalg.yield %r : f32
  }
  return
}

// The row comes from a table, the columns are consecutive.
// CHECK-LABEL: func.func @gather_of_rows
// CHECK:         %[[I:.+]] = memref.load {{.*}} : memref<3xi32>
// CHECK:         %[[R:.+]] = arith.index_cast %[[I]]
// CHECK:         vector.load %{{.*}}[%[[R]], %{{.*}}] : memref<5x8xf32>, vector<8xf32>
func.func @gather_of_rows(%t: memref<5x8xf32>, %i: memref<3xi32>, %c: memref<3x8xf32>) {
  linalg.generic {indexing_maps = [#column, #id], iterator_types = ["parallel", "parallel"]}
      ins(%i : memref<3xi32>) outs(%c : memref<3x8xf32>) {
  ^bb0(%x: i32, %z: f32):
    %row = arith.index_cast %x : i32 to index
    %lane = linalg.index 1 : index
    %v = memref.load %t[%row, %lane] : memref<5x8xf32>
    linalg.yield %v : f32
  }
  return
}

// Contiguous copies become memcpy later; strided ones would call the runtime.
// CHECK-LABEL: func.func @copies
// CHECK:         memref.copy
// CHECK:         vector.store
func.func @copies(%a: memref<4x8xf32>, %b: memref<4x8xf32>, %c: memref<4x8xf32, strided<[16, 1]>>) {
  memref.copy %a, %b : memref<4x8xf32> to memref<4x8xf32>
  memref.copy %a, %c : memref<4x8xf32> to memref<4x8xf32, strided<[16, 1]>>
  return
}
