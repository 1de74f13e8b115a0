!q = !quant.uniform<u8:f32, 5.000000e-01:128>
!w = !quant.uniform<u8:f32, 1.000000e-02:100>
!b = !quant.uniform<i32:f32, 5.000000e-03>
!r = !quant.uniform<u8:f32, 6.0e+00:120>
nnhal.model @bytes attributes {hal_version = "1.3", relaxed} {
  nnhal.graph @main(%x: tensor<1x9x9x4x!q>, %o: tensor<9x1x4x!r>, %p: tensor<9x1x4x!q>)
      -> (tensor<1x9x9x4x!r>, tensor<1x9x9x4x!q>) {
    %w = nnhal.constant_copy dense<-1> : tensor<1x3x3x4xi8> -> tensor<1x3x3x4x!w>
    %b = nnhal.constant_copy dense<[1000, -70000, 7, 0]> : tensor<4xi32> -> tensor<4x!b>
    %one = nnhal.constant_copy 1 : i32 -> i32
    %three = nnhal.constant_copy 3 : i32 -> i32
    %none = nnhal.constant_copy 0 : i32 -> i32
    %y = nnhal.operation "DEPTHWISE_CONV_2D"(%x, %w, %b, %one, %one, %one, %one, %none)
        : (tensor<1x9x9x4x!q>, tensor<1x3x3x4x!w>, tensor<4x!b>, i32, i32, i32, i32, i32) -> tensor<1x9x9x4x!r>
    %z = nnhal.operation "ADD"(%y, %o, %none) : (tensor<1x9x9x4x!r>, tensor<9x1x4x!r>, i32) -> tensor<1x9x9x4x!r>
    %m = nnhal.operation "AVERAGE_POOL_2D"(%x, %one, %one, %one, %three, %three, %none)
        : (tensor<1x9x9x4x!q>, i32, i32, i32, i32, i32, i32) -> tensor<1x9x9x4x!q>
    %n = nnhal.operation "ADD"(%m, %p, %none) : (tensor<1x9x9x4x!q>, tensor<9x1x4x!q>, i32) -> tensor<1x9x9x4x!q>
    nnhal.return %z, %n : tensor<1x9x9x4x!r>, tensor<1x9x9x4x!q>
  }
}
