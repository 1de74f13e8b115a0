// RUN: nnhal-opt %s --nnhal-raise-operations --convert-nnhal-graph-to-func --convert-nnhal-to-linalg --canonicalize --split-input-file | FileCheck %s

// Half is rounded up, from the lowest value on.
// CHECK-LABEL: func.func @main
// CHECK:         linalg.generic {{.*}} outs(%{{.*}} : tensor<1x?x2x3xi8>)
// CHECK-COUNT-2:   scf.for
// CHECK:           arith.extsi %{{.*}} : i8 to i32
// CHECK:           arith.subi %{{.*}}, %c-128_i32
// CHECK:           arith.divsi
// CHECK:           arith.trunci %{{.*}} : i32 to i8
nnhal.model @average_pool_2d_signed attributes {hal_version = "1.3"} {
  nnhal.graph @main(%x: tensor<1x?x4x3x!quant.uniform<i8:f32, 0.5:-3>>) -> tensor<1x?x2x3x!quant.uniform<i8:f32, 0.5:-3>> {
    %valid = nnhal.constant_copy 2 : i32 -> i32
    %two = nnhal.constant_copy 2 : i32 -> i32
    %none = nnhal.constant_copy 0 : i32 -> i32
    %r = nnhal.operation "AVERAGE_POOL_2D"(%x, %valid, %two, %two, %two, %two, %none)
        : (tensor<1x?x4x3x!quant.uniform<i8:f32, 0.5:-3>>, i32, i32, i32, i32, i32, i32) -> tensor<1x?x2x3x!quant.uniform<i8:f32, 0.5:-3>>
    nnhal.return %r : tensor<1x?x2x3x!quant.uniform<i8:f32, 0.5:-3>>
  }
}

// -----

// Strides are computed, so that the result has unknown extents.
// CHECK-LABEL: func.func @main
// CHECK:         arith.index_cast %{{.*}} : i32 to index
// CHECK:         nnrt.check
// CHECK:         linalg.generic {{.*}} outs(%{{.*}} : tensor<1x?x?x3xf32>)
nnhal.model @max_pool_2d_of_computed_stride attributes {hal_version = "1.3"} {
  nnhal.graph @main(%x: tensor<1x4x4x3xf32>, %stride: i32) -> tensor<1x?x?x3xf32> {
    %valid = nnhal.constant_copy 2 : i32 -> i32
    %two = nnhal.constant_copy 2 : i32 -> i32
    %none = nnhal.constant_copy 0 : i32 -> i32
    %r = nnhal.operation "MAX_POOL_2D"(%x, %valid, %stride, %stride, %two, %two, %none)
        : (tensor<1x4x4x3xf32>, i32, i32, i32, i32, i32, i32) -> tensor<1x?x?x3xf32>
    nnhal.return %r : tensor<1x?x?x3xf32>
  }
}

// -----

// The result's height and width are those of the input times a factor.
// CHECK-LABEL: func.func @main
// CHECK:         math.floor
// CHECK:         nnrt.check
// CHECK:         linalg.generic {{.*}} outs(%{{.*}} : tensor<1x?x?x3xi8>)
nnhal.model @resize_nearest_neighbor_of_any_extent attributes {hal_version = "1.3"} {
  nnhal.graph @main(%x: tensor<1x?x?x3x!quant.uniform<u8:f32, 0.5:3>>) -> tensor<1x?x?x3x!quant.uniform<u8:f32, 0.5:3>> {
    %factor = nnhal.constant_copy 1.5 : f32 -> f32
    %nhwc = nnhal.constant_copy 0 : i8 -> i8
    %r = nnhal.operation "RESIZE_NEAREST_NEIGHBOR"(%x, %factor, %factor, %nhwc)
        : (tensor<1x?x?x3x!quant.uniform<u8:f32, 0.5:3>>, f32, f32, i8) -> tensor<1x?x?x3x!quant.uniform<u8:f32, 0.5:3>>
    nnhal.return %r : tensor<1x?x?x3x!quant.uniform<u8:f32, 0.5:3>>
  }
}
