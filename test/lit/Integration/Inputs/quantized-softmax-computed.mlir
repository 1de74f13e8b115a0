nnhal.model @softmax attributes {hal_version = "1.3"} {
  nnhal.graph @main(%x: tensor<4x16x!quant.uniform<u8:f32, 0.125:0>>, %beta: f32) -> tensor<4x16x!quant.uniform<u8:f32, 0.00390625:0>> {
    %0 = nnhal.operation "SOFTMAX"(%x, %beta) : (tensor<4x16x!quant.uniform<u8:f32, 0.125:0>>, f32) -> tensor<4x16x!quant.uniform<u8:f32, 0.00390625:0>>
    nnhal.return %0 : tensor<4x16x!quant.uniform<u8:f32, 0.00390625:0>>
  }
}
