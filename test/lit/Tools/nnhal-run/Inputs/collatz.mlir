// How many steps each way to 1 takes: an IF in a WHILE, and a GATHER that checks
// the index it is passed.
nnhal.model @collatz attributes {hal_version = "1.3"} {
  nnhal.graph @main(%n: tensor<1xi32>, %steps: tensor<1xi32>) -> (tensor<1xi32>, tensor<1xf32>) {
    %go_on = nnhal.subgraph_reference @go_on
    %step = nnhal.subgraph_reference @step
    %zero = nnhal.constant_copy dense<0.0> : tensor<1xf32> -> tensor<1xf32>
    %end, %count, %sum = nnhal.operation "WHILE"(%go_on, %step, %n, %steps, %zero)
        : (!nnhal.subgraph, !nnhal.subgraph, tensor<1xi32>, tensor<1xi32>, tensor<1xf32>)
        -> (tensor<1xi32>, tensor<1xi32>, tensor<1xf32>)
    nnhal.return %count, %sum : tensor<1xi32>, tensor<1xf32>
  }
  nnhal.graph @go_on(%n: tensor<1xi32>, %count: tensor<1xi32>, %sum: tensor<1xf32>) -> tensor<1xi8> {
    %one = nnhal.constant_copy dense<1> : tensor<1xi32> -> tensor<1xi32>
    %0 = nnhal.operation "GREATER"(%n, %one) : (tensor<1xi32>, tensor<1xi32>) -> tensor<1xi8>
    nnhal.return %0 : tensor<1xi8>
  }
  nnhal.graph @step(%n: tensor<1xi32>, %count: tensor<1xi32>, %sum: tensor<1xf32>)
      -> (tensor<1xi32>, tensor<1xi32>, tensor<1xf32>) {
    %none = nnhal.constant_copy 0 : i32 -> i32
    %one = nnhal.constant_copy dense<1> : tensor<1xi32> -> tensor<1xi32>
    %two = nnhal.constant_copy dense<2> : tensor<1xi32> -> tensor<1xi32>
    %zero = nnhal.constant_copy dense<0> : tensor<1xi32> -> tensor<1xi32>
    %half = nnhal.operation "DIV"(%n, %two, %none) : (tensor<1xi32>, tensor<1xi32>, i32) -> tensor<1xi32>
    %even = nnhal.operation "MUL"(%half, %two, %none) : (tensor<1xi32>, tensor<1xi32>, i32) -> tensor<1xi32>
    %is_odd = nnhal.operation "NOT_EQUAL"(%n, %even) : (tensor<1xi32>, tensor<1xi32>) -> tensor<1xi8>
    %grow = nnhal.subgraph_reference @grow
    %keep = nnhal.subgraph_reference @keep
    %next = nnhal.operation "IF"(%is_odd, %grow, %keep, %n, %half)
        : (tensor<1xi8>, !nnhal.subgraph, !nnhal.subgraph, tensor<1xi32>, tensor<1xi32>) -> tensor<1xi32>
    %table = nnhal.constant_copy dense<[0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0]> : tensor<8xf32> -> tensor<8xf32>
    %axis = nnhal.constant_copy 0 : i32 -> i32
    %value = nnhal.operation "GATHER"(%table, %axis, %count) : (tensor<8xf32>, i32, tensor<1xi32>) -> tensor<1xf32>
    %later = nnhal.operation "ADD"(%count, %one, %none) : (tensor<1xi32>, tensor<1xi32>, i32) -> tensor<1xi32>
    %total = nnhal.operation "ADD"(%sum, %value, %none) : (tensor<1xf32>, tensor<1xf32>, i32) -> tensor<1xf32>
    nnhal.return %next, %later, %total : tensor<1xi32>, tensor<1xi32>, tensor<1xf32>
  }
  nnhal.graph @grow(%n: tensor<1xi32>, %half: tensor<1xi32>) -> tensor<1xi32> {
    %none = nnhal.constant_copy 0 : i32 -> i32
    %one = nnhal.constant_copy dense<1> : tensor<1xi32> -> tensor<1xi32>
    %three = nnhal.constant_copy dense<3> : tensor<1xi32> -> tensor<1xi32>
    %0 = nnhal.operation "MUL"(%n, %three, %none) : (tensor<1xi32>, tensor<1xi32>, i32) -> tensor<1xi32>
    %1 = nnhal.operation "ADD"(%0, %one, %none) : (tensor<1xi32>, tensor<1xi32>, i32) -> tensor<1xi32>
    nnhal.return %1 : tensor<1xi32>
  }
  nnhal.graph @keep(%n: tensor<1xi32>, %half: tensor<1xi32>) -> tensor<1xi32> {
    %none = nnhal.constant_copy 0 : i32 -> i32
    %one = nnhal.constant_copy dense<1> : tensor<1xi32> -> tensor<1xi32>
    %0 = nnhal.operation "MUL"(%half, %one, %none) : (tensor<1xi32>, tensor<1xi32>, i32) -> tensor<1xi32>
    nnhal.return %0 : tensor<1xi32>
  }
}
