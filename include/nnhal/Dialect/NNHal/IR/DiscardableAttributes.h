//===- DiscardableAttributes.h - What other operations carry ----*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The attributes of the dialect nnhal on modules, functions, buffers and calls,
// by which passes between a graph and its entry tell each other what operations
// do not say, and by which readers find the result. The dialect verifies each:
// what it is, and what carries it. There are no attributes of the dialect on
// arguments and results.
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_DIALECT_NNHAL_IR_DISCARDABLEATTRIBUTES_H
#define NNHAL_DIALECT_NNHAL_IR_DISCARDABLEATTRIBUTES_H

#include "llvm/ADT/StringRef.h"

namespace nnhal {

//===----------------------------------------------------------------------===//
// The entry function
//===----------------------------------------------------------------------===//

/// Unit attribute of the one function that computes the main graph. Its
/// arguments are the inputs, the outputs (`inputCountAttrName` says where they
/// begin), then the constants and the arena once those passes have run.
inline constexpr llvm::StringLiteral entryAttrName = "nnhal.entry";
/// Integer attribute of that function: the number of inputs.
inline constexpr llvm::StringLiteral inputCountAttrName = "nnhal.input_count";
/// Integer attribute of that function: the number of outputs.
inline constexpr llvm::StringLiteral outputCountAttrName = "nnhal.output_count";
/// Unit attribute of that function: what is f32 may be computed with the range
/// and precision of f16 (relaxComputationFloat32toFloat16 of a model without
/// quantized values).
inline constexpr llvm::StringLiteral relaxedAttrName = "nnhal.relaxed";

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

/// Resource attribute of the module: the bytes of the data cache.
inline constexpr llvm::StringLiteral dataCacheAttrName = "nnhal.data_cache";
/// Integer attribute of the module, set by EmitEntry: bytes of the arena.
inline constexpr llvm::StringLiteral arenaSizeAttrName = "nnhal.arena_size";
/// Integer attribute of the entry function, and of the module once EmitEntry
/// has run: bytes that no memory plan can beat.
inline constexpr llvm::StringLiteral arenaLowerBoundAttrName =
    "nnhal.arena_lower_bound";
/// Unit attribute of a memref.alloca: a loop nest that writes there reads only
/// what it wrote in the same round, so that each round may have its own.
inline constexpr llvm::StringLiteral scratchAttrName = "nnhal.scratch";

/// String array attribute of the module: the extensions whose backends the
/// runtime has, so that code may call them (nnhal/Backend/ExtensionBackend.h).
inline constexpr llvm::StringLiteral calledExtensionsAttrName =
    "nnhal.called_extensions";

//===----------------------------------------------------------------------===//
// Functions and calls
//===----------------------------------------------------------------------===//

/// Integer array attribute of the module, set by LowerRuntimeOperations: the
/// slots of the routines of the runtime that the code calls, ascending.
inline constexpr llvm::StringLiteral routineSlotsAttrName =
    "nnhal.routine_slots";
/// Integer attribute of a function that is one operation on buffers, set by
/// OutlineOperations: how many of its last arguments are arrays of numbers that
/// nothing writes.
inline constexpr llvm::StringLiteral numberArraysAttrName =
    "nnhal.number_arrays";
/// String attribute of such a function: the digest of its content, with which
/// the compiler keeps what becomes of it.
inline constexpr llvm::StringLiteral operationAttrName = "nnhal.operation";
/// Unit attribute of a module inside of another, set by OutlineKernels: copies
/// of such functions, for the records that the compiler keeps.
inline constexpr llvm::StringLiteral keptOperationsAttrName =
    "nnhal.kept_operations";
/// Unit attributes of the declaration of a kernel whose code is kept: threads
/// may share it, so that there is a function that runs pieces of it; and its
/// last argument is the flag by which the runtime cancels executions.
inline constexpr llvm::StringLiteral isSplitAttrName = "nnhal.is_split";
inline constexpr llvm::StringLiteral pollsFlagAttrName = "nnhal.polls_flag";
/// String attribute of an nnhal.operation of an extension, set by
/// RaiseOperations: why no dialect raises it, a phrase.
inline constexpr llvm::StringLiteral callReasonAttrName = "nnhal.call_reason";
/// Integer attribute of a call of a kernel that takes a range [begin, end) as
/// its first arguments: the least that is worth a piece of its own. The call
/// has the whole range.
inline constexpr llvm::StringLiteral grainAttrName = "nnhal.grain";
/// Unit attribute of a module whose functions pass descriptors of buffers even
/// where pointers would do, as functions elsewhere do that belong to them.
inline constexpr llvm::StringLiteral passesDescriptorsAttrName =
    "nnhal.passes_descriptors";
/// String attribute of the functions of a kernel, set by NameKernels, and of a
/// module that has nothing else: the digest of its content. Kernels of any
/// module with one digest have the same machine code.
inline constexpr llvm::StringLiteral kernelAttrName = "nnhal.kernel";
/// String array attribute of the module: the digests of its kernels in the
/// order in which their code is linked.
inline constexpr llvm::StringLiteral kernelsAttrName = "nnhal.kernels";
/// String attribute of a module that nnhal-compile leaves: the phase after
/// which it stopped.
inline constexpr llvm::StringLiteral phaseAttrName = "nnhal.phase";

//===----------------------------------------------------------------------===//
// Steps of a partitioned model
//===----------------------------------------------------------------------===//

/// String array attribute of the module that nnhal-partition leaves: the plan
/// in words, a line each.
inline constexpr llvm::StringLiteral planAttrName = "nnhal.plan";
/// These attributes of the nnhal.model of a step state the name of its device;
/// the number of the graph that the step is from; the operations, inputs and
/// outputs of that graph which the step has, by number; and why each operation
/// is on that device.
inline constexpr llvm::StringLiteral deviceAttrName = "nnhal.device";
inline constexpr llvm::StringLiteral subgraphAttrName = "nnhal.subgraph";
inline constexpr llvm::StringLiteral sourceOperationsAttrName =
    "nnhal.source_operations";
inline constexpr llvm::StringLiteral sourceInputsAttrName =
    "nnhal.source_inputs";
inline constexpr llvm::StringLiteral sourceOutputsAttrName =
    "nnhal.source_outputs";
inline constexpr llvm::StringLiteral reasonsAttrName = "nnhal.reasons";

} // namespace nnhal

#endif // NNHAL_DIALECT_NNHAL_IR_DISCARDABLEATTRIBUTES_H
