//===- Canonicalization.h - What canonicalizations ask ----------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_DIALECT_NNHAL_IR_CANONICALIZATION_H
#define NNHAL_LIB_DIALECT_NNHAL_IR_CANONICALIZATION_H

#include "nnhal/Dialect/NNHal/IR/NNHalOps.h"

namespace nnhal {

/// The activation that the operation which defines \p value applies to it last:
/// of relu, relu1 and relu6 themselves, or a fused one. nullopt where the
/// operation has none and cannot have one.
std::optional<FusedActivation> activationOf(mlir::Value value);

} // namespace nnhal

#endif // NNHAL_LIB_DIALECT_NNHAL_IR_CANONICALIZATION_H
