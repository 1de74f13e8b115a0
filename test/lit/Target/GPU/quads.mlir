// RUN: nnhal-opt %s --nnhal-gpu-kernels-to-spirv -o %t.spv.mlir
// RUN: FileCheck %s --input-file=%t.spv.mlir --check-prefix=SPIRV
// RUN: sed -e '/^module/d' -e '/^}/d' %t.spv.mlir > %t.spirv.mlir
// RUN: mlir-translate --no-implicit-module --serialize-spirv %t.spirv.mlir -o %t.spv
// RUN: spirv-val --target-env vulkan1.3 %t.spv
// RUN: nnhal-opt %s --nnhal-gpu-kernels-to-nvvm -o %t.nvvm.mlir
// RUN: FileCheck %s --input-file=%t.nvvm.mlir --check-prefix=NVVM
// RUN: nnhal-opt %t.nvvm.mlir --nnhal-gpu-print-ptx -o /dev/null | FileCheck %s --check-prefix=PTX
// REQUIRES: spirv-val

// Products of four signed bytes are one instruction on both kinds of devices,
// and the sum so far is not saturated.

module {
gpu.module @kernels {
  // SPIRV-LABEL: spirv.func @dot(
  // SPIRV: %[[PRODUCTS:.+]] = spirv.SDot %[[LHS:.+]], %[[RHS:.+]], <PackedVectorFormat4x8Bit> : i32 -> i32
  // SPIRV: spirv.IAdd %{{.+}}, %[[PRODUCTS]] : i32
  // NVVM-LABEL: llvm.func @dot(
  // NVVM: nvvm.dot.accumulate.4way %{{.+}} <signed>, %{{.+}} <signed>, %{{.+}} : vector<4xi8>, vector<4xi8>
  // PTX-LABEL: .entry dot(
  // PTX: dp4a.s32.s32
  gpu.func @dot(%lhs: memref<64xi32>, %rhs: memref<64xi32>, %sums: memref<64xi32>) kernel
      attributes {known_block_size = array<i32: 64, 1, 1>} {
    %i = gpu.thread_id x
    %a = memref.load %lhs[%i] : memref<64xi32>
    %b = memref.load %rhs[%i] : memref<64xi32>
    %sum = memref.load %sums[%i] : memref<64xi32>
    %next = nngpu.dot_4x8 %a, %b, %sum
    memref.store %next, %sums[%i] : memref<64xi32>
    gpu.return
  }
}
}
