// Windows over every other channel of an image.
!byte = !quant.uniform<i8:f32, 0.5:3>
!weight = !quant.uniform<i8:f32, 0.25:0>
!sum = !quant.uniform<i32:f32, 0.125>
nnhal.model @strided attributes {hal_version = "1.3"} {
  nnhal.graph @main(%x: tensor<1x3x3x9xf32>, %q: tensor<1x3x3x9x!byte>)
      -> (tensor<1x3x3x4xf32>, tensor<1x3x3x4xf32>, tensor<1x3x3x2xf32>, tensor<1x3x3x2x!byte>) {
    %begin = nnhal.constant_copy dense<[0, 0, 0, 1]> : tensor<4xi32> -> tensor<4xi32>
    %end = nnhal.constant_copy dense<[1, 3, 3, 9]> : tensor<4xi32> -> tensor<4xi32>
    %steps = nnhal.constant_copy dense<[1, 1, 1, 2]> : tensor<4xi32> -> tensor<4xi32>
    %0 = nnhal.constant_copy 0 : i32 -> i32
    %1 = nnhal.constant_copy 1 : i32 -> i32
    %2 = nnhal.constant_copy 2 : i32 -> i32
    %part = nnhal.operation "STRIDED_SLICE"(%x, %begin, %end, %steps, %0, %0, %0)
        : (tensor<1x3x3x9xf32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, i32, i32, i32) -> tensor<1x3x3x4xf32>
    %pool = nnhal.operation "MAX_POOL_2D"(%part, %1, %1, %1, %2, %2, %0)
        : (tensor<1x3x3x4xf32>, i32, i32, i32, i32, i32, i32) -> tensor<1x3x3x4xf32>
    %taps = nnhal.constant_copy dense<[[[[1.0, 2.0, 3.0, 4.0]]]]> : tensor<1x1x1x4xf32> -> tensor<1x1x1x4xf32>
    %biases = nnhal.constant_copy dense<0.5> : tensor<4xf32> -> tensor<4xf32>
    %depthwise = nnhal.operation "DEPTHWISE_CONV_2D"(%part, %taps, %biases, %1, %1, %1, %1, %0)
        : (tensor<1x3x3x4xf32>, tensor<1x1x1x4xf32>, tensor<4xf32>, i32, i32, i32, i32, i32) -> tensor<1x3x3x4xf32>
    %filter = nnhal.constant_copy dense<[[[[1.0, 2.0, 3.0, 4.0]]], [[[-1.0, 2.0, -3.0, 4.0]]]]> : tensor<2x1x1x4xf32> -> tensor<2x1x1x4xf32>
    %bias = nnhal.constant_copy dense<0.5> : tensor<2xf32> -> tensor<2xf32>
    %conv = nnhal.operation "CONV_2D"(%part, %filter, %bias, %1, %1, %1, %0)
        : (tensor<1x3x3x4xf32>, tensor<2x1x1x4xf32>, tensor<2xf32>, i32, i32, i32, i32) -> tensor<1x3x3x2xf32>
    %bytes = nnhal.operation "STRIDED_SLICE"(%q, %begin, %end, %steps, %0, %0, %0)
        : (tensor<1x3x3x9x!byte>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, i32, i32, i32) -> tensor<1x3x3x4x!byte>
    %weights = nnhal.constant_copy dense<[[[[1, 2, 3, 4]]], [[[-1, 2, -3, 4]]]]> : tensor<2x1x1x4xi8> -> tensor<2x1x1x4x!weight>
    %first = nnhal.constant_copy dense<7> : tensor<2xi32> -> tensor<2x!sum>
    %product = nnhal.operation "CONV_2D"(%bytes, %weights, %first, %1, %1, %1, %0)
        : (tensor<1x3x3x4x!byte>, tensor<2x1x1x4x!weight>, tensor<2x!sum>, i32, i32, i32, i32) -> tensor<1x3x3x2x!byte>
    nnhal.return %pool, %depthwise, %conv, %product
        : tensor<1x3x3x4xf32>, tensor<1x3x3x4xf32>, tensor<1x3x3x2xf32>, tensor<1x3x3x2x!byte>
  }
}
