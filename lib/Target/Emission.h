//===- Emission.h - What targets emit alike ---------------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_TARGET_EMISSION_H
#define NNHAL_LIB_TARGET_EMISSION_H

#include "TargetBackend.h"

namespace nnhal {

/// Moves the data cache that nnhal-extract-constants left in \p module to
/// \p result.
void takeConstants(mlir::ModuleOp module, EmittedCode &result);

} // namespace nnhal

#endif // NNHAL_LIB_TARGET_EMISSION_H
