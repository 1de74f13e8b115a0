//===- Frame.h - The state of one execution ---------------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_RUNTIME_CORE_FRAME_H
#define NNHAL_LIB_RUNTIME_CORE_FRAME_H

#include "ManagedBuffer.h"

#include "Runtime/Support/BudgetedBuffer.h"
#include "nnhal/Backend/Backend.h"
#include "nnhal/Runtime/Reactor.h"
#include "nnhal/Runtime/Scheduler.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

namespace nnhal::rt {

/// The size and the alignment of an argument, where the interface of the model
/// states all extents.
struct KnownArgument {
  /// byteSizeOf() its tensor.
  std::optional<uint32_t> size;
  /// The alignment of the elements in bytes, a power of two.
  uint64_t alignment = 1;

  /// Whether \p bytes are all of the elements, and aligned.
  bool isMetBy(std::span<const std::byte> bytes) const {
    return size == bytes.size() &&
           (reinterpret_cast<uintptr_t>(bytes.data()) & (alignment - 1)) == 0;
  }
};

/// The workspace and the argument lists of one execution.
struct Frame {
  /// The workspace is null when the model needs none.
  std::unique_ptr<Workspace> workspace;
  std::vector<InvocationArgument> inputs;
  std::vector<InvocationArgument> outputs;
  /// The extents that the pointers of both lists point to.
  std::vector<int64_t> extents;
  /// The sizes and alignments that the interface states of all arguments.
  std::vector<KnownArgument> knownInputs;
  std::vector<KnownArgument> knownOutputs;
  /// The number of the period in which it was used last; see FramePool.
  uint64_t period = 0;
  /// Whether it is FramePool::first. Constant while somebody has the frame.
  bool isFirst = false;
  /// Whether it is FramePool::undisturbed.
  bool isUndisturbed = false;
  /// A value other than 0 asks the backend to stop. The timer of a deadline
  /// sets it.
  std::atomic<uint32_t> isCancelled = 0;

  // The members below belong to one binding; reset() empties them.

  /// Bytes of a pool that cannot be used where they are.
  struct PoolCopy {
    std::shared_ptr<const SharedMemory> pool;
    uint64_t offset = 0;
    BudgetedBuffer copy;
    /// The index of the argument whose memory it is.
    size_t index = 0;
  };
  std::vector<PoolCopy> loads;
  std::vector<PoolCopy> stores;

  /// An argument whose pool is used where it is.
  struct PoolUse {
    InvocationArgument *argument = nullptr;
    bool isWritten = false;
  };
  std::vector<PoolUse> pools;
  std::vector<SharedMemory::Access> accesses;

  /// A buffer of the device as an argument.
  struct BufferUse {
    std::shared_ptr<ManagedBuffer> buffer;
    uint32_t token = 0;
    bool isInput = false;
    size_t index = 0;
  };
  std::vector<BufferUse> buffers;

  /// Inputs that are Memory of a kind without bytes of its own.
  std::vector<Memory> materialized;

  uint64_t copiedBytes = 0;

  void reset();
};

/// Frames that are not in use: as many as executions ran at once of late, so
/// that a warm execution allocates nothing. A frame that is not used for a
/// whole period is released, with its arena and buffers, when that ends
/// (D-010), where the arenas of the model are large. No execution reads the
/// clock for this, and there are no periods without frames.
///
/// The large frame of a model's first execution is released at once. Many a
/// process executes a model once: it needs neither the memory afterwards nor
/// the thread that would release it, whose start takes a tenth of the time of
/// such a process.
///
/// One frame, the first, goes from hand to hand without a lock: executions one
/// after the other take it by an atomic exchange and give it back by a store.
///
/// Models with small arenas have one frame more, for executions whose slot was
/// taken while nobody had one (Slot::wasFirst()): the slot is the right to it,
/// and taking it costs no atomic operation. So there may be a frame more than
/// executions ran at once; with a large arena the exchange is worth less.
///
/// Threads: any. Blocking: only for the length of a list operation; the
///          destructor, while frames are released on the reactor's thread.
class FramePool {
public:
  /// The nanoseconds between two looks at the frames: a frame is
  /// released after at least one and at most two periods without use.
  static constexpr int64_t periodLength = 5'000'000'000;
  /// Bytes of an arena that are worth a look at all. Looking takes the thread
  /// of the reactor, which makes every allocation of the process slower.
  static constexpr uint64_t smallestArena = 1 << 20;

  /// \p model and \p services, which are complete, must outlive the pool.
  FramePool(const LoadedModel &model, const DeviceServices &services)
      : services(services), budget(services.memory), model(model) {}
  FramePool(const FramePool &) = delete;
  FramePool &operator=(const FramePool &) = delete;
  ~FramePool();

  struct Returner {
    FramePool *pool = nullptr;
    void operator()(Frame *frame) const { pool->give(frame); }
  };
  using Lease = std::unique_ptr<Frame, Returner>;

  /// Takes a frame, which is kept even from a first execution where the caller
  /// takes one again right after it. Fails with resourceExhausted* when there
  /// is no memory for a new one.
  Result<Lease> take(bool isSoonTakenAgain = false);
  /// Takes a frame for the caller's \p slot, which must be of the executions of
  /// the model's device, and must be held until the frame has been given back.
  Result<Lease> takeFor(const Slot &slot);

private:
  Result<std::unique_ptr<Frame>> create() const;
  /// Takes the first frame if nobody has it; null otherwise.
  Frame *takeFirst();
  /// With the mutex held: takes a frame that is there; null where none is.
  Frame *takeIdle();
  /// With the mutex held: makes \p frame, which is new, part of the pool.
  Lease adopt(std::unique_ptr<Frame> frame);
  void give(Frame *frame);
  bool isLarge() const { return model.memoryUse().arena >= smallestArena; }
  /// With the mutex held: begins a period, unless one has begun.
  void beginPeriod();
  void endPeriod();

  const DeviceServices &services;
  /// Before the frames, so that it goes last: frames give back what they
  /// reserved.
  std::shared_ptr<MemoryBudget> budget;
  const LoadedModel &model;
  std::mutex mutex;
  /// Belongs to whoever has set isFirstFree to false, while it is there; only
  /// with the mutex held is it replaced.
  std::unique_ptr<Frame> first;
  std::atomic<bool> isFirstFree = false;
  /// Belongs to whoever has the slot that was taken first, if the arena is
  /// small; null before one has.
  std::unique_ptr<Frame> undisturbed;
  /// The other frames that nobody has.
  std::vector<std::unique_ptr<Frame>> idle;
  /// Frames in existence; idle has room for all of them.
  size_t total = 0;
  /// Whether more than one execution has begun or will soon: a frame that is
  /// given back is kept then, however large it is.
  std::atomic<bool> isReused = false;
  bool wasTaken = false;
  /// The mutex guards the changes.
  std::atomic<uint64_t> period = 0;
  /// Ends the period; 0 where there is none.
  uint64_t timer = 0;
  bool isEnding = false;
};

} // namespace nnhal::rt

#endif // NNHAL_LIB_RUNTIME_CORE_FRAME_H
