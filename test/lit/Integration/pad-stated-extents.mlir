// RUN: nnhal-opt %s --nnhal-compile=until=outline | FileCheck %s

// Paddings and extents that a request gives are compared with the extents that
// the model states before the first element is written to the output.

// CHECK-LABEL: func.func @main
// CHECK-SAME:    %{{[a-z0-9]+}}: memref<?xf32>, %{{[a-z0-9]+}}: memref<?x?xi32>, %[[OUTPUT:[a-z0-9]+]]: memref<7xf32>
// CHECK:       %[[FITS:.+]] = arith.cmpi eq, %{{.+}}, %c7
// CHECK-NOT:   store
// CHECK:       nnrt.check %[[FITS]], %{{.+}}, %{{.+}} reason 2
// CHECK:       vector.store {{.*}}%[[OUTPUT]]
// CHECK:       memref.subview %[[OUTPUT]]

nnhal.model @model attributes {hal_version = "1.3"} {
  nnhal.graph @main(%x: tensor<?xf32>, %paddings: tensor<?x?xi32>) -> tensor<7xf32> {
    %0 = nnhal.operation "PAD"(%x, %paddings) : (tensor<?xf32>, tensor<?x?xi32>) -> tensor<7xf32>
    nnhal.return %0 : tensor<7xf32>
  }
}
