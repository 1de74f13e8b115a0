//===- Supervision.h - The connection to the supervisor ---------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_SERVICE_CLIENT_SUPERVISION_H
#define NNHAL_LIB_SERVICE_CLIENT_SUPERVISION_H

#include "Connection.h"
#include "Driver.capnp.h"
#include "EventLoop.h"

#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace nnhal::service::client {

/// The way to a service: finds it at its path, and again when it was restarted.
///
/// Ownership: shared by the devices of one connectDevices().
/// Threads:   any, but not that of the loop.
class Supervision {
public:
  /// The service may take \p patience seconds for each answer.
  Supervision(std::shared_ptr<EventLoop> loop, std::string path,
              unsigned patience = 10)
      : loop(std::move(loop)), path(std::move(path)), patience(patience) {}

  /// The names of the devices. deviceUnavailable when nobody listens at the
  /// path or answers in time, generalFailure for a service that
  /// speaks another major version of the protocol.
  rt::Result<std::vector<std::string>> listDevices();

  /// A socket to the process of \p device. Fails like listDevices(), and with
  /// what the service says.
  rt::Result<rt::UniqueFd> openChannel(const std::string &device);

private:
  struct Wire;

  template <typename Ask> auto ask(Ask function);
  template <typename Outcome>
  kj::Promise<Outcome> inTime(kj::Promise<Outcome> answer) const;
  rt::Status connect();
  kj::Promise<rt::Status> greet(Wire &wire) const;
  kj::Promise<rt::Result<std::vector<std::string>>> list(Wire &wire) const;
  kj::Promise<rt::Result<rt::UniqueFd>> open(Wire &wire,
                                             const std::string &device) const;

  const std::shared_ptr<EventLoop> loop;
  const std::string path;
  const unsigned patience;
  std::mutex mutex; // Held while the service is asked.
  std::optional<OnLoop<std::unique_ptr<Wire>>> wire;
};

} // namespace nnhal::service::client

#endif // NNHAL_LIB_SERVICE_CLIENT_SUPERVISION_H
