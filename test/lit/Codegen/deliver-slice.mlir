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
