//===- FifoMemory.h - The shared memory of a queue --------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// docs/Devices/Burst.md has the layout byte by byte.
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_RUNTIME_FIFO_FIFOMEMORY_H
#define NNHAL_LIB_RUNTIME_FIFO_FIFOMEMORY_H

#include "nnhal/Runtime/Memory.h"

#include <cstdint>

namespace nnhal::rt {

/// The bits of the event-flag word. A bit is clear while the end that it wakes
/// sleeps, or is about to: an end that makes progress then sets it and wakes.
enum FifoEvent : uint32_t {
  fifoNotEmpty = 1, // Wakes the reader.
  fifoNotFull = 2,  // Wakes the writer.
};

/// The first 256 bytes of a queue's memory; the elements follow. Each word that
/// is written while the queue is in use has a cache line of its own.
struct FifoHeader {
  uint32_t magic;
  uint32_t version;
  uint32_t elementSize; // In bytes.
  uint32_t capacity;    // In elements.
  /// How many elements have ever been committed, changed by the writer alone.
  alignas(64) uint64_t written;
  /// One more than the number of the core on which the writer made the last
  /// commit; 0 where it does not say. A hint, in the line that the reader
  /// polls.
  uint32_t writerCore;
  /// How many elements have ever been taken out, changed by the reader alone.
  alignas(64) uint64_t read;
  alignas(64) uint32_t events;
};
static_assert(sizeof(FifoHeader) == 256);

inline constexpr uint32_t fifoMagic = 0x51464e4e; // "NNFQ"
inline constexpr uint32_t fifoVersion = 1;
/// The limit of a queue's capacity: what a peer may make an end map and keep.
inline constexpr uint32_t maxFifoCapacity = 1u << 20;

/// A queue's memory: a memfd that nobody can resize, mapped for reading and
/// writing. Both ends hold one, in one process or in two.
class FifoMemory {
public:
  /// New memory for \p capacity elements of \p elementSize bytes.
  /// invalidArgument for a capacity that is not 1 to maxFifoCapacity,
  /// resourceExhaustedTransient when the system has no memory.
  static Result<FifoMemory> create(uint32_t capacity, uint32_t elementSize);

  /// The memory behind \p fd, which another process may have made.
  /// invalidArgument unless it is a queue of this version for elements of
  /// \p elementSize bytes, as large as it says and sealed against resizing.
  static Result<FifoMemory> open(UniqueFd fd, uint32_t elementSize);

  FifoMemory(FifoMemory &&other) noexcept;
  FifoMemory &operator=(FifoMemory &&) = delete;
  ~FifoMemory();

  int fd() const { return descriptor.get(); }
  /// In elements, as it was when the memory was opened, whatever the other end
  /// has written there since.
  uint32_t capacity() const { return elementCount; }
  FifoHeader &header() const { return *mapped; }
  std::byte *elements() const {
    return reinterpret_cast<std::byte *>(mapped) + sizeof(FifoHeader);
  }

private:
  FifoMemory(UniqueFd fd, FifoHeader *mapped, uint64_t size, uint32_t capacity)
      : descriptor(std::move(fd)), mapped(mapped), byteSize(size),
        elementCount(capacity) {}
  static Result<FifoMemory> map(UniqueFd fd, uint64_t size, uint32_t capacity);

  UniqueFd descriptor;
  FifoHeader *mapped; // Null after a move.
  uint64_t byteSize;
  uint32_t elementCount;
};

} // namespace nnhal::rt

#endif // NNHAL_LIB_RUNTIME_FIFO_FIFOMEMORY_H
