//===- Incoming.h - What comes with a call ----------------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_SERVICE_HOST_INCOMING_H
#define NNHAL_LIB_SERVICE_HOST_INCOMING_H

#include "Account.h"

#include "Service/Protocol/Convert.h"

#include <memory>
#include <vector>

namespace nnhal::service {

/// The descriptors and memory that come with a call, with their shares of the
/// quotas. They are given back with this object, except for what the objects
/// that are read hold.
///
/// Threads: one at a time.
class Incoming : public std::enable_shared_from_this<Incoming> {
public:
  explicit Incoming(std::shared_ptr<Account> account)
      : account(std::move(account)) {}

  /// Awaits descriptors: those of a model, and others. The thread of the event
  /// loop.
  kj::Promise<rt::Status> take(std::vector<NamedDescriptor> ofModel,
                               std::vector<NamedDescriptor> others);
  /// The others.
  Descriptors descriptors() {
    return std::span(taken).subspan(modelDescriptors);
  }

  /// Reads \p wire. resourceExhausted* when it takes too much memory. Pools
  /// keep their shares of the quotas as long as somebody refers to them.
  rt::Result<std::shared_ptr<const rt::AnnotatedModel>>
  readModel(wire::Model::Reader wire);
  /// Adds \p bytes that reading the call takes; resourceExhausted*.
  rt::Status reserve(uint64_t bytes);
  /// The bytes of what is kept after the call.
  std::vector<MemoryTicket> takeMemory() { return std::move(memory); }

  /// The share for descriptors that are kept after the call.
  Ticket takeTicket() { return std::move(ticket); }

  /// Closes the descriptors and gives everything back.
  void release();

private:
  const std::shared_ptr<Account> account;
  std::vector<rt::UniqueFd> taken;
  size_t modelDescriptors = 0;
  Ticket ticket;
  std::vector<MemoryTicket> memory;
};

} // namespace nnhal::service

#endif // NNHAL_LIB_SERVICE_HOST_INCOMING_H
