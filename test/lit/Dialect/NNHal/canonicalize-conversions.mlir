// RUN: nnhal-opt %s --canonicalize --split-input-file | FileCheck %s

// CHECK-LABEL: func @cast_identity
// CHECK-SAME: (%[[X:.+]]: tensor<2xi8>)
// CHECK-NEXT: return %[[X]]
func.func @cast_identity(%x: tensor<2xi8>) -> tensor<2xi8> {
  %0 = nnhal.cast %x : (tensor<2xi8>) -> tensor<2xi8>
  return %0 : tensor<2xi8>
}

// -----

// Every f16 is an f32.
// CHECK-LABEL: func @cast_there_and_back
// CHECK-SAME: (%[[X:.+]]: tensor<2xf16>)
// CHECK-NEXT: return %[[X]]
func.func @cast_there_and_back(%x: tensor<2xf16>) -> tensor<2xf16> {
  %0 = nnhal.cast %x : (tensor<2xf16>) -> tensor<2xf32>
  %1 = nnhal.cast %0 : (tensor<2xf32>) -> tensor<2xf16>
  return %1 : tensor<2xf16>
}

// -----

!q = !quant.uniform<u8:f32, 0.5:128>
// CHECK-LABEL: func @cast_chain
// CHECK-SAME: (%[[X:.+]]: tensor<2x!
// CHECK-NEXT: %[[R:.+]] = nnhal.cast %[[X]] {{.+}} -> tensor<2xf32>
// CHECK-NEXT: return %[[R]]
func.func @cast_chain(%x: tensor<2x!q>) -> tensor<2xf32> {
  %0 = nnhal.cast %x : (tensor<2x!q>) -> tensor<2xi32>
  %1 = nnhal.cast %0 : (tensor<2xi32>) -> tensor<2xf32>
  return %1 : tensor<2xf32>
}

// -----

// Not every i32 is an f32, not every f32 an f16.
// CHECK-LABEL: func @lossy_casts
// CHECK-COUNT-4: nnhal.cast
func.func @lossy_casts(%x: tensor<2xi32>, %y: tensor<2xf32>) -> (tensor<2xi32>, tensor<2xf32>) {
  %0 = nnhal.cast %x : (tensor<2xi32>) -> tensor<2xf32>
  %1 = nnhal.cast %0 : (tensor<2xf32>) -> tensor<2xi32>
  %2 = nnhal.cast %y : (tensor<2xf32>) -> tensor<2xf16>
  %3 = nnhal.cast %2 : (tensor<2xf16>) -> tensor<2xf32>
  return %1, %3 : tensor<2xi32>, tensor<2xf32>
}

// -----

!q = !quant.uniform<u8:f32, 0.5:128>
// CHECK-LABEL: func @cast_constants
// CHECK-DAG: dense<[1, -1, 2147483520]> : tensor<3xi32>
// CHECK-DAG: dense<[1.000000e+00, 0x4B800000]> : tensor<2xf32>
// CHECK-DAG: dense<[0, 127, -1]> : tensor<3xi8>
// CHECK-DAG: dense<[1.000000e+00, 2.550000e+02]> : tensor<2xf32>
func.func @cast_constants() -> (tensor<3xi32>, tensor<2xf32>, tensor<3x!q>, tensor<2xf32>) {
  %0 = nnhal.constant dense<[1.5, -1.5, 2147483520.0]> : tensor<3xf32> -> tensor<3xf32>
  %1 = nnhal.cast %0 : (tensor<3xf32>) -> tensor<3xi32>
  %2 = nnhal.constant dense<[1, 16777217]> : tensor<2xi32> -> tensor<2xi32>
  %3 = nnhal.cast %2 : (tensor<2xi32>) -> tensor<2xf32>
  %4 = nnhal.constant dense<[0, 127, 255]> : tensor<3xi32> -> tensor<3xi32>
  %5 = nnhal.cast %4 : (tensor<3xi32>) -> tensor<3x!q>
  %6 = nnhal.constant dense<[1, -1]> : tensor<2xi8> -> tensor<2x!q>
  %7 = nnhal.cast %6 : (tensor<2x!q>) -> tensor<2xf32>
  return %1, %3, %5, %7 : tensor<3xi32>, tensor<2xf32>, tensor<3x!q>, tensor<2xf32>
}

// -----

!q = !quant.uniform<u8:f32, 0.5:128>
!i = !quant.uniform<i32:f32, 0.25>
// A scale changes nothing about the 32 bits of a TENSOR_INT32.
// CHECK-LABEL: func @cast_scaled_integers
// CHECK-DAG: dense<[127, -56]> : tensor<2xi8>
// CHECK-DAG: dense<[1.270000e+02, 3.776000e+03]> : tensor<2xf32>
// CHECK-DAG: dense<[300, -300]> : tensor<2xi32>
// CHECK-DAG: nnhal.cast %{{.+}} : (tensor<1x{{.+}}>) -> tensor<1x
// CHECK-NOT: nnhal.cast
func.func @cast_scaled_integers() -> (tensor<2x!q>, tensor<2xf32>, tensor<2x!i>, tensor<1x!q>) {
  %0 = nnhal.constant dense<[127, 200]> : tensor<2xi32> -> tensor<2x!i>
  %1 = nnhal.cast %0 : (tensor<2x!i>) -> tensor<2x!q>
  %2 = nnhal.constant dense<[127, 3776]> : tensor<2xi32> -> tensor<2x!i>
  %3 = nnhal.cast %2 : (tensor<2x!i>) -> tensor<2xf32>
  %4 = nnhal.constant dense<[300.5, -300.5]> : tensor<2xf32> -> tensor<2xf32>
  %5 = nnhal.cast %4 : (tensor<2xf32>) -> tensor<2x!i>
  %6 = nnhal.constant dense<3776> : tensor<1xi32> -> tensor<1x!i>
  %7 = nnhal.cast %6 : (tensor<1x!i>) -> tensor<1x!q>
  return %1, %3, %5, %7 : tensor<2x!q>, tensor<2xf32>, tensor<2x!i>, tensor<1x!q>
}

// -----

!i = !quant.uniform<i32:f32, 0.25>
// Not every i32 is an f32, whatever its scale.
// CHECK-LABEL: func @lossy_casts_of_scaled_integers
// CHECK-COUNT-2: nnhal.cast
func.func @lossy_casts_of_scaled_integers(%x: tensor<2x!i>) -> tensor<2x!i> {
  %0 = nnhal.cast %x : (tensor<2x!i>) -> tensor<2xf32>
  %1 = nnhal.cast %0 : (tensor<2xf32>) -> tensor<2x!i>
  return %1 : tensor<2x!i>
}

// -----

!q = !quant.uniform<u8:f32, 0.5:128>
// What does not fit in is up to the device.
// CHECK-LABEL: func @cast_out_of_range
// CHECK-COUNT-3: nnhal.cast
func.func @cast_out_of_range() -> (tensor<1xi32>, tensor<1xi32>, tensor<1x!q>) {
  %0 = nnhal.constant dense<3.0e9> : tensor<1xf32> -> tensor<1xf32>
  %1 = nnhal.cast %0 : (tensor<1xf32>) -> tensor<1xi32>
  %2 = nnhal.constant dense<0x7FC00000> : tensor<1xf32> -> tensor<1xf32>
  %3 = nnhal.cast %2 : (tensor<1xf32>) -> tensor<1xi32>
  %4 = nnhal.constant dense<256> : tensor<1xi32> -> tensor<1xi32>
  %5 = nnhal.cast %4 : (tensor<1xi32>) -> tensor<1x!q>
  return %1, %3, %5 : tensor<1xi32>, tensor<1xi32>, tensor<1x!q>
}

// -----

!q = !quant.uniform<i8:f32, 0.5:-3>
// CHECK-LABEL: func @quantize_dequantize
// CHECK-SAME: (%[[X:.+]]: tensor<2x!
// CHECK-NEXT: return %[[X]]
func.func @quantize_dequantize(%x: tensor<2x!q>) -> tensor<2x!q> {
  %0 = nnhal.dequantize %x : (tensor<2x!q>) -> tensor<2xf32>
  %1 = nnhal.quantize %0 : (tensor<2xf32>) -> tensor<2x!q>
  return %1 : tensor<2x!q>
}

// -----

!p = !quant.uniform<u8:f32, 0.5:3>
!q = !quant.uniform<u8:f32, 0.25:3>
!huge = !quant.uniform<u8:f32, 3.0e38:3>
// Other parameters requantize; an f16 may not hold the difference; an infinity
// does not come back.
// CHECK-LABEL: func @quantize_other
// CHECK-COUNT-3: nnhal.quantize
func.func @quantize_other(%x: tensor<2x!p>, %y: tensor<2x!huge>) -> (tensor<2x!q>, tensor<2x!p>, tensor<2x!huge>) {
  %0 = nnhal.dequantize %x : (tensor<2x!p>) -> tensor<2xf32>
  %1 = nnhal.quantize %0 : (tensor<2xf32>) -> tensor<2x!q>
  %2 = nnhal.dequantize %x : (tensor<2x!p>) -> tensor<2xf16>
  %3 = nnhal.quantize %2 : (tensor<2xf16>) -> tensor<2x!p>
  %4 = nnhal.dequantize %y : (tensor<2x!huge>) -> tensor<2xf32>
  %5 = nnhal.quantize %4 : (tensor<2xf32>) -> tensor<2x!huge>
  return %1, %3, %5 : tensor<2x!q>, tensor<2x!p>, tensor<2x!huge>
}

// -----

!q = !quant.uniform<u8:f32, 0.5:128>
!s = !quant.uniform<i8:f32, 0.1:-3>
// Halves go away from zero; what does not fit in is the largest or smallest.
// CHECK-LABEL: func @quantize_constants
// CHECK-DAG: dense<[-128, -127, 127, -128, -1, 0, -1, 0]> : tensor<8xi8>
// CHECK-DAG: dense<[7, -13]> : tensor<2xi8>
// CHECK-NOT: nnhal.quantize
func.func @quantize_constants() -> (tensor<8x!q>, tensor<2x!s>) {
  %0 = nnhal.constant dense<[0.0, 0.25, -0.25, -0.2, 63.5, -64.0, 0x7F800000, 0xFF800000]> : tensor<8xf32> -> tensor<8xf32>
  %1 = nnhal.quantize %0 : (tensor<8xf32>) -> tensor<8x!q>
  %2 = nnhal.constant dense<[1.0, -1.0]> : tensor<2xf16> -> tensor<2xf16>
  %3 = nnhal.quantize %2 : (tensor<2xf16>) -> tensor<2x!s>
  return %1, %3 : tensor<8x!q>, tensor<2x!s>
}

// -----

!q = !quant.uniform<u8:f32, 0.5:128>
// What devices may differ about: a NaN, a number too small to be normal.
// CHECK-LABEL: func @quantize_odd_constants
// CHECK-COUNT-2: nnhal.quantize
func.func @quantize_odd_constants() -> (tensor<1x!q>, tensor<1x!q>) {
  %0 = nnhal.constant dense<0x7FC00000> : tensor<1xf32> -> tensor<1xf32>
  %1 = nnhal.quantize %0 : (tensor<1xf32>) -> tensor<1x!q>
  %2 = nnhal.constant dense<0x00000001> : tensor<1xf32> -> tensor<1xf32>
  %3 = nnhal.quantize %2 : (tensor<1xf32>) -> tensor<1x!q>
  return %1, %3 : tensor<1x!q>, tensor<1x!q>
}

// -----

!q = !quant.uniform<u8:f32, 0.5:128>
// Quantizing rounds.
// CHECK-LABEL: func @dequantize_quantize
// CHECK: nnhal.quantize
// CHECK: nnhal.dequantize
func.func @dequantize_quantize(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = nnhal.quantize %x : (tensor<2xf32>) -> tensor<2x!q>
  %1 = nnhal.dequantize %0 : (tensor<2x!q>) -> tensor<2xf32>
  return %1 : tensor<2xf32>
}

// -----

!q = !quant.uniform<u8:f32, 0.5:128>
!s = !quant.uniform<i8<-127:127>:f32, 0.25>
// CHECK-LABEL: func @dequantize_constants
// CHECK-DAG: dense<[-6.400000e+01, 6.350000e+01]> : tensor<2xf32>
// CHECK-DAG: dense<[-2.500000e-01, 2.500000e-01]> : tensor<2xf16>
func.func @dequantize_constants() -> (tensor<2xf32>, tensor<2xf16>) {
  %0 = nnhal.constant dense<[0, -1]> : tensor<2xi8> -> tensor<2x!q>
  %1 = nnhal.dequantize %0 : (tensor<2x!q>) -> tensor<2xf32>
  %2 = nnhal.constant dense<[-1, 1]> : tensor<2xi8> -> tensor<2x!s>
  %3 = nnhal.dequantize %2 : (tensor<2x!s>) -> tensor<2xf16>
  return %1, %3 : tensor<2xf32>, tensor<2xf16>
}
