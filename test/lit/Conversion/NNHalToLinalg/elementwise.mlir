// RUN: nnhal-opt %s --convert-nnhal-to-linalg | FileCheck %s

// CHECK-DAG: #[[ROW:.+]] = affine_map<(d0, d1, d2) -> (0, d2)>
// CHECK-DAG: #[[ALL:.+]] = affine_map<(d0, d1, d2) -> (d0, d1, d2)>

// CHECK-LABEL: @add_broadcasts_right_aligned
// CHECK:         linalg.generic {indexing_maps = [#[[ALL]], #[[ROW]], #[[ALL]]]
// CHECK:           %[[SUM:.+]] = arith.addf
// CHECK:           %[[LOW:.+]] = arith.cmpf ogt, %[[ZERO:.+]], %[[SUM]]
// CHECK:           arith.select %[[LOW]], %[[ZERO]], %[[SUM]]
// CHECK:           arith.cmpf olt
// CHECK-NOT:     nnhal
func.func @add_broadcasts_right_aligned(%a: tensor<2x3x4xf32>, %b: tensor<1x4xf32>) -> tensor<2x3x4xf32> {
  %0 = nnhal.add %a, %b activation relu6 : (tensor<2x3x4xf32>, tensor<1x4xf32>) -> tensor<2x3x4xf32>
  return %0 : tensor<2x3x4xf32>
}

// CHECK-LABEL: @div_integer_does_not_trap
// CHECK:         arith.select {{.*}} : i32
// CHECK:         arith.floordivsi
// CHECK:         arith.select
// CHECK:         arith.select
func.func @div_integer_does_not_trap(%a: tensor<4xi32>, %b: tensor<4xi32>) -> tensor<4xi32> {
  %0 = nnhal.div %a, %b : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  return %0 : tensor<4xi32>
}

// CHECK-LABEL: @less_yields_bytes
// CHECK:         %[[LESS:.+]] = arith.cmpf olt
// CHECK:         arith.extui %[[LESS]] : i1 to i8
func.func @less_yields_bytes(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xi8> {
  %0 = nnhal.less %a, %b : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi8>
  return %0 : tensor<4xi8>
}

// Any byte but zero is true, so bytes are compared as truth values.
// CHECK-LABEL: @equal_of_booleans
// CHECK-COUNT-2: arith.cmpi ne
// CHECK:         arith.cmpi eq
func.func @equal_of_booleans(%a: tensor<4xi8>, %b: tensor<4xi8>) -> tensor<4xi8> {
  %0 = nnhal.equal %a, %b : (tensor<4xi8>, tensor<4xi8>) -> tensor<4xi8>
  return %0 : tensor<4xi8>
}

// CHECK-LABEL: @maximum_needs_one_instruction
// CHECK:         %[[LARGER:.+]] = arith.cmpf ogt, %[[A:.+]], %[[B:.+]] : f32
// CHECK:         arith.select %[[LARGER]], %[[A]], %[[B]]
func.func @maximum_needs_one_instruction(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
  %0 = nnhal.maximum %a, %b : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: @select_reads_truth
// CHECK:         %[[TRUTH:.+]] = arith.cmpi ne
// CHECK:         arith.select %[[TRUTH]]
func.func @select_reads_truth(%c: tensor<4xi8>, %a: tensor<4xi32>, %b: tensor<4xi32>) -> tensor<4xi32> {
  %0 = nnhal.select %c, %a, %b : (tensor<4xi8>, tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  return %0 : tensor<4xi32>
}

// CHECK-LABEL: @rsqrt_divides
// CHECK:         math.sqrt
// CHECK:         arith.divf
func.func @rsqrt_divides(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = nnhal.rsqrt %a : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: @cast_stays_in_range
// CHECK:         arith.cmpf ogt
// CHECK:         arith.cmpf olt
// CHECK:         arith.fptosi
func.func @cast_stays_in_range(%a: tensor<4xf32>) -> tensor<4xi32> {
  %0 = nnhal.cast %a : (tensor<4xf32>) -> tensor<4xi32>
  return %0 : tensor<4xi32>
}
