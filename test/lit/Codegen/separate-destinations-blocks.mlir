// RUN: nnhal-opt %s --allow-unregistered-dialect --nnhal-separate-destinations | FileCheck %s

// The order of uses is that of blocks, too: the last one keeps the original.

// CHECK-LABEL: func.func @blocks
// CHECK: %[[THIRD:.+]] = tensor.empty
// CHECK: %[[SECOND:.+]] = tensor.empty
// CHECK: %[[FIRST:.+]] = tensor.empty
// CHECK: %[[LAST:.+]] = tensor.empty
// CHECK: "test.use"(%[[FIRST]])
// CHECK: "test.use"(%[[SECOND]])
// CHECK: "test.use"(%[[THIRD]])
// CHECK: "test.use"(%[[LAST]])
func.func @blocks(%condition: i1) {
  %empty = tensor.empty() : tensor<4xf32>
  "test.use"(%empty) : (tensor<4xf32>) -> ()
  cf.cond_br %condition, ^left, ^right
^left:
  "test.use"(%empty) : (tensor<4xf32>) -> ()
  cf.br ^right
^right:
  "test.use"(%empty) : (tensor<4xf32>) -> ()
  "test.use"(%empty) : (tensor<4xf32>) -> ()
  return
}
