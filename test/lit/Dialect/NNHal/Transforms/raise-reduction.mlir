// RUN: nnhal-opt %s --nnhal-raise-operations="strict" --split-input-file | FileCheck %s

// CHECK-LABEL: nnhal.model @mean
nnhal.model @mean attributes {hal_version = "1.3"} {
  nnhal.graph @main(%a: tensor<2x3xf32>) -> tensor<2x1xf32> {
    %c0 = nnhal.constant_copy dense<[-1]> : tensor<1xi32> -> tensor<1xi32>
    %c1 = nnhal.constant_copy 2 : i32 -> i32
    // CHECK: nnhal.mean %{{.+}} axes [-1] keep_dims
    %r = nnhal.operation "MEAN"(%a, %c0, %c1)
        : (tensor<2x3xf32>, tensor<1xi32>, i32) -> tensor<2x1xf32>
    nnhal.return %r : tensor<2x1xf32>
  }
}

// -----

// CHECK-LABEL: nnhal.model @reduce_max
nnhal.model @reduce_max attributes {hal_version = "1.3"} {
  nnhal.graph @main(%a: tensor<2x3xf32>) -> tensor<*xf32> {
    %c0 = nnhal.constant_copy dense<[0, 1]> : tensor<2xi32> -> tensor<2xi32>
    %c1 = nnhal.constant_copy 0 : i8 -> i8
    // CHECK: nnhal.reduce_max %{{.+}} axes [0, 1] : (tensor<2x3xf32>) -> tensor<1xf32>
    %r = nnhal.operation "REDUCE_MAX"(%a, %c0, %c1)
        : (tensor<2x3xf32>, tensor<2xi32>, i8) -> tensor<*xf32>
    nnhal.return %r : tensor<*xf32>
  }
}

// -----

// CHECK-LABEL: nnhal.model @argmax
nnhal.model @argmax attributes {hal_version = "1.3"} {
  nnhal.graph @main(%a: tensor<2x3xf32>) -> tensor<2xi32> {
    %c0 = nnhal.constant_copy 1 : i32 -> i32
    // CHECK: nnhal.argmax %{{.+}} axis 1
    %r = nnhal.operation "ARGMAX"(%a, %c0)
        : (tensor<2x3xf32>, i32) -> tensor<2xi32>
    nnhal.return %r : tensor<2xi32>
  }
}

// -----

// CHECK-LABEL: nnhal.model @topk
nnhal.model @topk attributes {hal_version = "1.3"} {
  nnhal.graph @main(%a: tensor<2x3xf32>) -> (tensor<?x?xf32>, tensor<?x?xi32>) {
    %c0 = nnhal.constant_copy 2 : i32 -> i32
    // CHECK: %{{.+}}, %{{.+}} = nnhal.topk_v2 %{{.+}} k 2 : (tensor<2x3xf32>) -> (tensor<2x2xf32>, tensor<2x2xi32>)
    %r:2 = nnhal.operation "TOPK_V2"(%a, %c0)
        : (tensor<2x3xf32>, i32) -> (tensor<?x?xf32>, tensor<?x?xi32>)
    nnhal.return %r#0, %r#1 : tensor<?x?xf32>, tensor<?x?xi32>
  }
}
