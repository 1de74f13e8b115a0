//===- ArgumentBuffers.cpp - Buffers of a device as arguments -------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ArgumentMemory.h"

#include "Runtime/Support/Errors.h"

#include <algorithm>

using namespace nnhal::rt;

static std::vector<uint32_t> shapeOf(const InvocationArgument &argument) {
  return {argument.extents, argument.extents + argument.rank};
}

static std::shared_ptr<ManagedBuffer> find(const BufferScope &scope,
                                           uint32_t token) {
  auto pin = std::ranges::find(scope.pins, token, &BufferPin::token);
  return pin != scope.pins.end() ? pin->buffer : scope.table.find(token);
}

Status nnhal::rt::bindToken(const Argument &which, uint32_t token,
                            const BufferScope &scope, Frame &frame,
                            InvocationArgument &argument) {
  std::shared_ptr<ManagedBuffer> buffer = find(scope, token);
  if (!buffer)
    return badData("{}: no buffer has the token {}", which.label(), token);
  if (!buffer->hasRole({scope.model, which.isInput, uint32_t(which.index)}))
    return badData("{}: the buffer with token {} was not allocated for it",
                   which.label(), token);
  const std::vector<uint32_t> &allocated = buffer->type().dimensions;
  if (hasUnknownRank(which.tensor) && argument.rank == 0) {
    argument.rank = uint32_t(std::min<size_t>(allocated.size(), maxOpenRank));
    std::copy_n(allocated.begin(), argument.rank, argument.extents);
  }
  // The argument has no room for another rank.
  if (allocated.size() != argument.rank ||
      !combineDimensions(allocated, shapeOf(argument)))
    return badData("{} has the shape [{}] in the request, its buffer [{}]",
                   which.label(), fmt::join(shapeOf(argument), ","),
                   fmt::join(allocated, ","));
  frame.buffers.push_back(
      {std::move(buffer), token, which.isInput, which.index});
  return Status::ok();
}

Status nnhal::rt::checkBufferUses(const Frame &frame) {
  for (const Frame::BufferUse &output : frame.buffers) {
    if (output.isInput)
      continue;
    for (const Frame::BufferUse &other : frame.buffers)
      if (&other != &output && other.buffer == output.buffer)
        return badData("the buffer of output {} is also that of {} {}",
                       output.index, other.isInput ? "input" : "output",
                       other.index);
  }
  return Status::ok();
}

std::vector<BufferLocks::Lock> BufferLocks::inOrder(const Frame &frame) {
  std::vector<Lock> locks;
  for (const Frame::BufferUse &use : frame.buffers)
    locks.push_back({use.buffer, !use.isInput});
  // All executions lock in the same order; several inputs may be one buffer.
  std::ranges::sort(locks, {}, &Lock::buffer);
  auto repeated = std::ranges::unique(locks, {}, &Lock::buffer);
  locks.erase(repeated.begin(), repeated.end());
  return locks;
}

void BufferLocks::Lock::unlock() const {
  if (isExclusive)
    buffer->mutex.unlock();
  else
    buffer->mutex.unlock_shared();
}

void BufferLocks::lock(const Frame &frame) {
  locks = inOrder(frame);
  for (const Lock &lock : locks) {
    if (lock.isExclusive)
      lock.buffer->mutex.lock();
    else
      lock.buffer->mutex.lock_shared();
  }
}

bool BufferLocks::tryLock(const Frame &frame) {
  for (Lock &lock : inOrder(frame)) {
    if (!lock.buffer->mutex.tryLock(lock.isExclusive)) {
      unlock();
      return false;
    }
    locks.push_back(std::move(lock));
  }
  return true;
}

void BufferLocks::unlock() {
  for (const Lock &lock : locks)
    lock.unlock();
  locks.clear();
}

/// Points \p argument at the bytes of \p buffer, which is locked.
static void pointAt(const ManagedBuffer &buffer, InvocationArgument &argument) {
  argument.memory = buffer.memory.get();
  argument.data = argument.memory->hostPointer();
  argument.size = buffer.state.size;
}

static Status bindInputBuffer(const Argument &which,
                              const ManagedBuffer &buffer,
                              InvocationArgument &argument) {
  if (!buffer.state.isInitialized)
    return failure("{}: the buffer is uninitialized", which.label());
  const std::vector<uint32_t> &written = buffer.state.dimensions;
  auto shape = combineDimensions(written, shapeOf(argument));
  // An input has the shape that its buffer was last written with (F-037).
  if (!shape || *shape != written)
    return badData("{} has the shape [{}] in the request, its buffer was "
                   "written with [{}]",
                   which.label(), fmt::join(shapeOf(argument), ","),
                   fmt::join(written, ","));
  std::ranges::copy(written, argument.extents);
  pointAt(buffer, argument);
  return Status::ok();
}

static Status bindOutputBuffer(const Argument &which, ManagedBuffer &buffer,
                               InvocationArgument &argument) {
  auto shape = combineDimensions(buffer.type().dimensions, shapeOf(argument));
  Status resized = buffer.resize(*shape); // bindToken() has checked it.
  if (!resized.isOk())
    return std::move(resized).withContext(which.label());
  std::ranges::copy(*shape, argument.extents);
  pointAt(buffer, argument);
  argument.isSufficient = true;
  return Status::ok();
}

Status nnhal::rt::bindBuffers(const Interface &interface, Frame &frame) {
  finishBuffers(frame, /*isComplete=*/false);
  for (const Frame::BufferUse &use : frame.buffers) {
    const auto &tensors = use.isInput ? interface.inputs : interface.outputs;
    Argument which = {use.isInput, use.index, tensors[use.index]};
    if (use.isInput)
      NNHAL_RETURN_IF_ERROR(
          bindInputBuffer(which, *use.buffer, frame.inputs[use.index]));
    else
      NNHAL_RETURN_IF_ERROR(
          bindOutputBuffer(which, *use.buffer, frame.outputs[use.index]));
  }
  return Status::ok();
}

/// Makes room for an output that did not fit.
static Status growBuffer(const Argument &which, ManagedBuffer &buffer,
                         InvocationArgument &output) {
  Status resized = buffer.resize(shapeOf(output));
  if (!resized.isOk())
    return std::move(resized).withContext(which.label());
  pointAt(buffer, output);
  return Status::ok();
}

Result<bool> nnhal::rt::growBuffers(const Interface &interface, Frame &frame) {
  bool hasGrown = false;
  for (const Frame::BufferUse &use : frame.buffers) {
    if (use.isInput)
      continue;
    Argument which = {false, use.index, interface.outputs[use.index]};
    InvocationArgument &output = frame.outputs[use.index];
    std::vector<uint32_t> shape = shapeOf(output);
    const InterfaceTensor &type = use.buffer->type();
    // A computed shape that the buffer cannot have is a general failure
    // (F-036).
    if (!combineDimensions(type.dimensions, shape))
      return failure("{} has the shape [{}], its buffer [{}]", which.label(),
                     fmt::join(shape, ","), fmt::join(type.dimensions, ","));
    bool isEmpty = std::ranges::count(shape, 0u) != 0;
    std::optional<uint64_t> needed = knownByteSize(type.type, shape);
    if (!isEmpty && !needed)
      return failure("{} of shape [{}] exceeds {} bytes", which.label(),
                     fmt::join(shape, ","), UINT32_MAX);
    if (isEmpty || *needed <= output.size)
      continue;
    NNHAL_RETURN_IF_ERROR(growBuffer(which, *use.buffer, output));
    hasGrown = true;
  }
  return hasGrown;
}

void nnhal::rt::finishBuffers(Frame &frame, bool isComplete) {
  for (const Frame::BufferUse &use : frame.buffers) {
    if (use.isInput)
      continue;
    ManagedBuffer::State &state = use.buffer->state;
    state.isInitialized = isComplete;
    if (!isComplete)
      continue;
    state.dimensions = shapeOf(frame.outputs[use.index]);
    state.size =
        knownByteSize(use.buffer->type().type, state.dimensions).value_or(0);
  }
}
