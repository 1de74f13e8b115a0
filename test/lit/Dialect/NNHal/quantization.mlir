// RUN: nnhal-opt %s --verify-roundtrip | FileCheck %s

!u8 = !quant.uniform<u8:f32, 0.5:128>

// CHECK-LABEL: @quantize_and_dequantize
// CHECK: nnhal.quantize
// CHECK: nnhal.dequantize
// CHECK: nnhal.dequantize
func.func @quantize_and_dequantize(
    %x: tensor<?x2xf32>, %y: tensor<4x2x!quant.uniform<i8<-127:127>:f32:1, {0.5, 0.25}>>) -> tensor<?x2xf16> {
  %0 = nnhal.quantize %x : (tensor<?x2xf32>) -> tensor<?x2x!u8>
  %1 = nnhal.dequantize %0 : (tensor<?x2x!u8>) -> tensor<?x2xf16>
  %2 = nnhal.dequantize %y : (tensor<4x2x!quant.uniform<i8<-127:127>:f32:1, {0.5, 0.25}>>) -> tensor<4x2xf32>
  return %1 : tensor<?x2xf16>
}
