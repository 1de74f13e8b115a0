// RUN: nnhal-opt %s --convert-nnhal-to-linalg | FileCheck %s
// RUN: nnhal-opt %s --nnhal-compile='target=vulkan until=lower' | FileCheck %s --check-prefix=GPU --implicit-check-not=nnrt.call_routine

// Targets whose code calls no routines of the runtime have loops instead.

// The rank of an element is the number of those before it; each result looks for
// the element of its rank.

// CHECK-LABEL: func.func @topk
// CHECK:         nnrt.call_routine({{.*}}) slot 6
// GPU-LABEL:   func.func @topk
// GPU-SAME:      (%[[X:.+]]: tensor<4x9xf32>)
// GPU:           %[[RANKS:.+]] = linalg.generic
// GPU:             scf.for
// GPU:               tensor.extract %[[X]]
// GPU:           linalg.generic {{.*}} outs(%{{.+}} : tensor<4x2xi32>)
// GPU:             scf.for
// GPU:               tensor.extract %[[RANKS]]
// GPU:           linalg.generic
// GPU:             tensor.extract %[[X]]
func.func @topk(%x: tensor<4x9xf32>) -> (tensor<4x2xf32>, tensor<4x2xi32>) {
  %0:2 = nnhal.topk_v2 %x k 2 : (tensor<4x9xf32>) -> (tensor<4x2xf32>, tensor<4x2xi32>)
  return %0#0, %0#1 : tensor<4x2xf32>, tensor<4x2xi32>
}

// Halves of seven keys are three rounds.

// CHECK-LABEL: func.func @hashtable
// CHECK:         nnrt.call_routine({{.*}}) slot 3
// GPU-LABEL:   func.func @hashtable
// GPU:           linalg.generic
// GPU:             scf.for %{{.+}} = %c0{{.*}} to %c3{{.*}} step
// GPU:               arith.divsi
func.func @hashtable(%lookups: tensor<5xi32>, %keys: tensor<7xi32>, %values: tensor<7x2xf32>)
    -> tensor<5x2xf32> {
  %0:2 = nnhal.hashtable_lookup %lookups, %keys, %values
      : (tensor<5xi32>, tensor<7xi32>, tensor<7x2xf32>)
      -> (tensor<5x2xf32>, tensor<5x!quant.uniform<u8:f32, 1.0>>)
  return %0#0 : tensor<5x2xf32>
}

// CHECK-LABEL: func.func @lsh
// CHECK:         nnrt.call_routine({{.*}}) slot 4
// GPU-LABEL:   func.func @lsh
// GPU:           arith.muli {{.*}} : i64
// GPU:           arith.sitofp {{.*}} : i64 to f64
func.func @lsh(%hash: tensor<4x2xf32>, %x: tensor<3x2xi32>) -> tensor<4xi32> {
  %0 = nnhal.lsh_projection hash(%hash) input(%x) kind sparse
      : (tensor<4x2xf32>, tensor<3x2xi32>) -> tensor<4xi32>
  return %0 : tensor<4xi32>
}

// One loop nest takes the best; whether as many remain as the model states is
// checked.

// CHECK-LABEL: func.func @suppress
// CHECK:         nnrt.call_routine({{.*}}) slot 0
// GPU-LABEL:   func.func @suppress
// GPU:           scf.for {{.*}} -> (tensor<5x3xf32>, tensor<5x3xi32>)
// GPU:             tensor.insert
// GPU:           nnrt.check {{.*}} reason 2
func.func @suppress(%scores: tensor<5x3xf32>, %boxes: tensor<5x12xf32>, %batches: tensor<5xi32>)
    -> (tensor<2xf32>, tensor<2x4xf32>, tensor<2xi32>, tensor<2xi32>) {
  %0:4 = nnhal.box_with_nms_limit %scores, %boxes, %batches score_threshold 0.3 max_boxes -1
      kernel gaussian iou_threshold 0.4 sigma 0.5 nms_score_threshold 0.3
      : (tensor<5x3xf32>, tensor<5x12xf32>, tensor<5xi32>)
      -> (tensor<2xf32>, tensor<2x4xf32>, tensor<2xi32>, tensor<2xi32>)
  return %0#0, %0#1, %0#2, %0#3 : tensor<2xf32>, tensor<2x4xf32>, tensor<2xi32>, tensor<2xi32>
}
