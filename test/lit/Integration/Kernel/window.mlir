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

// 21 channels: the last vector overlaps its neighbour.
func.func @depthwise() {
  %k1 = arith.constant 1 : index
  %k2 = arith.constant 2 : index
  %k3 = arith.constant 3 : index
  %in_flat = memref.alloc() : memref<1638xf32>
  %in_d = memref.cast %in_flat : memref<1638xf32> to memref<?xf32>
  call @fill(%in_d, %k1) : (memref<?xf32>, index) -> ()
  %filter_flat = memref.alloc() : memref<189xf32>
  %filter_d = memref.cast %filter_flat : memref<189xf32> to memref<?xf32>
  call @fill(%filter_d, %k2) : (memref<?xf32>, index) -> ()
  %bias_flat = memref.alloc() : memref<21xf32>
  %bias_d = memref.cast %bias_flat : memref<21xf32> to memref<?xf32>
  call @fill(%bias_d, %k3) : (memref<?xf32>, index) -> ()
  %out = memref.alloc() : memref<1x6x13x21xf32>
  %expected = memref.alloc() : memref<1x6x13x21xf32>
  %in = memref.expand_shape %in_flat [[0, 1, 2, 3]] output_shape [1, 6, 13, 21] : memref<1638xf32> into memref<1x6x13x21xf32>
  %filter = memref.expand_shape %filter_flat [[0, 1, 2, 3, 4]] output_shape [1, 3, 3, 1, 21] : memref<189xf32> into memref<1x3x3x1x21xf32>
  %filter3 = memref.expand_shape %filter_flat [[0, 1, 2]] output_shape [3, 3, 21] : memref<189xf32> into memref<3x3x21xf32>
  nnk.depthwise_conv_2d ins(%in, %filter3, %bias_flat : memref<1x6x13x21xf32>, memref<3x3x21xf32>, memref<21xf32>) outs(%out : memref<1x6x13x21xf32>) strides [1, 1] dilations [1, 1] pads [1, 1, 1, 1] depth_multiplier 1
  %in_dyn = memref.cast %in : memref<1x6x13x21xf32> to memref<?x?x?x?xf32>
  %filter_dyn = memref.cast %filter : memref<1x3x3x1x21xf32> to memref<?x?x?x?x?xf32>
  %expected_dyn = memref.cast %expected : memref<1x6x13x21xf32> to memref<?x?x?x?xf32>
  call @reference(%in_dyn, %filter_dyn, %bias_d, %expected_dyn, %k1, %k1, %k1, %k1, %k1, %k1, %k1)
      : (memref<?x?x?x?xf32>, memref<?x?x?x?x?xf32>, memref<?xf32>, memref<?x?x?x?xf32>, index, index, index, index, index, index, index) -> ()
  %out_flat = memref.collapse_shape %out [[0, 1, 2, 3]] : memref<1x6x13x21xf32> into memref<1638xf32>
  %out_any = memref.cast %out_flat : memref<1638xf32> to memref<?xf32>
  %expected_flat = memref.collapse_shape %expected [[0, 1, 2, 3]] : memref<1x6x13x21xf32> into memref<1638xf32>
  %expected_any = memref.cast %expected_flat : memref<1638xf32> to memref<?xf32>
  call @count_differences(%out_any, %expected_any) : (memref<?xf32>, memref<?xf32>) -> ()
  return
}

// Three channels: masked vectors.
func.func @depthwise_stride_2() {
  %k1 = arith.constant 1 : index
  %k2 = arith.constant 2 : index
  %k3 = arith.constant 3 : index
  %in_flat = memref.alloc() : memref<324xf32>
  %in_d = memref.cast %in_flat : memref<324xf32> to memref<?xf32>
  call @fill(%in_d, %k1) : (memref<?xf32>, index) -> ()
  %filter_flat = memref.alloc() : memref<75xf32>
  %filter_d = memref.cast %filter_flat : memref<75xf32> to memref<?xf32>
  call @fill(%filter_d, %k2) : (memref<?xf32>, index) -> ()
  %bias_flat = memref.alloc() : memref<3xf32>
  %bias_d = memref.cast %bias_flat : memref<3xf32> to memref<?xf32>
  call @fill(%bias_d, %k3) : (memref<?xf32>, index) -> ()
  %out = memref.alloc() : memref<1x4x6x3xf32>
  %expected = memref.alloc() : memref<1x4x6x3xf32>
  %in = memref.expand_shape %in_flat [[0, 1, 2, 3]] output_shape [1, 9, 12, 3] : memref<324xf32> into memref<1x9x12x3xf32>
  %filter = memref.expand_shape %filter_flat [[0, 1, 2, 3, 4]] output_shape [1, 5, 5, 1, 3] : memref<75xf32> into memref<1x5x5x1x3xf32>
  %filter3 = memref.expand_shape %filter_flat [[0, 1, 2]] output_shape [5, 5, 3] : memref<75xf32> into memref<5x5x3xf32>
  nnk.depthwise_conv_2d ins(%in, %filter3, %bias_flat : memref<1x9x12x3xf32>, memref<5x5x3xf32>, memref<3xf32>) outs(%out : memref<1x4x6x3xf32>) strides [2, 2] dilations [1, 1] pads [1, 2, 1, 2] depth_multiplier 1
  %in_dyn = memref.cast %in : memref<1x9x12x3xf32> to memref<?x?x?x?xf32>
  %filter_dyn = memref.cast %filter : memref<1x5x5x1x3xf32> to memref<?x?x?x?x?xf32>
  %expected_dyn = memref.cast %expected : memref<1x4x6x3xf32> to memref<?x?x?x?xf32>
  call @reference(%in_dyn, %filter_dyn, %bias_d, %expected_dyn, %k1, %k2, %k2, %k1, %k1, %k1, %k1)
      : (memref<?x?x?x?xf32>, memref<?x?x?x?x?xf32>, memref<?xf32>, memref<?x?x?x?xf32>, index, index, index, index, index, index, index) -> ()
  %out_flat = memref.collapse_shape %out [[0, 1, 2, 3]] : memref<1x4x6x3xf32> into memref<72xf32>
  %out_any = memref.cast %out_flat : memref<72xf32> to memref<?xf32>
  %expected_flat = memref.collapse_shape %expected [[0, 1, 2, 3]] : memref<1x4x6x3xf32> into memref<72xf32>
  %expected_any = memref.cast %expected_flat : memref<72xf32> to memref<?xf32>
  call @count_differences(%out_any, %expected_any) : (memref<?xf32>, memref<?xf32>) -> ()
  return
}

// Two outputs per channel.
func.func @depthwise_multiplier_2() {
  %k1 = arith.constant 1 : index
  %k2 = arith.constant 2 : index
  %k3 = arith.constant 3 : index
  %in_flat = memref.alloc() : memref<150xf32>
  %in_d = memref.cast %in_flat : memref<150xf32> to memref<?xf32>
  call @fill(%in_d, %k1) : (memref<?xf32>, index) -> ()
  %filter_flat = memref.alloc() : memref<90xf32>
  %filter_d = memref.cast %filter_flat : memref<90xf32> to memref<?xf32>
  call @fill(%filter_d, %k2) : (memref<?xf32>, index) -> ()
  %bias_flat = memref.alloc() : memref<10xf32>
  %bias_d = memref.cast %bias_flat : memref<10xf32> to memref<?xf32>
  call @fill(%bias_d, %k3) : (memref<?xf32>, index) -> ()
  %out = memref.alloc() : memref<1x5x6x10xf32>
  %expected = memref.alloc() : memref<1x5x6x10xf32>
  %in = memref.expand_shape %in_flat [[0, 1, 2, 3]] output_shape [1, 5, 6, 5] : memref<150xf32> into memref<1x5x6x5xf32>
  %filter = memref.expand_shape %filter_flat [[0, 1, 2, 3, 4]] output_shape [1, 3, 3, 1, 10] : memref<90xf32> into memref<1x3x3x1x10xf32>
  %filter3 = memref.expand_shape %filter_flat [[0, 1, 2]] output_shape [3, 3, 10] : memref<90xf32> into memref<3x3x10xf32>
  nnk.depthwise_conv_2d ins(%in, %filter3, %bias_flat : memref<1x5x6x5xf32>, memref<3x3x10xf32>, memref<10xf32>) outs(%out : memref<1x5x6x10xf32>) strides [1, 1] dilations [1, 1] pads [1, 1, 1, 1] depth_multiplier 2
  %in_dyn = memref.cast %in : memref<1x5x6x5xf32> to memref<?x?x?x?xf32>
  %filter_dyn = memref.cast %filter : memref<1x3x3x1x10xf32> to memref<?x?x?x?x?xf32>
  %expected_dyn = memref.cast %expected : memref<1x5x6x10xf32> to memref<?x?x?x?xf32>
  call @reference(%in_dyn, %filter_dyn, %bias_d, %expected_dyn, %k1, %k1, %k1, %k1, %k1, %k1, %k1)
      : (memref<?x?x?x?xf32>, memref<?x?x?x?x?xf32>, memref<?xf32>, memref<?x?x?x?xf32>, index, index, index, index, index, index, index) -> ()
  %out_flat = memref.collapse_shape %out [[0, 1, 2, 3]] : memref<1x5x6x10xf32> into memref<300xf32>
  %out_any = memref.cast %out_flat : memref<300xf32> to memref<?xf32>
  %expected_flat = memref.collapse_shape %expected [[0, 1, 2, 3]] : memref<1x5x6x10xf32> into memref<300xf32>
  %expected_any = memref.cast %expected_flat : memref<300xf32> to memref<?xf32>
  call @count_differences(%out_any, %expected_any) : (memref<?xf32>, memref<?xf32>) -> ()
  return
}

// One channel, more outputs than lanes.
func.func @depthwise_multiplier_19() {
  %k1 = arith.constant 1 : index
  %k2 = arith.constant 2 : index
  %k3 = arith.constant 3 : index
  %in_flat = memref.alloc() : memref<30xf32>
  %in_d = memref.cast %in_flat : memref<30xf32> to memref<?xf32>
  call @fill(%in_d, %k1) : (memref<?xf32>, index) -> ()
  %filter_flat = memref.alloc() : memref<171xf32>
  %filter_d = memref.cast %filter_flat : memref<171xf32> to memref<?xf32>
  call @fill(%filter_d, %k2) : (memref<?xf32>, index) -> ()
  %bias_flat = memref.alloc() : memref<19xf32>
  %bias_d = memref.cast %bias_flat : memref<19xf32> to memref<?xf32>
  call @fill(%bias_d, %k3) : (memref<?xf32>, index) -> ()
  %out = memref.alloc() : memref<1x5x6x19xf32>
  %expected = memref.alloc() : memref<1x5x6x19xf32>
  %in = memref.expand_shape %in_flat [[0, 1, 2, 3]] output_shape [1, 5, 6, 1] : memref<30xf32> into memref<1x5x6x1xf32>
  %filter = memref.expand_shape %filter_flat [[0, 1, 2, 3, 4]] output_shape [1, 3, 3, 1, 19] : memref<171xf32> into memref<1x3x3x1x19xf32>
  %filter3 = memref.expand_shape %filter_flat [[0, 1, 2]] output_shape [3, 3, 19] : memref<171xf32> into memref<3x3x19xf32>
  nnk.depthwise_conv_2d ins(%in, %filter3, %bias_flat : memref<1x5x6x1xf32>, memref<3x3x19xf32>, memref<19xf32>) outs(%out : memref<1x5x6x19xf32>) strides [1, 1] dilations [1, 1] pads [1, 1, 1, 1] depth_multiplier 19
  %in_dyn = memref.cast %in : memref<1x5x6x1xf32> to memref<?x?x?x?xf32>
  %filter_dyn = memref.cast %filter : memref<1x3x3x1x19xf32> to memref<?x?x?x?x?xf32>
  %expected_dyn = memref.cast %expected : memref<1x5x6x19xf32> to memref<?x?x?x?xf32>
  call @reference(%in_dyn, %filter_dyn, %bias_d, %expected_dyn, %k1, %k1, %k1, %k1, %k1, %k1, %k1)
      : (memref<?x?x?x?xf32>, memref<?x?x?x?x?xf32>, memref<?xf32>, memref<?x?x?x?xf32>, index, index, index, index, index, index, index) -> ()
  %out_flat = memref.collapse_shape %out [[0, 1, 2, 3]] : memref<1x5x6x19xf32> into memref<570xf32>
  %out_any = memref.cast %out_flat : memref<570xf32> to memref<?xf32>
  %expected_flat = memref.collapse_shape %expected [[0, 1, 2, 3]] : memref<1x5x6x19xf32> into memref<570xf32>
  %expected_any = memref.cast %expected_flat : memref<570xf32> to memref<?xf32>
  call @count_differences(%out_any, %expected_any) : (memref<?xf32>, memref<?xf32>) -> ()
  return
}

// Padding is not a candidate for the maximum.
func.func @max_pool() {
  %k1 = arith.constant 1 : index
  %k2 = arith.constant 2 : index
  %k3 = arith.constant 3 : index
  %in_flat = memref.alloc() : memref<378xf32>
  %in_d = memref.cast %in_flat : memref<378xf32> to memref<?xf32>
  call @fill(%in_d, %k1) : (memref<?xf32>, index) -> ()
  %filter_flat = memref.alloc() : memref<54xf32>
  %filter_d = memref.cast %filter_flat : memref<54xf32> to memref<?xf32>
  call @fill(%filter_d, %k2) : (memref<?xf32>, index) -> ()
  %bias_flat = memref.alloc() : memref<6xf32>
  %bias_d = memref.cast %bias_flat : memref<6xf32> to memref<?xf32>
  call @fill(%bias_d, %k3) : (memref<?xf32>, index) -> ()
  %out = memref.alloc() : memref<1x4x5x6xf32>
  %expected = memref.alloc() : memref<1x4x5x6xf32>
  %in = memref.expand_shape %in_flat [[0, 1, 2, 3]] output_shape [1, 7, 9, 6] : memref<378xf32> into memref<1x7x9x6xf32>
  %filter = memref.expand_shape %filter_flat [[0, 1, 2, 3, 4]] output_shape [1, 3, 3, 1, 6] : memref<54xf32> into memref<1x3x3x1x6xf32>
  nnk.pool_2d max ins(%in : memref<1x7x9x6xf32>) outs(%out : memref<1x4x5x6xf32>) window [3, 3] strides [2, 2] pads [1, 1, 1, 1]
  %in_dyn = memref.cast %in : memref<1x7x9x6xf32> to memref<?x?x?x?xf32>
  %filter_dyn = memref.cast %filter : memref<1x3x3x1x6xf32> to memref<?x?x?x?x?xf32>
  %expected_dyn = memref.cast %expected : memref<1x4x5x6xf32> to memref<?x?x?x?xf32>
  call @reference(%in_dyn, %filter_dyn, %bias_d, %expected_dyn, %k2, %k2, %k2, %k1, %k1, %k1, %k1)
      : (memref<?x?x?x?xf32>, memref<?x?x?x?x?xf32>, memref<?xf32>, memref<?x?x?x?xf32>, index, index, index, index, index, index, index) -> ()
  %out_flat = memref.collapse_shape %out [[0, 1, 2, 3]] : memref<1x4x5x6xf32> into memref<120xf32>
  %out_any = memref.cast %out_flat : memref<120xf32> to memref<?xf32>
  %expected_flat = memref.collapse_shape %expected [[0, 1, 2, 3]] : memref<1x4x5x6xf32> into memref<120xf32>
  %expected_any = memref.cast %expected_flat : memref<120xf32> to memref<?xf32>
  call @count_differences(%out_any, %expected_any) : (memref<?xf32>, memref<?xf32>) -> ()
  return
}

// Borders divide by fewer elements.
func.func @average_pool() {
  %k1 = arith.constant 1 : index
  %k2 = arith.constant 2 : index
  %k3 = arith.constant 3 : index
  %in_flat = memref.alloc() : memref<480xf32>
  %in_d = memref.cast %in_flat : memref<480xf32> to memref<?xf32>
  call @fill(%in_d, %k1) : (memref<?xf32>, index) -> ()
  %filter_flat = memref.alloc() : memref<144xf32>
  %filter_d = memref.cast %filter_flat : memref<144xf32> to memref<?xf32>
  call @fill(%filter_d, %k2) : (memref<?xf32>, index) -> ()
  %bias_flat = memref.alloc() : memref<16xf32>
  %bias_d = memref.cast %bias_flat : memref<16xf32> to memref<?xf32>
  call @fill(%bias_d, %k3) : (memref<?xf32>, index) -> ()
  %out = memref.alloc() : memref<1x5x6x16xf32>
  %expected = memref.alloc() : memref<1x5x6x16xf32>
  %in = memref.expand_shape %in_flat [[0, 1, 2, 3]] output_shape [1, 5, 6, 16] : memref<480xf32> into memref<1x5x6x16xf32>
  %filter = memref.expand_shape %filter_flat [[0, 1, 2, 3, 4]] output_shape [1, 3, 3, 1, 16] : memref<144xf32> into memref<1x3x3x1x16xf32>
  nnk.pool_2d average ins(%in : memref<1x5x6x16xf32>) outs(%out : memref<1x5x6x16xf32>) window [3, 3] strides [1, 1] pads [1, 1, 1, 1]
  %in_dyn = memref.cast %in : memref<1x5x6x16xf32> to memref<?x?x?x?xf32>
  %filter_dyn = memref.cast %filter : memref<1x3x3x1x16xf32> to memref<?x?x?x?x?xf32>
  %expected_dyn = memref.cast %expected : memref<1x5x6x16xf32> to memref<?x?x?x?xf32>
  call @reference(%in_dyn, %filter_dyn, %bias_d, %expected_dyn, %k3, %k1, %k1, %k1, %k1, %k1, %k1)
      : (memref<?x?x?x?xf32>, memref<?x?x?x?x?xf32>, memref<?xf32>, memref<?x?x?x?xf32>, index, index, index, index, index, index, index) -> ()
  %out_flat = memref.collapse_shape %out [[0, 1, 2, 3]] : memref<1x5x6x16xf32> into memref<480xf32>
  %out_any = memref.cast %out_flat : memref<480xf32> to memref<?xf32>
  %expected_flat = memref.collapse_shape %expected [[0, 1, 2, 3]] : memref<1x5x6x16xf32> into memref<480xf32>
  %expected_any = memref.cast %expected_flat : memref<480xf32> to memref<?xf32>
  call @count_differences(%out_any, %expected_any) : (memref<?xf32>, memref<?xf32>) -> ()
  return
}

// A window too wide to unroll.
func.func @global_average() {
  %k0 = arith.constant 0 : index
  %k1 = arith.constant 1 : index
  %k2 = arith.constant 2 : index
  %k3 = arith.constant 3 : index
  %in_flat = memref.alloc() : memref<2904xf32>
  %in_d = memref.cast %in_flat : memref<2904xf32> to memref<?xf32>
  call @fill(%in_d, %k1) : (memref<?xf32>, index) -> ()
  %filter_flat = memref.alloc() : memref<2904xf32>
  %filter_d = memref.cast %filter_flat : memref<2904xf32> to memref<?xf32>
  call @fill(%filter_d, %k2) : (memref<?xf32>, index) -> ()
  %bias_flat = memref.alloc() : memref<24xf32>
  %bias_d = memref.cast %bias_flat : memref<24xf32> to memref<?xf32>
  call @fill(%bias_d, %k3) : (memref<?xf32>, index) -> ()
  %out = memref.alloc() : memref<1x1x1x24xf32>
  %expected = memref.alloc() : memref<1x1x1x24xf32>
  %in = memref.expand_shape %in_flat [[0, 1, 2, 3]] output_shape [1, 11, 11, 24] : memref<2904xf32> into memref<1x11x11x24xf32>
  %filter = memref.expand_shape %filter_flat [[0, 1, 2, 3, 4]] output_shape [1, 11, 11, 1, 24] : memref<2904xf32> into memref<1x11x11x1x24xf32>
  nnk.pool_2d average ins(%in : memref<1x11x11x24xf32>) outs(%out : memref<1x1x1x24xf32>) window [11, 11] strides [1, 1] pads [0, 0, 0, 0]
  %in_dyn = memref.cast %in : memref<1x11x11x24xf32> to memref<?x?x?x?xf32>
  %filter_dyn = memref.cast %filter : memref<1x11x11x1x24xf32> to memref<?x?x?x?x?xf32>
  %expected_dyn = memref.cast %expected : memref<1x1x1x24xf32> to memref<?x?x?x?xf32>
  call @reference(%in_dyn, %filter_dyn, %bias_d, %expected_dyn, %k3, %k1, %k1, %k1, %k1, %k0, %k0)
      : (memref<?x?x?x?xf32>, memref<?x?x?x?x?xf32>, memref<?xf32>, memref<?x?x?x?xf32>, index, index, index, index, index, index, index) -> ()
  %out_flat = memref.collapse_shape %out [[0, 1, 2, 3]] : memref<1x1x1x24xf32> into memref<24xf32>
  %out_any = memref.cast %out_flat : memref<24xf32> to memref<?xf32>
  %expected_flat = memref.collapse_shape %expected [[0, 1, 2, 3]] : memref<1x1x1x24xf32> into memref<24xf32>
  %expected_any = memref.cast %expected_flat : memref<24xf32> to memref<?xf32>
  call @count_differences(%out_any, %expected_any) : (memref<?xf32>, memref<?xf32>) -> ()
  return
}

func.func @main() {
  call @depthwise() : () -> ()
  call @depthwise_stride_2() : () -> ()
  call @depthwise_multiplier_2() : () -> ()
  call @depthwise_multiplier_19() : () -> ()
  call @max_pool() : () -> ()
  call @average_pool() : () -> ()
  call @global_average() : () -> ()
  return
}
