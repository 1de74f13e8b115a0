// RUN: nnhal-opt %s --nnhal-gpu-kernels-to-spirv -o %t.mlir
// RUN: FileCheck %s --input-file=%t.mlir
// RUN: sed -e '/^module/d' -e '/^}/d' %t.mlir > %t.spirv.mlir
// RUN: mlir-translate --no-implicit-module --serialize-spirv %t.spirv.mlir -o %t.spv
// RUN: spirv-val --target-env vulkan1.3 %t.spv
// REQUIRES: spirv-val

// Buffers have one dimension, through all views of them.

module {
gpu.module @kernels {
  // CHECK-LABEL: spirv.func @scalar
  // CHECK: spirv.AccessChain
  // CHECK: spirv.Load "StorageBuffer" %{{.*}} : f32
  gpu.func @scalar(%a: memref<f32>, %b: memref<1x1x1xf32>) kernel
      attributes {known_block_size = array<i32: 1, 1, 1>} {
    %c0 = arith.constant 0 : index
    %x = memref.load %a[] : memref<f32>
    memref.store %x, %b[%c0, %c0, %c0] : memref<1x1x1xf32>
    gpu.return
  }

  // A boolean is one byte.
  // CHECK-LABEL: spirv.func @booleans
  // CHECK: spirv.Load "StorageBuffer" %{{.*}} : i8
  // CHECK: spirv.Store "StorageBuffer" %{{.*}} : i8
  gpu.func @booleans(%a: memref<4x4xi1>) kernel
      attributes {known_block_size = array<i32: 1, 1, 1>} {
    %i = gpu.thread_id x
    %x = memref.load %a[%i, %i] : memref<4x4xi1>
    %true = arith.constant true
    %y = arith.xori %x, %true : i1
    memref.store %y, %a[%i, %i] : memref<4x4xi1>
    gpu.return
  }

  // CHECK-LABEL: spirv.func @views
  // CHECK-DAG: %[[C128:.+]] = spirv.Constant 128 : i32
  // CHECK-DAG: %[[C67:.+]] = spirv.Constant 67 : i32
  // CHECK: %[[ROW:.+]] = spirv.IMul %[[I:.+]], %[[C128]] : i32
  // CHECK: %[[FIRST:.+]] = spirv.IAdd %[[ROW]]
  // CHECK: %[[OFFSET:.+]] = spirv.IAdd %[[FIRST]], %[[J:.+]] : i32
  // CHECK: spirv.IAdd %[[OFFSET]], %[[C67]] : i32
  // CHECK: spirv.IMul %[[J]], %{{.*}} : i32
  // CHECK: spirv.Return
  gpu.func @views(%a: memref<4x8x16xf32>, %b: memref<512xf32>) kernel
      attributes {known_block_size = array<i32: 4, 1, 1>} {
    %i = gpu.thread_id x
    %j = gpu.thread_id y
    %c2 = arith.constant 2 : index
    %c1 = arith.constant 1 : index
    %s = memref.subview %a[%i, 1, %j] [1, 3, 4] [1, 2, 1]
      : memref<4x8x16xf32> to memref<3x4xf32, strided<[32, 1], offset: ?>>
    %e = memref.expand_shape %s [[0], [1, 2]] output_shape [3, 2, 2]
      : memref<3x4xf32, strided<[32, 1], offset: ?>> into memref<3x2x2xf32, strided<[32, 2, 1], offset: ?>>
    %x = memref.load %e[%c2, %c1, %c1] : memref<3x2x2xf32, strided<[32, 2, 1], offset: ?>>
    %r = memref.reinterpret_cast %b to offset: [%i], sizes: [4, 4], strides: [%j, 1]
      : memref<512xf32> to memref<4x4xf32, strided<[?, 1], offset: ?>>
    memref.store %x, %r[%c2, %c1] : memref<4x4xf32, strided<[?, 1], offset: ?>>
    %f = memref.collapse_shape %a [[0, 1, 2]] : memref<4x8x16xf32> into memref<512xf32>
    %d = memref.cast %f : memref<512xf32> to memref<?xf32>
    memref.store %x, %d[%i] : memref<?xf32>
    gpu.return
  }

  // The part of the address that is the same in each round is outside the loop.
  // CHECK-LABEL: spirv.func @invariant
  // CHECK: %[[ROW:.+]] = spirv.IMul
  // CHECK: spirv.mlir.loop
  // CHECK: spirv.IAdd %[[ROW]]
  gpu.func @invariant(%a: memref<64x100xf32>, %b: memref<64xf32>) kernel
      attributes {known_block_size = array<i32: 64, 1, 1>} {
    %i = gpu.thread_id x
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c100 = arith.constant 100 : index
    %zero = arith.constant 0.0 : f32
    %sum = scf.for %k = %c0 to %c100 step %c1 iter_args(%s = %zero) -> f32 {
      %x = memref.load %a[%i, %k] : memref<64x100xf32>
      %t = arith.addf %s, %x : f32
      scf.yield %t : f32
    }
    memref.store %sum, %b[%i] : memref<64xf32>
    gpu.return
  }

  // Variables stand at the beginning of the function; copies are loops.
  // CHECK-LABEL: spirv.func @variables
  // CHECK-NOT: spirv.mlir.loop
  // CHECK: spirv.Variable : !spirv.ptr<!spirv.struct<(!spirv.array<16 x f32>)>, Function>
  // CHECK-COUNT-3: spirv.mlir.loop
  // CHECK: spirv.Return
  gpu.func @variables(%a: memref<4x4xf32>, %n: memref<i32>) kernel
      attributes {known_block_size = array<i32: 1, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %last = memref.load %n[] : memref<i32>
    %e = arith.index_cast %last : i32 to index
    scf.for %k = %c0 to %e step %c1 {
      %v = memref.alloca() : memref<4x4xf32>
      memref.copy %a, %v : memref<4x4xf32> to memref<4x4xf32>
      %x = memref.load %v[%k, %c1] : memref<4x4xf32>
      memref.store %x, %a[%c0, %k] : memref<4x4xf32>
    }
    gpu.return
  }

  // What was there before comes back.
  // CHECK-LABEL: spirv.func @status
  // CHECK: %[[OLD:.+]] = spirv.AtomicIAdd <Device> <{{.*}}> %{{.*}} : !spirv.ptr<i32, StorageBuffer>
  // CHECK: spirv.IEqual %[[OLD]]
  gpu.func @status(%a: memref<4xi32>) kernel
      attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %one = arith.constant 1 : i32
    %zero = arith.constant 0 : i32
    %old = memref.atomic_rmw addi %one, %a[%c0] : (i32, memref<4xi32>) -> i32
    %first = arith.cmpi eq, %old, %zero : i32
    scf.if %first {
      %i = gpu.thread_id x
      %number = arith.index_cast %i : index to i32
      memref.store %number, %a[%c1] : memref<4xi32>
    }
    gpu.return
  }

  // CHECK-LABEL: spirv.func @vectors
  // CHECK: spirv.Load "StorageBuffer" %{{.*}} : vector<4xf32>
  gpu.func @vectors(%a: memref<2x8xvector<4xf32>>, %b: memref<16xvector<2xi32>>) kernel
      attributes {known_block_size = array<i32: 8, 1, 1>} {
    %i = gpu.thread_id x
    %c1 = arith.constant 1 : index
    %x = memref.load %a[%c1, %i] : memref<2x8xvector<4xf32>>
    %s = vector.extract %x[1] : f32 from vector<4xf32>
    %t = vector.broadcast %s : f32 to vector<4xf32>
    %y = arith.addf %x, %t : vector<4xf32>
    %z = vector.fma %y, %t, %x : vector<4xf32>
    %lo = vector.extract_strided_slice %z {offsets = [0], sizes = [2], strides = [1]}
      : vector<4xf32> to vector<2xf32>
    %bits = vector.bitcast %lo : vector<2xf32> to vector<2xi32>
    memref.store %bits, %b[%i] : memref<16xvector<2xi32>>
    %r = vector.reduction <add>, %z : vector<4xf32> into f32
    %w = vector.insert %r, %z[2] : f32 into vector<4xf32>
    %q = vector.shuffle %w, %x [0, 4, 1, 5] : vector<4xf32>, vector<4xf32>
    memref.store %q, %a[%c1, %i] : memref<2x8xvector<4xf32>>
    gpu.return
  }
}
}
