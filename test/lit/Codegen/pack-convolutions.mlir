// RUN: nnhal-opt %s --nnhal-set-target=parameters=vector-bits=256,dot-product=none --nnk-pack-convolutions --cse --split-input-file | FileCheck %s
// RUN: nnhal-opt %s --nnhal-set-target=parameters=vector-bits=256,dot-product=signed-by-signed --nnk-pack-convolutions --split-input-file | FileCheck %s --check-prefix=QUADS
// RUN: nnhal-opt %s --nnhal-set-target=name=vulkan --nnk-pack-convolutions --split-input-file | FileCheck %s --check-prefix=QUADS

// Nothing reads the model's constants any more; epilogues stay.
// CHECK-LABEL: @floats
// CHECK-NOT:     tensor<3x1x1x2xf32>
// CHECK-DAG:     %[[FILTER:.+]] = arith.constant dense_resource<filter_packed> : tensor<1x1x1x2x8xf32>
// CHECK-DAG:     %[[BIAS:.+]] = arith.constant dense_resource<bias_packed> : tensor<1x8xf32>
// CHECK:         nnk.conv_2d ins(%arg0, %[[FILTER]], %[[BIAS]] :
// CHECK-SAME:      strides [2, 1] dilations [1, 1] pads [0, 1, 0, 0] epilogue {
// CHECK:           nnk.yield
// CHECK:         filter_packed: "0x40000000{{0+}}803F{{0+}}404000
func.func @floats(%x: tensor<1x4x4x2xf32>) -> tensor<1x3x4x3xf32> {
  %f = arith.constant dense<[[[[1.0, 2.0]]], [[[3.0, 4.0]]], [[[5.0, 6.0]]]]> : tensor<3x1x1x2xf32>
  %b = arith.constant dense<2.0> : tensor<3xf32>
  %e = tensor.empty() : tensor<1x3x4x3xf32>
  %0 = nnk.conv_2d_fhwc ins(%x, %f, %b : tensor<1x4x4x2xf32>, tensor<3x1x1x2xf32>, tensor<3xf32>)
      outs(%e : tensor<1x3x4x3xf32>) strides [2, 1] dilations [1, 1] pads [0, 1, 0, 0] epilogue {
  ^bb0(%sum: f32):
    %n = arith.negf %sum : f32
    nnk.yield %n : f32
  } -> tensor<1x3x4x3xf32>
  return %0 : tensor<1x3x4x3xf32>
}

// -----

// Zero points are taken off before, in pairs, or from what sums begin with, in
// quads of the other sign: 5 - (100 - 128) * (16 * 3) = 0x545.
// CHECK-LABEL: @bytes
// CHECK:         %[[CENTERED:.+]] = linalg.generic {{.*}} ins(%arg0 : tensor<1x1x1x16xi8>) outs(%{{.+}} : tensor<1x1x1x16xi16>)
// CHECK:           arith.extui
// CHECK:         nnk.conv_2d ins(%[[CENTERED]], %{{.+}}, %{{.+}} : tensor<1x1x1x16xi16>, tensor<1x1x1x8x16xi8>, tensor<1x8xi32>)
// CHECK-DAG:     bias_packed: "0x4000000005000000
// CHECK-DAG:     filter_packed: "0x400000000303
// QUADS-LABEL: @bytes
// QUADS:         %[[SHIFTED:.+]] = linalg.generic {{.*}} ins(%arg0 : tensor<1x1x1x16xi8>)
// QUADS:         nnk.conv_2d ins(%[[SHIFTED]], %{{.+}}, %{{.+}} : tensor<1x1x1x16xi8>, tensor<1x1x1x4x{{16|32}}xi8>
// QUADS-NOT:     unsigned_input
// QUADS:         bias_packed: "0x4000000045050000
func.func @bytes(%x: tensor<1x1x1x16xi8>) -> tensor<1x1x1x2xi32> {
  %f = arith.constant dense<13> : tensor<2x1x1x16xi8>
  %b = arith.constant dense<5> : tensor<2xi32>
  %e = tensor.empty() : tensor<1x1x1x2xi32>
  %0 = nnk.conv_2d_fhwc ins(%x, %f, %b : tensor<1x1x1x16xi8>, tensor<2x1x1x16xi8>, tensor<2xi32>)
      outs(%e : tensor<1x1x1x2xi32>) strides [1, 1] dilations [1, 1] pads [0, 0, 0, 0] unsigned_input
      {input_zero_point = 100 : i32, filter_zero_point = 10 : i32} -> tensor<1x1x1x2xi32>
  return %0 : tensor<1x1x1x2xi32>
}

// -----

// 8 bits do not hold 246 - 10: another kernel adds up the inputs.
// QUADS-LABEL: @wide_weights
// QUADS-COUNT-2: nnk.conv_2d
// QUADS:         linalg.generic {{.*}} ins(%{{.+}} : tensor<1x2x2x1xi32>) outs(%{{.+}} : tensor<1x2x2x1xi32>)
// QUADS:           arith.muli
// QUADS:         linalg.generic {{.*}} outs(%{{.+}} : tensor<1x2x2x4xi32>)
// QUADS:           arith.addi
// CHECK-LABEL: @wide_weights
// CHECK:         nnk.conv_2d ins({{.*}} tensor<1x1x1x8x16xi16>, tensor<1x8xi32>)
func.func @wide_weights(%x: tensor<1x2x2x16xi8>) -> tensor<1x2x2x4xi32> {
  %f = arith.constant dense<-10> : tensor<4x1x1x16xi8>
  %b = arith.constant dense<0> : tensor<4xi32>
  %e = tensor.empty() : tensor<1x2x2x4xi32>
  %0 = nnk.conv_2d_fhwc ins(%x, %f, %b : tensor<1x2x2x16xi8>, tensor<4x1x1x16xi8>, tensor<4xi32>)
      outs(%e : tensor<1x2x2x4xi32>) strides [1, 1] dilations [1, 1] pads [0, 0, 0, 0] unsigned_filter
      {filter_zero_point = 10 : i32} -> tensor<1x2x2x4xi32>
  return %0 : tensor<1x2x2x4xi32>
}

// -----

// Three channels are read in pairs along whole rows where windows move by pairs.
// CHECK-LABEL: @rows_in_pairs
// CHECK:         tensor.expand_shape {{.*}} into tensor<1x4x6x2xi16>
// CHECK:         nnk.conv_2d ins({{.*}} : tensor<1x4x6x2xi16>, tensor<1x3x5x1x16xi8>, tensor<1x8xi32>)
func.func @rows_in_pairs(%x: tensor<1x4x4x3xi8>) -> tensor<1x2x2x1xi32> {
  %f = arith.constant dense<1> : tensor<1x3x3x3xi8>
  %b = arith.constant dense<0> : tensor<1xi32>
  %e = tensor.empty() : tensor<1x2x2x1xi32>
  %0 = nnk.conv_2d_fhwc ins(%x, %f, %b : tensor<1x4x4x3xi8>, tensor<1x3x3x3xi8>, tensor<1xi32>)
      outs(%e : tensor<1x2x2x1xi32>) strides [2, 2] dilations [1, 1] pads [1, 1, 1, 1] -> tensor<1x2x2x1xi32>
  return %0 : tensor<1x2x2x1xi32>
}

// -----

// Windows that move by three elements are computed in f32, which holds all
// sums, but for a bias that is too large: that is added to integers.
// CHECK-LABEL: @floats_of_integers
// CHECK:         nnk.conv_2d ins({{.*}} : tensor<1x4x4x3xf32>, tensor<1x3x3x3x8xf32>, tensor<1x8xf32>)
// CHECK:         linalg.generic
// CHECK:           arith.fptosi
// CHECK:           arith.addi
func.func @floats_of_integers(%x: tensor<1x4x4x3xi8>) -> tensor<1x4x4x1xi32> {
  %f = arith.constant dense<1> : tensor<1x3x3x3xi8>
  %b = arith.constant dense<20000000> : tensor<1xi32>
  %e = tensor.empty() : tensor<1x4x4x1xi32>
  %0 = nnk.conv_2d_fhwc ins(%x, %f, %b : tensor<1x4x4x3xi8>, tensor<1x3x3x3xi8>, tensor<1xi32>)
      outs(%e : tensor<1x4x4x1xi32>) strides [1, 1] dilations [1, 1] pads [1, 1, 1, 1] -> tensor<1x4x4x1xi32>
  return %0 : tensor<1x4x4x1xi32>
}

// -----

// Products of matrices are padded to pairs, whatever f32 holds.
// CHECK-LABEL: @odd_product
// CHECK:         nnk.conv_2d ins({{.*}} : tensor<1x1x2x4xi16>, tensor<1x1x1x2x16xi8>, tensor<1x8xi32>)
func.func @odd_product(%x: tensor<1x1x2x3xi8>) -> tensor<1x1x2x1xi32> {
  %f = arith.constant dense<1> : tensor<1x1x1x3xi8>
  %b = arith.constant dense<0> : tensor<1xi32>
  %e = tensor.empty() : tensor<1x1x2x1xi32>
  %0 = nnk.conv_2d_fhwc ins(%x, %f, %b : tensor<1x1x2x3xi8>, tensor<1x1x1x3xi8>, tensor<1xi32>)
      outs(%e : tensor<1x1x2x1xi32>) strides [1, 1] dilations [1, 1] pads [0, 0, 0, 0] -> tensor<1x1x2x1xi32>
  return %0 : tensor<1x1x2x1xi32>
}

// -----

// A filter that the model computes is packed when it runs, in pairs, and its bias is
// added to the sums.
// CHECK-LABEL: @computed
// CHECK:         linalg.transpose {{.*}} permutation = [0, 2, 3, 4, 1, 5]
// CHECK:         %[[SUMS:.+]] = nnk.conv_2d ins({{.*}} : tensor<1x2x2x4xi16>, tensor<1x1x1x2x16xi8>, tensor<1x8xi32>)
// CHECK:         linalg.generic {{.*}} ins(%[[SUMS]], %arg2 : tensor<1x2x2x5xi32>, tensor<5xi32>)
// QUADS-LABEL: @computed
// QUADS:         nnk.conv_2d ins({{.*}} : tensor<1x2x2x4xi16>
func.func @computed(%x: tensor<1x2x2x3xi16>, %f: tensor<5x1x1x3xi8>, %b: tensor<5xi32>) -> tensor<1x2x2x5xi32> {
  %e = tensor.empty() : tensor<1x2x2x5xi32>
  %0 = nnk.conv_2d_fhwc ins(%x, %f, %b : tensor<1x2x2x3xi16>, tensor<5x1x1x3xi8>, tensor<5xi32>)
      outs(%e : tensor<1x2x2x5xi32>) strides [1, 1] dilations [1, 1] pads [0, 0, 0, 0] -> tensor<1x2x2x5xi32>
  return %0 : tensor<1x2x2x5xi32>
}

// -----

// 16 bits on both sides are no quads.
// QUADS-LABEL: @wide_numbers
// QUADS:         nnk.conv_2d ins({{.*}} : tensor<1x1x1x2xi16>, tensor<1x1x1x1x{{16|8|4|32}}xi16>
func.func @wide_numbers(%x: tensor<1x1x1x2xi16>) -> tensor<1x1x1x1xi32> {
  %f = arith.constant dense<300> : tensor<1x1x1x2xi16>
  %b = arith.constant dense<0> : tensor<1xi32>
  %e = tensor.empty() : tensor<1x1x1x1xi32>
  %0 = nnk.conv_2d_fhwc ins(%x, %f, %b : tensor<1x1x1x2xi16>, tensor<1x1x1x2xi16>, tensor<1xi32>)
      outs(%e : tensor<1x1x1x1xi32>) strides [1, 1] dilations [1, 1] pads [0, 0, 0, 0] -> tensor<1x1x1x1xi32>
  return %0 : tensor<1x1x1x1xi32>
}

// -----

// A constant whose resource has another size than its type is not read.
// CHECK-LABEL: @wrong_resources
// CHECK:         %[[BIAS:.+]] = arith.constant dense_resource<long> : tensor<1xi32>
// CHECK:         linalg.transpose
// CHECK:         %[[SUMS:.+]] = nnk.conv_2d
// CHECK:         linalg.generic {{.*}} ins(%[[SUMS]], %[[BIAS]] :
func.func @wrong_resources(%x: tensor<1x1x1x2xi8>) -> tensor<1x1x1x1xi32> {
  %f = arith.constant dense_resource<short> : tensor<1x1x1x2xi8>
  %b = arith.constant dense_resource<long> : tensor<1xi32>
  %e = tensor.empty() : tensor<1x1x1x1xi32>
  %0 = nnk.conv_2d_fhwc ins(%x, %f, %b : tensor<1x1x1x2xi8>, tensor<1x1x1x2xi8>, tensor<1xi32>)
      outs(%e : tensor<1x1x1x1xi32>) strides [1, 1] dilations [1, 1] pads [0, 0, 0, 0] -> tensor<1x1x1x1xi32>
  return %0 : tensor<1x1x1x1xi32>
}

{-#
  dialect_resources: {
    builtin: {
      short: "0x4000000001",
      long: "0x400000000100000002000000"
    }
  }
#-}
