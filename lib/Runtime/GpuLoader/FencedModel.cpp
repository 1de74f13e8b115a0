//===- FencedModel.cpp - Fences that drivers of GPUs export ---------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FencedModel.h"

#include "nnhal/Runtime/Fence.h"
#include "nnhal/Runtime/Reactor.h"

#include <new>
#include <utility>

using namespace nnhal::rt;

namespace {
class FencedModel final : public LoadedModel {
public:
  explicit FencedModel(std::unique_ptr<GpuCode> code) : code(std::move(code)) {}

  const Interface &interface() const override { return code->interface(); }
  MemoryUse memoryUse() const override { return code->memoryUse(); }
  Result<std::unique_ptr<Workspace>>
  createWorkspace(const std::shared_ptr<MemoryBudget> &budget) const override {
    return code->createWorkspace(budget);
  }
  Status run(Invocation &invocation) const override {
    return code->run(invocation);
  }
  bool usesFences() const override { return true; }
  Status submit(Invocation &invocation, Completion &completion) const override;

private:
  const std::unique_ptr<GpuCode> code;
};
} // namespace

Status FencedModel::submit(Invocation &invocation,
                           Completion &completion) const {
  NNHAL_ASSIGN_OR_RETURN(GpuLaunch launch, code->launch(invocation));
  auto conclude = [this, &invocation, &completion] {
    completion.complete(code->conclude(invocation));
  };
  auto watch = [&]() -> Status {
    // Without a descriptor the GPU has finished, or the host has to wait.
    NNHAL_ASSIGN_OR_RETURN(FenceRef fence,
                           Fence::adopt(std::move(launch.syncFile)));
    if (launch.isWhole && invocation.wantsFence)
      invocation.fence = fence;
    // The reactor keeps no fence that it waits for.
    return invocation.services->reactor->whenAll(
        {fence}, noDeadline,
        [conclude, keep = fence](const Status &) { conclude(); });
  };
  auto isWatched = [&] {
    try {
      return watch().isOk();
    } catch (const std::bad_alloc &) {
      return false;
    }
  };
  // The GPU uses the arguments until it has finished, whatever is lacking.
  if (!isWatched())
    conclude();
  return Status::ok();
}

std::unique_ptr<LoadedModel>
nnhal::rt::createFencedModel(std::unique_ptr<GpuCode> code) {
  return std::make_unique<FencedModel>(std::move(code));
}
