// RUN: nnhal-opt %s --pass-pipeline='builtin.module(func.func(nnhal-fuse-elementwise{keep-lookups=true}))' | FileCheck %s --check-prefixes=CHECK,APART
// RUN: nnhal-opt %s --pass-pipeline='builtin.module(func.func(nnhal-fuse-elementwise))' | FileCheck %s --check-prefixes=CHECK,FUSED

#id = affine_map<(d0) -> (d0)>

// Operations around a lookup keep vectors of their own.
// CHECK-LABEL: func.func @lookup
// CHECK: linalg.generic
// CHECK: arith.subi
// APART: linalg.generic
// FUSED-NOT: linalg.generic
// CHECK: tensor.extract
// APART: linalg.generic
// FUSED-NOT: linalg.generic
// CHECK: arith.muli
// CHECK: return
func.func @lookup(%x: tensor<64xi8>, %table: tensor<256xi8>) -> tensor<64xi8> {
  %empty = tensor.empty() : tensor<64xi8>
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : tensor<64xi8>) outs(%empty : tensor<64xi8>) {
  ^bb0(%in: i8, %out: i8):
    %three = arith.constant 3 : i8
    %difference = arith.subi %in, %three : i8
    linalg.yield %difference : i8
  } -> tensor<64xi8>
  %1 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%0 : tensor<64xi8>) outs(%empty : tensor<64xi8>) {
  ^bb0(%in: i8, %out: i8):
    %place = arith.index_castui %in : i8 to index
    %entry = tensor.extract %table[%place] : tensor<256xi8>
    linalg.yield %entry : i8
  } -> tensor<64xi8>
  %2 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%1 : tensor<64xi8>) outs(%empty : tensor<64xi8>) {
  ^bb0(%in: i8, %out: i8):
    %product = arith.muli %in, %in : i8
    linalg.yield %product : i8
  } -> tensor<64xi8>
  return %2 : tensor<64xi8>
}

// Two lookups have no vectors to lose.
// CHECK-LABEL: func.func @lookups
// CHECK: linalg.generic
// CHECK: tensor.extract
// CHECK-NOT: linalg.generic
// CHECK: tensor.extract
// CHECK: return
func.func @lookups(%x: tensor<64xi8>, %table: tensor<256xi8>) -> tensor<64xi8> {
  %empty = tensor.empty() : tensor<64xi8>
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : tensor<64xi8>) outs(%empty : tensor<64xi8>) {
  ^bb0(%in: i8, %out: i8):
    %place = arith.index_castui %in : i8 to index
    %entry = tensor.extract %table[%place] : tensor<256xi8>
    linalg.yield %entry : i8
  } -> tensor<64xi8>
  %1 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%0 : tensor<64xi8>) outs(%empty : tensor<64xi8>) {
  ^bb0(%in: i8, %out: i8):
    %place = arith.index_castui %in : i8 to index
    %entry = tensor.extract %table[%place] : tensor<256xi8>
    linalg.yield %entry : i8
  } -> tensor<64xi8>
  return %1 : tensor<64xi8>
}

// A lookup in a branch is one too.
// CHECK-LABEL: func.func @branch
// CHECK: linalg.generic
// CHECK: arith.subi
// APART: linalg.generic
// FUSED-NOT: linalg.generic
// CHECK: scf.if
// CHECK: tensor.extract
// CHECK: return
func.func @branch(%x: tensor<64xi8>, %table: tensor<256xi8>) -> tensor<64xi8> {
  %empty = tensor.empty() : tensor<64xi8>
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : tensor<64xi8>) outs(%empty : tensor<64xi8>) {
  ^bb0(%in: i8, %out: i8):
    %three = arith.constant 3 : i8
    %difference = arith.subi %in, %three : i8
    linalg.yield %difference : i8
  } -> tensor<64xi8>
  %1 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%0 : tensor<64xi8>) outs(%empty : tensor<64xi8>) {
  ^bb0(%in: i8, %out: i8):
    %zero = arith.constant 0 : i8
    %is_positive = arith.cmpi sgt, %in, %zero : i8
    %entry = scf.if %is_positive -> i8 {
      %place = arith.index_castui %in : i8 to index
      %found = tensor.extract %table[%place] : tensor<256xi8>
      scf.yield %found : i8
    } else {
      scf.yield %zero : i8
    }
    linalg.yield %entry : i8
  } -> tensor<64xi8>
  return %1 : tensor<64xi8>
}
