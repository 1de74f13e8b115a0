//===- Replay.h - Recorded executions once more -----------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_TOOLS_REPLAY_REPLAY_H
#define NNHAL_LIB_TOOLS_REPLAY_REPLAY_H

#include "Tools/Execution/Preparation.h"

#include "nnhal/Runtime/Device.h"
#include "nnhal/Runtime/TestCase.h"

#include <functional>
#include <string>
#include <vector>

namespace nnhal::tools {

/// Reads the cases of a recording, of which there is at least one. Fails with
/// invalidArgument, which names the file, for what is no recording, or where
/// cases were recorded with different settings; and as Memory::readFile() does.
rt::Result<std::vector<rt::TestCase>>
readRecordingFile(const std::string &path);

/// How recorded cases are executed again.
struct ReplayRequest {
  Preparation preparation;
  /// Nanoseconds in which each execution has to end; no bound without it.
  std::optional<uint64_t> timeLimit;
};

/// What came of a replay.
struct ReplayOutcome {
  uint64_t executions = 0;
  /// Executions that gave something else than the recorded bytes or status, and
  /// preparations that ended otherwise.
  uint64_t differences = 0;
};

/// Prepares each of \p cases on \p device and repeats its calls in order, each
/// in its way. \p tell gets a line for each preparation and call: the first
/// byte that differs or the other status, and the time beside the recorded one.
ReplayOutcome replay(const ReplayRequest &request,
                     const std::vector<rt::TestCase> &cases,
                     const rt::Device &device,
                     const std::function<void(std::string_view)> &tell);

/// Where \p actual is not \p recorded, bit by bit; empty where it is.
std::string firstDifference(std::span<const std::byte> actual,
                            std::span<const uint8_t> recorded);

} // namespace nnhal::tools

#endif // NNHAL_LIB_TOOLS_REPLAY_REPLAY_H
