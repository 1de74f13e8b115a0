//===- NNHalToFunc.h - Main graph to function -------------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_CONVERSION_NNHALTOFUNC_H
#define NNHAL_CONVERSION_NNHALTOFUNC_H

#include "nnhal/Codegen/EntryFunction.h"

#include "mlir/Pass/Pass.h"

namespace nnhal {

#define GEN_PASS_DECL_CONVERTNNHALGRAPHTOFUNC
#include "nnhal/Conversion/Passes.h.inc"

} // namespace nnhal

#endif // NNHAL_CONVERSION_NNHALTOFUNC_H
