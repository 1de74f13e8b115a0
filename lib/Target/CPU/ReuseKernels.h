//===- ReuseKernels.h - Kernels that are compiled already -------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_TARGET_CPU_REUSEKERNELS_H
#define NNHAL_LIB_TARGET_CPU_REUSEKERNELS_H

#include "Target/KernelLibrary.h"

#include "mlir/Pass/Pass.h"

#include <memory>

namespace nnhal {

/// A pass that leaves declarations of the kernels that \p library has. It runs
/// behind nnhal-name-kernels.
std::unique_ptr<mlir::Pass> createReuseKernels(KernelLibrary &library);

} // namespace nnhal

#endif // NNHAL_LIB_TARGET_CPU_REUSEKERNELS_H
