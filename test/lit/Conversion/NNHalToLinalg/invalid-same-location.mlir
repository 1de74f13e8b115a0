// RUN: not nnhal-opt %s --convert-nnhal-to-linalg 2>&1 | FileCheck %s

// Operations that share a location each have a reason of their own.
// CHECK-DAG: layer:7:1: error: 'nnhal.reshape' op cannot be lowered: input 1 follows from a result type with unknown extents
// CHECK-DAG: layer:7:1: error: 'nnhal.fill' op cannot be lowered: input 0 follows from a result type with unknown extents
func.func @same_location(%x: tensor<?x?xf32>) -> (tensor<?x?x1xf32>, tensor<?x?xf32>) {
  %0 = nnhal.reshape %x : (tensor<?x?xf32>) -> tensor<?x?x1xf32> loc("layer":7:1)
  %1 = nnhal.fill value(1.0 : f32) : () -> tensor<?x?xf32> loc("layer":7:1)
  return %0, %1 : tensor<?x?x1xf32>, tensor<?x?xf32>
}
