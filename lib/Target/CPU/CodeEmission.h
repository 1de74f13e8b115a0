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

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/SmallVector.h"

#include <cstddef>
#include <vector>

namespace nnhal {

/// An object for each of the modules (LLVM dialect) that \p module consists of.
/// Fails when the objects together would need a symbol that an artifact may not
/// import (decisions 6).
/// Threads: works on those of the context of \p module. Stops when \p
/// cancellation is requested; what it returns then, a success included, is not
/// the code.
rt::Result<std::vector<Object>> emitObjects(mlir::ModuleOp module,
                                            const Machine &target,
                                            Cancellation &cancellation);

} // namespace nnhal

#endif // NNHAL_LIB_TARGET_CPU_CODEEMISSION_H
