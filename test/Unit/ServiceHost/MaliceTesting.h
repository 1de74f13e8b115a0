//===- MaliceTesting.h - An honest client and another one -------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_TEST_UNIT_SERVICEHOST_MALICETESTING_H
#define NNHAL_TEST_UNIT_SERVICEHOST_MALICETESTING_H

#include "HostTesting.h"

#include <capnp/rpc.capnp.h>
#include <capnp/serialize.h>
#include <unistd.h>

namespace nnhal::service::test {

class MaliceTest;

/// Something that a malicious client does.
struct Attack {
  const char *name;
  void (*run)(MaliceTest &);
};

/// An honest client, and a malicious one, of the same host.
class MaliceTest : public HostTest,
                   public ::testing::WithParamInterface<Attack> {
public:
  ~MaliceTest() noexcept override = default;
  void SetUp() override {
    options.quotas.memory = 64 << 20;
    HostTest::SetUp();
    honest = connect("honest");
    honestModel = HostTest::prepareSum(*honest);
    honestPool = import(*honest, *sum.pool);
    rawFd = connectRaw({::geteuid(), 1, "raw"});
    client = connect("malicious");
  }
  void TearDown() override {
    honestPool.memory = nullptr;
    honestModel = nullptr;
    client.reset();
    rawFd.reset();
    honest.reset();
    HostTest::TearDown();
  }

  void expectHonest() {
    for (int i = 0; i < 3; ++i) {
      sum.fill(float(i));
      EXPECT_EQ(ask(executeRequest(honestModel, sum, honestPool.id)).message(),
                "");
      EXPECT_TRUE(sum.hasSum(float(i)));
    }
    EXPECT_EQ(report()[0].models, 1u);
    EXPECT_EQ(report()[0].descriptors, 1u);
  }

  using HostTest::ask;
  using HostTest::executeRequest;
  using HostTest::import;
  using HostTest::importRequest;
  using HostTest::io;
  using HostTest::options;
  using HostTest::prepareRequest;
  using HostTest::report;
  using HostTest::wait;
  using HostTest::waitFor;
  using HostTest::writeSum;

  wire::PreparedModel::Client model() { return HostTest::prepareSum(*client); }

  /// Writes \p size bytes on the raw channel, as far as it takes them.
  void send(const void *bytes, size_t size) {
    (void)!::send(rawFd.get(), bytes, size, MSG_DONTWAIT | MSG_NOSIGNAL);
    turn();
  }
  /// Writes a byte with \p fds.
  void sendDescriptors(std::span<const int> fds, char byte = 0);
  /// Writes a message of the protocol of remote calls.
  template <typename Fill> void sendMessage(Fill fill) {
    capnp::MallocMessageBuilder message;
    fill(message.initRoot<capnp::rpc::Message>());
    auto words = capnp::messageToFlatArray(message);
    send(words.begin(), words.asBytes().size());
  }
  /// Lets the host see what came.
  void turn() { wait(io.provider->getTimer().afterDelay(kj::MILLISECONDS)); }

  /// A model with \p change, which is refused.
  template <typename Change> void expectRefusedModel(Change change) {
    auto request = prepareRequest(*client, rt::test::sumModel());
    change(request.getModel());
    rt::Status status = ask(request);
    EXPECT_FALSE(status.isOk());
    EXPECT_FALSE(status.message().empty());
  }
  /// A pool behind \p fd fails an execution.
  void expectUselessMemory(rt::UniqueFd fd, uint64_t size = 4096,
                           uint64_t offset = 0, uint32_t protection = 3);
  /// An execution whose request has \p change is refused.
  template <typename Change> void expectRefusedRequest(Change change) {
    auto prepared = model();
    Imported pool = import(*client, *sum.pool);
    auto request = executeRequest(prepared, sum, pool.id);
    change(request.getRequest());
    rt::Status status = ask(request);
    EXPECT_FALSE(status.isOk());
    EXPECT_FALSE(status.message().empty());
  }

  rt::test::SumPool sum;
  std::unique_ptr<TestClient> honest;
  wire::PreparedModel::Client honestModel = nullptr;
  Imported honestPool{0, nullptr};
  std::unique_ptr<TestClient> client;
  rt::UniqueFd rawFd;
};

inline void MaliceTest::sendDescriptors(std::span<const int> fds, char byte) {
  iovec data = {&byte, 1};
  std::vector<char> control(CMSG_SPACE(fds.size_bytes()));
  msghdr message = {};
  message.msg_iov = &data;
  message.msg_iovlen = 1;
  message.msg_control = control.data();
  message.msg_controllen = control.size();
  cmsghdr *header = CMSG_FIRSTHDR(&message);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(fds.size_bytes());
  std::memcpy(CMSG_DATA(header), fds.data(), fds.size_bytes());
  (void)!::sendmsg(rawFd.get(), &message, MSG_DONTWAIT | MSG_NOSIGNAL);
  turn();
}

inline void MaliceTest::expectUselessMemory(rt::UniqueFd fd, uint64_t size,
                                            uint64_t offset,
                                            uint32_t protection) {
  auto request = client->driver.importMemoryRequest();
  auto pool = request.getPool();
  pool.setName("mmap_fd");
  pool.setSize(size);
  pool.setOffset(offset);
  pool.setProtection(protection);
  pool.setDescriptor(makeDescriptor(std::move(fd)));
  auto imported = wait(request.send());
  if (!read(imported.getStatus()).isOk())
    return;
  auto prepared = model();
  EXPECT_FALSE(ask(executeRequest(prepared, sum, imported.getId())).isOk());
}

} // namespace nnhal::service::test

#endif // NNHAL_TEST_UNIT_SERVICEHOST_MALICETESTING_H
