//===- RuntimeOps.td - What code asks of the runtime -------*- tablegen -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Operations of models whose extents, parameters or results are known only
// while they run.
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_DIALECT_RUNTIME_RUNTIMEOPS
#define NNHAL_DIALECT_RUNTIME_RUNTIMEOPS

include "mlir/IR/OpBase.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Runtime_Dialect : Dialect {
  let name = "nnrt";
  let cppNamespace = "::nnhal::runtime";
  let summary = "what compiled code asks of the runtime";
  let description = [{
    Services of the runtime that executes a compiled model: checks that end the
    execution, memory, outputs, the clock, and routines for irregular
    operations. Each becomes loads and calls through the execution context
    (EntryAbi.h) that the entry function takes; `nnhal-lower-runtime-operations`
    does that for every target whose code runs on the host.
  }];
}

class Runtime_Op<string mnemonic, list<Trait> traits = []>
    : Op<Runtime_Dialect, mnemonic, traits>;

def Runtime_AnyTensor : AnyTypeOf<[AnyRankedTensor, AnyMemRef],
                                 "ranked tensor or memref">;

def Runtime_CheckOp : Runtime_Op<"check", [MemoryEffects<[MemWrite]>]> {
  let summary = "ends the execution unless a condition holds";
  let description = [{
    `reason` is a number of FailureReasons.def; `found` and `bound` stand in its
    message.

    ```mlir
    nnrt.check %isInRange, %index, %extent reason 4
    ```
  }];
  let arguments = (ins I1:$condition, I64:$found, I64:$bound, I32Attr:$reason);
  let assemblyFormat =
      "$condition `,` $found `,` $bound `reason` $reason attr-dict";
}

def Runtime_IsPresentOp : Runtime_Op<"is_present"> {
  let summary = "whether the request gives an input of the model";
  let description = [{
    False where the memory behind an input is null, which only that of an input
    of the model can be.

    ```mlir
    %0 = nnrt.is_present %input : tensor<4xf32>
    ```
  }];
  let arguments = (ins Runtime_AnyTensor:$input);
  let results = (outs I1:$result);
  let assemblyFormat = "$input attr-dict `:` type($input)";
}

def Runtime_DeliverOp : Runtime_Op<"deliver", [MemoryEffects<[MemWrite]>]> {
  let summary = "hands an output to the caller";
  let description = [{
    Reports the extents of output `output`, and copies its elements where the
    caller's memory suffices.

    ```mlir
    nnrt.deliver %value output 0 : tensor<?xf32>
    ```
  }];
  let arguments = (ins Runtime_AnyTensor:$value, I64Attr:$output);
  let assemblyFormat = "$value `output` $output attr-dict `:` type($value)";
}

def Runtime_AllocateOp : Runtime_Op<"allocate", [MemoryEffects<[MemAlloc]>]> {
  let summary = "memory that the runtime frees when the execution ends";
  let description = [{
    `extents` are those of the dimensions that the type leaves open. The
    execution ends when there is no memory.

    ```mlir
    %0 = nnrt.allocate(%extent) : memref<?x4xf32>
    ```
  }];
  let arguments = (ins Variadic<Index>:$extents);
  let results = (outs AnyMemRef:$memory);
  let assemblyFormat = "`(` $extents `)` attr-dict `:` type($memory)";
}

def Runtime_CallRoutineOp : Runtime_Op<"call_routine", [MemoryEffects<[MemWrite]>]> {
  let summary = "calls a routine of the runtime";
  let description = [{
    The routine in `slot` of docs/Compiler/Routines.md. `signature` describes the
    HAL operation with its parameters as the runtime reads it; the results are
    allocated by the routine. `reason`, a phrase, says why there is no code for
    the operation, where other uses of it have some.

    ```mlir
    %0:2 = nnrt.call_routine(%x) slot 0 signature [...]
           : (tensor<4xf32>) -> (tensor<2xf32>, tensor<2xi32>)
    ```
  }];
  let arguments = (ins Variadic<Runtime_AnyTensor>:$inputs, I32Attr:$slot,
                       DenseI8ArrayAttr:$signature,
                       OptionalAttr<StrAttr>:$reason);
  let results = (outs Variadic<Runtime_AnyTensor>:$results);
  let assemblyFormat = [{
    `(` $inputs `)` `slot` $slot `signature` $signature attr-dict `:`
    functional-type($inputs, $results)
  }];
}

def Runtime_LoopBeginOp : Runtime_Op<"loop_begin", [MemoryEffects<[MemRead]>]> {
  let summary = "the time at which a WHILE begins, in nanoseconds";
  let description = [{
    The clock is that of the deadline. `nnrt.loop_check` takes the time again.

    ```mlir
    %0 = nnrt.loop_begin
    ```
  }];
  let results = (outs I64:$time);
  let assemblyFormat = "attr-dict";
}

def Runtime_LoopCheckOp : Runtime_Op<"loop_check", [MemoryEffects<[MemWrite]>]> {
  let summary = "ends the execution when a WHILE takes too long";
  let description = [{
    Also when the execution was cancelled or its deadline passed (D-085).

    ```mlir
    nnrt.loop_check %begin
    ```
  }];
  let arguments = (ins I64:$begin);
  let assemblyFormat = "$begin attr-dict";
}

#endif // NNHAL_DIALECT_RUNTIME_RUNTIMEOPS
