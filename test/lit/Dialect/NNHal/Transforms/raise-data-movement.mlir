// RUN: nnhal-opt %s --nnhal-raise-operations="strict" --split-input-file | FileCheck %s

// CHECK-LABEL: nnhal.model @reshape_open_extent
nnhal.model @reshape_open_extent attributes {hal_version = "1.3"} {
  nnhal.graph @main(%a: tensor<2x3xf32>) -> tensor<?x?xf32> {
    %c0 = nnhal.constant_copy dense<[3, -1]> : tensor<2xi32> -> tensor<2xi32>
    // CHECK: nnhal.reshape %{{.+}} : (tensor<2x3xf32>) -> tensor<3x2xf32>
    %r = nnhal.operation "RESHAPE"(%a, %c0)
        : (tensor<2x3xf32>, tensor<2xi32>) -> tensor<?x?xf32>
    nnhal.return %r : tensor<?x?xf32>
  }
}

// -----

// CHECK-LABEL: nnhal.model @squeeze_all
nnhal.model @squeeze_all attributes {hal_version = "1.3"} {
  nnhal.graph @main(%s: tensor<1x3x1xf32>) -> tensor<3xf32> {
    %n0 = nnhal.no_value : tensor<*xi32>
    // CHECK: nnhal.squeeze %{{.+}} axes [0, 2]
    %r = nnhal.operation "SQUEEZE"(%s, %n0)
        : (tensor<1x3x1xf32>, tensor<*xi32>) -> tensor<3xf32>
    nnhal.return %r : tensor<3xf32>
  }
}

// -----

// CHECK-LABEL: nnhal.model @expand_dims
nnhal.model @expand_dims attributes {hal_version = "1.3"} {
  nnhal.graph @main(%a: tensor<2x3xf32>) -> tensor<2x3x1xf32> {
    %c0 = nnhal.constant_copy -1 : i32 -> i32
    // CHECK: nnhal.expand_dims %{{.+}} axis -1
    %r = nnhal.operation "EXPAND_DIMS"(%a, %c0)
        : (tensor<2x3xf32>, i32) -> tensor<2x3x1xf32>
    nnhal.return %r : tensor<2x3x1xf32>
  }
}

// -----

// CHECK-LABEL: nnhal.model @transpose_default
nnhal.model @transpose_default attributes {hal_version = "1.3"} {
  nnhal.graph @main(%a: tensor<2x3xf32>) -> tensor<3x2xf32> {
    %n0 = nnhal.no_value : tensor<*xi32>
    // CHECK: nnhal.transpose %{{.+}} permutation [1, 0]
    %r = nnhal.operation "TRANSPOSE"(%a, %n0)
        : (tensor<2x3xf32>, tensor<*xi32>) -> tensor<3x2xf32>
    nnhal.return %r : tensor<3x2xf32>
  }
}

// -----

// CHECK-LABEL: nnhal.model @concatenation
nnhal.model @concatenation attributes {hal_version = "1.3"} {
  nnhal.graph @main(%a: tensor<2x3xf32>, %c: tensor<1x3xf32>) -> tensor<3x3xf32> {
    %c0 = nnhal.constant_copy 0 : i32 -> i32
    // CHECK: nnhal.concatenation %{{.+}}, %{{.+}} axis 0
    %r = nnhal.operation "CONCATENATION"(%a, %c, %c0)
        : (tensor<2x3xf32>, tensor<1x3xf32>, i32) -> tensor<3x3xf32>
    nnhal.return %r : tensor<3x3xf32>
  }
}

// -----

// CHECK-LABEL: nnhal.model @split
nnhal.model @split attributes {hal_version = "1.3"} {
  nnhal.graph @main(%s: tensor<2x4xf32>) -> (tensor<2x?xf32>, tensor<2x2xf32>) {
    %c0 = nnhal.constant_copy -1 : i32 -> i32
    %c1 = nnhal.constant_copy 2 : i32 -> i32
    // CHECK: nnhal.split %{{.+}} axis -1 : (tensor<2x4xf32>) -> (tensor<2x2xf32>, tensor<2x2xf32>)
    %r:2 = nnhal.operation "SPLIT"(%s, %c0, %c1)
        : (tensor<2x4xf32>, i32, i32) -> (tensor<2x?xf32>, tensor<2x2xf32>)
    nnhal.return %r#0, %r#1 : tensor<2x?xf32>, tensor<2x2xf32>
  }
}

// -----

// CHECK-LABEL: nnhal.model @slice
nnhal.model @slice attributes {hal_version = "1.3"} {
  nnhal.graph @main(%a: tensor<2x3xf32>) -> tensor<2x2xf32> {
    %c0 = nnhal.constant_copy dense<[0, 1]> : tensor<2xi32> -> tensor<2xi32>
    %c1 = nnhal.constant_copy dense<[-1, 2]> : tensor<2xi32> -> tensor<2xi32>
    // CHECK: nnhal.slice %{{.+}} begin [0, 1] size [-1, 2]
    %r = nnhal.operation "SLICE"(%a, %c0, %c1)
        : (tensor<2x3xf32>, tensor<2xi32>, tensor<2xi32>) -> tensor<2x2xf32>
    nnhal.return %r : tensor<2x2xf32>
  }
}

// -----

// CHECK-LABEL: nnhal.model @strided_slice_masks
nnhal.model @strided_slice_masks attributes {hal_version = "1.3"} {
  nnhal.graph @main(%a: tensor<2x3xf32>) -> tensor<3xf32> {
    %c0 = nnhal.constant_copy dense<[-1, 5]> : tensor<2xi32> -> tensor<2xi32>
    %c1 = nnhal.constant_copy dense<[9, 9]> : tensor<2xi32> -> tensor<2xi32>
    %c2 = nnhal.constant_copy dense<[1, -1]> : tensor<2xi32> -> tensor<2xi32>
    %c3 = nnhal.constant_copy 2 : i32 -> i32
    %c4 = nnhal.constant_copy 1 : i32 -> i32
    // CHECK: nnhal.strided_slice %{{.+}} begin [-1, 5] end [9, 9] strides [1, -1] begin_mask 2 end_mask 2 shrink_mask 1
    %r = nnhal.operation "STRIDED_SLICE"(%a, %c0, %c1, %c2, %c3, %c3, %c4)
        : (tensor<2x3xf32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, i32, i32, i32) -> tensor<3xf32>
    nnhal.return %r : tensor<3xf32>
  }
}

// -----

// CHECK-LABEL: nnhal.model @tile
nnhal.model @tile attributes {hal_version = "1.3"} {
  nnhal.graph @main(%a: tensor<2x3xf32>) -> tensor<4x3xf32> {
    %c0 = nnhal.constant_copy dense<[2, 1]> : tensor<2xi32> -> tensor<2xi32>
    // CHECK: nnhal.tile %{{.+}} multiples [2, 1]
    %r = nnhal.operation "TILE"(%a, %c0)
        : (tensor<2x3xf32>, tensor<2xi32>) -> tensor<4x3xf32>
    nnhal.return %r : tensor<4x3xf32>
  }
}

// -----

// CHECK-LABEL: nnhal.model @gather
nnhal.model @gather attributes {hal_version = "1.3"} {
  nnhal.graph @main(%a: tensor<2x3xf32>, %i: tensor<5xi32>) -> tensor<5x3xf32> {
    %c0 = nnhal.constant_copy 0 : i32 -> i32
    // CHECK: nnhal.gather %{{.+}}, %{{.+}} axis 0
    %r = nnhal.operation "GATHER"(%a, %c0, %i)
        : (tensor<2x3xf32>, i32, tensor<5xi32>) -> tensor<5x3xf32>
    nnhal.return %r : tensor<5x3xf32>
  }
}

// -----

// CHECK-LABEL: nnhal.model @fill
nnhal.model @fill attributes {hal_version = "1.3"} {
  nnhal.graph @main() -> tensor<?x3xf32> {
    %c0 = nnhal.constant_copy dense<[2, 3]> : tensor<2xi32> -> tensor<2xi32>
    %c1 = nnhal.constant_copy 1.5 : f32 -> f32
    // CHECK: nnhal.fill value(1.500000e+00 : f32) : () -> tensor<2x3xf32>
    %r = nnhal.operation "FILL"(%c0, %c1)
        : (tensor<2xi32>, f32) -> tensor<?x3xf32>
    nnhal.return %r : tensor<?x3xf32>
  }
}

// -----

// CHECK-LABEL: nnhal.model @pad
nnhal.model @pad attributes {hal_version = "1.3"} {
  nnhal.graph @main(%a: tensor<2x3xf32>) -> tensor<3x5xf32> {
    %c0 = nnhal.constant_copy dense<[[1, 0], [0, 2]]> : tensor<2x2xi32> -> tensor<2x2xi32>
    // CHECK: nnhal.pad %{{.+}} paddings [1, 0, 0, 2]
    %r = nnhal.operation "PAD"(%a, %c0)
        : (tensor<2x3xf32>, tensor<2x2xi32>) -> tensor<3x5xf32>
    nnhal.return %r : tensor<3x5xf32>
  }
}

// -----

// CHECK-LABEL: nnhal.model @pad_v2
nnhal.model @pad_v2 attributes {hal_version = "1.3"} {
  nnhal.graph @main(%a: tensor<2x3xf32>) -> tensor<3x5xf32> {
    %c0 = nnhal.constant_copy dense<[[1, 0], [0, 2]]> : tensor<2x2xi32> -> tensor<2x2xi32>
    %c1 = nnhal.constant_copy 9.0 : f32 -> f32
    // CHECK: nnhal.pad_v2 %{{.+}} paddings [1, 0, 0, 2] value(9.000000e+00 : f32)
    %r = nnhal.operation "PAD_V2"(%a, %c0, %c1)
        : (tensor<2x3xf32>, tensor<2x2xi32>, f32) -> tensor<3x5xf32>
    nnhal.return %r : tensor<3x5xf32>
  }
}
