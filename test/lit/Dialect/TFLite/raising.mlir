// The compiler's half of nnhal.tflite raises what computes each element by itself,
// SOFTMAX, pools of 16 bits, reductions and what moves elements, and leaves the
// rest, with a reason.
// RUN: nnhal-opt %s --load-dialect-plugin=%{extension-halves}/nnhal.tflite.compiler.so --nnhal-raise-operations 2>%t | FileCheck %s
// RUN: FileCheck %s --check-prefix=REASONS <%t
!fixed = !quant.uniform<i16:f32, 0.5>
!fraction = !quant.uniform<i16:f32, 0.000030517578125>
!byte = !quant.uniform<i8:f32, 0.5>
// CHECK-LABEL: nnhal.graph @main
// CHECK: tflite.elementwise add(%arg0, %arg1) {activation = 1 : i32} : (tensor<4x!quant16_symm>, tensor<1x!quant16_symm>) -> tensor<4x!quant16_symm>
// CHECK: tflite.elementwise leaky_relu(%{{.*}}) {alpha = 2.500000e-01 : f32} : (tensor<2xf32>) -> tensor<2xf32>
// CHECK: tflite.reshape %{{.*}} : tensor<2xf32> -> tensor<1x2xf32>
// CHECK: nnhal.operation "nnhal.tflite:55"
// CHECK: nnhal.operation "nnhal.tflite:208"
// CHECK: nnhal.operation "nnhal.tflite:8"
// REASONS: remark: not raised: nnhal.tflite:55: elements of these types are not compiled
// REASONS: remark: not raised: nnhal.tflite:208: the runtime computes it
// REASONS: remark: not raised: nnhal.tflite:8: extents are known to an execution only
nnhal.model @model attributes {hal_version = "1.3", extension_names = ["nnhal.tflite"], extension_prefixes = array<i32: 1>} {
  nnhal.graph @main(%x: tensor<4x!fixed>, %y: tensor<1x!fixed>, %z: tensor<2xf32>, %u: tensor<?xf32>, %v: tensor<4x!byte>) -> (tensor<4x!fixed>, tensor<1x2xf32>, tensor<4x!byte>, tensor<2xf32>, tensor<?xf32>) {
    %relu = nnhal.constant_copy 1 : i32 -> i32
    %alpha = nnhal.constant_copy 2.500000e-01 : f32 -> f32
    %absent = nnhal.no_value : tensor<1xi32>
    %0 = nnhal.operation "nnhal.tflite:0"(%x, %y, %relu) : (tensor<4x!fixed>, tensor<1x!fixed>, i32) -> tensor<4x!fixed>
    %1 = nnhal.operation "nnhal.tflite:98"(%z, %alpha) : (tensor<2xf32>, f32) -> tensor<2xf32>
    %2 = nnhal.operation "nnhal.tflite:22"(%1, %absent) : (tensor<2xf32>, tensor<1xi32>) -> tensor<1x2xf32>
    %3 = nnhal.operation "nnhal.tflite:55"(%v, %v) : (tensor<4x!byte>, tensor<4x!byte>) -> tensor<4x!byte>
    %4 = nnhal.operation "nnhal.tflite:208"(%z) : (tensor<2xf32>) -> tensor<2xf32>
    %5 = nnhal.operation "nnhal.tflite:8"(%u) : (tensor<?xf32>) -> tensor<?xf32>
    nnhal.return %0, %2, %3, %4, %5 : tensor<4x!fixed>, tensor<1x2xf32>, tensor<4x!byte>, tensor<2xf32>, tensor<?xf32>
  }
}

// CHECK-LABEL: nnhal.model @functions
// CHECK: tflite.elementwise logistic(%arg0) : (tensor<2x3x!quant16_symm>) -> tensor<2x3x!quant16_symm1>
// CHECK: tflite.elementwise gelu(%arg1) {approximate} : (tensor<3xf32>) -> tensor<3xf32>
// CHECK: tflite.elementwise gelu(%{{.*}}) : (tensor<3xf32>) -> tensor<3xf32>
// CHECK: tflite.elementwise floor_mod(%arg2, %{{.*}}) : (tensor<3xi32>, tensor<1xi32>) -> tensor<3xi32>
// CHECK: tflite.softmax %arg0 {beta = 5.000000e-01 : f32} : tensor<2x3x!quant16_symm> -> tensor<2x3x!quant16_symm1>
nnhal.model @functions attributes {hal_version = "1.3", extension_names = ["nnhal.tflite"], extension_prefixes = array<i32: 1>} {
  nnhal.graph @main(%x: tensor<2x3x!fixed>, %z: tensor<3xf32>, %i: tensor<3xi32>) -> (tensor<2x3x!fraction>, tensor<3xf32>, tensor<3xi32>, tensor<2x3x!fraction>) {
    %yes = nnhal.constant_copy 1 : i8 -> i8
    %no = nnhal.constant_copy 0 : i8 -> i8
    %beta = nnhal.constant_copy 5.000000e-01 : f32 -> f32
    %seven = nnhal.constant dense<7> : tensor<1xi32> -> tensor<1xi32>
    %0 = nnhal.operation "nnhal.tflite:14"(%x) : (tensor<2x3x!fixed>) -> tensor<2x3x!fraction>
    %1 = nnhal.operation "nnhal.tflite:150"(%z, %yes) : (tensor<3xf32>, i8) -> tensor<3xf32>
    %2 = nnhal.operation "nnhal.tflite:150"(%1, %no) : (tensor<3xf32>, i8) -> tensor<3xf32>
    %3 = nnhal.operation "nnhal.tflite:95"(%i, %seven) : (tensor<3xi32>, tensor<1xi32>) -> tensor<3xi32>
    %4 = nnhal.operation "nnhal.tflite:25"(%x, %beta) : (tensor<2x3x!fixed>, f32) -> tensor<2x3x!fraction>
    nnhal.return %0, %2, %3, %4 : tensor<2x3x!fraction>, tensor<3xf32>, tensor<3xi32>, tensor<2x3x!fraction>
  }
}

// CHECK-LABEL: nnhal.model @moved
// CHECK: %[[TURNED:.+]] = tflite.transpose %arg0 [1, 0] : tensor<2x3x!quant16_symm> -> tensor<3x2x!quant16_symm>
// CHECK: %[[BACK:.+]] = tflite.slice %[[TURNED]] [2, 0] [-1, 1] : tensor<3x2x!quant16_symm> -> tensor<3x2x!quant16_symm>
// CHECK: %[[FIRST:.+]] = tflite.slice %[[BACK]] [0, 0] [1, 1] : tensor<3x2x!quant16_symm> -> tensor<1x2x!quant16_symm>
// CHECK: %[[REST:.+]] = tflite.slice %[[BACK]] [1, 0] [1, 1] : tensor<3x2x!quant16_symm> -> tensor<2x2x!quant16_symm>
// CHECK: %[[BOTH:.+]] = tflite.concatenate %[[REST]], %[[FIRST]] {axis = 0 : i64} : tensor<2x2x!quant16_symm>, tensor<1x2x!quant16_symm> -> tensor<3x2x!quant16_symm>
// CHECK: tflite.pad %[[BOTH]] [1, 0] : (tensor<3x2x!quant16_symm>) -> tensor<4x2x!quant16_symm>
nnhal.model @moved attributes {hal_version = "1.3", extension_names = ["nnhal.tflite"], extension_prefixes = array<i32: 1>} {
  nnhal.graph @main(%x: tensor<2x3x!fixed>) -> tensor<4x2x!fixed> {
    %order = nnhal.constant dense<[1, 0]> : tensor<2xi32> -> tensor<2xi32>
    %zero = nnhal.constant dense<0> : tensor<1xi32> -> tensor<1xi32>
    %sizes = nnhal.constant dense<[1, 2]> : tensor<2xi32> -> tensor<2xi32>
    %around = nnhal.constant dense<[[1, 0], [0, 0]]> : tensor<2x2xi32> -> tensor<2x2xi32>
    %two = nnhal.constant_copy 2 : i32 -> i32
    %axis = nnhal.constant_copy 0 : i32 -> i32
    %0 = nnhal.operation "nnhal.tflite:39"(%x, %order) : (tensor<2x3x!fixed>, tensor<2xi32>) -> tensor<3x2x!fixed>
    %1 = nnhal.operation "nnhal.tflite:105"(%0, %zero) : (tensor<3x2x!fixed>, tensor<1xi32>) -> tensor<3x2x!fixed>
    %2:2 = nnhal.operation "nnhal.tflite:102"(%1, %sizes, %zero, %two) : (tensor<3x2x!fixed>, tensor<2xi32>, tensor<1xi32>, i32) -> (tensor<1x2x!fixed>, tensor<2x2x!fixed>)
    %3 = nnhal.operation "nnhal.tflite:2"(%2#1, %2#0, %axis, %axis) : (tensor<2x2x!fixed>, tensor<1x2x!fixed>, i32, i32) -> tensor<3x2x!fixed>
    %4 = nnhal.operation "nnhal.tflite:34"(%3, %around) : (tensor<3x2x!fixed>, tensor<2x2xi32>) -> tensor<4x2x!fixed>
    nnhal.return %4 : tensor<4x2x!fixed>
  }
}

// CHECK-LABEL: nnhal.model @joined
// CHECK: %[[POOLED:.+]] = tflite.pool mean %arg0 [3, 2] [2, 1] {activation = 3 : i32} : tensor<1x4x4x8x!quant16_symm> -> tensor<1x2x4x8x!quant16_symm>
// CHECK: %[[SUM:.+]] = tflite.reduce sum %[[POOLED]] [1, 3] : tensor<1x2x4x8x!quant16_symm> -> tensor<1x4x!quant16_symm>
// CHECK: tflite.reshape %[[SUM]] : tensor<1x4x!quant16_symm> -> tensor<1x1x4x1x!quant16_symm>
nnhal.model @joined attributes {hal_version = "1.3", extension_names = ["nnhal.tflite"], extension_prefixes = array<i32: 1>} {
  nnhal.graph @main(%x: tensor<1x4x4x8x!fixed>) -> tensor<1x1x4x1x!fixed> {
    %zero = nnhal.constant_copy 0 : i32 -> i32
    %one = nnhal.constant_copy 1 : i32 -> i32
    %two = nnhal.constant_copy 2 : i32 -> i32
    %three = nnhal.constant_copy 3 : i32 -> i32
    %yes = nnhal.constant_copy 1 : i8 -> i8
    %axes = nnhal.constant dense<[-1, 1]> : tensor<2xi32> -> tensor<2xi32>
    %0 = nnhal.operation "nnhal.tflite:1"(%x, %zero, %one, %two, %two, %three, %three) : (tensor<1x4x4x8x!fixed>, i32, i32, i32, i32, i32, i32) -> tensor<1x2x4x8x!fixed>
    %1 = nnhal.operation "nnhal.tflite:74"(%0, %axes, %yes) : (tensor<1x2x4x8x!fixed>, tensor<2xi32>, i8) -> tensor<1x1x4x1x!fixed>
    nnhal.return %1 : tensor<1x1x4x1x!fixed>
  }
}

// CHECK-LABEL: nnhal.model @requantized
// CHECK: %[[SHORT:.+]] = tflite.elementwise quantize(%arg0) : (tensor<4x!quantized>) -> tensor<4x!quant16_symm>
// CHECK: %[[BYTE:.+]] = tflite.elementwise quantize(%[[SHORT]]) : (tensor<4x!quant16_symm>) -> tensor<4x!quant8_asymm_signed>
// CHECK: %[[ABOVE:.+]] = tflite.elementwise quantize(%[[BYTE]]) : (tensor<4x!quant8_asymm_signed>) -> tensor<4x!quant16_asymm>
// CHECK: tflite.elementwise quantize(%[[ABOVE]]) : (tensor<4x!quant16_asymm>) -> tensor<4x!quantized>
!long = !quant.uniform<i32:f32, 0.125>
!above = !quant.uniform<u16:f32, 0.25:3>
nnhal.model @requantized attributes {hal_version = "1.3", extension_names = ["nnhal.tflite"], extension_prefixes = array<i32: 1>} {
  nnhal.graph @main(%x: tensor<4x!long>) -> tensor<4x!long> {
    %0 = nnhal.operation "nnhal.tflite:114"(%x) : (tensor<4x!long>) -> tensor<4x!fixed>
    %1 = nnhal.operation "nnhal.tflite:114"(%0) : (tensor<4x!fixed>) -> tensor<4x!byte>
    %2 = nnhal.operation "nnhal.tflite:114"(%1) : (tensor<4x!byte>) -> tensor<4x!above>
    %3 = nnhal.operation "nnhal.tflite:114"(%2) : (tensor<4x!above>) -> tensor<4x!long>
    nnhal.return %3 : tensor<4x!long>
  }
}

// CHECK-LABEL: nnhal.model @byte_rows
// CHECK: tflite.softmax %arg0 {beta = 1.000000e+00 : f32} : tensor<2x3x!quant8_asymm_signed> -> tensor<2x3x!quant16_asymm1>
nnhal.model @byte_rows attributes {hal_version = "1.3", extension_names = ["nnhal.tflite"], extension_prefixes = array<i32: 1>} {
  nnhal.graph @main(%x: tensor<2x3x!byte>) -> tensor<2x3x!quant.uniform<u16:f32, 0.0000152587890625>> {
    %beta = nnhal.constant_copy 1.0 : f32 -> f32
    %0 = nnhal.operation "nnhal.tflite:25"(%x, %beta) : (tensor<2x3x!byte>, f32) -> tensor<2x3x!quant.uniform<u16:f32, 0.0000152587890625>>
    nnhal.return %0 : tensor<2x3x!quant.uniform<u16:f32, 0.0000152587890625>>
  }
}

// CHECK-LABEL: nnhal.model @quantized_functions
// CHECK: tflite.elementwise prelu(%arg0, %arg1) : (tensor<4x!quant16_symm>, tensor<4x!quant8_asymm_signed>) -> tensor<4x!quant16_symm>
// CHECK: tflite.elementwise div(%{{.+}}, %{{.+}}) : (tensor<4x!quant16_symm>, tensor<4x!quant16_symm>) -> tensor<4x!quant16_symm>
// CHECK: tflite.elementwise gelu(%{{.+}}) : (tensor<4x!quant16_symm>) -> tensor<4x!quant16_symm>
// CHECK: tflite.elementwise elu(%arg1) : (tensor<4x!quant8_asymm_signed>) -> tensor<4x!quant8_asymm_signed>
// CHECK: tflite.elementwise log(%{{.+}}) : (tensor<4x!quant8_asymm_signed>) -> tensor<4x!quant8_asymm_signed>
// CHECK: tflite.elementwise neg(%{{.+}}) : (tensor<4x!quant8_asymm_signed>) -> tensor<4x!quant8_asymm_signed>
nnhal.model @quantized_functions attributes {hal_version = "1.3", extension_names = ["nnhal.tflite"], extension_prefixes = array<i32: 1>} {
  nnhal.graph @main(%x: tensor<4x!fixed>, %y: tensor<4x!byte>) -> (tensor<4x!fixed>, tensor<4x!byte>) {
    %none = nnhal.constant_copy 0 : i32 -> i32
    %no = nnhal.constant_copy 0 : i8 -> i8
    %divisors = nnhal.constant_copy dense<[1, -2, 3, 4]> : tensor<4xi16> -> tensor<4x!fixed>
    %0 = nnhal.operation "nnhal.tflite:54"(%x, %y) : (tensor<4x!fixed>, tensor<4x!byte>) -> tensor<4x!fixed>
    %1 = nnhal.operation "nnhal.tflite:42"(%0, %divisors, %none) : (tensor<4x!fixed>, tensor<4x!fixed>, i32) -> tensor<4x!fixed>
    %2 = nnhal.operation "nnhal.tflite:150"(%1, %no) : (tensor<4x!fixed>, i8) -> tensor<4x!fixed>
    %3 = nnhal.operation "nnhal.tflite:111"(%y) : (tensor<4x!byte>) -> tensor<4x!byte>
    %4 = nnhal.operation "nnhal.tflite:73"(%3) : (tensor<4x!byte>) -> tensor<4x!byte>
    %5 = nnhal.operation "nnhal.tflite:59"(%4) : (tensor<4x!byte>) -> tensor<4x!byte>
    nnhal.return %2, %5 : tensor<4x!fixed>, tensor<4x!byte>
  }
}
