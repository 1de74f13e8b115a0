//===- ServiceHost.cpp - Fuzzes the channel of a device's process ---------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// An input is what a client writes on its channel: bytes as they are where the
// first one is 0, else messages of remote calls, packed, one after the other.
// Each comes with a descriptor.
//
//===----------------------------------------------------------------------===//

#include "FuzzTarget.h"
#include "Unit/Burst/SampleModel.h"

#include "Service/Host/DeviceHost.h"
#include "Service/Protocol/Convert.h"
#include "nnhal/Runtime/Scheduler.h"

#include <capnp/rpc.capnp.h>
#include <capnp/serialize-packed.h>
#include <capnp/serialize.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

using namespace nnhal;
using namespace nnhal::service;
using namespace nnhal::rt::fuzz;

namespace {

/// The host, for all inputs.
class Host {
public:
  Host() {
    DeviceHostOptions options;
    options.makeDevice = [](rt::DeviceServices services)
        -> rt::Result<std::unique_ptr<rt::Device>> {
      return rt::createReferenceDevice(
          {.services = std::move(services), .tensorLimit = 1 << 12});
    };
    options.services.executions = rt::Scheduler::create({.slots = 1});
    options.services.preparations = rt::Scheduler::create({.slots = 1});
    options.quotas.memory = 16 << 20;
    auto made = DeviceHost::create(std::move(options), *io.lowLevelProvider);
    require(made.isOk(), made.status().message());
    host = std::move(*made);
  }

  /// Serves a client that writes \p frames, each with a descriptor, and closes
  /// its end.
  void serve(const std::vector<std::vector<std::byte>> &frames) {
    int ends[2];
    require(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0,
            "no sockets");
    rt::UniqueFd client(ends[0]);
    auto added = host->addClient(rt::UniqueFd(ends[1]), {0, 1, "fuzz"});
    require(added.isOk(), added.message());
    for (const std::vector<std::byte> &frame : frames) {
      send(client.get(), frame);
      turn();
      drain(client.get());
    }
    client.reset();
    // Calls that run on threads end, and with them the connection.
    constexpr int milliseconds = 10'000;
    for (int count = 0; count < milliseconds && host->clients() > 0; ++count) {
      turn();
      if (host->clients() > 0)
        io.provider->getTimer().afterDelay(kj::MILLISECONDS).wait(io.waitScope);
    }
    require(host->clients() == 0, "a client that is gone is still served");
  }

private:
  void turn() {
    // Answers of threads come while the loop polls.
    for (int count = 0; count < 4; ++count)
      io.waitScope.poll();
  }

  /// Writes as much as fits, with the descriptor of a new memory.
  static void send(int fd, std::span<const std::byte> bytes) {
    rt::UniqueFd memory(::memfd_create("fuzz", MFD_CLOEXEC));
    require(::ftruncate(memory.get(), 4096) == 0, "no memory");
    iovec data = {const_cast<std::byte *>(bytes.data()), bytes.size()};
    alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
    msghdr message = {};
    message.msg_iov = &data;
    message.msg_iovlen = 1;
    message.msg_control = control;
    message.msg_controllen = sizeof(control);
    cmsghdr *header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof(int));
    int number = memory.get();
    std::memcpy(CMSG_DATA(header), &number, sizeof(number));
    (void)!::sendmsg(fd, &message, MSG_DONTWAIT | MSG_NOSIGNAL);
  }

  static void drain(int fd) {
    char buffer[4096];
    while (::recv(fd, buffer, sizeof(buffer), MSG_DONTWAIT) > 0) {
    }
  }

  kj::AsyncIoContext io = kj::setupAsyncIo();
  std::unique_ptr<DeviceHost> host;
};

} // namespace

/// The messages that \p bytes are a packed sequence of; the bytes themselves
/// where the first one says so.
static std::vector<std::vector<std::byte>>
framesOf(std::span<const std::byte> bytes) {
  if (bytes.empty())
    return {};
  bool isRaw = bytes[0] == std::byte(0);
  bytes = bytes.subspan(1);
  if (isRaw)
    return {{bytes.begin(), bytes.end()}};
  std::vector<std::vector<std::byte>> frames;
  kj::ArrayInputStream stream(kj::arrayPtr(
      reinterpret_cast<const kj::byte *>(bytes.data()), bytes.size()));
  constexpr size_t maxMessages = 16;
  // What is no message ends the sequence.
  (void)kj::runCatchingExceptions([&] {
    while (frames.size() < maxMessages &&
           stream.tryGetReadBuffer().size() > 0) {
      capnp::PackedMessageReader message(stream);
      capnp::MallocMessageBuilder copy;
      copy.setRoot(message.getRoot<capnp::AnyPointer>());
      auto words = capnp::messageToFlatArray(copy);
      auto chars = std::as_bytes(
          std::span(words.asBytes().begin(), words.asBytes().size()));
      frames.emplace_back(chars.begin(), chars.end());
    }
  });
  return frames;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  // Not destroyed: threads of the host end with the process.
  static Host &host = *new Host;
  host.serve(framesOf(bytesOf(data, size)));
  return 0;
}
