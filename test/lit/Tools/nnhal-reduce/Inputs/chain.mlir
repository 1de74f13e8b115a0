// Six operations of quantized values; only ADD rounds.
!sixteenths = !quant.uniform<u8:f32, 6.250000e-02:128>
!quarters = !quant.uniform<u8:f32, 2.500000e-01:120>
module {
  nnhal.model @model attributes {hal_version = "1.3"} {
    nnhal.pool @terms {kind = "ashmem", value = dense<[-125, -90, -60, -33, -101, -77, -45, -12]> : tensor<8xi8>}
    nnhal.graph @main(%x: tensor<1x4x2x8x!sixteenths>, %unused: tensor<4xf32>) -> (tensor<8x8x!quarters>, tensor<4xf32>) attributes {input_names = ["x", "unused"], output_names = ["y", "z"]} {
      %none = nnhal.constant_copy 0 : i32 -> i32
      %0 = nnhal.operation "RELU"(%x) : (tensor<1x4x2x8x!sixteenths>) -> tensor<1x4x2x8x!sixteenths>
      %perm = nnhal.constant_copy dense<[0, 2, 1, 3]> : tensor<4xi32> -> tensor<4xi32>
      %1 = nnhal.operation "TRANSPOSE"(%0, %perm) : (tensor<1x4x2x8x!sixteenths>, tensor<4xi32>) -> tensor<1x2x4x8x!sixteenths>
      %terms = nnhal.constant_reference @terms[0] : tensor<8x!sixteenths>
      %2 = nnhal.operation "ADD"(%1, %terms, %none) : (tensor<1x2x4x8x!sixteenths>, tensor<8x!sixteenths>, i32) -> tensor<1x2x4x8x!quarters>
      %3 = nnhal.operation "RELU"(%2) : (tensor<1x2x4x8x!quarters>) -> tensor<1x2x4x8x!quarters>
      %shape = nnhal.constant_copy dense<8> : tensor<2xi32> -> tensor<2xi32>
      %4 = nnhal.operation "RESHAPE"(%3, %shape) : (tensor<1x2x4x8x!quarters>, tensor<2xi32>) -> tensor<8x8x!quarters>
      %5 = nnhal.operation "RELU"(%4) : (tensor<8x8x!quarters>) -> tensor<8x8x!quarters>
      %6 = nnhal.operation "FLOOR"(%unused) : (tensor<4xf32>) -> tensor<4xf32>
      nnhal.return %5, %6 : tensor<8x8x!quarters>, tensor<4xf32>
    }
  }
}
