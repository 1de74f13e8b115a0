//===- GpuModel.h - A model compiled for a GPU ------------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_RUNTIME_DEVICES_GPU_GPUMODEL_H
#define NNHAL_LIB_RUNTIME_DEVICES_GPU_GPUMODEL_H

#include "Runtime/GpuLoader/GpuDriver.h"

namespace nnhal::rt {

/// A model whose workspaces are objects of GpuExecution. Whoever derives from
/// it has the program.
class GpuModel : public GpuCode {
public:
  const Interface &interface() const final { return face; }
  MemoryUse memoryUse() const final { return use; }
  Status run(Invocation &invocation) const final;
  bool hasSyncFiles() const override { return false; }
  Result<GpuLaunch> launch(Invocation &invocation) const final;
  Status conclude(Invocation &invocation) const final;

protected:
  /// Takes the interface and the sizes of \p code.
  explicit GpuModel(GpuArtifact &code);

private:
  Status checkPresence(const Invocation &invocation) const;
  /// States the shapes of the outputs, and returns whether all suffice.
  bool describeOutputs(Invocation &invocation) const;

  Interface face;
  /// Whether every request must give the input.
  std::vector<bool> isRequired;
  std::vector<uint64_t> inputSizes;
  std::vector<uint64_t> outputSizes;
  MemoryUse use;
};

/// Whether executions of \p program end with its commands: the host decides
/// nothing between them, and no kernel tells of a failure.
bool endsByItself(const GpuProgram &program);

/// Bytes of the largest input that kernels of \p code read and a request may
/// omit; zeroes stand for it then.
uint64_t omittedSizeOf(const GpuArtifact &code);

} // namespace nnhal::rt

#endif // NNHAL_LIB_RUNTIME_DEVICES_GPU_GPUMODEL_H
