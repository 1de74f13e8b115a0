//===- Execute.h - Runs a prepared model ------------------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_TOOLS_EXECUTION_EXECUTE_H
#define NNHAL_LIB_TOOLS_EXECUTION_EXECUTE_H

#include "Invocation.h"
#include "Tools/Tensors/Compare.h"
#include "Tools/Tensors/Inputs.h"

#include <functional>
#include <span>

namespace nnhal::tools {

struct Executed {
  ExecutionMode mode = ExecutionMode::sync;
  /// The outputs of the last run, all frames: views of the buffers below.
  std::vector<OutputTensor> outputs;
  /// The buffer in which each was computed: all of it where there is one frame.
  std::vector<rt::AlignedBuffer> buffers;
  /// Each of several frames, one after the other.
  std::vector<std::vector<std::byte>> frames;
  /// The very first execution, warm-up included.
  Duration first;
  /// Executions that count, in order.
  std::vector<Duration> measured;
  /// Bytes of arguments that one execution copied (ExecutionResult).
  uint64_t copiedBytes = 0;
  /// The times of the last execution, as in rt::ExecutionResult; for
  /// --dump-graph.
  std::vector<uint64_t> operationTimes;
};

/// Runs all frames of \p inputs in \p mode, as often as \p request says, on
/// \p model, which \p device has prepared. Fails with what the execution, or
/// who makes its pools and buffers, reports.
rt::Result<Executed> executeModel(const RunRequest &request, ExecutionMode mode,
                                  const rt::Device &device,
                                  const rt::PreparedModelRef &model,
                                  const Inputs &inputs,
                                  rt::Tracer *tracer = nullptr);

/// Makes another model in the place of one whose process has died, as \p death
/// says.
using Revive =
    std::function<rt::Result<rt::PreparedModelRef>(const rt::Status &death)>;

/// Runs \p model in each of \p modes. When it is found dead it is replaced by
/// that of \p revive, once (C-082).
rt::Result<std::vector<Executed>>
executeModes(const RunRequest &request, std::span<const ExecutionMode> modes,
             const rt::Device &device, rt::PreparedModelRef model,
             const Inputs &inputs, const Revive &revive,
             rt::Tracer *tracer = nullptr);

} // namespace nnhal::tools

#endif // NNHAL_LIB_TOOLS_EXECUTION_EXECUTE_H
