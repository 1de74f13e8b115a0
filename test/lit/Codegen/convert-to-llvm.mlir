// RUN: nnhal-opt %s --nnhal-convert-to-llvm --reconcile-unrealized-casts --split-input-file | FileCheck %s

// Functions whose buffers are static take bare pointers; vectors, arithmetic,
// branches and memory are converted with them, and no cast is left.
// CHECK-LABEL: llvm.func @branches(%arg0: !llvm.ptr, %arg1: i1) -> f32
// CHECK-NOT: unrealized_conversion_cast
// CHECK: llvm.cond_br %arg1, ^[[LOAD:.*]], ^[[DONE:.*]](%{{.*}} : f32)
// CHECK: ^[[LOAD]]:
// CHECK: llvm.load %{{.*}} : !llvm.ptr -> vector<4xf32>
// CHECK: llvm.intr.vector.reduce.fadd
// CHECK: llvm.br ^[[DONE]](%{{.*}} : f32)
// CHECK: llvm.return %{{.*}} : f32
func.func @branches(%buffer: memref<8xf32>, %condition: i1) -> f32 {
  %zero = arith.constant 0.0 : f32
  cf.cond_br %condition, ^load, ^done(%zero : f32)
^load:
  %c4 = arith.constant 4 : index
  %vector = vector.load %buffer[%c4] : memref<8xf32>, vector<4xf32>
  %sum = vector.reduction <add>, %vector, %zero : vector<4xf32> into f32
  cf.br ^done(%sum : f32)
^done(%result: f32):
  return %result : f32
}

// Offsets of views, and slices, masks and transposed tiles of vectors.
// CHECK-LABEL: llvm.func @views(
// CHECK-NOT: memref.
// CHECK-NOT: vector.
// CHECK: llvm.return
func.func @views(%buffer: memref<4x8xf32>, %column: index) -> vector<4x2xf32> {
  %view = memref.subview %buffer[0, %column] [2, 4] [1, 1]
    : memref<4x8xf32> to memref<2x4xf32, strided<[8, 1], offset: ?>>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zeros = arith.constant dense<0.0> : vector<4xf32>
  %mask = vector.constant_mask [3] : vector<4xi1>
  %first = vector.maskedload %view[%c0, %c0], %mask, %zeros
    : memref<2x4xf32, strided<[8, 1], offset: ?>>, vector<4xi1>, vector<4xf32> into vector<4xf32>
  %part = vector.load %view[%c1, %c0] : memref<2x4xf32, strided<[8, 1], offset: ?>>, vector<2xf32>
  %second = vector.insert_strided_slice %part, %zeros {offsets = [1], strides = [1]}
    : vector<2xf32> into vector<4xf32>
  %empty = arith.constant dense<0.0> : vector<2x4xf32>
  %upper = vector.insert %first, %empty [0] : vector<4xf32> into vector<2x4xf32>
  %tile = vector.insert %second, %upper [1] : vector<4xf32> into vector<2x4xf32>
  %transposed = vector.transpose %tile, [1, 0] : vector<2x4xf32> to vector<4x2xf32>
  return %transposed : vector<4x2xf32>
}

// -----

// The extents of a buffer are not known: all functions take descriptors.
// CHECK-LABEL: llvm.func @dynamic(%arg0: !llvm.ptr, %arg1: !llvm.ptr, %arg2: i64, %arg3: i64, %arg4: i64) -> i64
func.func @dynamic(%buffer: memref<?xf32>) -> index {
  %c0 = arith.constant 0 : index
  %extent = memref.dim %buffer, %c0 : memref<?xf32>
  return %extent : index
}
