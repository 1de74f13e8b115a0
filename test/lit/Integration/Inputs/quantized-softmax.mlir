nnhal.model @m attributes {hal_version = "1.3"} {
  nnhal.graph @main(%x: tensor<7xSIZEx!quant.uniform<u8:f32, 0.5:128>>) -> tensor<7xSIZEx!quant.uniform<u8:f32, 0.00390625>> {
    %b = nnhal.constant_copy 1.0 : f32 -> f32
    %y = nnhal.operation "SOFTMAX"(%x, %b) : (tensor<7xSIZEx!quant.uniform<u8:f32, 0.5:128>>, f32) -> tensor<7xSIZEx!quant.uniform<u8:f32, 0.00390625>>
    nnhal.return %y : tensor<7xSIZEx!quant.uniform<u8:f32, 0.00390625>>
  }
}
