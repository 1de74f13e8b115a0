// Shapes that are computed from those of tensors are constants where extents are
// known, so that operators which take them are raised.
// RUN: nnhal-opt %s --load-dialect-plugin=%{extension-halves}/nnhal.tflite.compiler.so --nnhal-raise-operations=strict | FileCheck %s
!long = !nnhal.extension<"nnhal.tflite", 0 : 8>

// [4, 3] is taken apart and put together to [4, 3, 1], which becomes [4, 1, 3];
// 12 is a product.
// CHECK-LABEL: nnhal.model @reshaped
// CHECK: nnhal.graph @main
// CHECK-NEXT: %[[X:.+]] = tflite.reshape %arg0 : tensor<4x3xf32> -> tensor<4x1x3xf32>
// CHECK-NEXT: tflite.reshape %[[X]] : tensor<4x1x3xf32> -> tensor<12xf32>
nnhal.model @reshaped attributes {hal_version = "1.3", extension_names = ["nnhal.tflite"], extension_prefixes = array<i32: 1>} {
  nnhal.graph @main(%x: tensor<4x3xf32>) -> tensor<12xf32> {
    %type = nnhal.constant_copy 4 : i32 -> i32
    %zero = nnhal.constant_copy 0 : i32 -> i32
    %one = nnhal.constant_copy 1 : i32 -> i32
    %two = nnhal.constant_copy 2 : i32 -> i32
    %three = nnhal.constant_copy 3 : i32 -> i32
    %no = nnhal.constant_copy 0 : i8 -> i8
    %first = nnhal.constant_copy dense<0> : tensor<1xi32> -> tensor<1xi32>
    %second = nnhal.constant_copy dense<1> : tensor<1xi32> -> tensor<1xi32>
    %middle = nnhal.constant_copy dense<1> : tensor<1xi64> -> tensor<1x!long>
    %order = nnhal.constant_copy dense<[0, 2, 1]> : tensor<3xi64> -> tensor<3x!long>
    %shape = nnhal.operation "nnhal.tflite:77"(%x, %type) : (tensor<4x3xf32>, i32) -> tensor<2x!long>
    %rows = nnhal.operation "nnhal.tflite:45"(%shape, %first, %second, %second, %zero, %zero, %zero, %zero, %one, %no)
        : (tensor<2x!long>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>, i32, i32, i32, i32, i32, i8) -> tensor<1x!long>
    %columns = nnhal.operation "nnhal.tflite:36"(%shape, %second, %zero, %zero) : (tensor<2x!long>, tensor<1xi32>, i32, i32) -> tensor<1x!long>
    %packed = nnhal.operation "nnhal.tflite:83"(%rows, %columns, %middle, %three, %zero) : (tensor<1x!long>, tensor<1x!long>, tensor<1x!long>, i32, i32) -> tensor<3x!long>
    %ordered = nnhal.operation "nnhal.tflite:36"(%packed, %order, %zero, %zero) : (tensor<3x!long>, tensor<3x!long>, i32, i32) -> tensor<3x!long>
    %0 = nnhal.operation "nnhal.tflite:22"(%x, %ordered) : (tensor<4x3xf32>, tensor<3x!long>) -> tensor<4x1x3xf32>
    %all = nnhal.operation "nnhal.tflite:81"(%shape, %first, %no) : (tensor<2x!long>, tensor<1xi32>, i8) -> tensor<1x!long>
    %short = nnhal.operation "nnhal.tflite:53"(%all, %type, %two) : (tensor<1x!long>, i32, i32) -> tensor<1xi32>
    %1 = nnhal.operation "nnhal.tflite:22"(%0, %short) : (tensor<4x1x3xf32>, tensor<1xi32>) -> tensor<12xf32>
    nnhal.return %1 : tensor<12xf32>
  }
}

// Arithmetic broadcasts: [4, 3] * 1 - [1, 2] + [0, 1].
// CHECK-LABEL: nnhal.model @computed
// CHECK: nnhal.graph @main
// CHECK-NEXT: tflite.slice %arg0 [0, 0] [1, 1] : tensor<4x6xf32> -> tensor<3x2xf32>
nnhal.model @computed attributes {hal_version = "1.3", extension_names = ["nnhal.tflite"], extension_prefixes = array<i32: 1>} {
  nnhal.graph @main(%x: tensor<4x6xf32>, %y: tensor<4x3xf32>) -> tensor<3x2xf32> {
    %type = nnhal.constant_copy 4 : i32 -> i32
    %none = nnhal.constant_copy 0 : i32 -> i32
    %one = nnhal.constant_copy dense<1> : tensor<1xi64> -> tensor<1x!long>
    %less = nnhal.constant_copy dense<[1, 2]> : tensor<2xi64> -> tensor<2x!long>
    %more = nnhal.constant_copy dense<[0, 1]> : tensor<2xi64> -> tensor<2x!long>
    %begin = nnhal.constant_copy dense<0> : tensor<2xi64> -> tensor<2x!long>
    %shape = nnhal.operation "nnhal.tflite:77"(%y, %type) : (tensor<4x3xf32>, i32) -> tensor<2x!long>
    %0 = nnhal.operation "nnhal.tflite:18"(%shape, %one, %none) : (tensor<2x!long>, tensor<1x!long>, i32) -> tensor<2x!long>
    %1 = nnhal.operation "nnhal.tflite:41"(%0, %less, %none) : (tensor<2x!long>, tensor<2x!long>, i32) -> tensor<2x!long>
    %2 = nnhal.operation "nnhal.tflite:0"(%1, %more, %none) : (tensor<2x!long>, tensor<2x!long>, i32) -> tensor<2x!long>
    %3 = nnhal.operation "nnhal.tflite:65"(%x, %begin, %2) : (tensor<4x6xf32>, tensor<2x!long>, tensor<2x!long>) -> tensor<3x2xf32>
    nnhal.return %3 : tensor<3x2xf32>
  }
}
