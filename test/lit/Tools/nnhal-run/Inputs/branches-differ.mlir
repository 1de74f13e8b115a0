nnhal.model @branches attributes {hal_version = "1.3"} {
  nnhal.graph @main(%holds: tensor<1xi8>, %x: tensor<4xf32>) -> tensor<?xf32> {
    %twice = nnhal.subgraph_reference @twice
    %absolute = nnhal.subgraph_reference @absolute
    %0 = nnhal.operation "IF"(%holds, %twice, %absolute, %x)
        : (tensor<1xi8>, !nnhal.subgraph, !nnhal.subgraph, tensor<4xf32>) -> tensor<?xf32>
    nnhal.return %0 : tensor<?xf32>
  }
  nnhal.graph @twice(%x: tensor<4xf32>) -> tensor<8xf32> {
    %none = nnhal.constant_copy 0 : i32 -> i32
    %0 = nnhal.operation "CONCATENATION"(%x, %x, %none) : (tensor<4xf32>, tensor<4xf32>, i32) -> tensor<8xf32>
    nnhal.return %0 : tensor<8xf32>
  }
  nnhal.graph @absolute(%x: tensor<4xf32>) -> tensor<4xf32> {
    %0 = nnhal.operation "ABS"(%x) : (tensor<4xf32>) -> tensor<4xf32>
    nnhal.return %0 : tensor<4xf32>
  }
}
