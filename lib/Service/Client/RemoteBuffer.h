//===- RemoteBuffer.h - Memory that a service manages -----------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_SERVICE_CLIENT_REMOTEBUFFER_H
#define NNHAL_LIB_SERVICE_CLIENT_REMOTEBUFFER_H

#include "Session.h"

#include "nnhal/Runtime/Buffer.h"

namespace nnhal::service::client {

/// A buffer of a service. When the connection is lost it answers deadObject for
/// ever.
class RemoteBuffer final : public rt::Buffer {
public:
  RemoteBuffer(std::shared_ptr<Session> session,
               OnLoop<wire::Buffer::Client> capability, uint32_t number)
      : session(std::move(session)), capability(std::move(capability)),
        number(number) {}

  uint32_t token() const override { return number; }
  rt::Status copyTo(const rt::SharedMemory &target) const override;
  rt::Status copyFrom(const rt::SharedMemory &source,
                      std::span<const uint32_t> dimensions) override;

private:
  template <typename Ask>
  rt::Status copy(const rt::SharedMemory &memory, Ask ask) const;

  const std::shared_ptr<Session> session;
  const OnLoop<wire::Buffer::Client> capability;
  const uint32_t number;
};

} // namespace nnhal::service::client

#endif // NNHAL_LIB_SERVICE_CLIENT_REMOTEBUFFER_H
