// Besides its own, nnhal-opt has the dialects and passes of MLIR.
// RUN: nnhal-opt %s --pass-pipeline='builtin.module(func.func(tosa-to-linalg))' | FileCheck %s

// CHECK-LABEL: func.func @absolute
// CHECK-NOT:     tosa
// CHECK:         linalg.generic
// CHECK:           math.absf
func.func @absolute(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = tosa.abs %x : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
