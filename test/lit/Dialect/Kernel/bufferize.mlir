// RUN: nnhal-opt %s --one-shot-bufferize="bufferize-function-boundaries function-boundary-type-conversion=identity-layout-map" | FileCheck %s

// The destination is written in place, the input is only read.
// CHECK-LABEL: @in_place
// CHECK-SAME: (%[[IN:.+]]: memref<1x8x8x4xf32>, %[[F:.+]]: memref<1x1x1x4x8xf32>, %[[B:.+]]: memref<1x8xf32>, %[[OUT:.+]]: memref<1x8x8x8xf32>)
func.func @in_place(%in: tensor<1x8x8x4xf32>, %filter: tensor<1x1x1x4x8xf32>, %bias: tensor<1x8xf32>, %out: tensor<1x8x8x8xf32>) -> tensor<1x8x8x8xf32> {
  // CHECK-NOT: memref.alloc
  // CHECK: nnk.conv_2d ins(%[[IN]], %[[F]], %[[B]] : {{.*}}) outs(%[[OUT]] : memref<1x8x8x8xf32>)
  // CHECK: nnk.yield
  // CHECK: return %[[OUT]]
  %0 = nnk.conv_2d ins(%in, %filter, %bias : tensor<1x8x8x4xf32>, tensor<1x1x1x4x8xf32>, tensor<1x8xf32>) outs(%out : tensor<1x8x8x8xf32>)
      strides [1, 1] dilations [1, 1] pads [0, 0, 0, 0] epilogue {
  ^bb0(%acc: f32):
    %r = arith.negf %acc : f32
    nnk.yield %r : f32
  } -> tensor<1x8x8x8xf32>
  return %0 : tensor<1x8x8x8xf32>
}

// An extra must not be the destination: kernels store some elements twice.
// CHECK-LABEL: @extra_is_destination
// CHECK-SAME: %[[X:[^ ,]+]]: memref<1x8x8x8xf32>)
func.func @extra_is_destination(%in: tensor<1x8x8x8xf32>, %filter: tensor<1x1x8xf32>, %bias: tensor<8xf32>, %x: tensor<1x8x8x8xf32>) -> tensor<1x8x8x8xf32> {
  // CHECK: %[[NEW:.+]] = memref.alloc
  // CHECK: nnk.depthwise_conv_2d {{.*}} extras(%[[X]] : {{.*}}) outs(%[[NEW]] :
  %0 = nnk.depthwise_conv_2d ins(%in, %filter, %bias : tensor<1x8x8x8xf32>, tensor<1x1x8xf32>, tensor<8xf32>) extras(%x : tensor<1x8x8x8xf32>) outs(%x : tensor<1x8x8x8xf32>)
      strides [1, 1] dilations [1, 1] pads [0, 0, 0, 0] depth_multiplier 1 epilogue {
  ^bb0(%acc: f32, %e: f32):
    %r = arith.addf %acc, %e : f32
    nnk.yield %r : f32
  } -> tensor<1x8x8x8xf32>
  return %0 : tensor<1x8x8x8xf32>
}

// CHECK-LABEL: @pool_of_kernel
func.func @pool_of_kernel(%in: tensor<1x8x8x8xf32>) -> tensor<1x1x1x8xf32> {
  // CHECK: %[[NEW:.+]] = memref.alloc() {{.*}} : memref<1x1x1x8xf32>
  // CHECK: nnk.pool_2d average ins(%{{.+}} : memref<1x8x8x8xf32>) outs(%[[NEW]] : memref<1x1x1x8xf32>)
  %out = tensor.empty() : tensor<1x1x1x8xf32>
  %0 = nnk.pool_2d average ins(%in : tensor<1x8x8x8xf32>) outs(%out : tensor<1x1x1x8xf32>)
      window [8, 8] strides [1, 1] pads [0, 0, 0, 0] -> tensor<1x1x1x8xf32>
  return %0 : tensor<1x1x1x8xf32>
}

// The strides of what is selected among buffers of two layouts are unknown; a
// kernel reads a copy.
// CHECK-LABEL: @unknown_strides
// CHECK: %[[SELECTED:.+]] = scf.if {{.*}} -> (memref<1x8x8x8xf32, strided<[?, ?, ?, ?], offset: ?>>)
// CHECK: %[[COPY:.+]] = memref.alloc() {{.*}}: memref<1x8x8x8xf32>
// CHECK: memref.copy %[[SELECTED]], %[[COPY]]
// CHECK: nnk.pool_2d average ins(%[[COPY]] :
func.func @unknown_strides(%c: i1, %a: tensor<1x8x8x8xf32>, %b: tensor<1x8x9x8xf32>, %out: tensor<1x1x1x8xf32>) -> tensor<1x1x1x8xf32> {
  %in = scf.if %c -> tensor<1x8x8x8xf32> {
    scf.yield %a : tensor<1x8x8x8xf32>
  } else {
    %part = tensor.extract_slice %b[0, 0, 0, 0] [1, 8, 8, 8] [1, 1, 1, 1] : tensor<1x8x9x8xf32> to tensor<1x8x8x8xf32>
    scf.yield %part : tensor<1x8x8x8xf32>
  }
  %0 = nnk.pool_2d average ins(%in : tensor<1x8x8x8xf32>) outs(%out : tensor<1x1x1x8xf32>)
      window [8, 8] strides [1, 1] pads [0, 0, 0, 0] epilogue {
  ^bb0(%value: f32):
    nnk.yield %value : f32
  } -> tensor<1x1x1x8xf32>
  return %0 : tensor<1x1x1x8xf32>
}
