//===- KeptOperations.h - What operations became earlier --------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Loops and vectors of a network are most of what MLIR's passes work on, and
// all that they are needed for, where the machine code of the kernels is kept,
// is to find the names of these. A record of an operation has what outlining
// leaves of its function, calls of kernels with views of its arguments, under a
// digest of the operation on buffers.
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_TARGET_CPU_KEPTOPERATIONS_H
#define NNHAL_LIB_TARGET_CPU_KEPTOPERATIONS_H

#include "Target/KernelLibrary.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Pass/Pass.h"

#include <memory>

namespace nnhal {

/// A pass that gives the functions of nnhal-outline-operations the bodies that
/// the records of \p library have, and declares the kernels which these call,
/// where \p library has the code of all of them.
std::unique_ptr<mlir::Pass> createReuseOperations(KernelLibrary &library);

/// A pass that writes the records of the operations that nnhal-outline-kernels
/// has left in a module of their own, which goes. It runs behind
/// nnhal-name-kernels.
std::unique_ptr<mlir::Pass> createKeepOperations(KernelLibrary &library);

/// The module in \p module for operations of which records are written, or a
/// null module.
mlir::ModuleOp findKeptOperations(mlir::ModuleOp module);

/// Copies those of \p operations, functions that call kernels of \p module and
/// do little else, to a module of those of which records are written. What
/// refers to other symbols than private functions and constant globals of
/// \p module is left out. \p symbols are those of \p module.
void addKeptOperations(llvm::ArrayRef<mlir::func::FuncOp> operations,
                       mlir::ModuleOp module, mlir::SymbolTable &symbols);

} // namespace nnhal

#endif // NNHAL_LIB_TARGET_CPU_KEPTOPERATIONS_H
