//===- TraceContract.h - What a trace promises ------------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// The contract of K-010, for tests of what traces and for files.
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_TEST_TRACECONTRACT_TRACECONTRACT_H
#define NNHAL_TEST_TRACECONTRACT_TRACECONTRACT_H

#include "nnhal/Runtime/Status.h"
#include "nnhal/Runtime/Trace.h"

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace nnhal::rt::test {

struct TraceStatistics {
  uint64_t count = 0;
  /// Nanoseconds without those of sections within (of a driver within the
  /// runtime, for example); of spans, all of their time (K-011).
  int64_t selfTime = 0;
  bool operator==(const TraceStatistics &) const = default;
};
using TracePlace = std::pair<TraceLayer, TracePhase>;

struct TraceReport {
  /// What breaks the contract; empty for a good trace.
  std::vector<std::string> problems;
  std::map<TracePlace, TraceStatistics> sections;
  std::map<TracePlace, TraceStatistics> spans;
};

/// Checks that everything has ended, that the sections of a thread nest without
/// overlap, that sub-phases and [SW] and [SUB] stand where they may.
TraceReport checkTrace(const std::vector<TraceEvent> &events);

/// Layer, phase and detail of "[SW][NN_LR_PE]detail"; nullopt without them.
std::optional<std::pair<TraceName, std::string>>
parseTraceText(std::string_view text);

/// The events of what writeTrace() wrote. badData says what is wrong.
Result<std::vector<TraceEvent>> readTrace(std::string_view json);

/// One line per layer and phase: count, self time, mean, part of all time.
std::string describe(const TraceReport &report);

} // namespace nnhal::rt::test

#endif // NNHAL_TEST_TRACECONTRACT_TRACECONTRACT_H
