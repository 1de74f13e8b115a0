// RUN: nnhal-opt %s --split-input-file --nnhal-compile='target=vulkan until=lower' --verify-diagnostics

// Targets without routines need parameters that are known when they compile.

func.func @computed_k(%x: tensor<2x4xf32>, %kind: i32, %hash: tensor<2x4xf32>) -> tensor<?xi32> {
  %none = nnhal.no_value : tensor<2xf32>
  // expected-error @below {{'nnhal.operation' op cannot be lowered: input 3 is not a constant, and the target calls no routines of the runtime}}
  %0 = nnhal.operation "LSH_PROJECTION"(%hash, %x, %none, %kind)
      : (tensor<2x4xf32>, tensor<2x4xf32>, tensor<2xf32>, i32) -> tensor<?xi32>
  return %0 : tensor<?xi32>
}

// -----

func.func @unknown_row(%hash: tensor<4x2xf32>, %x: tensor<3x?xi32>) -> tensor<4xi32> {
  // expected-error @below {{'nnhal.lsh_projection' op cannot be lowered: the extents of input 1 are not known, and the target calls no routines of the runtime}}
  %0 = nnhal.lsh_projection hash(%hash) input(%x) kind sparse
      : (tensor<4x2xf32>, tensor<3x?xi32>) -> tensor<4xi32>
  return %0 : tensor<4xi32>
}

// -----

func.func @unknown_count(%scores: tensor<5x3xf32>, %boxes: tensor<5x12xf32>, %batches: tensor<5xi32>)
    -> tensor<?xf32> {
  // expected-error @below {{'nnhal.box_with_nms_limit' op cannot be lowered: the number of boxes that remain is not stated, and the target calls no routines of the runtime}}
  %0:4 = nnhal.box_with_nms_limit %scores, %boxes, %batches score_threshold 0.3 max_boxes -1
      kernel hard iou_threshold 0.4 sigma 0.5 nms_score_threshold 0.3
      : (tensor<5x3xf32>, tensor<5x12xf32>, tensor<5xi32>)
      -> (tensor<?xf32>, tensor<?x4xf32>, tensor<?xi32>, tensor<?xi32>)
  return %0#0 : tensor<?xf32>
}
