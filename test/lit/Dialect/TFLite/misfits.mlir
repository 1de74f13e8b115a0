// Operands that the extension's rules refuse do not end the compiler: their
// operations stay calls.
// RUN: nnhal-opt %s --load-dialect-plugin=%{extension-halves}/nnhal.tflite.compiler.so --nnhal-raise-operations --verify-diagnostics | FileCheck %s
// CHECK-NOT: tflite.{{[a-z]}}
!fixed = !quant.uniform<i16:f32, 0.5>
!fraction = !quant.uniform<i16:f32, 0.000030517578125>
nnhal.model @model attributes {hal_version = "1.3", extension_names = ["nnhal.tflite"], extension_prefixes = array<i32: 1>} {
  nnhal.graph @main(%x: tensor<2x3xf32>, %y: tensor<2x3xf32>, %image: tensor<1x2x2x4xf32>, %q: tensor<2x3x!fixed>, %scalar: tensor<!fixed>, %pixels: tensor<1x4x4x8x!fixed>, %lines: tensor<4x8x!fixed>) -> (tensor<1x4x4x1xf32>, tensor<1x1x1x36xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3x!fraction>, tensor<!fraction>, tensor<2x3x!fixed>, tensor<4x8x!fixed>, tensor<4x8x!fixed>, tensor<1x2x2x8x!fixed>, tensor<1x2x2x8x!fixed>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<3x3xf32>, tensor<3x3xf32>, tensor<3x3xf32>, tensor<4x3xf32>, tensor<3x3xf32>, tensor<2x2x3xf32>, tensor<2x2x3xf32>, tensor<4x3xf32>, tensor<2x3xf32>, tensor<3x2xf32>, tensor<3x3xf32>, tensor<4x3xf32>, tensor<4x3xf32>, tensor<5x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<4x3xf32>, tensor<3xf32>, tensor<2xf32>, tensor<3xf32>, tensor<5xf32>, tensor<2x3xf32>, tensor<1x3xf32>, tensor<1x3xf32>, tensor<2x1xf32>, tensor<2x2xf32>, tensor<3xf32>) {
    %c0 = nnhal.constant_copy 0 : i32 -> i32
    %c1 = nnhal.constant_copy 3 : i32 -> i32
    %c2 = nnhal.constant dense<[900000]> : tensor<1xi32> -> tensor<1xi32>
    %c3 = nnhal.constant dense<[1, -1]> : tensor<2xi32> -> tensor<2xi32>
    %c4 = nnhal.constant dense<[0, 0]> : tensor<2xi32> -> tensor<2xi32>
    %c5 = nnhal.constant_copy 0 : i8 -> i8
    %c6 = nnhal.constant dense<[2, 3]> : tensor<2xi32> -> tensor<2xi32>
    %c7 = nnhal.constant dense<[1, 1]> : tensor<2xi32> -> tensor<2xi32>
    %c8 = nnhal.constant_copy 1.0 : f32 -> f32
    %c9 = nnhal.constant_copy 1 : i32 -> i32
    %c10 = nnhal.constant_copy 2 : i32 -> i32
    %c11 = nnhal.constant_copy 4 : i32 -> i32
    %c12 = nnhal.constant dense<[1, 0]> : tensor<2xi32> -> tensor<2xi32>
    %c13 = nnhal.constant dense<[-1, 0]> : tensor<2xi32> -> tensor<2xi32>
    %c14 = nnhal.constant dense<[1, 3]> : tensor<2xi32> -> tensor<2xi32>
    %c15 = nnhal.constant dense<[2, 0, 0, 0]> : tensor<4xi32> -> tensor<4xi32>
    %c16 = nnhal.constant dense<[1]> : tensor<1xi32> -> tensor<1xi32>
    %c17 = nnhal.constant dense<[1, 0, 0, 0]> : tensor<4xi32> -> tensor<4xi32>
    %c18 = nnhal.constant dense<[2]> : tensor<1xi32> -> tensor<1xi32>
    %c19 = nnhal.constant dense<[-1, -1]> : tensor<2xi32> -> tensor<2xi32>
    %c20 = nnhal.constant dense<[5, 0]> : tensor<2xi32> -> tensor<2xi32>
    %c21 = nnhal.constant dense<[3]> : tensor<1xi32> -> tensor<1xi32>
    %c22 = nnhal.constant dense<[7]> : tensor<1xi32> -> tensor<1xi32>
    %c23 = nnhal.constant dense<[5]> : tensor<1xi32> -> tensor<1xi32>
    %c24 = nnhal.constant dense<[2, 1]> : tensor<2xi32> -> tensor<2xi32>
    // A block of 0.
    // expected-remark @+1 {{not raised: nnhal.tflite:5: its options and shapes do not fit}}
    %r0 = nnhal.operation "nnhal.tflite:5"(%image, %c0) : (tensor<1x2x2x4xf32>, i32) -> tensor<1x4x4x1xf32>
    // A block that divides no extent.
    // expected-remark @+1 {{not raised: nnhal.tflite:26: its options and shapes do not fit}}
    %r1 = nnhal.operation "nnhal.tflite:26"(%image, %c1) : (tensor<1x2x2x4xf32>, i32) -> tensor<1x1x1x36xf32>
    // An axis outside.
    // expected-remark @+1 {{not raised: nnhal.tflite:105: its options and shapes do not fit}}
    %r2 = nnhal.operation "nnhal.tflite:105"(%x, %c2) : (tensor<2x3xf32>, tensor<1xi32>) -> tensor<2x3xf32>
    // One axis twice.
    // expected-remark @+1 {{not raised: nnhal.tflite:105: its options and shapes do not fit}}
    %r3 = nnhal.operation "nnhal.tflite:105"(%x, %c3) : (tensor<2x3xf32>, tensor<2xi32>) -> tensor<2x3xf32>
    // Strides of 0.
    // expected-remark @+1 {{not raised: nnhal.tflite:45: its options and shapes do not fit}}
    %r4 = nnhal.operation "nnhal.tflite:45"(%x, %c4, %c4, %c4, %c0, %c0, %c0, %c0, %c0, %c5) : (tensor<2x3xf32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, i32, i32, i32, i32, i32, i8) -> tensor<2x3xf32>
    // A mask that is real.
    // expected-remark @+1 {{not raised: nnhal.tflite:45: its options and shapes do not fit}}
    %r5 = nnhal.operation "nnhal.tflite:45"(%x, %c4, %c6, %c7, %c8, %c0, %c0, %c0, %c0, %c5) : (tensor<2x3xf32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, f32, i32, i32, i32, i32, i8) -> tensor<2x3xf32>
    // An offset that is real.
    // expected-remark @+1 {{not raised: nnhal.tflite:45: its options and shapes do not fit}}
    %r6 = nnhal.operation "nnhal.tflite:45"(%x, %c4, %c6, %c7, %c0, %c0, %c0, %c0, %c0, %c8) : (tensor<2x3xf32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, i32, i32, i32, i32, i32, f32) -> tensor<2x3xf32>
    // A beta that is an integer.
    // expected-remark @+1 {{not raised: nnhal.tflite:25: its options and shapes do not fit}}
    %r7 = nnhal.operation "nnhal.tflite:25"(%q, %c9) : (tensor<2x3x!fixed>, i32) -> tensor<2x3x!fraction>
    // No rows.
    // expected-remark @+1 {{not raised: nnhal.tflite:25: its result has another shape, or it has no rows}}
    %r8 = nnhal.operation "nnhal.tflite:25"(%scalar, %c8) : (tensor<!fixed>, f32) -> tensor<!fraction>
    // Another scale.
    // expected-remark @+1 {{not raised: nnhal.tflite:25: its result has not the scale 2^-15}}
    %r9 = nnhal.operation "nnhal.tflite:25"(%q, %c8) : (tensor<2x3x!fixed>, f32) -> tensor<2x3x!fixed>
    // Options of a pool that are real.
    // expected-remark @+1 {{not raised: nnhal.tflite:1: its options and shapes do not fit}}
    %r10 = nnhal.operation "nnhal.tflite:1"(%lines, %c8, %c8, %c8, %c8, %c8, %c8) : (tensor<4x8x!fixed>, f32, f32, f32, f32, f32, f32) -> tensor<4x8x!fixed>
    // No image.
    // expected-remark @+1 {{not raised: nnhal.tflite:1: its options and shapes do not fit}}
    %r11 = nnhal.operation "nnhal.tflite:1"(%lines, %c9, %c9, %c9, %c9, %c9, %c9) : (tensor<4x8x!fixed>, i32, i32, i32, i32, i32, i32) -> tensor<4x8x!fixed>
    // Another activation of a pool.
    // expected-remark @+1 {{not raised: nnhal.tflite:1: its options and shapes do not fit}}
    %r12 = nnhal.operation "nnhal.tflite:1"(%pixels, %c9, %c10, %c10, %c10, %c10, %c11) : (tensor<1x4x4x8x!fixed>, i32, i32, i32, i32, i32, i32) -> tensor<1x2x2x8x!fixed>
    // A stride of 0.
    // expected-remark @+1 {{not raised: nnhal.tflite:1: its options and shapes do not fit}}
    %r13 = nnhal.operation "nnhal.tflite:1"(%pixels, %c9, %c0, %c10, %c10, %c10, %c0) : (tensor<1x4x4x8x!fixed>, i32, i32, i32, i32, i32, i32) -> tensor<1x2x2x8x!fixed>
    // A box outside.
    // expected-remark @+1 {{not raised: nnhal.tflite:65: its options and shapes do not fit}}
    %r14 = nnhal.operation "nnhal.tflite:65"(%x, %c12, %c6) : (tensor<2x3xf32>, tensor<2xi32>, tensor<2xi32>) -> tensor<2x3xf32>
    // A box before the input.
    // expected-remark @+1 {{not raised: nnhal.tflite:65: its options and shapes do not fit}}
    %r15 = nnhal.operation "nnhal.tflite:65"(%x, %c13, %c6) : (tensor<2x3xf32>, tensor<2xi32>, tensor<2xi32>) -> tensor<2x3xf32>
    // Sizes of another result.
    // expected-remark @+1 {{not raised: nnhal.tflite:65: its options and shapes do not fit}}
    %r16 = nnhal.operation "nnhal.tflite:65"(%x, %c4, %c14) : (tensor<2x3xf32>, tensor<2xi32>, tensor<2xi32>) -> tensor<2x3xf32>
    // More padding than the result has.
    // expected-remark @+1 {{not raised: nnhal.tflite:34: its options and shapes do not fit}}
    %r17 = nnhal.operation "nnhal.tflite:34"(%x, %c15) : (tensor<2x3xf32>, tensor<4xi32>) -> tensor<3x3xf32>
    // One padding.
    // expected-remark @+1 {{not raised: nnhal.tflite:34: its options and shapes do not fit}}
    %r18 = nnhal.operation "nnhal.tflite:34"(%x, %c16) : (tensor<2x3xf32>, tensor<1xi32>) -> tensor<3x3xf32>
    // A padding element that is a scalar.
    // expected-remark @+1 {{not raised: nnhal.tflite:60: its options and shapes do not fit}}
    %r19 = nnhal.operation "nnhal.tflite:60"(%x, %c17, %c8) : (tensor<2x3xf32>, tensor<4xi32>, f32) -> tensor<3x3xf32>
    // More than a mirror has.
    // expected-remark @+1 {{not raised: nnhal.tflite:100: its options and shapes do not fit}}
    %r20 = nnhal.operation "nnhal.tflite:100"(%x, %c15, %c0) : (tensor<2x3xf32>, tensor<4xi32>, i32) -> tensor<4x3xf32>
    // Another mode of a mirror.
    // expected-remark @+1 {{not raised: nnhal.tflite:100: its options and shapes do not fit}}
    %r21 = nnhal.operation "nnhal.tflite:100"(%x, %c17, %c10) : (tensor<2x3xf32>, tensor<4xi32>, i32) -> tensor<3x3xf32>
    // Another number of values.
    // expected-remark @+1 {{not raised: nnhal.tflite:83: its options and shapes do not fit}}
    %r22 = nnhal.operation "nnhal.tflite:83"(%x, %y, %c1, %c0) : (tensor<2x3xf32>, tensor<2x3xf32>, i32, i32) -> tensor<2x2x3xf32>
    // An axis that is real.
    // expected-remark @+1 {{not raised: nnhal.tflite:83: a place is no constant of integers}}
    %r23 = nnhal.operation "nnhal.tflite:83"(%x, %y, %c10, %c8) : (tensor<2x3xf32>, tensor<2x3xf32>, i32, f32) -> tensor<2x2x3xf32>
    // Another number of multiples.
    // expected-remark @+1 {{not raised: nnhal.tflite:69: its options and shapes do not fit}}
    %r24 = nnhal.operation "nnhal.tflite:69"(%x, %c18) : (tensor<2x3xf32>, tensor<1xi32>) -> tensor<4x3xf32>
    // A negative multiple.
    // expected-remark @+1 {{not raised: nnhal.tflite:69: its options and shapes do not fit}}
    %r25 = nnhal.operation "nnhal.tflite:69"(%x, %c19) : (tensor<2x3xf32>, tensor<2xi32>) -> tensor<2x3xf32>
    // An axis of a permutation outside.
    // expected-remark @+1 {{not raised: nnhal.tflite:39: its options and shapes do not fit}}
    %r26 = nnhal.operation "nnhal.tflite:39"(%x, %c20) : (tensor<2x3xf32>, tensor<2xi32>) -> tensor<3x2xf32>
    // No permutation.
    // expected-remark @+1 {{not raised: nnhal.tflite:39: its options and shapes do not fit}}
    %r27 = nnhal.operation "nnhal.tflite:39"(%x, %c7) : (tensor<2x3xf32>, tensor<2xi32>) -> tensor<3x3xf32>
    // A joined axis outside.
    // expected-remark @+1 {{not raised: nnhal.tflite:2: its options and shapes do not fit}}
    %r28 = nnhal.operation "nnhal.tflite:2"(%x, %y, %c10, %c0) : (tensor<2x3xf32>, tensor<2x3xf32>, i32, i32) -> tensor<4x3xf32>
    // A joined activation.
    // expected-remark @+1 {{not raised: nnhal.tflite:2: its options and shapes do not fit}}
    %r29 = nnhal.operation "nnhal.tflite:2"(%x, %y, %c0, %c9) : (tensor<2x3xf32>, tensor<2x3xf32>, i32, i32) -> tensor<4x3xf32>
    // Another sum of extents.
    // expected-remark @+1 {{not raised: nnhal.tflite:2: its options and shapes do not fit}}
    %r30 = nnhal.operation "nnhal.tflite:2"(%x, %y, %c0, %c0) : (tensor<2x3xf32>, tensor<2x3xf32>, i32, i32) -> tensor<5x3xf32>
    // Another activation.
    // expected-remark @+1 {{not raised: nnhal.tflite:0: its options and shapes do not fit}}
    %r31 = nnhal.operation "nnhal.tflite:0"(%x, %y, %c11) : (tensor<2x3xf32>, tensor<2x3xf32>, i32) -> tensor<2x3xf32>
    // An activation that is real.
    // expected-remark @+1 {{not raised: nnhal.tflite:0: its options and shapes do not fit}}
    %r32 = nnhal.operation "nnhal.tflite:0"(%x, %y, %c8) : (tensor<2x3xf32>, tensor<2x3xf32>, f32) -> tensor<2x3xf32>
    // An alpha that is an integer.
    // expected-remark @+1 {{not raised: nnhal.tflite:98: its options and shapes do not fit}}
    %r33 = nnhal.operation "nnhal.tflite:98"(%x, %c9) : (tensor<2x3xf32>, i32) -> tensor<2x3xf32>
    // A result that is not broadcast to.
    // expected-remark @+1 {{not raised: nnhal.tflite:0: its options and shapes do not fit}}
    %r34 = nnhal.operation "nnhal.tflite:0"(%x, %y, %c0) : (tensor<2x3xf32>, tensor<2x3xf32>, i32) -> tensor<4x3xf32>
    // A broadcast to fewer dimensions.
    // expected-remark @+1 {{not raised: nnhal.tflite:130: its options and shapes do not fit}}
    %r35 = nnhal.operation "nnhal.tflite:130"(%x, %c21) : (tensor<2x3xf32>, tensor<1xi32>) -> tensor<3xf32>
    // A reduced axis outside.
    // expected-remark @+1 {{not raised: nnhal.tflite:74: its options and shapes do not fit}}
    %r36 = nnhal.operation "nnhal.tflite:74"(%x, %c22, %c5) : (tensor<2x3xf32>, tensor<1xi32>, i8) -> tensor<2xf32>
    // Another reduced shape.
    // expected-remark @+1 {{not raised: nnhal.tflite:74: its options and shapes do not fit}}
    %r37 = nnhal.operation "nnhal.tflite:74"(%x, %c16, %c5) : (tensor<2x3xf32>, tensor<1xi32>, i8) -> tensor<3xf32>
    // Another number of elements.
    // expected-remark @+1 {{not raised: nnhal.tflite:22: its options and shapes do not fit}}
    %r38 = nnhal.operation "nnhal.tflite:22"(%x, %c23) : (tensor<2x3xf32>, tensor<1xi32>) -> tensor<5xf32>
    // A split axis outside.
    // expected-remark @+1 {{not raised: nnhal.tflite:49: its options and shapes do not fit}}
    %r39 = nnhal.operation "nnhal.tflite:49"(%c10, %x, %c9) : (i32, tensor<2x3xf32>, i32) -> tensor<2x3xf32>
    // Another number of parts.
    // expected-remark @+1 {{not raised: nnhal.tflite:49: its options and shapes do not fit}}
    %r40:2 = nnhal.operation "nnhal.tflite:49"(%c0, %x, %c1) : (i32, tensor<2x3xf32>, i32) -> (tensor<1x3xf32>, tensor<1x3xf32>)
    // Sizes of other parts.
    // expected-remark @+1 {{not raised: nnhal.tflite:102: its options and shapes do not fit}}
    %r41:2 = nnhal.operation "nnhal.tflite:102"(%x, %c24, %c9, %c10) : (tensor<2x3xf32>, tensor<2xi32>, i32, i32) -> (tensor<2x1xf32>, tensor<2x2xf32>)
    // Fewer parts than the axis has.
    // expected-remark @+1 {{not raised: nnhal.tflite:88: its options and shapes do not fit}}
    %r42 = nnhal.operation "nnhal.tflite:88"(%x, %c9, %c0) : (tensor<2x3xf32>, i32, i32) -> tensor<3xf32>
    nnhal.return %r0, %r1, %r2, %r3, %r4, %r5, %r6, %r7, %r8, %r9, %r10, %r11, %r12, %r13, %r14, %r15, %r16, %r17, %r18, %r19, %r20, %r21, %r22, %r23, %r24, %r25, %r26, %r27, %r28, %r29, %r30, %r31, %r32, %r33, %r34, %r35, %r36, %r37, %r38, %r39, %r40#0, %r40#1, %r41#0, %r41#1, %r42 : tensor<1x4x4x1xf32>, tensor<1x1x1x36xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3x!fraction>, tensor<!fraction>, tensor<2x3x!fixed>, tensor<4x8x!fixed>, tensor<4x8x!fixed>, tensor<1x2x2x8x!fixed>, tensor<1x2x2x8x!fixed>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<3x3xf32>, tensor<3x3xf32>, tensor<3x3xf32>, tensor<4x3xf32>, tensor<3x3xf32>, tensor<2x2x3xf32>, tensor<2x2x3xf32>, tensor<4x3xf32>, tensor<2x3xf32>, tensor<3x2xf32>, tensor<3x3xf32>, tensor<4x3xf32>, tensor<4x3xf32>, tensor<5x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<4x3xf32>, tensor<3xf32>, tensor<2xf32>, tensor<3xf32>, tensor<5xf32>, tensor<2x3xf32>, tensor<1x3xf32>, tensor<1x3xf32>, tensor<2x1xf32>, tensor<2x2xf32>, tensor<3xf32>
  }
}
