//===- CpuModel.h - A model compiled for this CPU ---------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_RUNTIME_DEVICES_CPU_CPUMODEL_H
#define NNHAL_LIB_RUNTIME_DEVICES_CPU_CPUMODEL_H

#include "CodeImage.h"

#include "Runtime/Artifact/ModelCache.h"
#include "nnhal/Backend/Backend.h"
#include "nnhal/Backend/HostCodeModel.h"
#include "nnhal/Runtime/AlignedBuffer.h"

#include <memory>

namespace nnhal::rt {

/// An artifact with its code loaded and its constants at hand.
class CpuModel final : public HostCodeModel {
public:
  /// See Device::prepareModelFromArtifact().
  /// \p modelCacheSize is what \p artifact was read from.
  static Result<std::unique_ptr<LoadedModel>>
  create(Artifact artifact, uint64_t modelCacheSize, const Memory &dataCache,
         std::shared_ptr<const std::vector<InstalledExtension>> extensions);

  const Interface &interface() const override { return face; }
  uint64_t arenaSize() const override;
  MemoryUse memoryUse() const override;
  Status call(NNHalExecutionContext &context) const override;

private:
  explicit CpuModel(Artifact artifact);

  Status checkExtensions() const;
  Status loadCode();
  Status loadConstants(const Memory &dataCache);

  /// The first entry whose presence mask and shapes fit: a compiler lists
  /// specialized entries first.
  Result<NNHalEntry> selectEntry(const NNHalExecutionContext &context) const;

  Artifact artifact;
  /// Those of the device.
  std::shared_ptr<const std::vector<InstalledExtension>> extensions;
  uint64_t modelCacheSize = 0;
  Interface face;
  /// Whether extents of an output are known only when the code has run.
  bool hasOpenOutputs = false;
  std::vector<CodeImage> images;
  /// One per artifact entry.
  std::vector<NNHalEntry> functions;
  /// Keeps constants alive: either the caller's memory or a copy of it.
  Memory sharedConstants;
  AlignedBuffer ownConstants;
  std::span<const std::byte> constants;
};

} // namespace nnhal::rt

#endif // NNHAL_LIB_RUNTIME_DEVICES_CPU_CPUMODEL_H
