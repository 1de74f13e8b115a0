// RUN: nnhal-opt %s --one-shot-bufferize="bufferize-function-boundaries" --verify-diagnostics

func.func @tensor_into_memref(%in: tensor<1x2x2x8xf32>, %out: memref<1x1x1x8xf32>) {
  // expected-error @below {{'nnk.pool_2d' op mixes tensors and memrefs}}
  // expected-error @below {{failed to bufferize op}}
  nnk.pool_2d max ins(%in : tensor<1x2x2x8xf32>) outs(%out : memref<1x1x1x8xf32>)
      window [2, 2] strides [1, 1] pads [0, 0, 0, 0] epilogue {
  ^bb0(%value: f32):
    nnk.yield %value : f32
  }
  return
}
