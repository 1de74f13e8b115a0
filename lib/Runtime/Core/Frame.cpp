//===- Frame.cpp - The state of one execution -----------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Frame.h"

#include "ArgumentMemory.h"

#include <algorithm>
#include <iterator>
#include <new>

using namespace nnhal::rt;

/// For how many extents there has to be room.
static size_t extentCount(const InterfaceTensor &tensor) {
  return hasUnknownRank(tensor) ? maxOpenRank : tensor.dimensions.size();
}

static KnownArgument knownOf(const InterfaceTensor &tensor) {
  return {byteSizeOf(tensor), alignmentOf(tensor)};
}

/// Arguments for \p tensors whose shapes are in \p extents from \p next on.
static void connect(const std::vector<InterfaceTensor> &tensors,
                    std::vector<InvocationArgument> &arguments,
                    std::vector<KnownArgument> &known,
                    std::vector<int64_t> &extents, size_t &next) {
  arguments.resize(tensors.size());
  for (size_t i = 0; i < tensors.size(); ++i) {
    arguments[i].extents = extents.data() + next;
    arguments[i].rank = uint32_t(tensors[i].dimensions.size());
    known.push_back(knownOf(tensors[i]));
    next += extentCount(tensors[i]);
  }
}

Result<std::unique_ptr<Frame>> FramePool::create() const {
  auto frame = std::make_unique<Frame>();
  NNHAL_ASSIGN_OR_RETURN(frame->workspace, model.createWorkspace(budget));
  const Interface &interface = model.interface();
  size_t total = 0;
  for (const InterfaceTensor &tensor : interface.inputs)
    total += extentCount(tensor);
  for (const InterfaceTensor &tensor : interface.outputs)
    total += extentCount(tensor);
  frame->extents.resize(total);
  size_t next = 0;
  connect(interface.inputs, frame->inputs, frame->knownInputs, frame->extents,
          next);
  connect(interface.outputs, frame->outputs, frame->knownOutputs,
          frame->extents, next);
  return frame;
}

Frame *FramePool::takeFirst() {
  bool isFree = isFirstFree.load(std::memory_order_relaxed) &&
                isFirstFree.exchange(false, std::memory_order_acquire);
  return isFree ? first.get() : nullptr;
}

Frame *FramePool::takeIdle() {
  // endPeriod() has the first frame for a moment, while it holds the mutex.
  if (Frame *frame = takeFirst())
    return frame;
  if (idle.empty())
    return nullptr;
  Frame *frame = idle.back().release();
  idle.pop_back();
  return frame;
}

FramePool::Lease FramePool::adopt(std::unique_ptr<Frame> frame) {
  frame->isFirst = !first;
  if (!frame->isFirst)
    return Lease(frame.release(), Returner{this});
  first = std::move(frame);
  return Lease(first.get(), Returner{this});
}

Result<FramePool::Lease> FramePool::take(bool isSoonTakenAgain) {
  if (Frame *frame = takeFirst()) {
    isReused.store(true, std::memory_order_relaxed);
    return Lease(frame, Returner{this});
  }
  {
    std::lock_guard lock(mutex);
    isReused = wasTaken || isSoonTakenAgain;
    wasTaken = true;
    if (Frame *frame = takeIdle())
      return Lease(frame, Returner{this});
  }
  Result<std::unique_ptr<Frame>> frame = create();
  std::lock_guard lock(mutex);
  idle.reserve(total + 1);
  total += frame.isOk() ? 1 : 0;
  // A first execution that has not ended keeps its frame now, whether there was
  // memory for another or not.
  if (isReused && total > 0 && isLarge())
    beginPeriod();
  NNHAL_RETURN_IF_ERROR(frame.status());
  return adopt(*std::move(frame));
}

Result<FramePool::Lease> FramePool::takeFor(const Slot &slot) {
  if (!slot.wasFirst())
    return take();
  if (!undisturbed) {
    if (isLarge())
      return take();
    NNHAL_ASSIGN_OR_RETURN(undisturbed, create());
    undisturbed->isUndisturbed = true;
  }
  return Lease(undisturbed.get(), Returner{this});
}

void FramePool::give(Frame *frame) {
  frame->reset();
  if (frame->isUndisturbed)
    return;
  bool isKept = isReused.load(std::memory_order_relaxed) || !isLarge();
  if (frame->isFirst && isKept) {
    frame->period = period.load(std::memory_order_relaxed);
    isFirstFree.store(true, std::memory_order_release);
    return;
  }
  std::unique_ptr<Frame> unused; // Destroyed without the lock.
  std::lock_guard lock(mutex);
  unused = frame->isFirst ? std::move(first) : std::unique_ptr<Frame>(frame);
  if (!isKept) {
    --total;
    return;
  }
  unused->period = period;
  idle.push_back(std::move(unused));
}

void FramePool::beginPeriod() {
  if (timer != 0 || isEnding)
    return;
  auto started = services.reactor->at(services.clock() + periodLength, [this] {
    try {
      endPeriod();
    } catch (const std::bad_alloc &) {
      std::lock_guard lock(mutex);
      timer = 0; // The next frame that is made begins a period.
    }
  });
  // Where the system gives no thread, frames stay as long as the model does.
  timer = started.isOk() ? *started : 0;
}

void FramePool::endPeriod() {
  std::vector<std::unique_ptr<Frame>> unused; // Destroyed without the lock.
  std::lock_guard lock(mutex);
  unused.reserve(idle.size() + 1); // Nothing fails once frames are taken out.
  auto isUsed = [&](const auto &frame) { return frame->period == period; };
  auto rest = std::ranges::partition(idle, isUsed);
  unused.insert(unused.end(), std::make_move_iterator(rest.begin()),
                std::make_move_iterator(rest.end()));
  idle.erase(rest.begin(), rest.end());
  if (takeFirst()) {
    if (isUsed(first))
      isFirstFree.store(true, std::memory_order_release);
    else
      unused.push_back(std::move(first));
  }
  total -= unused.size();
  ++period;
  timer = 0;
  if (total > 0)
    beginPeriod();
}

FramePool::~FramePool() {
  uint64_t last = 0;
  {
    std::lock_guard lock(mutex);
    isEnding = true;
    last = timer;
  }
  services.reactor->cancel(last);
}

void Frame::reset() {
  isCancelled.store(0, std::memory_order_relaxed);
  loads.clear();
  stores.clear();
  accesses.clear();
  for (const PoolUse &use : pools)
    use.argument->pool.reset();
  pools.clear();
  buffers.clear();
  materialized.clear();
  copiedBytes = 0;
}
