// RUN: nnhal-opt %s --nnhal-raise-operations="strict" --split-input-file | FileCheck %s

// CHECK-LABEL: nnhal.model @pool_same
nnhal.model @pool_same attributes {hal_version = "1.3"} {
  nnhal.graph @main(%x: tensor<1x8x6x3xf32>) -> tensor<1x4x3x3xf32> {
    %c0 = nnhal.constant_copy 1 : i32 -> i32
    %c1 = nnhal.constant_copy 2 : i32 -> i32
    %c2 = nnhal.constant_copy 3 : i32 -> i32
    %c3 = nnhal.constant_copy 0 : i32 -> i32
    // CHECK: nnhal.max_pool_2d %{{.+}} pads [0, 0, 0, 1] strides [2, 2] window [2, 3]
    %r = nnhal.operation "MAX_POOL_2D"(%x, %c0, %c1, %c1, %c2, %c1, %c3)
        : (tensor<1x8x6x3xf32>, i32, i32, i32, i32, i32, i32) -> tensor<1x4x3x3xf32>
    nnhal.return %r : tensor<1x4x3x3xf32>
  }
}

// -----

// CHECK-LABEL: nnhal.model @pool_explicit
nnhal.model @pool_explicit attributes {hal_version = "1.3"} {
  nnhal.graph @main(%x: tensor<1x8x6x3xf32>) -> tensor<1x4x5x3xf32> {
    %c0 = nnhal.constant_copy 1 : i32 -> i32
    %c1 = nnhal.constant_copy 0 : i32 -> i32
    %c2 = nnhal.constant_copy 2 : i32 -> i32
    %c3 = nnhal.constant_copy 3 : i32 -> i32
    // CHECK: nnhal.average_pool_2d {{.*}}pads [0, 1, 1, 0] strides [2, 1] window [2, 3]
    %r = nnhal.operation "AVERAGE_POOL_2D"(%x, %c0, %c1, %c1, %c0, %c0, %c2, %c3, %c2, %c0)
        : (tensor<1x8x6x3xf32>, i32, i32, i32, i32, i32, i32, i32, i32, i32) -> tensor<1x4x5x3xf32>
    nnhal.return %r : tensor<1x4x5x3xf32>
  }
}

// -----

// CHECK-LABEL: nnhal.model @pool_nchw
nnhal.model @pool_nchw attributes {hal_version = "1.3"} {
  nnhal.graph @main(%x: tensor<1x3x8x6xf32>) -> tensor<1x3x4x3xf32> {
    %c0 = nnhal.constant_copy 2 : i32 -> i32
    %c1 = nnhal.constant_copy 0 : i32 -> i32
    %c2 = nnhal.constant_copy 1 : i8 -> i8
    // CHECK: nnhal.transpose
    // CHECK: nnhal.l2_pool_2d
    // CHECK: nnhal.transpose
    %r = nnhal.operation "L2_POOL_2D"(%x, %c0, %c0, %c0, %c0, %c0, %c1, %c2)
        : (tensor<1x3x8x6xf32>, i32, i32, i32, i32, i32, i32, i8) -> tensor<1x3x4x3xf32>
    nnhal.return %r : tensor<1x3x4x3xf32>
  }
}

// -----

// CHECK-LABEL: nnhal.model @resize_by_size
nnhal.model @resize_by_size attributes {hal_version = "1.3"} {
  nnhal.graph @main(%x: tensor<1x8x6x3xf32>) -> tensor<1x?x?x3xf32> {
    %c0 = nnhal.constant_copy 12 : i32 -> i32
    %c1 = nnhal.constant_copy 16 : i32 -> i32
    // CHECK: nnhal.resize_bilinear %{{.+}} : (tensor<1x8x6x3xf32>) -> tensor<1x16x12x3xf32>
    %r = nnhal.operation "RESIZE_BILINEAR"(%x, %c0, %c1)
        : (tensor<1x8x6x3xf32>, i32, i32) -> tensor<1x?x?x3xf32>
    nnhal.return %r : tensor<1x?x?x3xf32>
  }
}

// -----

// CHECK-LABEL: nnhal.model @resize_by_scale
nnhal.model @resize_by_scale attributes {hal_version = "1.3"} {
  nnhal.graph @main(%x: tensor<1x8x6x3xf32>) -> tensor<1x4x9x3xf32> {
    %c0 = nnhal.constant_copy 1.5 : f32 -> f32
    %c1 = nnhal.constant_copy 0.5 : f32 -> f32
    %c2 = nnhal.constant_copy 0 : i8 -> i8
    %c3 = nnhal.constant_copy 1 : i8 -> i8
    // CHECK: nnhal.resize_nearest_neighbor %{{.+}} align_corners
    %r = nnhal.operation "RESIZE_NEAREST_NEIGHBOR"(%x, %c0, %c1, %c2, %c3, %c2)
        : (tensor<1x8x6x3xf32>, f32, f32, i8, i8, i8) -> tensor<1x4x9x3xf32>
    nnhal.return %r : tensor<1x4x9x3xf32>
  }
}
