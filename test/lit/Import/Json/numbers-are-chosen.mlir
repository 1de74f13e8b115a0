// RUN: nnhal-translate --mlir-to-json %s | FileCheck %s

// Operands without numbers get them in order of definition.
// CHECK: "outputs":[2]
nnhal.model @m attributes {hal_version = "1.3"} {
  nnhal.graph @main(%x: tensor<2xf32>) -> tensor<2xf32> {
    %none = nnhal.no_value : tensor<2xf32>
    %0 = nnhal.operation "RELU"(%x) : (tensor<2xf32>) -> tensor<2xf32>
    nnhal.return %0 : tensor<2xf32>
  }
}
