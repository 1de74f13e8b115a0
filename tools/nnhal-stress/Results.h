//===- Results.h - What came of the tests -----------------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_TOOLS_NNHAL_STRESS_RESULTS_H
#define NNHAL_TOOLS_NNHAL_STRESS_RESULTS_H

#include "nnhal/Runtime/Status.h"

#include <nlohmann/json.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace nnhal::stress {

enum class Outcome { success, failure, hang, crash };

/// "SUCCESS" and so on.
std::string_view nameOf(Outcome outcome);

struct TestResult {
  std::string device;
  std::string test;
  std::string outcome;
  std::string message;
  /// What the check beside the test saw of the driver.
  std::string driver;
  double seconds = 0.0;
};

/// The results so far of one command line.
struct StressState {
  std::string version;
  /// The arguments that decide what the tests do.
  std::string arguments;
  std::vector<TestResult> results;

  const TestResult *find(std::string_view device, std::string_view test) const;
};

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(TestResult, device, test, outcome, message,
                                   driver, seconds)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(StressState, version, arguments, results)

/// Reads the state in \p path, or gives \p fresh where there is no file. Fails
/// with invalidArgument, which names the file, where it is none or is that of
/// another version or of other arguments than \p fresh.
rt::Result<StressState> readState(const std::string &path,
                                  const StressState &fresh);
rt::Status writeState(const std::string &path, const StressState &state);

/// A page of the results, which needs nothing else.
std::string htmlOf(const StressState &state);

} // namespace nnhal::stress

#endif // NNHAL_TOOLS_NNHAL_STRESS_RESULTS_H
