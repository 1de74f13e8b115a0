//===- HostTesting.h - A host and its clients in one thread -----*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_TEST_UNIT_SERVICEHOST_HOSTTESTING_H
#define NNHAL_TEST_UNIT_SERVICEHOST_HOSTTESTING_H

#include "../Burst/SampleModel.h"
#include "SlowDevice.h"

#include "Service/Host/DeviceHost.h"
#include "Service/Protocol/Convert.h"
#include "nnhal/Runtime/Scheduler.h"

#include <capnp/rpc-twoparty.h>
#include <gtest/gtest.h>
#include <sys/socket.h>

#include <chrono>

namespace nnhal::service::test {

/// The other end of a channel, and the capabilities behind it.
class TestClient {
public:
  TestClient(rt::UniqueFd channel, kj::AsyncIoContext &io)
      : fd(channel.get()),
        stream(io.lowLevelProvider->wrapUnixSocketFd(
            channel.release(), kj::LowLevelAsyncIoProvider::TAKE_OWNERSHIP)),
        network(*stream, maxDescriptorsPerMessage,
                capnp::rpc::twoparty::Side::CLIENT),
        system(capnp::makeRpcClient(network)), driver(bootstrap()) {}

  const int fd;
  kj::Own<kj::AsyncCapabilityStream> stream;
  capnp::TwoPartyVatNetwork network;
  capnp::RpcSystem<capnp::rpc::twoparty::VatId> system;
  wire::Driver::Client driver;

private:
  wire::Driver::Client bootstrap() {
    capnp::MallocMessageBuilder message;
    auto vat = message.initRoot<capnp::rpc::twoparty::VatId>();
    vat.setSide(capnp::rpc::twoparty::Side::SERVER);
    return system.bootstrap(vat).castAs<wire::Driver>();
  }
};

/// Counts the calls.
class Told final : public wire::Launch::Server {
public:
  explicit Told(int &count) : count(count) {}
  kj::Promise<void> launched(LaunchedContext) override {
    ++count;
    return kj::READY_NOW;
  }

private:
  int &count;
};

/// The report of a host about one client.
struct ClientReport {
  uint64_t models, buffers, bursts, memory, descriptors, queued, refusals;
};
using HostReport = std::vector<ClientReport>;

/// The memory of \p bytes bytes behind a sealed descriptor.
inline std::shared_ptr<rt::SharedMemory> makePool(uint64_t bytes) {
  return *rt::SharedMemory::createAshmem(bytes);
}

/// A host of nnhal-reference, and clients of it, on the thread of the test.
class HostTest : public ::testing::Test {
protected:
  HostTest() {
    options.makeDevice = [this](rt::DeviceServices services)
        -> rt::Result<std::unique_ptr<rt::Device>> {
      return std::unique_ptr<rt::Device>(std::make_unique<SlowDevice>(
          control,
          rt::createReferenceDevice({.services = std::move(services)})));
    };
    // Tests count threads.
    options.services.executions = rt::Scheduler::create({.slots = 4});
    options.services.preparations = rt::Scheduler::create({.slots = 4});
  }
  void SetUp() override { start(); }
  void TearDown() override {
    control->release();
    host.reset();
    // The end of the connections has set off work of the loop.
    io.waitScope.poll();
  }

  void start() {
    host.reset();
    auto made = DeviceHost::create(options, *io.lowLevelProvider);
    ASSERT_TRUE(made.isOk()) << made.status().message();
    host = std::move(*made);
  }

  /// The client's end of a channel to the host.
  rt::UniqueFd connectRaw(ClientIdentity identity) {
    int ends[2];
    EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
    rt::UniqueFd mine(ends[0]);
    auto added = host->addClient(rt::UniqueFd(ends[1]), std::move(identity));
    EXPECT_TRUE(added.isOk()) << added.message();
    return mine;
  }
  std::unique_ptr<TestClient> connect(std::string name = "test") {
    return std::make_unique<TestClient>(
        connectRaw({::geteuid(), ::getpid(), std::move(name)}), io);
  }

  template <typename Promise> auto wait(Promise &&promise) {
    return promise.wait(io.waitScope);
  }
  /// Lets the loop run until \p condition or for a while.
  template <typename Condition> bool waitFor(Condition condition) {
    for (int i = 0; i < 1000 && !condition(); ++i)
      wait(io.provider->getTimer().afterDelay(5 * kj::MILLISECONDS));
    return condition();
  }

  /// The status that \p request is answered with.
  template <typename Request> rt::Status ask(Request &&request) {
    try {
      return read(wait(request.send()).getStatus());
    } catch (const kj::Exception &exception) {
      return rt::Status(rt::StatusCode::deadObject,
                        exception.getDescription().cStr());
    }
  }

  auto prepareRequest(TestClient &client, const rt::AnnotatedModel &model,
                      const rt::PrepareOptions &prepare = {}) {
    auto request = client.driver.prepareModelRequest();
    rt::Status written = write(model, request.initModel());
    EXPECT_TRUE(written.isOk()) << written.message();
    EXPECT_TRUE(write(prepare, request.initOptions()).isOk());
    return request;
  }
  /// Prepares sumModel(); EXPECTs success.
  wire::PreparedModel::Client prepareSum(TestClient &client) {
    auto answer = wait(prepareRequest(client, rt::test::sumModel()).send());
    rt::Status status = read(answer.getStatus());
    EXPECT_TRUE(status.isOk()) << status.message();
    return answer.getModel();
  }

  auto importRequest(TestClient &client, const rt::SharedMemory &pool) {
    auto request = client.driver.importMemoryRequest();
    EXPECT_TRUE(write(pool, request.initPool()).isOk());
    return request;
  }
  struct Imported {
    uint32_t id = 0;
    wire::Memory::Client memory;
  };
  Imported import(TestClient &client, const rt::SharedMemory &pool) {
    auto answer = wait(importRequest(client, pool).send());
    rt::Status status = read(answer.getStatus());
    EXPECT_TRUE(status.isOk()) << status.message();
    return {answer.getId(), answer.getMemory()};
  }

  /// The request of \p sum, whose pool is memory \p id.
  static void writeSum(const rt::test::SumPool &sum, uint32_t id,
                       wire::Request::Builder builder) {
    write(
        sum.request(),
        [&](bool, size_t, const rt::SharedMemory *) {
          return Place{.memory = id};
        },
        builder);
  }
  auto executeRequest(wire::PreparedModel::Client model,
                      const rt::test::SumPool &sum, uint32_t id) {
    auto request = model.executeRequest();
    writeSum(sum, id, request.initRequest());
    return request;
  }

  HostReport report() {
    capnp::MallocMessageBuilder message;
    auto builder = message.initRoot<wire::HostReport>();
    host->report(builder);
    HostReport clients;
    for (auto client : builder.asReader().getClients())
      clients.push_back({client.getModels(), client.getBuffers(),
                         client.getBursts(), client.getMemory(),
                         client.getDescriptors(), client.getQueued(),
                         client.getRefusals()});
    return clients;
  }

  const std::shared_ptr<SlowControl> control = std::make_shared<SlowControl>();
  const std::unique_ptr<kj::AsyncIoContext> loop =
      std::make_unique<kj::AsyncIoContext>(kj::setupAsyncIo());
  kj::AsyncIoContext &io = *loop;
  DeviceHostOptions options;
  std::unique_ptr<DeviceHost> host;
};

} // namespace nnhal::service::test

#endif // NNHAL_TEST_UNIT_SERVICEHOST_HOSTTESTING_H
