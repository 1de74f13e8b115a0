//===- OperationTimes.h - Times of single operations ------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_RUNTIME_CORE_OPERATIONTIMES_H
#define NNHAL_LIB_RUNTIME_CORE_OPERATIONTIMES_H

#include "nnhal/Backend/Invocation.h"
#include "nnhal/Runtime/Trace.h"

#include <fmt/format.h>

#include <functional>

namespace nnhal::rt {

/// Receives what each operation took, for the trace and for
/// ExecutionResult::operationTimes.
///
/// Threads: one at a time.
class OperationTimes final : public OperationObserver {
public:
  /// \p tracer may be null; all live longer.
  OperationTimes(Tracer *tracer, const std::function<int64_t()> &clock,
                 ExecutionResult &result)
      : tracer(tracer), clock(clock), result(result) {}
  OperationTimes(const OperationTimes &) = delete;
  OperationTimes &operator=(const OperationTimes &) = delete;

  /// Returns the observer for a backend; null when nobody wants to know.
  /// \p isMeasured: the result shall have the times.
  OperationObserver *observer(bool isMeasured) {
    measures = isMeasured;
    result.operationTimes.clear();
    return tracer || isMeasured ? this : nullptr;
  }

  /// The sections of a trace have one clock, the tracer's.
  int64_t now() const override { return tracer ? tracer->now() : clock(); }

  void took(uint32_t operation, int64_t begin, int64_t end) override {
    if (tracer)
      tracer->addSection({TraceLayer::cpu, TracePhase::computation},
                         fmt::format("operation {}", operation), begin, end);
    if (!measures)
      return;
    if (operation >= result.operationTimes.size())
      result.operationTimes.resize(size_t(operation) + 1);
    result.operationTimes[operation] += uint64_t(end - begin);
  }

private:
  Tracer *tracer;
  const std::function<int64_t()> &clock;
  ExecutionResult &result;
  bool measures = false;
};

} // namespace nnhal::rt

#endif // NNHAL_LIB_RUNTIME_CORE_OPERATIONTIMES_H
