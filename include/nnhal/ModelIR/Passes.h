//===- Passes.h - Passes on whole models ------------------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_MODELIR_PASSES_H
#define NNHAL_MODELIR_PASSES_H

#include "mlir/Pass/Pass.h"

namespace nnhal {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "nnhal/ModelIR/Passes.h.inc"

} // namespace nnhal

#endif // NNHAL_MODELIR_PASSES_H
