// RUN: cat %s %S/Inputs/reference.mlir | nnhal-opt --nnhal-set-target=parameters=vector-bits=128,vector-registers=16 --convert-nnk-to-vector \
// RUN:   | sed -e 's/ attributes {nnhal.target = .*>}//' -e 's/, mapping = \[#nnk.piece\]//' | mlir-opt --expand-strided-metadata --lower-affine --convert-scf-to-cf --convert-vector-to-llvm --convert-math-to-llvm \
// RUN:     --convert-arith-to-llvm --convert-index-to-llvm --finalize-memref-to-llvm --convert-func-to-llvm --convert-cf-to-llvm --reconcile-unrealized-casts \
// RUN:   | mlir-runner -e main -entry-point-result=void -O1 -shared-libs=%llvm_lib/libmlir_runner_utils.so,%llvm_lib/libmlir_c_runner_utils.so \
// RUN:   | FileCheck %s
// RUN: cat %s %S/Inputs/reference.mlir | nnhal-opt --nnhal-set-target=parameters=vector-bits=256,vector-registers=16 --convert-nnk-to-vector \
// RUN:   | sed -e 's/ attributes {nnhal.target = .*>}//' -e 's/, mapping = \[#nnk.piece\]//' | mlir-opt --expand-strided-metadata --lower-affine --convert-scf-to-cf --convert-vector-to-llvm --convert-math-to-llvm \
// RUN:     --convert-arith-to-llvm --convert-index-to-llvm --finalize-memref-to-llvm --convert-func-to-llvm --convert-cf-to-llvm --reconcile-unrealized-casts \
// RUN:   | mlir-runner -e main -entry-point-result=void -O1 -shared-libs=%llvm_lib/libmlir_runner_utils.so,%llvm_lib/libmlir_c_runner_utils.so \
// RUN:   | FileCheck %s
// RUN: cat %s %S/Inputs/reference.mlir | nnhal-opt --nnhal-set-target=parameters=vector-bits=512,vector-registers=32 --convert-nnk-to-vector \
// RUN:   | sed -e 's/ attributes {nnhal.target = .*>}//' -e 's/, mapping = \[#nnk.piece\]//' | mlir-opt --expand-strided-metadata --lower-affine --convert-scf-to-cf --convert-vector-to-llvm --convert-math-to-llvm \
// RUN:     --convert-arith-to-llvm --convert-index-to-llvm --finalize-memref-to-llvm --convert-func-to-llvm --convert-cf-to-llvm --reconcile-unrealized-casts \
// RUN:   | mlir-runner -e main -entry-point-result=void -O1 -shared-libs=%llvm_lib/libmlir_runner_utils.so,%llvm_lib/libmlir_c_runner_utils.so \
// RUN:   | FileCheck %s

// One line per case, in the order of @main.
// CHECK: {{^0$}}
// CHECK-NEXT: {{^0$}}
// CHECK-NEXT: {{^0$}}
// CHECK-NEXT: {{^0$}}
// CHECK-NEXT: {{^0$}}
// CHECK-NEXT: {{^0$}}
// CHECK-NEXT: {{^0$}}
// CHECK-NEXT: {{^0$}}

// Padding on all sides, 21 channels in panels of 16.
func.func @conv_padded_tail() {
  %k0 = arith.constant 0 : index
  %k1 = arith.constant 1 : index
  %k2 = arith.constant 2 : index
  %k3 = arith.constant 3 : index
  %in_flat = memref.alloc() : memref<450xf32>
  %in_d = memref.cast %in_flat : memref<450xf32> to memref<?xf32>
  call @fill(%in_d, %k1) : (memref<?xf32>, index) -> ()
  %filter_flat = memref.alloc() : memref<1440xf32>
  %filter_d = memref.cast %filter_flat : memref<1440xf32> to memref<?xf32>
  call @fill(%filter_d, %k2) : (memref<?xf32>, index) -> ()
  %bias_flat = memref.alloc() : memref<32xf32>
  %bias_d = memref.cast %bias_flat : memref<32xf32> to memref<?xf32>
  call @fill(%bias_d, %k3) : (memref<?xf32>, index) -> ()
  %out = memref.alloc() : memref<2x5x9x21xf32>
  %expected = memref.alloc() : memref<2x5x9x21xf32>
  %in = memref.expand_shape %in_flat [[0, 1, 2, 3]] output_shape [2, 5, 9, 5] : memref<450xf32> into memref<2x5x9x5xf32>
  %filter = memref.expand_shape %filter_flat [[0, 1, 2, 3, 4]] output_shape [2, 3, 3, 5, 16] : memref<1440xf32> into memref<2x3x3x5x16xf32>
  %bias = memref.expand_shape %bias_flat [[0, 1]] output_shape [2, 16] : memref<32xf32> into memref<2x16xf32>
  nnk.conv_2d ins(%in, %filter, %bias : memref<2x5x9x5xf32>, memref<2x3x3x5x16xf32>, memref<2x16xf32>) outs(%out : memref<2x5x9x21xf32>) strides [1, 1] dilations [1, 1] pads [1, 1, 1, 1]
  %in_dyn = memref.cast %in : memref<2x5x9x5xf32> to memref<?x?x?x?xf32>
  %filter_dyn = memref.cast %filter : memref<2x3x3x5x16xf32> to memref<?x?x?x?x?xf32>
  %expected_dyn = memref.cast %expected : memref<2x5x9x21xf32> to memref<?x?x?x?xf32>
  call @reference(%in_dyn, %filter_dyn, %bias_d, %expected_dyn, %k0, %k1, %k1, %k1, %k1, %k1, %k1)
      : (memref<?x?x?x?xf32>, memref<?x?x?x?x?xf32>, memref<?xf32>, memref<?x?x?x?xf32>, index, index, index, index, index, index, index) -> ()
  %out_flat = memref.collapse_shape %out [[0, 1, 2, 3]] : memref<2x5x9x21xf32> into memref<1890xf32>
  %out_any = memref.cast %out_flat : memref<1890xf32> to memref<?xf32>
  %expected_flat = memref.collapse_shape %expected [[0, 1, 2, 3]] : memref<2x5x9x21xf32> into memref<1890xf32>
  %expected_any = memref.cast %expected_flat : memref<1890xf32> to memref<?xf32>
  call @count_differences(%out_any, %expected_any) : (memref<?xf32>, memref<?xf32>) -> ()
  return
}

// A first layer: 3 channels, stride 2, padding only at the end.
func.func @conv_stride_2() {
  %k0 = arith.constant 0 : index
  %k1 = arith.constant 1 : index
  %k2 = arith.constant 2 : index
  %k3 = arith.constant 3 : index
  %in_flat = memref.alloc() : memref<420xf32>
  %in_d = memref.cast %in_flat : memref<420xf32> to memref<?xf32>
  call @fill(%in_d, %k1) : (memref<?xf32>, index) -> ()
  %filter_flat = memref.alloc() : memref<864xf32>
  %filter_d = memref.cast %filter_flat : memref<864xf32> to memref<?xf32>
  call @fill(%filter_d, %k2) : (memref<?xf32>, index) -> ()
  %bias_flat = memref.alloc() : memref<32xf32>
  %bias_d = memref.cast %bias_flat : memref<32xf32> to memref<?xf32>
  call @fill(%bias_d, %k3) : (memref<?xf32>, index) -> ()
  %out = memref.alloc() : memref<1x5x7x32xf32>
  %expected = memref.alloc() : memref<1x5x7x32xf32>
  %in = memref.expand_shape %in_flat [[0, 1, 2, 3]] output_shape [1, 10, 14, 3] : memref<420xf32> into memref<1x10x14x3xf32>
  %filter = memref.expand_shape %filter_flat [[0, 1, 2, 3, 4]] output_shape [2, 3, 3, 3, 16] : memref<864xf32> into memref<2x3x3x3x16xf32>
  %bias = memref.expand_shape %bias_flat [[0, 1]] output_shape [2, 16] : memref<32xf32> into memref<2x16xf32>
  nnk.conv_2d ins(%in, %filter, %bias : memref<1x10x14x3xf32>, memref<2x3x3x3x16xf32>, memref<2x16xf32>) outs(%out : memref<1x5x7x32xf32>) strides [2, 2] dilations [1, 1] pads [0, 1, 0, 1]
  %in_dyn = memref.cast %in : memref<1x10x14x3xf32> to memref<?x?x?x?xf32>
  %filter_dyn = memref.cast %filter : memref<2x3x3x3x16xf32> to memref<?x?x?x?x?xf32>
  %expected_dyn = memref.cast %expected : memref<1x5x7x32xf32> to memref<?x?x?x?xf32>
  call @reference(%in_dyn, %filter_dyn, %bias_d, %expected_dyn, %k0, %k2, %k2, %k1, %k1, %k0, %k0)
      : (memref<?x?x?x?xf32>, memref<?x?x?x?x?xf32>, memref<?xf32>, memref<?x?x?x?xf32>, index, index, index, index, index, index, index) -> ()
  %out_flat = memref.collapse_shape %out [[0, 1, 2, 3]] : memref<1x5x7x32xf32> into memref<1120xf32>
  %out_any = memref.cast %out_flat : memref<1120xf32> to memref<?xf32>
  %expected_flat = memref.collapse_shape %expected [[0, 1, 2, 3]] : memref<1x5x7x32xf32> into memref<1120xf32>
  %expected_any = memref.cast %expected_flat : memref<1120xf32> to memref<?xf32>
  call @count_differences(%out_any, %expected_any) : (memref<?xf32>, memref<?xf32>) -> ()
  return
}

// Dilation larger than the border tiles.
func.func @conv_dilated() {
  %k0 = arith.constant 0 : index
  %k1 = arith.constant 1 : index
  %k2 = arith.constant 2 : index
  %k3 = arith.constant 3 : index
  %in_flat = memref.alloc() : memref<252xf32>
  %in_d = memref.cast %in_flat : memref<252xf32> to memref<?xf32>
  call @fill(%in_d, %k1) : (memref<?xf32>, index) -> ()
  %filter_flat = memref.alloc() : memref<288xf32>
  %filter_d = memref.cast %filter_flat : memref<288xf32> to memref<?xf32>
  call @fill(%filter_d, %k2) : (memref<?xf32>, index) -> ()
  %bias_flat = memref.alloc() : memref<8xf32>
  %bias_d = memref.cast %bias_flat : memref<8xf32> to memref<?xf32>
  call @fill(%bias_d, %k3) : (memref<?xf32>, index) -> ()
  %out = memref.alloc() : memref<1x7x9x8xf32>
  %expected = memref.alloc() : memref<1x7x9x8xf32>
  %in = memref.expand_shape %in_flat [[0, 1, 2, 3]] output_shape [1, 7, 9, 4] : memref<252xf32> into memref<1x7x9x4xf32>
  %filter = memref.expand_shape %filter_flat [[0, 1, 2, 3, 4]] output_shape [1, 3, 3, 4, 8] : memref<288xf32> into memref<1x3x3x4x8xf32>
  %bias = memref.expand_shape %bias_flat [[0, 1]] output_shape [1, 8] : memref<8xf32> into memref<1x8xf32>
  nnk.conv_2d ins(%in, %filter, %bias : memref<1x7x9x4xf32>, memref<1x3x3x4x8xf32>, memref<1x8xf32>) outs(%out : memref<1x7x9x8xf32>) strides [1, 1] dilations [2, 2] pads [2, 2, 2, 2]
  %in_dyn = memref.cast %in : memref<1x7x9x4xf32> to memref<?x?x?x?xf32>
  %filter_dyn = memref.cast %filter : memref<1x3x3x4x8xf32> to memref<?x?x?x?x?xf32>
  %expected_dyn = memref.cast %expected : memref<1x7x9x8xf32> to memref<?x?x?x?xf32>
  call @reference(%in_dyn, %filter_dyn, %bias_d, %expected_dyn, %k0, %k1, %k1, %k2, %k2, %k2, %k2)
      : (memref<?x?x?x?xf32>, memref<?x?x?x?x?xf32>, memref<?xf32>, memref<?x?x?x?xf32>, index, index, index, index, index, index, index) -> ()
  %out_flat = memref.collapse_shape %out [[0, 1, 2, 3]] : memref<1x7x9x8xf32> into memref<504xf32>
  %out_any = memref.cast %out_flat : memref<504xf32> to memref<?xf32>
  %expected_flat = memref.collapse_shape %expected [[0, 1, 2, 3]] : memref<1x7x9x8xf32> into memref<504xf32>
  %expected_any = memref.cast %expected_flat : memref<504xf32> to memref<?xf32>
  call @count_differences(%out_any, %expected_any) : (memref<?xf32>, memref<?xf32>) -> ()
  return
}

// A dilated window of which at most the centre is inside.
func.func @conv_all_padding() {
  %k0 = arith.constant 0 : index
  %k1 = arith.constant 1 : index
  %k2 = arith.constant 2 : index
  %k3 = arith.constant 3 : index
  %k4 = arith.constant 4 : index
  %in_flat = memref.alloc() : memref<36xf32>
  %in_d = memref.cast %in_flat : memref<36xf32> to memref<?xf32>
  call @fill(%in_d, %k1) : (memref<?xf32>, index) -> ()
  %filter_flat = memref.alloc() : memref<864xf32>
  %filter_d = memref.cast %filter_flat : memref<864xf32> to memref<?xf32>
  call @fill(%filter_d, %k2) : (memref<?xf32>, index) -> ()
  %bias_flat = memref.alloc() : memref<24xf32>
  %bias_d = memref.cast %bias_flat : memref<24xf32> to memref<?xf32>
  call @fill(%bias_d, %k3) : (memref<?xf32>, index) -> ()
  %out = memref.alloc() : memref<1x3x3x12xf32>
  %expected = memref.alloc() : memref<1x3x3x12xf32>
  %in = memref.expand_shape %in_flat [[0, 1, 2, 3]] output_shape [1, 3, 3, 4] : memref<36xf32> into memref<1x3x3x4xf32>
  %filter = memref.expand_shape %filter_flat [[0, 1, 2, 3, 4]] output_shape [1, 3, 3, 4, 24] : memref<864xf32> into memref<1x3x3x4x24xf32>
  %bias = memref.expand_shape %bias_flat [[0, 1]] output_shape [1, 24] : memref<24xf32> into memref<1x24xf32>
  nnk.conv_2d ins(%in, %filter, %bias : memref<1x3x3x4xf32>, memref<1x3x3x4x24xf32>, memref<1x24xf32>) outs(%out : memref<1x3x3x12xf32>) strides [1, 1] dilations [4, 4] pads [4, 4, 4, 4]
  %in_dyn = memref.cast %in : memref<1x3x3x4xf32> to memref<?x?x?x?xf32>
  %filter_dyn = memref.cast %filter : memref<1x3x3x4x24xf32> to memref<?x?x?x?x?xf32>
  %expected_dyn = memref.cast %expected : memref<1x3x3x12xf32> to memref<?x?x?x?xf32>
  call @reference(%in_dyn, %filter_dyn, %bias_d, %expected_dyn, %k0, %k1, %k1, %k4, %k4, %k4, %k4)
      : (memref<?x?x?x?xf32>, memref<?x?x?x?x?xf32>, memref<?xf32>, memref<?x?x?x?xf32>, index, index, index, index, index, index, index) -> ()
  %out_flat = memref.collapse_shape %out [[0, 1, 2, 3]] : memref<1x3x3x12xf32> into memref<108xf32>
  %out_any = memref.cast %out_flat : memref<108xf32> to memref<?xf32>
  %expected_flat = memref.collapse_shape %expected [[0, 1, 2, 3]] : memref<1x3x3x12xf32> into memref<108xf32>
  %expected_any = memref.cast %expected_flat : memref<108xf32> to memref<?xf32>
  call @count_differences(%out_any, %expected_any) : (memref<?xf32>, memref<?xf32>) -> ()
  return
}

// One input channel, a tall filter.
func.func @conv_one_channel() {
  %k0 = arith.constant 0 : index
  %k1 = arith.constant 1 : index
  %k2 = arith.constant 2 : index
  %k3 = arith.constant 3 : index
  %in_flat = memref.alloc() : memref<78xf32>
  %in_d = memref.cast %in_flat : memref<78xf32> to memref<?xf32>
  call @fill(%in_d, %k1) : (memref<?xf32>, index) -> ()
  %filter_flat = memref.alloc() : memref<200xf32>
  %filter_d = memref.cast %filter_flat : memref<200xf32> to memref<?xf32>
  call @fill(%filter_d, %k2) : (memref<?xf32>, index) -> ()
  %bias_flat = memref.alloc() : memref<20xf32>
  %bias_d = memref.cast %bias_flat : memref<20xf32> to memref<?xf32>
  call @fill(%bias_d, %k3) : (memref<?xf32>, index) -> ()
  %out = memref.alloc() : memref<1x7x6x20xf32>
  %expected = memref.alloc() : memref<1x7x6x20xf32>
  %in = memref.expand_shape %in_flat [[0, 1, 2, 3]] output_shape [1, 13, 6, 1] : memref<78xf32> into memref<1x13x6x1xf32>
  %filter = memref.expand_shape %filter_flat [[0, 1, 2, 3, 4]] output_shape [5, 5, 2, 1, 4] : memref<200xf32> into memref<5x5x2x1x4xf32>
  %bias = memref.expand_shape %bias_flat [[0, 1]] output_shape [5, 4] : memref<20xf32> into memref<5x4xf32>
  nnk.conv_2d ins(%in, %filter, %bias : memref<1x13x6x1xf32>, memref<5x5x2x1x4xf32>, memref<5x4xf32>) outs(%out : memref<1x7x6x20xf32>) strides [2, 1] dilations [1, 1] pads [2, 2, 0, 1]
  %in_dyn = memref.cast %in : memref<1x13x6x1xf32> to memref<?x?x?x?xf32>
  %filter_dyn = memref.cast %filter : memref<5x5x2x1x4xf32> to memref<?x?x?x?x?xf32>
  %expected_dyn = memref.cast %expected : memref<1x7x6x20xf32> to memref<?x?x?x?xf32>
  call @reference(%in_dyn, %filter_dyn, %bias_d, %expected_dyn, %k0, %k2, %k1, %k1, %k1, %k2, %k0)
      : (memref<?x?x?x?xf32>, memref<?x?x?x?x?xf32>, memref<?xf32>, memref<?x?x?x?xf32>, index, index, index, index, index, index, index) -> ()
  %out_flat = memref.collapse_shape %out [[0, 1, 2, 3]] : memref<1x7x6x20xf32> into memref<840xf32>
  %out_any = memref.cast %out_flat : memref<840xf32> to memref<?xf32>
  %expected_flat = memref.collapse_shape %expected [[0, 1, 2, 3]] : memref<1x7x6x20xf32> into memref<840xf32>
  %expected_any = memref.cast %expected_flat : memref<840xf32> to memref<?xf32>
  call @count_differences(%out_any, %expected_any) : (memref<?xf32>, memref<?xf32>) -> ()
  return
}

// A matrix product over 35 pixels.
func.func @pointwise() {
  %k0 = arith.constant 0 : index
  %k1 = arith.constant 1 : index
  %k2 = arith.constant 2 : index
  %k3 = arith.constant 3 : index
  %in_flat = memref.alloc() : memref<455xf32>
  %in_d = memref.cast %in_flat : memref<455xf32> to memref<?xf32>
  call @fill(%in_d, %k1) : (memref<?xf32>, index) -> ()
  %filter_flat = memref.alloc() : memref<624xf32>
  %filter_d = memref.cast %filter_flat : memref<624xf32> to memref<?xf32>
  call @fill(%filter_d, %k2) : (memref<?xf32>, index) -> ()
  %bias_flat = memref.alloc() : memref<48xf32>
  %bias_d = memref.cast %bias_flat : memref<48xf32> to memref<?xf32>
  call @fill(%bias_d, %k3) : (memref<?xf32>, index) -> ()
  %out = memref.alloc() : memref<1x5x7x48xf32>
  %expected = memref.alloc() : memref<1x5x7x48xf32>
  %in = memref.expand_shape %in_flat [[0, 1, 2, 3]] output_shape [1, 5, 7, 13] : memref<455xf32> into memref<1x5x7x13xf32>
  %filter = memref.expand_shape %filter_flat [[0, 1, 2, 3, 4]] output_shape [3, 1, 1, 13, 16] : memref<624xf32> into memref<3x1x1x13x16xf32>
  %bias = memref.expand_shape %bias_flat [[0, 1]] output_shape [3, 16] : memref<48xf32> into memref<3x16xf32>
  nnk.conv_2d ins(%in, %filter, %bias : memref<1x5x7x13xf32>, memref<3x1x1x13x16xf32>, memref<3x16xf32>) outs(%out : memref<1x5x7x48xf32>) strides [1, 1] dilations [1, 1] pads [0, 0, 0, 0]
  %in_dyn = memref.cast %in : memref<1x5x7x13xf32> to memref<?x?x?x?xf32>
  %filter_dyn = memref.cast %filter : memref<3x1x1x13x16xf32> to memref<?x?x?x?x?xf32>
  %expected_dyn = memref.cast %expected : memref<1x5x7x48xf32> to memref<?x?x?x?xf32>
  call @reference(%in_dyn, %filter_dyn, %bias_d, %expected_dyn, %k0, %k1, %k1, %k1, %k1, %k0, %k0)
      : (memref<?x?x?x?xf32>, memref<?x?x?x?x?xf32>, memref<?xf32>, memref<?x?x?x?xf32>, index, index, index, index, index, index, index) -> ()
  %out_flat = memref.collapse_shape %out [[0, 1, 2, 3]] : memref<1x5x7x48xf32> into memref<1680xf32>
  %out_any = memref.cast %out_flat : memref<1680xf32> to memref<?xf32>
  %expected_flat = memref.collapse_shape %expected [[0, 1, 2, 3]] : memref<1x5x7x48xf32> into memref<1680xf32>
  %expected_any = memref.cast %expected_flat : memref<1680xf32> to memref<?xf32>
  call @count_differences(%out_any, %expected_any) : (memref<?xf32>, memref<?xf32>) -> ()
  return
}

// A pointwise filter that skips pixels.
func.func @pointwise_stride_2() {
  %k0 = arith.constant 0 : index
  %k1 = arith.constant 1 : index
  %k2 = arith.constant 2 : index
  %k3 = arith.constant 3 : index
  %in_flat = memref.alloc() : memref<455xf32>
  %in_d = memref.cast %in_flat : memref<455xf32> to memref<?xf32>
  call @fill(%in_d, %k1) : (memref<?xf32>, index) -> ()
  %filter_flat = memref.alloc() : memref<208xf32>
  %filter_d = memref.cast %filter_flat : memref<208xf32> to memref<?xf32>
  call @fill(%filter_d, %k2) : (memref<?xf32>, index) -> ()
  %bias_flat = memref.alloc() : memref<16xf32>
  %bias_d = memref.cast %bias_flat : memref<16xf32> to memref<?xf32>
  call @fill(%bias_d, %k3) : (memref<?xf32>, index) -> ()
  %out = memref.alloc() : memref<1x3x4x16xf32>
  %expected = memref.alloc() : memref<1x3x4x16xf32>
  %in = memref.expand_shape %in_flat [[0, 1, 2, 3]] output_shape [1, 5, 7, 13] : memref<455xf32> into memref<1x5x7x13xf32>
  %filter = memref.expand_shape %filter_flat [[0, 1, 2, 3, 4]] output_shape [1, 1, 1, 13, 16] : memref<208xf32> into memref<1x1x1x13x16xf32>
  %bias = memref.expand_shape %bias_flat [[0, 1]] output_shape [1, 16] : memref<16xf32> into memref<1x16xf32>
  nnk.conv_2d ins(%in, %filter, %bias : memref<1x5x7x13xf32>, memref<1x1x1x13x16xf32>, memref<1x16xf32>) outs(%out : memref<1x3x4x16xf32>) strides [2, 2] dilations [1, 1] pads [0, 0, 0, 0]
  %in_dyn = memref.cast %in : memref<1x5x7x13xf32> to memref<?x?x?x?xf32>
  %filter_dyn = memref.cast %filter : memref<1x1x1x13x16xf32> to memref<?x?x?x?x?xf32>
  %expected_dyn = memref.cast %expected : memref<1x3x4x16xf32> to memref<?x?x?x?xf32>
  call @reference(%in_dyn, %filter_dyn, %bias_d, %expected_dyn, %k0, %k2, %k2, %k1, %k1, %k0, %k0)
      : (memref<?x?x?x?xf32>, memref<?x?x?x?x?xf32>, memref<?xf32>, memref<?x?x?x?xf32>, index, index, index, index, index, index, index) -> ()
  %out_flat = memref.collapse_shape %out [[0, 1, 2, 3]] : memref<1x3x4x16xf32> into memref<192xf32>
  %out_any = memref.cast %out_flat : memref<192xf32> to memref<?xf32>
  %expected_flat = memref.collapse_shape %expected [[0, 1, 2, 3]] : memref<1x3x4x16xf32> into memref<192xf32>
  %expected_any = memref.cast %expected_flat : memref<192xf32> to memref<?xf32>
  call @count_differences(%out_any, %expected_any) : (memref<?xf32>, memref<?xf32>) -> ()
  return
}

// One row: several panels at once, the last with 3 channels.
func.func @fully_connected() {
  %k0 = arith.constant 0 : index
  %k1 = arith.constant 1 : index
  %k2 = arith.constant 2 : index
  %k3 = arith.constant 3 : index
  %in_flat = memref.alloc() : memref<33xf32>
  %in_d = memref.cast %in_flat : memref<33xf32> to memref<?xf32>
  call @fill(%in_d, %k1) : (memref<?xf32>, index) -> ()
  %filter_flat = memref.alloc() : memref<3168xf32>
  %filter_d = memref.cast %filter_flat : memref<3168xf32> to memref<?xf32>
  call @fill(%filter_d, %k2) : (memref<?xf32>, index) -> ()
  %bias_flat = memref.alloc() : memref<96xf32>
  %bias_d = memref.cast %bias_flat : memref<96xf32> to memref<?xf32>
  call @fill(%bias_d, %k3) : (memref<?xf32>, index) -> ()
  %out = memref.alloc() : memref<1x1x1x83xf32>
  %expected = memref.alloc() : memref<1x1x1x83xf32>
  %in = memref.expand_shape %in_flat [[0, 1, 2, 3]] output_shape [1, 1, 1, 33] : memref<33xf32> into memref<1x1x1x33xf32>
  %filter = memref.expand_shape %filter_flat [[0, 1, 2, 3, 4]] output_shape [6, 1, 1, 33, 16] : memref<3168xf32> into memref<6x1x1x33x16xf32>
  %bias = memref.expand_shape %bias_flat [[0, 1]] output_shape [6, 16] : memref<96xf32> into memref<6x16xf32>
  nnk.conv_2d ins(%in, %filter, %bias : memref<1x1x1x33xf32>, memref<6x1x1x33x16xf32>, memref<6x16xf32>) outs(%out : memref<1x1x1x83xf32>) strides [1, 1] dilations [1, 1] pads [0, 0, 0, 0]
  %in_dyn = memref.cast %in : memref<1x1x1x33xf32> to memref<?x?x?x?xf32>
  %filter_dyn = memref.cast %filter : memref<6x1x1x33x16xf32> to memref<?x?x?x?x?xf32>
  %expected_dyn = memref.cast %expected : memref<1x1x1x83xf32> to memref<?x?x?x?xf32>
  call @reference(%in_dyn, %filter_dyn, %bias_d, %expected_dyn, %k0, %k1, %k1, %k1, %k1, %k0, %k0)
      : (memref<?x?x?x?xf32>, memref<?x?x?x?x?xf32>, memref<?xf32>, memref<?x?x?x?xf32>, index, index, index, index, index, index, index) -> ()
  %out_flat = memref.collapse_shape %out [[0, 1, 2, 3]] : memref<1x1x1x83xf32> into memref<83xf32>
  %out_any = memref.cast %out_flat : memref<83xf32> to memref<?xf32>
  %expected_flat = memref.collapse_shape %expected [[0, 1, 2, 3]] : memref<1x1x1x83xf32> into memref<83xf32>
  %expected_any = memref.cast %expected_flat : memref<83xf32> to memref<?xf32>
  call @count_differences(%out_any, %expected_any) : (memref<?xf32>, memref<?xf32>) -> ()
  return
}

func.func @main() {
  call @conv_padded_tail() : () -> ()
  call @conv_stride_2() : () -> ()
  call @conv_dilated() : () -> ()
  call @conv_all_padding() : () -> ()
  call @conv_one_channel() : () -> ()
  call @pointwise() : () -> ()
  call @pointwise_stride_2() : () -> ()
  call @fully_connected() : () -> ()
  return
}
