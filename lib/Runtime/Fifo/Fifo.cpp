//===- Fifo.cpp - Queues in shared memory ---------------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Fifo.h"

#include "Futex.h"

#include "Runtime/Support/Errors.h"

#include <algorithm>
#include <cstring>
#include <sched.h>

using namespace nnhal::rt;

FifoEnd::FifoEnd(FifoMemory memory, Side side, uint32_t elementSize)
    : memory(std::move(memory)), side(side), elementSize(elementSize) {}

void FifoEnd::close() {
  closed.store(1, std::memory_order_seq_cst);
  wakeClosed(closed);
}

Result<uint32_t> FifoEnd::available() {
  const bool isReader = side == Side::reader;
  FifoHeader &header = memory.header();
  // The load is ordered after sleep() has cleared this end's event bit, as the
  // store of the counter in commit() is ordered before the test of that bit:
  // one of the two ends sees what the other did.
  uint64_t other = std::atomic_ref(isReader ? header.written : header.read)
                       .load(std::memory_order_seq_cst);
  uint64_t filled = isReader ? other - position : position - other;
  if (isBroken || filled > capacity()) {
    isBroken = true;
    return failure("the other end of a queue says that it has {} {} elements, "
                   "expected {} to {}",
                   isReader ? "written" : "read", other,
                   isReader
                       ? position
                       : position - std::min<uint64_t>(position, capacity()),
                   isReader ? position + capacity() : position);
  }
  known = isReader ? uint32_t(filled) : uint32_t(capacity() - filled);
  return known;
}

/// Lets the other hardware thread of the core work while this one polls.
static void relax() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("isb" ::: "memory");
#endif
}

static Status closedStatus() {
  return Status(StatusCode::deadObject, "the queue was closed");
}

Status FifoEnd::wait(uint32_t count, std::chrono::nanoseconds window) {
  using Clock = std::chrono::steady_clock;
  // The clock takes as long as several polls, so that it is read now and then.
  constexpr uint32_t pollsPerLook = 32;
  Clock::time_point end;
  for (uint32_t poll = 0;; ++poll) {
    NNHAL_ASSIGN_OR_RETURN(uint32_t found, available());
    if (found >= count)
      return Status::ok();
    if (isClosed())
      return closedStatus();
    if (window.count() <= 0)
      break;
    if (poll % pollsPerLook == 0) {
      Clock::time_point now = Clock::now();
      if (poll == 0)
        end = now + window;
      else if (now >= end)
        break;
    }
    relax();
  }
  return sleep(count);
}

Status FifoEnd::sleep(uint32_t count) {
  const uint32_t bit = side == Side::reader ? fifoNotEmpty : fifoNotFull;
  std::atomic_ref events(memory.header().events);
  while (true) {
    uint32_t asleep = events.fetch_and(~bit, std::memory_order_seq_cst) & ~bit;
    NNHAL_ASSIGN_OR_RETURN(uint32_t found, available());
    bool isReady = found >= count;
    if (isReady || isClosed()) {
      events.fetch_or(bit, std::memory_order_seq_cst);
      return isReady ? Status::ok() : closedStatus();
    }
    sleepOn(memory.header().events, asleep, closed);
  }
}

/// The core of this thread in the form of FifoHeader::writerCore, 0 where the
/// system does not tell.
static uint32_t thisCore() { return uint32_t(::sched_getcpu() + 1); }

bool FifoEnd::isPeerOnThisCore() const {
  return writerCore != 0 && writerCore == thisCore();
}

void FifoEnd::commit(uint32_t count) {
  const bool isReader = side == Side::reader;
  FifoHeader &header = memory.header();
  position += count;
  known -= count;
  next += count;
  if (next >= capacity())
    next -= capacity();
  if (isReader)
    writerCore =
        std::atomic_ref(header.writerCore).load(std::memory_order_relaxed);
  else
    std::atomic_ref(header.writerCore)
        .store(thisCore(), std::memory_order_relaxed);
  std::atomic_ref(isReader ? header.read : header.written)
      .store(position, std::memory_order_seq_cst);
  const uint32_t bit = isReader ? fifoNotFull : fifoNotEmpty;
  std::atomic_ref events(header.events);
  woken = (events.load(std::memory_order_seq_cst) & bit) == 0;
  if (!woken)
    return;
  events.fetch_or(bit, std::memory_order_seq_cst);
  wakeShared(header.events);
}

void FifoEnd::read(std::byte *bytes, uint32_t count) {
  const size_t first = std::min(count, capacity() - next) * size_t(elementSize);
  std::memcpy(bytes, memory.elements() + next * size_t(elementSize), first);
  std::memcpy(bytes + first, memory.elements(),
              count * size_t(elementSize) - first);
  commit(count);
}

#if defined(__x86_64__)
/// Processors without the instruction take it for none.
__attribute__((target("prfchw")))
#endif
static void prefetchForWriting(const std::byte *line) {
  __builtin_prefetch(line, /*rw=*/1);
}

void FifoEnd::claimNextSlots(uint32_t count) {
  constexpr size_t lineSize = 64, maxBytes = 16 * lineSize;
  const size_t first = next * size_t(elementSize);
  const size_t end = capacity() * size_t(elementSize);
  const size_t wanted = std::min(count * size_t(elementSize), maxBytes);
  for (size_t offset = first; offset < std::min(first + wanted + lineSize, end);
       offset += lineSize)
    prefetchForWriting(memory.elements() + offset);
}

void FifoEnd::write(const std::byte *bytes, uint32_t count) {
  const size_t first = std::min(count, capacity() - next) * size_t(elementSize);
  std::memcpy(memory.elements() + next * size_t(elementSize), bytes, first);
  std::memcpy(memory.elements(), bytes + first,
              count * size_t(elementSize) - first);
  commit(count);
  claimNextSlots(count);
}

Status FifoEnd::checkCapacity(size_t count) const {
  if (count > capacity())
    return Status(StatusCode::resourceExhaustedPersistent,
                  fmt::format("a packet of {} elements exceeds the capacity of "
                              "the queue, {}",
                              count, capacity()));
  return Status::ok();
}

Status FifoEnd::checkRoom(size_t count) {
  NNHAL_RETURN_IF_ERROR(checkCapacity(count));
  if (count <= known && !isBroken)
    return Status::ok();
  NNHAL_ASSIGN_OR_RETURN(uint32_t room, available());
  if (count > room)
    return outOfResources("a packet of {} elements exceeds the {} free ones of "
                          "the queue",
                          count, room);
  return Status::ok();
}
