//===- RuntimeOps.td - What code asks of the runtime -------*- tablegen -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Operations of models whose extents, parameters or results are known only
// while they run. Each becomes loads of the execution context (EntryAbi.h).
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_DIALECT_KERNEL_RUNTIMEOPS
#define NNHAL_DIALECT_KERNEL_RUNTIMEOPS

def Kernel_AnyTensor : AnyTypeOf<[AnyRankedTensor, AnyMemRef],
                                 "ranked tensor or memref">;

def Kernel_CheckOp : Kernel_Op<"check", [MemoryEffects<[MemWrite]>]> {
  let summary = "ends the execution unless a condition holds";
  let description = [{
    `reason` is a number of FailureReasons.def; `found` and `bound` stand in its
    message.

    ```mlir
    nnk.check %isInRange, %index, %extent {reason = 4 : i32}
    ```
  }];
  let arguments = (ins I1:$condition, I64:$found, I64:$bound, I32Attr:$reason);
  let assemblyFormat = "$condition `,` $found `,` $bound attr-dict";
}

def Kernel_IsPresentOp : Kernel_Op<"is_present"> {
  let summary = "whether the request gives an input of the model";
  let description = [{
    False where the memory behind an input is null, which only that of an input
    of the model can be.
  }];
  let arguments = (ins Kernel_AnyTensor:$input);
  let results = (outs I1:$result);
  let assemblyFormat = "$input attr-dict `:` type($input)";
}

def Kernel_DeliverOp : Kernel_Op<"deliver", [MemoryEffects<[MemWrite]>]> {
  let summary = "hands an output to the caller";
  let description = [{
    Reports the extents of output `output`, and copies its elements where the
    caller's memory suffices.
  }];
  let arguments = (ins Kernel_AnyTensor:$value, I64Attr:$output);
  let assemblyFormat = "$value attr-dict `:` type($value)";
}

def Kernel_AllocateOp : Kernel_Op<"allocate", [MemoryEffects<[MemAlloc]>]> {
  let summary = "memory that the runtime frees when the execution ends";
  let description = [{
    `extents` are those of the dimensions that the type leaves open. The
    execution ends when there is no memory.
  }];
  let arguments = (ins Variadic<Index>:$extents);
  let results = (outs AnyMemRef:$memory);
  let assemblyFormat = "`(` $extents `)` attr-dict `:` type($memory)";
}

def Kernel_CallRoutineOp : Kernel_Op<"call_routine", [MemoryEffects<[MemWrite]>]> {
  let summary = "calls a routine of the runtime";
  let description = [{
    The routine in `slot` of docs/Compiler/Routines.md. `signature` describes the
    HAL operation with its parameters as the runtime reads it; the results are
    allocated by the routine.

    ```mlir
    %0:2 = nnk.call_routine(%x) {slot = 0 : i32, signature = array<i8: ...>}
           : (tensor<4xf32>) -> (tensor<2xf32>, tensor<2xi32>)
    ```
  }];
  let arguments = (ins Variadic<Kernel_AnyTensor>:$inputs, I32Attr:$slot,
                       DenseI8ArrayAttr:$signature);
  let results = (outs Variadic<Kernel_AnyTensor>:$results);
  let assemblyFormat =
      "`(` $inputs `)` attr-dict `:` functional-type($inputs, $results)";
}

def Kernel_LoopBeginOp : Kernel_Op<"loop_begin", [MemoryEffects<[MemRead]>]> {
  let summary = "the time at which a WHILE begins, in nanoseconds";
  let results = (outs I64:$time);
  let assemblyFormat = "attr-dict";
}

def Kernel_LoopCheckOp : Kernel_Op<"loop_check", [MemoryEffects<[MemWrite]>]> {
  let summary = "ends the execution when a WHILE takes too long";
  let description = [{
    Also when the execution was cancelled or its deadline passed (D-085).
  }];
  let arguments = (ins I64:$begin);
  let assemblyFormat = "$begin attr-dict";
}

#endif // NNHAL_DIALECT_KERNEL_RUNTIMEOPS
