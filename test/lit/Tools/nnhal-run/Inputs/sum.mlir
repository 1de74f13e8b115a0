nnhal.model @sum attributes {hal_version = "1.3"} {
  nnhal.graph @main(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
    %none = nnhal.constant_copy 0 : i32 -> i32
    %y = nnhal.operation "ADD"(%x, %x, %none) : (tensor<2x3xf32>, tensor<2x3xf32>, i32) -> tensor<2x3xf32>
    nnhal.return %y : tensor<2x3xf32>
  }
}
