// RUN: nnhal-opt %s '--nnhal-compile=until=fuse' --remark-format=emitRemark --remarks-filter=nnhal 2>&1 >/dev/null | FileCheck %s
// Nothing is said unless somebody asks.
// RUN: nnhal-opt %s '--nnhal-compile=until=fuse' 2>&1 >/dev/null | count 0

// What is in the graphs of an IF belongs to the IF, whatever its number there.
// A reshape of an output leaves nothing.
// CHECK:      remark: {{.*}}Remark=scf.if, operation=3
// CHECK-NEXT: remark: {{.*}}Remark="fused into operation 1", operation=0
// CHECK-NEXT: remark: {{.*}}Remark="linalg.generic with operation 0", operation=1
// CHECK-NOT:  remark
nnhal.model @model attributes {hal_version = "1.3"} {
  nnhal.graph @main(%x: tensor<8xf32>, %y: tensor<8xf32>, %c: tensor<1xi8>) -> (tensor<2x4xf32>, tensor<8xf32>) {
    %shape = nnhal.constant dense<[2, 4]> : tensor<2xi32> -> tensor<2xi32>
    %then = nnhal.subgraph_reference @then
    %else = nnhal.subgraph_reference @else
    %0 = nnhal.operation "ABS"(%x) : (tensor<8xf32>) -> tensor<8xf32> loc("operation 0 ABS")
    %1 = nnhal.operation "MAXIMUM"(%0, %y) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32> loc("operation 1 MAXIMUM")
    %2 = nnhal.operation "RESHAPE"(%1, %shape) : (tensor<8xf32>, tensor<2xi32>) -> tensor<2x4xf32> loc("operation 2 RESHAPE")
    %3 = nnhal.operation "IF"(%c, %then, %else, %y) : (tensor<1xi8>, !nnhal.subgraph, !nnhal.subgraph, tensor<8xf32>) -> tensor<8xf32> loc("operation 3 IF")
    nnhal.return %2, %3 : tensor<2x4xf32>, tensor<8xf32>
  }
  nnhal.graph @then(%x: tensor<8xf32>) -> tensor<8xf32> {
    %0 = nnhal.operation "NEG"(%x) : (tensor<8xf32>) -> tensor<8xf32> loc("operation 0 NEG")
    nnhal.return %0 : tensor<8xf32>
  }
  nnhal.graph @else(%x: tensor<8xf32>) -> tensor<8xf32> {
    %0 = nnhal.operation "ABS"(%x) : (tensor<8xf32>) -> tensor<8xf32> loc("operation 0 ABS")
    nnhal.return %0 : tensor<8xf32>
  }
}
