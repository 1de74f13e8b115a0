//===- Kernels.h - The kernels of a program, compiled -----------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_RUNTIME_DEVICES_GPU_CUDA_KERNELS_H
#define NNHAL_LIB_RUNTIME_DEVICES_GPU_CUDA_KERNELS_H

#include "CubinCache.h"

#include "Runtime/Artifact/GpuProgram.h"

namespace nnhal::rt::cuda {

/// The module of a program, loaded.
///
/// Ownership: move-only.
/// Threads:   const members may be called from any thread.
class Kernels {
public:
  /// Checks the module of \p program and gives it to the driver, unless
  /// \p cache, which may be null, has what the driver made of it; otherwise the
  /// cache gets that. Fails like checkPtx() and Engine::check(), and with
  /// generalFailure, which quotes the driver, where that refuses the module.
  static Result<Kernels> create(const EngineRef &engine,
                                const GpuProgram &program, CubinCache *cache);

  CUfunction function(uint32_t kernel) const { return functions[kernel]; }

private:
  Owned<CUmodule, &Functions::ModuleUnload> module;
  std::vector<CUfunction> functions;
};

} // namespace nnhal::rt::cuda

#endif // NNHAL_LIB_RUNTIME_DEVICES_GPU_CUDA_KERNELS_H
