// RUN: nnhal-opt %s --nnhal-raise-operations="strict" --split-input-file | FileCheck %s

// Parameters are constants, extents are not known: everything is raised.

// CHECK-LABEL: nnhal.model @strided_slice_unknown
nnhal.model @strided_slice_unknown attributes {hal_version = "1.3"} {
  nnhal.graph @main(%x: tensor<?xf32>) -> tensor<?xf32> {
    %c0 = nnhal.constant_copy dense<[0]> : tensor<1xi32> -> tensor<1xi32>
    %c1 = nnhal.constant_copy dense<[1]> : tensor<1xi32> -> tensor<1xi32>
    %c2 = nnhal.constant_copy 0 : i32 -> i32
    // CHECK: nnhal.strided_slice %{{.+}} begin [0] end [1] strides [1] : (tensor<?xf32>) -> tensor<?xf32>
    %r = nnhal.operation "STRIDED_SLICE"(%x, %c0, %c1, %c1, %c2, %c2, %c2)
        : (tensor<?xf32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>, i32, i32, i32) -> tensor<?xf32>
    nnhal.return %r : tensor<?xf32>
  }
}

// -----

// CHECK-LABEL: nnhal.model @transposed_unknown
nnhal.model @transposed_unknown attributes {hal_version = "1.3"} {
  nnhal.graph @main(%x: tensor<1x?x6x3xf32>, %w: tensor<16x3x3x3xf32>, %b: tensor<16xf32>) -> tensor<1x?x12x16xf32> {
    %c0 = nnhal.constant_copy dense<[1, 16, 12, 16]> : tensor<4xi32> -> tensor<4xi32>
    %c1 = nnhal.constant_copy 1 : i32 -> i32
    %c2 = nnhal.constant_copy 2 : i32 -> i32
    %c3 = nnhal.constant_copy 0 : i32 -> i32
    %c4 = nnhal.constant_copy 0 : i8 -> i8
    // The result may have another height than the one that the pads follow from.
    // CHECK: nnhal.transpose_conv_2d %{{[^[]+}} pads [0, 1, 0, 1] strides [2, 2] : (tensor<1x?x6x3xf32>, {{.*}}) -> tensor<1x?x12x16xf32>
    %r = nnhal.operation "TRANSPOSE_CONV_2D"(%x, %w, %b, %c0, %c1, %c2, %c2, %c3, %c4)
        : (tensor<1x?x6x3xf32>, tensor<16x3x3x3xf32>, tensor<16xf32>, tensor<4xi32>, i32, i32, i32, i32, i8) -> tensor<1x?x12x16xf32>
    nnhal.return %r : tensor<1x?x12x16xf32>
  }
}

// -----

// CHECK-LABEL: nnhal.model @resize_unknown
nnhal.model @resize_unknown attributes {hal_version = "1.3"} {
  nnhal.graph @main(%x: tensor<1x?x6x3xf32>) -> tensor<1x?x6x3xf32> {
    %c0 = nnhal.constant_copy 1.0 : f32 -> f32
    // CHECK: nnhal.resize_bilinear %{{.+}} width_factor 1.000000e+00 height_factor 1.000000e+00 : (tensor<1x?x6x3xf32>) -> tensor<1x?x6x3xf32>
    %r = nnhal.operation "RESIZE_BILINEAR"(%x, %c0, %c0)
        : (tensor<1x?x6x3xf32>, f32, f32) -> tensor<1x?x6x3xf32>
    nnhal.return %r : tensor<1x?x6x3xf32>
  }
}

// -----

// CHECK-LABEL: nnhal.model @same_unknown_extent
nnhal.model @same_unknown_extent attributes {hal_version = "1.3"} {
  nnhal.graph @main(%x: tensor<1x?x6x3xf32>) -> tensor<1x?x3x3xf32> {
    %c0 = nnhal.constant_copy 1 : i32 -> i32
    %c1 = nnhal.constant_copy 2 : i32 -> i32
    %c2 = nnhal.constant_copy 0 : i32 -> i32
    // CHECK: nnhal.max_pool_2d %{{.+}} strides [2, 2] window [2, 2] : (tensor<1x?x6x3xf32>) -> tensor<1x?x3x3xf32>
    %r = nnhal.operation "MAX_POOL_2D"(%x, %c0, %c1, %c1, %c1, %c1, %c2)
        : (tensor<1x?x6x3xf32>, i32, i32, i32, i32, i32, i32) -> tensor<1x?x3x3xf32>
    nnhal.return %r : tensor<1x?x3x3xf32>
  }
}

// -----

// Padding VALID does not look at the shape that is asked for.
// CHECK-LABEL: nnhal.model @transposed_valid
nnhal.model @transposed_valid attributes {hal_version = "1.3"} {
  nnhal.graph @main(%x: tensor<1x?x6x3xf32>, %w: tensor<16x3x3x3xf32>, %b: tensor<16xf32>) -> tensor<1x?x13x16xf32> {
    %c0 = nnhal.constant_copy dense<[1, 99, 99, 16]> : tensor<4xi32> -> tensor<4xi32>
    %c1 = nnhal.constant_copy 2 : i32 -> i32
    %c2 = nnhal.constant_copy 0 : i32 -> i32
    %c3 = nnhal.constant_copy 0 : i8 -> i8
    // CHECK: nnhal.transpose_conv_2d %{{[^[]+}} pads [0, 0, 0, 0] strides [2, 2] : (tensor<1x?x6x3xf32>, {{.*}}) -> tensor<1x?x13x16xf32>
    %r = nnhal.operation "TRANSPOSE_CONV_2D"(%x, %w, %b, %c0, %c1, %c1, %c1, %c2, %c3)
        : (tensor<1x?x6x3xf32>, tensor<16x3x3x3xf32>, tensor<16xf32>, tensor<4xi32>, i32, i32, i32, i32, i8) -> tensor<1x?x13x16xf32>
    nnhal.return %r : tensor<1x?x13x16xf32>
  }
}
