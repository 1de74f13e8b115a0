//===- Futex.cpp - Sleeping until another process wakes -------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Futex.h"

#include <array>
#include <cerrno>
#include <climits>
#include <ctime>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

using namespace nnhal::rt;

static void wake(const void *word, int operation) {
  ::syscall(SYS_futex, word, operation, INT_MAX, nullptr, nullptr, 0);
}

/// False where the system does not have the call.
static bool sleepOnBoth(const uint32_t &shared, uint32_t expected,
                        const std::atomic<uint32_t> &closed) {
#ifdef SYS_futex_waitv
  std::array<futex_waitv, 2> words{};
  words[0] = {.val = expected,
              .uaddr = reinterpret_cast<uintptr_t>(&shared),
              .flags = FUTEX_32,
              .__reserved = 0};
  words[1] = {.val = 0,
              .uaddr = reinterpret_cast<uintptr_t>(&closed),
              .flags = FUTEX_32 | FUTEX_PRIVATE_FLAG,
              .__reserved = 0};
  long woken = ::syscall(SYS_futex_waitv, words.data(), words.size(), 0,
                         nullptr, CLOCK_MONOTONIC);
  return woken >= 0 || (errno != ENOSYS && errno != EPERM);
#else
  (void)shared, (void)expected, (void)closed;
  return false;
#endif
}

void nnhal::rt::sleepOn(const uint32_t &shared, uint32_t expected,
                        const std::atomic<uint32_t> &closed) {
  static_assert(sizeof(closed) == sizeof(uint32_t));
  if (sleepOnBoth(shared, expected, closed))
    return;
  const timespec slice{.tv_sec = 0, .tv_nsec = 50'000'000};
  ::syscall(SYS_futex, &shared, FUTEX_WAIT, expected, &slice, nullptr, 0);
}

void nnhal::rt::wakeShared(const uint32_t &shared) {
  wake(&shared, FUTEX_WAKE);
}

void nnhal::rt::wakeClosed(const std::atomic<uint32_t> &closed) {
  wake(&closed, FUTEX_WAKE_PRIVATE);
}
