//===- BurstServer.h - Bursts of a client -----------------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_SERVICE_HOST_BURSTSERVER_H
#define NNHAL_LIB_SERVICE_HOST_BURSTSERVER_H

#include "Asking.h"
#include "Session.h"

#include "nnhal/Runtime/Burst.h"

namespace nnhal::service {

/// Asks a client for the memories of slots, on the thread of a burst.
///
/// Ownership: shared by the burst and its BurstServer.
/// Threads:   any, but for the constructor, which belongs to the event loop.
/// Failures:  generalFailure for a client that does not answer in time, which
/// is
///            not asked again.
class ClientMemories final
    : public rt::BurstCallback,
      public std::enable_shared_from_this<ClientMemories> {
public:
  ClientMemories(const Session &session, wire::BurstCallback::Client client);

  rt::Result<std::vector<std::shared_ptr<rt::SharedMemory>>>
  getMemories(std::span<const int32_t> slots) override;

  /// Fails the question that waits, and every later one.
  void end();

private:
  using Response = capnp::Response<wire::BurstCallback::GetMemoriesResults>;
  /// Pools that a client described, and their descriptors.
  struct Given {
    std::shared_ptr<Response> response;
    std::vector<rt::UniqueFd> descriptors;
  };
  using Asked = Question<rt::Result<Given>>;

  kj::Promise<rt::Result<Given>> ask(std::span<const int32_t> slots) const;
  rt::Result<std::vector<std::shared_ptr<rt::SharedMemory>>>
  adopt(Given given) const;

  const std::shared_ptr<Account> account;
  const std::shared_ptr<LoopQueue> loop;
  const std::shared_ptr<wire::BurstCallback::Client> client;
  std::mutex mutex;
  std::shared_ptr<Asked> asked;
  rt::Status failure;
};

/// A burst, which ends with the last capability for it.
class BurstServer final : public wire::BurstContext::Server {
public:
  BurstServer(std::shared_ptr<Session> session,
              std::shared_ptr<ClientMemories> memories,
              std::shared_ptr<rt::BurstContext> burst,
              std::vector<MemoryTicket> queues, std::vector<Ticket> tickets)
      : session(std::move(session)), memories(std::move(memories)),
        burst(keepWith(std::move(burst), std::move(queues))),
        tickets(std::move(tickets)) {}
  ~BurstServer() noexcept(false);

  kj::Promise<void> freeMemory(FreeMemoryContext context) override;

private:
  const std::shared_ptr<Session> session;
  const std::shared_ptr<ClientMemories> memories;
  std::shared_ptr<rt::BurstContext> burst;
  const std::vector<Ticket> tickets;
};

} // namespace nnhal::service

#endif // NNHAL_LIB_SERVICE_HOST_BURSTSERVER_H
