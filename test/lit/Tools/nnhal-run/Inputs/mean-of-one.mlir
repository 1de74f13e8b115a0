// A mean over one element beside enough else that the code that calls the steps,
// and has those of the mean in it, is made quickly.
!byte = !quant.uniform<i8:f32, 2.0:3>
!fine = !quant.uniform<i8:f32, 0.5:3>
nnhal.model @mean attributes {hal_version = "1.3"} {
  nnhal.graph @main(%a: tensor<1x3x2x5x!byte>, %b: tensor<1x3x2x5x!byte>, %x: tensor<1x1x1x8x!fine>)
      -> (tensor<1x3x4x10x!byte>, tensor<1x3x4x10x!byte>, tensor<1x1x1x8x!fine>) {
    %0 = nnhal.constant_copy 0 : i32 -> i32
    %1 = nnhal.constant_copy 1 : i32 -> i32
    %2 = nnhal.constant_copy 2 : i32 -> i32
    %3 = nnhal.constant_copy 3 : i32 -> i32
    %true = nnhal.constant_copy 1 : i8 -> i8
    %columns = nnhal.operation "CONCATENATION"(%a, %b, %2)
        : (tensor<1x3x2x5x!byte>, tensor<1x3x2x5x!byte>, i32) -> tensor<1x3x4x5x!byte>
    %c = nnhal.constant_copy dense<40> : tensor<1x3x4x5xi8> -> tensor<1x3x4x5x!fine>
    %joined = nnhal.operation "CONCATENATION"(%columns, %c, %3)
        : (tensor<1x3x4x5x!byte>, tensor<1x3x4x5x!fine>, i32) -> tensor<1x3x4x10x!byte>
    %pool = nnhal.operation "MAX_POOL_2D"(%joined, %1, %1, %1, %1, %2, %0, %true)
        : (tensor<1x3x4x10x!byte>, i32, i32, i32, i32, i32, i32, i8) -> tensor<1x3x4x10x!byte>
    %axes = nnhal.constant_copy dense<1> : tensor<1xi32> -> tensor<1xi32>
    %mean = nnhal.operation "MEAN"(%x, %axes, %1)
        : (tensor<1x1x1x8x!fine>, tensor<1xi32>, i32) -> tensor<1x1x1x8x!fine>
    nnhal.return %joined, %pool, %mean : tensor<1x3x4x10x!byte>, tensor<1x3x4x10x!byte>, tensor<1x1x1x8x!fine>
  }
}
