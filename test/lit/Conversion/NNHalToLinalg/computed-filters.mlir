// RUN: nnhal-opt %s --nnhal-compile=until=fuse --split-input-file | FileCheck %s --implicit-check-not=scf.for

// Filters of bytes that the model computes or is given become pairs of i16 in
// panels when it runs; the contraction is the kernel that constants have.

// Three channels are padded to two pairs, 20 output channels to a panel of 24.
// CHECK-LABEL: func.func @main
// CHECK: linalg.generic {{.*}} outs(%{{.+}} : tensor<20x3x3x4xi16>)
// CHECK: linalg.transpose ins(%{{.+}} : tensor<1x24x3x3x2x2xi16>) {{.*}} permutation = [0, 2, 3, 4, 1, 5]
// CHECK: %[[INPUT:.+]] = linalg.generic {{.*}} outs(%{{.+}} : tensor<1x8x8x4xi16>)
// CHECK: nnk.conv_2d ins(%[[INPUT]], %{{.+}}, %{{.+}} : tensor<1x8x8x4xi16>, tensor<1x3x3x2x48xi16>, tensor<1x24xi32>) outs(%{{.+}} : tensor<1x6x6x20xi8>)
// CHECK: return
!image = tensor<1x8x8x3x!quant.uniform<u8:f32, 0.5:128>>
!filter = tensor<20x3x3x3x!quant.uniform<u8:f32, 0.5:100>>
!result = tensor<1x6x6x20x!quant.uniform<u8:f32, 8.0:128>>
nnhal.model @convolution attributes {hal_version = "1.3"} {
  nnhal.graph @main(%x: !image, %w: !filter) -> !result {
    %b = nnhal.constant_copy dense<3> : tensor<20xi32> -> tensor<20x!quant.uniform<i32:f32, 0.25>>
    %none = nnhal.constant_copy 0 : i32 -> i32
    %one = nnhal.constant_copy 1 : i32 -> i32
    %y = nnhal.operation "CONV_2D"(%x, %w, %b, %none, %none, %none, %none, %one, %one, %none) : (!image, !filter, tensor<20x!quant.uniform<i32:f32, 0.25>>, i32, i32, i32, i32, i32, i32, i32) -> !result
    nnhal.return %y : !result
  }
}

// -----

// CHECK-LABEL: func.func @main
// CHECK: nnk.conv_2d ins(%{{.+}}, %{{.+}}, %{{.+}} : tensor<1x1x4x6xi16>, tensor<1x1x1x3x32xi16>, tensor<1x16xi32>) extras(%{{.+}} : tensor<16xi32>) outs(%{{.+}} : tensor<1x1x4x16xi8>)
// CHECK: return
!rows = tensor<4x6x!quant.uniform<i8:f32, 0.5:3>>
!weights = tensor<16x6x!quant.uniform<i8:f32, 0.5:-2>>
!products = tensor<4x16x!quant.uniform<i8:f32, 2.0>>
nnhal.model @product attributes {hal_version = "1.3"} {
  nnhal.graph @main(%x: !rows, %w: !weights, %b: tensor<16x!quant.uniform<i32:f32, 0.25>>) -> !products {
    %none = nnhal.constant_copy 0 : i32 -> i32
    %y = nnhal.operation "FULLY_CONNECTED"(%x, %w, %b, %none) : (!rows, !weights, tensor<16x!quant.uniform<i32:f32, 0.25>>, i32) -> !products
    nnhal.return %y : !products
  }
}

// -----

// CHECK-LABEL: func.func @main
// CHECK: nnk.depthwise_conv_2d ins(%{{.+}}, %{{.+}}, %{{.+}} : tensor<1x8x8x5xi16>, tensor<3x3x5xf32>, tensor<5xf32>) outs(%{{.+}} : tensor<1x6x6x5xi8>)
// CHECK: return
!picture = tensor<1x8x8x5x!quant.uniform<u8:f32, 0.5:128>>
!taps = tensor<1x3x3x5x!quant.uniform<u8:f32, 0.5:100>>
!output = tensor<1x6x6x5x!quant.uniform<u8:f32, 8.0:128>>
nnhal.model @depthwise attributes {hal_version = "1.3"} {
  nnhal.graph @main(%x: !picture, %w: !taps) -> !output {
    %b = nnhal.constant_copy dense<3> : tensor<5xi32> -> tensor<5x!quant.uniform<i32:f32, 0.25>>
    %none = nnhal.constant_copy 0 : i32 -> i32
    %one = nnhal.constant_copy 1 : i32 -> i32
    %y = nnhal.operation "DEPTHWISE_CONV_2D"(%x, %w, %b, %none, %none, %none, %none, %one, %one, %one, %none) : (!picture, !taps, tensor<5x!quant.uniform<i32:f32, 0.25>>, i32, i32, i32, i32, i32, i32, i32, i32) -> !output
    nnhal.return %y : !output
  }
}
