//===- DeviceHost.cpp - Serves a device to other processes ----------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DeviceHost.h"

#include "Connection.h"
#include "DriverServer.h"
#include "Session.h"

#include "Runtime/Support/LogFormat.h"

#include <sys/socket.h>

#include <algorithm>
#include <list>

using namespace nnhal;
using namespace nnhal::service;
using rt::Result;
using rt::Status;

/// Enough that clients which block their own calls do not block those of
/// others; they are started when there is something to do.
static constexpr unsigned callThreads = 64;
/// How often a host that drains looks whether it has ended.
static constexpr kj::Duration drainPause = 5 * kj::MILLISECONDS;

struct DeviceHost::Impl final : private kj::TaskSet::ErrorHandler {
  Impl(std::shared_ptr<HostState> state, kj::LowLevelAsyncIoProvider &io)
      : state(std::move(state)), io(io),
        ends(kj::heap<kj::TaskSet>(static_cast<ErrorHandler &>(*this))) {
    ends->add(this->state->loop->run());
  }
  ~Impl() {
    ends = nullptr;
    clients.clear();
    // Waits for the calls that block.
    state->calls.reset();
    // The threads have left work for this one.
    state->loop->callAll();
  }

  /// A connection that ends is an end, whatever the reason.
  void taskFailed(kj::Exception &&) override {}

  struct Client {
    std::shared_ptr<Session> session;
    kj::Own<Connection> connection;
  };

  bool isIdle() const {
    return std::ranges::all_of(clients, [](const Client &client) {
      const Account &account = *client.session->account;
      return account.executions.inUse() + account.preparations.inUse() == 0;
    });
  }

  kj::Promise<void> waitUntilIdle(rt::Deadline deadline) {
    if (isIdle() || rt::steadyNow() >= deadline)
      return kj::READY_NOW;
    return io.getTimer().afterDelay(drainPause).then([this, deadline] {
      return waitUntilIdle(deadline);
    });
  }

  const std::shared_ptr<HostState> state;
  kj::LowLevelAsyncIoProvider &io;
  std::list<Client> clients;
  uint64_t lastClient = 0;
  kj::Own<kj::TaskSet> ends;
};

namespace {
/// The host, as its supervisor calls it.
class HostServer final : public wire::Host::Server {
public:
  HostServer(DeviceHost &host, const HostState &state)
      : host(host), state(state) {}

  kj::Promise<void> describe(DescribeContext context) override {
    auto results = context.getResults();
    write(state.description, results.initDevice());
    const auto &sandbox = state.options.sandbox;
    auto list = results.initSandbox(unsigned(sandbox.size()));
    for (unsigned i = 0; i < sandbox.size(); ++i)
      list.set(i, kj::heapString(sandbox[i].data(), sandbox[i].size()));
    return kj::READY_NOW;
  }

  kj::Promise<void> addClient(AddClientContext context) override {
    auto params = context.getParams();
    std::vector<NamedDescriptor> channel;
    channel.push_back({params.getChannel(), "the channel of a client"});
    ClientIdentity identity{params.getUser(), params.getProcess(),
                            std::string(params.getName().cStr())};
    return takeDescriptors(std::move(channel))
        .then([this, context, identity = std::move(identity)](
                  Result<std::vector<rt::UniqueFd>> taken) mutable {
          Status status = taken.isOk()
                              ? host.addClient(std::move(taken->front()),
                                               std::move(identity))
                              : std::move(taken).takeStatus();
          write(status, context.getResults().initStatus());
        });
  }

  kj::Promise<void> report(ReportContext context) override {
    host.report(context.getResults().initReport());
    return kj::READY_NOW;
  }

  kj::Promise<void> drain(DrainContext context) override {
    return host.drain(context.getParams().getDeadline());
  }

private:
  DeviceHost &host;
  const HostState &state;
};
} // namespace

DeviceHost::DeviceHost(std::unique_ptr<Impl> impl) : impl(std::move(impl)) {}
DeviceHost::~DeviceHost() = default;

Result<std::unique_ptr<DeviceHost>>
DeviceHost::create(DeviceHostOptions options, kj::LowLevelAsyncIoProvider &io) {
  auto state = std::make_shared<HostState>();
  options.services = rt::completeServices(std::move(options.services));
  state->options = std::move(options);
  NNHAL_ASSIGN_OR_RETURN(auto device,
                         state->options.makeDevice(state->options.services));
  state->description = describe(*device);
  state->calls = rt::Scheduler::create(
      {.slots = callThreads, .queueLimit = std::numeric_limits<size_t>::max()});
  return std::unique_ptr<DeviceHost>(
      new DeviceHost(std::make_unique<Impl>(std::move(state), io)));
}

wire::Host::Client DeviceHost::supervisor() {
  return kj::heap<HostServer>(*this, *impl->state);
}

static Status checkChannel(int fd) {
  int domain = 0;
  int type = 0;
  socklen_t size = sizeof(int);
  if (::getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &domain, &size) != 0 ||
      ::getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &size) != 0 ||
      domain != AF_UNIX || type != SOCK_STREAM)
    return rt::badData("the channel of a client is not a stream socket of the "
                       "Unix domain");
  return Status::ok();
}

Status DeviceHost::addClient(rt::UniqueFd channel, ClientIdentity identity) {
  NNHAL_RETURN_IF_ERROR(checkChannel(channel.get()));
  auto session = std::make_shared<Session>(impl->state, std::move(identity),
                                           ++impl->lastClient);
  auto connection = kj::heap<Connection>(
      std::move(channel), kj::heap<DriverServer>(session), impl->io);
  auto ended = connection->onDisconnect();
  auto place = impl->clients.insert(impl->clients.end(),
                                    {std::move(session), kj::mv(connection)});
  impl->ends->add(ended.then([this, place] { impl->clients.erase(place); }));
  return Status::ok();
}

size_t DeviceHost::clients() const { return impl->clients.size(); }

void DeviceHost::report(wire::HostReport::Builder builder) const {
  auto list = builder.initClients(unsigned(impl->clients.size()));
  unsigned index = 0;
  for (const Impl::Client &client : impl->clients)
    client.session->report(list[index++]);
}

kj::Promise<void> DeviceHost::drain(rt::Deadline deadline) {
  impl->state->isDraining = true;
  return impl->waitUntilIdle(deadline);
}
