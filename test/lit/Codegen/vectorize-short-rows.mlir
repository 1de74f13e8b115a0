// Rows that are shorter than a vector are joined as many at once as it has lanes.
// RUN: nnhal-opt %s --pass-pipeline='builtin.module(func.func(nnhal-vectorize-loops))' | FileCheck %s

#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
#column = affine_map<(d0, d1) -> (d1)>
#number = affine_map<(d0, d1) -> ()>

// Eight rows of four products are four vectors. The products are computed before
// even and odd ones are parted, twice; then the columns are added in their order.
// Two rows remain.
// CHECK-LABEL: func.func @products
// CHECK-COUNT-3: memref.collapse_shape
// CHECK:         scf.forall (%[[ROW:.+]]) = (0) to (8) step (8) {
// CHECK:           %[[BEGIN:.+]] = arith.muli %[[ROW]], %{{.+}} : index
// CHECK-COUNT-4:   arith.mulf {{.*}} : vector<8xf32>
// CHECK-COUNT-2:   vector.shuffle {{.*}} [0, 2, 4, 6, 8, 10, 12, 14] : vector<8xf32>, vector<8xf32>
// CHECK:           %[[C0:.+]] = vector.shuffle {{.*}} [0, 2, 4, 6, 8, 10, 12, 14]
// CHECK:           %[[C2:.+]] = vector.shuffle {{.*}} [1, 3, 5, 7, 9, 11, 13, 15]
// CHECK-COUNT-2:   vector.shuffle {{.*}} [1, 3, 5, 7, 9, 11, 13, 15] : vector<8xf32>, vector<8xf32>
// CHECK:           %[[C1:.+]] = vector.shuffle {{.*}} [0, 2, 4, 6, 8, 10, 12, 14]
// CHECK:           %[[C3:.+]] = vector.shuffle {{.*}} [1, 3, 5, 7, 9, 11, 13, 15]
// CHECK:           %[[FIRST:.+]] = vector.load %{{.+}}[%[[ROW]]] : memref<10xf32>, vector<8xf32>
// CHECK:           %[[S0:.+]] = arith.addf %[[FIRST]], %[[C0]]
// CHECK:           %[[S1:.+]] = arith.addf %[[S0]], %[[C1]]
// CHECK:           %[[S2:.+]] = arith.addf %[[S1]], %[[C2]]
// CHECK:           %[[S3:.+]] = arith.addf %[[S2]], %[[C3]]
// CHECK:           vector.store %[[S3]], %{{.+}}[%[[ROW]]]
// CHECK:         } {mapping = [#nnk.piece]}
// CHECK:         scf.forall ({{.*}}) = (8) to (10) step (2) {
// CHECK:           arith.addf {{.*}} : vector<2xf32>
// CHECK-NOT:     linalg
func.func @products(%a: memref<1x10x4xf32>, %b: memref<10x1x4xf32>, %c: memref<10xf32>) {
  linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d3)>, affine_map<(d0, d1, d2, d3) -> (d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d1)>],
                  iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<1x10x4xf32>, memref<10x1x4xf32>) outs(%c : memref<10xf32>) {
  ^bb0(%x: f32, %y: f32, %z: f32):
    %p = arith.mulf %x, %y : f32
    %r = arith.addf %z, %p : f32
    linalg.yield %r : f32
  }
  return
}

// A number that is no vector is one of all lanes; bytes become words before they
// are parted.
// CHECK-LABEL: func.func @bytes
// CHECK-COUNT-2: vector.load {{.*}} : memref<16xi8>, vector<8xi8>
// CHECK:         vector.shuffle {{.*}} : vector<8xi32>, vector<8xi32>
// CHECK:         arith.addi {{.*}} : vector<8xi32>
func.func @bytes(%a: memref<8x2xi8>, %n: i32, %c: memref<8xi32>) {
  linalg.generic {indexing_maps = [#id, #number, #row], iterator_types = ["parallel", "reduction"]}
      ins(%a, %n : memref<8x2xi8>, i32) outs(%c : memref<8xi32>) {
  ^bb0(%x: i8, %m: i32, %z: i32):
    %w = arith.extsi %x : i8 to i32
    %d = arith.subi %w, %m : i32
    %r = arith.addi %z, %d : i32
    linalg.yield %r : i32
  }
  return
}

// What all rows share, three columns and few rows stay scalar.
// CHECK-LABEL: func.func @shared
// CHECK-NOT:     vector
func.func @shared(%a: memref<8x4xf32>, %b: memref<4xf32>, %c: memref<8xf32>) {
  linalg.generic {indexing_maps = [#id, #column, #row], iterator_types = ["parallel", "reduction"]}
      ins(%a, %b : memref<8x4xf32>, memref<4xf32>) outs(%c : memref<8xf32>) {
  ^bb0(%x: f32, %y: f32, %z: f32):
    %p = arith.mulf %x, %y : f32
    %r = arith.addf %z, %p : f32
    linalg.yield %r : f32
  }
  return
}

// CHECK-LABEL: func.func @three
// CHECK-NOT:     vector
func.func @three(%a: memref<8x3xf32>, %c: memref<8xf32>) {
  linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%a : memref<8x3xf32>) outs(%c : memref<8xf32>) {
  ^bb0(%x: f32, %z: f32):
    %r = arith.addf %z, %x : f32
    linalg.yield %r : f32
  }
  return
}

// CHECK-LABEL: func.func @few
// CHECK-NOT:     vector
func.func @few(%a: memref<3x4xf32>, %c: memref<3xf32>) {
  linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%a : memref<3x4xf32>) outs(%c : memref<3xf32>) {
  ^bb0(%x: f32, %z: f32):
    %r = arith.addf %z, %x : f32
    linalg.yield %r : f32
  }
  return
}

// Places are no vectors.
// CHECK-LABEL: func.func @places
// CHECK-NOT:     vector
func.func @places(%a: memref<8x4xf32>, %c: memref<8xindex>) {
  linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%a : memref<8x4xf32>) outs(%c : memref<8xindex>) {
  ^bb0(%x: f32, %z: index):
    %i = linalg.index 1 : index
    %r = arith.addi %z, %i : index
    linalg.yield %r : index
  }
  return
}
