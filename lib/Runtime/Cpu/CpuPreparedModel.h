//===- CpuPreparedModel.h - A model compiled for this CPU -------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_RUNTIME_CPU_CPUPREPAREDMODEL_H
#define NNHAL_LIB_RUNTIME_CPU_CPUPREPAREDMODEL_H

#include "../Core/Frame.h"
#include "CodeImage.h"

#include "nnhal/Runtime/PreparedModel.h"

#include <functional>
#include <memory>

namespace nnhal::rt {

using Clock = std::function<int64_t()>;

/// An artifact with its code loaded and its constants at hand.
class CpuPreparedModel final : public PreparedModel {
public:
  /// See Device::prepareModelFromCache().
  static Result<std::shared_ptr<PreparedModel>>
  create(Artifact artifact, const Memory &dataCache, Clock clock);

  const Interface &interface() const override { return face; }
  Status execute(const Request &request,
                 ExecutionResult &result) const override;

private:
  explicit CpuPreparedModel(Artifact artifact, Clock clock);

  Status loadCode();
  Status loadConstants(const Memory &dataCache);

  /// The first entry whose presence mask and shapes fit: a compiler lists
  /// specialized entries first.
  Result<const NNHalEntry *> selectEntry(const Frame &frame) const;
  NNHalExecutionContext contextFor(const Request &request, Frame &frame) const;

  Artifact artifact;
  Interface face;
  Clock clock;
  std::vector<CodeImage> images;
  /// One per artifact entry.
  std::vector<NNHalEntry> functions;
  /// Keeps constants alive: either the caller's memory or a copy of it.
  Memory sharedConstants;
  AlignedBuffer ownConstants;
  std::span<const std::byte> constants;
  mutable FramePool frames;
};

} // namespace nnhal::rt

#endif // NNHAL_LIB_RUNTIME_CPU_CPUPREPAREDMODEL_H
