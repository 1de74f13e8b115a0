//===- Recording.h - How a recorded case was executed -----------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The member "recording" of a test case (docs/Devices/TestCases.md): what the
// programs that record say besides the model, the inputs and the outputs.
//
// Threads: values; concurrent reads are safe.
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_RUNTIME_RECORDING_H
#define NNHAL_RUNTIME_RECORDING_H

#include "nnhal/Runtime/Execution.h"
#include "nnhal/Runtime/PrepareOptions.h"
#include "nnhal/Runtime/Status.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace nnhal::rt {

/// The settings of one compilation.
struct RecordedSettings {
  /// The names of the devices that the program chose; empty where it left the
  /// choice to the runtime.
  std::vector<std::string> devices;
  ExecutionPreference preference = ExecutionPreference::fastSingleAnswer;
  Priority priority = Priority::medium;
  /// Nanoseconds for the compilation.
  std::optional<uint64_t> timeout;
  /// Whether the program gave a token for the cache.
  bool isCached = false;
  bool operator==(const RecordedSettings &) const = default;
};

/// The call by which a recorded execution was asked for.
enum class RecordedWay { sync, async, fenced, burst };

/// What came of one step of a program.
struct RecordedStep {
  StatusCode status = StatusCode::none;
  /// From the call to the result.
  uint64_t nanoseconds = 0;
  bool operator==(const RecordedStep &) const = default;
};

/// The call of one example.
struct RecordedCall {
  RecordedWay way = RecordedWay::sync;
  RecordedStep step;
  /// Nanoseconds of one WHILE.
  uint64_t loopTimeout = defaultLoopTimeout;
  bool operator==(const RecordedCall &) const = default;
};

struct Recording {
  RecordedSettings settings;
  /// Nothing where a program records its requests before it knows.
  std::optional<RecordedStep> preparation;
  /// One for each example, in order.
  std::vector<RecordedCall> calls;
  bool operator==(const Recording &) const = default;
};

} // namespace nnhal::rt

#endif // NNHAL_RUNTIME_RECORDING_H
