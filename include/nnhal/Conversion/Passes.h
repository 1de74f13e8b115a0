//===- Passes.h - Conversion passes -----------------------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_CONVERSION_PASSES_H
#define NNHAL_CONVERSION_PASSES_H

#include "nnhal/Conversion/NNHalToFunc.h"
#include "nnhal/Conversion/NNHalToLinalg.h"

namespace nnhal {

#define GEN_PASS_REGISTRATION
#include "nnhal/Conversion/Passes.h.inc"

} // namespace nnhal

#endif // NNHAL_CONVERSION_PASSES_H
