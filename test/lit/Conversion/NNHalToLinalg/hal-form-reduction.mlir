// RUN: nnhal-opt %s --split-input-file --nnhal-raise-operations --convert-nnhal-graph-to-func --convert-nnhal-to-linalg --canonicalize | FileCheck %s

// CHECK-LABEL: func.func @main(
// CHECK:         iterator_types = ["parallel", "reduction"]
// CHECK:         arith.addi {{.*}} : i64
// CHECK:         linalg.generic
// CHECK:         arith.floordivsi {{.*}} : i64
nnhal.model @quantized_mean attributes {hal_version = "1.3"} {
  nnhal.graph @main(%x: tensor<2x3x!quant.uniform<u8:f32, 0.5:128>>) -> tensor<2x!quant.uniform<u8:f32, 0.5:128>> {
    %axes = nnhal.constant_copy dense<-1> : tensor<1xi32> -> tensor<1xi32>
    %keep = nnhal.constant_copy 0 : i32 -> i32
    %0 = nnhal.operation "MEAN"(%x, %axes, %keep) : (tensor<2x3x!quant.uniform<u8:f32, 0.5:128>>, tensor<1xi32>, i32) -> tensor<2x!quant.uniform<u8:f32, 0.5:128>>
    nnhal.return %0 : tensor<2x!quant.uniform<u8:f32, 0.5:128>>
  }
}

// -----

// Axes that are computed mark the dimensions; the number of those that stay is
// the stated rank, which is checked.
// CHECK-LABEL: func.func @main(
// CHECK:         nnrt.check
// CHECK:         scf.for
// CHECK:         nnrt.check
// CHECK:         nnrt.check
// CHECK:         nnrt.check
// CHECK:         linalg.generic
// CHECK:         scf.for
// CHECK:         scf.for
nnhal.model @computed_axes attributes {hal_version = "1.3"} {
  nnhal.graph @main(%x: tensor<2x3xf32>, %axes: tensor<?xi32>) -> tensor<?xf32> {
    %keep = nnhal.constant_copy 0 : i8 -> i8
    %0 = nnhal.operation "REDUCE_SUM"(%x, %axes, %keep) : (tensor<2x3xf32>, tensor<?xi32>, i8) -> tensor<?xf32>
    nnhal.return %0 : tensor<?xf32>
  }
}

// -----

// The first element is read, so that the extent must not be zero.
// CHECK-LABEL: func.func @main(
// CHECK:         nnrt.check
// CHECK:         linalg.generic
// CHECK:         arith.cmpf ogt
// CHECK:         arith.index_cast
nnhal.model @dynamic_arg_max attributes {hal_version = "1.3"} {
  nnhal.graph @main(%x: tensor<?x3xf32>) -> tensor<3xi32> {
    %axis = nnhal.constant_copy 0 : i32 -> i32
    %0 = nnhal.operation "ARGMAX"(%x, %axis) : (tensor<?x3xf32>, i32) -> tensor<3xi32>
    nnhal.return %0 : tensor<3xi32>
  }
}

// -----

// A mean of one element divides by two, as a shift: LLVM's code generator leaves
// that division out.
// CHECK-LABEL: func.func @main(
// CHECK:         arith.shrsi {{.*}} : i64
// CHECK-NOT:     arith.floordivsi
nnhal.model @mean_of_one attributes {hal_version = "1.3"} {
  nnhal.graph @main(%x: tensor<2x1x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<2x!quant.uniform<i8:f32, 0.5:3>> {
    %axes = nnhal.constant_copy dense<1> : tensor<1xi32> -> tensor<1xi32>
    %keep = nnhal.constant_copy 0 : i32 -> i32
    %0 = nnhal.operation "MEAN"(%x, %axes, %keep) : (tensor<2x1x!quant.uniform<i8:f32, 0.5:3>>, tensor<1xi32>, i32) -> tensor<2x!quant.uniform<i8:f32, 0.5:3>>
    nnhal.return %0 : tensor<2x!quant.uniform<i8:f32, 0.5:3>>
  }
}

// -----

// A sum of single elements is computed element by element. It makes 0 of -0.
// CHECK-LABEL: func.func @main(
// CHECK-DAG:     %[[ZERO:.+]] = arith.constant 0.000000e+00 : f32
// CHECK:         linalg.generic {{.*}}iterator_types = ["parallel", "parallel"]
// CHECK:         arith.addf %{{.+}}, %[[ZERO]] : f32
// CHECK-NOT:     "reduction"
// CHECK:         return
nnhal.model @single_elements attributes {hal_version = "1.3"} {
  nnhal.graph @main(%x: tensor<2x1xf32>) -> tensor<2xf32> {
    %axes = nnhal.constant_copy dense<1> : tensor<1xi32> -> tensor<1xi32>
    %keep = nnhal.constant_copy 0 : i8 -> i8
    %0 = nnhal.operation "REDUCE_SUM"(%x, %axes, %keep) : (tensor<2x1xf32>, tensor<1xi32>, i8) -> tensor<2xf32>
    nnhal.return %0 : tensor<2xf32>
  }
}
