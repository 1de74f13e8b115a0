//===- Modes.cpp - The ways to execute ------------------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Modes.h"

#include "Runtime/Support/Errors.h"
#include "Runtime/Support/SplitAt.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <future>
#include <mutex>
#include <thread>

using namespace nnhal;
using namespace nnhal::tools;
using rt::Status;

static constexpr ExecutionMode allModes[] = {
    ExecutionMode::sync, ExecutionMode::async, ExecutionMode::fenced,
    ExecutionMode::burst};

std::string_view tools::nameOf(ExecutionMode mode) {
  switch (mode) {
  case ExecutionMode::sync:
    return "sync";
  case ExecutionMode::async:
    return "async";
  case ExecutionMode::fenced:
    return "fenced";
  case ExecutionMode::burst:
    return "burst";
  }
  return "";
}

rt::Result<std::vector<ExecutionMode>>
tools::parseModes(std::string_view text) {
  if (text == "all")
    return std::vector<ExecutionMode>(std::begin(allModes), std::end(allModes));
  std::vector<ExecutionMode> modes;
  for (std::string_view name : rt::splitAt(text, ',')) {
    const auto *mode = std::ranges::find(allModes, name, tools::nameOf);
    if (mode == std::end(allModes))
      return rt::badData("'{}' is not sync, async, fenced, burst or all", name);
    modes.push_back(*mode);
  }
  return modes;
}

static Status executeAsync(const rt::PreparedModel &model,
                           const rt::Request &request,
                           rt::ExecutionResult &result) {
  std::promise<Status> ended;
  std::future<Status> status = ended.get_future();
  // Called also when the launch fails, with the same status.
  (void)model.executeAsync(
      request, [&](Status outcome, const rt::ExecutionResult &reported) {
        result = reported;
        ended.set_value(std::move(outcome));
      });
  return status.get();
}

namespace {
/// Signals a fence after a time, or when it is destroyed before.
class Signal {
public:
  Signal(rt::FenceRef fence, uint64_t nanoseconds)
      : thread([this, fence = std::move(fence),
                nanoseconds](const std::stop_token &stop) {
          std::unique_lock lock(mutex);
          stopped.wait_for(lock, stop, std::chrono::nanoseconds(nanoseconds),
                           [] { return false; });
          fence->complete(Status::ok());
        }) {}

private:
  std::mutex mutex;
  std::condition_variable_any stopped;
  // The last member: the thread ends before what it uses.
  std::jthread thread;
};
} // namespace

static Status executeFenced(const rt::PreparedModel &model,
                            const rt::Request &request,
                            rt::ExecutionResult &result,
                            std::optional<uint64_t> fenceAfter) {
  std::optional<Signal> signal;
  std::vector<rt::FenceRef> fences;
  if (fenceAfter) {
    NNHAL_ASSIGN_OR_RETURN(rt::FenceRef fence, rt::Fence::create());
    fences.push_back(fence);
    signal.emplace(std::move(fence), *fenceAfter);
  }
  NNHAL_ASSIGN_OR_RETURN(std::shared_ptr<rt::FencedExecution> execution,
                         model.executeFenced(request, std::move(fences)));
  if (rt::FenceRef fence = execution->fence())
    NNHAL_RETURN_IF_ERROR(fence->wait(rt::noDeadline));
  rt::ExecutionInfo info = execution->executionInfo();
  result = {};
  result.timing = info.timingLaunched;
  const rt::Interface &interface = model.interface();
  for (size_t i = 0; i < interface.outputs.size(); ++i) {
    const std::vector<uint32_t> &stated = request.outputs[i].dimensions;
    result.outputShapes.push_back(
        {stated.empty() ? interface.outputs[i].dimensions : stated, true});
  }
  return info.status;
}

Status Executions::executeInBurst(const rt::Request &request,
                                  rt::ExecutionResult &result) {
  if (!burst) {
    NNHAL_ASSIGN_OR_RETURN(burst, rt::Burst::create(model, burstOptions));
  }
  NNHAL_RETURN_IF_ERROR(burst->execute(request, result));
  if (burst->ordinaryExecutions() != 0)
    return rt::failure(
        "the request was not sent over the queues of the burst, "
        "which know no deadlines, time-outs of loops, buffers of "
        "the device and times of operations");
  return Status::ok();
}

Status Executions::execute(const rt::Request &request,
                           rt::ExecutionResult &result) {
  switch (mode) {
  case ExecutionMode::sync:
    break;
  case ExecutionMode::async:
    return executeAsync(*model, request, result);
  case ExecutionMode::fenced:
    return executeFenced(*model, request, result, fenceAfter);
  case ExecutionMode::burst:
    return executeInBurst(request, result);
  }
  return model->execute(request, result);
}
