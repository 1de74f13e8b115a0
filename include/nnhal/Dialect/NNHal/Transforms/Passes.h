//===- Passes.h - Passes within the nnhal dialect ---------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_DIALECT_NNHAL_TRANSFORMS_PASSES_H
#define NNHAL_DIALECT_NNHAL_TRANSFORMS_PASSES_H

#include "mlir/Pass/Pass.h"

namespace nnhal {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "nnhal/Dialect/NNHal/Transforms/Passes.h.inc"

} // namespace nnhal

#endif // NNHAL_DIALECT_NNHAL_TRANSFORMS_PASSES_H
