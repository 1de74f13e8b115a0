//===- KernelPreparation.h - Before conversions of kernels ------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_TARGET_GPU_KERNELPREPARATION_H
#define NNHAL_LIB_TARGET_GPU_KERNELPREPARATION_H

#include "mlir/IR/PatternMatch.h"
#include "mlir/Pass/PassManager.h"

namespace nnhal {

/// Adds what precedes each conversion of kernels to \p pm, which runs on
/// modules of kernels with flat buffers: functions of mathematics are expanded,
/// and what rounds of loops share leaves them.
void addKernelPreparation(mlir::OpPassManager &pm);

/// A function of f64 that neither SPIR-V nor PTX has and nothing expands: all
/// but those that round and roots.
bool isFunctionOfDouble(mlir::Operation *op);

/// Fails, after an error that says that it has no form in \p language, at the
/// first operation in \p module that \p isRefused holds for.
llvm::LogicalResult
checkOperations(mlir::Operation *module, llvm::StringRef language,
                llvm::function_ref<bool(mlir::Operation *)> isRefused);

} // namespace nnhal

#endif // NNHAL_LIB_TARGET_GPU_KERNELPREPARATION_H
