//===- ArgumentBuffers.cpp - Buffers of a device as arguments ---*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ArgumentMemory.h"

#include <algorithm>

using namespace nnhal::rt;

static std::vector<uint32_t> shapeOf(const NNHalTensorArgument &argument) {
  return {argument.shape, argument.shape + argument.rank};
}

Status nnhal::rt::bindToken(const Argument &which, uint32_t token,
                            const BufferScope &scope, Frame &frame,
                            const NNHalTensorArgument &argument) {
  std::shared_ptr<ManagedBuffer> buffer = scope.table.find(token);
  if (!buffer)
    return badData("{}: no buffer has the token {}", which.label(), token);
  if (!buffer->hasRole({scope.model, which.isInput, uint32_t(which.index)}))
    return badData("{}: the buffer with token {} was not allocated for it",
                   which.label(), token);
  const std::vector<uint32_t> &allocated = buffer->type().dimensions;
  if (!combineDimensions(allocated, shapeOf(argument)))
    return badData("{} has the shape [{}] in the request, its buffer [{}]",
                   which.label(), fmt::join(shapeOf(argument), ","),
                   fmt::join(allocated, ","));
  frame.buffers.push_back({std::move(buffer), which.isInput, which.index});
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

BufferLocks::BufferLocks(const Frame &frame) {
  for (const Frame::BufferUse &use : frame.buffers)
    locks.push_back({use.buffer.get(), !use.isInput});
  // The same order for all executions; several inputs may be one buffer.
  std::ranges::sort(locks, {}, &Lock::buffer);
  auto repeated = std::ranges::unique(locks, {}, &Lock::buffer);
  locks.erase(repeated.begin(), repeated.end());
  for (const Lock &lock : locks) {
    if (lock.isExclusive)
      lock.buffer->mutex.lock();
    else
      lock.buffer->mutex.lock_shared();
  }
}

BufferLocks::~BufferLocks() {
  for (const Lock &lock : locks) {
    if (lock.isExclusive)
      lock.buffer->mutex.unlock();
    else
      lock.buffer->mutex.unlock_shared();
  }
}

static Status bindInputBuffer(const Argument &which,
                              const ManagedBuffer &buffer,
                              NNHalTensorArgument &argument) {
  if (!buffer.state.isInitialized)
    return failure("{}: the buffer is uninitialized", which.label());
  const std::vector<uint32_t> &written = buffer.state.dimensions;
  auto shape = combineDimensions(written, shapeOf(argument));
  if (!shape || *shape != written) // F-037
    return badData("{} has the shape [{}] in the request, its buffer was "
                   "written with [{}]",
                   which.label(), fmt::join(shapeOf(argument), ","),
                   fmt::join(written, ","));
  std::ranges::copy(written, argument.shape);
  argument.data = buffer.bytes().data();
  argument.size = buffer.bytes().size();
  return Status::ok();
}

static Status bindOutputBuffer(ManagedBuffer &buffer,
                               NNHalTensorArgument &argument) {
  auto shape = combineDimensions(buffer.type().dimensions, shapeOf(argument));
  NNHAL_RETURN_IF_ERROR(buffer.resize(*shape)); // bindToken() has checked it.
  std::ranges::copy(*shape, argument.shape);
  argument.data = buffer.bytes().data();
  argument.size = buffer.bytes().size();
  argument.isSufficient = 1;
  return Status::ok();
}

Status nnhal::rt::bindBuffers(const Interface &interface, Frame &frame) {
  for (const Frame::BufferUse &use : frame.buffers) {
    const auto &tensors = use.isInput ? interface.inputs : interface.outputs;
    if (use.isInput)
      NNHAL_RETURN_IF_ERROR(
          bindInputBuffer({true, use.index, tensors[use.index]}, *use.buffer,
                          frame.inputs[use.index]));
    else
      NNHAL_RETURN_IF_ERROR(
          bindOutputBuffer(*use.buffer, frame.outputs[use.index]));
  }
  return Status::ok();
}

Result<bool> nnhal::rt::growBuffers(Frame &frame) {
  bool hasGrown = false;
  for (const Frame::BufferUse &use : frame.buffers) {
    NNHalTensorArgument &output = frame.outputs[use.index];
    if (use.isInput || output.isSufficient)
      continue;
    std::vector<uint32_t> shape = shapeOf(output);
    if (!combineDimensions(use.buffer->type().dimensions, shape)) // F-036
      return failure("output {} has the shape [{}], its buffer [{}]", use.index,
                     fmt::join(shape, ","),
                     fmt::join(use.buffer->type().dimensions, ","));
    uint64_t before = use.buffer->bytes().size();
    NNHAL_RETURN_IF_ERROR(use.buffer->resize(shape));
    output.data = use.buffer->bytes().data();
    output.size = use.buffer->bytes().size();
    hasGrown |= output.size > before;
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
