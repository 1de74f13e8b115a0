// RUN: nnhal-opt %s --nnhal-raise-operations="strict" --split-input-file | FileCheck %s

// CHECK-LABEL: nnhal.model @channel_shuffle
nnhal.model @channel_shuffle attributes {hal_version = "1.3"} {
  nnhal.graph @main(%x: tensor<1x4xf32>) -> tensor<1x4xf32> {
    %c0 = nnhal.constant_copy 2 : i32 -> i32
    %c1 = nnhal.constant_copy 1 : i32 -> i32
    // CHECK: nnhal.channel_shuffle %{{.+}} groups 2 axis 1
    %r = nnhal.operation "CHANNEL_SHUFFLE"(%x, %c0, %c1)
        : (tensor<1x4xf32>, i32, i32) -> tensor<1x4xf32>
    nnhal.return %r : tensor<1x4xf32>
  }
}

// -----

// CHECK-LABEL: nnhal.model @depth_to_space
nnhal.model @depth_to_space attributes {hal_version = "1.3"} {
  nnhal.graph @main(%x: tensor<1x2x2x4xf32>) -> tensor<1x4x4x1xf32> {
    %c0 = nnhal.constant_copy 2 : i32 -> i32
    // CHECK: nnhal.depth_to_space %{{.+}} block_size 2
    %r = nnhal.operation "DEPTH_TO_SPACE"(%x, %c0)
        : (tensor<1x2x2x4xf32>, i32) -> tensor<1x4x4x1xf32>
    nnhal.return %r : tensor<1x4x4x1xf32>
  }
}

// -----

// CHECK-LABEL: nnhal.model @space_to_depth_nchw
nnhal.model @space_to_depth_nchw attributes {hal_version = "1.3"} {
  nnhal.graph @main(%x: tensor<1x1x4x4xf32>) -> tensor<1x4x2x2xf32> {
    %c0 = nnhal.constant_copy 2 : i32 -> i32
    %c1 = nnhal.constant_copy 1 : i8 -> i8
    // CHECK: nnhal.transpose
    // CHECK: nnhal.space_to_depth
    // CHECK: nnhal.transpose
    %r = nnhal.operation "SPACE_TO_DEPTH"(%x, %c0, %c1)
        : (tensor<1x1x4x4xf32>, i32, i8) -> tensor<1x4x2x2xf32>
    nnhal.return %r : tensor<1x4x2x2xf32>
  }
}

// -----

// CHECK-LABEL: nnhal.model @batch_to_space
nnhal.model @batch_to_space attributes {hal_version = "1.3"} {
  nnhal.graph @main(%x: tensor<4x1x1x2xf32>) -> tensor<1x2x2x2xf32> {
    %c0 = nnhal.constant_copy dense<[2, 2]> : tensor<2xi32> -> tensor<2xi32>
    // CHECK: nnhal.batch_to_space_nd %{{.+}} block_shape [2, 2]
    %r = nnhal.operation "BATCH_TO_SPACE_ND"(%x, %c0)
        : (tensor<4x1x1x2xf32>, tensor<2xi32>) -> tensor<1x2x2x2xf32>
    nnhal.return %r : tensor<1x2x2x2xf32>
  }
}

// -----

// CHECK-LABEL: nnhal.model @space_to_batch
nnhal.model @space_to_batch attributes {hal_version = "1.3"} {
  nnhal.graph @main(%x: tensor<1x2x1x2xf32>) -> tensor<4x1x1x2xf32> {
    %c0 = nnhal.constant_copy dense<[2, 2]> : tensor<2xi32> -> tensor<2xi32>
    %c1 = nnhal.constant_copy dense<[[0, 0], [0, 1]]> : tensor<2x2xi32> -> tensor<2x2xi32>
    // CHECK: nnhal.space_to_batch_nd %{{.+}} block_shape [2, 2] pads [0, 0, 0, 1]
    %r = nnhal.operation "SPACE_TO_BATCH_ND"(%x, %c0, %c1)
        : (tensor<1x2x1x2xf32>, tensor<2xi32>, tensor<2x2xi32>) -> tensor<4x1x1x2xf32>
    nnhal.return %r : tensor<4x1x1x2xf32>
  }
}
