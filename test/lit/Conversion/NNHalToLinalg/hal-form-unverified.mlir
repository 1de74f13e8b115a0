// RUN: nnhal-opt %s --mlir-very-unsafe-disable-verifier-on-parsing --verify-each=false --convert-nnhal-to-linalg --verify-diagnostics

func.func @operation_without_rule() -> tensor<3x5xf32> {
  // expected-error @below {{'nnhal.operation' op cannot be lowered: OEM_OPERATION is no operation of the HAL}}
  %0 = nnhal.operation "OEM_OPERATION"() : () -> tensor<3x5xf32>
  return %0 : tensor<3x5xf32>
}
