// RUN: cat %s %S/Inputs/reference.mlir | nnhal-opt --nnhal-set-target=parameters=vector-bits=256,vector-registers=16 --convert-nnk-to-vector \
// RUN:   | sed -e 's/ attributes {nnhal.target = .*>}//' -e 's/, mapping = \[#nnk.piece\]//' | mlir-opt --expand-strided-metadata --lower-affine --convert-scf-to-cf --convert-vector-to-llvm --convert-math-to-llvm \
// RUN:     --convert-arith-to-llvm --convert-index-to-llvm --finalize-memref-to-llvm --convert-func-to-llvm --convert-cf-to-llvm --reconcile-unrealized-casts \
// RUN:   | mlir-runner -e main -entry-point-result=void -O1 -shared-libs=%llvm_lib/libmlir_runner_utils.so,%llvm_lib/libmlir_c_runner_utils.so \
// RUN:   | FileCheck %s

// CHECK: {{^0$}}
// CHECK-NEXT: {{^0$}}
// CHECK-NEXT: {{^0$}}

// Kernels between channels 8 to 20 of 24-channel buffers must compute what they
// compute between dense ones, and leave the other channels alone (the last
// line compares the first eight).
func.func @main() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %wide_flat = memref.alloc() : memref<840xf32>
  %wide_any = memref.cast %wide_flat : memref<840xf32> to memref<?xf32>
  call @fill(%wide_any, %c1) : (memref<?xf32>, index) -> ()
  %wide = memref.expand_shape %wide_flat [[0, 1, 2, 3]] output_shape [1, 5, 7, 24] : memref<840xf32> into memref<1x5x7x24xf32>
  %part = memref.subview %wide[0, 0, 0, 8] [1, 5, 7, 12] [1, 1, 1, 1] : memref<1x5x7x24xf32> to memref<1x5x7x12xf32, strided<[840, 168, 24, 1], offset: 8>>
  %dense = memref.alloc() : memref<1x5x7x12xf32>
  memref.copy %part, %dense : memref<1x5x7x12xf32, strided<[840, 168, 24, 1], offset: 8>> to memref<1x5x7x12xf32>

  %filter_flat = memref.alloc() : memref<1728xf32>
  %filter_any = memref.cast %filter_flat : memref<1728xf32> to memref<?xf32>
  call @fill(%filter_any, %c2) : (memref<?xf32>, index) -> ()
  %filter = memref.expand_shape %filter_flat [[0, 1, 2, 3, 4]] output_shape [1, 3, 3, 12, 16] : memref<1728xf32> into memref<1x3x3x12x16xf32>
  %bias_flat = memref.alloc() : memref<16xf32>
  %bias_any = memref.cast %bias_flat : memref<16xf32> to memref<?xf32>
  call @fill(%bias_any, %c3) : (memref<?xf32>, index) -> ()
  %bias = memref.expand_shape %bias_flat [[0, 1]] output_shape [1, 16] : memref<16xf32> into memref<1x16xf32>

  %out_flat = memref.alloc() : memref<840xf32>
  %out_any = memref.cast %out_flat : memref<840xf32> to memref<?xf32>
  call @fill(%out_any, %c1) : (memref<?xf32>, index) -> ()
  %out = memref.expand_shape %out_flat [[0, 1, 2, 3]] output_shape [1, 5, 7, 24] : memref<840xf32> into memref<1x5x7x24xf32>
  %out_part = memref.subview %out[0, 0, 0, 8] [1, 5, 7, 12] [1, 1, 1, 1] : memref<1x5x7x24xf32> to memref<1x5x7x12xf32, strided<[840, 168, 24, 1], offset: 8>>
  %expected = memref.alloc() : memref<1x5x7x12xf32>
  %found = memref.alloc() : memref<1x5x7x12xf32>
  %expected_flat = memref.collapse_shape %expected [[0, 1, 2, 3]] : memref<1x5x7x12xf32> into memref<420xf32>
  %found_flat = memref.collapse_shape %found [[0, 1, 2, 3]] : memref<1x5x7x12xf32> into memref<420xf32>
  %expected_any = memref.cast %expected_flat : memref<420xf32> to memref<?xf32>
  %found_any = memref.cast %found_flat : memref<420xf32> to memref<?xf32>

  nnk.conv_2d ins(%part, %filter, %bias : memref<1x5x7x12xf32, strided<[840, 168, 24, 1], offset: 8>>, memref<1x3x3x12x16xf32>, memref<1x16xf32>)
      outs(%out_part : memref<1x5x7x12xf32, strided<[840, 168, 24, 1], offset: 8>>) strides [1, 1] dilations [1, 1] pads [1, 1, 1, 1]
  nnk.conv_2d ins(%dense, %filter, %bias : memref<1x5x7x12xf32>, memref<1x3x3x12x16xf32>, memref<1x16xf32>)
      outs(%expected : memref<1x5x7x12xf32>) strides [1, 1] dilations [1, 1] pads [1, 1, 1, 1]
  memref.copy %out_part, %found : memref<1x5x7x12xf32, strided<[840, 168, 24, 1], offset: 8>> to memref<1x5x7x12xf32>
  call @count_differences(%found_any, %expected_any) : (memref<?xf32>, memref<?xf32>) -> ()

  nnk.pool_2d max ins(%part : memref<1x5x7x12xf32, strided<[840, 168, 24, 1], offset: 8>>)
      outs(%out_part : memref<1x5x7x12xf32, strided<[840, 168, 24, 1], offset: 8>>) window [3, 3] strides [1, 1] pads [1, 1, 1, 1]
  nnk.pool_2d max ins(%dense : memref<1x5x7x12xf32>) outs(%expected : memref<1x5x7x12xf32>)
      window [3, 3] strides [1, 1] pads [1, 1, 1, 1]
  memref.copy %out_part, %found : memref<1x5x7x12xf32, strided<[840, 168, 24, 1], offset: 8>> to memref<1x5x7x12xf32>
  call @count_differences(%found_any, %expected_any) : (memref<?xf32>, memref<?xf32>) -> ()

  %rest = memref.alloc() : memref<1x5x7x8xf32>
  %rest_expected = memref.alloc() : memref<1x5x7x8xf32>
  %out_rest = memref.subview %out[0, 0, 0, 0] [1, 5, 7, 8] [1, 1, 1, 1] : memref<1x5x7x24xf32> to memref<1x5x7x8xf32, strided<[840, 168, 24, 1]>>
  %wide_rest = memref.subview %wide[0, 0, 0, 0] [1, 5, 7, 8] [1, 1, 1, 1] : memref<1x5x7x24xf32> to memref<1x5x7x8xf32, strided<[840, 168, 24, 1]>>
  memref.copy %out_rest, %rest : memref<1x5x7x8xf32, strided<[840, 168, 24, 1]>> to memref<1x5x7x8xf32>
  memref.copy %wide_rest, %rest_expected : memref<1x5x7x8xf32, strided<[840, 168, 24, 1]>> to memref<1x5x7x8xf32>
  %rest_flat = memref.collapse_shape %rest [[0, 1, 2, 3]] : memref<1x5x7x8xf32> into memref<280xf32>
  %rest_expected_flat = memref.collapse_shape %rest_expected [[0, 1, 2, 3]] : memref<1x5x7x8xf32> into memref<280xf32>
  %rest_any = memref.cast %rest_flat : memref<280xf32> to memref<?xf32>
  %rest_expected_any = memref.cast %rest_expected_flat : memref<280xf32> to memref<?xf32>
  call @count_differences(%rest_any, %rest_expected_any) : (memref<?xf32>, memref<?xf32>) -> ()
  return
}
