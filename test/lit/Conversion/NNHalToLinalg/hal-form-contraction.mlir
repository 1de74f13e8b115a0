// RUN: nnhal-opt %s --nnhal-raise-operations --convert-nnhal-graph-to-func --convert-nnhal-to-linalg --canonicalize --split-input-file | FileCheck %s

// Where an extent is unknown, clamped bounds leave the loops over a window
// without branches.
// CHECK-LABEL: func.func @main
// CHECK:         linalg.generic {{.*}} outs(%{{.*}} : tensor<1x?x4x5xi8>)
// CHECK:           scf.for
// CHECK:             scf.for
// CHECK:               scf.for
// CHECK-NOT:             scf.if
// CHECK:                 arith.muli %{{.*}}, %{{.*}} : i32
// CHECK:               loop_annotation = #
nnhal.model @conv_2d_quantized attributes {hal_version = "1.3"} {
  nnhal.graph @main(%x: tensor<1x?x4x8x!quant.uniform<u8:f32, 0.5:128>>, %w: tensor<5x3x3x8x!quant.uniform<u8:f32, 0.5:100>>, %b: tensor<5x!quant.uniform<i32:f32, 0.25>>) -> tensor<1x?x4x5x!quant.uniform<u8:f32, 1.0>> {
    %same = nnhal.constant_copy 1 : i32 -> i32
    %none = nnhal.constant_copy 0 : i32 -> i32
    %r = nnhal.operation "CONV_2D"(%x, %w, %b, %same, %same, %same, %none)
        : (tensor<1x?x4x8x!quant.uniform<u8:f32, 0.5:128>>, tensor<5x3x3x8x!quant.uniform<u8:f32, 0.5:100>>, tensor<5x!quant.uniform<i32:f32, 0.25>>, i32, i32, i32, i32) -> tensor<1x?x4x5x!quant.uniform<u8:f32, 1.0>>
    nnhal.return %r : tensor<1x?x4x5x!quant.uniform<u8:f32, 1.0>>
  }
}

// -----

// Pads that follow from extents are computed, and what validation could not
// see is checked.
// CHECK-LABEL: func.func @main
// CHECK:         %[[HEIGHT:.*]] = memref.dim %{{.*}}, %c1
// CHECK:         nnrt.check
// CHECK:         arith.divsi %{{.*}}, %c2
// CHECK:         linalg.generic {{.*}} outs(%{{.*}} : tensor<?x?x?x5xf32>)
nnhal.model @conv_2d_of_any_extent attributes {hal_version = "1.3"} {
  nnhal.graph @main(%x: tensor<?x?x?x8xf32>, %w: tensor<5x3x3x8xf32>, %b: tensor<5xf32>) -> tensor<?x?x?x5xf32> {
    %same = nnhal.constant_copy 1 : i32 -> i32
    %two = nnhal.constant_copy 2 : i32 -> i32
    %none = nnhal.constant_copy 0 : i32 -> i32
    %r = nnhal.operation "CONV_2D"(%x, %w, %b, %same, %two, %two, %none)
        : (tensor<?x?x?x8xf32>, tensor<5x3x3x8xf32>, tensor<5xf32>, i32, i32, i32, i32) -> tensor<?x?x?x5xf32>
    nnhal.return %r : tensor<?x?x?x5xf32>
  }
}

// -----

// The shape of the result is a computed parameter.
// CHECK-LABEL: func.func @main
// CHECK:         tensor.extract %{{.*}}[%c1] : tensor<4xi32>
// CHECK:         nnrt.check
// CHECK:         linalg.generic {{.*}} outs(%{{.*}} : tensor<1x?x?x5xf32>)
nnhal.model @transpose_conv_2d_of_computed_shape attributes {hal_version = "1.3"} {
  nnhal.graph @main(%x: tensor<1x4x4x8xf32>, %w: tensor<5x3x3x8xf32>, %b: tensor<5xf32>, %s: tensor<4xi32>) -> tensor<1x?x?x5xf32> {
    %same = nnhal.constant_copy 1 : i32 -> i32
    %two = nnhal.constant_copy 2 : i32 -> i32
    %none = nnhal.constant_copy 0 : i32 -> i32
    %nhwc = nnhal.constant_copy 0 : i8 -> i8
    %r = nnhal.operation "TRANSPOSE_CONV_2D"(%x, %w, %b, %s, %same, %two, %two, %none, %nhwc)
        : (tensor<1x4x4x8xf32>, tensor<5x3x3x8xf32>, tensor<5xf32>, tensor<4xi32>, i32, i32, i32, i32, i8) -> tensor<1x?x?x5xf32>
    nnhal.return %r : tensor<1x?x?x5xf32>
  }
}
