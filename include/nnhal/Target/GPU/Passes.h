//===- Passes.h - Passes of the GPU target ----------------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Passes.td says what each pass does.
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_TARGET_GPU_PASSES_H
#define NNHAL_TARGET_GPU_PASSES_H

#include "mlir/Pass/Pass.h"

namespace nnhal {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "nnhal/Target/GPU/Passes.h.inc"

} // namespace nnhal

#endif // NNHAL_TARGET_GPU_PASSES_H
