// RUN: nnhal-opt %s --nnhal-gpu-form-dispatches | FileCheck %s

// Kernels read channels that are apart in memory where they are.

// CHECK:       gpu.func @kernel_0(%[[IN:.+]]: memref<144xf32>
// CHECK:         %[[CHANNEL:.+]] = arith.remui
// CHECK:         %[[TWICE:.+]] = arith.muli %{{.+}}, %c2
// CHECK:         memref.load %[[IN]]
func.func @apart(%all: memref<1x4x4x9xf32>, %y: memref<1x4x4x4xf32>) attributes {nnhal.entry} {
  %x = memref.subview %all[0, 0, 0, 1] [1, 4, 4, 4] [1, 1, 1, 2]
      : memref<1x4x4x9xf32> to memref<1x4x4x4xf32, strided<[144, 36, 9, 2], offset: 1>>
  nnk.pool_2d max ins(%x : memref<1x4x4x4xf32, strided<[144, 36, 9, 2], offset: 1>>) outs(%y : memref<1x4x4x4xf32>)
      window [1, 1] strides [1, 1] pads [0, 0, 0, 0]
  return
}
