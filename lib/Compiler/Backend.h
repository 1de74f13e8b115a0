//===- Backend.h - LLVM dialect to a shared object --------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_COMPILER_BACKEND_H
#define NNHAL_LIB_COMPILER_BACKEND_H

#include "nnhal/Compiler/Target.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/SmallVector.h"

#include <cstddef>
#include <vector>

namespace nnhal {

/// Machine code for \p module (LLVM dialect) as a relocatable object. Fails
/// when the object would need a symbol that an artifact may not import
/// (decisions 6).
rt::Result<llvm::SmallVector<char, 0>> emitObject(mlir::ModuleOp module,
                                                  const Target &target);

/// \p object as a position-independent shared object without dependencies.
/// Threads: calls wait for each other; lld has global state.
rt::Result<std::vector<std::byte>> linkObject(llvm::ArrayRef<char> object);

} // namespace nnhal

#endif // NNHAL_LIB_COMPILER_BACKEND_H
