// Convolutions and products of 16 bits have factors of their channels, whose sums are
// made of as many parts as fit 32 bits, and are left to the runtime where they have no
// such factors or the call is faster.
// RUN: nnhal-opt %s --load-dialect-plugin=%{extension-halves}/nnhal.tflite.compiler.so --nnhal-raise-operations 2>%t | FileCheck %s
// RUN: FileCheck %s --check-prefix=REASONS <%t
// CHECK: tflite.convolution once_in_32 %{{.+}}, %{{.+}} [2, 1] [1, 2] [0, 2] biases [5, 7] multipliers [16384, 16384] shifts [1, 2] {activation = 1 : i32} : tensor<1x4x4x3x!quant16_symm>, tensor<2x2x3x3x
// Results that are too fine for 32 bits.
// CHECK: tflite.convolution once_in_64 %{{.+}} multipliers [19531, 19531] shifts [10, 11]
// A bias of INT32.
// CHECK: tflite.convolution twice %{{.+}} biases [1, 1] multipliers [1073741824, 1073741824] shifts [-2, -3]
// Sums of 400 products of 127 fit 32 bits, and those of 600 are made of two.
// CHECK: tflite.convolution once_in_32 %{{.+}} : tensor<1x1x2x400x!quant16_symm>, tensor<1x400x
// CHECK: tflite.convolution once_in_64 %{{.+}} {parts = 2 : i64} : tensor<1x1x2x600x!quant16_symm>, tensor<1x600x
// A filter that is computed.
// CHECK: tflite.convolution once_in_32 %arg0, %arg1 [2, 1] [1, 2] [0, 2] biases [0, 0]
// REASONS-COUNT-2: not raised: nnhal.tflite:3: its options and shapes do not fit
// REASONS: not raised: nnhal.tflite:3: it has no elements
// REASONS: not raised: nnhal.tflite:3: its factors and biases are not those of channels in 32 bits
// REASONS: not raised: nnhal.tflite:3: its sums have more than 32 bits for each part of them
// REASONS: not raised: nnhal.tflite:3: elements of these types are not compiled
// REASONS: not raised: nnhal.tflite:9: its options and shapes do not fit
// REASONS: not raised: nnhal.tflite:9: its result channels are too few for a register of sums
// REASONS: not raised: nnhal.tflite:3: the bias is computed
!fixed = !quant.uniform<i16:f32, 0.5>
!fine = !quant.uniform<i16:f32, 0.0032768>
!long = !nnhal.extension<"nnhal.tflite", 0 : 8>
!weight = !quant.uniform<i8<-127:127>:f32, 0.125>
!weights = !quant.uniform<i8<-127:127>:f32:0, {0.125, 0.0625}>
!others = !quant.uniform<i8<-127:127>:f32:3, {0.125, 0.0625, 0.5}>
nnhal.model @model attributes {hal_version = "1.3", extension_names = ["nnhal.tflite"], extension_prefixes = array<i32: 1>} {
  nnhal.graph @main(%x: tensor<1x4x4x3x!fixed>, %computed: tensor<2x2x3x3x!weights>, %none: tensor<0x4x4x3x!fixed>, %large: tensor<1x23x23x1x!fixed>, %wide: tensor<2x400x!fixed>, %wider: tensor<1x2x600x!fixed>, %many: tensor<512x512x!fixed>, %offsets: tensor<2x!long>) -> (tensor<1x2x4x2x!fixed>, tensor<1x2x4x2x!fine>, tensor<1x2x4x2x!fixed>, tensor<2x1x!fixed>, tensor<1x2x1x!fixed>, tensor<1x3x4x2x!fixed>, tensor<1x2x4x2x!fixed>, tensor<0x2x4x2x!fixed>, tensor<1x2x4x2x!fixed>, tensor<1x2x4x2x!fixed>, tensor<1x1x1x2x!fixed>, tensor<1x2x4x2x!fixed>, tensor<3x1x!fixed>, tensor<512x1x!fixed>, tensor<1x2x4x2x!fixed>) {
    %zero = nnhal.constant_copy 0 : i32 -> i32
    %one = nnhal.constant_copy 1 : i32 -> i32
    %two = nnhal.constant_copy 2 : i32 -> i32
    %no = nnhal.constant_copy 0 : i8 -> i8
    %yes = nnhal.constant_copy 1 : i8 -> i8
    %absent = nnhal.no_value : tensor<2x!long>
    %single = nnhal.no_value : tensor<1x!long>
    %bias = nnhal.constant dense<[5, 7]> : tensor<2xi64> -> tensor<2x!long>
    %huge = nnhal.constant dense<[5, 2147483648]> : tensor<2xi64> -> tensor<2x!long>
    %short = nnhal.constant dense<1> : tensor<2xi32> -> tensor<2xi32>
    %w = nnhal.constant dense<3> : tensor<2x2x3x3xi8> -> tensor<2x2x3x3x!weights>
    %group = nnhal.constant dense<3> : tensor<2x2x3x1xi8> -> tensor<2x2x3x1x!weights>
    %apart = nnhal.constant dense<3> : tensor<2x2x3x3xi8> -> tensor<2x2x3x3x!others>
    %real = nnhal.constant dense<3.0> : tensor<2x2x3x3xf32> -> tensor<2x2x3x3xf32>
    %window = nnhal.constant dense<127> : tensor<2x23x23x1xi8> -> tensor<2x23x23x1x!weights>
    %row = nnhal.constant dense<127> : tensor<1x400xi8> -> tensor<1x400x!weight>
    %longer = nnhal.constant dense<-127> : tensor<1x600xi8> -> tensor<1x600x!weight>
    %column = nnhal.constant dense<1> : tensor<1x512xi8> -> tensor<1x512x!weight>
    // Lines that are apart, and columns of the window.
    %r0 = nnhal.operation "nnhal.tflite:3"(%x, %w, %bias, %zero, %one, %two, %one, %two, %one) : (tensor<1x4x4x3x!fixed>, tensor<2x2x3x3x!weights>, tensor<2x!long>, i32, i32, i32, i32, i32, i32) -> tensor<1x2x4x2x!fixed>
    %r1 = nnhal.operation "nnhal.tflite:3"(%x, %w, %bias, %zero, %one, %two, %one, %two, %one) : (tensor<1x4x4x3x!fixed>, tensor<2x2x3x3x!weights>, tensor<2x!long>, i32, i32, i32, i32, i32, i32) -> tensor<1x2x4x2x!fine>
    %r2 = nnhal.operation "nnhal.tflite:3"(%x, %w, %short, %zero, %one, %two, %one, %two, %one) : (tensor<1x4x4x3x!fixed>, tensor<2x2x3x3x!weights>, tensor<2xi32>, i32, i32, i32, i32, i32, i32) -> tensor<1x2x4x2x!fixed>
    %r3 = nnhal.operation "nnhal.tflite:9"(%wide, %row, %single, %zero, %zero, %no) : (tensor<2x400x!fixed>, tensor<1x400x!weight>, tensor<1x!long>, i32, i32, i8) -> tensor<2x1x!fixed>
    %r4 = nnhal.operation "nnhal.tflite:9"(%wider, %longer, %single, %zero, %zero, %yes) : (tensor<1x2x600x!fixed>, tensor<1x600x!weight>, tensor<1x!long>, i32, i32, i8) -> tensor<1x2x1x!fixed>
    // The result states more windows than there are.
    %r5 = nnhal.operation "nnhal.tflite:3"(%x, %w, %absent, %zero, %one, %two, %one, %two, %one) : (tensor<1x4x4x3x!fixed>, tensor<2x2x3x3x!weights>, tensor<2x!long>, i32, i32, i32, i32, i32, i32) -> tensor<1x3x4x2x!fixed>
    // Two result channels of three groups.
    %r6 = nnhal.operation "nnhal.tflite:3"(%x, %group, %absent, %zero, %one, %two, %one, %two, %one) : (tensor<1x4x4x3x!fixed>, tensor<2x2x3x1x!weights>, tensor<2x!long>, i32, i32, i32, i32, i32, i32) -> tensor<1x2x4x2x!fixed>
    %r7 = nnhal.operation "nnhal.tflite:3"(%none, %w, %absent, %zero, %one, %two, %one, %two, %one) : (tensor<0x4x4x3x!fixed>, tensor<2x2x3x3x!weights>, tensor<2x!long>, i32, i32, i32, i32, i32, i32) -> tensor<0x2x4x2x!fixed>
    %r8 = nnhal.operation "nnhal.tflite:3"(%x, %computed, %absent, %zero, %one, %two, %one, %two, %one) : (tensor<1x4x4x3x!fixed>, tensor<2x2x3x3x!weights>, tensor<2x!long>, i32, i32, i32, i32, i32, i32) -> tensor<1x2x4x2x!fixed>
    // A bias of 33 bits.
    %r9 = nnhal.operation "nnhal.tflite:3"(%x, %w, %huge, %zero, %one, %two, %one, %two, %one) : (tensor<1x4x4x3x!fixed>, tensor<2x2x3x3x!weights>, tensor<2x!long>, i32, i32, i32, i32, i32, i32) -> tensor<1x2x4x2x!fixed>
    // A single channel, which is not divided.
    %r10 = nnhal.operation "nnhal.tflite:3"(%large, %window, %absent, %one, %one, %one, %one, %one, %one) : (tensor<1x23x23x1x!fixed>, tensor<2x23x23x1x!weights>, tensor<2x!long>, i32, i32, i32, i32, i32, i32) -> tensor<1x1x1x2x!fixed>
    %r11 = nnhal.operation "nnhal.tflite:3"(%x, %real, %absent, %zero, %one, %two, %one, %two, %one) : (tensor<1x4x4x3x!fixed>, tensor<2x2x3x3xf32>, tensor<2x!long>, i32, i32, i32, i32, i32, i32) -> tensor<1x2x4x2x!fixed>
    %r12 = nnhal.operation "nnhal.tflite:9"(%wide, %row, %single, %zero, %zero, %no) : (tensor<2x400x!fixed>, tensor<1x400x!weight>, tensor<1x!long>, i32, i32, i8) -> tensor<3x1x!fixed>
    %r13 = nnhal.operation "nnhal.tflite:9"(%many, %column, %single, %zero, %zero, %no) : (tensor<512x512x!fixed>, tensor<1x512x!weight>, tensor<1x!long>, i32, i32, i8) -> tensor<512x1x!fixed>
    %r14 = nnhal.operation "nnhal.tflite:3"(%x, %w, %offsets, %zero, %one, %two, %one, %two, %one) : (tensor<1x4x4x3x!fixed>, tensor<2x2x3x3x!weights>, tensor<2x!long>, i32, i32, i32, i32, i32, i32) -> tensor<1x2x4x2x!fixed>
    nnhal.return %r0, %r1, %r2, %r3, %r4, %r5, %r6, %r7, %r8, %r9, %r10, %r11, %r12, %r13, %r14 : tensor<1x2x4x2x!fixed>, tensor<1x2x4x2x!fine>, tensor<1x2x4x2x!fixed>, tensor<2x1x!fixed>, tensor<1x2x1x!fixed>, tensor<1x3x4x2x!fixed>, tensor<1x2x4x2x!fixed>, tensor<0x2x4x2x!fixed>, tensor<1x2x4x2x!fixed>, tensor<1x2x4x2x!fixed>, tensor<1x1x1x2x!fixed>, tensor<1x2x4x2x!fixed>, tensor<3x1x!fixed>, tensor<512x1x!fixed>, tensor<1x2x4x2x!fixed>
  }
}
