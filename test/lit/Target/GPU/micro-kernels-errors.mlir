// RUN: nnhal-opt %s --split-input-file --verify-diagnostics --nnhal-gpu-form-dispatches

func.func @layout(%x: memref<1x4x4x4xf32>, %w: memref<1x1x1x4x4xf32>, %bias: memref<1x4xf32>,
    %y: memref<1x4x4x4xf32>, %offset: index) attributes {nnhal.entry} {
  %part = memref.reinterpret_cast %y to offset: [%offset], sizes: [1, 4, 4, 4], strides: [64, 16, 4, 1]
      : memref<1x4x4x4xf32> to memref<1x4x4x4xf32, strided<[64, 16, 4, 1], offset: ?>>
  // expected-error @below {{accesses 'memref<1x4x4x4xf32, strided<[64, 16, 4, 1], offset: ?>>', whose layout is no numbers}}
  nnk.conv_2d ins(%x, %w, %bias : memref<1x4x4x4xf32>, memref<1x1x1x4x4xf32>, memref<1x4xf32>)
      outs(%part : memref<1x4x4x4xf32, strided<[64, 16, 4, 1], offset: ?>>)
      strides [1, 1] dilations [1, 1] pads [0, 0, 0, 0]
  return
}
