// RUN: nnhal-opt %s --nnhal-compile=until=bufferize | FileCheck %s

// What the runtime reads has no offset and no strides.
// CHECK: %[[SLICE:.+]] = memref.subview
// CHECK: %[[WHOLE:.+]] = memref.alloc({{.*}}) : memref<?x1xf32>
// CHECK: memref.copy %[[SLICE]], %[[WHOLE]]
// CHECK: nnk.deliver %[[WHOLE]] {output = 0 : i64} : memref<?x1xf32>
nnhal.model @model attributes {hal_version = "1.3"} {
  nnhal.graph @main(%x: tensor<?x4xf32>) -> tensor<?x1xf32> {
    %begin = nnhal.constant_copy dense<[0, 2]> : tensor<2xi32> -> tensor<2xi32>
    %size = nnhal.constant_copy dense<[-1, 1]> : tensor<2xi32> -> tensor<2xi32>
    %0 = nnhal.operation "SLICE"(%x, %begin, %size)
        : (tensor<?x4xf32>, tensor<2xi32>, tensor<2xi32>) -> tensor<?x1xf32>
    nnhal.return %0 : tensor<?x1xf32>
  }
}
