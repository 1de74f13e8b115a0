//===- Modes.cpp - The ways to execute ------------------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Modes.h"

#include <algorithm>
#include <future>

using namespace nnhal;
using namespace nnhal::run;
using rt::Status;

static constexpr ExecutionMode allModes[] = {
    ExecutionMode::sync, ExecutionMode::async, ExecutionMode::fenced};

std::string_view run::nameOf(ExecutionMode mode) {
  switch (mode) {
  case ExecutionMode::sync:
    return "sync";
  case ExecutionMode::async:
    return "async";
  case ExecutionMode::fenced:
    return "fenced";
  }
  return "";
}

rt::Result<std::vector<ExecutionMode>> run::parseModes(std::string_view text) {
  if (text == "all")
    return std::vector<ExecutionMode>(std::begin(allModes), std::end(allModes));
  std::vector<ExecutionMode> modes;
  while (true) {
    size_t comma = text.find(',');
    std::string_view name = text.substr(0, comma);
    const auto *mode = std::ranges::find(allModes, name, run::nameOf);
    if (mode == std::end(allModes))
      return rt::badData("'{}' is not sync, async, fenced or all", name);
    modes.push_back(*mode);
    if (comma == std::string_view::npos)
      return modes;
    text.remove_prefix(comma + 1);
  }
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

static Status executeFenced(const rt::PreparedModel &model,
                            const rt::Request &request,
                            rt::ExecutionResult &result) {
  NNHAL_ASSIGN_OR_RETURN(std::shared_ptr<rt::FencedExecution> execution,
                         model.executeFenced(request));
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

Status run::executeOnce(ExecutionMode mode, const rt::PreparedModel &model,
                        const rt::Request &request,
                        rt::ExecutionResult &result) {
  switch (mode) {
  case ExecutionMode::sync:
    break;
  case ExecutionMode::async:
    return executeAsync(model, request, result);
  case ExecutionMode::fenced:
    return executeFenced(model, request, result);
  }
  return model.execute(request, result);
}
