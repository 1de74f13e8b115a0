// RUN: nnhal-opt %s -split-input-file -verify-diagnostics --convert-nnk-to-vector

func.func @tensors(%in: tensor<1x4x4x8xf32>, %out: tensor<1x2x2x8xf32>) -> tensor<1x2x2x8xf32> {
  // expected-error@+1 {{'nnk.pool_2d' op must be bufferized before it is lowered}}
  %0 = nnk.pool_2d max ins(%in : tensor<1x4x4x8xf32>) outs(%out : tensor<1x2x2x8xf32>)
      window [2, 2] strides [2, 2] pads [0, 0, 0, 0] -> tensor<1x2x2x8xf32>
  return %0 : tensor<1x2x2x8xf32>
}

// -----

func.func @dynamic_batch(%in: memref<?x4x4x8xf32>, %out: memref<?x2x2x8xf32>) {
  // expected-error@+1 {{'nnk.pool_2d' op needs memrefs of static shape with known strides and contiguous channels}}
  nnk.pool_2d max ins(%in : memref<?x4x4x8xf32>) outs(%out : memref<?x2x2x8xf32>)
      window [2, 2] strides [2, 2] pads [0, 0, 0, 0]
  return
}

// -----

func.func @channels_not_contiguous(%in: memref<1x4x4x8xf32, strided<[128, 32, 1, 4]>>, %filter: memref<1x1x8xf32>, %bias: memref<8xf32>, %out: memref<1x4x4x8xf32>) {
  // expected-error@+1 {{'nnk.depthwise_conv_2d' op needs memrefs of static shape with known strides and contiguous channels}}
  nnk.depthwise_conv_2d ins(%in, %filter, %bias : memref<1x4x4x8xf32, strided<[128, 32, 1, 4]>>, memref<1x1x8xf32>, memref<8xf32>) outs(%out : memref<1x4x4x8xf32>)
      strides [1, 1] dilations [1, 1] pads [0, 0, 0, 0] depth_multiplier 1
  return
}

// -----

func.func @filter_not_packed(%in: memref<1x4x4x8xf32>, %filter: memref<1x1x1x8x8xf32, strided<[128, 128, 128, 16, 1]>>, %bias: memref<1x8xf32>, %out: memref<1x4x4x8xf32>) {
  // expected-error@+1 {{'nnk.conv_2d' op needs memrefs of static shape with known strides and contiguous channels}}
  nnk.conv_2d ins(%in, %filter, %bias : memref<1x4x4x8xf32>, memref<1x1x1x8x8xf32, strided<[128, 128, 128, 16, 1]>>, memref<1x8xf32>) outs(%out : memref<1x4x4x8xf32>)
      strides [1, 1] dilations [1, 1] pads [0, 0, 0, 0]
  return
}

// -----

func.func @halves(%in: memref<1x4x4x8xf16>, %out: memref<1x2x2x8xf32>) {
  // expected-error@+1 {{'nnk.pool_2d' op accesses 'memref<1x4x4x8xf16>', expected elements of f32 or of integers}}
  nnk.pool_2d max ins(%in : memref<1x4x4x8xf16>) outs(%out : memref<1x2x2x8xf32>)
      window [2, 2] strides [2, 2] pads [0, 0, 0, 0]
  return
}
