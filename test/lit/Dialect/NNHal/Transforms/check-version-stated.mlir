// RUN: nnhal-opt %s --nnhal-check-version --verify-diagnostics
// RUN: not nnhal-opt %s --nnhal-check-version=version=2.0 2>&1 | FileCheck %s

// Without an option the version that the model states is asked for.
// CHECK: error: HAL version "2.0" is not one of 1.0 to 1.3
nnhal.model @model attributes {hal_version = "1.0"} {
  nnhal.graph @main(%a: tensor<2xf32>) -> tensor<2xf32> {
    // expected-error @+1 {{ABS needs HAL 1.2, the model is checked as 1.0}}
    %r = nnhal.operation "ABS"(%a) : (tensor<2xf32>) -> tensor<2xf32>
    nnhal.return %r : tensor<2xf32>
  }
}
