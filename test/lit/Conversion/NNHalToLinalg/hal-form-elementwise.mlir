// RUN: nnhal-opt %s --split-input-file --nnhal-raise-operations --convert-nnhal-graph-to-func --nnhal-set-target --convert-nnhal-to-linalg --canonicalize | FileCheck %s
// RUN: nnhal-opt %s --split-input-file --nnhal-raise-operations --convert-nnhal-graph-to-func --nnhal-set-target=rounding=float --convert-nnhal-to-linalg --canonicalize | FileCheck %s --check-prefix=FLOAT

// Both operands are scaled by 2^20 and a multiplier, then their sum is; known
// extents leave no choice of indices. Nothing can overflow.
// CHECK-LABEL: func.func @main(
// CHECK-DAG:     arith.constant 1048576 : i32
// CHECK:         linalg.generic {{.*}} iterator_types = ["parallel", "parallel"]
// CHECK-NOT:     tensor.extract
// CHECK-COUNT-2: arith.extui {{.*}} : i8 to i32
// CHECK-NOT:     arith.cmpi eq
// CHECK-COUNT-3: nnk.doubling_high_mul {{.*}} nsw
// CHECK:         arith.maxsi
// CHECK:         arith.minsi
// CHECK:         arith.trunci {{.*}} : i32 to i8

// Floats are shifted by their factors and added as they are.
// FLOAT-LABEL: func.func @main(
// FLOAT-DAG:     arith.constant 5.242880e+05 : f32
// FLOAT-DAG:     arith.constant 2.621440e+05 : f32
// FLOAT:         linalg.generic
// FLOAT-NOT:     arith.muli
// FLOAT-NOT:     arith.cmpf
// FLOAT:         math.roundeven
// FLOAT:         math.roundeven
// FLOAT-NEXT:    arith.addf
// FLOAT-NEXT:    arith.mulf
// FLOAT-NEXT:    math.roundeven
// FLOAT-NEXT:    arith.fptosi
// FLOAT-NEXT:    arith.maxsi
nnhal.model @quantized_sum attributes {hal_version = "1.3"} {
  nnhal.graph @main(%x: tensor<2x3x!quant.uniform<u8:f32, 0.5:128>>, %y: tensor<3x!quant.uniform<u8:f32, 0.25:0>>) -> tensor<2x3x!quant.uniform<u8:f32, 1.0:100>> {
    %none = nnhal.constant_copy 0 : i32 -> i32
    %0 = nnhal.operation "ADD"(%x, %y, %none) : (tensor<2x3x!quant.uniform<u8:f32, 0.5:128>>, tensor<3x!quant.uniform<u8:f32, 0.25:0>>, i32) -> tensor<2x3x!quant.uniform<u8:f32, 1.0:100>>
    nnhal.return %0 : tensor<2x3x!quant.uniform<u8:f32, 1.0:100>>
  }
}

// -----

// Extents that are not known are compared, and an operand of extent 1 is read
// at 0.
// CHECK-LABEL: func.func @main(
// CHECK:         memref.dim %arg0
// CHECK:         memref.dim %arg1
// CHECK:         nnrt.check
// CHECK:         linalg.generic
// CHECK:         arith.select {{.*}} : index
// CHECK:         arith.mulf
nnhal.model @dynamic_product attributes {hal_version = "1.3"} {
  nnhal.graph @main(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
    %none = nnhal.constant_copy 0 : i32 -> i32
    %0 = nnhal.operation "MUL"(%x, %y, %none) : (tensor<?xf32>, tensor<?xf32>, i32) -> tensor<?xf32>
    nnhal.return %0 : tensor<?xf32>
  }
}

// -----

// Values of one scale and zero point are compared as they are stored.
// CHECK-LABEL: func.func @main(
// CHECK-NOT:     arith.mulf
// CHECK:         arith.cmpi sgt
// CHECK-NOT:     arith.mulf
// CHECK:         return
nnhal.model @quantized_comparison attributes {hal_version = "1.3"} {
  nnhal.graph @main(%x: tensor<4x!quant.uniform<u8:f32, 0.5:128>>, %y: tensor<4x!quant.uniform<u8:f32, 0.5:128>>) -> tensor<4xi8> {
    %0 = nnhal.operation "GREATER"(%x, %y) : (tensor<4x!quant.uniform<u8:f32, 0.5:128>>, tensor<4x!quant.uniform<u8:f32, 0.5:128>>) -> tensor<4xi8>
    nnhal.return %0 : tensor<4xi8>
  }
}
