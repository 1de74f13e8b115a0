// A depthwise convolution has the factors of its channels, and is left to the runtime
// where sums of one of them are not rounded in 32 bits.
// RUN: nnhal-opt %s --load-dialect-plugin=%{extension-halves}/nnhal.tflite.compiler.so --nnhal-raise-operations 2>%t | FileCheck %s
// RUN: FileCheck %s --check-prefix=REASONS <%t
!fixed = !quant.uniform<i16:f32, 0.5>
!fine = !quant.uniform<i16:f32, 0.0001>
!long = !nnhal.extension<"nnhal.tflite", 0 : 8>
!weight = !quant.uniform<i8<-127:127>:f32, 0.125>
!weights = !quant.uniform<i8<-127:127>:f32:3, {0.125, 0.0625}>
!others = !quant.uniform<i8<-127:127>:f32:2, {0.125, 0.0625, 0.5}>
!shifted = !quant.uniform<i8<-127:127>:f32:3, {0.125, 0.0625:1}>
// CHECK: tflite.depthwise %arg0, %arg1 [2, 1] [1, 2] [0, 2] biases [0, 0] multipliers [16384, 16384] shifts [1, 2] {activation = 1 : i32} : tensor<1x4x4x2x!quant16_symm>, tensor<1x2x3x2x
// REASONS: not raised: nnhal.tflite:4: its options and shapes do not fit
// REASONS: not raised: nnhal.tflite:4: its options and shapes do not fit
// REASONS: not raised: nnhal.tflite:4: its options and shapes do not fit
// REASONS: not raised: nnhal.tflite:4: its options and shapes do not fit
// REASONS: not raised: nnhal.tflite:4: its sums are not rounded in 32 bits
// REASONS: not raised: nnhal.tflite:4: its sums are not rounded in 32 bits
// REASONS: not raised: nnhal.tflite:4: its sums are not rounded in 32 bits
// REASONS: not raised: nnhal.tflite:4: its sums are not rounded in 32 bits
// REASONS: not raised: nnhal.tflite:4: its channels have not 1 to 255 weights each
// REASONS: not raised: nnhal.tflite:4: elements of these types are not compiled
// REASONS: not raised: nnhal.tflite:4: its sums are not rounded in 32 bits
// REASONS: not raised: nnhal.tflite:4: its windows reach so far that they pad most of the image
nnhal.model @model attributes {hal_version = "1.3", extension_names = ["nnhal.tflite"], extension_prefixes = array<i32: 1>} {
  nnhal.graph @main(%a0: tensor<1x4x4x2x!fixed>, %a1: tensor<1x2x3x2x!weights>, %a2: tensor<1x4x4x1x!fixed>, %a3: tensor<1x2x3x2x!others>, %a4: tensor<1x16x16x2x!weight>, %a5: tensor<1x2x3x2xf32>, %a6: tensor<1x2x3x2x!shifted>) -> (tensor<1x2x4x2x!fixed>, tensor<1x2x4x2x!fixed>, tensor<1x2x4x2x!fixed>, tensor<1x2x4x2x!fixed>, tensor<1x2x4x2x!fixed>, tensor<1x2x4x2x!fixed>, tensor<1x2x4x2x!fine>, tensor<1x2x4x2x!fixed>, tensor<1x2x4x2x!fixed>, tensor<1x2x4x2x!fixed>, tensor<1x2x4x2x!fixed>, tensor<1x2x4x2x!fixed>, tensor<1x2x4x2x!fixed>) {
    %zero = nnhal.constant_copy 0 : i32 -> i32
    %one = nnhal.constant_copy 1 : i32 -> i32
    %two = nnhal.constant_copy 2 : i32 -> i32
    %far = nnhal.constant_copy 400 : i32 -> i32
    %absent = nnhal.no_value : tensor<2x!long>
    %bias = nnhal.constant dense<1> : tensor<2xi32> -> tensor<2xi32>
    %short = nnhal.constant dense<1> : tensor<3xi32> -> tensor<3xi32>
    // Lines that are apart, and columns of the window.
    %r0 = nnhal.operation "nnhal.tflite:4"(%a0, %a1, %absent, %zero, %one, %two, %one, %one, %two, %one) : (tensor<1x4x4x2x!fixed>, tensor<1x2x3x2x!weights>, tensor<2x!long>, i32, i32, i32, i32, i32, i32, i32) -> tensor<1x2x4x2x!fixed>
    // A stride of 0.
    %r1 = nnhal.operation "nnhal.tflite:4"(%a0, %a1, %absent, %zero, %zero, %two, %one, %one, %two, %one) : (tensor<1x4x4x2x!fixed>, tensor<1x2x3x2x!weights>, tensor<2x!long>, i32, i32, i32, i32, i32, i32, i32) -> tensor<1x2x4x2x!fixed>
    // A padding that is none.
    %r2 = nnhal.operation "nnhal.tflite:4"(%a0, %a1, %absent, %two, %one, %two, %one, %one, %two, %one) : (tensor<1x4x4x2x!fixed>, tensor<1x2x3x2x!weights>, tensor<2x!long>, i32, i32, i32, i32, i32, i32, i32) -> tensor<1x2x4x2x!fixed>
    // Windows that do not fit.
    %r3 = nnhal.operation "nnhal.tflite:4"(%a0, %a1, %absent, %one, %one, %two, %one, %one, %two, %one) : (tensor<1x4x4x2x!fixed>, tensor<1x2x3x2x!weights>, tensor<2x!long>, i32, i32, i32, i32, i32, i32, i32) -> tensor<1x2x4x2x!fixed>
    // Several filters of a channel.
    %r4 = nnhal.operation "nnhal.tflite:4"(%a2, %a1, %absent, %zero, %one, %two, %one, %one, %two, %one) : (tensor<1x4x4x1x!fixed>, tensor<1x2x3x2x!weights>, tensor<2x!long>, i32, i32, i32, i32, i32, i32, i32) -> tensor<1x2x4x2x!fixed>
    // A bias of INT32.
    %r5 = nnhal.operation "nnhal.tflite:4"(%a0, %a1, %bias, %zero, %one, %two, %one, %one, %two, %one) : (tensor<1x4x4x2x!fixed>, tensor<1x2x3x2x!weights>, tensor<2xi32>, i32, i32, i32, i32, i32, i32, i32) -> tensor<1x2x4x2x!fixed>
    // Results that are too fine.
    %r6 = nnhal.operation "nnhal.tflite:4"(%a0, %a1, %absent, %zero, %one, %two, %one, %one, %two, %one) : (tensor<1x4x4x2x!fixed>, tensor<1x2x3x2x!weights>, tensor<2x!long>, i32, i32, i32, i32, i32, i32, i32) -> tensor<1x2x4x2x!fine>
    // A bias of other channels.
    %r7 = nnhal.operation "nnhal.tflite:4"(%a0, %a1, %short, %zero, %one, %two, %one, %one, %two, %one) : (tensor<1x4x4x2x!fixed>, tensor<1x2x3x2x!weights>, tensor<3xi32>, i32, i32, i32, i32, i32, i32, i32) -> tensor<1x2x4x2x!fixed>
    // Scales of columns.
    %r8 = nnhal.operation "nnhal.tflite:4"(%a0, %a3, %absent, %zero, %one, %two, %one, %one, %two, %one) : (tensor<1x4x4x2x!fixed>, tensor<1x2x3x2x!others>, tensor<2x!long>, i32, i32, i32, i32, i32, i32, i32) -> tensor<1x2x4x2x!fixed>
    // Windows of 256 elements.
    %r9 = nnhal.operation "nnhal.tflite:4"(%a0, %a4, %absent, %zero, %one, %two, %one, %one, %two, %one) : (tensor<1x4x4x2x!fixed>, tensor<1x16x16x2x!weight>, tensor<2x!long>, i32, i32, i32, i32, i32, i32, i32) -> tensor<1x2x4x2x!fixed>
    // Weights that are real.
    %r10 = nnhal.operation "nnhal.tflite:4"(%a0, %a5, %absent, %zero, %one, %two, %one, %one, %two, %one) : (tensor<1x4x4x2x!fixed>, tensor<1x2x3x2xf32>, tensor<2x!long>, i32, i32, i32, i32, i32, i32, i32) -> tensor<1x2x4x2x!fixed>
    // Weights of one channel that are not around 0.
    %r11 = nnhal.operation "nnhal.tflite:4"(%a0, %a6, %absent, %zero, %one, %two, %one, %one, %two, %one) : (tensor<1x4x4x2x!fixed>, tensor<1x2x3x2x!shifted>, tensor<2x!long>, i32, i32, i32, i32, i32, i32, i32) -> tensor<1x2x4x2x!fixed>
    // Windows that are mostly outside of the image.
    %r12 = nnhal.operation "nnhal.tflite:4"(%a0, %a1, %absent, %zero, %one, %two, %one, %one, %far, %far) : (tensor<1x4x4x2x!fixed>, tensor<1x2x3x2x!weights>, tensor<2x!long>, i32, i32, i32, i32, i32, i32, i32) -> tensor<1x2x4x2x!fixed>
    nnhal.return %r0, %r1, %r2, %r3, %r4, %r5, %r6, %r7, %r8, %r9, %r10, %r11, %r12 : tensor<1x2x4x2x!fixed>, tensor<1x2x4x2x!fixed>, tensor<1x2x4x2x!fixed>, tensor<1x2x4x2x!fixed>, tensor<1x2x4x2x!fixed>, tensor<1x2x4x2x!fixed>, tensor<1x2x4x2x!fine>, tensor<1x2x4x2x!fixed>, tensor<1x2x4x2x!fixed>, tensor<1x2x4x2x!fixed>, tensor<1x2x4x2x!fixed>, tensor<1x2x4x2x!fixed>, tensor<1x2x4x2x!fixed>
  }
}
