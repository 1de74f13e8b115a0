//===- Progress.h - Progress of a compilation -------------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_TOOLS_EXECUTION_PROGRESS_H
#define NNHAL_LIB_TOOLS_EXECUTION_PROGRESS_H

#include "nnhal/Runtime/Compiler.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace nnhal::tools {

/// A phase of a compilation (CompileObserver::progress), and how long it took;
/// all phases of a name together where a model is compiled in several parts.
struct CompilePhase {
  std::string name;
  int64_t microseconds = 0;
};

/// Shows a progress line on standard error while that is a terminal, prints
/// warnings, collects errors and times phases. One compilation, one thread.
class Progress {
public:
  /// Warnings go to \p receiver, and nothing to standard error, where that is
  /// not empty.
  explicit Progress(std::function<void(std::string_view)> receiver);

  /// Valid as long as this object.
  rt::CompileObserver observer();

  void warn(std::string_view text);

  /// Removes the line, and ends the last phase. A failure gets every error of
  /// the compiler.
  rt::Status finish(rt::Status status);

  /// Returns the phases in the order in which they began first; none where
  /// nothing was compiled.
  const std::vector<CompilePhase> &phases() const { return phaseTimes; }

private:
  void clearLine();
  void beginPhase(std::string_view name);
  void endPhase();

  std::function<void(std::string_view)> receiver;
  bool isTerminal;
  bool hasLine = false;
  std::vector<std::string> errors;
  std::vector<CompilePhase> phaseTimes;
  /// The index in phaseTimes of the phase that runs.
  std::optional<size_t> running;
  std::chrono::steady_clock::time_point begun;
};

} // namespace nnhal::tools

#endif // NNHAL_LIB_TOOLS_EXECUTION_PROGRESS_H
