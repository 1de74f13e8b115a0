//===- ServiceProcess.h - A service of a test's own -------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_TEST_UNIT_SERVICE_SERVICEPROCESS_H
#define NNHAL_TEST_UNIT_SERVICE_SERVICEPROCESS_H

#include "nnhal/Runtime/Device.h"

#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <sys/types.h>
#include <vector>

namespace nnhal::rt::test {

/// The resources that a process holds, as the kernel counts them.
struct Holdings {
  size_t threads = 0;
  size_t descriptors = 0;
  size_t mappings = 0;
  size_t residentKilobytes = 0;
};
Holdings holdingsOf(pid_t process);

/// nnhal-service with a socket and a state directory of its own. Ends with this
/// object.
class ServiceProcess {
public:
  /// \p arguments follow --socket and --state-dir.
  explicit ServiceProcess(std::vector<std::string> arguments);
  ~ServiceProcess();
  ServiceProcess(const ServiceProcess &) = delete;
  ServiceProcess &operator=(const ServiceProcess &) = delete;

  std::string socket() const { return folder / "socket"; }
  pid_t process() const { return child; }
  /// The process that hosts \p device; 0 while there is none.
  pid_t hostOf(std::string_view device) const;

  /// Starts the service, which does not run, and waits until it answers.
  void start();
  /// Sends \p signal to the service and waits for its end; returns the status
  /// of waitpid().
  int stop(int signal);

  /// The devices of a connection of their own; a test failure and none where
  /// that fails.
  std::vector<std::unique_ptr<Device>> connect() const;
  /// One of them; null where there is none.
  std::unique_ptr<Device> connect(std::string_view device) const;

private:
  std::filesystem::path folder;
  std::vector<std::string> arguments;
  pid_t child = 0;
};

/// Waits until \p condition holds or ten seconds have passed, and returns
/// whether it holds.
template <typename Condition> bool eventually(Condition condition) {
  using namespace std::chrono;
  auto end = steady_clock::now() + seconds(10);
  while (!condition()) {
    if (steady_clock::now() > end)
      return false;
    timespec pause{.tv_sec = 0, .tv_nsec = 1'000'000};
    ::nanosleep(&pause, nullptr);
  }
  return true;
}

/// \p normal, or \p all where NNHAL_TEST_ALL asks for the full length.
int lengthOfTest(int normal, int all);

} // namespace nnhal::rt::test

#endif // NNHAL_TEST_UNIT_SERVICE_SERVICEPROCESS_H
