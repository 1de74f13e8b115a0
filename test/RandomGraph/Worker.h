//===- Worker.h - A process that may crash ----------------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_TEST_RANDOMGRAPH_WORKER_H
#define NNHAL_TEST_RANDOMGRAPH_WORKER_H

#include "nnhal/Runtime/Memory.h"

#include <chrono>
#include <string>
#include <sys/types.h>
#include <vector>

namespace nnhal::randomgraph {

/// This program once more, in a process of its own that answers each line with
/// a line: what it runs may crash or hang.
///
/// Ownership: the process ends with the object. Threads: one at a time.
class Worker {
public:
  /// \p arguments follow the name of the program.
  explicit Worker(std::vector<std::string> arguments)
      : arguments(std::move(arguments)) {}
  Worker(const Worker &) = delete;
  Worker &operator=(const Worker &) = delete;
  ~Worker() { stop(); }

  /// The answer to \p line. Otherwise generalFailure says how the process
  /// ended, or missedDeadlineTransient that it gave no answer; the next line
  /// starts another process.
  rt::Result<std::string> ask(const std::string &line,
                              std::chrono::seconds timeout);

private:
  rt::Status start();
  /// Ends the process and says how it ended.
  std::string stop();

  std::vector<std::string> arguments;
  pid_t process = -1;
  rt::UniqueFd toProcess, fromProcess;
  std::string unread;
};

} // namespace nnhal::randomgraph

#endif // NNHAL_TEST_RANDOMGRAPH_WORKER_H
