//===- HostControl.h - What the host decides between commands ---*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_TARGET_GPU_HOSTCONTROL_H
#define NNHAL_LIB_TARGET_GPU_HOSTCONTROL_H

#include "mlir/IR/Operation.h"

namespace nnhal::nngpu {

/// Whether the host has to decide what \p op executes: an `scf.if` around
/// operations that become commands, or the `scf.while` of a WHILE. What is
/// around scalars alone belongs into a kernel.
bool isHostControl(mlir::Operation *op);

} // namespace nnhal::nngpu

#endif // NNHAL_LIB_TARGET_GPU_HOSTCONTROL_H
