// RUN: nnhal-opt %s --nnhal-raise-operations="strict" --split-input-file | FileCheck %s

// CHECK-LABEL: nnhal.model @conv_implicit_same
nnhal.model @conv_implicit_same attributes {hal_version = "1.3"} {
  nnhal.graph @main(%x: tensor<1x8x6x3xf32>, %w: tensor<16x3x3x3xf32>, %b: tensor<16xf32>) -> tensor<1x4x3x16xf32> {
    %c0 = nnhal.constant_copy 1 : i32 -> i32
    %c1 = nnhal.constant_copy 2 : i32 -> i32
    // CHECK: nnhal.conv_2d %{{.+}}, %{{.+}}, %{{.+}} pads [0, 1, 0, 1] strides [2, 2] activation relu
    %r = nnhal.operation "CONV_2D"(%x, %w, %b, %c0, %c1, %c1, %c0)
        : (tensor<1x8x6x3xf32>, tensor<16x3x3x3xf32>, tensor<16xf32>, i32, i32, i32, i32) -> tensor<1x4x3x16xf32>
    nnhal.return %r : tensor<1x4x3x16xf32>
  }
}

// -----

// CHECK-LABEL: nnhal.model @conv_width_before_height
nnhal.model @conv_width_before_height attributes {hal_version = "1.3"} {
  nnhal.graph @main(%x: tensor<1x8x6x3xf32>, %w: tensor<16x3x3x3xf32>, %b: tensor<16xf32>) -> tensor<?x?x?x?xf32> {
    %c0 = nnhal.constant_copy 2 : i32 -> i32
    %c1 = nnhal.constant_copy 1 : i32 -> i32
    %c2 = nnhal.constant_copy 0 : i32 -> i32
    // CHECK: nnhal.conv_2d {{.*}}pads [0, 0, 0, 0] strides [2, 1]
    // CHECK: -> tensor<1x3x4x16xf32>
    %r = nnhal.operation "CONV_2D"(%x, %w, %b, %c0, %c1, %c0, %c2)
        : (tensor<1x8x6x3xf32>, tensor<16x3x3x3xf32>, tensor<16xf32>, i32, i32, i32, i32) -> tensor<?x?x?x?xf32>
    nnhal.return %r : tensor<?x?x?x?xf32>
  }
}

// -----

// CHECK-LABEL: nnhal.model @conv_10_inputs_dilated
nnhal.model @conv_10_inputs_dilated attributes {hal_version = "1.3"} {
  nnhal.graph @main(%x: tensor<1x8x6x3xf32>, %w: tensor<16x3x3x3xf32>, %b: tensor<16xf32>) -> tensor<1x4x4x16xf32> {
    %c0 = nnhal.constant_copy 2 : i32 -> i32
    %c1 = nnhal.constant_copy 1 : i32 -> i32
    %c2 = nnhal.constant_copy 0 : i32 -> i32
    %c3 = nnhal.constant_copy 0 : i8 -> i8
    // CHECK: nnhal.conv_2d {{.*}}dilations [2, 1]
    %r = nnhal.operation "CONV_2D"(%x, %w, %b, %c0, %c1, %c1, %c2, %c3, %c1, %c0)
        : (tensor<1x8x6x3xf32>, tensor<16x3x3x3xf32>, tensor<16xf32>, i32, i32, i32, i32, i8, i32, i32) -> tensor<1x4x4x16xf32>
    nnhal.return %r : tensor<1x4x4x16xf32>
  }
}

// -----

// CHECK-LABEL: nnhal.model @conv_10_inputs_explicit
nnhal.model @conv_10_inputs_explicit attributes {hal_version = "1.3"} {
  nnhal.graph @main(%x: tensor<1x8x6x3xf32>, %w: tensor<16x3x3x3xf32>, %b: tensor<16xf32>) -> tensor<1x8x5x16xf32> {
    %c0 = nnhal.constant_copy 0 : i32 -> i32
    %c1 = nnhal.constant_copy 1 : i32 -> i32
    %c2 = nnhal.constant_copy 2 : i32 -> i32
    // CHECK: nnhal.conv_2d {{.*}}pads [2, 0, 0, 1]
    %r = nnhal.operation "CONV_2D"(%x, %w, %b, %c0, %c1, %c2, %c0, %c1, %c1, %c0)
        : (tensor<1x8x6x3xf32>, tensor<16x3x3x3xf32>, tensor<16xf32>, i32, i32, i32, i32, i32, i32, i32) -> tensor<1x8x5x16xf32>
    nnhal.return %r : tensor<1x8x5x16xf32>
  }
}

// -----

// CHECK-LABEL: nnhal.model @conv_nchw
nnhal.model @conv_nchw attributes {hal_version = "1.3"} {
  nnhal.graph @main(%x: tensor<1x3x8x6xf32>, %w: tensor<16x3x3x3xf32>, %b: tensor<16xf32>) -> tensor<1x16x4x3xf32> {
    %c0 = nnhal.constant_copy 1 : i32 -> i32
    %c1 = nnhal.constant_copy 2 : i32 -> i32
    %c2 = nnhal.constant_copy 0 : i32 -> i32
    %c3 = nnhal.constant_copy 1 : i8 -> i8
    // CHECK: %[[IN:.+]] = nnhal.transpose %{{.+}} permutation [0, 2, 3, 1]
    // CHECK: %[[OUT:.+]] = nnhal.conv_2d %[[IN]]
    // CHECK: nnhal.transpose %[[OUT]] permutation [0, 3, 1, 2] : (tensor<1x4x3x16xf32>) -> tensor<1x16x4x3xf32>
    %r = nnhal.operation "CONV_2D"(%x, %w, %b, %c0, %c1, %c1, %c2, %c3)
        : (tensor<1x3x8x6xf32>, tensor<16x3x3x3xf32>, tensor<16xf32>, i32, i32, i32, i32, i8) -> tensor<1x16x4x3xf32>
    nnhal.return %r : tensor<1x16x4x3xf32>
  }
}

// -----

// CHECK-LABEL: nnhal.model @conv_same_needs_no_extent
nnhal.model @conv_same_needs_no_extent attributes {hal_version = "1.3"} {
  nnhal.graph @main(%x: tensor<1x?x?x3xf32>, %w: tensor<16x3x3x3xf32>, %b: tensor<16xf32>) -> tensor<1x?x?x16xf32> {
    %c0 = nnhal.constant_copy 1 : i32 -> i32
    %c1 = nnhal.constant_copy 0 : i32 -> i32
    // CHECK: nnhal.conv_2d %{{[^[]+}} strides [1, 1]
    %r = nnhal.operation "CONV_2D"(%x, %w, %b, %c0, %c0, %c0, %c1)
        : (tensor<1x?x?x3xf32>, tensor<16x3x3x3xf32>, tensor<16xf32>, i32, i32, i32, i32) -> tensor<1x?x?x16xf32>
    nnhal.return %r : tensor<1x?x?x16xf32>
  }
}

// -----

// CHECK-LABEL: nnhal.model @depthwise_implicit
nnhal.model @depthwise_implicit attributes {hal_version = "1.3"} {
  nnhal.graph @main(%x: tensor<1x8x6x3xf32>, %w: tensor<1x3x3x6xf32>, %b: tensor<6xf32>) -> tensor<1x6x4x6xf32> {
    %c0 = nnhal.constant_copy 2 : i32 -> i32
    %c1 = nnhal.constant_copy 1 : i32 -> i32
    %c2 = nnhal.constant_copy 3 : i32 -> i32
    // CHECK: nnhal.depthwise_conv_2d {{.*}}depth_multiplier 2 {{.*}}activation relu6
    %r = nnhal.operation "DEPTHWISE_CONV_2D"(%x, %w, %b, %c0, %c1, %c1, %c0, %c2)
        : (tensor<1x8x6x3xf32>, tensor<1x3x3x6xf32>, tensor<6xf32>, i32, i32, i32, i32, i32) -> tensor<1x6x4x6xf32>
    nnhal.return %r : tensor<1x6x4x6xf32>
  }
}

// -----

// CHECK-LABEL: nnhal.model @depthwise_11_inputs_dilated
nnhal.model @depthwise_11_inputs_dilated attributes {hal_version = "1.3"} {
  nnhal.graph @main(%x: tensor<1x8x6x3xf32>, %w: tensor<1x3x3x3xf32>, %b: tensor<3xf32>) -> tensor<1x6x2x3xf32> {
    %c0 = nnhal.constant_copy 2 : i32 -> i32
    %c1 = nnhal.constant_copy 1 : i32 -> i32
    %c2 = nnhal.constant_copy 0 : i32 -> i32
    %c3 = nnhal.constant_copy 0 : i8 -> i8
    // CHECK: nnhal.depthwise_conv_2d {{.*}}dilations [1, 2]
    %r = nnhal.operation "DEPTHWISE_CONV_2D"(%x, %w, %b, %c0, %c1, %c1, %c1, %c2, %c3, %c0, %c1)
        : (tensor<1x8x6x3xf32>, tensor<1x3x3x3xf32>, tensor<3xf32>, i32, i32, i32, i32, i32, i8, i32, i32) -> tensor<1x6x2x3xf32>
    nnhal.return %r : tensor<1x6x2x3xf32>
  }
}

// -----

// CHECK-LABEL: nnhal.model @depthwise_11_inputs_explicit
nnhal.model @depthwise_11_inputs_explicit attributes {hal_version = "1.3"} {
  nnhal.graph @main(%x: tensor<1x8x6x3xf32>, %w: tensor<1x3x3x3xf32>, %b: tensor<3xf32>) -> tensor<1x7x5x3xf32> {
    %c0 = nnhal.constant_copy 1 : i32 -> i32
    %c1 = nnhal.constant_copy 0 : i32 -> i32
    // CHECK: nnhal.depthwise_conv_2d {{.*}}pads [0, 1, 1, 0]
    %r = nnhal.operation "DEPTHWISE_CONV_2D"(%x, %w, %b, %c0, %c1, %c1, %c0, %c0, %c0, %c0, %c1)
        : (tensor<1x8x6x3xf32>, tensor<1x3x3x3xf32>, tensor<3xf32>, i32, i32, i32, i32, i32, i32, i32, i32) -> tensor<1x7x5x3xf32>
    nnhal.return %r : tensor<1x7x5x3xf32>
  }
}

// -----

// CHECK-LABEL: nnhal.model @grouped
nnhal.model @grouped attributes {hal_version = "1.3"} {
  nnhal.graph @main(%x: tensor<1x8x6x3xf32>, %w: tensor<6x3x3x1xf32>, %b: tensor<6xf32>) -> tensor<1x8x6x6xf32> {
    %c0 = nnhal.constant_copy 1 : i32 -> i32
    %c1 = nnhal.constant_copy 3 : i32 -> i32
    %c2 = nnhal.constant_copy 0 : i32 -> i32
    %c3 = nnhal.constant_copy 0 : i8 -> i8
    // CHECK: nnhal.grouped_conv_2d {{.*}}groups 3
    %r = nnhal.operation "GROUPED_CONV_2D"(%x, %w, %b, %c0, %c0, %c0, %c1, %c2, %c3)
        : (tensor<1x8x6x3xf32>, tensor<6x3x3x1xf32>, tensor<6xf32>, i32, i32, i32, i32, i32, i8) -> tensor<1x8x6x6xf32>
    nnhal.return %r : tensor<1x8x6x6xf32>
  }
}

// -----

// CHECK-LABEL: nnhal.model @transposed_same
nnhal.model @transposed_same attributes {hal_version = "1.3"} {
  nnhal.graph @main(%x: tensor<1x8x6x3xf32>, %w: tensor<16x3x3x3xf32>, %b: tensor<16xf32>) -> tensor<1x16x12x16xf32> {
    %c0 = nnhal.constant_copy dense<[1, 16, 12, 16]> : tensor<4xi32> -> tensor<4xi32>
    %c1 = nnhal.constant_copy 1 : i32 -> i32
    %c2 = nnhal.constant_copy 2 : i32 -> i32
    %c3 = nnhal.constant_copy 0 : i32 -> i32
    %c4 = nnhal.constant_copy 0 : i8 -> i8
    // CHECK: nnhal.transpose_conv_2d %{{[^[]+}} strides [2, 2]
    %r = nnhal.operation "TRANSPOSE_CONV_2D"(%x, %w, %b, %c0, %c1, %c2, %c2, %c3, %c4)
        : (tensor<1x8x6x3xf32>, tensor<16x3x3x3xf32>, tensor<16xf32>, tensor<4xi32>, i32, i32, i32, i32, i8) -> tensor<1x16x12x16xf32>
    nnhal.return %r : tensor<1x16x12x16xf32>
  }
}

// -----

// CHECK-LABEL: nnhal.model @transposed_explicit
nnhal.model @transposed_explicit attributes {hal_version = "1.3"} {
  nnhal.graph @main(%x: tensor<1x8x6x3xf32>, %w: tensor<16x3x3x3xf32>, %b: tensor<16xf32>) -> tensor<1x17x11x16xf32> {
    %c0 = nnhal.constant_copy 1 : i32 -> i32
    %c1 = nnhal.constant_copy 0 : i32 -> i32
    %c2 = nnhal.constant_copy 2 : i32 -> i32
    %c3 = nnhal.constant_copy 0 : i8 -> i8
    // CHECK: nnhal.transpose_conv_2d {{.*}}pads [0, 0, 1, 1]
    %r = nnhal.operation "TRANSPOSE_CONV_2D"(%x, %w, %b, %c0, %c0, %c1, %c1, %c2, %c2, %c1, %c3)
        : (tensor<1x8x6x3xf32>, tensor<16x3x3x3xf32>, tensor<16xf32>, i32, i32, i32, i32, i32, i32, i32, i8) -> tensor<1x17x11x16xf32>
    nnhal.return %r : tensor<1x17x11x16xf32>
  }
}

// -----

// CHECK-LABEL: nnhal.model @fully_connected
nnhal.model @fully_connected attributes {hal_version = "1.3"} {
  nnhal.graph @main(%x: tensor<2x4xf32>, %w: tensor<5x4xf32>, %b: tensor<5xf32>) -> tensor<?x5xf32> {
    %c0 = nnhal.constant_copy 2 : i32 -> i32
    // CHECK: nnhal.fully_connected {{.*}}activation relu1
    // CHECK: -> tensor<2x5xf32>
    %r = nnhal.operation "FULLY_CONNECTED"(%x, %w, %b, %c0)
        : (tensor<2x4xf32>, tensor<5x4xf32>, tensor<5xf32>, i32) -> tensor<?x5xf32>
    nnhal.return %r : tensor<?x5xf32>
  }
}
