// RUN: nnhal-opt %s --nnhal-raise-operations --split-input-file | FileCheck %s

// Pictures have channels last on the canonical level, whatever their types and
// extents; filters keep their order.

!q = !quant.uniform<u8:f32, 0.5:128>
!w = !quant.uniform<i8<-127:127>:f32:0, {0.25, 0.5}>
!d = !quant.uniform<i8<-127:127>:f32:3, {0.25, 0.5}>
// CHECK-LABEL: nnhal.model @quantized_convolutions
// CHECK-SAME:  {
// CHECK:         nnhal.graph @main(%[[X:.+]]: tensor<?x2x?x6x!{{.+}}>, %[[W:.+]]: tensor<2x3x3x1x
// CHECK:         %[[IN:.+]] = nnhal.transpose %[[X]] permutation [0, 2, 3, 1] : (tensor<?x2x?x6x[[Q:!.+]]>) -> tensor<?x?x6x2x[[Q]]>
// CHECK:         %[[C:.+]] = nnhal.grouped_conv_2d %[[IN]], %[[W]], %{{.+}} -> tensor<?x?x4x2x[[Q]]>
// CHECK:         %[[OUT:.+]] = nnhal.transpose %[[C]] permutation [0, 3, 1, 2] : (tensor<?x?x4x2x[[Q]]>) -> tensor<?x2x?x4x[[Q]]>
// CHECK:         %[[BACK:.+]] = nnhal.transpose %[[OUT]] permutation [0, 2, 3, 1]
// CHECK:         %[[D:.+]] = nnhal.depthwise_conv_2d %[[BACK]], %{{.+}} -> tensor<?x?x2x2x[[Q]]>
// CHECK:         nnhal.transpose %[[D]] permutation [0, 3, 1, 2]
// CHECK-NOT:     nnhal.operation
nnhal.model @quantized_convolutions attributes {hal_version = "1.3"} {
  nnhal.graph @main(%x: tensor<?x2x?x6x!q>, %w: tensor<2x3x3x1x!w>, %b: tensor<2xi32>, %d: tensor<1x3x3x2x!d>) -> tensor<?x2x?x2x!q> {
    %one = nnhal.constant_copy 1 : i32 -> i32
    %two = nnhal.constant_copy 2 : i32 -> i32
    %none = nnhal.constant_copy 0 : i32 -> i32
    %nchw = nnhal.constant_copy 1 : i8 -> i8
    %0 = nnhal.operation "GROUPED_CONV_2D"(%x, %w, %b, %two, %one, %one, %two, %none, %nchw)
        : (tensor<?x2x?x6x!q>, tensor<2x3x3x1x!w>, tensor<2xi32>, i32, i32, i32, i32, i32, i8) -> tensor<?x2x?x4x!q>
    %1 = nnhal.operation "DEPTHWISE_CONV_2D"(%0, %d, %b, %two, %one, %one, %one, %none, %nchw)
        : (tensor<?x2x?x4x!q>, tensor<1x3x3x2x!d>, tensor<2xi32>, i32, i32, i32, i32, i32, i8) -> tensor<?x2x?x2x!q>
    nnhal.return %1 : tensor<?x2x?x2x!q>
  }
}

// -----

// CHECK-LABEL: nnhal.model @pictures_of_f16
// CHECK-COUNT-7: nnhal.transpose %{{.+}} permutation [0, 2, 3, 1]
// CHECK-NOT:     nnhal.operation
nnhal.model @pictures_of_f16 attributes {hal_version = "1.3"} {
  nnhal.graph @main(%x: tensor<4x4x2x2xf16>) -> tensor<?x?x?x?xf16> {
    %two = nnhal.constant_copy 2 : i32 -> i32
    %none = nnhal.constant_copy 0 : i32 -> i32
    %scale = nnhal.constant_copy 2.0 : f16 -> f16
    %nchw = nnhal.constant_copy 1 : i8 -> i8
    %block = nnhal.constant_copy dense<2> : tensor<2xi32> -> tensor<2xi32>
    %pads = nnhal.constant_copy dense<0> : tensor<2x2xi32> -> tensor<2x2xi32>
    %0 = nnhal.operation "DEPTH_TO_SPACE"(%x, %two, %nchw) : (tensor<4x4x2x2xf16>, i32, i8) -> tensor<?x?x?x?xf16>
    %1 = nnhal.operation "BATCH_TO_SPACE_ND"(%0, %block, %nchw) : (tensor<?x?x?x?xf16>, tensor<2xi32>, i8) -> tensor<?x?x?x?xf16>
    %2 = nnhal.operation "SPACE_TO_BATCH_ND"(%1, %block, %pads, %nchw) : (tensor<?x?x?x?xf16>, tensor<2xi32>, tensor<2x2xi32>, i8) -> tensor<?x?x?x?xf16>
    %3 = nnhal.operation "L2_POOL_2D"(%2, %two, %two, %two, %two, %two, %none, %nchw) : (tensor<?x?x?x?xf16>, i32, i32, i32, i32, i32, i32, i8) -> tensor<?x?x?x?xf16>
    %4 = nnhal.operation "RESIZE_BILINEAR"(%3, %scale, %scale, %nchw) : (tensor<?x?x?x?xf16>, f16, f16, i8) -> tensor<?x?x?x?xf16>
    %5 = nnhal.operation "RESIZE_NEAREST_NEIGHBOR"(%4, %two, %two, %nchw) : (tensor<?x?x?x?xf16>, i32, i32, i8) -> tensor<?x?x?x?xf16>
    %6 = nnhal.operation "MAX_POOL_2D"(%5, %two, %two, %two, %two, %two, %none, %nchw) : (tensor<?x?x?x?xf16>, i32, i32, i32, i32, i32, i32, i8) -> tensor<?x?x?x?xf16>
    nnhal.return %6 : tensor<?x?x?x?xf16>
  }
}

// -----

// What stays in the HAL's form has channels last, too.
// CHECK-LABEL: nnhal.model @computed_stride
// CHECK:         nnhal.graph @main(%[[X:.+]]: tensor<1x3x8x6xf32>, %[[S:.+]]: i32)
// CHECK:         %[[IN:.+]] = nnhal.transpose %[[X]] permutation [0, 2, 3, 1]
// CHECK:         %[[NHWC:.+]] = nnhal.constant_copy 0 : i8
// CHECK:         %[[POOL:.+]] = nnhal.operation "AVERAGE_POOL_2D"(%[[IN]], %{{.+}}, %[[S]], %{{.+}}, %[[NHWC]]) : {{.+}} -> tensor<1x?x?x3xf32>
// CHECK:         %[[OUT:.+]] = nnhal.transpose %[[POOL]] permutation [0, 3, 1, 2] : (tensor<1x?x?x3xf32>) -> tensor<1x3x?x?xf32>
// CHECK:         nnhal.return %[[OUT]]
nnhal.model @computed_stride attributes {hal_version = "1.3"} {
  nnhal.graph @main(%x: tensor<1x3x8x6xf32>, %s: i32) -> tensor<1x3x?x?xf32> {
    %one = nnhal.constant_copy 1 : i32 -> i32
    %none = nnhal.constant_copy 0 : i32 -> i32
    %nchw = nnhal.constant_copy 1 : i8 -> i8
    %0 = nnhal.operation "AVERAGE_POOL_2D"(%x, %one, %s, %s, %one, %one, %none, %nchw)
        : (tensor<1x3x8x6xf32>, i32, i32, i32, i32, i32, i32, i8) -> tensor<1x3x?x?xf32>
    nnhal.return %0 : tensor<1x3x?x?xf32>
  }
}

// -----

// A stated shape of the result is one of a picture, too, computed or not.
// CHECK-LABEL: nnhal.model @computed_shape
// CHECK:         nnhal.graph @main(%{{.+}}, %[[SHAPE:[^ ]+]]: tensor<4xi32>, %[[S:.+]]: i32)
// CHECK-DAG:     %[[ORDER:.+]] = nnhal.constant dense<[0, 2, 3, 1]> : tensor<4xi32>
// CHECK-DAG:     %[[TURNED:.+]] = nnhal.gather %[[SHAPE]], %[[ORDER]] axis 0
// CHECK:         nnhal.operation "TRANSPOSE_CONV_2D"(%{{[^,]+}}, %{{[^,]+}}, %{{[^,]+}}, %[[TURNED]],
// CHECK:         %[[KNOWN:.+]] = nnhal.constant dense<[1, 5, 7, 2]> : tensor<4xi32>
// CHECK:         nnhal.operation "TRANSPOSE_CONV_2D"(%{{[^,]+}}, %{{[^,]+}}, %{{[^,]+}}, %[[KNOWN]],
nnhal.model @computed_shape attributes {hal_version = "1.3"} {
  nnhal.graph @main(%x: tensor<1x3x4x5xf32>, %w: tensor<2x3x3x3xf32>, %b: tensor<2xf32>, %shape: tensor<4xi32>, %s: i32) -> (tensor<1x2x?x?xf32>, tensor<1x2x5x7xf32>) {
    %one = nnhal.constant_copy 1 : i32 -> i32
    %none = nnhal.constant_copy 0 : i32 -> i32
    %nchw = nnhal.constant_copy 1 : i8 -> i8
    %known = nnhal.constant_copy dense<[1, 2, 5, 7]> : tensor<4xi32> -> tensor<4xi32>
    %0 = nnhal.operation "TRANSPOSE_CONV_2D"(%x, %w, %b, %shape, %one, %one, %one, %none, %nchw)
        : (tensor<1x3x4x5xf32>, tensor<2x3x3x3xf32>, tensor<2xf32>, tensor<4xi32>, i32, i32, i32, i32, i8) -> tensor<1x2x?x?xf32>
    %1 = nnhal.operation "TRANSPOSE_CONV_2D"(%x, %w, %b, %known, %one, %s, %s, %none, %nchw)
        : (tensor<1x3x4x5xf32>, tensor<2x3x3x3xf32>, tensor<2xf32>, tensor<4xi32>, i32, i32, i32, i32, i8) -> tensor<1x2x5x7xf32>
    nnhal.return %0, %1 : tensor<1x2x?x?xf32>, tensor<1x2x5x7xf32>
  }
}

// -----

// Several inputs may be pictures, and no result.
// CHECK-LABEL: nnhal.model @computed_minimum
// CHECK-DAG:     %[[SCORES:.+]] = nnhal.transpose %{{.+}} permutation [0, 2, 3, 1] : (tensor<1x2x1x2xf32>) -> tensor<1x1x2x2xf32>
// CHECK-DAG:     %[[DELTAS:.+]] = nnhal.transpose %{{.+}} permutation [0, 2, 3, 1] : (tensor<1x8x1x2xf32>) -> tensor<1x1x2x8xf32>
// CHECK:         %[[R:.+]]:3 = nnhal.operation "GENERATE_PROPOSALS"(%[[SCORES]], %[[DELTAS]],
// CHECK-NOT:     nnhal.transpose
// CHECK:         nnhal.return %[[R]]#0
nnhal.model @computed_minimum attributes {hal_version = "1.3"} {
  nnhal.graph @main(%scores: tensor<1x2x1x2xf32>, %deltas: tensor<1x8x1x2xf32>, %anchors: tensor<2x4xf32>, %images: tensor<1x2xf32>, %minimum: f32) -> tensor<?xf32> {
    %ratio = nnhal.constant_copy 8.0 : f32 -> f32
    %limit = nnhal.constant_copy 4 : i32 -> i32
    %threshold = nnhal.constant_copy 0.7 : f32 -> f32
    %nchw = nnhal.constant_copy 1 : i8 -> i8
    %r:3 = nnhal.operation "GENERATE_PROPOSALS"(%scores, %deltas, %anchors, %images, %ratio, %ratio, %limit, %limit, %threshold, %minimum, %nchw)
        : (tensor<1x2x1x2xf32>, tensor<1x8x1x2xf32>, tensor<2x4xf32>, tensor<1x2xf32>, f32, f32, i32, i32, f32, f32, i8) -> (tensor<?xf32>, tensor<?x4xf32>, tensor<?xi32>)
    nnhal.return %r#0 : tensor<?xf32>
  }
}

// -----

// A layout that is computed may be either.
// CHECK-LABEL: nnhal.model @computed_layout
// CHECK:         nnhal.graph @main(%[[X:.+]]: tensor<1x4x4x4xf32>, %[[L:.+]]: i8)
// CHECK-NOT:     nnhal.transpose
// CHECK:         nnhal.operation "SPACE_TO_DEPTH"(%[[X]], %{{.+}}, %[[L]])
nnhal.model @computed_layout attributes {hal_version = "1.3"} {
  nnhal.graph @main(%x: tensor<1x4x4x4xf32>, %layout: i8) -> tensor<?x?x?x?xf32> {
    %two = nnhal.constant_copy 2 : i32 -> i32
    %0 = nnhal.operation "SPACE_TO_DEPTH"(%x, %two, %layout) : (tensor<1x4x4x4xf32>, i32, i8) -> tensor<?x?x?x?xf32>
    nnhal.return %0 : tensor<?x?x?x?xf32>
  }
}
