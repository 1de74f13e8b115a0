//===- TrailingDefaults.h - Models as old versions state them ---*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_RUNTIME_MODEL_TRAILINGDEFAULTS_H
#define NNHAL_LIB_RUNTIME_MODEL_TRAILINGDEFAULTS_H

#include "nnhal/Runtime/Model.h"

namespace nnhal::rt {

/// Takes away trailing operation inputs that state their default, and operands
/// that only they named: a CONV_2D with layout NHWC becomes one that HAL 1.0
/// knows (B-128, I-075 to I-083). The model means the same as before; operand
/// indices may change.
///
/// Total: operations with indices out of range stay as they are.
void removeTrailingDefaults(Model &model);

} // namespace nnhal::rt

#endif // NNHAL_LIB_RUNTIME_MODEL_TRAILINGDEFAULTS_H
