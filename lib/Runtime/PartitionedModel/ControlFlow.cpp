//===- ControlFlow.cpp - Interpreted IF and WHILE -------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BufferCopies.h"
#include "Run.h"

#include "Runtime/Support/Errors.h"
#include "Runtime/Support/LoopTime.h"

#include <algorithm>

using namespace nnhal::rt;
using namespace nnhal::rt::partition;

using Kind = Place::Kind;

/// The bytes at \p at, where the runtime itself can read them (I-061).
Result<Memory> Execution::valueOf(const Place &at) const {
  Place place = resolve(at);
  if (place.kind == Kind::temporary)
    return Memory::borrow(run.bytes(place));
  Memory memory = inputArgument(place, /*isRemote=*/false).memory;
  if (const auto *token = std::get_if<Memory::DeviceToken>(&memory.kind())) {
    const Device *device = deviceOf(compound, place.kind, place.index);
    NNHAL_ASSIGN_OR_RETURN(
        std::shared_ptr<Buffer> buffer,
        lookUpBuffer(compound.findBuffer, device, token->token));
    NNHAL_ASSIGN_OR_RETURN(std::shared_ptr<SharedMemory> copy,
                           bufferCopyOf(place.size));
    NNHAL_RETURN_IF_ERROR(buffer->copyTo(*copy));
    return Memory::region(std::move(copy), 0, place.size).materialize();
  }
  if (const auto *region = std::get_if<Memory::Descriptor>(&memory.kind());
      region && region->size == 0) // The whole pool.
    memory = Memory::region(region->pool, region->offset,
                            region->pool->size() - region->offset);
  return memory.materialize();
}

Result<bool> Execution::readCondition(const Place &place) const {
  NNHAL_ASSIGN_OR_RETURN(Memory value, valueOf(place));
  NNHAL_ASSIGN_OR_RETURN(std::span<const std::byte> bytes, value.bytes());
  return bytes[0] != std::byte(0);
}

Status Execution::copyToOutput(std::span<const std::byte> bytes,
                               uint32_t output) {
  const OutputMemory &memory = request.outputs[output].memory;
  auto isTooSmall = [&](uint64_t size) {
    result.outputShapes[output].isSufficient = size >= bytes.size();
    return size < bytes.size();
  };
  Status tooSmall(
      StatusCode::outputInsufficientSize,
      fmt::format("output {} needs {} bytes", output, bytes.size()));
  if (const auto *borrowed =
          std::get_if<OutputMemory::Borrowed>(&memory.kind())) {
    if (isTooSmall(borrowed->size))
      return tooSmall;
    std::ranges::copy(bytes, borrowed->data);
    return Status::ok();
  }
  if (const auto *region = std::get_if<OutputMemory::Region>(&memory.kind())) {
    bool isWhole = region->offset == 0 && region->size == 0;
    if (isTooSmall(isWhole ? region->pool->size() : region->size))
      return tooSmall;
    return region->pool->write(region->offset, bytes);
  }
  if (const auto *token =
          std::get_if<OutputMemory::DeviceToken>(&memory.kind())) {
    const Device *device = deviceOf(compound, Kind::output, output);
    NNHAL_ASSIGN_OR_RETURN(
        std::shared_ptr<Buffer> buffer,
        lookUpBuffer(compound.findBuffer, device, token->token));
    NNHAL_ASSIGN_OR_RETURN(std::shared_ptr<SharedMemory> copy,
                           SharedMemory::createAshmem(bytes.size()));
    NNHAL_RETURN_IF_ERROR(copy->write(0, bytes));
    return buffer->copyFrom(*copy,
                            compound.interface.outputs[output].dimensions);
  }
  return badData("output {} has no memory", output);
}

Status Execution::copy(const Place &from, const Place &at) {
  NNHAL_ASSIGN_OR_RETURN(Memory value, valueOf(from));
  NNHAL_ASSIGN_OR_RETURN(std::span<const std::byte> bytes, value.bytes());
  Place to = resolve(at);
  if (to.kind == Kind::output)
    return copyToOutput(bytes, to.index);
  std::ranges::copy(bytes, run.bytes(to).data());
  return Status::ok();
}

/// Hands the values of a loop that has ended on.
Status Execution::leaveLoop(const LoopLayout &loop) {
  auto index = uint32_t(&loop - compound.layout.loops.data());
  for (uint32_t i = 0; i < loop.results.size(); ++i) {
    Place value;
    value.kind = Kind::loopValue;
    value.index = index;
    value.position = i;
    NNHAL_RETURN_IF_ERROR(copy(value, loop.results[i]));
  }
  return Status::ok();
}

/// Comes here on entry, behind the condition, and behind the body; returns the
/// next step.
Result<uint32_t> Execution::followLoop(uint32_t number, bool isReturn) {
  const std::vector<uint32_t> &targets = compound.plan.steps[number].targets;
  const StepLayout &layout = compound.layout.steps[number];
  Run::LoopState &state = run.loops[layout.loop];
  uint32_t body = targets[0], end = targets[1], condition = targets[2];
  if (!isReturn || !state.isDecided) {
    if (isReturn)
      ++state.iterations;
    else
      state = {compound.clock(), 0, false};
    state.isDecided = true;
    return condition;
  }
  auto decision = readCondition(layout.condition);
  if (!decision.isOk())
    return broken(std::move(decision).takeStatus());
  if (!*decision) {
    Status left = leaveLoop(compound.layout.loops[layout.loop]);
    if (left.isOk())
      return end;
    return left.code() == StatusCode::outputInsufficientSize
               ? left
               : broken(std::move(left));
  }
  NNHAL_RETURN_IF_ERROR(
      checkLoopTime(compound.clock() - state.begin, request.loopTimeout));
  state.isDecided = false;
  return body;
}
