// RUN: nnhal-opt %s --canonicalize --split-input-file | FileCheck %s

// CHECK-LABEL: func @involutions
// CHECK-SAME: (%[[X:.+]]: tensor<2xf32>, %[[Y:.+]]: tensor<2xi32>)
// CHECK-NEXT: return %[[X]], %[[Y]]
func.func @involutions(%x: tensor<2xf32>, %y: tensor<2xi32>) -> (tensor<2xf32>, tensor<2xi32>) {
  %0 = nnhal.neg %x : (tensor<2xf32>) -> tensor<2xf32>
  %1 = nnhal.neg %0 : (tensor<2xf32>) -> tensor<2xf32>
  %2 = nnhal.neg %y : (tensor<2xi32>) -> tensor<2xi32>
  %3 = nnhal.neg %2 : (tensor<2xi32>) -> tensor<2xi32>
  return %1, %3 : tensor<2xf32>, tensor<2xi32>
}

// -----

// CHECK-LABEL: func @idempotent
// CHECK-NEXT: nnhal.abs
// CHECK-NEXT: nnhal.floor
// CHECK-NEXT: return
func.func @idempotent(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = nnhal.abs %x : (tensor<2xf32>) -> tensor<2xf32>
  %1 = nnhal.abs %0 : (tensor<2xf32>) -> tensor<2xf32>
  %2 = nnhal.floor %1 : (tensor<2xf32>) -> tensor<2xf32>
  %3 = nnhal.floor %2 : (tensor<2xf32>) -> tensor<2xf32>
  return %3 : tensor<2xf32>
}

// -----

// Any byte but 0 is true: not(not(x)) makes it 1.
// CHECK-LABEL: func @double_not
// CHECK-SAME: (%[[X:[^:]+]]: tensor<2xi8>, %[[Y:[^:]+]]: tensor<2xi32>)
// CHECK: %[[A:.+]] = nnhal.logical_not %[[X]]
// CHECK: %[[B:.+]] = nnhal.logical_not %[[A]]
// CHECK: %[[C:.+]] = nnhal.less
// CHECK-NEXT: return %[[B]], %[[C]]
func.func @double_not(%x: tensor<2xi8>, %y: tensor<2xi32>) -> (tensor<2xi8>, tensor<2xi8>) {
  %0 = nnhal.logical_not %x : (tensor<2xi8>) -> tensor<2xi8>
  %1 = nnhal.logical_not %0 : (tensor<2xi8>) -> tensor<2xi8>
  %z = nnhal.abs %y : (tensor<2xi32>) -> tensor<2xi32>
  %2 = nnhal.less %y, %z : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi8>
  %3 = nnhal.logical_not %2 : (tensor<2xi8>) -> tensor<2xi8>
  %4 = nnhal.logical_not %3 : (tensor<2xi8>) -> tensor<2xi8>
  return %1, %4 : tensor<2xi8>, tensor<2xi8>
}

// -----

// CHECK-LABEL: func @neutral
// CHECK-SAME: (%[[X:.+]]: tensor<2xf32>, %[[Y:.+]]: tensor<2xi32>)
// CHECK-NEXT: return %[[X]], %[[Y]]
func.func @neutral(%x: tensor<2xf32>, %y: tensor<2xi32>) -> (tensor<2xf32>, tensor<2xi32>) {
  %zero = nnhal.constant dense<0.0> : tensor<1xf32> -> tensor<1xf32>
  %one = nnhal.constant dense<1.0> : tensor<2xf32> -> tensor<2xf32>
  %nothing = nnhal.constant dense<0> : tensor<2xi32> -> tensor<2xi32>
  %0 = nnhal.sub %x, %zero : (tensor<2xf32>, tensor<1xf32>) -> tensor<2xf32>
  %1 = nnhal.mul %one, %0 : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %2 = nnhal.div %1, %one : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %3 = nnhal.add %nothing, %y : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi32>
  return %2, %3 : tensor<2xf32>, tensor<2xi32>
}

// -----

// -0 + 0 is 0; an activation changes more; the result is broadcast.
// CHECK-LABEL: func @not_neutral
// CHECK: nnhal.add
// CHECK: nnhal.mul
// CHECK: nnhal.mul
func.func @not_neutral(%x: tensor<2xf32>, %y: tensor<1xf32>) -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) {
  %zero = nnhal.constant dense<0.0> : tensor<2xf32> -> tensor<2xf32>
  %one = nnhal.constant dense<1.0> : tensor<2xf32> -> tensor<2xf32>
  %0 = nnhal.add %x, %zero : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %1 = nnhal.mul %x, %one activation relu : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %2 = nnhal.mul %y, %one : (tensor<1xf32>, tensor<2xf32>) -> tensor<2xf32>
  return %0, %1, %2 : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>
}

// -----

// CHECK-LABEL: func @arithmetic
// CHECK-DAG: dense<{{\[}}[1.100000e+01, 1.200000e+01], [2.100000e+01, 2.200000e+01]]> : tensor<2x2xf32>
// CHECK-DAG: dense<[0.000000e+00, 1.000000e+00]> : tensor<2xf32>
// CHECK-DAG: dense<[-2147483648, 1]> : tensor<2xi32>
// CHECK-DAG: dense<[-4, 3]> : tensor<2xi32>
// CHECK-DAG: dense<6.553600e+04> : tensor<1xf32>
func.func @arithmetic() -> (tensor<2x2xf32>, tensor<2xf32>, tensor<2xi32>, tensor<2xi32>, tensor<1xf32>) {
  %0 = nnhal.constant dense<[1.0, 2.0]> : tensor<2xf32> -> tensor<2xf32>
  %1 = nnhal.constant dense<[[10.0], [20.0]]> : tensor<2x1xf32> -> tensor<2x1xf32>
  %2 = nnhal.add %0, %1 : (tensor<2xf32>, tensor<2x1xf32>) -> tensor<2x2xf32>
  %3 = nnhal.constant dense<[3.0, 0.5]> : tensor<2xf32> -> tensor<2xf32>
  %4 = nnhal.sub %0, %3 activation relu : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %5 = nnhal.mul %4, %0 activation relu1 : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %6 = nnhal.constant dense<[2147483647, 0]> : tensor<2xi32> -> tensor<2xi32>
  %7 = nnhal.constant dense<1> : tensor<2xi32> -> tensor<2xi32>
  %8 = nnhal.add %6, %7 : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi32>
  %9 = nnhal.constant dense<[-7, 7]> : tensor<2xi32> -> tensor<2xi32>
  %10 = nnhal.constant dense<2> : tensor<2xi32> -> tensor<2xi32>
  %11 = nnhal.div %9, %10 : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi32>
  %12 = nnhal.constant dense<256.0> : tensor<1xf32> -> tensor<1xf32>
  %13 = nnhal.mul %12, %12 : (tensor<1xf32>, tensor<1xf32>) -> tensor<1xf32>
  return %2, %5, %8, %11, %13 : tensor<2x2xf32>, tensor<2xf32>, tensor<2xi32>, tensor<2xi32>, tensor<1xf32>
}

// -----

// f16 is computed in f32 and rounded once: 2048 + 1 is a tie, to even.
// CHECK-LABEL: func @half
// CHECK-NEXT: nnhal.constant dense<[2.048000e+03, 0x7C00]> : tensor<2xf16>
func.func @half() -> tensor<2xf16> {
  %0 = nnhal.constant dense<[2048.0, 65504.0]> : tensor<2xf16> -> tensor<2xf16>
  %1 = nnhal.constant dense<[1.0, 65504.0]> : tensor<2xf16> -> tensor<2xf16>
  %2 = nnhal.add %0, %1 : (tensor<2xf16>, tensor<2xf16>) -> tensor<2xf16>
  return %2 : tensor<2xf16>
}

// -----

// NaN, a subnormal, a division by zero and the larger of two zeros are up to
// the device.
// CHECK-LABEL: func @not_portable
// CHECK-DAG: nnhal.sub
// CHECK-DAG: nnhal.mul
// CHECK-DAG: nnhal.div
// CHECK-DAG: nnhal.maximum
func.func @not_portable() -> (tensor<1xf32>, tensor<1xf32>, tensor<1xi32>, tensor<1xf32>) {
  %inf = nnhal.constant dense<0x7F800000> : tensor<1xf32> -> tensor<1xf32>
  %small = nnhal.constant dense<1.0e-30> : tensor<1xf32> -> tensor<1xf32>
  %0 = nnhal.sub %inf, %inf : (tensor<1xf32>, tensor<1xf32>) -> tensor<1xf32>
  %tiny = nnhal.constant dense<1.0e-10> : tensor<1xf32> -> tensor<1xf32>
  %1 = nnhal.mul %small, %tiny : (tensor<1xf32>, tensor<1xf32>) -> tensor<1xf32>
  %one = nnhal.constant dense<1> : tensor<1xi32> -> tensor<1xi32>
  %nothing = nnhal.constant dense<0> : tensor<1xi32> -> tensor<1xi32>
  %2 = nnhal.div %one, %nothing : (tensor<1xi32>, tensor<1xi32>) -> tensor<1xi32>
  %zero = nnhal.constant dense<0.0> : tensor<1xf32> -> tensor<1xf32>
  %minus = nnhal.constant dense<-0.0> : tensor<1xf32> -> tensor<1xf32>
  %3 = nnhal.maximum %zero, %minus : (tensor<1xf32>, tensor<1xf32>) -> tensor<1xf32>
  return %0, %1, %2, %3 : tensor<1xf32>, tensor<1xf32>, tensor<1xi32>, tensor<1xf32>
}

// -----

!q = !quant.uniform<u8:f32, 0.5:128>
// Requantization is up to the device.
// CHECK-LABEL: func @quantized
// CHECK: nnhal.add
// CHECK: nnhal.maximum
func.func @quantized() -> (tensor<1x!q>, tensor<1x!q>) {
  %0 = nnhal.constant dense<1> : tensor<1xi8> -> tensor<1x!q>
  %1 = nnhal.add %0, %0 : (tensor<1x!q>, tensor<1x!q>) -> tensor<1x!q>
  %2 = nnhal.maximum %0, %0 : (tensor<1x!q>, tensor<1x!q>) -> tensor<1x!q>
  return %1, %2 : tensor<1x!q>, tensor<1x!q>
}

// -----

// CHECK-LABEL: func @unary
// CHECK-DAG: dense<[1.500000e+00, 2.500000e+00]> : tensor<2xf32>
// CHECK-DAG: dense<[1.500000e+00, -2.500000e+00]> : tensor<2xf32>
// CHECK-DAG: dense<[-2.000000e+00, 2.000000e+00]> : tensor<2xf32>
// CHECK-DAG: dense<[7, -2147483648]> : tensor<2xi32>
func.func @unary() -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xi32>) {
  %0 = nnhal.constant dense<[-1.5, 2.5]> : tensor<2xf32> -> tensor<2xf32>
  %1 = nnhal.abs %0 : (tensor<2xf32>) -> tensor<2xf32>
  %2 = nnhal.neg %0 : (tensor<2xf32>) -> tensor<2xf32>
  %3 = nnhal.floor %0 : (tensor<2xf32>) -> tensor<2xf32>
  %4 = nnhal.constant dense<[-7, -2147483648]> : tensor<2xi32> -> tensor<2xi32>
  %5 = nnhal.abs %4 : (tensor<2xi32>) -> tensor<2xi32>
  return %1, %2, %3, %5 : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xi32>
}

// -----

// CHECK-LABEL: func @comparisons
// CHECK-DAG: dense<[1, 0, 0]> : tensor<3xi8>
// CHECK-DAG: dense<[0, 1, 0]> : tensor<3xi8>
// CHECK-DAG: dense<[1, 1, 0]> : tensor<3xi8>
// CHECK-DAG: dense<[0, 1, 1]> : tensor<3xi8>
// CHECK-DAG: dense<0> : tensor<3xi8>
// CHECK-DAG: dense<[1, 2, 3]> : tensor<3xi32>
// CHECK-DAG: dense<[1, 3, 2]> : tensor<3xi32>
func.func @comparisons() -> (tensor<3xi8>, tensor<3xi8>, tensor<3xi8>, tensor<3xi8>, tensor<3xi8>, tensor<3xi32>, tensor<3xi32>) {
  %0 = nnhal.constant dense<[1, 2, 3]> : tensor<3xi32> -> tensor<3xi32>
  %1 = nnhal.constant dense<2> : tensor<1xi32> -> tensor<1xi32>
  %2 = nnhal.less %0, %1 : (tensor<3xi32>, tensor<1xi32>) -> tensor<3xi8>
  %3 = nnhal.equal %0, %1 : (tensor<3xi32>, tensor<1xi32>) -> tensor<3xi8>
  %4 = nnhal.less_equal %0, %1 : (tensor<3xi32>, tensor<1xi32>) -> tensor<3xi8>
  %5 = nnhal.greater_equal %0, %1 : (tensor<3xi32>, tensor<1xi32>) -> tensor<3xi8>
  %6 = nnhal.logical_and %2, %3 : (tensor<3xi8>, tensor<3xi8>) -> tensor<3xi8>
  %7 = nnhal.constant dense<[1, 3, 2]> : tensor<3xi32> -> tensor<3xi32>
  %8 = nnhal.minimum %7, %0 : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi32>
  %9 = nnhal.maximum %7, %8 : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi32>
  %10 = nnhal.logical_or %2, %3 : (tensor<3xi8>, tensor<3xi8>) -> tensor<3xi8>
  %11 = nnhal.logical_not %10 : (tensor<3xi8>) -> tensor<3xi8>
  %12 = nnhal.not_equal %0, %7 : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi8>
  %13 = nnhal.select %11, %0, %0 : (tensor<3xi8>, tensor<3xi32>, tensor<3xi32>) -> tensor<3xi32>
  %14 = nnhal.select %12, %9, %13 : (tensor<3xi8>, tensor<3xi32>, tensor<3xi32>) -> tensor<3xi32>
  return %2, %3, %4, %5, %6, %13, %14 : tensor<3xi8>, tensor<3xi8>, tensor<3xi8>, tensor<3xi8>, tensor<3xi8>, tensor<3xi32>, tensor<3xi32>
}

// -----

// Any byte but 0 is true.
// CHECK-LABEL: func @selects
// CHECK-SAME: (%[[C:[^:]+]]: tensor<2xi8>, %[[X:[^:]+]]: tensor<2xf32>, %[[Y:[^:]+]]: tensor<2xf32>)
// CHECK-NEXT: return %[[X]], %[[Y]], %[[X]]
func.func @selects(%c: tensor<2xi8>, %x: tensor<2xf32>, %y: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) {
  %yes = nnhal.constant dense<[1, 2]> : tensor<2xi8> -> tensor<2xi8>
  %no = nnhal.constant dense<0> : tensor<2xi8> -> tensor<2xi8>
  %0 = nnhal.select %yes, %x, %y : (tensor<2xi8>, tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %1 = nnhal.select %no, %x, %y : (tensor<2xi8>, tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %2 = nnhal.select %c, %x, %x : (tensor<2xi8>, tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return %0, %1, %2 : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>
}
