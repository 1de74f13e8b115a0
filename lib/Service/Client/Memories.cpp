//===- Memories.cpp - Memories that a service knows -----------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Memories.h"

#include "Service/Protocol/Convert.h"

#include <kj/vector.h>

using namespace nnhal;
using namespace nnhal::service;
using namespace nnhal::service::client;
using rt::Result;
using rt::Status;

kj::Promise<Result<Memories::Known>>
Memories::lend(const rt::SharedMemory &pool) {
  auto import = driver.importMemoryRequest();
  Status written = write(pool, import.initPool());
  if (!written.isOk())
    return Result<Known>(std::move(written));
  return import.send().then([](auto answer) -> Result<Known> {
    NNHAL_RETURN_IF_ERROR(read(answer.getStatus()));
    return Known{answer.getId(), answer.getMemory()};
  });
}

/// The pool is kept until the answer is there, and its entry with it.
kj::Promise<Status> Memories::ask(const Pool &pool, Entry &entry) {
  return lend(*pool).then(
      [pool, &entry](Result<Known> lent) -> Status {
        entry.state = lent.isOk() ? State::known : State::refused;
        if (!lent.isOk())
          return std::move(lent).takeStatus();
        entry.number = lent->number;
        entry.capability = kj::mv(lent->capability);
        return Status::ok();
      },
      [&entry](kj::Exception &&exception) -> Status {
        entry.state = State::refused;
        kj::throwFatalException(kj::mv(exception));
      });
}

kj::Promise<Status> Memories::arrivalOf(const Pool &pool) {
  auto found = entries.find(pool.get());
  // Another pool may be where one was whose owners left.
  if (found != entries.end() && found->second.state != State::refused &&
      !found->second.pool.expired())
    return found->second.state == State::known
               ? kj::Promise<Status>(Status::ok())
               : found->second.arrival.addBranch();
  if (found != entries.end())
    entries.erase(found);
  Entry &entry = entries[pool.get()];
  entry.pool = pool;
  entry.arrival = ask(pool, entry).fork();
  return entry.arrival.addBranch();
}

kj::Promise<Status> Memories::makeKnown(std::span<const Pool> pools) {
  std::erase_if(entries, [](const auto &entry) {
    return entry.second.state == State::known && entry.second.pool.expired();
  });
  kj::Vector<kj::Promise<Status>> arrivals;
  for (const Pool &pool : pools) {
    auto found = entries.find(pool.get());
    if (found == entries.end() || found->second.state != State::known)
      arrivals.add(arrivalOf(pool));
  }
  if (arrivals.empty())
    return Status::ok();
  return kj::joinPromises(arrivals.releaseAsArray())
      .then([](kj::Array<Status> statuses) -> Status {
        for (Status &status : statuses)
          NNHAL_RETURN_IF_ERROR(std::move(status));
        return Status::ok();
      });
}

uint32_t Memories::numberOf(const rt::SharedMemory *pool) const {
  auto found = entries.find(pool);
  return found == entries.end() ? 0 : found->second.number;
}
