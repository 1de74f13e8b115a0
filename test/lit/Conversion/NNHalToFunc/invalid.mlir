// RUN: nnhal-opt %s --convert-nnhal-graph-to-func --split-input-file --verify-diagnostics

nnhal.model @model attributes {hal_version = "1.3"} {
  // expected-error @+1 {{input 0 of type 'tensor<?x3xf32>' has no buffer: it must be a tensor of static shape}}
  nnhal.graph @main(%x: tensor<?x3xf32>) -> tensor<?x3xf32> {
    %0 = nnhal.relu %x : (tensor<?x3xf32>) -> tensor<?x3xf32>
    nnhal.return %0 : tensor<?x3xf32>
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
  nnhal.model @b attributes {hal_version = "1.3"} {
    nnhal.graph @main(%x: tensor<3xf32>) -> tensor<3xf32> {
      %0 = nnhal.relu %x : (tensor<3xf32>) -> tensor<3xf32>
      nnhal.return %0 : tensor<3xf32>
    }
  }
}
