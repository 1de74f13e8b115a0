//===- EntryFunction.h - The function that computes a graph -----*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Names shared by the passes between graph and entry, and by whoever reads
// their result.
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_CODEGEN_ENTRYFUNCTION_H
#define NNHAL_CODEGEN_ENTRYFUNCTION_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/LogicalResult.h"

namespace mlir {
class ModuleOp;
class Operation;
namespace func {
class FuncOp;
} // namespace func
} // namespace mlir

namespace nnhal {

/// Unit attribute of the one function that computes the main graph. Its
/// arguments are the inputs, the outputs (`inputCountAttrName` says where they
/// begin), then the constants and the arena once those passes have run.
inline constexpr llvm::StringLiteral entryAttrName = "nnhal.entry";
/// Integer attribute of that function: the number of inputs.
inline constexpr llvm::StringLiteral inputCountAttrName = "nnhal.input_count";
/// Integer attribute of that function: the number of outputs.
inline constexpr llvm::StringLiteral outputCountAttrName = "nnhal.output_count";
/// Resource attribute of the module: the bytes of the data cache.
inline constexpr llvm::StringLiteral dataCacheAttrName = "nnhal.data_cache";
/// Integer attribute of the module, set by EmitEntry: bytes of the arena.
inline constexpr llvm::StringLiteral arenaSizeAttrName = "nnhal.arena_size";
/// Integer attribute of the entry function, and of the module once EmitEntry
/// has run: bytes that no memory plan can beat.
inline constexpr llvm::StringLiteral arenaLowerBoundAttrName =
    "nnhal.arena_lower_bound";
/// Integer array attribute of the module, set by LowerRuntimeOperations: the
/// slots of the routines of the runtime that the code calls, ascending.
inline constexpr llvm::StringLiteral routineSlotsAttrName =
    "nnhal.routine_slots";
/// Unit attribute of a loop (scf.for): its rounds write different elements, and
/// none reads what another writes, in whichever rounds of the loops around it
/// they stand. Whoever emits a loop knows; nothing is derived from the code.
inline constexpr llvm::StringLiteral parallelLoopAttrName = "nnhal.parallel";
/// Unit attribute of a memref.alloca: a loop nest that writes there reads only
/// what it wrote in the same round, so that each round may have its own.
inline constexpr llvm::StringLiteral scratchAttrName = "nnhal.scratch";
/// Integer attribute of a call of a kernel that takes a range [begin, end) as
/// its first arguments: the least that is worth a piece of its own. The call
/// has the whole range.
inline constexpr llvm::StringLiteral grainAttrName = "nnhal.grain";
/// The symbol of the function that EmitEntry adds.
inline constexpr llvm::StringLiteral entrySymbolName = "nnhal_entry";

/// The function with entryAttrName in \p module; null when there is none.
/// Failure after an error when there are several, when it is not directly in
/// \p module, when it is a declaration, or when a function calls it that the
/// passes of the entry would leave with the wrong arguments.
llvm::FailureOr<mlir::func::FuncOp> findEntryFunction(mlir::ModuleOp module);

} // namespace nnhal

#endif // NNHAL_CODEGEN_ENTRYFUNCTION_H
