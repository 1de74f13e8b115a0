//===- GpuModel.h - A model compiled for a GPU ------------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_RUNTIME_DEVICES_GPU_GPUMODEL_H
#define NNHAL_LIB_RUNTIME_DEVICES_GPU_GPUMODEL_H

#include "Runtime/Artifact/GpuProgram.h"
#include "Runtime/Artifact/ModelCache.h"
#include "nnhal/Backend/Backend.h"

namespace nnhal::rt {

/// Checks that \p artifact is a program of \p kind for the target \p target,
/// and reads it. The module of the result is a view of \p artifact. Fails with
/// invalidArgument.
Result<GpuProgram> readProgramFor(TargetKind kind, std::string_view target,
                                  const Artifact &artifact);

/// A model whose workspaces are objects of GpuExecution. Whoever derives from
/// it has the program.
class GpuModel : public LoadedModel {
public:
  const Interface &interface() const final { return face; }
  MemoryUse memoryUse() const final { return use; }
  Status run(Invocation &invocation) const final;

protected:
  /// Takes the interface of \p artifact.
  GpuModel(Artifact &artifact, uint64_t modelCacheSize);

private:
  Status checkPresence(const Invocation &invocation) const;

  Interface face;
  /// Whether every request must give the input.
  std::vector<bool> isRequired;
  std::vector<uint64_t> outputSizes;
  MemoryUse use;
};

/// Bytes of the largest input that kernels of \p program read and a request may
/// omit; zeroes stand for it then.
uint64_t omittedSizeOf(const GpuProgram &program, const Artifact &artifact);

} // namespace nnhal::rt

#endif // NNHAL_LIB_RUNTIME_DEVICES_GPU_GPUMODEL_H
