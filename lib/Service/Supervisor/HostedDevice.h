//===- HostedDevice.h - A device and the process that hosts it --*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_SERVICE_SUPERVISOR_HOSTEDDEVICE_H
#define NNHAL_LIB_SERVICE_SUPERVISOR_HOSTEDDEVICE_H

#include "Child.h"
#include "CompilerSupply.h"

#include "Service/Host/Quotas.h"
#include "Service/Protocol/Channel.h"

#include "nnhal/Runtime/Execution.h"
#include "nnhal/Runtime/Log.h"

#include <nlohmann/json.hpp>

#include <map>

namespace nnhal::service {

/// The parts of a supervisor that its devices share.
struct SupervisorContext {
  kj::UnixEventPort &port;
  kj::LowLevelAsyncIoProvider &io;
  std::shared_ptr<const rt::Log> log;
  Quotas quotas;
  /// Runs a compile worker.
  ChildProgram compileWorker;
};

/// Who connects, by the credentials of its socket.
struct Peer {
  uint32_t user = 0;
  int32_t process = 0;
  /// The name that the client gives itself.
  std::string name;
};

/// Keeps the process of one device running: starts it when it is asked for, and
/// after its death, later each time that it dies young.
///
/// Threads: that of the event loop.
class HostedDevice final : private kj::TaskSet::ErrorHandler {
public:
  /// \p context lives longer.
  HostedDevice(std::string name, ChildProgram program,
               const SupervisorContext &context);

  const std::string &name() const { return deviceName; }

  /// Starts the process unless it runs or has just died.
  void start();

  /// A socket whose bootstrap capability is the device's Driver. Fails with
  /// deviceUnavailable when there is no process, which says why, and with
  /// resourceExhaustedTransient when the user has too many connections.
  /// A process that dies meanwhile is followed by the next one, once.
  kj::Promise<rt::Result<rt::UniqueFd>> connect(const Peer &peer);

  /// The report about a device that docs/Devices/Service.md describes, with
  /// those clients that \p viewer, a user, may hear of.
  kj::Promise<nlohmann::ordered_json> report(uint32_t viewer);

  /// Starts no process any more, and returns when the device has finished what
  /// is under way, or at \p deadline.
  kj::Promise<void> drain(rt::Deadline deadline);
  /// Ends the process and returns when it is gone.
  kj::Promise<void> stop();

private:
  /// A process of the device.
  struct Run {
    std::unique_ptr<Child> child;
    kj::Own<Channel> channel;
    wire::Host::Client host = nullptr;
    /// Ends when the host has described itself, or has ended.
    kj::ForkedPromise<void> described = nullptr;
    rt::Deadline began = 0;
    bool isReady = false;
    std::string version;
    std::vector<std::string> sandbox;
  };

  rt::Status launch();
  void noteReady(wire::Host::DescribeResults::Reader answer);
  void noteEnd(const std::string &how);
  void restartLater(int64_t lived);
  kj::Promise<rt::Result<rt::UniqueFd>> connectOnce(Peer peer);
  kj::Promise<rt::Result<rt::UniqueFd>> addClient(const Peer &peer);
  kj::Promise<rt::Status> checkConnections(uint32_t user);
  rt::Status unavailable() const;
  nlohmann::ordered_json describe() const;
  void taskFailed(kj::Exception &&exception) override;

  const std::string deviceName;
  const ChildProgram program;
  const SupervisorContext &context;
  WorkerCounts workers;
  /// Null while no process runs.
  std::unique_ptr<Run> run;
  uint64_t starts = 0;
  uint64_t deaths = 0;
  std::string lastDeath;
  /// The milliseconds between the last death and the next start.
  uint64_t backoff = 0;
  /// Ends with that start; nothing while none is planned.
  kj::Maybe<kj::ForkedPromise<void>> restart;
  bool isStopping = false;
  /// Connections that are being made, by user.
  std::map<uint32_t, uint64_t> pending;
  kj::TaskSet tasks;
};

} // namespace nnhal::service

#endif // NNHAL_LIB_SERVICE_SUPERVISOR_HOSTEDDEVICE_H
