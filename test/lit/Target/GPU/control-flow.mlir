// RUN: nnhal-opt %s --nnhal-gpu-kernels-to-spirv -o %t.mlir
// RUN: FileCheck %s --input-file=%t.mlir
// RUN: sed -e '/^module/d' -e '/^}/d' %t.mlir > %t.spirv.mlir
// RUN: mlir-translate --no-implicit-module --serialize-spirv %t.spirv.mlir -o %t.spv
// RUN: spirv-val --target-env vulkan1.3 %t.spv
// REQUIRES: spirv-val

// Loops and branches, in the structured form that SPIR-V asks for.

module {
gpu.module @kernels {
  // CHECK-LABEL: spirv.func @branch
  // CHECK: spirv.mlir.selection
  // CHECK: spirv.BranchConditional
  gpu.func @branch(%a: memref<64xi32>) kernel
      attributes {known_block_size = array<i32: 64, 1, 1>} {
    %i = gpu.thread_id x
    %c50 = arith.constant 50 : index
    %inside = arith.cmpi ult, %i, %c50 : index
    scf.if %inside {
      %x = memref.load %a[%i] : memref<64xi32>
      %zero = arith.constant 0 : i32
      %isNegative = arith.cmpi slt, %x, %zero : i32
      %y = scf.if %isNegative -> i32 {
        %q = arith.divsi %zero, %x : i32
        scf.yield %q : i32
      } else {
        scf.yield %x : i32
      }
      memref.store %y, %a[%i] : memref<64xi32>
    }
    gpu.return
  }

  // CHECK-LABEL: spirv.func @loops
  // CHECK: spirv.mlir.loop
  // CHECK: spirv.mlir.loop
  // CHECK: spirv.Return
  gpu.func @loops(%a: memref<64xf32>, %b: memref<64xf32>) kernel
      attributes {known_block_size = array<i32: 64, 1, 1>} {
    %i = gpu.thread_id x
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %zero = arith.constant 0.0 : f32
    %0:2 = scf.for %k = %c0 to %c4 step %c1 iter_args(%s = %zero, %n = %i) -> (f32, index) {
      %1 = scf.for %l = %k to %c4 step %c1 iter_args(%t = %s) -> f32 {
        %j = arith.remui %n, %c4 : index
        %x = memref.load %a[%j] : memref<64xf32>
        %u = arith.addf %t, %x : f32
        scf.yield %u : f32
      }
      %m = affine.apply affine_map<(d0, d1) -> (d0 * 3 + d1 floordiv 2)>(%n, %k)
      scf.yield %1, %m : f32, index
    }
    memref.store %0#0, %b[%i] : memref<64xf32>
    gpu.return
  }

  // CHECK-LABEL: spirv.func @while
  // CHECK: spirv.mlir.loop
  gpu.func @while(%a: memref<64xi32>) kernel
      attributes {known_block_size = array<i32: 64, 1, 1>} {
    %i = gpu.thread_id x
    %x = memref.load %a[%i] : memref<64xi32>
    %one = arith.constant 1 : i32
    %r = scf.while (%v = %x) : (i32) -> i32 {
      %go = arith.cmpi sgt, %v, %one : i32
      scf.condition(%go) %v : i32
    } do {
    ^bb0(%v: i32):
      %h = arith.shrsi %v, %one : i32
      scf.yield %h : i32
    }
    memref.store %r, %a[%i] : memref<64xi32>
    gpu.return
  }
}
}
