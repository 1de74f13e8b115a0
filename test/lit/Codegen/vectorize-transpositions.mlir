// RUN: nnhal-opt %s --pass-pipeline='builtin.module(func.func(nnhal-vectorize-loops))' | FileCheck %s
// RUN: nnhal-opt %s --nnhal-set-target=parameters=transposed-bits=64 | nnhal-opt --pass-pipeline='builtin.module(func.func(nnhal-vectorize-loops))' | FileCheck %s --check-prefix=HALF

// A line of the output is four tiles, which are written one after the other;
// then the tiles beside the lines, and what is in no tile.
// CHECK-LABEL: func.func @images
// CHECK:         scf.forall (%[[N:.+]]) in (2) {
// CHECK:           scf.forall (%[[ROWS:.+]]) = (0) to (8) step (4) {
// CHECK:             scf.forall (%[[TILE:.+]]) = (0) to (16) step (4) {
// CHECK:               %[[COLUMN:.+]] = arith.addi %{{.+}}, %[[TILE]]
// CHECK:               %[[A:.+]] = vector.load %arg0[%[[N]], %[[COLUMN]], %[[ROWS]]] : memref<2x22x9xf32>, vector<4xf32>
// CHECK:               %[[B:.+]] = vector.load
// CHECK:               %[[C:.+]] = vector.load
// CHECK:               %[[D:.+]] = vector.load
// CHECK-NOT:           vector.load
// CHECK:               %[[AC:.+]] = vector.shuffle %[[A]], %[[C]] [0, 4, 1, 5] : vector<4xf32>, vector<4xf32>
// CHECK:               %[[CA:.+]] = vector.shuffle %[[A]], %[[C]] [2, 6, 3, 7]
// CHECK:               %[[BD:.+]] = vector.shuffle %[[B]], %[[D]] [0, 4, 1, 5]
// CHECK:               %[[DB:.+]] = vector.shuffle %[[B]], %[[D]] [2, 6, 3, 7]
// CHECK:               %[[FIRST:.+]] = vector.shuffle %[[AC]], %[[BD]] [0, 4, 1, 5]
// CHECK:               vector.shuffle %[[AC]], %[[BD]] [2, 6, 3, 7]
// CHECK:               vector.shuffle %[[CA]], %[[DB]] [0, 4, 1, 5]
// CHECK:               vector.shuffle %[[CA]], %[[DB]] [2, 6, 3, 7]
// CHECK:               vector.store %[[FIRST]], %arg1[%[[N]], %[[ROWS]], %[[COLUMN]]] : memref<2x9x22xf32>, vector<4xf32>
// CHECK-COUNT-3:       vector.store
// CHECK:             } {mapping = [#nnk.piece]}
// CHECK:           scf.forall (%{{.+}}) = (0) to (8) step (4) {
// CHECK:             vector.load
// CHECK:           scf.forall (%{{.+}}) in (20) {
// CHECK:             memref.load
// CHECK:             memref.store
// CHECK:           scf.forall (%{{.+}}) in (9) {
// CHECK:             scf.forall (%{{.+}}) = (20) to (22) step (1) {
// CHECK:               memref.load
// CHECK:               memref.store
// CHECK:         } {mapping = [#nnk.piece]}

// HALF-LABEL: func.func @images
// HALF-NOT:     vector
func.func @images(%a: memref<2x22x9xf32>, %b: memref<2x9x22xf32>) {
  linalg.transpose ins(%a : memref<2x22x9xf32>) outs(%b : memref<2x9x22xf32>) permutation = [0, 2, 1]
  return
}

// Bytes have tiles of 16 rows, unless shorter ones leave less.
// CHECK-LABEL: func.func @bytes
// CHECK:         vector<16xi8>
// CHECK-NOT:     memref.load
// CHECK:         return
// CHECK-LABEL: func.func @short_bytes
// CHECK:         vector<8xi8>
// CHECK-NOT:     memref.load
// CHECK:         return

// HALF-LABEL: func.func @bytes
// HALF:         vector<8xi8>
func.func @bytes(%a: memref<64x32xi8>, %b: memref<32x64xi8>) {
  linalg.transpose ins(%a : memref<64x32xi8>) outs(%b : memref<32x64xi8>) permutation = [1, 0]
  return
}
func.func @short_bytes(%a: memref<64x24xi8>, %b: memref<24x64xi8>) {
  linalg.transpose ins(%a : memref<64x24xi8>) outs(%b : memref<24x64xi8>) permutation = [1, 0]
  return
}

// Pictures have too few channels; rows of a view that does not reach all
// elements are not contiguous.
// CHECK-LABEL: func.func @scalar
// CHECK-NOT:     vector
// CHECK:         return
func.func @scalar(%a: memref<64x3xi8>, %b: memref<3x64xi8>, %c: memref<8x8xf32, strided<[16, 2]>>, %d: memref<8x8xf32>) {
  linalg.transpose ins(%a : memref<64x3xi8>) outs(%b : memref<3x64xi8>) permutation = [1, 0]
  linalg.transpose ins(%c : memref<8x8xf32, strided<[16, 2]>>) outs(%d : memref<8x8xf32>) permutation = [1, 0]
  return
}
