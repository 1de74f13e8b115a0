//===- Supervisor.cpp - The service's main process ------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Supervisor.h"

#include "HostedDevice.h"

#include "Runtime/Support/Errors.h"
#include "Runtime/Support/LogFormat.h"
#include "Service/Protocol/Convert.h"
#include "Service/Protocol/Wire.h"
#include "nnhal/Runtime/Version.h"

#include <algorithm>
#include <csignal>
#include <map>
#include <ranges>
#include <unistd.h>

using namespace nnhal;
using namespace nnhal::service;
using nlohmann::ordered_json;
using rt::LogTag;
using rt::Status;
using rt::StatusCode;

/// The bytes of a client's name that are kept.
static constexpr size_t maxNameLength = 64;
/// The calls of one connection, after which it ends: answers that a client
/// never lets go of stay in memory.
static constexpr uint64_t maxCalls = 2000;
/// Those who are refused learn why, as long as there are few of them.
static constexpr uint64_t maxRefusedConnections = 16;
static constexpr auto refusalTime = 2 * kj::SECONDS;
/// Between attempts to accept a connection, where the system has no descriptor
/// for it.
static constexpr auto acceptPause = 100 * kj::MILLISECONDS;

namespace {

class SupervisorLoop final : private kj::TaskSet::ErrorHandler {
public:
  SupervisorLoop(const Listener &listener, SupervisorOptions options,
                 kj::AsyncIoContext &io);

  /// Ends when the service has ended.
  kj::Promise<void> run();

  const std::vector<std::unique_ptr<HostedDevice>> &allDevices() const {
    return devices;
  }
  kj::Promise<ordered_json> report(uint32_t viewer);
  void logConnection(const Peer &peer, const std::string &device);

private:
  kj::Promise<void> acceptAll();
  void admit(kj::AuthenticatedStream accepted);
  Status checkPeer(const Peer &peer) const;
  void serve(kj::Own<kj::AsyncCapabilityStream> stream, Peer peer);
  void refuse(kj::Own<kj::AsyncCapabilityStream> stream, const Peer &peer,
              Status why);
  kj::Promise<void> whenAsked();
  kj::Promise<void> drain();
  kj::Promise<void> stop();
  void taskFailed(kj::Exception &&exception) override;

  const SupervisorOptions options;
  kj::AsyncIoContext &io;
  SupervisorContext context;
  const rt::Deadline began = rt::steadyNow();
  const std::string path;
  kj::Own<kj::ConnectionReceiver> receiver;
  std::vector<std::unique_ptr<HostedDevice>> devices;
  /// Connections by user.
  std::map<uint32_t, uint64_t> connections;
  uint64_t accepted = 0;
  uint64_t refused = 0;
  uint64_t refusedNow = 0;
  bool isDraining = false;
  kj::TaskSet tasks;
};

/// Counts the calls of a connection.
class CallCounter {
public:
  explicit CallCounter(kj::Own<kj::PromiseFulfiller<void>> tooMany)
      : tooMany(kj::mv(tooMany)) {}
  void note() {
    if (++calls > maxCalls)
      tooMany->fulfill();
  }

private:
  uint64_t calls = 0;
  kj::Own<kj::PromiseFulfiller<void>> tooMany;
};
using CallCounterRef = std::shared_ptr<CallCounter>;

class DriversServer final : public wire::Drivers::Server {
public:
  DriversServer(SupervisorLoop &loop, Peer peer, CallCounterRef calls)
      : loop(loop), peer(std::move(peer)), calls(std::move(calls)) {}

  kj::Promise<void> list(ListContext context) override {
    calls->note();
    const auto &devices = loop.allDevices();
    auto names = context.getResults().initDevices(unsigned(devices.size()));
    for (unsigned i = 0; i < devices.size(); ++i)
      names.set(i, wireText(devices[i]->name()));
    return kj::READY_NOW;
  }

  kj::Promise<void> connect(ConnectContext context) override;

  kj::Promise<void> report(ReportContext context) override {
    calls->note();
    return loop.report(peer.user).then([context](ordered_json report) mutable {
      write(Status::ok(), context.getResults().initStatus());
      // Names of clients may be anything.
      context.getResults().setJson(wireText(
          report.dump(-1, ' ', false, ordered_json::error_handler_t::replace)));
    });
  }

private:
  SupervisorLoop &loop;
  const Peer peer;
  const CallCounterRef calls;
};

/// The capability that whoever connects reaches first, client or not.
class ServiceServer final : public wire::Service::Server {
public:
  ServiceServer(SupervisorLoop &loop, Peer peer, Status refusal,
                CallCounterRef calls)
      : loop(loop), peer(std::move(peer)), refusal(std::move(refusal)),
        calls(std::move(calls)) {}

  kj::Promise<void> hello(HelloContext context) override;

private:
  SupervisorLoop &loop;
  Peer peer;
  const Status refusal;
  const CallCounterRef calls;
};

} // namespace

//===----------------------------------------------------------------------===//
// Messages
//===----------------------------------------------------------------------===//

kj::Promise<void> DriversServer::connect(ConnectContext context) {
  calls->note();
  std::string name = textOf(context.getParams().getDevice());
  const auto &devices = loop.allDevices();
  auto found = std::ranges::find_if(
      devices, [&](const auto &device) { return device->name() == name; });
  if (found == devices.end()) {
    auto names = devices | std::views::transform([](const auto &device) {
                   return device->name();
                 });
    write(rt::badData("unknown device '{}'; the service has {}", name,
                      fmt::join(names, ", ")),
          context.getResults().initStatus());
    return kj::READY_NOW;
  }
  loop.logConnection(peer, name);
  return (*found)->connect(peer).then(
      [context](rt::Result<rt::UniqueFd> connected) mutable {
        write(connected.status(), context.getResults().initStatus());
        if (connected.isOk())
          context.getResults().setChannel(
              makeDescriptor(*std::move(connected)));
      });
}

static Status checkVersion(wire::Version::Reader client,
                           std::string_view name) {
  if (client.getMajor() == protocolMajor)
    return Status::ok();
  return rt::failure("'{}' speaks version {}.{} of the service's protocol, "
                     "which does not work with the service's {}.{}",
                     name, client.getMajor(), client.getMinor(), protocolMajor,
                     protocolMinor);
}

kj::Promise<void> ServiceServer::hello(HelloContext context) {
  calls->note();
  auto client = context.getParams();
  peer.name = textOf(client.getName()).substr(0, maxNameLength);
  auto results = context.getResults();
  results.getService().setMajor(protocolMajor);
  results.getService().setMinor(protocolMinor);
  results.setBuild("nnhal " NNHAL_VERSION);
  Status status =
      refusal.isOk() ? checkVersion(client.getClient(), peer.name) : refusal;
  write(status, results.initStatus());
  if (status.isOk())
    results.setDrivers(kj::heap<DriversServer>(loop, peer, calls));
  return kj::READY_NOW;
}

//===----------------------------------------------------------------------===//
// Connections
//===----------------------------------------------------------------------===//

SupervisorLoop::SupervisorLoop(const Listener &listener,
                               SupervisorOptions given, kj::AsyncIoContext &io)
    : options(std::move(given)), io(io),
      context{io.unixEventPort, *io.lowLevelProvider, options.log,
              options.settings.quotas, options.compileWorker},
      path(listener.path()),
      receiver(io.lowLevelProvider->wrapListenSocketFd(listener.fd())),
      tasks(*this) {
  for (const OfferedDevice &device : options.devices)
    devices.push_back(
        std::make_unique<HostedDevice>(device.name, device.host, context));
}

void SupervisorLoop::taskFailed(kj::Exception &&exception) {
  rt::writeError(*options.log, "{}", exception.getDescription().cStr());
}

void SupervisorLoop::logConnection(const Peer &peer,
                                   const std::string &device) {
  rt::writeLog(*options.log, LogTag::manager,
               "'{}', process {} of user {}, connects to {}", peer.name,
               peer.process, peer.user, device);
}

kj::Promise<void> SupervisorLoop::acceptAll() {
  return receiver->acceptAuthenticated()
      .then(
          [this](kj::AuthenticatedStream accepted) -> kj::Promise<void> {
            admit(kj::mv(accepted));
            return kj::READY_NOW;
          },
          [this](kj::Exception &&exception) {
            taskFailed(kj::mv(exception));
            return io.provider->getTimer().afterDelay(acceptPause);
          })
      .then([this] { return acceptAll(); });
}

static Peer peerOf(kj::PeerIdentity &identity) {
  auto credentials =
      kj::downcast<kj::LocalPeerIdentity>(identity).getCredentials();
  return {
      credentials.uid.orDefault(UINT32_MAX), credentials.pid.orDefault(0), {}};
}

Status SupervisorLoop::checkPeer(const Peer &peer) const {
  const std::vector<uint32_t> &users = options.settings.users;
  bool isListed = peer.user == 0 || peer.user == ::geteuid() ||
                  std::ranges::find(users, peer.user) != users.end();
  if (!isListed)
    return rt::badData("user {} is not among the users of the service",
                       peer.user);
  auto found = connections.find(peer.user);
  uint64_t count = found == connections.end() ? 0 : found->second;
  if (count >= options.settings.quotas.connections)
    return rt::outOfResources("user {} has {} connections to the service, no "
                              "more than {}",
                              peer.user, count,
                              options.settings.quotas.connections);
  return Status::ok();
}

void SupervisorLoop::admit(kj::AuthenticatedStream accepted) {
  Peer peer = peerOf(*accepted.peerIdentity);
  auto stream = accepted.stream.downcast<kj::AsyncCapabilityStream>();
  Status allowed = checkPeer(peer);
  if (allowed.isOk())
    serve(kj::mv(stream), std::move(peer));
  else
    refuse(kj::mv(stream), peer, std::move(allowed));
}

void SupervisorLoop::serve(kj::Own<kj::AsyncCapabilityStream> stream,
                           Peer peer) {
  uint32_t user = peer.user;
  ++accepted;
  ++connections[user];
  auto counted = kj::defer([this, user] {
    if (--connections[user] == 0)
      connections.erase(user);
  });
  auto tooMany = kj::newPromiseAndFulfiller<void>();
  auto calls = std::make_shared<CallCounter>(kj::mv(tooMany.fulfiller));
  auto channel = kj::heap<Channel>(
      kj::mv(stream), Channel::End::acceptor,
      kj::heap<ServiceServer>(*this, std::move(peer), Status::ok(), calls),
      ChannelLimits());
  auto gone = channel->onDisconnect().exclusiveJoin(kj::mv(tooMany.promise));
  tasks.add(gone.attach(kj::mv(channel), kj::mv(counted)));
}

void SupervisorLoop::refuse(kj::Own<kj::AsyncCapabilityStream> stream,
                            const Peer &peer, Status why) {
  ++refused;
  rt::writeLog(*options.log, LogTag::manager, "process {} is refused: {}",
               peer.process, why.message());
  if (refusedNow >= maxRefusedConnections)
    return;
  ++refusedNow;
  auto counted = kj::defer([this] { --refusedNow; });
  auto enough = kj::newPromiseAndFulfiller<void>();
  auto calls = std::make_shared<CallCounter>(kj::mv(enough.fulfiller));
  auto channel = kj::heap<Channel>(
      kj::mv(stream), Channel::End::acceptor,
      kj::heap<ServiceServer>(*this, peer, std::move(why), calls),
      ChannelLimits());
  auto gone =
      channel->onDisconnect()
          .exclusiveJoin(kj::mv(enough.promise))
          .exclusiveJoin(io.provider->getTimer().afterDelay(refusalTime));
  tasks.add(gone.attach(kj::mv(channel), kj::mv(counted)));
}

//===----------------------------------------------------------------------===//
// Reports
//===----------------------------------------------------------------------===//

kj::Promise<ordered_json> SupervisorLoop::report(uint32_t viewer) {
  uint64_t open = 0;
  for (const auto &[user, count] : connections)
    open += count;
  ordered_json service = {
      {"version", NNHAL_VERSION},
      {"protocol", fmt::format("{}.{}", protocolMajor, protocolMinor)},
      {"process", ::getpid()},
      {"user", ::geteuid()},
      {"socket", path},
      {"uptimeSeconds", (rt::steadyNow() - began) / 1'000'000'000},
      {"connections", open},
      {"accepted", accepted},
      {"refused", refused},
      {"draining", isDraining}};
  kj::Vector<kj::Promise<ordered_json>> reports(devices.size());
  for (const auto &device : devices)
    reports.add(device->report(viewer));
  return kj::joinPromises(reports.releaseAsArray())
      .then([service = std::move(service)](kj::Array<ordered_json> found) {
        ordered_json list = ordered_json::array();
        for (ordered_json &device : found)
          list.push_back(std::move(device));
        return ordered_json{{"service", service}, {"devices", std::move(list)}};
      });
}

//===----------------------------------------------------------------------===//
// The end
//===----------------------------------------------------------------------===//

kj::Promise<void> SupervisorLoop::whenAsked() {
  kj::UnixEventPort &port = io.unixEventPort;
  return port.onSignal(SIGTERM)
      .exclusiveJoin(port.onSignal(SIGINT))
      .ignoreResult();
}

kj::Promise<void> SupervisorLoop::drain() {
  isDraining = true;
  uint64_t seconds = options.settings.drainSeconds;
  rt::writeLog(*options.log, LogTag::manager,
               "stops when the devices are idle, at most {} s from now",
               seconds);
  rt::Deadline deadline = rt::steadyNow() + int64_t(seconds) * 1'000'000'000;
  kj::Vector<kj::Promise<void>> drained(devices.size());
  for (const auto &device : devices)
    drained.add(device->drain(deadline));
  // A host that does not keep to the deadline, and an impatient user.
  auto enough = io.provider->getTimer().afterDelay(
      int64_t(seconds) * kj::SECONDS + acceptPause);
  return kj::joinPromises(drained.releaseAsArray())
      .exclusiveJoin(kj::mv(enough))
      .exclusiveJoin(whenAsked());
}

kj::Promise<void> SupervisorLoop::stop() {
  kj::Vector<kj::Promise<void>> stopped(devices.size());
  for (const auto &device : devices)
    stopped.add(device->stop());
  return kj::joinPromises(stopped.releaseAsArray());
}

kj::Promise<void> SupervisorLoop::run() {
  auto names = devices | std::views::transform(
                             [](const auto &device) { return device->name(); });
  rt::writeLog(*options.log, LogTag::manager, "nnhal-service {} at '{}': {}",
               NNHAL_VERSION, path, fmt::join(names, ", "));
  if (options.settings.startAtOnce)
    for (const auto &device : devices)
      device->start();
  return whenAsked()
      .exclusiveJoin(acceptAll())
      .then([this] { return drain(); })
      .then([this] { return stop(); })
      .then([this] { rt::writeLog(*options.log, LogTag::manager, "stopped"); });
}

Status service::runSupervisor(const Listener &listener,
                              SupervisorOptions options) {
  for (int signal : {SIGHUP, SIGPIPE})
    (void)::signal(signal, SIG_IGN);
  for (int signal : {SIGTERM, SIGINT})
    kj::UnixEventPort::captureSignal(signal);
  kj::UnixEventPort::captureChildExit();
  try {
    kj::AsyncIoContext io = kj::setupAsyncIo();
    SupervisorLoop loop(listener, std::move(options), io);
    loop.run().wait(io.waitScope);
    return Status::ok();
  } catch (const kj::Exception &exception) {
    return rt::failure("the service cannot go on: {}",
                       exception.getDescription().cStr());
  }
}
