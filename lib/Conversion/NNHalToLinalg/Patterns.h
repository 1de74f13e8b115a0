//===- Patterns.h - The patterns of the conversion --------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_CONVERSION_NNHALTOLINALG_PATTERNS_H
#define NNHAL_LIB_CONVERSION_NNHALTOLINALG_PATTERNS_H

#include "nnhal/Conversion/NNHalToLinalg.h"

namespace nnhal {

void populateConstantPatterns(const mlir::TypeConverter &converter,
                              mlir::RewritePatternSet &patterns);
/// Operations in the HAL's form (Engine/OperationLowering.h).
void populateOperationPatterns(const mlir::TypeConverter &converter,
                               mlir::RewritePatternSet &patterns,
                               LinalgLowering &lowering);

/// Operations of extensions that no dialect lowers, as calls of the runtime,
/// and casts between values of extension types and what they are stored as.
void populateExtensionPatterns(mlir::TypeConverter &converter,
                               mlir::RewritePatternSet &patterns,
                               mlir::ConversionTarget &target);

} // namespace nnhal

#endif // NNHAL_LIB_CONVERSION_NNHALTOLINALG_PATTERNS_H
