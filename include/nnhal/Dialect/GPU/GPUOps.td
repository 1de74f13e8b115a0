//===- GPUOps.td - What a GPU executes of a model ----------*- tablegen -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The commands of a GPU program. Each is a command of the artifact
// (lib/Runtime/Artifact/GpuProgram.h), in the order of the function's body.
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_DIALECT_GPU_GPUOPS
#define NNHAL_DIALECT_GPU_GPUOPS

include "mlir/IR/OpBase.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def GPU_Dialect : Dialect {
  let name = "nngpu";
  let cppNamespace = "::nnhal::nngpu";
  let summary = "the command list of a GPU";
  let description = [{
    A program for a GPU is a function of one block: dispatches of kernels, which
    are functions of a `gpu.module` (of a `spirv.module` later), copies and
    fills, with barriers between those that depend on each other. The operands
    are whole buffers. Between commands the host does nothing but decide which
    come next (`nngpu.if`, `nngpu.while`), by a word of `nngpu.status`.
    `nngpu.dot_4x8` alone is no command: kernels compute it.

    ```mlir
    nngpu.fill %sums with 0 : memref<16xf32>
    nngpu.barrier
    nngpu.dispatch @kernels::@kernel_0 groups [4, 1, 1] (%x, %sums)
        writes [false, true] : memref<16x16xf32>, memref<16xf32>
    ```
  }];
}

class GPU_Op<string mnemonic, list<Trait> traits = []>
    : Op<GPU_Dialect, mnemonic, traits>;

def GPU_DispatchOp : GPU_Op<"dispatch", [
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
    DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "executes a kernel";
  let description = [{
    `groups` are the workgroups along x, y and z. `writes` tells for each buffer
    whether the kernel stores to it; it reads from all of them.

    ```mlir
    nngpu.dispatch @kernels::@kernel_0 groups [3, 1, 1] (%x, %y)
        writes [false, true] : memref<130xf32>, memref<130xf32>
    ```
  }];
  let arguments = (ins SymbolRefAttr:$kernel, DenseI32ArrayAttr:$groups,
                       Variadic<AnyMemRef>:$buffers, DenseBoolArrayAttr:$writes);
  let assemblyFormat = [{
    $kernel `groups` $groups `(` $buffers `)` `writes` $writes attr-dict `:`
    type($buffers)
  }];
  let hasVerifier = 1;
}

def GPU_CopyOp : GPU_Op<"copy"> {
  let summary = "copies a buffer";
  let description = [{
    Of as many bytes as both buffers have, whatever their elements are.

    ```mlir
    nngpu.copy %x to %y : memref<4x4xf32> to memref<16xf32>
    ```
  }];
  let arguments = (ins Arg<AnyMemRef, "", [MemRead]>:$source,
                       Arg<AnyMemRef, "", [MemWrite]>:$target);
  let assemblyFormat =
      "$source `to` $target attr-dict `:` type($source) `to` type($target)";
  let hasVerifier = 1;
}

def GPU_FillOp : GPU_Op<"fill"> {
  let summary = "fills a buffer with a word";
  let description = [{
    The bits of `word` are repeated every four bytes.

    ```mlir
    nngpu.fill %y with 1065353216 : memref<16xf32>
    ```
  }];
  let arguments = (ins Arg<AnyMemRef, "", [MemWrite]>:$target, I32Attr:$word);
  let assemblyFormat = "$target `with` $word attr-dict `:` type($target)";
  let hasVerifier = 1;
}

def GPU_BarrierOp : GPU_Op<"barrier", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "lets later commands wait for earlier ones";
  let description = [{
    What commands before it wrote is seen by those after it, which overwrite
    nothing that the ones before still read.

    ```mlir
    nngpu.barrier
    ```
  }];
  let assemblyFormat = "attr-dict";
}

class GPU_ControlOp<string mnemonic>
    : GPU_Op<mnemonic, [NoRegionArguments, NoTerminator, SingleBlock,
                        MemoryEffects<[MemRead, MemWrite]>]>;

def GPU_IfOp : GPU_ControlOp<"if"> {
  let summary = "executes one of two lists of commands";
  let description = [{
    The host waits for earlier commands. It executes the first list if the word
    of `nngpu.status` for conditions is not 0, the second one otherwise.

    ```mlir
    nngpu.if {
      nngpu.copy %x to %z : memref<16xf32> to memref<16xf32>
    } else {
      nngpu.copy %y to %z : memref<16xf32> to memref<16xf32>
    }
    ```
  }];
  let regions = (region SizedRegion<1>:$thenRegion, SizedRegion<1>:$elseRegion);
  let assemblyFormat = "$thenRegion `else` $elseRegion attr-dict";
}

def GPU_WhileOp : GPU_ControlOp<"while"> {
  let summary = "executes a list of commands again and again";
  let description = [{
    The host waits for earlier commands, and executes the first list. If the
    word of `nngpu.status` for conditions is not 0 then, it executes the second
    list and begins again. The execution fails when another round would begin after
    the time-out of loops.

    ```mlir
    nngpu.while {
      nngpu.dispatch @kernels::@is_less groups [1, 1, 1] (%i, %n, %status)
          writes [false, false, true] : memref<1xi32>, memref<1xi32>, memref<8xi32>
    } do {
      nngpu.dispatch @kernels::@add_one groups [1, 1, 1] (%i) writes [true]
          : memref<1xi32>
    }
    ```
  }];
  let regions = (region SizedRegion<1>:$condition, SizedRegion<1>:$body);
  let assemblyFormat = "$condition `do` $body attr-dict";
}

def GPU_StatusOp : GPU_Op<"status", [MemoryEffects<[MemRead]>]> {
  let summary = "the words that kernels and the host tell each other";
  let description = [{
    Number of failed checks, reason of the first, its operation, the condition
    of the next `nngpu.if` or `nngpu.while`, then the 64 bits of what was found
    and of the bound. These eight are 0 when a program begins. Then a word for
    each input of the model, which kernels read: 0 where the request omits it.

    ```mlir
    %status = nngpu.status : memref<10xi32>
    ```
  }];
  let results = (outs MemRefRankOf<[I32], [1]>:$words);
  let assemblyFormat = "attr-dict `:` type($words)";
}

def GPU_Dot4x8Op : GPU_Op<"dot_4x8", [Pure]> {
  let summary = "adds four products of signed bytes to a sum";
  let description = [{
    Each factor is a word of four bytes, those of lower addresses in lower bits.
    The sum is modulo 2^32. Vulkan's OpSDot, and dp4a of PTX.

    ```mlir
    %sum = nngpu.dot_4x8 %x, %w, %first
    ```
  }];
  let arguments = (ins I32:$lhs, I32:$rhs, I32:$sum);
  let results = (outs I32:$result);
  let assemblyFormat = "$lhs `,` $rhs `,` $sum attr-dict";
}

#endif // NNHAL_DIALECT_GPU_GPUOPS
