// RUN: nnhal-opt %s --convert-nnhal-to-linalg --split-input-file --verify-diagnostics

// Every operation that stays is reported, not only the first.
func.func @unknown_results(%x: tensor<?x?xf32>) -> (tensor<?x?x1xf32>, tensor<?x?xf32>) {
  // expected-error @below {{'nnhal.reshape' op cannot be lowered: input 1 follows from a result type with unknown extents}}
  %0 = nnhal.reshape %x : (tensor<?x?xf32>) -> tensor<?x?x1xf32>
  // expected-error @below {{'nnhal.fill' op cannot be lowered: input 0 follows from a result type with unknown extents}}
  %1 = nnhal.fill value(1.0 : f32) : () -> tensor<?x?xf32>
  return %0, %1 : tensor<?x?x1xf32>, tensor<?x?xf32>
}
