// A transposed convolution of 16 bits is a convolution to the channels of all its phases,
// which go to their places, and one in groups a convolution for each of them.
// RUN: nnhal-opt %s --load-dialect-plugin=%{extension-halves}/nnhal.tflite.compiler.so --nnhal-raise-operations 2>%t | FileCheck %s
// RUN: FileCheck %s --check-prefix=REASONS <%t
// The filter 1 2 3 of stride 2 has the phases 3 1 and 0 2.
// CHECK: %[[PHASES:.+]] = nnhal.constant dense_resource<weights> : tensor<2x1x2x1xi8>
// CHECK: %[[SUMS:.+]] = tflite.convolution once_in_32 %arg0, %[[PHASES]] [1, 1] [1, 1] [0, 1] biases [5, 5] {{.+}} : tensor<1x1x4x1x!quant16_symm>, {{.+}} -> tensor<1x1x5x2x!quant16_symm>
// CHECK: tflite.reshape %[[SUMS]] : {{.+}} -> tensor<1x1x5x1x2x1x!quant16_symm>
// CHECK: tflite.transpose {{.+}} -> tensor<1x1x1x5x2x1x!quant16_symm>
// CHECK: tflite.reshape {{.+}} -> tensor<1x1x10x1x!quant16_symm>
// CHECK: tflite.slice {{.+}} -> tensor<1x1x9x1x!quant16_symm>
// CHECK: tflite.slice %arg1 [0, 0, 0, 0] {{.+}} -> tensor<1x2x2x2x!quant16_symm>
// CHECK: tflite.convolution once_in_32 {{.+}} biases [1, 2, 3] {{.+}} -> tensor<1x2x2x3x!quant16_symm>
// CHECK: tflite.slice %arg1 [0, 0, 0, 2] {{.+}} -> tensor<1x2x2x2x!quant16_symm>
// CHECK: tflite.convolution once_in_32 {{.+}} biases [4, 5, 6] {{.+}} -> tensor<1x2x2x3x!quant16_symm>
// CHECK: tflite.concatenate {{.+}} -> tensor<1x2x2x6x!quant16_symm>
// REASONS: not raised: nnhal.tflite:67: its phases have many more weights than its filter
// REASONS: not raised: nnhal.tflite:67: its options and shapes do not fit
// REASONS: not raised: nnhal.tflite:67: its filter is computed
// REASONS: not raised: nnhal.tflite:67: the shape is computed
// REASONS: not raised: nnhal.tflite:67: elements of these types are not compiled
// REASONS: not raised: nnhal.tflite:67: it has no elements
// REASONS: not raised: nnhal.tflite:3: it has more than 32 groups of channels
// The resource has the phases in turn.
// CHECK: weights: "0x1000000003010002"
!fixed = !quant.uniform<i16:f32, 0.5>
!long = !nnhal.extension<"nnhal.tflite", 0 : 8>
!weight = !quant.uniform<i8<-127:127>:f32, 0.125>
nnhal.model @model attributes {hal_version = "1.3", extension_names = ["nnhal.tflite"], extension_prefixes = array<i32: 1>} {
  nnhal.graph @main(%x: tensor<1x1x4x1x!fixed>, %image: tensor<1x2x2x4x!fixed>, %computed: tensor<1x1x3x1x!weight>, %extents: tensor<4xi32>, %real: tensor<1x1x3x1xf32>, %none: tensor<1x0x4x1x!fixed>, %deep: tensor<1x1x1x33x!fixed>) -> (tensor<1x1x9x1x!fixed>, tensor<1x2x2x6x!fixed>, tensor<1x1x12x1x!fixed>, tensor<1x1x9x2x!fixed>, tensor<1x1x9x1x!fixed>, tensor<1x1x9x1x!fixed>, tensor<1x1x9x1x!fixed>, tensor<1x1x9x1x!fixed>, tensor<1x1x1x33x!fixed>) {
    %zero = nnhal.constant_copy 0 : i32 -> i32
    %one = nnhal.constant_copy 1 : i32 -> i32
    %two = nnhal.constant_copy 2 : i32 -> i32
    %five = nnhal.constant_copy 5 : i32 -> i32
    %absent = nnhal.no_value : tensor<33x!long>
    %bias = nnhal.constant dense<5> : tensor<1xi64> -> tensor<1x!long>
    %biases = nnhal.constant dense<[1, 2, 3, 4, 5, 6]> : tensor<6xi64> -> tensor<6x!long>
    %shape = nnhal.constant dense<[1, 1, 9, 1]> : tensor<4xi32> -> tensor<4xi32>
    %wide = nnhal.constant dense<[1, 1, 12, 1]> : tensor<4xi32> -> tensor<4xi32>
    %w = nnhal.constant dense<[[[[1], [2], [3]]]]> : tensor<1x1x3x1xi8> -> tensor<1x1x3x1x!weight>
    %point = nnhal.constant dense<1> : tensor<1x1x1x1xi8> -> tensor<1x1x1x1x!weight>
    %groups = nnhal.constant dense<3> : tensor<6x1x1x2xi8> -> tensor<6x1x1x2x!weight>
    %each = nnhal.constant dense<3> : tensor<33x1x1x1xi8> -> tensor<33x1x1x1x!weight>
    %r0 = nnhal.operation "nnhal.tflite:67"(%shape, %w, %x, %bias, %one, %two, %one, %zero) : (tensor<4xi32>, tensor<1x1x3x1x!weight>, tensor<1x1x4x1x!fixed>, tensor<1x!long>, i32, i32, i32, i32) -> tensor<1x1x9x1x!fixed>
    %r1 = nnhal.operation "nnhal.tflite:3"(%image, %groups, %biases, %zero, %one, %one, %zero, %one, %one) : (tensor<1x2x2x4x!fixed>, tensor<6x1x1x2x!weight>, tensor<6x!long>, i32, i32, i32, i32, i32, i32) -> tensor<1x2x2x6x!fixed>
    // One weight becomes 25.
    %r2 = nnhal.operation "nnhal.tflite:67"(%wide, %point, %x, %bias, %zero, %five, %one, %zero) : (tensor<4xi32>, tensor<1x1x1x1x!weight>, tensor<1x1x4x1x!fixed>, tensor<1x!long>, i32, i32, i32, i32) -> tensor<1x1x12x1x!fixed>
    // More channels than the filter has.
    %r3 = nnhal.operation "nnhal.tflite:67"(%shape, %w, %x, %bias, %one, %two, %one, %zero) : (tensor<4xi32>, tensor<1x1x3x1x!weight>, tensor<1x1x4x1x!fixed>, tensor<1x!long>, i32, i32, i32, i32) -> tensor<1x1x9x2x!fixed>
    %r4 = nnhal.operation "nnhal.tflite:67"(%shape, %computed, %x, %bias, %one, %two, %one, %zero) : (tensor<4xi32>, tensor<1x1x3x1x!weight>, tensor<1x1x4x1x!fixed>, tensor<1x!long>, i32, i32, i32, i32) -> tensor<1x1x9x1x!fixed>
    %r5 = nnhal.operation "nnhal.tflite:67"(%extents, %w, %x, %bias, %one, %two, %one, %zero) : (tensor<4xi32>, tensor<1x1x3x1x!weight>, tensor<1x1x4x1x!fixed>, tensor<1x!long>, i32, i32, i32, i32) -> tensor<1x1x9x1x!fixed>
    %r6 = nnhal.operation "nnhal.tflite:67"(%shape, %real, %x, %bias, %one, %two, %one, %zero) : (tensor<4xi32>, tensor<1x1x3x1xf32>, tensor<1x1x4x1x!fixed>, tensor<1x!long>, i32, i32, i32, i32) -> tensor<1x1x9x1x!fixed>
    %r7 = nnhal.operation "nnhal.tflite:67"(%shape, %w, %none, %bias, %one, %two, %one, %zero) : (tensor<4xi32>, tensor<1x1x3x1x!weight>, tensor<1x0x4x1x!fixed>, tensor<1x!long>, i32, i32, i32, i32) -> tensor<1x1x9x1x!fixed>
    %r8 = nnhal.operation "nnhal.tflite:3"(%deep, %each, %absent, %zero, %one, %one, %zero, %one, %one) : (tensor<1x1x1x33x!fixed>, tensor<33x1x1x1x!weight>, tensor<33x!long>, i32, i32, i32, i32, i32, i32) -> tensor<1x1x1x33x!fixed>
    nnhal.return %r0, %r1, %r2, %r3, %r4, %r5, %r6, %r7, %r8 : tensor<1x1x9x1x!fixed>, tensor<1x2x2x6x!fixed>, tensor<1x1x12x1x!fixed>, tensor<1x1x9x2x!fixed>, tensor<1x1x9x1x!fixed>, tensor<1x1x9x1x!fixed>, tensor<1x1x9x1x!fixed>, tensor<1x1x9x1x!fixed>, tensor<1x1x1x33x!fixed>
  }
}
