//===- Execute.h - Runs a prepared model ------------------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_TOOLS_NNHAL_RUN_EXECUTE_H
#define NNHAL_TOOLS_NNHAL_RUN_EXECUTE_H

#include "Compare.h"
#include "Inputs.h"

#include "nnhal/Runtime/Trace.h"

namespace nnhal::run {

/// One execution in microseconds.
struct Duration {
  double total = 0.0;
  rt::Timing timing;
};

struct Executed {
  ExecutionMode mode = ExecutionMode::sync;
  /// Of the last run, all frames: views of what follows.
  std::vector<OutputTensor> outputs;
  /// Where each was computed: all of it where there is one frame.
  std::vector<rt::AlignedBuffer> buffers;
  /// Each of several frames, one after the other.
  std::vector<std::vector<std::byte>> frames;
  /// The very first execution, warm-up included.
  Duration first;
  /// Executions that count, in order.
  std::vector<Duration> measured;
  /// Bytes of arguments that one execution copied (ExecutionResult).
  uint64_t copiedBytes = 0;
  /// Of the last execution, as in rt::ExecutionResult; for --dump-graph.
  std::vector<uint64_t> operationTimes;
};

/// Runs all frames of \p inputs in \p mode, as often as \p flags say. Fails
/// with what the execution reports.
rt::Result<Executed> executeModel(const Flags &flags, ExecutionMode mode,
                                  const rt::PreparedModel &model,
                                  const Inputs &inputs,
                                  rt::Tracer *tracer = nullptr);

} // namespace nnhal::run

#endif // NNHAL_TOOLS_NNHAL_RUN_EXECUTE_H
