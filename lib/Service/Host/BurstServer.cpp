//===- BurstServer.cpp - Bursts of a client -------------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BurstServer.h"

#include "nnhal/Runtime/SharedMemory.h"

using namespace nnhal;
using namespace nnhal::service;
using rt::Result;
using rt::Status;

/// How long a burst waits for its client's memories.
static constexpr std::chrono::milliseconds patience{2'000};

ClientMemories::ClientMemories(const Session &session,
                               wire::BurstCallback::Client callback)
    : account(session.account), loop(session.host->loop),
      client(LoopQueue::own(loop, kj::mv(callback))) {}

static Status check(wire::BurstCallback::GetMemoriesResults::Reader answer,
                    size_t slots) {
  NNHAL_RETURN_IF_ERROR(read(answer.getStatus()));
  if (answer.getMemories().size() != slots)
    return rt::badData("the client gave {} memories for {} slots",
                       answer.getMemories().size(), slots);
  return Status::ok();
}

kj::Promise<Result<ClientMemories::Given>>
ClientMemories::ask(std::span<const int32_t> slots) const {
  auto request = client->getMemoriesRequest();
  auto list = request.initSlots(unsigned(slots.size()));
  for (unsigned i = 0; i < slots.size(); ++i)
    list.set(i, slots[i]);
  return request.send().then([loop = loop,
                              count = slots.size()](Response answer)
                                 -> kj::Promise<Result<Given>> {
    Status status = check(answer, count);
    if (!status.isOk())
      return Result<Given>(std::move(status));
    std::vector<NamedDescriptor> named;
    for (auto pool : answer.getMemories())
      named.push_back(descriptorOf(pool, "the memory of a slot"));
    auto kept = LoopQueue::own(loop, kj::mv(answer));
    return takeDescriptors(std::move(named))
        .then([kept](Result<std::vector<rt::UniqueFd>> taken) -> Result<Given> {
          NNHAL_ASSIGN_OR_RETURN(auto descriptors, std::move(taken));
          return Given{kept, std::move(descriptors)};
        });
  });
}

/// Looks at files, which can block.
Result<std::vector<std::shared_ptr<rt::SharedMemory>>>
ClientMemories::adopt(Given given) const {
  std::vector<std::shared_ptr<rt::SharedMemory>> memories;
  size_t next = 0;
  for (auto pool : given.response->getMemories()) {
    NNHAL_ASSIGN_OR_RETURN(Ticket ticket, account->descriptors.take());
    NNHAL_ASSIGN_OR_RETURN(MemoryTicket bytes,
                           account->reserve(pool.getSize()));
    NNHAL_ASSIGN_OR_RETURN(auto memory,
                           read(pool, std::move(given.descriptors[next++])));
    memories.push_back(
        keepWith(std::move(memory), std::move(bytes), std::move(ticket)));
  }
  return memories;
}

Result<std::vector<std::shared_ptr<rt::SharedMemory>>>
ClientMemories::getMemories(std::span<const int32_t> slots) {
  if (slots.size() > maxDescriptorsPerMessage)
    return rt::badData("a request names {} new slots where {} are allowed",
                       slots.size(), maxDescriptorsPerMessage);
  auto question = std::make_shared<Asked>();
  {
    std::lock_guard lock(mutex);
    NNHAL_RETURN_IF_ERROR(failure);
    asked = question;
  }
  postQuestion(*loop, question,
               [self = shared_from_this(),
                slots = std::vector(slots.begin(), slots.end())] {
                 return self->ask(slots);
               });
  Result<Given> given = question->wait(patience);
  if (!question->isAnswered()) {
    std::lock_guard lock(mutex);
    failure = given.status();
  }
  NNHAL_RETURN_IF_ERROR(given.status());
  return callGuarded([&] { return adopt(*std::move(given)); });
}

void ClientMemories::end() {
  std::lock_guard lock(mutex);
  failure = rt::failure("the burst has ended");
  if (asked)
    asked->answer(failure);
}

BurstServer::~BurstServer() noexcept(false) {
  // The burst's end waits for its thread, which may wait for the client.
  memories->end();
  session->discard(std::move(burst));
}

/// Waits for the execution that runs, so it is not done here.
kj::Promise<void> BurstServer::freeMemory(FreeMemoryContext context) {
  return session
      ->callOnThread([burst = burst, slot = context.getParams().getSlot()] {
        burst->freeMemory(slot);
        return Status::ok();
      })
      .ignoreResult();
}
