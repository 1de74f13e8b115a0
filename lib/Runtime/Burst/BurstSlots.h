//===- BurstSlots.h - The memories that a burst's client uses ---*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_RUNTIME_BURST_BURSTSLOTS_H
#define NNHAL_LIB_RUNTIME_BURST_BURSTSLOTS_H

#include "nnhal/Runtime/Burst.h"

#include <functional>
#include <mutex>
#include <optional>

namespace nnhal::rt {

/// Which slot each memory of a client has (G-039), and the answers to the
/// server's questions for them. Refers to memories weakly. Threads: any.
class BurstSlots final : public BurstCallback {
public:
  Result<std::vector<std::shared_ptr<SharedMemory>>>
  getMemories(std::span<const int32_t> slots) override;
  void contextDied() override;

  /// Has \p function called when the context dies. On return the one before it
  /// has run to its end or never will.
  void onContextDeath(std::function<void()> function);

  /// The slot of \p memory: the one that it has, the one that was freed last,
  /// or the next that was never used.
  int32_t slotOf(const std::shared_ptr<const SharedMemory> &memory);

  /// Frees the slot of \p memory; nothing for memory without one.
  std::optional<int32_t> free(const SharedMemory &memory);

  /// Frees the slots of memories that nobody owns any more, in \p freed.
  void freeExpired(std::vector<int32_t> &freed);

  /// Slots that have a memory.
  size_t count() const;

private:
  struct Entry {
    bool isUsed = false;
    std::weak_ptr<const SharedMemory> memory;
  };

  void release(size_t slot);

  mutable std::mutex mutex;
  std::vector<Entry> entries; // By slot.
  std::vector<int32_t> unused;
  std::mutex deathMutex; // Held while deathHandler runs.
  std::function<void()> deathHandler;
};

} // namespace nnhal::rt

#endif // NNHAL_LIB_RUNTIME_BURST_BURSTSLOTS_H
