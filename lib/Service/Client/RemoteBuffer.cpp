//===- RemoteBuffer.cpp - Memory that a service manages -------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RemoteBuffer.h"

#include "Service/Protocol/Convert.h"
#include "Service/Protocol/Wire.h"
#include "nnhal/Runtime/Trace.h"

using namespace nnhal;
using namespace nnhal::service;
using namespace nnhal::service::client;
using rt::Result;
using rt::Status;

/// Sends the request that \p ask makes for the number of \p memory, which the
/// service knows for as long.
template <typename Ask>
Status RemoteBuffer::copy(const rt::SharedMemory &memory, Ask ask) const {
  rt::TraceSection section(session->tracer(), rt::TraceLayer::ipc,
                           rt::TracePhase::execution, session->device());
  if (memory.fd() < 0)
    return memory.check();
  return session->call([&](Session::Wire &wire) {
    return wire.memories.lend(memory).then(
        [&](Result<Memories::Known> lent) -> kj::Promise<Status> {
          if (!lent.isOk())
            return std::move(lent).takeStatus();
          return ask(lent->number)
              .send()
              .then([lent = kj::mv(lent->capability)](auto answer) -> Status {
                return read(answer.getStatus());
              });
        });
  });
}

Status RemoteBuffer::copyTo(const rt::SharedMemory &target) const {
  return copy(target, [&](uint32_t memory) {
    auto request = capability->copyToRequest();
    request.setMemory(memory);
    return request;
  });
}

Status RemoteBuffer::copyFrom(const rt::SharedMemory &source,
                              std::span<const uint32_t> dimensions) {
  return copy(source, [&](uint32_t memory) {
    auto request = capability->copyFromRequest();
    request.setMemory(memory);
    fillNumbers(dimensions,
                request.initDimensions(unsigned(dimensions.size())));
    return request;
  });
}
