// RUN: nnhal-opt %s --nnhal-partition="devices=%S/Inputs/devices.json planner=greedy" | FileCheck %s

// The steps of a model as models of their own, each with its device.

// CHECK: module attributes {nnhal.plan = [
// CHECK: nnhal.model @step0 attributes {
// CHECK-SAME: nnhal.device = "dsp"
// CHECK-SAME: nnhal.reasons = ["cost"]
// CHECK-SAME: nnhal.source_inputs = array<i32: 0>
// CHECK-SAME: nnhal.source_operations = array<i32: 0>
// CHECK-SAME: nnhal.source_outputs = array<i32: 1>
// CHECK: nnhal.operation "RELU"
// CHECK: nnhal.model @step1 attributes {
// CHECK-SAME: nnhal.device = "cpu"
// CHECK-SAME: nnhal.reasons = ["type"]
// CHECK: nnhal.operation "FLOOR"
// CHECK: nnhal.model @step2 attributes {
// CHECK-SAME: nnhal.device = "dsp"
// CHECK: nnhal.operation "TANH"
nnhal.model @model attributes {hal_version = "1.3"} {
  nnhal.graph @main(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
    %0 = nnhal.operation "RELU"(%x) : (tensor<2x3xf32>) -> tensor<2x3xf32>
    %1 = nnhal.operation "FLOOR"(%0) : (tensor<2x3xf32>) -> tensor<2x3xf32>
    %2 = nnhal.operation "TANH"(%1) : (tensor<2x3xf32>) -> tensor<2x3xf32>
    nnhal.return %2 : tensor<2x3xf32>
  }
}
