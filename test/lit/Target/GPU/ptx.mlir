// RUN: nnhal-opt %s --nnhal-gpu-kernels-to-nvvm -o %t.mlir
// RUN: FileCheck %s --input-file=%t.mlir --check-prefix=NVVM
// RUN: nnhal-opt %t.mlir --nnhal-gpu-print-ptx -o /dev/null | FileCheck %s

// Kernels as functions of LLVM's dialect, and as text that the driver compiles.
// Everything that rounds says so, and nothing is brought from a library.

module {
// NVVM: gpu.module @kernels
gpu.module @kernels {
  // NVVM-LABEL: llvm.func @rounding(
  // NVVM-SAME: %{{.*}}: !llvm.ptr<1> {llvm.align = 64 : i64}, %{{.*}}: !llvm.ptr<1> {llvm.align = 64 : i64}
  // NVVM-SAME: nvvm.kernel, nvvm.reqntid = array<i32: 64, 1, 1>
  // CHECK: .version 7.0
  // CHECK: .target sm_80
  // CHECK-NOT: .extern
  // CHECK-LABEL: .entry rounding(
  // CHECK-NEXT: .param .u64 .ptr .global .align 64 rounding_param_0,
  // CHECK-NEXT: .param .u64 .ptr .global .align 64 rounding_param_1
  // CHECK: .reqntid 64, 1, 1
  // CHECK-NOT: fma
  // CHECK: ld.global.b32
  // CHECK: mul.rn.f32
  // CHECK: add.rn.f32
  // CHECK: sub.rn.f32
  // CHECK: div.rn.f32
  // CHECK: sqrt.rn.f32
  // CHECK: cvt.rni.f32.f32
  // CHECK: st.global.b32
  // CHECK: ret;
  gpu.func @rounding(%a: memref<8x8xf32>, %b: memref<64xf32>) kernel
      attributes {known_block_size = array<i32: 64, 1, 1>} {
    %i = gpu.thread_id x
    %c0 = arith.constant 0 : index
    %x = memref.load %a[%c0, %i] : memref<8x8xf32>
    %p = arith.mulf %x, %x : f32
    %s = arith.addf %p, %x : f32
    %q = arith.mulf %s, %s : f32
    %d = arith.subf %q, %x : f32
    %r = arith.divf %d, %x : f32
    %t = math.sqrt %r : f32
    %e = math.roundeven %t : f32
    memref.store %e, %b[%i] : memref<64xf32>
    gpu.return
  }

  // CHECK-LABEL: .entry fused(
  // CHECK: .reqntid 32, 2, 1
  // CHECK: fma.rn.f32
  // CHECK: fma.rn.f32
  // CHECK: ret;
  gpu.func @fused(%a: memref<64xf32>) kernel
      attributes {spirv.entry_point_abi = #spirv.entry_point_abi<workgroup_size = [32, 2, 1]>} {
    %i = gpu.thread_id x
    %x = memref.load %a[%i] : memref<64xf32>
    %f = math.fma %x, %x, %x : f32
    %p = arith.mulf %f, %f fastmath<contract> : f32
    %s = arith.addf %p, %x fastmath<contract> : f32
    memref.store %s, %a[%i] : memref<64xf32>
    gpu.return
  }

  // Functions are expanded.
  // CHECK-LABEL: .entry functions(
  // CHECK-NOT: {{ex2|lg2|tanh|sin|cos}}.approx
  // CHECK-NOT: call
  // CHECK: ret;
  gpu.func @functions(%a: memref<64xf32>, %h: memref<64xf16>) kernel
      attributes {known_block_size = array<i32: 64, 1, 1>} {
    %i = gpu.thread_id x
    %x = memref.load %a[%i] : memref<64xf32>
    %0 = math.exp %x : f32
    %1 = math.log %0 : f32
    %2 = math.tanh %1 : f32
    %3 = math.sin %2 : f32
    %4 = math.powf %3, %x : f32
    %5 = math.rsqrt %4 : f32
    %6 = math.erf %5 : f32
    %7 = math.floor %6 : f32
    %8 = arith.maxnumf %7, %x : f32
    memref.store %8, %a[%i] : memref<64xf32>
    %y = memref.load %h[%i] : memref<64xf16>
    %z = math.exp %y : f16
    memref.store %z, %h[%i] : memref<64xf16>
    gpu.return
  }

  // A boolean is one byte.
  // CHECK-LABEL: .entry booleans(
  // CHECK: ld.global.b8
  // CHECK: st.global.b8
  gpu.func @booleans(%a: memref<4x4xi1>) kernel
      attributes {known_block_size = array<i32: 1, 1, 1>} {
    %i = gpu.thread_id x
    %x = memref.load %a[%i, %i] : memref<4x4xi1>
    %true = arith.constant true
    %y = arith.xori %x, %true : i1
    memref.store %y, %a[%i, %i] : memref<4x4xi1>
    gpu.return
  }

  // CHECK-LABEL: .entry vectors(
  // CHECK: ld.global.v4.b32
  // CHECK-COUNT-4: fma.rn.f32
  // CHECK: st.global.v4.b32
  gpu.func @vectors(%a: memref<2x8xvector<4xf32>>) kernel
      attributes {known_block_size = array<i32: 8, 1, 1>} {
    %i = gpu.thread_id x
    %c1 = arith.constant 1 : index
    %x = memref.load %a[%c1, %i] : memref<2x8xvector<4xf32>>
    %s = vector.extract %x[1] : f32 from vector<4xf32>
    %t = vector.broadcast %s : f32 to vector<4xf32>
    %y = arith.addf %x, %t : vector<4xf32>
    %z = vector.fma %y, %t, %x : vector<4xf32>
    memref.store %z, %a[%c1, %i] : memref<2x8xvector<4xf32>>
    gpu.return
  }

  // Elements beside each other are loaded together: bindings begin at multiples
  // of 64.
  // CHECK-LABEL: .entry together(
  // CHECK: ld.global.v4.b32
  // CHECK: ret;
  gpu.func @together(%a: memref<64x4xf32>, %b: memref<64xf32>) kernel
      attributes {known_block_size = array<i32: 64, 1, 1>} {
    %i = gpu.thread_id x
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %zero = arith.constant 0.0 : f32
    %sum = scf.for %k = %c0 to %c4 step %c1 iter_args(%s = %zero) -> f32 {
      %x = memref.load %a[%i, %k] : memref<64x4xf32>
      %t = arith.addf %s, %x : f32
      scf.yield %t : f32
    }
    memref.store %sum, %b[%i] : memref<64xf32>
    gpu.return
  }

  // CHECK-LABEL: .entry status(
  // CHECK: atom.{{.*}}add.u32
  gpu.func @status(%a: memref<8xi32>) kernel
      attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %one = arith.constant 1 : i32
    %zero = arith.constant 0 : i32
    %old = memref.atomic_rmw addi %one, %a[%c0] : (i32, memref<8xi32>) -> i32
    %first = arith.cmpi eq, %old, %zero : i32
    scf.if %first {
      %i = gpu.thread_id x
      %number = arith.index_cast %i : index to i32
      memref.store %number, %a[%c1] : memref<8xi32>
    }
    gpu.return
  }
}
}
