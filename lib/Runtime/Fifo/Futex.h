//===- Futex.h - Sleeping until another process wakes -----------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_RUNTIME_FIFO_FUTEX_H
#define NNHAL_LIB_RUNTIME_FIFO_FUTEX_H

#include <atomic>
#include <cstdint>

namespace nnhal::rt {

/// Sleeps while \p shared, a word of memory that another process maps too, has
/// the value \p expected and \p closed, a word of this process, is 0. May
/// return early: callers look again.
///
/// A process that shares the word cannot keep this one asleep once \p closed
/// has been set, whatever it writes: the thread sleeps on both words
/// (futex_waitv, Linux 5.16), or wakes every 50 ms on older systems. A wait for
/// the shared word alone would be 0.15 us shorter, and the other process could
/// requeue it to where no wake of this one arrives.
void sleepOn(const uint32_t &shared, uint32_t expected,
             const std::atomic<uint32_t> &closed);

/// Wakes all threads of all processes that sleep on \p shared.
void wakeShared(const uint32_t &shared);

/// Wakes the threads of this process that sleep with \p closed.
void wakeClosed(const std::atomic<uint32_t> &closed);

} // namespace nnhal::rt

#endif // NNHAL_LIB_RUNTIME_FIFO_FUTEX_H
