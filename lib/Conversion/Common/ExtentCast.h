//===- ExtentCast.h - Tensors of which more is known ------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_CONVERSION_COMMON_EXTENTCAST_H
#define NNHAL_LIB_CONVERSION_COMMON_EXTENTCAST_H

#include "Runtime/Artifact/FailureReasons.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace nnhal {

/// Stops the execution unless the index \p found is \p expected.
void buildEqualityCheck(mlir::ImplicitLocOpBuilder &builder, mlir::Value found,
                        int64_t expected, rt::FailureReason reason);

/// \p value as \p type, a tensor of the same rank and elements that may know
/// other extents: where that assumes something, the execution stops unless it
/// holds. \p value itself if it has \p type, null for other ranks or elements.
mlir::Value castExtents(mlir::ImplicitLocOpBuilder &builder, mlir::Value value,
                        mlir::Type type);

} // namespace nnhal

#endif // NNHAL_LIB_CONVERSION_COMMON_EXTENTCAST_H
