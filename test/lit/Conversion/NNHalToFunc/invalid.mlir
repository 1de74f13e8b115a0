// RUN: nnhal-opt %s --convert-nnhal-graph-to-func --split-input-file --verify-diagnostics

nnhal.model @model attributes {hal_version = "1.3"} {
  // expected-error @+1 {{input 0 of type 'tensor<*xf32>' has no buffer: it must be a tensor of known rank}}
  nnhal.graph @main(%x: tensor<*xf32>) -> tensor<3xf32> {
    %0 = nnhal.operation "RELU"(%x) : (tensor<*xf32>) -> tensor<3xf32>
    nnhal.return %0 : tensor<3xf32>
  }
}

// -----

// expected-error @+1 {{found 2 models, expected one}}
module {
  nnhal.model @a attributes {hal_version = "1.3"} {
    nnhal.graph @main(%x: tensor<3xf32>) -> tensor<3xf32> {
      %0 = nnhal.relu %x : (tensor<3xf32>) -> tensor<3xf32>
      nnhal.return %0 : tensor<3xf32>
    }
  }
  // expected-note @below {{the second is here}}
  nnhal.model @b attributes {hal_version = "1.3"} {
    nnhal.graph @main(%x: tensor<3xf32>) -> tensor<3xf32> {
      %0 = nnhal.relu %x : (tensor<3xf32>) -> tensor<3xf32>
      nnhal.return %0 : tensor<3xf32>
    }
  }
}
