// RUN: nnhal-opt %s --convert-nnhal-to-linalg | FileCheck %s

// A quantized operand that is left out has no rank, and does not matter.
// CHECK-LABEL: func.func @left_out
// CHECK-NOT: nnhal
func.func @left_out(%x: tensor<2x3xi8>) -> tensor<3x2xi8> {
  %0 = quant.scast %x : tensor<2x3xi8> to tensor<2x3x!quant.uniform<u8:f32, 5.000000e-01>>
  %1 = nnhal.no_value : tensor<*x!quant.uniform<u8:f32, 1.000000e+00>>
  %2 = nnhal.no_value : tensor<*xi32>
  %3 = nnhal.operation "TRANSPOSE"(%0, %2)
      : (tensor<2x3x!quant.uniform<u8:f32, 5.000000e-01>>, tensor<*xi32>)
      -> tensor<3x2x!quant.uniform<u8:f32, 5.000000e-01>>
  %4 = quant.scast %3 : tensor<3x2x!quant.uniform<u8:f32, 5.000000e-01>> to tensor<3x2xi8>
  return %4 : tensor<3x2xi8>
}
