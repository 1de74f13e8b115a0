//===- ServiceProcess.h - A service for the time of a run -------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_TOOLS_BENCHMARK_SERVICEPROCESS_H
#define NNHAL_LIB_TOOLS_BENCHMARK_SERVICEPROCESS_H

#include "nnhal/Runtime/Status.h"

#include <string>
#include <sys/types.h>
#include <utility>
#include <vector>

namespace nnhal::tools {

/// An nnhal-service, the program beside this one, which ends with this object
/// and with this process.
class ServiceProcess {
public:
  /// What the service is to host.
  struct Request {
    std::vector<std::string> devices;
    std::vector<std::string> plugins;
    /// An existing folder of this user alone, for socket and states.
    std::string folder;
  };
  /// Starts the service and waits until its devices can be had. Fails with
  /// deviceUnavailable when the program is missing or ends at once, and with
  /// what connectDevices() reports where they cannot.
  static rt::Result<ServiceProcess> start(const Request &request);

  ServiceProcess() = default;
  ServiceProcess(ServiceProcess &&other) noexcept
      : process(std::exchange(other.process, 0)), path(std::move(other.path)) {}
  ServiceProcess &operator=(ServiceProcess &&other) noexcept {
    std::swap(process, other.process);
    std::swap(path, other.path);
    return *this;
  }
  ~ServiceProcess();

  const std::string &socket() const { return path; }

private:
  pid_t process = 0;
  std::string path;
};

} // namespace nnhal::tools

#endif // NNHAL_LIB_TOOLS_BENCHMARK_SERVICEPROCESS_H
