//===- OperationTimes.h - What single operations take -----------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_RUNTIME_CORE_OPERATIONTIMES_H
#define NNHAL_LIB_RUNTIME_CORE_OPERATIONTIMES_H

#include "nnhal/Runtime/EntryAbi.h"
#include "nnhal/Runtime/Execution.h"
#include "nnhal/Runtime/Trace.h"

#include <functional>

namespace nnhal::rt {

/// Receives the beginning and the end of each operation from the code, for the
/// trace and for ExecutionResult::operationTimes.
///
/// Threads: that of the execution.
class OperationTimes {
public:
  /// Asks the code of \p context to report when \p tracer is not null or
  /// \p isMeasured; empties the times of \p result. All live longer.
  OperationTimes(Tracer *tracer, bool isMeasured,
                 const std::function<int64_t()> &clock, ExecutionResult &result,
                 NNHalExecutionContext &context)
      : tracer(tracer), isMeasured(isMeasured), clock(clock), result(result) {
    result.operationTimes.clear();
    if (!tracer && !isMeasured)
      return;
    context.traceHook = hook;
    context.traceContext = this;
  }
  OperationTimes(const OperationTimes &) = delete;
  OperationTimes &operator=(const OperationTimes &) = delete;

private:
  static void hook(void *self, uint32_t operation, uint32_t isEnd) {
    auto &times = *static_cast<OperationTimes *>(self);
    if (isEnd)
      times.end(operation);
    else
      times.begin = times.now();
  }

  /// The sections of a trace have one clock, the tracer's.
  int64_t now() const { return tracer ? tracer->now() : clock(); }

  void end(uint32_t operation) {
    int64_t end = now();
    if (tracer)
      tracer->addSection({TraceLayer::cpu, TracePhase::computation},
                         fmt::format("operation {}", operation), begin, end);
    if (!isMeasured)
      return;
    if (operation >= result.operationTimes.size())
      result.operationTimes.resize(size_t(operation) + 1);
    result.operationTimes[operation] += uint64_t(end - begin);
  }

  Tracer *tracer;
  bool isMeasured;
  const std::function<int64_t()> &clock;
  ExecutionResult &result;
  int64_t begin = 0;
};

} // namespace nnhal::rt

#endif // NNHAL_LIB_RUNTIME_CORE_OPERATIONTIMES_H
