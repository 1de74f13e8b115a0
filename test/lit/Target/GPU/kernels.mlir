// RUN: nnhal-opt %s --nnhal-gpu-kernels-to-spirv -o %t.mlir
// RUN: FileCheck %s --input-file=%t.mlir
// RUN: sed -e '/^module/d' -e '/^}/d' %t.mlir > %t.spirv.mlir
// RUN: mlir-translate --no-implicit-module --serialize-spirv %t.spirv.mlir -o %t.spv
// RUN: spirv-val --target-env vulkan1.3 %t.spv
// REQUIRES: spirv-val

// The form of a module: version 1.6, where entry points list their buffers, which
// are bindings 0, 1 and so on of descriptor set 0.

module {
// CHECK: spirv.module @kernels Logical GLSL450 requires #spirv.vce<v1.6, [{{.*}}Shader{{.*}}]
// CHECK-DAG: spirv.GlobalVariable @[[A:.+_arg_0]] bind(0, 0) : {{.*}}!spirv.array<64 x f32, stride=4>
// CHECK-DAG: spirv.GlobalVariable @[[B:.+_arg_1]] bind(0, 1)
// CHECK-NOT: gpu.
gpu.module @kernels {
  // CHECK-LABEL: spirv.func @stated
  // CHECK: spirv.mlir.addressof @[[A]]
  // CHECK: spirv.FAdd {{.*}} {no_contraction} : f32
  // CHECK: spirv.EntryPoint "GLCompute" @stated{{.*}}@[[A]]{{.*}}@[[B]]
  // CHECK: spirv.ExecutionMode @stated "LocalSize", 32, 2, 1
  gpu.func @stated(%a: memref<64xf32>, %b: memref<8x8xf32>) kernel
      attributes {spirv.entry_point_abi = #spirv.entry_point_abi<workgroup_size = [32, 2, 1]>} {
    %x = gpu.thread_id x
    %y = gpu.thread_id y
    %w = gpu.block_id x
    %n = gpu.grid_dim x
    %0 = arith.muli %w, %n : index
    %1 = arith.addi %0, %x : index
    %v = memref.load %a[%1] : memref<64xf32>
    %s = arith.addf %v, %v : f32
    memref.store %s, %b[%y, %x] : memref<8x8xf32>
    gpu.return
  }
  // CHECK: spirv.EntryPoint "GLCompute" @known
  // CHECK: spirv.ExecutionMode @known "LocalSize", 64, 1, 1
  gpu.func @known(%a: memref<64xf32>) kernel
      attributes {known_block_size = array<i32: 64, 1, 1>} {
    %i = gpu.thread_id x
    %v = memref.load %a[%i] : memref<64xf32>
    %s = arith.mulf %v, %v : f32
    memref.store %s, %a[%i] : memref<64xf32>
    gpu.return
  }
}
}
