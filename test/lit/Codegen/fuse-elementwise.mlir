// RUN: nnhal-opt %s --pass-pipeline='builtin.module(func.func(nnhal-fuse-elementwise))' | FileCheck %s

#id = affine_map<(d0, d1) -> (d0, d1)>

// What is read with tensor.extract at the own indices becomes operands: whole
// tensors, channel vectors, dimensions of one element.
// CHECK-DAG: #[[ID:.+]] = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-DAG: #[[CHANNEL:.+]] = affine_map<(d0, d1) -> (d1)>
// CHECK-LABEL: func.func @reads
// CHECK-SAME: (%[[X:.+]]: tensor<1x8xi32>, %[[Y:.+]]: tensor<8xi32>
// CHECK: linalg.generic {indexing_maps = [#[[ID]], #[[CHANNEL]], #[[ID]]], {{.*}}} ins(%[[X]], %[[Y]] : tensor<1x8xi32>, tensor<8xi32>)
// CHECK-NOT: tensor.extract
// CHECK: return
func.func @reads(%x: tensor<1x8xi32>, %y: tensor<8xi32>) -> tensor<1x8xi32> {
  %zero = arith.constant 0 : index
  %empty = tensor.empty() : tensor<1x8xi32>
  %0 = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel", "parallel"]} outs(%empty : tensor<1x8xi32>) {
  ^bb0(%out: i32):
    %i = linalg.index 1 : index
    %a = tensor.extract %x[%zero, %i] : tensor<1x8xi32>
    %b = tensor.extract %y[%i] : tensor<8xi32>
    %sum = arith.addi %a, %b : i32
    linalg.yield %sum : i32
  } -> tensor<1x8xi32>
  return %0 : tensor<1x8xi32>
}

// A part of a larger tensor is not an operand, and neither is an element at a
// computed place.
// CHECK-LABEL: func.func @other_reads
// CHECK-COUNT-2: tensor.extract
func.func @other_reads(%x: tensor<9xi32>, %y: tensor<8xi32>) -> tensor<8xi32> {
  %seven = arith.constant 7 : index
  %empty = tensor.empty() : tensor<8xi32>
  %0 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]} outs(%empty : tensor<8xi32>) {
  ^bb0(%out: i32):
    %i = linalg.index 0 : index
    %a = tensor.extract %x[%i] : tensor<9xi32>
    %turned = arith.subi %seven, %i : index
    %b = tensor.extract %y[%turned] : tensor<8xi32>
    %sum = arith.addi %a, %b : i32
    linalg.yield %sum : i32
  } -> tensor<8xi32>
  return %0 : tensor<8xi32>
}

// A chain becomes one operation, but the exponential of a vector is not
// computed again for each row that adds it.
// CHECK-LABEL: func.func @broadcast
// CHECK: linalg.generic
// CHECK: math.exp
// CHECK: linalg.generic
// CHECK: arith.addf
// CHECK: arith.negf
// CHECK-NOT: linalg.generic
// CHECK: return
func.func @broadcast(%x: tensor<8x8xf32>, %y: tensor<8xf32>) -> tensor<8x8xf32> {
  %row = tensor.empty() : tensor<8xf32>
  %empty = tensor.empty() : tensor<8x8xf32>
  %e = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%y : tensor<8xf32>) outs(%row : tensor<8xf32>) {
  ^bb0(%a: f32, %out: f32):
    %r = math.exp %a : f32
    linalg.yield %r : f32
  } -> tensor<8xf32>
  %s = linalg.generic {indexing_maps = [#id, affine_map<(d0, d1) -> (d1)>, #id], iterator_types = ["parallel", "parallel"]} ins(%x, %e : tensor<8x8xf32>, tensor<8xf32>) outs(%empty : tensor<8x8xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %r = arith.addf %a, %b : f32
    linalg.yield %r : f32
  } -> tensor<8x8xf32>
  %n = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%s : tensor<8x8xf32>) outs(%empty : tensor<8x8xf32>) {
  ^bb0(%a: f32, %out: f32):
    %r = arith.negf %a : f32
    linalg.yield %r : f32
  } -> tensor<8x8xf32>
  return %n : tensor<8x8xf32>
}
