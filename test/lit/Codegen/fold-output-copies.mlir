// RUN: nnhal-opt %s --allow-unregistered-dialect --nnhal-fold-output-copies | FileCheck %s

// CHECK-LABEL: func.func @through_reshape
// CHECK-SAME:    %[[OUT:[a-z0-9]+]]: memref<4x4xf32>
// CHECK:         %[[FLAT:.+]] = memref.reinterpret_cast %[[OUT]] to offset: [0], sizes: [16], strides: [1]
// CHECK:         "test.write"(%[[FLAT]])
// CHECK-NOT:     memref.copy
func.func @through_reshape(%out: memref<4x4xf32>) {
  %a = memref.alloc() : memref<16xf32>
  "test.write"(%a) : (memref<16xf32>) -> ()
  %v = memref.expand_shape %a [[0, 1]] output_shape [4, 4] : memref<16xf32> into memref<4x4xf32>
  memref.copy %v, %out : memref<4x4xf32> to memref<4x4xf32>
  return
}

// The output has other users, whose order with the writes would change.
// CHECK-LABEL: func.func @output_in_use
// CHECK:         memref.alloc
// CHECK:         memref.copy
func.func @output_in_use(%out: memref<16xf32>) {
  %a = memref.alloc() : memref<16xf32>
  "test.write"(%out) : (memref<16xf32>) -> ()
  "test.write"(%a) : (memref<16xf32>) -> ()
  memref.copy %a, %out : memref<16xf32> to memref<16xf32>
  return
}

// A part of a buffer is not the buffer.
// CHECK-LABEL: func.func @part_of_buffer
// CHECK:         memref.alloc
// CHECK:         memref.copy
func.func @part_of_buffer(%out: memref<8xf32>) {
  %a = memref.alloc() : memref<16xf32>
  "test.write"(%a) : (memref<16xf32>) -> ()
  %v = memref.subview %a[0] [8] [1] : memref<16xf32> to memref<8xf32, strided<[1]>>
  memref.copy %v, %out : memref<8xf32, strided<[1]>> to memref<8xf32>
  return
}

// CHECK-LABEL: func.func @onto_itself
// CHECK:         "test.write"
// CHECK-NOT:     memref.copy
// CHECK:         return
func.func @onto_itself(%out: memref<8x4xf32>) {
  %slice = memref.subview %out[0, 0] [8, 2] [1, 1] : memref<8x4xf32> to memref<8x2xf32, strided<[4, 1]>>
  "test.write"(%slice) : (memref<8x2xf32, strided<[4, 1]>>) -> ()
  memref.copy %slice, %slice : memref<8x2xf32, strided<[4, 1]>> to memref<8x2xf32, strided<[4, 1]>>
  return
}
