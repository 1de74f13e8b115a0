//===- HostedDevice.cpp - A device and the process that hosts it ----------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HostedDevice.h"

#include "Runtime/Support/Errors.h"
#include "Runtime/Support/LogFormat.h"
#include "Service/Protocol/Convert.h"
#include "Service/Protocol/Wire.h"

#include <algorithm>
#include <unistd.h>

using namespace nnhal;
using namespace nnhal::service;
using nlohmann::ordered_json;
using rt::LogTag;
using rt::Result;
using rt::Status;
using rt::StatusCode;
using rt::UniqueFd;

/// A process that has lived this long is started again at once.
static constexpr int64_t longLife = 10'000'000'000;
static constexpr uint64_t firstBackoff = 100;
static constexpr uint64_t lastBackoff = 10'000;
/// A client waits this many milliseconds for the next start, and not longer.
static constexpr uint64_t patience = 1'000;
/// Drivers of accelerators may take a while to start.
static constexpr auto startTime = 30 * kj::SECONDS;
/// A host that does not answer by then is taken for stuck.
static constexpr auto answerTime = 1 * kj::SECONDS;

HostedDevice::HostedDevice(std::string name, ChildProgram program,
                           const SupervisorContext &context)
    : deviceName(std::move(name)), program(std::move(program)),
      context(context), tasks(*this) {}

void HostedDevice::taskFailed(kj::Exception &&exception) {
  rt::writeError(*context.log, "{}: {}", deviceName,
                 exception.getDescription().cStr());
}

//===----------------------------------------------------------------------===//
// Life and death
//===----------------------------------------------------------------------===//

Status HostedDevice::launch() {
  NNHAL_ASSIGN_OR_RETURN(std::unique_ptr<Child> child,
                         Child::start(program, context.port));
  run = std::make_unique<Run>();
  run->child = std::move(child);
  run->began = rt::steadyNow();
  ++starts;
  run->channel = kj::heap<Channel>(
      wrapSocket(context.io, run->child->takeChannel()), Channel::End::opener,
      kj::heap<CompilerSupply>(context.compileWorker, context.port, workers),
      ChannelLimits());
  run->host = run->channel->peer().castAs<wire::Host>();
  // A host that ends first breaks the call.
  auto noted = run->host.describeRequest().send().then(
      [this](auto &&answer) { noteReady(answer); }, [](kj::Exception &&) {});
  run->described = noted.fork();
  tasks.add(run->described.addBranch());
  auto kill = [this, number = starts] {
    if (run && starts == number && !run->isReady)
      run->child->kill();
  };
  tasks.add(context.port.getTimer().afterDelay(startTime).then(kj::mv(kill)));
  tasks.add(run->child->whenEnded().then(
      [this](const std::string &how) { noteEnd(how); }));
  return Status::ok();
}

void HostedDevice::start() {
  if (run || restart != nullptr || isStopping)
    return;
  Status launched = launch();
  if (launched.isOk())
    return;
  lastDeath = launched.message();
  rt::writeError(*context.log, "{}: {}", deviceName, lastDeath);
  restartLater(0);
}

void HostedDevice::noteReady(wire::Host::DescribeResults::Reader answer) {
  if (!run)
    return; // The answer was the last that it did.
  run->isReady = true;
  run->version = textOf(answer.getDevice().getVersion());
  for (auto layer : answer.getSandbox())
    run->sandbox.push_back(textOf(layer));
  rt::writeLog(*context.log, LogTag::manager, "{} {}: hosted by process {}; {}",
               deviceName, run->version, run->child->process(),
               fmt::join(run->sandbox, "; "));
}

void HostedDevice::noteEnd(const std::string &how) {
  int64_t lived = rt::steadyNow() - run->began;
  run.reset();
  if (isStopping)
    return;
  ++deaths;
  lastDeath = how;
  rt::writeError(*context.log, "{}: its process has ended: {}", deviceName,
                 how);
  restartLater(lived);
}

void HostedDevice::restartLater(int64_t lived) {
  backoff = lived >= longLife
                ? 0
                : std::clamp(2 * backoff, firstBackoff, lastBackoff);
  auto planned = context.port.getTimer()
                     .afterDelay(backoff * kj::MILLISECONDS)
                     .then([this] {
                       restart = nullptr;
                       start();
                     })
                     .fork();
  tasks.add(planned.addBranch());
  restart = kj::mv(planned);
}

kj::Promise<void> HostedDevice::drain(rt::Deadline deadline) {
  isStopping = true;
  if (!run || !run->isReady)
    return kj::READY_NOW;
  auto request = run->host.drainRequest();
  request.setDeadline(deadline);
  return request.send().ignoreResult().catch_([](kj::Exception &&) {});
}

kj::Promise<void> HostedDevice::stop() {
  isStopping = true;
  if (!run)
    return kj::READY_NOW;
  // The host ends when its supervisor is gone, and is killed otherwise.
  run->host = nullptr;
  run->channel = nullptr;
  auto ended = run->child->whenEnded().ignoreResult();
  auto killed = context.port.getTimer().afterDelay(answerTime).then([this] {
    if (run)
      run->child->kill();
    return run ? run->child->whenEnded().ignoreResult()
               : kj::Promise<void>(kj::READY_NOW);
  });
  return ended.exclusiveJoin(kj::mv(killed));
}

//===----------------------------------------------------------------------===//
// Clients
//===----------------------------------------------------------------------===//

Status HostedDevice::unavailable() const {
  std::string why = "the service is stopping";
  if (!isStopping && lastDeath.empty())
    why = "its process has ended";
  else if (!isStopping)
    why = fmt::format("its process has ended: {}", lastDeath);
  if (restart != nullptr)
    why += fmt::format("; the next one begins {} ms after it", backoff);
  return rt::deviceUnavailable("device '{}' is not there: {}", deviceName, why);
}

kj::Promise<Result<UniqueFd>> HostedDevice::connectOnce(Peer peer) {
  start();
  KJ_IF_MAYBE (planned, restart) {
    if (backoff <= patience && !isStopping)
      return planned->addBranch().then(
          [this, peer = std::move(peer)]() mutable {
            return connectOnce(std::move(peer));
          });
  }
  if (!run || isStopping)
    return Result<UniqueFd>(unavailable());
  return run->described.addBranch().then(
      [this,
       peer = std::move(peer)]() mutable -> kj::Promise<Result<UniqueFd>> {
        if (!run || !run->isReady)
          return Result<UniqueFd>(unavailable());
        return addClient(peer);
      });
}

kj::Promise<Result<UniqueFd>> HostedDevice::connect(const Peer &peer) {
  const uint64_t number = starts;
  return connectOnce(peer).then(
      [this, peer,
       number](Result<UniqueFd> found) -> kj::Promise<Result<UniqueFd>> {
        bool isLost = found.status().code() == StatusCode::deviceUnavailable;
        if (!isLost || isStopping)
          return found;
        // The process died under the call, perhaps before its end is known.
        kj::Promise<void> ended = kj::READY_NOW;
        if (run && starts == number)
          ended = run->child->whenEnded().ignoreResult();
        auto tired =
            context.port.getTimer().afterDelay(patience * kj::MILLISECONDS);
        return ended.exclusiveJoin(kj::mv(tired)).then([this, peer] {
          return connectOnce(peer);
        });
      });
}

kj::Promise<Status> HostedDevice::checkConnections(uint32_t user) {
  auto count = [this, user](auto &&answer) -> Status {
    uint64_t found = pending[user] - 1; // Without the one that is checked.
    for (auto client : answer.getReport().getClients())
      found += client.getUser() == user;
    if (found < context.quotas.connections)
      return Status::ok();
    return rt::outOfResources("user {} has {} connections to device '{}', no "
                              "more than {}",
                              user, found, deviceName,
                              context.quotas.connections);
  };
  return run->host.reportRequest().send().then(
      kj::mv(count), [this](kj::Exception &&) { return unavailable(); });
}

kj::Promise<Result<UniqueFd>> HostedDevice::addClient(const Peer &peer) {
  ++pending[peer.user];
  auto counted = kj::defer([this, user = peer.user] { --pending[user]; });
  auto add = [this, peer](Status status) -> kj::Promise<Result<UniqueFd>> {
    if (status.isOk() && !run)
      status = unavailable();
    auto pair = status.isOk() ? makeSocketPair() : Result<SocketPair>(status);
    if (!pair.isOk())
      return Result<UniqueFd>(pair.status());
    auto request = run->host.addClientRequest();
    request.setChannel(makeDescriptor(std::move(pair->ends[0])));
    request.setUser(peer.user);
    request.setProcess(peer.process);
    request.setName(wireText(peer.name));
    return request.send().then(
        [fd = std::move(pair->ends[1])](
            auto &&answer) mutable -> Result<UniqueFd> {
          NNHAL_RETURN_IF_ERROR(read(answer.getStatus()));
          return std::move(fd);
        },
        [this](kj::Exception &&) -> Result<UniqueFd> { return unavailable(); });
  };
  return checkConnections(peer.user)
      .then(std::move(add))
      .attach(kj::mv(counted));
}

//===----------------------------------------------------------------------===//
// Reports
//===----------------------------------------------------------------------===//

static ordered_json describeClient(wire::HostReport::Client::Reader client) {
  return {{"id", client.getId()},
          {"user", client.getUser()},
          {"process", client.getProcess()},
          {"name", textOf(client.getName())},
          {"models", client.getModels()},
          {"buffers", client.getBuffers()},
          {"bursts", client.getBursts()},
          {"memory", client.getMemory()},
          {"descriptors", client.getDescriptors()},
          {"queued", client.getQueued()},
          {"executions", client.getExecutions()},
          {"preparations", client.getPreparations()},
          {"failures", client.getFailures()},
          {"refusals", client.getRefusals()}};
}

ordered_json HostedDevice::describe() const {
  const char *state = !run           ? restart == nullptr ? "idle" : "waiting"
                      : run->isReady ? "running"
                                     : "starting";
  ordered_json device = {
      {"name", deviceName},
      {"version", run ? run->version : ""},
      {"state", state},
      {"process", run ? run->child->process() : 0},
      {"uptimeSeconds",
       run ? (rt::steadyNow() - run->began) / 1'000'000'000 : 0},
      {"starts", starts},
      {"deaths", deaths},
      {"lastDeath", lastDeath},
      {"compileWorkers", workers.running},
      {"compileWorkerStarts", workers.starts},
      {"compileWorkerDeaths", workers.deaths},
      {"sandbox", run ? run->sandbox : std::vector<std::string>()},
      {"clients", ordered_json::array()}};
  return device;
}

kj::Promise<ordered_json> HostedDevice::report(uint32_t viewer) {
  if (!run || !run->isReady)
    return describe();
  auto add = [this, viewer](auto &&answer) {
    ordered_json device = describe();
    bool seesAll = viewer == 0 || viewer == ::geteuid();
    for (auto client : answer.getReport().getClients())
      if (seesAll || client.getUser() == viewer)
        device["clients"].push_back(describeClient(client));
    return device;
  };
  auto answer = run->host.reportRequest().send().then(kj::mv(add));
  return context.port.getTimer()
      .timeoutAfter(answerTime, kj::mv(answer))
      .catch_([this](kj::Exception &&) {
        ordered_json device = describe();
        device["state"] = "silent";
        return device;
      });
}
