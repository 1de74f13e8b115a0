//===- Fifo.h - Queues in shared memory -------------------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A ring of elements of one size between two processes: one end writes, the
// other reads. The end in this process trusts nothing that the other one can
// write. It keeps its own position in private memory, reads the other's counter
// once per use and holds it against the capacity, and copies elements out
// before anybody looks at them.
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_RUNTIME_FIFO_FIFO_H
#define NNHAL_LIB_RUNTIME_FIFO_FIFO_H

#include "FifoMemory.h"

#include <atomic>
#include <chrono>
#include <memory>
#include <span>
#include <type_traits>
#include <vector>

namespace nnhal::rt {

/// The part that both ends have in common.
///
/// Threads: close() and isClosed() may be called from any thread at any time;
///          the other members by one thread at a time.
class FifoEnd {
public:
  FifoEnd(const FifoEnd &) = delete;
  FifoEnd &operator=(const FifoEnd &) = delete;

  /// In elements.
  uint32_t capacity() const { return memory.capacity(); }
  /// The descriptor of the memory, to be duplicated for the other end.
  int fd() const { return memory.fd(); }

  /// Ends the wait of this end, and every later one, with deadObject.
  /// The other end is not told.
  void close();
  bool isClosed() const { return closed.load(std::memory_order_acquire) != 0; }
  /// Whether the last read or write of this end found the other end asleep, and
  /// woke it.
  bool hasWoken() const { return woken; }
  /// Whether the other end made its last commit on the core that this thread is
  /// on: then it makes no progress while this thread polls. A reader knows it
  /// of what it read last; the writer may lie, which only changes how a reader
  /// waits.
  bool isPeerOnThisCore() const;

protected:
  enum class Side : uint32_t { reader, writer };
  FifoEnd(FifoMemory memory, Side side, uint32_t elementSize);
  ~FifoEnd() = default;

  /// How many elements this end may read or write now. generalFailure when the
  /// counter of the other end cannot be right; so is every later use.
  Result<uint32_t> available();
  /// Returns when at least \p count elements are available, which is at most
  /// the capacity: polls for \p window, then sleeps.
  Status wait(uint32_t count, std::chrono::nanoseconds window);
  /// resourceExhaustedPersistent when \p count elements never fit.
  Status checkCapacity(size_t count) const;
  /// Fails like checkCapacity(), and with resourceExhaustedTransient when they
  /// do not fit now. The counter of the reader, whose cache line the reader
  /// keeps, is looked at only when the room that was seen last is used up.
  Status checkRoom(size_t count);
  /// Copies \p count available elements between the ring and \p bytes, and
  /// tells the other end of all of them at once.
  void read(std::byte *bytes, uint32_t count);
  void write(const std::byte *bytes, uint32_t count);

private:
  void commit(uint32_t count);
  /// Asks the processor for the slots of a next message as long as the last
  /// one, \p count elements: they are in the cache of the reader since it read
  /// them, and this end has nothing to do until it is answered.
  void claimNextSlots(uint32_t count);
  Status sleep(uint32_t count);

  FifoMemory memory;
  const Side side;
  const uint32_t elementSize;
  /// Elements that this end has ever read or written.
  uint64_t position = 0;
  /// The slot of the next element: position modulo capacity.
  uint32_t next = 0;
  /// How many elements were available when the other end's counter was read
  /// last, less those that this end has read or written since.
  uint32_t known = 0;
  bool isBroken = false;
  bool woken = false;
  /// FifoHeader::writerCore when this end last read.
  uint32_t writerCore = 0;
  std::atomic<uint32_t> closed = 0;
};

template <typename Element> class FifoWriter final : public FifoEnd {
  static_assert(std::is_trivially_copyable_v<Element>);

public:
  explicit FifoWriter(FifoMemory memory)
      : FifoEnd(std::move(memory), Side::writer, sizeof(Element)) {}

  /// Puts in all of \p elements at once: the reader sees all or none.
  /// resourceExhaustedPersistent when they exceed the capacity,
  /// resourceExhaustedTransient when they exceed the room of this moment.
  Status tryWrite(std::span<const Element> elements) {
    NNHAL_RETURN_IF_ERROR(checkRoom(elements.size()));
    write(reinterpret_cast<const std::byte *>(elements.data()),
          uint32_t(elements.size()));
    return Status::ok();
  }

  /// Writes like tryWrite(), except that it waits for room: \p window long by
  /// polling, then asleep. deadObject once the end is closed.
  Status writeBlocking(std::span<const Element> elements,
                       std::chrono::nanoseconds window) {
    NNHAL_RETURN_IF_ERROR(checkCapacity(elements.size()));
    NNHAL_RETURN_IF_ERROR(wait(uint32_t(elements.size()), window));
    write(reinterpret_cast<const std::byte *>(elements.data()),
          uint32_t(elements.size()));
    return Status::ok();
  }
};

template <typename Element> class FifoReader final : public FifoEnd {
  static_assert(std::is_trivially_copyable_v<Element>);

public:
  explicit FifoReader(FifoMemory memory)
      : FifoEnd(std::move(memory), Side::reader, sizeof(Element)) {}

  /// Moves all elements that are there to \p elements: none, if none are.
  Status tryRead(std::vector<Element> &elements) {
    NNHAL_ASSIGN_OR_RETURN(uint32_t count, available());
    elements.resize(count);
    if (count != 0)
      read(reinterpret_cast<std::byte *>(elements.data()), count);
    return Status::ok();
  }

  /// Reads like tryRead(), except that it waits for one element or more: \p
  /// window long by polling, then asleep. deadObject once the end is closed.
  Status readBlocking(std::vector<Element> &elements,
                      std::chrono::nanoseconds window) {
    NNHAL_RETURN_IF_ERROR(wait(/*count=*/1, window));
    return tryRead(elements);
  }
};

} // namespace nnhal::rt

#endif // NNHAL_LIB_RUNTIME_FIFO_FIFO_H
