//===- LibraryPass.h - Passes that look kernels up --------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_TARGET_CPU_LIBRARYPASS_H
#define NNHAL_LIB_TARGET_CPU_LIBRARYPASS_H

#include "Target/KernelLibrary.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace nnhal {

/// The base of passes on modules that need a library, which only a compilation
/// has: they are not registered.
template <typename Derived>
struct LibraryPass
    : mlir::PassWrapper<Derived, mlir::OperationPass<mlir::ModuleOp>> {
  explicit LibraryPass(KernelLibrary &library) : library(library) {}

  KernelLibrary &library;
};

} // namespace nnhal

#endif // NNHAL_LIB_TARGET_CPU_LIBRARYPASS_H
