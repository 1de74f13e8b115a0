//===- Passes.td - Passes of the GPU target ----------------*- tablegen -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// These passes are for code for GPUs alone. They stand in the order in which
// the pipeline runs them.
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_TARGET_GPU_PASSES_TD
#define NNHAL_TARGET_GPU_PASSES_TD

include "mlir/Pass/PassBase.td"

def KernelsToSpirv : Pass<"nnhal-gpu-kernels-to-spirv", "::mlir::ModuleOp"> {
  let summary = "Convert kernels to SPIR-V modules for Vulkan";
  let description = [{
    Each `gpu.module` becomes one `spirv.module` of version 1.6 in its place,
    with an entry point for each kernel. A kernel says the extents of its
    workgroups (`known_block_size` or `spirv.entry_point_abi`), and its arguments
    are buffers of static shape: argument N is binding N of descriptor set 0.

    Every access becomes one of a buffer of one dimension before anything else
    happens, through all views in between, so that loop-invariant parts of
    addresses leave their loops. Upstream's SPIR-V patterns know strides that are
    numbers only, and `fold-memref-alias-ops` no `memref.reinterpret_cast`.

    Arithmetic of floats is not contracted or reassociated (`NoContraction`),
    unless its fast-math flags say that it may be (`contract`): what rounds
    exactly on a CPU does so on a GPU, and expansions of functions depend on it.
    `math.fma` may be fused.

    ```mlir
    gpu.module @kernels {
      gpu.func @twice(%a: memref<64xf32>, %b: memref<64xf32>) kernel
          attributes {known_block_size = array<i32: 64, 1, 1>} {
        %i = gpu.thread_id x
        %x = memref.load %a[%i] : memref<64xf32>
        %y = arith.addf %x, %x : f32
        memref.store %y, %b[%i] : memref<64xf32>
        gpu.return
      }
    }
    ```
  }];
  let statistics = [
    Statistic<"numKernels", "num-kernels", "Kernels converted">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::gpu::GPUDialect",
                           "::mlir::math::MathDialect",
                           "::mlir::memref::MemRefDialect",
                           "::mlir::scf::SCFDialect",
                           "::mlir::spirv::SPIRVDialect",
                           "::mlir::vector::VectorDialect"];
}

#endif // NNHAL_TARGET_GPU_PASSES_TD
