//===- BurstSlots.cpp - The memories that a burst's client uses -----------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BurstSlots.h"

#include "Runtime/Support/Errors.h"
#include "nnhal/Runtime/SharedMemory.h"

using namespace nnhal::rt;

Result<std::vector<std::shared_ptr<SharedMemory>>>
BurstSlots::getMemories(std::span<const int32_t> slots) {
  std::vector<std::shared_ptr<SharedMemory>> memories;
  std::lock_guard lock(mutex);
  for (int32_t slot : slots) {
    std::shared_ptr<const SharedMemory> memory;
    if (slot >= 0 && size_t(slot) < entries.size())
      memory = entries[size_t(slot)].memory.lock();
    if (!memory)
      return badData("slot {} of a burst has no memory", slot);
    NNHAL_ASSIGN_OR_RETURN(UniqueFd fd, duplicate(memory->fd()));
    memories.push_back(SharedMemory::adoptUnchecked(
        memory->kind(), std::move(fd), memory->size(), memory->protection(),
        memory->fileOffset()));
  }
  return memories;
}

void BurstSlots::contextDied() {
  std::lock_guard lock(deathMutex);
  if (deathHandler)
    deathHandler();
}

void BurstSlots::onContextDeath(std::function<void()> function) {
  std::lock_guard lock(deathMutex);
  deathHandler = std::move(function);
}

int32_t BurstSlots::slotOf(const std::shared_ptr<const SharedMemory> &memory) {
  std::lock_guard lock(mutex);
  // Owners are compared, not addresses: new memory may be where other memory
  // was, whose slot is not freed yet.
  for (size_t slot = 0; slot < entries.size(); ++slot)
    if (entries[slot].isUsed && !entries[slot].memory.owner_before(memory) &&
        !memory.owner_before(entries[slot].memory))
      return int32_t(slot);
  if (unused.empty()) {
    unused.push_back(int32_t(entries.size()));
    entries.emplace_back();
  }
  int32_t slot = unused.back();
  unused.pop_back();
  entries[size_t(slot)] = {true, memory};
  return slot;
}

void BurstSlots::release(size_t slot) {
  entries[slot] = {};
  unused.push_back(int32_t(slot));
}

std::optional<int32_t> BurstSlots::free(const SharedMemory &memory) {
  std::lock_guard lock(mutex);
  for (size_t slot = 0; slot < entries.size(); ++slot)
    if (entries[slot].memory.lock().get() == &memory) {
      release(slot);
      return int32_t(slot);
    }
  return std::nullopt;
}

void BurstSlots::freeExpired(std::vector<int32_t> &freed) {
  freed.clear();
  std::lock_guard lock(mutex);
  for (size_t slot = 0; slot < entries.size(); ++slot)
    if (entries[slot].isUsed && entries[slot].memory.expired()) {
      release(slot);
      freed.push_back(int32_t(slot));
    }
}

size_t BurstSlots::count() const {
  std::lock_guard lock(mutex);
  return entries.size() - unused.size();
}
