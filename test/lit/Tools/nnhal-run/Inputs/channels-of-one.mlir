// One channel of an image, whose columns become the channels of a window, and
// taps and biases that are every other one of what they are taken from.
nnhal.model @columns attributes {hal_version = "1.3"} {
  nnhal.graph @main(%x: tensor<1x3x4x9xf32>, %w: tensor<1x1x1x8xf32>, %b: tensor<8xf32>)
      -> (tensor<1x1x3x4xf32>, tensor<1x1x3x2xf32>, tensor<1x1x3x4xf32>) {
    %begin = nnhal.constant_copy dense<[0, 0, 0, 2]> : tensor<4xi32> -> tensor<4xi32>
    %size = nnhal.constant_copy dense<[1, 3, 4, 1]> : tensor<4xi32> -> tensor<4xi32>
    %shape = nnhal.constant_copy dense<[1, 1, 3, 4]> : tensor<4xi32> -> tensor<4xi32>
    %0 = nnhal.constant_copy 0 : i32 -> i32
    %1 = nnhal.constant_copy 1 : i32 -> i32
    %channel = nnhal.operation "SLICE"(%x, %begin, %size)
        : (tensor<1x3x4x9xf32>, tensor<4xi32>, tensor<4xi32>) -> tensor<1x3x4x1xf32>
    %pixels = nnhal.operation "RESHAPE"(%channel, %shape)
        : (tensor<1x3x4x1xf32>, tensor<4xi32>) -> tensor<1x1x3x4xf32>
    %pool = nnhal.operation "MAX_POOL_2D"(%pixels, %1, %1, %1, %1, %1, %0)
        : (tensor<1x1x3x4xf32>, i32, i32, i32, i32, i32, i32) -> tensor<1x1x3x4xf32>
    %filter = nnhal.constant_copy dense<[[[[1.0, 2.0, 3.0, 4.0]]], [[[-1.0, 2.0, -3.0, 4.0]]]]> : tensor<2x1x1x4xf32> -> tensor<2x1x1x4xf32>
    %biases = nnhal.constant_copy dense<0.5> : tensor<2xf32> -> tensor<2xf32>
    %conv = nnhal.operation "CONV_2D"(%pixels, %filter, %biases, %1, %1, %1, %0)
        : (tensor<1x1x3x4xf32>, tensor<2x1x1x4xf32>, tensor<2xf32>, i32, i32, i32, i32) -> tensor<1x1x3x2xf32>
    %first = nnhal.constant_copy dense<0> : tensor<4xi32> -> tensor<4xi32>
    %end = nnhal.constant_copy dense<[1, 1, 1, 8]> : tensor<4xi32> -> tensor<4xi32>
    %steps = nnhal.constant_copy dense<[1, 1, 1, 2]> : tensor<4xi32> -> tensor<4xi32>
    %taps = nnhal.operation "STRIDED_SLICE"(%w, %first, %end, %steps, %0, %0, %0)
        : (tensor<1x1x1x8xf32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, i32, i32, i32) -> tensor<1x1x1x4xf32>
    %one = nnhal.constant_copy dense<1> : tensor<1xi32> -> tensor<1xi32>
    %eight = nnhal.constant_copy dense<8> : tensor<1xi32> -> tensor<1xi32>
    %two = nnhal.constant_copy dense<2> : tensor<1xi32> -> tensor<1xi32>
    %bias = nnhal.operation "STRIDED_SLICE"(%b, %one, %eight, %two, %0, %0, %0)
        : (tensor<8xf32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>, i32, i32, i32) -> tensor<4xf32>
    %depthwise = nnhal.operation "DEPTHWISE_CONV_2D"(%pixels, %taps, %bias, %1, %1, %1, %1, %0)
        : (tensor<1x1x3x4xf32>, tensor<1x1x1x4xf32>, tensor<4xf32>, i32, i32, i32, i32, i32) -> tensor<1x1x3x4xf32>
    nnhal.return %pool, %conv, %depthwise : tensor<1x1x3x4xf32>, tensor<1x1x3x2xf32>, tensor<1x1x3x4xf32>
  }
}
