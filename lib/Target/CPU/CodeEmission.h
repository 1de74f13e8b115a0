//===- CodeEmission.h - LLVM dialect to a shared object ---------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_TARGET_CPU_CODEEMISSION_H
#define NNHAL_LIB_TARGET_CPU_CODEEMISSION_H

#include "Machine.h"

#include "Target/Cancellation.h"
#include "Target/KernelLibrary.h"
#include "Target/TimedPart.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/SmallVector.h"

#include <cstddef>
#include <vector>

namespace nnhal {

/// Moves the kernels of the modules (LLVM dialect) that \p module consists of,
/// functions with `nnhal.kernel`, into modules of their own, which have that
/// attribute then. Such a module depends on nothing but its kernel.
void separateKernels(mlir::ModuleOp module);

/// Objects of the modules that \p module consists of, then those of the kernels
/// that it lists, in its order: of a kernel that is in no module \p library has
/// found the object, and it keeps those of the others. \p part is told of each
/// that is made, by the name of its first function. Fails when the objects
/// together would need a symbol that an artifact may not import (decisions 6).
/// Threads: works on those of the context of \p module. Stops when \p
/// cancellation is requested; what it returns then, a success included, is not
/// the code.
rt::Result<std::vector<Object>> emitObjects(mlir::ModuleOp module,
                                            const Machine &target,
                                            KernelLibrary &library,
                                            Cancellation &cancellation,
                                            const PartObserver &part = {});

/// Whether \p object is readable and defines the functions \p names.
bool definesFunctions(llvm::ArrayRef<char> object,
                      llvm::ArrayRef<llvm::StringRef> names);

} // namespace nnhal

#endif // NNHAL_LIB_TARGET_CPU_CODEEMISSION_H
