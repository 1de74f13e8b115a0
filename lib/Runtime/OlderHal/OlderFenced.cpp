//===- OlderFenced.cpp - Fences for devices that know none ----------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OlderModel.h"
#include "Runtime/Support/Errors.h"

#include <utility>

using namespace nnhal::rt;

namespace {

/// One execution after fences. Held by the client, and by the reactor or the
/// device that moves it on.
class OlderFenced final : public FencedExecution,
                          public std::enable_shared_from_this<OlderFenced> {
public:
  OlderFenced(std::shared_ptr<const PreparedModel> model, Request request,
              FenceRef end)
      : model(std::move(model)), request(std::move(request)),
        end(std::move(end)), launchTime(steadyNow()) {}

  FenceRef fence() const override { return end; }

  ExecutionInfo executionInfo() const override {
    std::lock_guard lock(mutex);
    return info;
  }

  /// All fences have signaled.
  Status start() {
    int64_t waited = steadyNow() - launchTime;
    // The execution may end, and release the model, before the call returns.
    std::shared_ptr<const PreparedModel> keep = std::move(model);
    return keep->executeAsync(
        std::exchange(request, {}),
        [self = shared_from_this(), waited](Status status,
                                            const ExecutionResult &result) {
          self->finish(std::move(status), result.timing, waited);
        });
  }

  void finish(Status status, Timing timing, int64_t waited) {
    {
      std::lock_guard lock(mutex);
      if (hasEnded)
        return;
      hasEnded = true;
      info = {status, timing, timing};
      if (timing.timeInDriver != noTiming)
        info.timingLaunched.timeInDriver += uint64_t(waited) / 1000;
    }
    end->complete(std::move(status));
  }

private:
  std::shared_ptr<const PreparedModel> model;
  Request request;
  const FenceRef end;
  const int64_t launchTime;
  mutable std::mutex mutex;
  bool hasEnded = false;
  ExecutionInfo info = {failure("the execution has not ended"), {}, {}};
};

} // namespace

Result<std::shared_ptr<FencedExecution>>
nnhal::rt::executeAfter(std::vector<FenceRef> waitFor, Request request,
                        std::shared_ptr<const PreparedModel> model,
                        const std::shared_ptr<OlderState> &state) {
  std::erase(waitFor, nullptr);
  bool isActive = false;
  for (const FenceRef &fence : waitFor) {
    std::optional<Status> outcome = fence->outcome();
    if (outcome && !outcome->isOk())
      return failure("a fence that the execution waits for has failed: {}",
                     outcome->message());
    isActive |= !outcome;
  }
  NNHAL_ASSIGN_OR_RETURN(FenceRef end, Fence::create());
  auto execution = std::make_shared<OlderFenced>(
      std::move(model), std::move(request), std::move(end));
  Status launched = isActive
                        ? state->reactor()->whenAll(
                              std::move(waitFor), noDeadline,
                              [execution](Status signaled) {
                                if (signaled.isOk())
                                  signaled = execution->start();
                                if (!signaled.isOk())
                                  execution->finish(std::move(signaled), {}, 0);
                              })
                        : execution->start();
  NNHAL_RETURN_IF_ERROR(launched);
  return std::shared_ptr<FencedExecution>(std::move(execution));
}
