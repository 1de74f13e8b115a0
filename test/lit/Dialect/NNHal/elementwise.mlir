// RUN: nnhal-opt %s --verify-roundtrip | FileCheck %s

!u8 = !quant.uniform<u8:f32, 0.5:128>

// CHECK-LABEL: @add_broadcasts_both_ways
// CHECK: nnhal.add %{{.*}}, %{{.*}} activation relu6 :
func.func @add_broadcasts_both_ways(%a: tensor<2x1x4xf32>, %b: tensor<3x1xf32>) -> tensor<2x3x4xf32> {
  %0 = nnhal.add %a, %b activation relu6
      : (tensor<2x1x4xf32>, tensor<3x1xf32>) -> tensor<2x3x4xf32>
  return %0 : tensor<2x3x4xf32>
}

// CHECK-LABEL: @no_activation_is_not_printed
// CHECK: nnhal.sub %{{.*}}, %{{.*}} : (
func.func @no_activation_is_not_printed(%a: tensor<2xf16>) -> tensor<2xf16> {
  %0 = nnhal.sub %a, %a activation none : (tensor<2xf16>, tensor<2xf16>) -> tensor<2xf16>
  return %0 : tensor<2xf16>
}

// CHECK-LABEL: @unknown_extents_fit_known_ones
// CHECK: nnhal.mul
// CHECK: nnhal.div
// CHECK: nnhal.maximum
func.func @unknown_extents_fit_known_ones(%a: tensor<?x4xf32>, %b: tensor<1x4xf32>) -> tensor<3x?xf32> {
  %0 = nnhal.mul %a, %b : (tensor<?x4xf32>, tensor<1x4xf32>) -> tensor<?x4xf32>
  %1 = nnhal.div %0, %b : (tensor<?x4xf32>, tensor<1x4xf32>) -> tensor<3x4xf32>
  %2 = nnhal.maximum %1, %b : (tensor<3x4xf32>, tensor<1x4xf32>) -> tensor<3x?xf32>
  return %2 : tensor<3x?xf32>
}

// An extent of 0 broadcasts with 1 to 0 (M-021).
// CHECK-LABEL: @empty_tensors_broadcast
// CHECK: nnhal.add
func.func @empty_tensors_broadcast(%a: tensor<0x4xf32>, %b: tensor<1x4xf32>) -> tensor<0x4xf32> {
  %0 = nnhal.add %a, %b : (tensor<0x4xf32>, tensor<1x4xf32>) -> tensor<0x4xf32>
  return %0 : tensor<0x4xf32>
}

// CHECK-LABEL: @quantization_of_results_is_free
// CHECK: nnhal.add
// CHECK: nnhal.mul
// CHECK: nnhal.minimum
func.func @quantization_of_results_is_free(%a: tensor<4x!u8>) -> tensor<4x!quant.uniform<u8:f32, 3.0:7>> {
  %0 = nnhal.add %a, %a : (tensor<4x!u8>, tensor<4x!u8>) -> tensor<4x!quant.uniform<u8:f32, 0.25:3>>
  %1 = nnhal.mul %a, %a : (tensor<4x!u8>, tensor<4x!u8>) -> tensor<4x!quant.uniform<u8:f32, 0.5:0>>
  %2 = nnhal.minimum %0, %1 : (tensor<4x!quant.uniform<u8:f32, 0.25:3>>, tensor<4x!quant.uniform<u8:f32, 0.5:0>>)
      -> tensor<4x!quant.uniform<u8:f32, 3.0:7>>
  return %2 : tensor<4x!quant.uniform<u8:f32, 3.0:7>>
}

// CHECK-LABEL: @comparisons_yield_bools
// CHECK: nnhal.equal
// CHECK: nnhal.not_equal
// CHECK: nnhal.greater
// CHECK: nnhal.greater_equal
// CHECK: nnhal.less
// CHECK: nnhal.less_equal
// CHECK: nnhal.logical_and
// CHECK: nnhal.logical_or
// CHECK: nnhal.logical_not
// CHECK: nnhal.select
func.func @comparisons_yield_bools(%a: tensor<4xi32>, %b: tensor<1xi32>) -> tensor<4xi32> {
  %0 = nnhal.equal %a, %b : (tensor<4xi32>, tensor<1xi32>) -> tensor<4xi8>
  %1 = nnhal.not_equal %a, %b : (tensor<4xi32>, tensor<1xi32>) -> tensor<4xi8>
  %2 = nnhal.greater %a, %b : (tensor<4xi32>, tensor<1xi32>) -> tensor<4xi8>
  %3 = nnhal.greater_equal %a, %b : (tensor<4xi32>, tensor<1xi32>) -> tensor<4xi8>
  %4 = nnhal.less %a, %b : (tensor<4xi32>, tensor<1xi32>) -> tensor<4xi8>
  %5 = nnhal.less_equal %0, %1 : (tensor<4xi8>, tensor<4xi8>) -> tensor<4xi8>
  %6 = nnhal.logical_and %2, %3 : (tensor<4xi8>, tensor<4xi8>) -> tensor<4xi8>
  %7 = nnhal.logical_or %4, %5 : (tensor<4xi8>, tensor<4xi8>) -> tensor<4xi8>
  %8 = nnhal.logical_not %7 : (tensor<4xi8>) -> tensor<4xi8>
  %9 = nnhal.select %8, %a, %a : (tensor<4xi8>, tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  return %9 : tensor<4xi32>
}

// CHECK-LABEL: @unary_operations
// CHECK: nnhal.abs
// CHECK: nnhal.neg
// CHECK: nnhal.exp
// CHECK: nnhal.log
// CHECK: nnhal.sin
// CHECK: nnhal.sqrt
// CHECK: nnhal.rsqrt
// CHECK: nnhal.floor
// CHECK: nnhal.pow
func.func @unary_operations(%a: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = nnhal.abs %a : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %1 = nnhal.neg %0 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %2 = nnhal.exp %1 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %3 = nnhal.log %2 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %4 = nnhal.sin %3 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %5 = nnhal.sqrt %4 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %6 = nnhal.rsqrt %5 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %7 = nnhal.floor %6 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %8 = nnhal.pow %7, %a : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return %8 : tensor<2x3xf32>
}

// CHECK-LABEL: @cast_among_convertible_types
// CHECK-COUNT-4: nnhal.cast
func.func @cast_among_convertible_types(%a: tensor<4xf32>, %b: tensor<4xi8>) -> tensor<4xf16> {
  %0 = nnhal.cast %a : (tensor<4xf32>) -> tensor<4xi32>
  %1 = nnhal.cast %0 : (tensor<4xi32>) -> tensor<4x!u8>
  %2 = nnhal.cast %1 : (tensor<4x!u8>) -> tensor<4xf16>
  %3 = nnhal.cast %b : (tensor<4xi8>) -> tensor<4xi8>
  return %2 : tensor<4xf16>
}
