//===- NativeHandles.cpp - Fuzzes handles of hardware buffers -------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// L-084. An input is a message with which another process hands over a
// hardware buffer: how many descriptors it has and how large their memory is,
// then its bytes. What is taken is read and written to its last byte.
//
//===----------------------------------------------------------------------===//

#include "ByteReader.h"
#include "FuzzTarget.h"

#include <android/hardware_buffer.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>
#include <vndk/hardware_buffer.h>

#include <array>

using namespace nnhal::rt::fuzz;

namespace {
class Socket {
public:
  explicit Socket(int fd) : fd(fd) {}
  ~Socket() { ::close(fd); }
  Socket(const Socket &) = delete;
  Socket &operator=(const Socket &) = delete;
  const int fd;
};
} // namespace

/// A descriptor as a peer may send one: memory, sealed or not, or anything.
static int makeDescriptor(uint8_t kind, uint32_t size) {
  if (kind % 8 == 7)
    return ::open("/dev/null", O_RDWR | O_CLOEXEC);
  int fd = ::memfd_create("fuzz", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  require(::ftruncate(fd, off_t(size)) == 0, "no memory");
  if (kind % 4 != 0)
    (void)::fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL);
  return fd;
}

static void send(int socket, ByteReader &in) {
  constexpr size_t maxCount = 3;
  size_t count = in.number<uint8_t>() % (maxCount + 1);
  auto kind = in.number<uint8_t>();
  auto size = in.number<uint32_t>() % (1u << 20);
  std::array<std::byte, 256> bytes = {};
  std::span<const std::byte> rest = in.take(bytes.size());
  std::ranges::copy(rest, bytes.begin());
  iovec data = {bytes.data(), rest.size()};
  alignas(cmsghdr) char control[CMSG_SPACE(maxCount * sizeof(int))] = {};
  msghdr message = {};
  message.msg_iov = &data;
  message.msg_iovlen = 1;
  std::array<int, maxCount> descriptors = {};
  for (size_t i = 0; i < count; ++i)
    descriptors[i] = makeDescriptor(uint8_t(kind + i), size);
  if (count > 0) {
    message.msg_control = control;
    message.msg_controllen = CMSG_SPACE(count * sizeof(int));
    cmsghdr *header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(count * sizeof(int));
    std::memcpy(CMSG_DATA(header), descriptors.data(), count * sizeof(int));
  }
  (void)!::sendmsg(socket, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
  for (size_t i = 0; i < count; ++i)
    ::close(descriptors[i]);
}

static void use(AHardwareBuffer *buffer) {
  AHardwareBuffer_Desc desc;
  AHardwareBuffer_describe(buffer, &desc);
  constexpr uint64_t usage = AHARDWAREBUFFER_USAGE_CPU_READ_OFTEN |
                             AHARDWAREBUFFER_USAGE_CPU_WRITE_OFTEN;
  void *address = nullptr;
  if (AHardwareBuffer_lock(buffer, usage, -1, nullptr, &address) == 0) {
    require(address != nullptr, "a lock gives no address");
    auto *bytes = static_cast<volatile char *>(address);
    // Only blobs can be locked.
    for (uint64_t at : {uint64_t(0), uint64_t(desc.width) - 1})
      bytes[at] = char(bytes[at] + 1);
    require(AHardwareBuffer_unlock(buffer, nullptr) == 0,
            "a buffer cannot be unlocked");
  }
  uint64_t id = 0;
  require(AHardwareBuffer_getId(buffer, &id) == 0, "a buffer has no number");
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  ByteReader in(bytesOf(data, size));
  int ends[2];
  require(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0,
          "no sockets");
  Socket mine(ends[0]), other(ends[1]);
  send(other.fd, in);
  // More is not to come.
  ::shutdown(other.fd, SHUT_WR);
  AHardwareBuffer *buffer = nullptr;
  int error = AHardwareBuffer_recvHandleFromUnixSocket(mine.fd, &buffer);
  require((error == 0) == (buffer != nullptr),
          "a code and a buffer contradict each other");
  if (!buffer)
    return 0;
  use(buffer);
  AHardwareBuffer_release(buffer);
  return 0;
}
