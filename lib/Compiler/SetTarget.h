//===- SetTarget.h - Stating what a module is compiled for ------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_COMPILER_SETTARGET_H
#define NNHAL_LIB_COMPILER_SETTARGET_H

#include "nnhal/Compiler/Pipelines.h"

#include "mlir/Pass/Pass.h"

#include <memory>

namespace nnhal {

/// The pass nnhal-set-target with what \p options say about the target.
std::unique_ptr<mlir::Pass>
createSetTarget(const CompilePipelineOptions &options);
void registerSetTargetPass();

} // namespace nnhal

#endif // NNHAL_LIB_COMPILER_SETTARGET_H
