// Convolutions of 16 bits are linalg's, and micro-kernels on pairs of channels are
// made of them, to which an odd number of them is padded. Sums that do not fit 32
// bits are those of several kernels.
// RUN: nnhal-opt %s --load-dialect-plugin=%{extension-halves}/nnhal.tflite.compiler.so --split-input-file --nnhal-set-target=parameters=vector-bits=256,vector-registers=16 --convert-nnhal-graph-to-func --convert-nnhal-to-linalg --nnk-form-kernels --nnk-pack-convolutions | FileCheck %s
// RUN: nnhal-opt %s --load-dialect-plugin=%{extension-halves}/nnhal.tflite.compiler.so --split-input-file --convert-nnhal-graph-to-func --convert-nnhal-to-linalg | FileCheck %s --check-prefix=LINALG --implicit-check-not=nnk.conv
// LINALG: linalg.conv_2d_nhwc_fhwc {{.*}} : tensor<1x6x6x3xi16>, tensor<2x3x3x3xi8>)
!fixed = !quant.uniform<i16:f32, 0.5>
!weight = !quant.uniform<i8:f32, 0.5>
// CHECK-LABEL: func.func
// CHECK: %[[PADDED:.+]] = tensor.insert_slice %{{.+}} into %{{.+}} : tensor<1x4x4x3xi16> into tensor<1x4x4x4xi16>
// CHECK: %[[SUMS:.+]] = nnk.conv_2d ins(%[[PADDED]], %{{.+}}, %{{.+}} : tensor<1x4x4x4xi16>, tensor<1x3x3x2x16xi8>, tensor<1x8xi32>) outs(%{{.+}} : tensor<1x4x4x2xi32>) strides [1, 1] dilations [1, 1] pads [1, 1, 1, 1]
// CHECK: linalg.generic {{.*}} ins(%[[SUMS]], %{{.+}}, %{{.+}} : tensor<1x4x4x2xi32>, tensor<2xi32>, tensor<2xi32>)
nnhal.model @model attributes {hal_version = "1.3", extension_names = ["nnhal.tflite"], extension_prefixes = array<i32: 1>} {
  nnhal.graph @main(%x: tensor<1x4x4x3x!fixed>) -> (tensor<1x4x4x2x!fixed>) {
    %w = nnhal.constant dense<3> : tensor<2x3x3x3xi8> -> tensor<2x3x3x3x!weight>
    %0 = tflite.convolution once_in_32 %x, %w [1, 1] [1, 1] [1, 1] biases [0, 3] multipliers [16384, 20000] shifts [20, 21] : tensor<1x4x4x3x!fixed>, tensor<2x3x3x3x!weight> -> tensor<1x4x4x2x!fixed>
    nnhal.return %0 : tensor<1x4x4x2x!fixed>
  }
}

// -----

!fixed = !quant.uniform<i16:f32, 0.5>
!weight = !quant.uniform<i8:f32, 0.5>
// CHECK-LABEL: func.func
// CHECK: %[[LEFT:.+]] = tensor.extract_slice %{{.+}}[0, 0, 0, 0] [1, 1, 9, 4] [1, 1, 1, 1]
// CHECK: %[[FIRST:.+]] = nnk.conv_2d ins(%[[LEFT]]
// CHECK: %[[RIGHT:.+]] = tensor.extract_slice %{{.+}}[0, 0, 0, 4] [1, 1, 9, 2] [1, 1, 1, 1]
// CHECK: %[[SECOND:.+]] = nnk.conv_2d ins(%[[RIGHT]]
// CHECK: linalg.generic {{.*}} ins(%[[FIRST]], %[[SECOND]]
// CHECK-COUNT-2: arith.extsi
// CHECK: arith.muli {{.+}} : i64
nnhal.model @model attributes {hal_version = "1.3", extension_names = ["nnhal.tflite"], extension_prefixes = array<i32: 1>} {
  nnhal.graph @main(%x: tensor<1x1x9x6x!fixed>) -> (tensor<1x1x9x2x!fixed>) {
    %w = nnhal.constant dense<3> : tensor<2x6xi8> -> tensor<2x6x!weight>
    %0 = tflite.convolution once_in_64 %x, %w [1, 1] [1, 1] [0, 0] biases [0, 3] multipliers [16384, 20000] shifts [20, 21] {parts = 2 : i64} : tensor<1x1x9x6x!fixed>, tensor<2x6x!weight> -> tensor<1x1x9x2x!fixed>
    nnhal.return %0 : tensor<1x1x9x2x!fixed>
  }
}

// -----

!fixed = !quant.uniform<i16:f32, 0.5>
// Both bytes of a matrix are filters of their own, of which one has 256 times the weight.
// CHECK-LABEL: func.func
// CHECK: linalg.transpose
// CHECK: %[[UPPER:.+]] = nnk.conv_2d ins({{.+}} : tensor<1x1x70x6xi16>, tensor<1x1x1x3x32xi16>, tensor<1x16xi32>)
// CHECK: arith.trunci {{.+}} : i16 to i8
// CHECK: %[[LOWER:.+]] = nnk.conv_2d ins({{.+}} : tensor<1x1x70x6xi16>, tensor<1x1x1x3x32xi16>, tensor<1x16xi32>)
// CHECK: linalg.generic {{.*}} ins(%[[UPPER]], %[[LOWER]]
// CHECK: %[[EIGHT:.+]] = arith.constant 8 : i64
// CHECK: arith.shli %{{.+}}, %[[EIGHT]] : i64
nnhal.model @model attributes {hal_version = "1.3", extension_names = ["nnhal.tflite"], extension_prefixes = array<i32: 1>} {
  nnhal.graph @main(%x: tensor<1x70x6x!fixed>, %y: tensor<1x16x6x!fixed>) -> (tensor<1x70x16x!fixed>) {
    %0 = tflite.matmul %x, %y multiplier 16384 shift 20 {transposed} : tensor<1x70x6x!fixed>, tensor<1x16x6x!fixed> -> tensor<1x70x16x!fixed>
    nnhal.return %0 : tensor<1x70x16x!fixed>
  }
}

// -----

!fixed = !quant.uniform<i16:f32, 0.5>
!weight = !quant.uniform<i8:f32, 0.5>
// A filter that is computed is packed in the same order.
// CHECK-LABEL: func.func
// CHECK: tensor.insert_slice %{{.+}} into %{{.+}} : tensor<2x3x3x3xi8> into tensor<2x3x3x4xi8>
// CHECK: tensor.insert_slice %{{.+}} into %{{.+}} : tensor<2x3x3x4xi8> into tensor<8x3x3x4xi8>
// CHECK: linalg.transpose {{.*}} outs(%{{.+}} : tensor<1x3x3x2x8x2xi8>) permutation = [0, 2, 3, 4, 1, 5]
// CHECK: nnk.conv_2d ins(%{{.+}}, %{{.+}}, %{{.+}} : tensor<1x4x4x4xi16>, tensor<1x3x3x2x16xi8>, tensor<1x8xi32>)
nnhal.model @model attributes {hal_version = "1.3", extension_names = ["nnhal.tflite"], extension_prefixes = array<i32: 1>} {
  nnhal.graph @main(%x: tensor<1x4x4x3x!fixed>, %w: tensor<2x3x3x3x!weight>) -> (tensor<1x4x4x2x!fixed>) {
    %0 = tflite.convolution once_in_32 %x, %w [1, 1] [1, 1] [1, 1] biases [0, 3] multipliers [16384, 20000] shifts [20, 21] : tensor<1x4x4x3x!fixed>, tensor<2x3x3x3x!weight> -> tensor<1x4x4x2x!fixed>
    nnhal.return %0 : tensor<1x4x4x2x!fixed>
  }
}
