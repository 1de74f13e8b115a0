// Operators that find elements by places, or yield places, are raised where axes,
// sizes and options are constants, and what follows from shapes alone is one.
// RUN: nnhal-opt %s --load-dialect-plugin=%{extension-halves}/nnhal.tflite.compiler.so --nnhal-raise-operations | FileCheck %s
!long = !nnhal.extension<"nnhal.tflite", 0 : 8>

// CHECK-LABEL: nnhal.model @gathered
// CHECK: %[[ROWS:.+]] = tflite.gather %arg0, %{{.+}} {axis = 0 : i64, inside} : tensor<4x3xf32>, tensor<2xi32> -> tensor<2x3xf32>
// CHECK: %[[CHOSEN:.+]] = tflite.gather %[[ROWS]], %arg1 {axis = 1 : i64, batch = 1 : i64} : tensor<2x3xf32>, tensor<2x1x!nnhal.extension<"nnhal.tflite", 0 : 8>> -> tensor<2x1xf32>
// CHECK: %[[FLAT:.+]] = nnhal.constant dense<[0, 1]> : tensor<2xi32> -> tensor<2xi32>
// CHECK: %[[LAST:.+]] = tflite.gather %[[CHOSEN]], %[[FLAT]] {axis = 0 : i64, inside} : tensor<2x1xf32>, tensor<2xi32> -> tensor<2x1xf32>
// CHECK: tflite.reshape %[[LAST]] : tensor<2x1xf32> -> tensor<2xf32>
nnhal.model @gathered attributes {hal_version = "1.3", extension_names = ["nnhal.tflite"], extension_prefixes = array<i32: 1>} {
  nnhal.graph @main(%x: tensor<4x3xf32>, %indices: tensor<2x1x!long>) -> tensor<2xf32> {
    %zero = nnhal.constant_copy 0 : i32 -> i32
    %one = nnhal.constant_copy 1 : i32 -> i32
    %rows = nnhal.constant dense<[3, 0]> : tensor<2xi32> -> tensor<2xi32>
    %first = nnhal.constant dense<[[0, 0], [1, 0]]> : tensor<2x2xi32> -> tensor<2x2xi32>
    %0 = nnhal.operation "nnhal.tflite:36"(%x, %rows, %zero, %zero) : (tensor<4x3xf32>, tensor<2xi32>, i32, i32) -> tensor<2x3xf32>
    %1 = nnhal.operation "nnhal.tflite:36"(%0, %indices, %one, %one) : (tensor<2x3xf32>, tensor<2x1x!long>, i32, i32) -> tensor<2x1xf32>
    %2 = nnhal.operation "nnhal.tflite:107"(%1, %first) : (tensor<2x1xf32>, tensor<2x2xi32>) -> tensor<2xf32>
    nnhal.return %2 : tensor<2xf32>
  }
}

// CHECK-LABEL: nnhal.model @found
// CHECK: tflite.arg maximum %arg0 {axis = 1 : i64} : tensor<2x3xf32> -> tensor<2xi32>
// CHECK: tflite.arg minimum %arg0 {axis = 0 : i64} : tensor<2x3xf32> -> tensor<3x!nnhal.extension<"nnhal.tflite", 0 : 8>>
// CHECK: tflite.one_hot %arg1, %arg2, %arg2 {axis = 0 : i64} : (tensor<2xi32>, tensor<1xf32>, tensor<1xf32>) -> tensor<5x2xf32>
// CHECK: tflite.diagonal %arg1 : tensor<2xi32> -> tensor<2x2xi32>
nnhal.model @found attributes {hal_version = "1.3", extension_names = ["nnhal.tflite"], extension_prefixes = array<i32: 1>} {
  nnhal.graph @main(%x: tensor<2x3xf32>, %indices: tensor<2xi32>, %on: tensor<1xf32>) -> (tensor<2xi32>, tensor<3x!long>, tensor<5x2xf32>, tensor<2x2xi32>) {
    %two = nnhal.constant_copy 2 : i32 -> i32
    %zero = nnhal.constant_copy 0 : i32 -> i32
    %last = nnhal.constant dense<-1> : tensor<1xi32> -> tensor<1xi32>
    %first = nnhal.constant dense<0> : tensor<1xi32> -> tensor<1xi32>
    %depth = nnhal.constant dense<5> : tensor<1xi32> -> tensor<1xi32>
    %0 = nnhal.operation "nnhal.tflite:56"(%x, %last, %two) : (tensor<2x3xf32>, tensor<1xi32>, i32) -> tensor<2xi32>
    %1 = nnhal.operation "nnhal.tflite:79"(%x, %first, %two) : (tensor<2x3xf32>, tensor<1xi32>, i32) -> tensor<3x!long>
    %2 = nnhal.operation "nnhal.tflite:85"(%indices, %depth, %on, %on, %zero) : (tensor<2xi32>, tensor<1xi32>, tensor<1xf32>, tensor<1xf32>, i32) -> tensor<5x2xf32>
    %3 = nnhal.operation "nnhal.tflite:113"(%indices) : (tensor<2xi32>) -> tensor<2x2xi32>
    nnhal.return %0, %1, %2, %3 : tensor<2xi32>, tensor<3x!long>, tensor<5x2xf32>, tensor<2x2xi32>
  }
}

// CHECK-LABEL: nnhal.model @column
// CHECK: %[[ROW:.+]] = tflite.reshape %arg0 : tensor<2x3x1xf32> -> tensor<2x3xf32>
// CHECK: %[[FOUND:.+]] = tflite.arg maximum %[[ROW]] {axis = 1 : i64} : tensor<2x3xf32> -> tensor<2xi32>
// CHECK: tflite.reshape %[[FOUND]] : tensor<2xi32> -> tensor<2x1xi32>
nnhal.model @column attributes {hal_version = "1.3", extension_names = ["nnhal.tflite"], extension_prefixes = array<i32: 1>} {
  nnhal.graph @main(%x: tensor<2x3x1xf32>) -> tensor<2x1xi32> {
    %two = nnhal.constant_copy 2 : i32 -> i32
    %axis = nnhal.constant dense<1> : tensor<1xi32> -> tensor<1xi32>
    %0 = nnhal.operation "nnhal.tflite:56"(%x, %axis, %two) : (tensor<2x3x1xf32>, tensor<1xi32>, i32) -> tensor<2x1xi32>
    nnhal.return %0 : tensor<2x1xi32>
  }
}

// CHECK-LABEL: nnhal.model @joined
// CHECK: tflite.elementwise add_n(%arg0, %arg0, %arg0) : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
// CHECK: tflite.cumsum %{{.+}} {axis = 1 : i64, exclusive, reverse} : tensor<2x3xf32> -> tensor<2x3xf32>
// CHECK: tflite.normalize log_softmax %{{.+}} : tensor<2x3xf32> -> tensor<2x3xf32>
// CHECK: tflite.normalize l2 %{{.+}} : tensor<2x3xf32> -> tensor<2x3xf32>
// CHECK: tflite.softmax %{{.+}} {beta = 1.000000e+00 : f32} : tensor<2x3xf32> -> tensor<2x3xf32>
// CHECK: tflite.elementwise bitcast(%{{.+}}) : (tensor<2x3xf32>) -> tensor<2x3xi32>
// CHECK: tflite.elementwise right_shift(%{{.+}}, %arg1) : (tensor<2x3xi32>, tensor<1xi32>) -> tensor<2x3xi32>
// CHECK: tflite.elementwise shift_left(%{{.+}}, %arg1) : (tensor<2x3xi32>, tensor<1xi32>) -> tensor<2x3xi32>
nnhal.model @joined attributes {hal_version = "1.3", extension_names = ["nnhal.tflite"], extension_prefixes = array<i32: 1>} {
  nnhal.graph @main(%x: tensor<2x3xf32>, %count: tensor<1xi32>) -> tensor<2x3xi32> {
    %yes = nnhal.constant_copy 1 : i8 -> i8
    %zero = nnhal.constant_copy 0 : i32 -> i32
    %beta = nnhal.constant_copy 1.0 : f32 -> f32
    %axis = nnhal.constant dense<1> : tensor<1xi32> -> tensor<1xi32>
    %0 = nnhal.operation "nnhal.tflite:106"(%x, %x, %x) : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
    %1 = nnhal.operation "nnhal.tflite:128"(%0, %axis, %yes, %yes) : (tensor<2x3xf32>, tensor<1xi32>, i8, i8) -> tensor<2x3xf32>
    %2 = nnhal.operation "nnhal.tflite:50"(%1) : (tensor<2x3xf32>) -> tensor<2x3xf32>
    %3 = nnhal.operation "nnhal.tflite:11"(%2, %zero) : (tensor<2x3xf32>, i32) -> tensor<2x3xf32>
    %4 = nnhal.operation "nnhal.tflite:25"(%3, %beta) : (tensor<2x3xf32>, f32) -> tensor<2x3xf32>
    %5 = nnhal.operation "nnhal.tflite:159"(%4) : (tensor<2x3xf32>) -> tensor<2x3xi32>
    %6 = nnhal.operation "nnhal.tflite:161"(%5, %count) : (tensor<2x3xi32>, tensor<1xi32>) -> tensor<2x3xi32>
    %7 = nnhal.operation "nnhal.tflite:207"(%6, %count) : (tensor<2x3xi32>, tensor<1xi32>) -> tensor<2x3xi32>
    nnhal.return %7 : tensor<2x3xi32>
  }
}

// CHECK-LABEL: nnhal.model @shaped
// CHECK: %[[SHAPE:.+]] = nnhal.constant dense<[2, 3]> : tensor<2xi64> -> tensor<2x!nnhal.extension<"nnhal.tflite", 0 : 8>>
// CHECK: %[[RANK:.+]] = nnhal.constant dense<2> : tensor<1xi32> -> tensor<1xi32>
// CHECK: %[[ZERO:.+]] = nnhal.constant dense<0.000000e+00> : tensor<1xf32> -> tensor<1xf32>
// CHECK: %[[ZEROS:.+]] = tflite.elementwise broadcast_to(%[[ZERO]]) : (tensor<1xf32>) -> tensor<2x3xf32>
// CHECK: %[[FILLED:.+]] = tflite.elementwise broadcast_to(%arg1) : (tensor<1xf32>) -> tensor<2x3xf32>
// CHECK: nnhal.return %[[SHAPE]], %[[RANK]], %[[ZEROS]], %[[FILLED]]
nnhal.model @shaped attributes {hal_version = "1.3", extension_names = ["nnhal.tflite"], extension_prefixes = array<i32: 1>} {
  nnhal.graph @main(%x: tensor<2x3xf32>, %value: tensor<1xf32>) -> (tensor<2x!long>, tensor<1xi32>, tensor<2x3xf32>, tensor<2x3xf32>) {
    %type = nnhal.constant_copy 4 : i32 -> i32
    %extents = nnhal.constant dense<[2, 3]> : tensor<2xi32> -> tensor<2xi32>
    %0 = nnhal.operation "nnhal.tflite:77"(%x, %type) : (tensor<2x3xf32>, i32) -> tensor<2x!long>
    %1 = nnhal.operation "nnhal.tflite:110"(%x) : (tensor<2x3xf32>) -> tensor<1xi32>
    %2 = nnhal.operation "nnhal.tflite:93"(%x) : (tensor<2x3xf32>) -> tensor<2x3xf32>
    %3 = nnhal.operation "nnhal.tflite:94"(%extents, %value) : (tensor<2xi32>, tensor<1xf32>) -> tensor<2x3xf32>
    nnhal.return %0, %1, %2, %3 : tensor<2x!long>, tensor<1xi32>, tensor<2x3xf32>, tensor<2x3xf32>
  }
}

// CHECK-LABEL: nnhal.model @images
// CHECK: tflite.resize bilinear %arg0 {half_pixel_centers} : tensor<1x2x2x1xf32> -> tensor<1x4x4x1xf32>
// CHECK: tflite.resize nearest %{{.+}} {align_corners} : tensor<1x4x4x1xf32> -> tensor<1x3x3x1xf32>
// CHECK: tflite.pad %{{.+}} [0, 1, 0, 0] : (tensor<1x3x3x1xf32>) -> tensor<1x4x3x1xf32>
// CHECK: tflite.transpose %{{.+}} [2, 4, 0, 1, 3, 5] : tensor<1x2x2x1x3x1xf32> -> tensor<2x3x1x2x1x1xf32>
// CHECK: tflite.transpose %{{.+}} [2, 3, 0, 4, 1, 5] : tensor<2x3x1x2x1x1xf32> -> tensor<1x2x2x1x3x1xf32>
// CHECK: tflite.slice %{{.+}} [0, 1, 0, 0] [1, 1, 1, 1] : tensor<1x4x3x1xf32> -> tensor<1x3x3x1xf32>
nnhal.model @images attributes {hal_version = "1.3", extension_names = ["nnhal.tflite"], extension_prefixes = array<i32: 1>} {
  nnhal.graph @main(%x: tensor<1x2x2x1xf32>) -> tensor<1x3x3x1xf32> {
    %yes = nnhal.constant_copy 1 : i8 -> i8
    %no = nnhal.constant_copy 0 : i8 -> i8
    %four = nnhal.constant dense<4> : tensor<2xi32> -> tensor<2xi32>
    %three = nnhal.constant dense<3> : tensor<2xi32> -> tensor<2xi32>
    %blocks = nnhal.constant dense<[2, 3]> : tensor<2xi32> -> tensor<2xi32>
    %margins = nnhal.constant dense<[[1, 0], [0, 0]]> : tensor<2x2xi32> -> tensor<2x2xi32>
    %0 = nnhal.operation "nnhal.tflite:23"(%x, %four, %no, %yes) : (tensor<1x2x2x1xf32>, tensor<2xi32>, i8, i8) -> tensor<1x4x4x1xf32>
    %1 = nnhal.operation "nnhal.tflite:97"(%0, %three, %yes, %no) : (tensor<1x4x4x1xf32>, tensor<2xi32>, i8, i8) -> tensor<1x3x3x1xf32>
    %2 = nnhal.operation "nnhal.tflite:38"(%1, %blocks, %margins) : (tensor<1x3x3x1xf32>, tensor<2xi32>, tensor<2x2xi32>) -> tensor<6x2x1x1xf32>
    %3 = nnhal.operation "nnhal.tflite:37"(%2, %blocks, %margins) : (tensor<6x2x1x1xf32>, tensor<2xi32>, tensor<2x2xi32>) -> tensor<1x3x3x1xf32>
    nnhal.return %3 : tensor<1x3x3x1xf32>
  }
}
