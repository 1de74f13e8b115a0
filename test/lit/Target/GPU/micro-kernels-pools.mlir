// RUN: nnhal-opt %s --split-input-file --nnhal-gpu-form-dispatches | FileCheck %s

// A maximum leaves out what is not a number, and places outside of the input.

// CHECK-LABEL: func.func @maximum
// CHECK:       gpu.func @kernel_0(%[[IN:.+]]: memref<16xvector<4xf32>>, %[[OUT:.+]]: memref<16xvector<4xf32>>)
// CHECK:         %[[LEAST:.+]] = arith.constant 0xFF800000 : f32
// CHECK:         %[[INSIDE:.+]] = arith.andi
// CHECK:         %[[IS_LARGER:.+]] = arith.cmpf ogt, %[[VALUE:.+]], %[[SUM:.+]] : f32
// CHECK:         %[[LARGER:.+]] = arith.select %[[IS_LARGER]], %[[VALUE]], %[[SUM]] : f32
// CHECK:         arith.select %{{.+}}, %[[LARGER]], %[[SUM]] : f32
// CHECK-NOT:     arith.divf
// CHECK:         memref.store %{{.+}}, %[[OUT]]
func.func @maximum(%in: memref<1x4x4x4xf32>, %out: memref<1x4x4x4xf32>) attributes {nnhal.entry} {
  nnk.pool_2d max ins(%in : memref<1x4x4x4xf32>) outs(%out : memref<1x4x4x4xf32>)
      window [3, 3] strides [1, 1] pads [1, 1, 1, 1]
  return
}

// -----

// The root of the mean of squares, of which padding is no part.

// CHECK-LABEL: func.func @l2
// CHECK:       gpu.func @kernel_0(%{{.+}}: memref<48xf32>, %[[OUT:.+]]: memref<48xf32>)
// CHECK:         %[[SQUARES:.+]] = math.fma %[[VALUE:.+]], %[[VALUE]], %[[SUM:.+]] : f32
// CHECK:         arith.select %{{.+}}, %[[SQUARES]], %[[SUM]] : f32
// CHECK:         %[[MEAN:.+]] = arith.divf
// CHECK:         %[[ROOT:.+]] = math.sqrt %[[MEAN]] : f32
// CHECK:         memref.store %[[ROOT]], %[[OUT]]
func.func @l2(%in: memref<1x4x4x3xf32>, %out: memref<1x4x4x3xf32>) attributes {nnhal.entry} {
  nnk.pool_2d l2 ins(%in : memref<1x4x4x3xf32>) outs(%out : memref<1x4x4x3xf32>)
      window [2, 2] strides [1, 1] pads [0, 1, 0, 1]
  return
}
