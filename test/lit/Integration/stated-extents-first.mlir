// RUN: nnhal-opt %s --split-input-file --nnhal-compile=until=fuse | FileCheck %s

// The extents of a result are compared with those that the model states before
// an element is read: the input may have none, where the result has one.

// CHECK-LABEL: func.func @main(
// CHECK:       nnrt.check %{{.+}}, %{{.+}}, %{{.+}} reason 2
// CHECK:       linalg.generic
// CHECK:       tensor.extract
// CHECK-NOT:   nnrt.check

nnhal.model @model attributes {hal_version = "1.3"} {
  nnhal.graph @main(%x: tensor<?xf32>) -> tensor<1xf32> {
    %one = nnhal.constant_copy dense<1.0> : tensor<1xf32> -> tensor<1xf32>
    %none = nnhal.constant_copy 0 : i32 -> i32
    %0 = nnhal.operation "ADD"(%x, %one, %none) : (tensor<?xf32>, tensor<1xf32>, i32) -> tensor<1xf32>
    nnhal.return %0 : tensor<1xf32>
  }
}

// -----

// The extent may come from further away.

// CHECK-LABEL: func.func @main(
// CHECK:       nnrt.check %{{.+}}, %{{.+}}, %{{.+}} reason 2
// CHECK:       linalg.generic

nnhal.model @model attributes {hal_version = "1.3"} {
  nnhal.graph @main(%x: tensor<?xf32>) -> tensor<1xf32> {
    %order = nnhal.constant_copy dense<0> : tensor<1xi32> -> tensor<1xi32>
    %0 = nnhal.operation "RELU"(%x) : (tensor<?xf32>) -> tensor<?xf32>
    %1 = nnhal.operation "TRANSPOSE"(%0, %order) : (tensor<?xf32>, tensor<1xi32>) -> tensor<1xf32>
    nnhal.return %1 : tensor<1xf32>
  }
}
