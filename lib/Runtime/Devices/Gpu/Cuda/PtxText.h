//===- PtxText.h - Checks of PTX --------------------------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_RUNTIME_DEVICES_GPU_CUDA_PTXTEXT_H
#define NNHAL_LIB_RUNTIME_DEVICES_GPU_CUDA_PTXTEXT_H

#include "Runtime/Artifact/GpuProgram.h"

namespace nnhal::rt::cuda {

/// The text of \p module without what fills its last word.
std::string textOf(std::span<const std::byte> module);

/// Fails with invalidArgument unless the module of \p program is PTX without
/// external symbols whose entry points have the parameters, addresses all, and
/// the workgroups that the kernels of the program state: a launch that passes
/// fewer makes the driver read what is behind them. Total: any bytes are
/// answered. What kernels do is not looked at.
Status checkPtx(const GpuProgram &program);

} // namespace nnhal::rt::cuda

#endif // NNHAL_LIB_RUNTIME_DEVICES_GPU_CUDA_PTXTEXT_H
