//===- Passes.h - Code generation passes ------------------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What every pass does is said in Passes.td.
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_CODEGEN_PASSES_H
#define NNHAL_CODEGEN_PASSES_H

#include "nnhal/Codegen/EntryFunction.h"

#include "mlir/Pass/Pass.h"

namespace nnhal {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "nnhal/Codegen/Passes.h.inc"

} // namespace nnhal

#endif // NNHAL_CODEGEN_PASSES_H
