//===- Account.cpp - What a client has, against its quotas ----------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Account.h"

#include "Runtime/Support/Errors.h"

using namespace nnhal;
using namespace nnhal::service;
using rt::Result;
using rt::Status;
using rt::StatusCode;

Ticket Ticket::split(uint64_t share) {
  assert(share <= count && "a ticket cannot give more than it holds");
  count -= share;
  return Ticket(used, share);
}

Result<Ticket> Quota::take(uint64_t count) {
  if (count > limit)
    return Status(StatusCode::resourceExhaustedPersistent,
                  fmt::format("the client asks for {} {} where {} are allowed",
                              count, what, limit));
  uint64_t before = used->load(std::memory_order_relaxed);
  do {
    if (before > limit - count)
      return rt::outOfResources("the client has {} {} where {} are allowed",
                                before, what, limit);
  } while (!used->compare_exchange_weak(before, before + count,
                                        std::memory_order_relaxed));
  return Ticket(used, count);
}

Account::Account(const Quotas &quotas)
    : memory(std::make_shared<rt::MemoryBudget>(quotas.memory)),
      models("prepared models", quotas.models),
      buffers("buffers", quotas.buffers), bursts("bursts", quotas.bursts),
      executions("executions under way", quotas.executions),
      preparations("preparations under way", quotas.preparations),
      descriptors("file descriptors", quotas.descriptors) {}

Result<MemoryTicket> Account::reserve(uint64_t bytes) {
  auto reserved = memory->reserve(bytes);
  if (!reserved.isOk())
    return std::move(reserved).takeStatus().withContext(
        "the memory of the client");
  return MemoryTicket{memory, *std::move(reserved)};
}

void Account::note(const Status &status) {
  if (status.isOk())
    return;
  ++failures;
  if (status.code() == StatusCode::resourceExhaustedTransient ||
      status.code() == StatusCode::resourceExhaustedPersistent)
    ++refusals;
}
