//===- Linker.h - Objects to a shared object --------------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_COMPILER_LINKER_H
#define NNHAL_LIB_COMPILER_LINKER_H

#include "Target/TargetBackend.h"

namespace nnhal {

/// \p objects as a position-independent shared object without dependencies.
/// Threads: calls wait for each other; lld has global state.
rt::Result<std::vector<std::byte>> linkObjects(llvm::ArrayRef<Object> objects);

} // namespace nnhal

#endif // NNHAL_LIB_COMPILER_LINKER_H
