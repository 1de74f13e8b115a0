//===- Backend.cpp - Defaults of backends ---------------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "nnhal/Backend/Backend.h"

#include "Runtime/Support/Errors.h"
#include "nnhal/Runtime/Compiler.h"

using namespace nnhal::rt;

Result<std::unique_ptr<Workspace>>
LoadedModel::createWorkspace(const std::shared_ptr<MemoryBudget> &) const {
  return std::unique_ptr<Workspace>();
}

Status LoadedModel::run(Invocation &) const {
  return failure("the model executes on its own threads only");
}

Status LoadedModel::submit(Invocation &invocation,
                           Completion &completion) const {
  completion.complete(run(invocation));
  return Status::ok();
}

Status LoadObserver::keep(const CompiledModel &compiled) const {
  if (keepEntry) {
    CacheContents contents;
    contents.modelCache.push_back(Memory::borrow(compiled.modelCache));
    contents.dataCache.push_back(compiled.dataCache);
    keepEntry(contents);
  }
  return keepArtifact ? keepArtifact(compiled) : Status::ok();
}

Result<std::unique_ptr<LoadedModel>>
Backend::loadBaseline(const AnnotatedModel &) const {
  return failure("{} has no baseline", info().name);
}

Result<std::unique_ptr<LoadedModel>>
Backend::loadArtifact(std::span<const std::byte>, const Memory &) const {
  // A device that does not cache answers with a general failure (C-066).
  return failure("{} keeps no compiled models", info().name);
}

Result<std::unique_ptr<LoadedModel>>
Backend::loadFromCache(const CacheContents &contents) const {
  // A device that does not cache answers with a general failure (C-066). This
  // default serves backends whose entry is one file of each kind.
  if (contents.modelCache.size() != 1 || contents.dataCache.size() != 1)
    return failure("{} keeps no compiled models", info().name);
  NNHAL_ASSIGN_OR_RETURN(std::span<const std::byte> modelCache,
                         contents.modelCache.front().bytes());
  return loadArtifact(modelCache, contents.dataCache.front());
}

Result<std::unique_ptr<DeviceMemory>>
Backend::allocate(const DeviceMemoryRequest &request) const {
  return createHostMemory(request.budget);
}
