// RUN: nnhal-opt %s --split-input-file --nnhal-raise-operations --convert-nnhal-graph-to-func --convert-nnhal-to-linalg --canonicalize | FileCheck %s

// A function of one byte is a table.
// CHECK-LABEL: func.func @main(
// CHECK:         %[[TABLE:.+]] = arith.constant dense<{{.*}}> : tensor<256xi8>
// CHECK:         ^bb0(%[[BYTE:.+]]: i8, %{{.+}}: i8):
// CHECK:         arith.extui %[[BYTE]] : i8 to i32
// CHECK:         tensor.extract %[[TABLE]]
nnhal.model @quantized_logistic attributes {hal_version = "1.3"} {
  nnhal.graph @main(%x: tensor<4x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<4x!quant.uniform<i8:f32, 3.90625e-3:-128>> {
    %0 = nnhal.operation "LOGISTIC"(%x) : (tensor<4x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<4x!quant.uniform<i8:f32, 3.90625e-3:-128>>
    nnhal.return %0 : tensor<4x!quant.uniform<i8:f32, 3.90625e-3:-128>>
  }
}

// -----

// The maximum, the powers, their sum and the quotients, along an extent that is
// known at run time only.
// CHECK-LABEL: func.func @main(
// CHECK:         iterator_types = ["parallel", "reduction"]
// CHECK:         arith.subf
// CHECK:         math.exp
// CHECK:         iterator_types = ["parallel", "reduction"]
// CHECK:         arith.addf
// CHECK:         linalg.generic
// CHECK:         arith.divf
// CHECK-NOT:     scf.for
// CHECK:         return
nnhal.model @dynamic_softmax attributes {hal_version = "1.3"} {
  nnhal.graph @main(%x: tensor<2x?xf32>) -> tensor<2x?xf32> {
    %beta = nnhal.constant_copy 2.0 : f32 -> f32
    %0 = nnhal.operation "SOFTMAX"(%x, %beta) : (tensor<2x?xf32>, f32) -> tensor<2x?xf32>
    nnhal.return %0 : tensor<2x?xf32>
  }
}

// -----

// CHECK-LABEL: func.func @main(
// CHECK:         %[[ALPHA:.+]] = tensor.extract {{.*}} : tensor<f16>
// CHECK:         arith.extf %[[ALPHA]] : f16 to f32
nnhal.model @computed_alpha attributes {hal_version = "1.3"} {
  nnhal.graph @main(%x: tensor<4xf16>, %alpha: f16) -> tensor<4xf16> {
    %0 = nnhal.operation "ELU"(%x, %alpha) : (tensor<4xf16>, f16) -> tensor<4xf16>
    nnhal.return %0 : tensor<4xf16>
  }
}
