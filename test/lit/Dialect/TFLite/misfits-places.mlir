// Places outside of their tensors, options that are none, and types without code
// do not end the compiler: operations that use places stay calls.
// RUN: nnhal-opt %s --load-dialect-plugin=%{extension-halves}/nnhal.tflite.compiler.so --nnhal-raise-operations --verify-diagnostics | FileCheck %s
// CHECK-NOT: tflite.{{[a-z]}}
nnhal.model @model attributes {hal_version = "1.3", extension_names = ["nnhal.tflite"], extension_prefixes = array<i32: 1>} {
  nnhal.graph @main(%a0: tensor<2x3xf32>, %a1: tensor<1x3xf32>, %a2: tensor<2x0xf32>, %a3: tensor<2xi32>, %a4: tensor<2xf32>, %a5: tensor<1x2xi32>, %a6: tensor<1xi32>, %a7: tensor<1xf32>, %a8: tensor<1x2x2x1xf32>, %a9: tensor<1x2x2x1xi32>, %a10: tensor<f32>, %a11: tensor<2x3xi32>, %a12: tensor<1x4x4x1xf32>, %a13: tensor<4x2x2x1xf32>, %a14: tensor<1x3x4x1xf32>, %a15: tensor<*xi32>, %a16: tensor<1x65537xf32>, %a17: tensor<65537x1xf32>) -> (tensor<2x3xf32>, tensor<2xi32>, tensor<2xi32>, tensor<3xi32>, tensor<2xf32>, tensor<2xi32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<1x2xf32>, tensor<2x2xf32>, tensor<2x3xf32>, tensor<1x3xi32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2xf32>, tensor<3xf32>, tensor<1xf32>, tensor<2xf32>, tensor<3xi32>, tensor<3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xi32>, tensor<2x3xf32>, tensor<1x3x3x1xf32>, tensor<1x3x3x1xf32>, tensor<1x3x3x1xf32>, tensor<1x3x3x1xf32>, tensor<2x3xf32>, tensor<1x3x3x1xi32>, tensor<2x3xf32>, tensor<2x2xi32>, tensor<1xf32>, tensor<3xi32>, tensor<2xf32>, tensor<3x2xf32>, tensor<2x3xi32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xi32>, tensor<2x3xf32>, tensor<2x3xi32>, tensor<3x2xf32>, tensor<2x3xf32>, tensor<4x2x2x1xf32>, tensor<1x4x4x1xf32>, tensor<4x2x2x1xf32>, tensor<4x2x2x1xf32>, tensor<4x2x2x1xf32>, tensor<2x4x4x1xf32>, tensor<1x4x4x2xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<0x3xf32>, tensor<f32>, tensor<1xi32>, tensor<1xi32>) {
    %c0 = nnhal.constant dense<[2]> : tensor<1xi32> -> tensor<1xi32>
    %c1 = nnhal.constant_copy 2 : i32 -> i32
    %c2 = nnhal.constant dense<[1]> : tensor<1xi32> -> tensor<1xi32>
    %c3 = nnhal.constant dense<[1, 0]> : tensor<2xi32> -> tensor<2xi32>
    %c4 = nnhal.constant_copy 0 : i32 -> i32
    %c5 = nnhal.constant_copy 1 : i32 -> i32
    %c6 = nnhal.constant_copy -2 : i32 -> i32
    %c7 = nnhal.constant dense<[1, 0, 1]> : tensor<3xi32> -> tensor<3xi32>
    %c8 = nnhal.constant dense<[1, 2]> : tensor<2xi32> -> tensor<2xi32>
    %c9 = nnhal.constant dense<[1, -1]> : tensor<2xi32> -> tensor<2xi32>
    %c10 = nnhal.constant dense<[0, 0, 0]> : tensor<3xi32> -> tensor<3xi32>
    %c11 = nnhal.constant dense<1.0> : tensor<1xf32> -> tensor<1xf32>
    %c12 = nnhal.constant_copy -1 : i32 -> i32
    %c13 = nnhal.constant dense<[-1]> : tensor<1xi32> -> tensor<1xi32>
    %c14 = nnhal.constant dense<[3]> : tensor<1xi32> -> tensor<1xi32>
    %c15 = nnhal.constant dense<[4]> : tensor<1xi32> -> tensor<1xi32>
    %c16 = nnhal.constant_copy 0 : i8 -> i8
    %c17 = nnhal.constant dense<[0, 1]> : tensor<2xi32> -> tensor<2xi32>
    %c18 = nnhal.constant dense<[0]> : tensor<1xi32> -> tensor<1xi32>
    %c19 = nnhal.constant_copy 1.0 : f32 -> f32
    %c20 = nnhal.constant dense<[3, 4]> : tensor<2xi32> -> tensor<2xi32>
    %c21 = nnhal.constant dense<[3, 3]> : tensor<2xi32> -> tensor<2xi32>
    %c22 = nnhal.constant_copy 1 : i8 -> i8
    %c23 = nnhal.constant dense<[3, 2]> : tensor<2xi32> -> tensor<2xi32>
    %c24 = nnhal.constant dense<[2, 3]> : tensor<2xi32> -> tensor<2xi32>
    %c25 = nnhal.constant dense<[0, 0]> : tensor<2xi32> -> tensor<2xi32>
    %c26 = nnhal.constant dense<[0, 2]> : tensor<2xi32> -> tensor<2xi32>
    %c27 = nnhal.constant dense<[0, 0, 0, 0]> : tensor<4xi32> -> tensor<4xi32>
    %c28 = nnhal.constant dense<[32769, 2]> : tensor<2xi32> -> tensor<2xi32>
    %c29 = nnhal.constant dense<[2, 2]> : tensor<2xi32> -> tensor<2xi32>
    %c30 = nnhal.constant dense<[0, 0, -1, 1]> : tensor<4xi32> -> tensor<4xi32>
    %c31 = nnhal.no_value : tensor<*xi32>
    %c32 = nnhal.constant dense<1> : tensor<i32> -> tensor<i32>
    %c33 = nnhal.constant dense<> : tensor<0xi32> -> tensor<0xi32>
    // Tensors of other shapes.
    // expected-remark @+1 {{not raised: nnhal.tflite:106: its options and shapes do not fit}}
    %r0 = nnhal.operation "nnhal.tflite:106"(%a0, %a1) : (tensor<2x3xf32>, tensor<1x3xf32>) -> tensor<2x3xf32>
    // The best of an axis outside.
    // expected-remark @+1 {{not raised: nnhal.tflite:56: its options and shapes do not fit}}
    %r1 = nnhal.operation "nnhal.tflite:56"(%a0, %c0, %c1) : (tensor<2x3xf32>, tensor<1xi32>, i32) -> tensor<2xi32>
    // The best of no elements.
    // expected-remark @+1 {{not raised: nnhal.tflite:79: its options and shapes do not fit}}
    %r2 = nnhal.operation "nnhal.tflite:79"(%a2, %c2, %c1) : (tensor<2x0xf32>, tensor<1xi32>, i32) -> tensor<2xi32>
    // A place of another shape.
    // expected-remark @+1 {{not raised: nnhal.tflite:56: its options and shapes do not fit}}
    %r3 = nnhal.operation "nnhal.tflite:56"(%a0, %c2, %c1) : (tensor<2x3xf32>, tensor<1xi32>, i32) -> tensor<3xi32>
    // A place that is real.
    // expected-remark @+1 {{not raised: nnhal.tflite:56: elements of these types are not compiled}}
    %r4 = nnhal.operation "nnhal.tflite:56"(%a0, %c2, %c1) : (tensor<2x3xf32>, tensor<1xi32>, i32) -> tensor<2xf32>
    // Two axes.
    // expected-remark @+1 {{not raised: nnhal.tflite:56: a place is no constant of integers}}
    %r5 = nnhal.operation "nnhal.tflite:56"(%a0, %c3, %c1) : (tensor<2x3xf32>, tensor<2xi32>, i32) -> tensor<2xi32>
    // An axis of GATHER outside.
    // expected-remark @+1 {{not raised: nnhal.tflite:36: its options and shapes do not fit}}
    %r6 = nnhal.operation "nnhal.tflite:36"(%a0, %c2, %c1, %c4) : (tensor<2x3xf32>, tensor<1xi32>, i32, i32) -> tensor<2xf32>
    // More batches than dimensions before the axis.
    // expected-remark @+1 {{not raised: nnhal.tflite:36: its options and shapes do not fit}}
    %r7 = nnhal.operation "nnhal.tflite:36"(%a0, %c3, %c4, %c5) : (tensor<2x3xf32>, tensor<2xi32>, i32, i32) -> tensor<2xf32>
    // Fewer batches than none.
    // expected-remark @+1 {{not raised: nnhal.tflite:36: its options and shapes do not fit}}
    %r8 = nnhal.operation "nnhal.tflite:36"(%a0, %c3, %c4, %c6) : (tensor<2x3xf32>, tensor<2xi32>, i32, i32) -> tensor<2xf32>
    // Other batches.
    // expected-remark @+1 {{not raised: nnhal.tflite:36: its options and shapes do not fit}}
    %r9 = nnhal.operation "nnhal.tflite:36"(%a0, %c7, %c5, %c5) : (tensor<2x3xf32>, tensor<3xi32>, i32, i32) -> tensor<2xf32>
    // Another gathered shape.
    // expected-remark @+1 {{not raised: nnhal.tflite:36: its options and shapes do not fit}}
    %r10 = nnhal.operation "nnhal.tflite:36"(%a0, %c2, %c4, %c4) : (tensor<2x3xf32>, tensor<1xi32>, i32, i32) -> tensor<1x2xf32>
    // An empty axis.
    // expected-remark @+1 {{not raised: nnhal.tflite:36: its options and shapes do not fit}}
    %r11 = nnhal.operation "nnhal.tflite:36"(%a2, %a3, %c5, %c4) : (tensor<2x0xf32>, tensor<2xi32>, i32, i32) -> tensor<2x2xf32>
    // Indices that are real.
    // expected-remark @+1 {{not raised: nnhal.tflite:36: elements of these types are not compiled}}
    %r12 = nnhal.operation "nnhal.tflite:36"(%a0, %a4, %c4, %c4) : (tensor<2x3xf32>, tensor<2xf32>, i32, i32) -> tensor<2x3xf32>
    // Other gathered elements.
    // expected-remark @+1 {{not raised: nnhal.tflite:36: elements of these types are not compiled}}
    %r13 = nnhal.operation "nnhal.tflite:36"(%a0, %c2, %c4, %c4) : (tensor<2x3xf32>, tensor<1xi32>, i32, i32) -> tensor<1x3xi32>
    // Indices behind the last element.
    // expected-remark @+1 {{not raised: nnhal.tflite:36: a place is outside of its dimension}}
    %r14 = nnhal.operation "nnhal.tflite:36"(%a0, %c8, %c4, %c4) : (tensor<2x3xf32>, tensor<2xi32>, i32, i32) -> tensor<2x3xf32>
    // Indices below 0.
    // expected-remark @+1 {{not raised: nnhal.tflite:36: a place is outside of its dimension}}
    %r15 = nnhal.operation "nnhal.tflite:36"(%a0, %c9, %c4, %c4) : (tensor<2x3xf32>, tensor<2xi32>, i32, i32) -> tensor<2x3xf32>
    // Computed places of another number.
    // expected-remark @+1 {{not raised: nnhal.tflite:107: its options and shapes do not fit}}
    %r16 = nnhal.operation "nnhal.tflite:107"(%a0, %a5) : (tensor<2x3xf32>, tensor<1x2xi32>) -> tensor<2xf32>
    // A place outside.
    // expected-remark @+1 {{not raised: nnhal.tflite:107: a place is outside of its dimension}}
    %r17 = nnhal.operation "nnhal.tflite:107"(%a0, %c0) : (tensor<2x3xf32>, tensor<1xi32>) -> tensor<3xf32>
    // A place of too many dimensions.
    // expected-remark @+1 {{not raised: nnhal.tflite:107: its options and shapes do not fit}}
    %r18 = nnhal.operation "nnhal.tflite:107"(%a0, %c10) : (tensor<2x3xf32>, tensor<3xi32>) -> tensor<1xf32>
    // A place of another shape.
    // expected-remark @+1 {{not raised: nnhal.tflite:107: its options and shapes do not fit}}
    %r19 = nnhal.operation "nnhal.tflite:107"(%a0, %c2) : (tensor<2x3xf32>, tensor<1xi32>) -> tensor<2xf32>
    // Other elements of a place.
    // expected-remark @+1 {{not raised: nnhal.tflite:107: elements of these types are not compiled}}
    %r20 = nnhal.operation "nnhal.tflite:107"(%a0, %c2) : (tensor<2x3xf32>, tensor<1xi32>) -> tensor<3xi32>
    // A place that is real.
    // expected-remark @+1 {{not raised: nnhal.tflite:107: elements of these types are not compiled}}
    %r21 = nnhal.operation "nnhal.tflite:107"(%a0, %c11) : (tensor<2x3xf32>, tensor<1xf32>) -> tensor<3xf32>
    // A depth that is computed.
    // expected-remark @+1 {{not raised: nnhal.tflite:85: a place is no constant of integers}}
    %r22 = nnhal.operation "nnhal.tflite:85"(%a3, %a6, %a7, %a7, %c12) : (tensor<2xi32>, tensor<1xi32>, tensor<1xf32>, tensor<1xf32>, i32) -> tensor<2x3xf32>
    // A depth below 0.
    // expected-remark @+1 {{not raised: nnhal.tflite:85: its options and shapes do not fit}}
    %r23 = nnhal.operation "nnhal.tflite:85"(%a3, %c13, %a7, %a7, %c12) : (tensor<2xi32>, tensor<1xi32>, tensor<1xf32>, tensor<1xf32>, i32) -> tensor<2x3xf32>
    // An axis of ONE_HOT outside.
    // expected-remark @+1 {{not raised: nnhal.tflite:85: its options and shapes do not fit}}
    %r24 = nnhal.operation "nnhal.tflite:85"(%a3, %c14, %a7, %a7, %c1) : (tensor<2xi32>, tensor<1xi32>, tensor<1xf32>, tensor<1xf32>, i32) -> tensor<2x3xf32>
    // Another depth.
    // expected-remark @+1 {{not raised: nnhal.tflite:85: its options and shapes do not fit}}
    %r25 = nnhal.operation "nnhal.tflite:85"(%a3, %c15, %a7, %a7, %c12) : (tensor<2xi32>, tensor<1xi32>, tensor<1xf32>, tensor<1xf32>, i32) -> tensor<2x3xf32>
    // Two values.
    // expected-remark @+1 {{not raised: nnhal.tflite:85: its options and shapes do not fit}}
    %r26 = nnhal.operation "nnhal.tflite:85"(%a3, %c14, %a4, %a7, %c12) : (tensor<2xi32>, tensor<1xi32>, tensor<2xf32>, tensor<1xf32>, i32) -> tensor<2x3xf32>
    // Values of two types.
    // expected-remark @+1 {{not raised: nnhal.tflite:85: elements of these types are not compiled}}
    %r27 = nnhal.operation "nnhal.tflite:85"(%a3, %c14, %a7, %a6, %c12) : (tensor<2xi32>, tensor<1xi32>, tensor<1xf32>, tensor<1xi32>, i32) -> tensor<2x3xf32>
    // Places that are real.
    // expected-remark @+1 {{not raised: nnhal.tflite:85: elements of these types are not compiled}}
    %r28 = nnhal.operation "nnhal.tflite:85"(%a4, %c14, %a7, %a7, %c12) : (tensor<2xf32>, tensor<1xi32>, tensor<1xf32>, tensor<1xf32>, i32) -> tensor<2x3xf32>
    // Sums along an axis outside.
    // expected-remark @+1 {{not raised: nnhal.tflite:128: its options and shapes do not fit}}
    %r29 = nnhal.operation "nnhal.tflite:128"(%a0, %c0, %c16, %c16) : (tensor<2x3xf32>, tensor<1xi32>, i8, i8) -> tensor<2x3xf32>
    // Sums along two axes.
    // expected-remark @+1 {{not raised: nnhal.tflite:128: a place is no constant of integers}}
    %r30 = nnhal.operation "nnhal.tflite:128"(%a0, %c17, %c16, %c16) : (tensor<2x3xf32>, tensor<2xi32>, i8, i8) -> tensor<2x3xf32>
    // Sums of another type.
    // expected-remark @+1 {{not raised: nnhal.tflite:128: elements of these types are not compiled}}
    %r31 = nnhal.operation "nnhal.tflite:128"(%a0, %c18, %c16, %c16) : (tensor<2x3xf32>, tensor<1xi32>, i8, i8) -> tensor<2x3xi32>
    // A direction that is real.
    // expected-remark @+1 {{not raised: nnhal.tflite:128: its options and shapes do not fit}}
    %r32 = nnhal.operation "nnhal.tflite:128"(%a0, %c18, %c16, %c19) : (tensor<2x3xf32>, tensor<1xi32>, i8, f32) -> tensor<2x3xf32>
    // Another size.
    // expected-remark @+1 {{not raised: nnhal.tflite:23: its options and shapes do not fit}}
    %r33 = nnhal.operation "nnhal.tflite:23"(%a8, %c20, %c16, %c16) : (tensor<1x2x2x1xf32>, tensor<2xi32>, i8, i8) -> tensor<1x3x3x1xf32>
    // A size of one number.
    // expected-remark @+1 {{not raised: nnhal.tflite:23: its options and shapes do not fit}}
    %r34 = nnhal.operation "nnhal.tflite:23"(%a8, %c14, %c16, %c16) : (tensor<1x2x2x1xf32>, tensor<1xi32>, i8, i8) -> tensor<1x3x3x1xf32>
    // Corners and centers.
    // expected-remark @+1 {{not raised: nnhal.tflite:97: its options and shapes do not fit}}
    %r35 = nnhal.operation "nnhal.tflite:97"(%a8, %c21, %c22, %c22) : (tensor<1x2x2x1xf32>, tensor<2xi32>, i8, i8) -> tensor<1x3x3x1xf32>
    // A flag that is real.
    // expected-remark @+1 {{not raised: nnhal.tflite:97: its options and shapes do not fit}}
    %r36 = nnhal.operation "nnhal.tflite:97"(%a8, %c21, %c19, %c16) : (tensor<1x2x2x1xf32>, tensor<2xi32>, f32, i8) -> tensor<1x3x3x1xf32>
    // No image.
    // expected-remark @+1 {{not raised: nnhal.tflite:97: its options and shapes do not fit}}
    %r37 = nnhal.operation "nnhal.tflite:97"(%a0, %c21, %c16, %c16) : (tensor<2x3xf32>, tensor<2xi32>, i8, i8) -> tensor<2x3xf32>
    // Pixels that are not interpolated.
    // expected-remark @+1 {{not raised: nnhal.tflite:23: elements of these types are not compiled}}
    %r38 = nnhal.operation "nnhal.tflite:23"(%a9, %c21, %c16, %c16) : (tensor<1x2x2x1xi32>, tensor<2xi32>, i8, i8) -> tensor<1x3x3x1xi32>
    // A diagonal of another shape.
    // expected-remark @+1 {{not raised: nnhal.tflite:113: its options and shapes do not fit}}
    %r39 = nnhal.operation "nnhal.tflite:113"(%a4) : (tensor<2xf32>) -> tensor<2x3xf32>
    // A diagonal of another type.
    // expected-remark @+1 {{not raised: nnhal.tflite:113: elements of these types are not compiled}}
    %r40 = nnhal.operation "nnhal.tflite:113"(%a4) : (tensor<2xf32>) -> tensor<2x2xi32>
    // No diagonal.
    // expected-remark @+1 {{not raised: nnhal.tflite:113: its options and shapes do not fit}}
    %r41 = nnhal.operation "nnhal.tflite:113"(%a10) : (tensor<f32>) -> tensor<1xf32>
    // A shape of other dimensions.
    // expected-remark @+1 {{not raised: nnhal.tflite:77: its options and shapes do not fit}}
    %r42 = nnhal.operation "nnhal.tflite:77"(%a0, %c1) : (tensor<2x3xf32>, i32) -> tensor<3xi32>
    // A shape that is real.
    // expected-remark @+1 {{not raised: nnhal.tflite:77: elements of these types are not compiled}}
    %r43 = nnhal.operation "nnhal.tflite:77"(%a0, %c1) : (tensor<2x3xf32>, i32) -> tensor<2xf32>
    // Zeros of another shape.
    // expected-remark @+1 {{not raised: nnhal.tflite:93: its options and shapes do not fit}}
    %r44 = nnhal.operation "nnhal.tflite:93"(%a0) : (tensor<2x3xf32>) -> tensor<3x2xf32>
    // Zeros of another type.
    // expected-remark @+1 {{not raised: nnhal.tflite:93: elements of these types are not compiled}}
    %r45 = nnhal.operation "nnhal.tflite:93"(%a0) : (tensor<2x3xf32>) -> tensor<2x3xi32>
    // Another filled shape.
    // expected-remark @+1 {{not raised: nnhal.tflite:94: its options and shapes do not fit}}
    %r46 = nnhal.operation "nnhal.tflite:94"(%c23, %a7) : (tensor<2xi32>, tensor<1xf32>) -> tensor<2x3xf32>
    // Two filling values.
    // expected-remark @+1 {{not raised: nnhal.tflite:94: its options and shapes do not fit}}
    %r47 = nnhal.operation "nnhal.tflite:94"(%c24, %a4) : (tensor<2xi32>, tensor<2xf32>) -> tensor<2x3xf32>
    // Another filling type.
    // expected-remark @+1 {{not raised: nnhal.tflite:94: elements of these types are not compiled}}
    %r48 = nnhal.operation "nnhal.tflite:94"(%c24, %a7) : (tensor<2xi32>, tensor<1xf32>) -> tensor<2x3xi32>
    // A norm with an activation.
    // expected-remark @+1 {{not raised: nnhal.tflite:11: its options and shapes do not fit}}
    %r49 = nnhal.operation "nnhal.tflite:11"(%a0, %c5) : (tensor<2x3xf32>, i32) -> tensor<2x3xf32>
    // A norm of integers.
    // expected-remark @+1 {{not raised: nnhal.tflite:11: elements of these types are not compiled}}
    %r50 = nnhal.operation "nnhal.tflite:11"(%a11, %c4) : (tensor<2x3xi32>, i32) -> tensor<2x3xi32>
    // Rows of another shape.
    // expected-remark @+1 {{not raised: nnhal.tflite:50: its result has another shape, or it has no rows}}
    %r51 = nnhal.operation "nnhal.tflite:50"(%a0) : (tensor<2x3xf32>) -> tensor<3x2xf32>
    // Blocks of a matrix.
    // expected-remark @+1 {{not raised: nnhal.tflite:38: its options and shapes do not fit}}
    %r52 = nnhal.operation "nnhal.tflite:38"(%a0, %c2, %c25) : (tensor<2x3xf32>, tensor<1xi32>, tensor<2xi32>) -> tensor<2x3xf32>
    // A block of nothing.
    // expected-remark @+1 {{not raised: nnhal.tflite:38: its options and shapes do not fit}}
    %r53 = nnhal.operation "nnhal.tflite:38"(%a12, %c26, %c27) : (tensor<1x4x4x1xf32>, tensor<2xi32>, tensor<4xi32>) -> tensor<4x2x2x1xf32>
    // Blocks that are too large.
    // expected-remark @+1 {{not raised: nnhal.tflite:37: its options and shapes do not fit}}
    %r54 = nnhal.operation "nnhal.tflite:37"(%a13, %c28, %c27) : (tensor<4x2x2x1xf32>, tensor<2xi32>, tensor<4xi32>) -> tensor<1x4x4x1xf32>
    // A margin below 0.
    // expected-remark @+1 {{not raised: nnhal.tflite:38: its options and shapes do not fit}}
    %r55 = nnhal.operation "nnhal.tflite:38"(%a12, %c29, %c30) : (tensor<1x4x4x1xf32>, tensor<2xi32>, tensor<4xi32>) -> tensor<4x2x2x1xf32>
    // Fewer margins.
    // expected-remark @+1 {{not raised: nnhal.tflite:38: its options and shapes do not fit}}
    %r56 = nnhal.operation "nnhal.tflite:38"(%a12, %c29, %c25) : (tensor<1x4x4x1xf32>, tensor<2xi32>, tensor<2xi32>) -> tensor<4x2x2x1xf32>
    // Blocks that divide no extent.
    // expected-remark @+1 {{not raised: nnhal.tflite:38: its options and shapes do not fit}}
    %r57 = nnhal.operation "nnhal.tflite:38"(%a14, %c29, %c27) : (tensor<1x3x4x1xf32>, tensor<2xi32>, tensor<4xi32>) -> tensor<4x2x2x1xf32>
    // Other batches of blocks.
    // expected-remark @+1 {{not raised: nnhal.tflite:37: its options and shapes do not fit}}
    %r58 = nnhal.operation "nnhal.tflite:37"(%a13, %c29, %c27) : (tensor<4x2x2x1xf32>, tensor<2xi32>, tensor<4xi32>) -> tensor<2x4x4x1xf32>
    // Other channels.
    // expected-remark @+1 {{not raised: nnhal.tflite:37: its options and shapes do not fit}}
    %r59 = nnhal.operation "nnhal.tflite:37"(%a13, %c29, %c27) : (tensor<4x2x2x1xf32>, tensor<2xi32>, tensor<4xi32>) -> tensor<1x4x4x2xf32>
    // A place that is a scalar.
    // expected-remark @+1 {{not raised: nnhal.tflite:107: extents are known to an execution only}}
    %r60 = nnhal.operation "nnhal.tflite:107"(%a0, %c5) : (tensor<2x3xf32>, i32) -> tensor<3xf32>
    // A place without a rank.
    // expected-remark @+1 {{not raised: nnhal.tflite:107: extents are known to an execution only}}
    %r61 = nnhal.operation "nnhal.tflite:107"(%a0, %a15) : (tensor<2x3xf32>, tensor<*xi32>) -> tensor<3xf32>
    // A place without a value.
    // expected-remark @+1 {{not raised: nnhal.tflite:107: extents are known to an execution only}}
    %r62 = nnhal.operation "nnhal.tflite:107"(%a0, %c31) : (tensor<2x3xf32>, tensor<*xi32>) -> tensor<3xf32>
    // A place without dimensions.
    // expected-remark @+1 {{not raised: nnhal.tflite:107: its options and shapes do not fit}}
    %r63 = nnhal.operation "nnhal.tflite:107"(%a0, %c32) : (tensor<2x3xf32>, tensor<i32>) -> tensor<3xf32>
    // No indices.
    // expected-remark @+1 {{not raised: nnhal.tflite:36: it has no indices}}
    %r64 = nnhal.operation "nnhal.tflite:36"(%a0, %c33, %c4, %c4) : (tensor<2x3xf32>, tensor<0xi32>, i32, i32) -> tensor<0x3xf32>
    // A filled shape without a value.
    // expected-remark @+1 {{not raised: nnhal.tflite:94: a place is no constant of integers}}
    %r65 = nnhal.operation "nnhal.tflite:94"(%c31, %a7) : (tensor<*xi32>, tensor<1xf32>) -> tensor<f32>
    // Places in long rows.
    // expected-remark @+1 {{not raised: nnhal.tflite:56: its rows are longer than a table of places}}
    %r66 = nnhal.operation "nnhal.tflite:56"(%a16, %c2, %c1) : (tensor<1x65537xf32>, tensor<1xi32>, i32) -> tensor<1xi32>
    // Places in long columns of one element each.
    // expected-remark @+1 {{not raised: nnhal.tflite:79: its rows are longer than a table of places}}
    %r67 = nnhal.operation "nnhal.tflite:79"(%a17, %c18, %c1) : (tensor<65537x1xf32>, tensor<1xi32>, i32) -> tensor<1xi32>
    nnhal.return %r0, %r1, %r2, %r3, %r4, %r5, %r6, %r7, %r8, %r9, %r10, %r11, %r12, %r13, %r14, %r15, %r16, %r17, %r18, %r19, %r20, %r21, %r22, %r23, %r24, %r25, %r26, %r27, %r28, %r29, %r30, %r31, %r32, %r33, %r34, %r35, %r36, %r37, %r38, %r39, %r40, %r41, %r42, %r43, %r44, %r45, %r46, %r47, %r48, %r49, %r50, %r51, %r52, %r53, %r54, %r55, %r56, %r57, %r58, %r59, %r60, %r61, %r62, %r63, %r64, %r65, %r66, %r67 : tensor<2x3xf32>, tensor<2xi32>, tensor<2xi32>, tensor<3xi32>, tensor<2xf32>, tensor<2xi32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<1x2xf32>, tensor<2x2xf32>, tensor<2x3xf32>, tensor<1x3xi32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2xf32>, tensor<3xf32>, tensor<1xf32>, tensor<2xf32>, tensor<3xi32>, tensor<3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xi32>, tensor<2x3xf32>, tensor<1x3x3x1xf32>, tensor<1x3x3x1xf32>, tensor<1x3x3x1xf32>, tensor<1x3x3x1xf32>, tensor<2x3xf32>, tensor<1x3x3x1xi32>, tensor<2x3xf32>, tensor<2x2xi32>, tensor<1xf32>, tensor<3xi32>, tensor<2xf32>, tensor<3x2xf32>, tensor<2x3xi32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xi32>, tensor<2x3xf32>, tensor<2x3xi32>, tensor<3x2xf32>, tensor<2x3xf32>, tensor<4x2x2x1xf32>, tensor<1x4x4x1xf32>, tensor<4x2x2x1xf32>, tensor<4x2x2x1xf32>, tensor<4x2x2x1xf32>, tensor<2x4x4x1xf32>, tensor<1x4x4x2xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<0x3xf32>, tensor<f32>, tensor<1xi32>, tensor<1xi32>
  }
}
