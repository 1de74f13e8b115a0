//===- LLVMPasses.h - LLVM's passes on code of a target ---------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_TARGET_LLVMPASSES_H
#define NNHAL_LIB_TARGET_LLVMPASSES_H

#include "Cancellation.h"

#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/PassManager.h"

namespace llvm {
class PassBuilder;
class TargetMachine;
} // namespace llvm

namespace nnhal {

/// Runs the passes that \p makePasses returns on \p module. No C library stands
/// behind the code: passes may make calls of the functions \p callable alone.
/// From a request of \p cancellation on, passes that may be left out are.
void runLLVMPasses(
    llvm::Module &module, llvm::TargetMachine &machine,
    Cancellation &cancellation, llvm::ArrayRef<llvm::LibFunc> callable,
    llvm::function_ref<llvm::ModulePassManager(llvm::PassBuilder &)>
        makePasses);

} // namespace nnhal

#endif // NNHAL_LIB_TARGET_LLVMPASSES_H
