//===- EntryFunction.h - The function that computes a graph -----*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Names and checks that the passes between the main graph and the entry
// function share, beside the discardable attributes that the dialect declares.
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_CODEGEN_ENTRYFUNCTION_H
#define NNHAL_CODEGEN_ENTRYFUNCTION_H

#include "nnhal/Dialect/NNHal/IR/DiscardableAttributes.h"

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

/// The symbol of the function that EmitEntry adds.
inline constexpr llvm::StringLiteral entrySymbolName = "nnhal_entry";

/// The function with entryAttrName in \p module; null when there is none.
/// Failure after an error when there are several, when it is not directly in
/// \p module, when it is a declaration, or when a function calls it that the
/// passes of the entry would leave with the wrong arguments.
llvm::FailureOr<mlir::func::FuncOp> findEntryFunction(mlir::ModuleOp module);

} // namespace nnhal

#endif // NNHAL_CODEGEN_ENTRYFUNCTION_H
