//===- DoublingHighMul.h - The high half of products ------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_CONVERSION_COMMON_DOUBLINGHIGHMUL_H
#define NNHAL_LIB_CONVERSION_COMMON_DOUBLINGHIGHMUL_H

#include "mlir/IR/PatternMatch.h"

namespace nnhal {

/// Adds the pattern that makes a product of i64 of each nnk.doubling_high_mul.
void populateDoublingHighMulExpansion(mlir::RewritePatternSet &patterns);

} // namespace nnhal

#endif // NNHAL_LIB_CONVERSION_COMMON_DOUBLINGHIGHMUL_H
