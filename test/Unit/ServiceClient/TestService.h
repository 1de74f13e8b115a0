//===- TestService.h - A service in the process of its client ---*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_TEST_UNIT_SERVICECLIENT_TESTSERVICE_H
#define NNHAL_TEST_UNIT_SERVICECLIENT_TESTSERVICE_H

#include "Service/Client/EventLoop.h"
#include "Service/Protocol/Convert.h"

#include "nnhal/Runtime/Device.h"

#include <atomic>
#include <functional>
#include <memory>
#include <string>

namespace nnhal::service::test {

/// How a service departs from its duties. Set while nobody asks it.
struct Conduct {
  uint32_t major = protocolMajor;
  rt::Status greeting;
  /// The devices that it lists, beside the one that it has.
  std::vector<std::string> otherDevices;
  bool listsNothing = false;
  /// The channel of a device is no socket; there is none.
  bool hasNoSocket = false;
  bool hasNoChannel = false;
  /// Changes that are made to answers before they are sent.
  std::function<void(DeviceDescription &)> describe;
  std::function<void(wire::Driver::SupportedOperationsResults::Builder)>
      supported;
  std::function<void(wire::Driver::PrepareModelResults::Builder)> prepared;
  std::function<void(wire::Driver::ImportMemoryResults::Builder)> imported;
  std::function<void(wire::Driver::AllocateResults::Builder)> allocated;
  std::function<void(wire::Driver::TraceResults::Builder)> traced;
  std::function<void(wire::PreparedModel::ExecuteResults::Builder)> executed;
  std::function<void(wire::PreparedModel::ExecuteFencedResults::Builder)>
      fenced;
  /// Speaks to the observer of a preparation before that ends.
  std::function<kj::Promise<void>(wire::PrepareObserver::Client)> observe;
  /// Calls of this name are never answered, after they have begun.
  std::string hangsIn;
  /// Whether it says that asynchronous work has begun.
  bool tellsLaunch = true;
};

/// The counts of what a service has seen and has.
struct Seen {
  std::atomic<int> connections = 0;
  std::atomic<int> preparations = 0;
  std::atomic<int> executions = 0;
  std::atomic<int> imports = 0;
  std::atomic<int> memories = 0;
  std::atomic<int> models = 0;
  std::atomic<int> freedSlots = 0;
  /// Calls that hang, and those that were let go.
  std::atomic<int> hanging = 0;
  std::atomic<int> cancelled = 0;
};

/// A service of one device, on a thread of its own and at a socket of its own.
/// It serves what the tests of the client need, in the simplest way.
class TestService {
public:
  explicit TestService(std::unique_ptr<rt::Device> device,
                       Conduct conduct = {});
  ~TestService();

  const std::string &path() const { return socketPath; }
  /// Ends all connections at once, as the death of its processes does.
  void die();
  /// The process of the device alone.
  void killDevice();
  /// Listens again.
  void restart();

  Conduct conduct;
  Seen seen;
  const std::unique_ptr<rt::Device> device;
  const std::shared_ptr<client::EventLoop> loop;

private:
  friend class ServiceServer;
  struct Servers;

  const std::string socketPath;
  std::unique_ptr<Servers> servers; // On the loop's thread.
};

} // namespace nnhal::service::test

#endif // NNHAL_TEST_UNIT_SERVICECLIENT_TESTSERVICE_H
