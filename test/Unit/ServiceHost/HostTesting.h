//===- HostTesting.h - A host and its clients in one thread -----*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_TEST_UNIT_SERVICEHOST_HOSTTESTING_H
#define NNHAL_TEST_UNIT_SERVICEHOST_HOSTTESTING_H

#include "../Burst/SampleModel.h"

#include "Service/Host/DeviceHost.h"
#include "Service/Protocol/Convert.h"

#include <capnp/rpc-twoparty.h>
#include <gtest/gtest.h>
#include <sys/socket.h>

namespace nnhal::service::test {

/// The other end of a channel, and the capabilities behind it.
class TestClient {
public:
  TestClient(rt::UniqueFd channel, kj::AsyncIoContext &io)
      : stream(io.lowLevelProvider->wrapUnixSocketFd(
            channel.release(), kj::LowLevelAsyncIoProvider::TAKE_OWNERSHIP)),
        network(*stream, maxDescriptorsPerMessage,
                capnp::rpc::twoparty::Side::CLIENT),
        system(capnp::makeRpcClient(network)), driver(bootstrap()) {}

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

/// A host of nnhal-reference, and clients of it, on the thread of the test.
class HostTest : public ::testing::Test {
protected:
  void SetUp() override { start(); }

  void start() {
    host.reset();
    if (!options.makeDevice)
      options.makeDevice = [](rt::DeviceServices services)
          -> rt::Result<std::unique_ptr<rt::Device>> {
        return rt::createReferenceDevice({.services = std::move(services)});
      };
    auto made = DeviceHost::create(options, *io.lowLevelProvider);
    ASSERT_TRUE(made.isOk()) << made.status().message();
    host = std::move(*made);
  }

  std::unique_ptr<TestClient> connect(std::string name = "test") {
    int ends[2];
    EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
    rt::UniqueFd mine(ends[0]);
    auto added = host->addClient(rt::UniqueFd(ends[1]), {1000, 1, name});
    EXPECT_TRUE(added.isOk()) << added.message();
    return std::make_unique<TestClient>(std::move(mine), io);
  }

  template <typename T> auto wait(kj::Promise<T> promise) {
    return promise.wait(io.waitScope);
  }
  template <typename T> auto wait(capnp::RemotePromise<T> promise) {
    return promise.wait(io.waitScope);
  }

  /// Prepares sumModel(); EXPECTs success.
  wire::PreparedModel::Client prepareSum(TestClient &client) {
    auto request = client.driver.prepareModelRequest();
    rt::Status written = write(rt::test::sumModel(), request.initModel());
    EXPECT_TRUE(written.isOk()) << written.message();
    EXPECT_TRUE(write(rt::PrepareOptions(), request.initOptions()).isOk());
    auto answer = wait(request.send());
    rt::Status status = read(answer.getStatus());
    EXPECT_TRUE(status.isOk()) << status.message();
    return answer.getModel();
  }

  struct Imported {
    uint32_t id = 0;
    wire::Memory::Client memory;
  };
  Imported import(TestClient &client, const rt::SharedMemory &pool) {
    auto request = client.driver.importMemoryRequest();
    EXPECT_TRUE(write(pool, request.initPool()).isOk());
    auto answer = wait(request.send());
    rt::Status status = read(answer.getStatus());
    EXPECT_TRUE(status.isOk()) << status.message();
    return {answer.getId(), answer.getMemory()};
  }

  const std::unique_ptr<kj::AsyncIoContext> loop =
      std::make_unique<kj::AsyncIoContext>(kj::setupAsyncIo());
  kj::AsyncIoContext &io = *loop;
  DeviceHostOptions options;
  std::unique_ptr<DeviceHost> host;
};

} // namespace nnhal::service::test

#endif // NNHAL_TEST_UNIT_SERVICEHOST_HOSTTESTING_H
