// RUN: nnhal-opt %s --verify-roundtrip | FileCheck %s

!u8 = !quant.uniform<u8:f32, 0.5:128>

// M-110: each operand has its own quantization.
// CHECK-LABEL: @concatenation_and_split
// CHECK: nnhal.concatenation %{{.*}}, %{{.*}}, %{{.*}} axis 1
// CHECK: nnhal.split %{{.*}} axis -1 : {{.*}} -> (
func.func @concatenation_and_split(%a: tensor<2x3x!u8>, %b: tensor<2x?x!quant.uniform<u8:f32, 0.25>>) {
  %0 = nnhal.concatenation %a, %b, %a axis 1
      : (tensor<2x3x!u8>, tensor<2x?x!quant.uniform<u8:f32, 0.25>>, tensor<2x3x!u8>) -> tensor<2x8x!quant.uniform<u8:f32, 0.125>>
  %1:2 = nnhal.split %0 axis -1 : (tensor<2x8x!quant.uniform<u8:f32, 0.125>>)
      -> (tensor<2x4x!quant.uniform<u8:f32, 0.125>>, tensor<2x4x!quant.uniform<u8:f32, 0.125>>)
  return
}

// CHECK-LABEL: @slice_to_the_end
// CHECK: nnhal.slice %{{.*}} begin [1, 0] size [2, -1]
func.func @slice_to_the_end(%x: tensor<4x5xi32>) -> tensor<2x5xi32> {
  %0 = nnhal.slice %x begin [1, 0] size [2, -1] : (tensor<4x5xi32>) -> tensor<2x5xi32>
  return %0 : tensor<2x5xi32>
}

// CHECK-LABEL: @strided_slice_backward_and_shrunk
// CHECK: nnhal.strided_slice {{.*}}shrink_mask 1
// CHECK: nnhal.strided_slice
func.func @strided_slice_backward_and_shrunk(%x: tensor<4x5xf32>) -> tensor<0x5xf32> {
  %0 = nnhal.strided_slice %x begin [1, 4] end [2, 0] strides [1, -2]
      end_mask 2 shrink_mask 1 : (tensor<4x5xf32>) -> tensor<3xf32>
  %1 = nnhal.strided_slice %x begin [3, 0] end [1, 5] strides [1, 1]
      : (tensor<4x5xf32>) -> tensor<0x5xf32>
  return %1 : tensor<0x5xf32>
}

// CHECK-LABEL: @paddings_are_low_and_high_per_dimension
// CHECK: nnhal.pad %{{.*}} paddings [0, 1, 2, 3]
// CHECK: nnhal.pad_v2 %{{.*}} paddings [0, 1, 2, 3] value(9 : i32)
// CHECK: nnhal.pad_v2 {{.*}}value(1.500000e+00 : f32)
func.func @paddings_are_low_and_high_per_dimension(%x: tensor<?x3x!u8>, %y: tensor<1xf16>) -> tensor<?x8x!u8> {
  %0 = nnhal.pad %x paddings [0, 1, 2, 3] : (tensor<?x3x!u8>) -> tensor<?x8x!u8>
  %1 = nnhal.pad_v2 %x paddings [0, 1, 2, 3] value(9 : i32) : (tensor<?x3x!u8>) -> tensor<?x8x!u8>
  %2 = nnhal.pad_v2 %y paddings [1, 1] value(1.5 : f32) : (tensor<1xf16>) -> tensor<3xf16>
  return %1 : tensor<?x8x!u8>
}

// CHECK-LABEL: @tile_gather_fill
// CHECK: nnhal.tile %{{.*}} multiples [2, 3]
// CHECK: nnhal.fill value(7 : i32) : () -> tensor<2x2xi32>
// CHECK: nnhal.gather %{{.*}}, %{{.*}} axis 1
func.func @tile_gather_fill(%x: tensor<2x3xi32>) -> tensor<4x2x2xi32> {
  %0 = nnhal.tile %x multiples [2, 3] : (tensor<2x3xi32>) -> tensor<4x9xi32>
  %1 = nnhal.fill value(7 : i32) : () -> tensor<2x2xi32>
  %2 = nnhal.gather %0, %1 axis 1 : (tensor<4x9xi32>, tensor<2x2xi32>) -> tensor<4x2x2xi32>
  return %2 : tensor<4x2x2xi32>
}
