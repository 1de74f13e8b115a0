// RUN: nnhal-opt %s --one-shot-bufferize | FileCheck %s

// What the runtime reads has no offset and no strides.
// CHECK: %[[SLICE:.+]] = memref.subview
// CHECK: %[[WHOLE:.+]] = memref.alloc() : memref<1x1xf32>
// CHECK: memref.copy %[[SLICE]], %[[WHOLE]]
// CHECK: nnrt.deliver %[[WHOLE]] output 0 : memref<1x1xf32>
func.func @main(%x: memref<3x4xf32>) {
  %0 = bufferization.to_tensor %x restrict : memref<3x4xf32> to tensor<3x4xf32>
  %1 = tensor.extract_slice %0[0, 2] [1, 1] [1, 1] : tensor<3x4xf32> to tensor<1x1xf32>
  nnrt.deliver %1 output 0 : tensor<1x1xf32>
  return
}

// A routine finds its elements side by side, too.
// CHECK-LABEL: func.func @routine
// CHECK: %[[PART:.+]] = memref.subview
// CHECK: %[[ROWS:.+]] = memref.alloc() : memref<3x2xf32>
// CHECK: memref.copy %[[PART]], %[[ROWS]]
// CHECK: nnrt.call_routine(%[[ROWS]])
func.func @routine(%x: memref<3x4xf32>) -> (tensor<?x?xf32>, tensor<?x?xi32>) {
  %0 = bufferization.to_tensor %x restrict : memref<3x4xf32> to tensor<3x4xf32>
  %1 = tensor.extract_slice %0[0, 2] [3, 2] [1, 1] : tensor<3x4xf32> to tensor<3x2xf32>
  %2:2 = nnrt.call_routine(%1) slot 0 signature [] : (tensor<3x2xf32>) -> (tensor<?x?xf32>, tensor<?x?xi32>)
  return %2#0, %2#1 : tensor<?x?xf32>, tensor<?x?xi32>
}
