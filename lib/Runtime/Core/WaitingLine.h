//===- WaitingLine.h - The order in which those who wait go -----*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_RUNTIME_CORE_WAITINGLINE_H
#define NNHAL_LIB_RUNTIME_CORE_WAITINGLINE_H

#include "nnhal/Runtime/Scheduler.h"

#include <array>
#include <condition_variable>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <unordered_map>

namespace nnhal::rt {

/// A caller in enter(), or a job.
struct Waiting {
  explicit Waiting(const Ticket &ticket) : ticket(ticket) {}
  Ticket ticket;
  /// The job is empty for a caller.
  std::function<void(Status)> job;
  /// The condition that a caller waits for; a job does not use it.
  std::condition_variable answered;
  std::optional<Status> answer;

  bool isJob() const { return job != nullptr; }
  bool hasPassed(int64_t now) const { return now >= ticket.deadline; }

private:
  friend class WaitingLine;
  uint64_t number = 0;
};
using WaitingRef = std::shared_ptr<Waiting>;

/// Clients take turns; within a client the higher priority goes first, then
/// the earlier arrival. A priority that others of its client went before
/// `maxPassedOver` times in a row has its turn. (C-053)
///
/// Threads: none of its own; the caller locks.
class WaitingLine {
public:
  static constexpr unsigned maxPassedOver = 64;

  bool isEmpty() const { return clients.empty(); }
  void push(const WaitingRef &entry);
  /// Takes out the next; must not be empty.
  WaitingRef pop();
  /// \p entry is in the line.
  void remove(const Waiting &entry);

private:
  static constexpr size_t priorityCount = 3;
  struct Client {
    /// The entries of each priority, by arrival.
    std::array<std::map<uint64_t, WaitingRef>, priorityCount> entries;
    std::array<unsigned, priorityCount> passedOver = {};
    /// The place of this client in `turns`.
    std::list<uint64_t>::iterator turn;

    bool isEmpty() const;
    size_t choose();
  };
  static size_t indexOf(const Waiting &entry);

  std::unordered_map<uint64_t, Client> clients;
  std::list<uint64_t> turns;
  uint64_t nextNumber = 0;
};

} // namespace nnhal::rt

#endif // NNHAL_LIB_RUNTIME_CORE_WAITINGLINE_H
