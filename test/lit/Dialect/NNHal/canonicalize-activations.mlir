// RUN: nnhal-opt %s --canonicalize --split-input-file | FileCheck %s

// CHECK-LABEL: func @fuse_relu
// CHECK-NEXT: %[[R:.+]] = nnhal.add %{{.+}}, %{{.+}} activation relu
// CHECK-NEXT: return %[[R]]
func.func @fuse_relu(%x: tensor<2xf32>, %y: tensor<2xf32>) -> tensor<2xf32> {
  %0 = nnhal.add %x, %y : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %1 = nnhal.relu %0 : (tensor<2xf32>) -> tensor<2xf32>
  return %1 : tensor<2xf32>
}

// -----

!q = !quant.uniform<u8:f32, 0.5:128>
// CHECK-LABEL: func @fuse_relu6_quantized
// CHECK-NEXT: nnhal.average_pool_2d %{{.+}} activation relu6
// CHECK-NEXT: return
func.func @fuse_relu6_quantized(%x: tensor<1x4x4x2x!q>) -> tensor<1x2x2x2x!q> {
  %0 = nnhal.average_pool_2d %x pads [0, 0, 0, 0] strides [2, 2] window [2, 2] : (tensor<1x4x4x2x!q>) -> tensor<1x2x2x2x!q>
  %1 = nnhal.relu6 %0 : (tensor<1x2x2x2x!q>) -> tensor<1x2x2x2x!q>
  return %1 : tensor<1x2x2x2x!q>
}

// -----

// CHECK-LABEL: func @fuse_relu1_fully_connected
// CHECK-NEXT: nnhal.fully_connected %{{.+}} activation relu1
// CHECK-NEXT: return
func.func @fuse_relu1_fully_connected(%x: tensor<2x3xf32>, %w: tensor<4x3xf32>, %b: tensor<4xf32>) -> tensor<2x4xf32> {
  %0 = nnhal.fully_connected %x, %w, %b : (tensor<2x3xf32>, tensor<4x3xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  %1 = nnhal.relu1 %0 : (tensor<2x4xf32>) -> tensor<2x4xf32>
  return %1 : tensor<2x4xf32>
}

// -----

// The sum is read elsewhere.
// CHECK-LABEL: func @two_uses
// CHECK-NEXT: nnhal.add %{{.+}}, %{{[^ ]+}} :
// CHECK-NEXT: nnhal.relu
func.func @two_uses(%x: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
  %0 = nnhal.add %x, %x : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %1 = nnhal.relu %0 : (tensor<2xf32>) -> tensor<2xf32>
  return %0, %1 : tensor<2xf32>, tensor<2xf32>
}

// -----

// The relu states an extent that the sum leaves open.
// CHECK-LABEL: func @other_type
// CHECK: nnhal.add
// CHECK: nnhal.relu
func.func @other_type(%x: tensor<?xf32>) -> tensor<2xf32> {
  %0 = nnhal.add %x, %x : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  %1 = nnhal.relu %0 : (tensor<?xf32>) -> tensor<2xf32>
  return %1 : tensor<2xf32>
}

// -----

// [0, inf) within [0, 6]; what was limited already stays as it is.
// CHECK-LABEL: func @relu_then_relu6
// CHECK-NEXT: %[[R:.+]] = nnhal.mul %{{.+}} activation relu6
// CHECK-NEXT: return %[[R]]
func.func @relu_then_relu6(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = nnhal.mul %x, %x activation relu : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %1 = nnhal.relu6 %0 : (tensor<2xf32>) -> tensor<2xf32>
  %2 = nnhal.relu %1 : (tensor<2xf32>) -> tensor<2xf32>
  return %2 : tensor<2xf32>
}

// -----

// [0, 1] has no name.
// CHECK-LABEL: func @relu1_then_relu
// CHECK-NEXT: nnhal.mul %{{.+}} activation relu1
// CHECK-NEXT: nnhal.relu
func.func @relu1_then_relu(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = nnhal.mul %x, %x activation relu1 : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %1 = nnhal.relu %0 : (tensor<2xf32>) -> tensor<2xf32>
  return %1 : tensor<2xf32>
}

// -----

// CHECK-LABEL: func @standalone
// CHECK-SAME: (%[[X:.+]]: tensor<2xf32>)
// CHECK-NEXT: %[[R:.+]] = nnhal.relu6 %[[X]]
// CHECK-NEXT: return %[[R]]
func.func @standalone(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = nnhal.relu %x : (tensor<2xf32>) -> tensor<2xf32>
  %1 = nnhal.relu %0 : (tensor<2xf32>) -> tensor<2xf32>
  %2 = nnhal.relu6 %1 : (tensor<2xf32>) -> tensor<2xf32>
  %3 = nnhal.relu %2 : (tensor<2xf32>) -> tensor<2xf32>
  return %3 : tensor<2xf32>
}

// -----

// CHECK-LABEL: func @constants
// CHECK-DAG: dense<[0.000000e+00, 5.000000e-01, 8.000000e+00]>
// CHECK-DAG: dense<[-1.000000e+00, 5.000000e-01, 1.000000e+00]>
// CHECK-DAG: dense<[0.000000e+00, 5.000000e-01, 6.000000e+00]>
func.func @constants() -> (tensor<3xf32>, tensor<3xf32>, tensor<3xf16>) {
  %0 = nnhal.constant dense<[-2.0, 0.5, 8.0]> : tensor<3xf32> -> tensor<3xf32>
  %1 = nnhal.relu %0 : (tensor<3xf32>) -> tensor<3xf32>
  %2 = nnhal.relu1 %0 : (tensor<3xf32>) -> tensor<3xf32>
  %3 = nnhal.constant dense<[-2.0, 0.5, 8.0]> : tensor<3xf16> -> tensor<3xf16>
  %4 = nnhal.relu6 %3 : (tensor<3xf16>) -> tensor<3xf16>
  return %1, %2, %4 : tensor<3xf32>, tensor<3xf32>, tensor<3xf16>
}

// -----

// Which zero the maximum of 0 and -0 is, is up to the device.
// CHECK-LABEL: func @negative_zero
// CHECK: nnhal.relu
func.func @negative_zero() -> tensor<1xf32> {
  %0 = nnhal.constant dense<-0.0> : tensor<1xf32> -> tensor<1xf32>
  %1 = nnhal.relu %0 : (tensor<1xf32>) -> tensor<1xf32>
  return %1 : tensor<1xf32>
}
