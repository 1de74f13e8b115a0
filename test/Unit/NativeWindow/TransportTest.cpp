//===- TransportTest.cpp - Buffers of two processes -----------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Buffers.h"
#include "NativeWindow/Message.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <functional>
#include <span>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

using namespace nnhal::nativewindow;
using namespace nnhal::nativewindow::test;

namespace {

/// Two ends of a connection.
struct Sockets {
  explicit Sockets(int type = SOCK_STREAM) {
    if (socketpair(AF_UNIX, type | SOCK_CLOEXEC, 0, ends) != 0)
      ends[0] = ends[1] = -1;
  }
  ~Sockets() {
    for (int end : ends)
      if (end >= 0)
        close(end);
  }
  void closeSender() {
    close(ends[0]);
    ends[0] = -1;
  }
  int ends[2];
};

int receive(int socket, Buffer &buffer) {
  AHardwareBuffer *received = nullptr;
  int error = AHardwareBuffer_recvHandleFromUnixSocket(socket, &received);
  buffer.reset(received);
  return error;
}

/// A file in memory, with \p seals.
int memoryFile(size_t size, int seals) {
  int file = memfd_create("test", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  EXPECT_EQ(ftruncate(file, off_t(size)), 0);
  EXPECT_EQ(fcntl(file, F_ADD_SEALS, seals), 0);
  return file;
}

/// Sends \p bytes and a copy of each of \p descriptors, as any program can.
void sendRaw(int socket, std::span<const std::byte> bytes,
             const std::vector<int> &descriptors) {
  iovec part = {const_cast<std::byte *>(bytes.data()), bytes.size()};
  size_t size = descriptors.size() * sizeof(int);
  std::vector<char> control(CMSG_SPACE(size));
  msghdr message = {};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  if (!descriptors.empty()) {
    message.msg_control = control.data();
    message.msg_controllen = control.size();
    cmsghdr *header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(size);
    std::memcpy(CMSG_DATA(header), descriptors.data(), size);
  }
  EXPECT_EQ(sendmsg(socket, &message, MSG_NOSIGNAL), ssize_t(bytes.size()));
}

template <typename T> std::span<const std::byte> bytesOf(const T &value) {
  return std::as_bytes(std::span(&value, 1));
}

Message blobMessage(uint32_t size) {
  Message message;
  message.id = 4711;
  message.desc = blob(size);
  return message;
}

constexpr int stable = F_SEAL_SHRINK | F_SEAL_GROW;

TEST(TransportTest, BetweenTwoProcesses) {
  for (int type : {SOCK_STREAM, SOCK_SEQPACKET, SOCK_DGRAM}) {
    Sockets sockets(type);
    Buffer buffer = allocate(blob(64));
    ASSERT_TRUE(buffer);
    pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      Buffer received;
      uint8_t *bytes = nullptr;
      if (receive(sockets.ends[1], received) == 0)
        bytes = lock(received.get(), readOften | writeOften);
      if (!bytes || bytes[0] != 42)
        _exit(1);
      bytes[63] = 24;
      uint64_t id = 0;
      bool isSame = AHardwareBuffer_unlock(received.get(), nullptr) == 0 &&
                    AHardwareBuffer_getId(received.get(), &id) == 0 &&
                    write(sockets.ends[1], &id, sizeof(id)) == sizeof(id);
      _exit(isSame ? 0 : 1);
    }
    uint8_t *bytes = lock(buffer.get(), readOften | writeOften);
    ASSERT_TRUE(bytes);
    bytes[0] = 42;
    EXPECT_EQ(
        AHardwareBuffer_sendHandleToUnixSocket(buffer.get(), sockets.ends[0]),
        0);
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
    EXPECT_EQ(bytes[63], 24);
    uint64_t id = 0, sent = 0;
    EXPECT_EQ(read(sockets.ends[0], &sent, sizeof(sent)),
              ssize_t(sizeof(sent)));
    EXPECT_EQ(AHardwareBuffer_getId(buffer.get(), &id), 0);
    EXPECT_EQ(sent, id);
  }
}

TEST(TransportTest, ManyInOneStream) {
  Sockets sockets;
  for (uint32_t size = 1; size <= 8; ++size)
    EXPECT_EQ(AHardwareBuffer_sendHandleToUnixSocket(allocate(blob(size)).get(),
                                                     sockets.ends[0]),
              0);
  for (uint32_t size = 1; size <= 8; ++size) {
    Buffer buffer;
    ASSERT_EQ(receive(sockets.ends[1], buffer), 0);
    AHardwareBuffer_Desc desc;
    AHardwareBuffer_describe(buffer.get(), &desc);
    EXPECT_EQ(desc.width, size);
    // The memory outlives the buffer that was sent.
    EXPECT_TRUE(lock(buffer.get(), writeOften));
  }
}

TEST(TransportTest, StreamsMayDeliverInParts) {
  Sockets sockets;
  Message message = blobMessage(16);
  int file = memoryFile(16, stable);
  for (size_t i = 0; i < sizeof(message); ++i)
    sendRaw(sockets.ends[0], bytesOf(message).subspan(i, 1),
            i == 0 ? std::vector{file} : std::vector<int>());
  close(file);
  Buffer buffer;
  EXPECT_EQ(receive(sockets.ends[1], buffer), 0);
  uint64_t id = 0;
  EXPECT_EQ(AHardwareBuffer_getId(buffer.get(), &id), 0);
  EXPECT_EQ(id, 4711u);
}

TEST(TransportTest, WrongCalls) {
  Sockets sockets;
  Buffer buffer = allocate(blob(8));
  EXPECT_EQ(AHardwareBuffer_sendHandleToUnixSocket(nullptr, sockets.ends[0]),
            -EINVAL);
  EXPECT_EQ(AHardwareBuffer_recvHandleFromUnixSocket(sockets.ends[1], nullptr),
            -EINVAL);
  EXPECT_EQ(AHardwareBuffer_sendHandleToUnixSocket(buffer.get(), -1), -EBADF);
  Buffer received;
  EXPECT_EQ(receive(-1, received), -EBADF);
  int file = memoryFile(8, 0);
  EXPECT_EQ(AHardwareBuffer_sendHandleToUnixSocket(buffer.get(), file),
            -ENOTSOCK);
  EXPECT_EQ(receive(file, received), -ENOTSOCK);
  close(file);
  fcntl(sockets.ends[1], F_SETFL, O_NONBLOCK);
  EXPECT_EQ(receive(sockets.ends[1], received), -EAGAIN);
  EXPECT_FALSE(received);
  sockets.closeSender();
  EXPECT_EQ(
      AHardwareBuffer_sendHandleToUnixSocket(buffer.get(), sockets.ends[1]),
      -EPIPE);
  EXPECT_EQ(receive(sockets.ends[1], received), -EBADMSG);
}

/// Expects \p error for what \p send gives to a socket of \p type, and that no
/// descriptor stays open.
void expectRefused(int type, int error,
                   const std::function<void(int socket)> &send) {
  long before = openDescriptors();
  {
    Sockets sockets(type);
    send(sockets.ends[0]);
    sockets.closeSender();
    AHardwareBuffer *buffer = nullptr;
    EXPECT_EQ(
        AHardwareBuffer_recvHandleFromUnixSocket(sockets.ends[1], &buffer),
        error);
    EXPECT_EQ(buffer, nullptr);
  }
  EXPECT_EQ(openDescriptors(), before);
}

TEST(TransportTest, MessagesThatAreCutOff) {
  for (int type : {SOCK_STREAM, SOCK_SEQPACKET, SOCK_DGRAM})
    for (size_t size : {size_t(1), size_t(8), sizeof(Message) - 1})
      expectRefused(type, -EBADMSG, [&](int socket) {
        int file = memoryFile(16, stable);
        sendRaw(socket, bytesOf(blobMessage(16)).first(size), {file});
        close(file);
      });
}

TEST(TransportTest, MessagesThatAreTooLong) {
  std::array<Message, 2> messages = {blobMessage(16), blobMessage(16)};
  expectRefused(SOCK_SEQPACKET, -EBADMSG, [&](int socket) {
    int file = memoryFile(16, stable);
    sendRaw(socket, std::as_bytes(std::span(messages)), {file});
    close(file);
  });
}

TEST(TransportTest, NumbersOfDescriptors) {
  for (size_t count : {0, 2, 4, 5, 200})
    expectRefused(SOCK_STREAM, -EBADMSG, [&](int socket) {
      int file = memoryFile(16, stable);
      sendRaw(socket, bytesOf(blobMessage(16)), std::vector<int>(count, file));
      close(file);
    });
  // One with the first part and one with the second.
  expectRefused(SOCK_STREAM, -EBADMSG, [&](int socket) {
    int file = memoryFile(16, stable);
    Message message = blobMessage(16);
    sendRaw(socket, bytesOf(message).first(10), {file});
    sendRaw(socket, bytesOf(message).subspan(10), {file});
    close(file);
  });
}

TEST(TransportTest, WrongMessages) {
  std::vector<std::function<void(Message &)>> changes = {
      [](Message &message) { message.magic[7] = 'X'; },
      [](Message &message) { message.version = 2; },
      [](Message &message) { message.reserved = 1; },
      [](Message &message) { message.desc.width = 0; },
      [](Message &message) { message.desc.width = 17; },
      [](Message &message) { message.desc.width = UINT32_MAX; },
      [](Message &message) { message.desc.height = 2; },
      [](Message &message) { message.desc.layers = 0; },
      [](Message &message) { message.desc.rfu0 = 1; },
      [](Message &message) { message.desc.rfu1 = 1; }};
  for (const auto &change : changes)
    expectRefused(SOCK_SEQPACKET, -EBADMSG, [&](int socket) {
      Message message = blobMessage(16);
      change(message);
      int file = memoryFile(16, stable);
      sendRaw(socket, bytesOf(message), {file});
      close(file);
    });
}

TEST(TransportTest, MemoryThatCannotBeUsed) {
  // The sender could shorten it while it is mapped here.
  expectRefused(SOCK_STREAM, -EPERM, [&](int socket) {
    int file = memoryFile(16, 0);
    sendRaw(socket, bytesOf(blobMessage(16)), {file});
    close(file);
  });
  expectRefused(SOCK_STREAM, -EBADMSG, [&](int socket) {
    int pipes[2];
    ASSERT_EQ(pipe(pipes), 0);
    sendRaw(socket, bytesOf(blobMessage(16)), {pipes[0]});
    close(pipes[0]);
    close(pipes[1]);
  });
  for (int flags : {O_WRONLY, O_PATH})
    expectRefused(SOCK_STREAM, -EBADMSG, [&](int socket) {
      int file = open("/dev/null", flags);
      sendRaw(socket, bytesOf(blobMessage(16)), {file});
      close(file);
    });
}

TEST(TransportTest, MemoryThatIsReadOnly) {
  Sockets sockets;
  int file = memoryFile(16, stable | F_SEAL_WRITE);
  sendRaw(sockets.ends[0], bytesOf(blobMessage(16)), {file});
  close(file);
  Buffer buffer;
  ASSERT_EQ(receive(sockets.ends[1], buffer), 0);
  void *address = nullptr;
  EXPECT_EQ(
      AHardwareBuffer_lock(buffer.get(), writeOften, -1, nullptr, &address),
      -EACCES);
  EXPECT_EQ(address, nullptr);
  EXPECT_TRUE(lock(buffer.get(), readOften));
}

TEST(TransportTest, OtherFormatsAreOpaque) { // F-004
  Sockets sockets;
  Message message = blobMessage(16);
  message.desc.format = AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM;
  message.desc.height = 4;
  message.desc.stride = 32;
  int file = memoryFile(16, 0);
  sendRaw(sockets.ends[0], bytesOf(message), {file});
  close(file);
  Buffer buffer;
  ASSERT_EQ(receive(sockets.ends[1], buffer), 0);
  AHardwareBuffer_Desc desc;
  AHardwareBuffer_describe(buffer.get(), &desc);
  EXPECT_EQ(desc.format, uint32_t(AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM));
  EXPECT_EQ(desc.stride, 32u);
  void *address = nullptr;
  EXPECT_EQ(
      AHardwareBuffer_lock(buffer.get(), readOften, -1, nullptr, &address),
      -ENOTSUP);
  // It can be passed on.
  EXPECT_EQ(
      AHardwareBuffer_sendHandleToUnixSocket(buffer.get(), sockets.ends[0]), 0);
  Buffer again;
  EXPECT_EQ(receive(sockets.ends[1], again), 0);
  EXPECT_EQ(AHardwareBuffer_getNativeHandle(again.get())->numFds, 1);

  message.desc.layers = 2;
  file = memoryFile(16, 0);
  sendRaw(sockets.ends[0], bytesOf(message), {file});
  close(file);
  ASSERT_EQ(receive(sockets.ends[1], again), 0);
  EXPECT_EQ(AHardwareBuffer_lock(again.get(), readOften, -1, nullptr, &address),
            -EINVAL);
}

} // namespace
