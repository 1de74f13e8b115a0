// RUN: nnhal-opt %s --mlir-very-unsafe-disable-verifier-on-parsing --verify-each=false --convert-nnhal-to-linalg --verify-diagnostics

func.func @unknown_operation() -> tensor<3x5xf32> {
  // expected-error @below {{'nnhal.operation' op cannot be lowered: NOTHING is no operation of the HAL}}
  %0 = nnhal.operation "NOTHING"() : () -> tensor<3x5xf32>
  return %0 : tensor<3x5xf32>
}
