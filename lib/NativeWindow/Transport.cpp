//===- Transport.cpp - Buffers to and from other processes ----------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A buffer is one message with one descriptor. Nothing about a received message
// is believed: it is as long as a message, its description is one that a buffer
// may have, and its memory holds that many bytes and cannot lose them.
//
//===----------------------------------------------------------------------===//

#include "HardwareBuffer.h"
#include "Message.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <new>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <utility>

using namespace nnhal::rt;
using namespace nnhal::nativewindow;

namespace {

/// More descriptors than a message has, so that one with too many is noticed.
constexpr size_t maxDescriptors = 4;

/// Sends what is left of \p bytes, with \p descriptor unless that is -1.
/// Returns the number of bytes, or a negative errno.
ssize_t sendPart(int socket, std::span<const std::byte> bytes, int descriptor) {
  iovec part = {const_cast<std::byte *>(bytes.data()), bytes.size()};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
  msghdr message = {};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  if (descriptor >= 0) {
    message.msg_control = control;
    message.msg_controllen = sizeof(control);
    cmsghdr *header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof(int));
    std::memcpy(CMSG_DATA(header), &descriptor, sizeof(int));
  }
  ssize_t sent;
  do
    sent = sendmsg(socket, &message, MSG_NOSIGNAL);
  while (sent < 0 && errno == EINTR);
  return sent < 0 ? -errno : sent;
}

/// The result of one recvmsg(): a number of bytes or a negative errno.
struct Received {
  ssize_t size = 0;
  bool isTruncated = false;
};

Received receivePart(int socket, std::span<std::byte> bytes,
                     std::vector<UniqueFd> &descriptors) {
  iovec part = {bytes.data(), bytes.size()};
  alignas(cmsghdr) char control[CMSG_SPACE(maxDescriptors * sizeof(int))];
  msghdr message = {};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof(control);
  ssize_t size;
  do
    size = recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
  while (size < 0 && errno == EINTR);
  if (size < 0)
    return {-errno, false};
  for (cmsghdr *header = CMSG_FIRSTHDR(&message); header;
       header = CMSG_NXTHDR(&message, header)) {
    if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS)
      continue;
    size_t count = (header->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (size_t i = 0; i < count; ++i) {
      int descriptor;
      std::memcpy(&descriptor, CMSG_DATA(header) + i * sizeof(int),
                  sizeof(int));
      descriptors.emplace_back(descriptor);
    }
  }
  return {size, (message.msg_flags & (MSG_TRUNC | MSG_CTRUNC)) != 0};
}

bool isStream(int socket) {
  int type = 0;
  socklen_t size = sizeof(type);
  return getsockopt(socket, SOL_SOCKET, SO_TYPE, &type, &size) == 0 &&
         type == SOCK_STREAM;
}

/// Receives the bytes of \p message and every descriptor beside them.
int receive(int socket, Message &message, std::vector<UniqueFd> &descriptors) {
  // A stream may deliver a message in parts, other sockets do not.
  bool mayBeInParts = isStream(socket);
  std::span<std::byte> left = std::as_writable_bytes(std::span(&message, 1));
  bool isFirst = true;
  while (!left.empty()) {
    Received part = receivePart(socket, left, descriptors);
    if (part.size < 0 && isFirst)
      return int(part.size);
    if (part.size <= 0 || part.isTruncated)
      return -EBADMSG;
    left = left.subspan(size_t(part.size));
    if (!left.empty() && !mayBeInParts)
      return -EBADMSG;
    isFirst = false;
  }
  return 0;
}

/// Returns the memory that \p message describes, or a negative errno.
int memoryOf(const Message &message, UniqueFd descriptor,
             std::shared_ptr<SharedMemory> &memory) {
  if (!isBlob(message.desc)) {
    memory = SharedMemory::adoptUnchecked(PoolKind::hardwareBuffer,
                                          std::move(descriptor), 0, PROT_READ);
    return 0;
  }
  int flags = fcntl(descriptor.get(), F_GETFL);
  if (flags < 0 || (flags & O_ACCMODE) == O_WRONLY)
    return -EBADMSG;
  int protection =
      (flags & O_ACCMODE) == O_RDWR ? PROT_READ | PROT_WRITE : PROT_READ;
  Result<std::shared_ptr<SharedMemory>> pool =
      SharedMemory::adopt(PoolKind::hardwareBufferBlob, std::move(descriptor),
                          message.desc.width, protection);
  if (!pool.isOk())
    return -EBADMSG;
  if (!(*pool)->isStable())
    return -EPERM;
  memory = *std::move(pool);
  return 0;
}

} // namespace

NATIVEWINDOW_API int
AHardwareBuffer_sendHandleToUnixSocket(const AHardwareBuffer *buffer,
                                       int socketFd) {
  if (!buffer)
    return -EINVAL;
  Message message = {};
  message.desc = buffer->description();
  message.id = buffer->id();
  std::span<const std::byte> left = std::as_bytes(std::span(&message, 1));
  int descriptor = buffer->descriptor();
  while (!left.empty()) {
    ssize_t sent = sendPart(socketFd, left, descriptor);
    if (sent < 0)
      return int(sent);
    left = left.subspan(size_t(sent));
    descriptor = -1;
  }
  return 0;
}

NATIVEWINDOW_API int
AHardwareBuffer_recvHandleFromUnixSocket(int socketFd,
                                         AHardwareBuffer **outBuffer) {
  if (!outBuffer)
    return -EINVAL;
  *outBuffer = nullptr;
  Message message = {};
  std::vector<UniqueFd> descriptors;
  if (int error = receive(socketFd, message, descriptors))
    return error;
  if (message.magic != messageMagic || message.version != messageVersion ||
      message.reserved != 0 || descriptors.size() != 1 ||
      checkDescription(message.desc) != 0)
    return -EBADMSG;
  if (isBlob(message.desc))
    message.desc.stride = message.desc.width;
  std::shared_ptr<SharedMemory> memory;
  if (int error = memoryOf(message, std::move(descriptors[0]), memory))
    return error;
  *outBuffer = new (std::nothrow)
      AHardwareBuffer(message.desc, message.id, std::move(memory));
  return *outBuffer ? 0 : -ENOMEM;
}
