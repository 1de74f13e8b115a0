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
