//===- Modes.h - The ways to execute ----------------------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_TOOLS_EXECUTION_MODES_H
#define NNHAL_LIB_TOOLS_EXECUTION_MODES_H

#include "nnhal/Runtime/Burst.h"
#include "nnhal/Runtime/Device.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace nnhal::tools {

/// The way in which a prepared model is asked to execute.
enum class ExecutionMode { sync, async, fenced, burst };

std::string_view nameOf(ExecutionMode mode);

/// Reads modes separated by commas, or "all". Fails with invalidArgument, which
/// names the one that does not exist.
rt::Result<std::vector<ExecutionMode>> parseModes(std::string_view text);

/// Executes one prepared model in one mode, any number of times.
class Executions {
public:
  /// Fenced executions wait for a fence that signals after \p fenceAfter
  /// nanoseconds, if that is given.
  Executions(ExecutionMode mode, rt::PreparedModelRef model,
             std::optional<uint64_t> fenceAfter = {},
             const rt::BurstOptions &burstOptions = {})
      : mode(mode), model(std::move(model)), fenceAfter(fenceAfter),
        burstOptions(burstOptions) {}

  /// Executes \p request and waits for the end. A fenced execution tells no
  /// shapes: they are those of the request or the interface. generalFailure
  /// for a request that cannot be sent over the queues of a burst, which
  /// begins with the first execution.
  rt::Status execute(const rt::Request &request, rt::ExecutionResult &result);

private:
  rt::Status executeInBurst(const rt::Request &request,
                            rt::ExecutionResult &result);

  ExecutionMode mode;
  rt::PreparedModelRef model;
  std::optional<uint64_t> fenceAfter;
  rt::BurstOptions burstOptions;
  std::unique_ptr<rt::Burst> burst;
};

} // namespace nnhal::tools

#endif // NNHAL_LIB_TOOLS_EXECUTION_MODES_H
