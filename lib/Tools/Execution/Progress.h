//===- Progress.h - Progress of a compilation -------------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_TOOLS_EXECUTION_PROGRESS_H
#define NNHAL_LIB_TOOLS_EXECUTION_PROGRESS_H

#include "nnhal/Runtime/Compiler.h"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace nnhal::tools {

/// Shows a progress line on standard error while that is a terminal, prints
/// warnings, and collects errors. One compilation, one thread.
class Progress {
public:
  /// Warnings go to \p receiver, and nothing to standard error, where that is
  /// not empty.
  explicit Progress(std::function<void(std::string_view)> receiver);

  /// Valid as long as this object.
  rt::CompileObserver observer();

  void warn(std::string_view text);

  /// Removes the line. A failure gets every error of the compiler.
  rt::Status finish(rt::Status status);

private:
  void clearLine();

  std::function<void(std::string_view)> receiver;
  bool isTerminal;
  bool hasLine = false;
  std::vector<std::string> errors;
};

} // namespace nnhal::tools

#endif // NNHAL_LIB_TOOLS_EXECUTION_PROGRESS_H
