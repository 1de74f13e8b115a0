// RUN: nnhal-opt %s --mlir-very-unsafe-disable-verifier-on-parsing \
// RUN:   --verify-each=false --nnhal-raise-operations="strict" \
// RUN:   --split-input-file --verify-diagnostics

// Without the verifier, which says most of this first where it sees the values.

nnhal.model @transposed_shape attributes {hal_version = "1.3"} {
  nnhal.graph @main(%x: tensor<1x8x6x3xf32>, %w: tensor<16x3x3x3xf32>, %b: tensor<16xf32>) -> tensor<1x16x12x16xf32> {
    %c0 = nnhal.constant_copy dense<[16, 12]> : tensor<2xi32> -> tensor<2xi32>
    %c1 = nnhal.constant_copy 1 : i32 -> i32
    %c2 = nnhal.constant_copy 2 : i32 -> i32
    %c3 = nnhal.constant_copy 0 : i32 -> i32
    %c4 = nnhal.constant_copy 0 : i8 -> i8
    // expected-error @below {{cannot compile TRANSPOSE_CONV_2D: output shape has 2 elements, expected 4}}
    %r = nnhal.operation "TRANSPOSE_CONV_2D"(%x, %w, %b, %c0, %c1, %c2, %c2, %c3, %c4)
        : (tensor<1x8x6x3xf32>, tensor<16x3x3x3xf32>, tensor<16xf32>, tensor<2xi32>, i32, i32, i32, i32, i8) -> tensor<1x16x12x16xf32>
    nnhal.return %r : tensor<1x16x12x16xf32>
  }
}

// -----

nnhal.model @resize_rank attributes {hal_version = "1.3"} {
  nnhal.graph @main(%a: tensor<2x3xf32>) -> tensor<2x3xf32> {
    %c0 = nnhal.constant_copy 1 : i32 -> i32
    // expected-error @below {{cannot compile RESIZE_BILINEAR: input rank 2 is below 4}}
    %r = nnhal.operation "RESIZE_BILINEAR"(%a, %c0, %c0)
        : (tensor<2x3xf32>, i32, i32) -> tensor<2x3xf32>
    nnhal.return %r : tensor<2x3xf32>
  }
}

// -----

nnhal.model @resize_scale attributes {hal_version = "1.3"} {
  nnhal.graph @main(%x: tensor<1x8x6x3xf32>) -> tensor<1x8x6x3xf32> {
    %c0 = nnhal.constant_copy -1.0 : f32 -> f32
    %c1 = nnhal.constant_copy 1.0 : f32 -> f32
    // expected-error @below {{cannot compile RESIZE_BILINEAR: width scale -1 gives -6 elements, expected 1 to 2147483647}}
    %r = nnhal.operation "RESIZE_BILINEAR"(%x, %c0, %c1)
        : (tensor<1x8x6x3xf32>, f32, f32) -> tensor<1x8x6x3xf32>
    nnhal.return %r : tensor<1x8x6x3xf32>
  }
}

// -----

nnhal.model @stated_extent attributes {hal_version = "1.3"} {
  nnhal.graph @main(%x: tensor<1x8x6x3xf32>) -> tensor<1x4x6x3xf32> {
    %c0 = nnhal.constant_copy 5 : i32 -> i32
    %c1 = nnhal.constant_copy 4 : i32 -> i32
    // expected-error @below {{cannot compile RESIZE_BILINEAR: output dimension 2 is 6, expected 5}}
    %r = nnhal.operation "RESIZE_BILINEAR"(%x, %c0, %c1)
        : (tensor<1x8x6x3xf32>, i32, i32) -> tensor<1x4x6x3xf32>
    nnhal.return %r : tensor<1x4x6x3xf32>
  }
}

// -----

nnhal.model @transposed_filter attributes {hal_version = "1.3"} {
  nnhal.graph @main(%x: tensor<1x?x6x3xf32>, %w: tensor<16x?x3x3xf32>, %b: tensor<16xf32>) -> tensor<1x?x?x16xf32> {
    %c0 = nnhal.constant_copy dense<[1, 16, 12, 16]> : tensor<4xi32> -> tensor<4xi32>
    %c1 = nnhal.constant_copy 1 : i32 -> i32
    %c2 = nnhal.constant_copy 2 : i32 -> i32
    %c3 = nnhal.constant_copy 0 : i32 -> i32
    %c4 = nnhal.constant_copy 0 : i8 -> i8
    // expected-error @below {{cannot raise TRANSPOSE_CONV_2D: padding SAME needs known extents of the filter or the input}}
    %r = nnhal.operation "TRANSPOSE_CONV_2D"(%x, %w, %b, %c0, %c1, %c2, %c2, %c3, %c4)
        : (tensor<1x?x6x3xf32>, tensor<16x?x3x3xf32>, tensor<16xf32>, tensor<4xi32>, i32, i32, i32, i32, i8) -> tensor<1x?x?x16xf32>
    nnhal.return %r : tensor<1x?x?x16xf32>
  }
}

// -----

nnhal.model @transposed_gaps attributes {hal_version = "1.3"} {
  nnhal.graph @main(%x: tensor<1x?x6x3xf32>, %w: tensor<16x1x1x3xf32>, %b: tensor<16xf32>) -> tensor<1x?x?x16xf32> {
    %c0 = nnhal.constant_copy dense<[1, 16, 12, 16]> : tensor<4xi32> -> tensor<4xi32>
    %c1 = nnhal.constant_copy 1 : i32 -> i32
    %c2 = nnhal.constant_copy 5 : i32 -> i32
    %c3 = nnhal.constant_copy 0 : i32 -> i32
    %c4 = nnhal.constant_copy 0 : i8 -> i8
    // expected-error @below {{cannot raise TRANSPOSE_CONV_2D: padding SAME with a stride above the filter's extent needs known extents of the input}}
    %r = nnhal.operation "TRANSPOSE_CONV_2D"(%x, %w, %b, %c0, %c1, %c2, %c2, %c3, %c4)
        : (tensor<1x?x6x3xf32>, tensor<16x1x1x3xf32>, tensor<16xf32>, tensor<4xi32>, i32, i32, i32, i32, i8) -> tensor<1x?x?x16xf32>
    nnhal.return %r : tensor<1x?x?x16xf32>
  }
}
