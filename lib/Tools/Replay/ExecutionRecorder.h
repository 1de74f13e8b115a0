//===- ExecutionRecorder.h - A program's work as one file -------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_TOOLS_REPLAY_EXECUTIONRECORDER_H
#define NNHAL_LIB_TOOLS_REPLAY_EXECUTIONRECORDER_H

#include "Tools/Execution/Execute.h"

#include "nnhal/Runtime/TestCase.h"

#include <chrono>
#include <string>

namespace nnhal::tools {

/// Collects a model and its executions for one file, which is a test case with
/// a recording (docs/Devices/TestCases.md).
///
/// Threads: one at a time.
class ExecutionRecorder {
public:
  /// At most \p limit executions are kept, each of which copies its arguments.
  ExecutionRecorder(rt::RecordedSettings settings, uint64_t limit);

  /// Keeps \p source, which is about to be prepared; its constants are shared.
  /// Fails for a pool that cannot be read, which the message names.
  rt::Status beginPreparation(const rt::AnnotatedModel &source);
  /// Keeps what came of the preparation, if one has begun.
  void endPreparation(const rt::Status &status);
  void add(const ObservedExecution &execution);

  bool hasModel() const { return isBegun; }
  /// What was collected, without a name.
  const rt::TestCase &recorded() const { return test; }
  /// How many executions there were, and how many of them are kept.
  uint64_t executions() const { return count; }
  uint64_t kept() const { return test.examples.size(); }

  /// Writes what was collected, of which hasModel(), to \p path, at once or not
  /// at all. Fails with what the writer or the system reports.
  rt::Status write(const std::string &path) const;

private:
  void say(const rt::Status &status);

  uint64_t limit;
  uint64_t count = 0;
  bool isBegun = false;
  std::chrono::steady_clock::time_point begin;
  rt::TestCase test;
};

} // namespace nnhal::tools

#endif // NNHAL_LIB_TOOLS_REPLAY_EXECUTIONRECORDER_H
