// RUN: nnhal-translate --mlir-to-dot %s | FileCheck %s

// CHECK:      digraph nnhal {
// CHECK:        subgraph cluster0 {
// CHECK:          label="main"
// CHECK:          n0 [shape=ellipse, label="input 0"];
// CHECK:          n1 [shape=box, label="CONV_3\"D:1"];
// CHECK:          n0 -> n1 [label="tensor\<2xf32\>"];
// CHECK:          n2 [shape=box, label="relu"];
// CHECK:          n1 -> n2
// CHECK:          n3 [shape=ellipse, label="outputs"];
// CHECK:        }
// CHECK:      }
nnhal.model @m attributes {hal_version = "1.3", extension_names = ["CONV_3\22D"], extension_prefixes = array<i32: 1>} {
  nnhal.graph @main(%x: tensor<2xf32>) -> tensor<2xf32> {
    %c = nnhal.constant_copy 1 : i32 -> i32
    %0 = nnhal.operation "CONV_3\22D:1"(%x, %c) : (tensor<2xf32>, i32) -> tensor<2xf32>
    %1 = nnhal.relu %0 : (tensor<2xf32>) -> tensor<2xf32>
    nnhal.return %1 : tensor<2xf32>
  }
}
