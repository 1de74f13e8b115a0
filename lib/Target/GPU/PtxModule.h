//===- PtxModule.h - PTX of kernels -----------------------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_TARGET_GPU_PTXMODULE_H
#define NNHAL_LIB_TARGET_GPU_PTXMODULE_H

#include "Target/Cancellation.h"
#include "nnhal/Runtime/Status.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

#include <string>

namespace nnhal {

/// The architecture that PTX is made for; drivers compile it for that and for
/// all later ones.
inline constexpr llvm::StringLiteral ptxArchitecture = "sm_80";
/// The version of the language, the least one that has the architecture.
inline constexpr llvm::StringLiteral ptxFeatures = "+ptx70";

/// The PTX of the kernels in \p module, functions of LLVM's dialect. Sums and
/// products that have been written apart round apart. Fails, with what LLVM
/// says, where something has no form in PTX, and where kernels would call what
/// they do not bring. When \p cancellation is requested, what it returns is of
/// no use.
rt::Result<std::string> emitPtx(mlir::gpu::GPUModuleOp module,
                                Cancellation &cancellation);

} // namespace nnhal

#endif // NNHAL_LIB_TARGET_GPU_PTXMODULE_H
