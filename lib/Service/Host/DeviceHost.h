//===- DeviceHost.h - Serves a device to other processes --------*- C++ -*-===//
//-*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_SERVICE_HOST_DEVICEHOST_H
#define NNHAL_LIB_SERVICE_HOST_DEVICEHOST_H

#include "Quotas.h"

#include "Driver.capnp.h"
#include "Service/Protocol/LoopPolling.h"

#include "nnhal/Runtime/Device.h"
#include "nnhal/Runtime/DeviceServices.h"

#include <kj/async-io.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace nnhal::service {

struct DeviceHostOptions {
  /// Makes the device of one client with the services that it is given. Called
  /// once for the description and once per client, on any thread.
  std::function<rt::Result<std::unique_ptr<rt::Device>>(rt::DeviceServices)>
      makeDevice;
  /// The services that the devices of all clients share; each gets a budget and
  /// a tracer of its own.
  rt::DeviceServices services;
  Quotas quotas;
  /// Polls for a while after each answer; null for a loop that does not.
  std::shared_ptr<LoopPolling> polling = nullptr;
  /// The layers that confine this process, for the supervisor's report.
  std::vector<std::string> sandbox;
};

/// Who a client is, as its supervisor knows it.
struct ClientIdentity {
  uint32_t user = 0;
  int32_t process = 0;
  std::string name;
};

/// Serves one device to any number of clients over connections of their own,
/// none of which can see, name or exhaust what another one has.
///
/// Ownership: a connection that ends releases everything of its client.
/// Threads:   that of the event loop, which lives longer; it never waits for a
///            device or a client.
class DeviceHost {
public:
  /// Fails as makeDevice does.
  static rt::Result<std::unique_ptr<DeviceHost>>
  create(DeviceHostOptions options, kj::LowLevelAsyncIoProvider &io);
  /// Drops the connections and waits for the executions and preparations that
  /// run.
  ~DeviceHost();
  DeviceHost(const DeviceHost &) = delete;
  DeviceHost &operator=(const DeviceHost &) = delete;

  /// The bootstrap capability of the connection to the supervisor. It must not
  /// be called once this object is gone.
  wire::Host::Client supervisor();

  /// Serves a client on the other end of \p channel, a stream socket of the
  /// Unix domain, until that is closed. invalidArgument for anything else.
  rt::Status addClient(rt::UniqueFd channel, ClientIdentity identity);

  /// Those whose connection lives.
  size_t clients() const;
  void report(wire::HostReport::Builder builder) const;
  /// Refuses new work, and returns when none is under way or at \p deadline.
  kj::Promise<void> drain(rt::Deadline deadline);

private:
  struct Impl;
  explicit DeviceHost(std::unique_ptr<Impl> impl);
  const std::unique_ptr<Impl> impl;
};

} // namespace nnhal::service

#endif // NNHAL_LIB_SERVICE_HOST_DEVICEHOST_H
