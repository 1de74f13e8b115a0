// RUN: nnhal-opt %s --nnhal-raise-operations="strict" --split-input-file | FileCheck %s

// CHECK-LABEL: nnhal.model @relu6
nnhal.model @relu6 attributes {hal_version = "1.3"} {
  nnhal.graph @main(%a: tensor<2x3xf32>) -> tensor<2x3xf32> {
    // CHECK: nnhal.relu6
    %r = nnhal.operation "RELU6"(%a)
        : (tensor<2x3xf32>) -> tensor<2x3xf32>
    nnhal.return %r : tensor<2x3xf32>
  }
}

// -----

// CHECK-LABEL: nnhal.model @elu
nnhal.model @elu attributes {hal_version = "1.3"} {
  nnhal.graph @main(%a: tensor<2x3xf32>) -> tensor<2x3xf32> {
    %c0 = nnhal.constant_copy 2.0 : f32 -> f32
    // CHECK: nnhal.elu %{{.+}} alpha 2.000000e+00
    %r = nnhal.operation "ELU"(%a, %c0)
        : (tensor<2x3xf32>, f32) -> tensor<2x3xf32>
    nnhal.return %r : tensor<2x3xf32>
  }
}

// -----

// CHECK-LABEL: nnhal.model @softmax_default_axis
nnhal.model @softmax_default_axis attributes {hal_version = "1.3"} {
  nnhal.graph @main(%a: tensor<2x3xf32>) -> tensor<2x3xf32> {
    %c0 = nnhal.constant_copy 0.5 : f32 -> f32
    // CHECK: nnhal.softmax %{{.+}} beta 5.000000e-01
    %r = nnhal.operation "SOFTMAX"(%a, %c0)
        : (tensor<2x3xf32>, f32) -> tensor<2x3xf32>
    nnhal.return %r : tensor<2x3xf32>
  }
}

// -----

// CHECK-LABEL: nnhal.model @log_softmax
nnhal.model @log_softmax attributes {hal_version = "1.3"} {
  nnhal.graph @main(%a: tensor<2x3xf32>) -> tensor<2x3xf32> {
    %c0 = nnhal.constant_copy 1.0 : f32 -> f32
    %c1 = nnhal.constant_copy 0 : i32 -> i32
    // CHECK: nnhal.log_softmax %{{.+}} axis 0
    %r = nnhal.operation "LOG_SOFTMAX"(%a, %c0, %c1)
        : (tensor<2x3xf32>, f32, i32) -> tensor<2x3xf32>
    nnhal.return %r : tensor<2x3xf32>
  }
}

// -----

// CHECK-LABEL: nnhal.model @prelu
nnhal.model @prelu attributes {hal_version = "1.3"} {
  nnhal.graph @main(%a: tensor<2x3xf32>, %c: tensor<1x3xf32>) -> tensor<2x3xf32> {
    // CHECK: nnhal.prelu
    %r = nnhal.operation "PRELU"(%a, %c)
        : (tensor<2x3xf32>, tensor<1x3xf32>) -> tensor<2x3xf32>
    nnhal.return %r : tensor<2x3xf32>
  }
}
