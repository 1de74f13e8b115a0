//===- Child.h - Processes of the service -----------------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_SERVICE_SUPERVISOR_CHILD_H
#define NNHAL_LIB_SERVICE_SUPERVISOR_CHILD_H

#include "nnhal/Runtime/Memory.h"

#include <kj/async-unix.h>

#include <memory>
#include <string>
#include <vector>

namespace nnhal::service {

/// The descriptor by which a child is connected to its supervisor.
inline constexpr int childChannel = 3;

struct ChildProgram {
  /// The arguments behind the program's name.
  std::vector<std::string> arguments;
  /// "NAME=VALUE"; nothing else is in the child's environment.
  std::vector<std::string> environment;
};

/// A process that runs this program in another mode, and the other end of its
/// channel.
///
/// It inherits standard error, which is that of the supervisor, and one socket
/// at childChannel; standard input and output are /dev/null. It ignores the
/// signals that end a supervisor, which decides when it ends, and is killed
/// when the thread dies that started it.
struct LaunchedProcess {
  pid_t process = 0;
  rt::UniqueFd channel;
};
/// Fails with resourceExhaustedTransient when the system gives no process.
rt::Result<LaunchedProcess> launch(const ChildProgram &program);

/// "signal 11 (Segmentation fault)" or "exit status 1", for the status of
/// wait().
std::string describeEnd(int status);

/// The variables of this process's environment that children get: where
/// libraries are and what sanitizers shall do.
std::vector<std::string> inheritedEnvironment();

/// A launched process that an event loop watches.
///
/// Threads: that of the event loop, which is the process's main thread and has
///          called kj::UnixEventPort::captureChildExit().
class Child {
public:
  /// See launch().
  static rt::Result<std::unique_ptr<Child>> start(const ChildProgram &program,
                                                  kj::UnixEventPort &port);
  /// Kills the process.
  ~Child() noexcept;
  Child(const Child &) = delete;
  Child &operator=(const Child &) = delete;

  /// The other end of its channel, for the one caller that asks.
  rt::UniqueFd takeChannel() { return std::move(channel); }
  /// 0 when it has ended.
  pid_t process() const;
  /// How it ended, once it has.
  kj::Promise<std::string> whenEnded() { return ended.addBranch(); }
  void kill();

private:
  Child(LaunchedProcess launched, kj::UnixEventPort &port);

  /// Null once the process is reaped. The event loop refers to it for as long
  /// as anybody waits for the end.
  std::shared_ptr<kj::Maybe<pid_t>> id;
  rt::UniqueFd channel;
  kj::ForkedPromise<std::string> ended;
};

} // namespace nnhal::service

#endif // NNHAL_LIB_SERVICE_SUPERVISOR_CHILD_H
