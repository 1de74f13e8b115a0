//===- MathExpansions.h - Functions over the whole range --------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Expansions of f32 functions for which upstream's are too far off for some
// arguments: logarithms of subnormals, sines of large arguments, powers. The
// test MathTest holds each function against libm.
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_CODEGEN_MATHEXPANSIONS_H
#define NNHAL_LIB_CODEGEN_MATHEXPANSIONS_H

#include "mlir/IR/PatternMatch.h"

namespace nnhal {

/// math.log, math.sin and math.powf of f32 and of vectors of it, with a higher
/// benefit than upstream's patterns. \p forShaders: no operations of LLVM.
void populateMathExpansions(mlir::RewritePatternSet &patterns, bool forShaders);

/// What else SPIR-V does not compute, or not as well as f32 results ask for.
void populateShaderMathExpansions(mlir::RewritePatternSet &patterns);

/// Adds the expansion of nnk.doubling_high_mul into products of i64.
void populateDoublingHighMulExpansions(mlir::RewritePatternSet &patterns);

} // namespace nnhal

#endif // NNHAL_LIB_CODEGEN_MATHEXPANSIONS_H
