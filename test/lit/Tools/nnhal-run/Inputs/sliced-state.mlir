nnhal.model @sliced attributes {hal_version = "1.3"} {
  nnhal.graph @main(%n: tensor<1xi32>, %x: tensor<2xf32>) -> tensor<?xf32> {
    %is_below = nnhal.subgraph_reference @is_below
    %step = nnhal.subgraph_reference @step
    %zero = nnhal.constant_copy dense<0> : tensor<1xi32> -> tensor<1xi32>
    %0 = nnhal.operation "WHILE"(%is_below, %step, %x, %zero, %n)
        : (!nnhal.subgraph, !nnhal.subgraph, tensor<2xf32>, tensor<1xi32>, tensor<1xi32>) -> tensor<?xf32>
    nnhal.return %0 : tensor<?xf32>
  }
  nnhal.graph @is_below(%x: tensor<?xf32>, %i: tensor<1xi32>, %n: tensor<1xi32>) -> tensor<1xi8> {
    %0 = nnhal.operation "LESS"(%i, %n) : (tensor<1xi32>, tensor<1xi32>) -> tensor<1xi8>
    nnhal.return %0 : tensor<1xi8>
  }
  nnhal.graph @step(%x: tensor<?xf32>, %i: tensor<1xi32>, %n: tensor<1xi32>) -> (tensor<?xf32>, tensor<1xi32>) {
    %one = nnhal.constant_copy dense<1> : tensor<1xi32> -> tensor<1xi32>
    %none = nnhal.constant_copy 0 : i32 -> i32
    %j = nnhal.operation "ADD"(%i, %one, %none) : (tensor<1xi32>, tensor<1xi32>, i32) -> tensor<1xi32>
    %t = nnhal.operation "SLICE"(%x, %i, %j) : (tensor<?xf32>, tensor<1xi32>, tensor<1xi32>) -> tensor<?xf32>
    %y = nnhal.operation "CONCATENATION"(%x, %t, %none) : (tensor<?xf32>, tensor<?xf32>, i32) -> tensor<?xf32>
    nnhal.return %y, %j : tensor<?xf32>, tensor<1xi32>
  }
}
