//===- TestService.cpp - A service in the process of its client -----------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestService.h"

#include "TestDriver.h"

#include "Service/Protocol/Wire.h"

#include <capnp/rpc-twoparty.h>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>

using namespace nnhal;
using namespace nnhal::service;
using namespace nnhal::service::client;
using namespace nnhal::service::test;
using rt::Status;
using rt::UniqueFd;

using Provider = kj::LowLevelAsyncIoProvider;
static constexpr unsigned streamFlags =
    Provider::TAKE_OWNERSHIP | Provider::ALREADY_CLOEXEC;
static constexpr unsigned maxDescriptors = 16;

struct TestService::Servers {
  explicit Servers(TestService &owner);
  // A client that sees the end of its connection must not reach the socket
  // once more.
  ~Servers() {
    listening = nullptr;
    listener = nullptr;
  }

  kj::Own<kj::ConnectionReceiver> listener;
  capnp::TwoPartyServer service;
  std::unique_ptr<capnp::TwoPartyServer> device;
  kj::Promise<void> listening;
};

namespace nnhal::service::test {
class DriversServer final : public wire::Drivers::Server {
public:
  DriversServer(TestService &owner,
                std::function<capnp::TwoPartyServer &()> device)
      : owner(owner), device(std::move(device)) {}

  kj::Promise<void> list(ListContext context) override {
    std::vector<std::string> names = owner.conduct.otherDevices;
    if (!owner.conduct.listsNothing)
      names.emplace_back(owner.device->name());
    auto list = context.getResults().initDevices(unsigned(names.size()));
    for (unsigned i = 0; i < names.size(); ++i)
      list.set(i, names[i]);
    return kj::READY_NOW;
  }

  kj::Promise<void> connect(ConnectContext context) override {
    auto results = context.getResults();
    if (textOf(context.getParams().getDevice()) != owner.device->name()) {
      write(Status(rt::StatusCode::invalidArgument, "no such device"),
            results.initStatus());
      return kj::READY_NOW;
    }
    ++owner.seen.connections;
    if (owner.conduct.hasNoChannel)
      return kj::READY_NOW;
    int ends[2] = {::open("/dev/null", O_RDWR | O_CLOEXEC), -1};
    if (!owner.conduct.hasNoSocket) {
      ::close(ends[0]);
      EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
      device().accept(owner.loop->io().lowLevelProvider->wrapUnixSocketFd(
                          ends[1], streamFlags),
                      maxDescriptors);
    }
    results.setChannel(makeDescriptor(UniqueFd(ends[0])));
    return kj::READY_NOW;
  }

private:
  TestService &owner;
  const std::function<capnp::TwoPartyServer &()> device;
};

class ServiceServer final : public wire::Service::Server {
public:
  ServiceServer(TestService &owner,
                std::function<capnp::TwoPartyServer &()> device)
      : owner(owner), device(std::move(device)) {}

  kj::Promise<void> hello(HelloContext context) override {
    if (owner.conduct.hangsIn == "hello")
      return kj::NEVER_DONE;
    auto results = context.getResults();
    EXPECT_EQ(context.getParams().getClient().getMajor(), protocolMajor);
    results.getService().setMajor(owner.conduct.major);
    results.getService().setMinor(7);
    write(owner.conduct.greeting, results.initStatus());
    results.setDrivers(kj::heap<DriversServer>(owner, device));
    return kj::READY_NOW;
  }

private:
  TestService &owner;
  const std::function<capnp::TwoPartyServer &()> device;
};
} // namespace nnhal::service::test

static int listenAt(const std::string &path) {
  ::unlink(path.c_str());
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  std::strcpy(address.sun_path, path.c_str());
  int fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  EXPECT_EQ(::bind(fd, reinterpret_cast<sockaddr *>(&address), sizeof(address)),
            0);
  EXPECT_EQ(::listen(fd, 16), 0);
  return fd;
}

static std::unique_ptr<capnp::TwoPartyServer> makeDevice(TestService &owner) {
  return std::make_unique<capnp::TwoPartyServer>(makeDriver(owner));
}

TestService::Servers::Servers(TestService &owner)
    : listener(owner.loop->io().lowLevelProvider->wrapListenSocketFd(
          listenAt(owner.path()), streamFlags)),
      service(kj::heap<ServiceServer>(
          owner, [this]() -> capnp::TwoPartyServer & { return *device; })),
      device(makeDevice(owner)),
      listening(service.listenCapStreamReceiver(*listener, maxDescriptors)
                    .eagerlyEvaluate(nullptr)) {}

static std::string makePath() {
  static std::atomic<int> count = 0;
  return fmt::format("{}nnhal-service-{}-{}", testing::TempDir(), ::getpid(),
                     ++count);
}

TestService::TestService(std::unique_ptr<rt::Device> device, Conduct conduct)
    : conduct(std::move(conduct)), device(std::move(device)),
      loop(*EventLoop::create()), socketPath(makePath()) {
  restart();
}

TestService::~TestService() {
  die();
  ::unlink(socketPath.c_str());
}

void TestService::restart() {
  EXPECT_TRUE(loop->call([&]() -> kj::Promise<Status> {
                    servers = std::make_unique<Servers>(*this);
                    return Status::ok();
                  })
                  .isOk());
}

void TestService::die() {
  EXPECT_TRUE(loop->call([&]() -> kj::Promise<Status> {
                    servers.reset();
                    return Status::ok();
                  })
                  .isOk());
}

void TestService::killDevice() {
  EXPECT_TRUE(loop->call([&]() -> kj::Promise<Status> {
                    servers->device = makeDevice(*this);
                    return Status::ok();
                  })
                  .isOk());
}
