//===- Passes.td - Passes of the GPU target ----------------*- tablegen -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// From linalg on buffers to a command list and a module of kernels. The passes
// stand in the order in which the pipeline runs them.
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_TARGET_GPU_PASSES_TD
#define NNHAL_TARGET_GPU_PASSES_TD

include "mlir/Pass/PassBase.td"

def PlaceBranchResults
    : Pass<"nnhal-gpu-place-branch-results", "::mlir::func::FuncOp"> {
  let summary = "Let branches write their results to buffers";
  let description = [{
    Commands name fixed buffers: which one a branch has computed cannot be a
    value. Each tensor of known extents that `scf.if` or `arith.select` yields
    gets a buffer, to which either side writes.

    ```mlir
    %0 = scf.if %condition -> tensor<4xf32> {
      scf.yield %x : tensor<4xf32>
    } else {
      scf.yield %y : tensor<4xf32>
    }
    // becomes
    %buffer = memref.alloc() : memref<4xf32>
    scf.if %condition {
      bufferization.materialize_in_destination %x in restrict writable %buffer
    } else {
      bufferization.materialize_in_destination %y in restrict writable %buffer
    }
    %0 = bufferization.to_tensor %buffer restrict
    ```
  }];
  let statistics = [
    Statistic<"numPlaced", "num-placed", "Results placed">
  ];
  let dependentDialects = ["::mlir::bufferization::BufferizationDialect",
                           "::mlir::memref::MemRefDialect",
                           "::mlir::scf::SCFDialect"];
}

def UseHalves : Pass<"nnhal-gpu-use-halves", "::mlir::func::FuncOp"> {
  let summary = "Store results of relaxed models, and filters, as f16";
  let description = [{
    In a function that is `nnhal.relaxed`, results of f32 that an elementwise
    operation or a micro-kernel computes for others of the kind are stored as
    f16, and widened by whoever reads them, unless integers are involved. In any
    function that is done with results that have been rounded to f16 already.
    The constant filter of convolutions whose input is f16 becomes f16: in
    relaxed functions where no weight is beyond the numbers of f16, otherwise
    where each is one of them. Devices of a class
    without f16 in memory (`device_class` of the target) keep f32.

    ```mlir
    %0 = nnk.conv_2d ins(%in, ...) -> tensor<1x8x8x16xf32>
    %1 = nnk.conv_2d ins(%0, ...) -> tensor<1x8x8x16xf32>
    // becomes
    %0 = nnk.conv_2d ins(%in, ...) epilogue {
    ^bb0(%sum: f32):
      %half = arith.truncf %sum : f32 to f16
      nnk.yield %half : f16
    } -> tensor<1x8x8x16xf16>
    %1 = nnk.conv_2d ins(%0, ...) -> tensor<1x8x8x16xf32>
    ```
  }];
  let statistics = [
    Statistic<"numStored", "num-stored", "Results stored as f16">,
    Statistic<"numFilters", "num-filters", "Filters stored as f16">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::tensor::TensorDialect",
                           "::nnhal::kernel::KernelDialect"];
}

def FlattenControlFlow
    : Pass<"nnhal-gpu-flatten-control-flow", "::mlir::func::FuncOp"> {
  let summary = "Unroll the outer loops around kernels";
  let description = [{
    Loops around linalg operations, as those of recurrent networks, are unrolled
    where the number of rounds is a constant: a list of commands has no rounds
    but those of WHILE. That happens in the body of the entry function, and in
    those of IF and WHILE. Whether a request omits an input
    (`nnrt.is_present`) is a word of `nngpu.status`.
  }];
  let options = [
    Option<"maxOperations", "max-operations", "int64_t", /*default=*/"65536",
           "Most operations that a loop may become">
  ];
  let statistics = [
    Statistic<"numUnrolled", "num-unrolled", "Loops unrolled">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::memref::MemRefDialect",
                           "::mlir::scf::SCFDialect",
                           "::nnhal::nngpu::GPUDialect"];
}

def KeepScalars : Pass<"nnhal-gpu-keep-scalars", "::mlir::func::FuncOp"> {
  let summary = "Store scalars whose buffers are overwritten before they are used";
  let description = [{
    No command keeps a scalar: kernels load it again, or compute it again from
    what they load. Where such a buffer has been overwritten by then, the scalar
    gets a buffer of its own.

    ```mlir
    %x = memref.load %buffer[%i] : memref<4xf32>
    memref.copy %other, %buffer : memref<4xf32> to memref<4xf32>
    memref.store %x, %y[%i] : memref<4xf32>
    // becomes
    %keep = memref.alloc() : memref<1xf32>
    %x = memref.load %buffer[%i] : memref<4xf32>
    memref.store %x, %keep[%c0] : memref<1xf32>
    %kept = memref.load %keep[%c0] : memref<1xf32>
    memref.copy %other, %buffer : memref<4xf32> to memref<4xf32>
    memref.store %kept, %y[%i] : memref<4xf32>
    ```
  }];
  let statistics = [
    Statistic<"numKept", "num-kept", "Scalars kept">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::memref::MemRefDialect"];
}

def FormDispatches : Pass<"nnhal-gpu-form-dispatches", "::mlir::ModuleOp"> {
  let summary = "Outline each operation as a kernel, and dispatch it";
  let description = [{
    Each linalg operation in the body of the entry function, or in that of an IF
    or WHILE, becomes a kernel of `gpu.module @kernels`, with an invocation for
    each element of its result that goes through the reductions in order and
    keeps sums in registers, and an `nngpu.dispatch`. A micro-kernel (`nnk`) is
    divided as the class of the device has it (`device_class` of the target). A
    `linalg.fill` before a reduction becomes the first value of its sums. Copies
    and fills of whole buffers become commands. `scf.if` around such operations
    becomes `nngpu.if`, the `scf.while` of a WHILE `nngpu.while`, each with a
    kernel that stores the condition. Loops that are left, stores of scalars and
    checks become kernels of one invocation; checks report to `nngpu.status`.
    Scalars that a kernel needs are computed in the kernel. Equal kernels are
    one.

    ```mlir
    linalg.generic {...} ins(%x : memref<4x32xf32>) outs(%y : memref<4x32xf32>)
    // becomes
    nngpu.dispatch @kernels::@kernel_0 groups [2, 1, 1] (%x, %y)
        writes [false, true] : memref<4x32xf32>, memref<4x32xf32>
    ```
  }];
  let options = [
    Option<"workgroupSize", "workgroup-size", "int64_t", /*default=*/"64",
           "Invocations of a workgroup of kernels that compute an element "
           "each; the class of the device has those of others">
  ];
  let statistics = [
    Statistic<"numDispatches", "num-dispatches", "Dispatches formed">,
    Statistic<"numKernels", "num-kernels", "Kernels that differ">,
    Statistic<"numSerial", "num-serial-kernels",
              "Dispatches of a single invocation">
  ];
  let dependentDialects = ["::mlir::affine::AffineDialect",
                           "::mlir::arith::ArithDialect",
                           "::mlir::gpu::GPUDialect",
                           "::mlir::linalg::LinalgDialect",
                           "::mlir::math::MathDialect",
                           "::mlir::memref::MemRefDialect",
                           "::mlir::scf::SCFDialect",
                           "::mlir::spirv::SPIRVDialect",
                           "::mlir::vector::VectorDialect",
                           "::nnhal::nngpu::GPUDialect"];
}

def PlanBarriers : Pass<"nnhal-gpu-plan-barriers", "::mlir::ModuleOp"> {
  let summary = "Insert the barriers that dependences between commands need";
  let description = [{
    Runs when memory is planned. A barrier is put before a command that reads
    what a command since the last barrier wrote, or writes what one read or
    wrote. Ranges of bytes decide: buffers that share memory of the arena at
    different times depend on each other, branches that touch different memory
    do not. The host waits for all commands before it decides, so that none is
    needed across the beginning of an `nngpu.if` or a round of an `nngpu.while`.
  }];
  let statistics = [
    Statistic<"numBarriers", "num-barriers", "Barriers inserted">
  ];
  let dependentDialects = ["::nnhal::nngpu::GPUDialect"];
}

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

    Products of matrices (`gpu.subgroup_mma_compute`) become instructions of
    `SPV_KHR_cooperative_matrix` where the class of the device (`device_class` of
    the target) has those, in a module with the memory model of Vulkan. Elsewhere
    each invocation computes its elements of them, one product after the other.

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

def KernelsToNvvm : Pass<"nnhal-gpu-kernels-to-nvvm", "::mlir::ModuleOp"> {
  let summary = "Convert kernels to functions of LLVM's dialect for NVIDIA's GPUs";
  let description = [{
    Functions of each `gpu.module` become functions of LLVM's dialect in the same
    module, whose arguments are addresses of global memory, one for each buffer.
    What kernels have to say is what `nnhal-gpu-kernels-to-spirv` expects of them,
    and buffers become flat as there. Indices have 32 bits. Launches must have the
    workgroups that the kernel states (`nvvm.reqntid`).

    Nothing that rounds is contracted or reassociated, unless its fast-math flags
    say that it may be (`contract`). Functions of mathematics are expanded as for
    shaders, since there is no libdevice; the ones that nothing expands are
    refused.

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
                           "::mlir::cf::ControlFlowDialect",
                           "::mlir::gpu::GPUDialect",
                           "::mlir::LLVM::LLVMDialect",
                           "::mlir::math::MathDialect",
                           "::mlir::memref::MemRefDialect",
                           "::mlir::NVVM::NVVMDialect",
                           "::mlir::scf::SCFDialect",
                           "::mlir::spirv::SPIRVDialect",
                           "::mlir::vector::VectorDialect"];
}

def PrintPtx : Pass<"nnhal-gpu-print-ptx", "::mlir::ModuleOp"> {
  let summary = "Print the PTX that kernels in LLVM's dialect become";
  let description = [{
    Writes to the standard output what the artifact of the target `cuda` gets,
    and changes nothing:

    ```sh
    nnhal-opt model.mlir --nnhal-compile=target=cuda --nnhal-gpu-print-ptx -o /dev/null
    ```
  }];
}

#endif // NNHAL_TARGET_GPU_PASSES_TD
