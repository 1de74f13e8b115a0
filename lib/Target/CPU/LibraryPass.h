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

#include <memory>

namespace nnhal {

/// The base of passes on modules that need a library, which only a compilation
/// has: they are not registered.
template <typename Derived>
struct LibraryPass
    : mlir::PassWrapper<Derived, mlir::OperationPass<mlir::ModuleOp>> {
  /// Set by createLibraryPass().
  KernelLibrary *library = nullptr;

private:
  LibraryPass() = default;
  friend Derived;
};

/// A \p PassT, derived from LibraryPass, which uses \p library.
template <typename PassT>
std::unique_ptr<mlir::Pass> createLibraryPass(KernelLibrary &library) {
  auto pass = std::make_unique<PassT>();
  pass->library = &library;
  return pass;
}

} // namespace nnhal

#endif // NNHAL_LIB_TARGET_CPU_LIBRARYPASS_H
