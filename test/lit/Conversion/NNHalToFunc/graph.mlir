// RUN: nnhal-opt %s --convert-nnhal-graph-to-func | FileCheck %s

// CHECK-LABEL: func.func @main
// CHECK-SAME:    (%[[IN:.+]]: memref<2x3xf32>, %[[OUT:.+]]: memref<2x3xf32>)
// CHECK-SAME:    nnhal.entry
// CHECK-SAME:    nnhal.input_count = 1
// CHECK-SAME:    nnhal.output_count = 1
// CHECK:         %[[X:.+]] = bufferization.to_tensor %[[IN]] restrict
// CHECK:         %[[Y:.+]] = nnhal.relu %[[X]]
// CHECK:         bufferization.materialize_in_destination %[[Y]] in restrict writable %[[OUT]]
// CHECK-NOT:   nnhal.model
nnhal.model @model attributes {hal_version = "1.3"} {
  nnhal.graph @main(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
    %0 = nnhal.relu %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
    nnhal.return %0 : tensor<2x3xf32>
  }
}
