// Whether a condition has one element is checked where only an execution knows.
// RUN: nnhal-opt %s --convert-nnhal-graph-to-func --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @main
// CHECK-NOT:     nnrt.check
// CHECK:         %[[BYTE:.+]] = tensor.extract
// CHECK-NOT:     nnrt.check
// CHECK:         scf.if
nnhal.model @known attributes {hal_version = "1.3"} {
  nnhal.graph @main(%c: tensor<1xi8>, %x: tensor<2xf32>) -> tensor<2xf32> {
    %then = nnhal.subgraph_reference @keep
    %0 = nnhal.operation "IF"(%c, %then, %then, %x) : (tensor<1xi8>, !nnhal.subgraph, !nnhal.subgraph, tensor<2xf32>) -> tensor<2xf32>
    nnhal.return %0 : tensor<2xf32>
  }
  nnhal.graph @keep(%x: tensor<2xf32>) -> tensor<2xf32> {
    nnhal.return %x : tensor<2xf32>
  }
}

// -----

// CHECK-LABEL: func.func @main
// CHECK:         %[[EXTENT:.+]] = tensor.dim
// CHECK:         %[[ONE:.+]] = arith.cmpi eq, %[[EXTENT]]
// CHECK:         nnrt.check %[[ONE]]
// CHECK:         tensor.extract
// CHECK:         scf.if
nnhal.model @unknown attributes {hal_version = "1.3"} {
  nnhal.graph @main(%c: tensor<?xi8>, %x: tensor<2xf32>) -> tensor<2xf32> {
    %then = nnhal.subgraph_reference @keep
    %0 = nnhal.operation "IF"(%c, %then, %then, %x) : (tensor<?xi8>, !nnhal.subgraph, !nnhal.subgraph, tensor<2xf32>) -> tensor<2xf32>
    nnhal.return %0 : tensor<2xf32>
  }
  nnhal.graph @keep(%x: tensor<2xf32>) -> tensor<2xf32> {
    nnhal.return %x : tensor<2xf32>
  }
}

// -----

// Both branches leave results of known extents in one buffer. An IF in a branch
// computes its result there, too; extents that are not known are yielded.
// CHECK-LABEL: func.func @main
// CHECK:         %[[BUFFER:.+]] = memref.alloc() : memref<2xf32>
// CHECK:         %[[OPEN:.+]] = scf.if {{.*}} -> (tensor<?xf32>) {
// CHECK-NOT:       memref.alloc
// CHECK:           %[[INNER:.+]] = scf.if {{.*}} -> (tensor<?xf32>) {
// CHECK:             bufferization.materialize_in_destination {{.*}} in restrict writable %[[BUFFER]]
// CHECK:             scf.yield %{{.*}} : tensor<?xf32>
// CHECK:           } else {
// CHECK:             bufferization.materialize_in_destination {{.*}} in restrict writable %[[BUFFER]]
// CHECK:             scf.yield %{{.*}} : tensor<?xf32>
// CHECK:           }
// CHECK-NOT:       bufferization.materialize_in_destination
// CHECK:           scf.yield %[[INNER]] : tensor<?xf32>
// CHECK:         } else {
// CHECK:           bufferization.materialize_in_destination {{.*}} in restrict writable %[[BUFFER]]
// CHECK:         }
// CHECK:         bufferization.to_tensor %[[BUFFER]] restrict
nnhal.model @nested attributes {hal_version = "1.3"} {
  nnhal.graph @main(%c: tensor<1xi8>, %d: tensor<1xi8>, %x: tensor<2xf32>, %y: tensor<?xf32>) -> (tensor<2xf32>, tensor<?xf32>) {
    %then = nnhal.subgraph_reference @choose
    %else = nnhal.subgraph_reference @keep
    %0:2 = nnhal.operation "IF"(%c, %then, %else, %d, %x, %y) : (tensor<1xi8>, !nnhal.subgraph, !nnhal.subgraph, tensor<1xi8>, tensor<2xf32>, tensor<?xf32>) -> (tensor<2xf32>, tensor<?xf32>)
    nnhal.return %0#0, %0#1 : tensor<2xf32>, tensor<?xf32>
  }
  nnhal.graph @choose(%d: tensor<1xi8>, %x: tensor<2xf32>, %y: tensor<?xf32>) -> (tensor<2xf32>, tensor<?xf32>) {
    %then = nnhal.subgraph_reference @keep
    %0:2 = nnhal.operation "IF"(%d, %then, %then, %d, %x, %y) : (tensor<1xi8>, !nnhal.subgraph, !nnhal.subgraph, tensor<1xi8>, tensor<2xf32>, tensor<?xf32>) -> (tensor<2xf32>, tensor<?xf32>)
    nnhal.return %0#0, %0#1 : tensor<2xf32>, tensor<?xf32>
  }
  nnhal.graph @keep(%d: tensor<1xi8>, %x: tensor<2xf32>, %y: tensor<?xf32>) -> (tensor<2xf32>, tensor<?xf32>) {
    nnhal.return %x, %y : tensor<2xf32>, tensor<?xf32>
  }
}
