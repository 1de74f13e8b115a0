//===- RuleAdapter.h - From operations to rules -----------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// What folders and canonicalizations share: types and attributes of operations
// as arguments of rules.
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_DIALECT_NNHAL_IR_RULEADAPTER_H
#define NNHAL_LIB_DIALECT_NNHAL_IR_RULEADAPTER_H

#include "nnhal/Dialect/NNHal/IR/NNHalOps.h"

namespace nnhal {

/// The type of \p value, which NNHal_Tensor has let pass.
rt::TensorType typeOf(mlir::Value value);

inline rt::FusedActivation toRule(FusedActivation activation) {
  return rt::FusedActivation(int32_t(activation));
}

} // namespace nnhal

#endif // NNHAL_LIB_DIALECT_NNHAL_IR_RULEADAPTER_H
