//===- BufferServer.h - A buffer of a client --------------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_SERVICE_HOST_BUFFERSERVER_H
#define NNHAL_LIB_SERVICE_HOST_BUFFERSERVER_H

#include "Session.h"

namespace nnhal::service {

/// A buffer of the device, whose token is valid until the last capability for
/// it is dropped.
class BufferServer final : public wire::Buffer::Server {
public:
  BufferServer(std::shared_ptr<Session> session,
               std::shared_ptr<rt::Buffer> buffer, Ticket ticket);
  ~BufferServer() noexcept(false);

  kj::Promise<void> copyTo(CopyToContext context) override;
  kj::Promise<void> copyFrom(CopyFromContext context) override;

private:
  /// The memory of the client with number \p id; invalidArgument.
  rt::Result<std::shared_ptr<rt::SharedMemory>> find(uint32_t id) const;

  const std::shared_ptr<Session> session;
  std::shared_ptr<rt::Buffer> buffer;
  const Ticket ticket;
};

} // namespace nnhal::service

#endif // NNHAL_LIB_SERVICE_HOST_BUFFERSERVER_H
