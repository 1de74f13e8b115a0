//===- ClientProcess.h - A client that may crash or hang --------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_TOOLS_NNHAL_STRESS_CLIENTPROCESS_H
#define NNHAL_TOOLS_NNHAL_STRESS_CLIENTPROCESS_H

#include "Results.h"

#include "nnhal/Runtime/Memory.h"

#include <chrono>
#include <optional>
#include <string>
#include <sys/types.h>
#include <vector>

namespace nnhal::stress {

/// The exit status of a client whose driver has died or cannot be reached: a
/// service, of which the client is another process.
inline constexpr int exitDriverDied = 3;

/// How a client ended.
struct ClientEnd {
  Outcome outcome = Outcome::success;
  /// The last line that it printed, or how it died.
  std::string message;
};

/// This program once more, as a process of its own.
///
/// Threads: one at a time. The process is killed when the object is destroyed.
class ClientProcess {
public:
  ClientProcess() = default;
  ClientProcess(const ClientProcess &) = delete;
  ClientProcess &operator=(const ClientProcess &) = delete;
  ~ClientProcess() { kill(); }

  /// \p arguments follow the name of the program. Fails with the system's
  /// reason.
  rt::Status start(std::vector<std::string> arguments);
  /// Waits for the end, which is a crash of the driver where the exit status is
  /// exitDriverDied, at most until \p deadline, at which it is killed and
  /// hangs.
  ClientEnd wait(std::chrono::steady_clock::time_point deadline);
  /// Kills the process after \p delay. Returns how it ended where that was
  /// before.
  std::optional<ClientEnd> killWithin(std::chrono::milliseconds delay);
  void kill();

private:
  ClientEnd end();
  /// The last line that was printed.
  std::string lastLine() const;

  pid_t process = -1;
  rt::UniqueFd output;
  std::string printed;
};

} // namespace nnhal::stress

#endif // NNHAL_TOOLS_NNHAL_STRESS_CLIENTPROCESS_H
