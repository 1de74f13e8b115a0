//===- Staging.cpp - Borrowed arguments in shared memory ------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Staging.h"

#include "Runtime/Support/Errors.h"
#include "nnhal/Runtime/SharedMemory.h"

#include <algorithm>
#include <cstring>
#include <utility>

using namespace nnhal::rt;

/// Arguments begin on cache lines of their own, as aligned as any type needs.
static constexpr uint64_t alignment = 64;

Staging::Staging(const Interface &interface) {
  for (InterfaceTensor tensor : interface.outputs) {
    tensor.dimensions = {1};
    outputElementSizes.push_back(byteSizeOf(tensor).value_or(0));
  }
}

/// Whether the bytes of \p argument are in memory of this process alone.
static bool isPrivate(const Memory &argument) {
  return !argument.isNone() &&
         !std::holds_alternative<Memory::Descriptor>(argument.kind()) &&
         !std::holds_alternative<Memory::DeviceToken>(argument.kind());
}

/// The end of an argument of \p size bytes that is put behind \p end.
static uint64_t place(uint64_t end, uint64_t size, uint64_t &offset) {
  offset = (end + alignment - 1) / alignment * alignment;
  return offset + size;
}

Status Staging::reserve(uint64_t size) {
  if (size <= mapped.size())
    return Status::ok();
  // Growth by doubling bounds how often a sequence of growing requests makes
  // a pool.
  uint64_t wanted = std::max<uint64_t>(size, mapped.size() * 2);
  memory.reset();
  mapped = {};
  NNHAL_ASSIGN_OR_RETURN(std::shared_ptr<SharedMemory> pool,
                         SharedMemory::createAshmem(wanted));
  NNHAL_ASSIGN_OR_RETURN(mapped, pool->mapForWriting());
  memory = std::move(pool);
  return Status::ok();
}

Status Staging::stage(const Request &request) {
  NNHAL_RETURN_IF_ERROR(reservePlaces(request));
  return copyInputs(request);
}

Status Staging::reservePlaces(const Request &request) {
  copied = 0;
  hasInputPlaces = false;
  hasOutputPlaces = false;
  uint64_t end = 0;
  inputOffsets.resize(request.inputs.size());
  outputOffsets.resize(request.outputs.size());
  for (size_t i = 0; i < request.inputs.size(); ++i) {
    const Memory &argument = request.inputs[i].memory;
    if (isPrivate(argument)) {
      end = place(end, argument.size(), inputOffsets[i]);
      hasInputPlaces = true;
    }
  }
  for (size_t i = 0; i < request.outputs.size(); ++i) {
    const OutputMemory &argument = request.outputs[i].memory;
    if (std::holds_alternative<OutputMemory::Borrowed>(argument.kind())) {
      end = place(end, argument.size(), outputOffsets[i]);
      hasOutputPlaces = true;
    }
  }
  if (!isUsed())
    return Status::ok();
  // A pool has at least a byte, which an argument without elements is in.
  return reserve(std::max<uint64_t>(end, 1));
}

Status Staging::copyInputs(const Request &request) {
  for (size_t i = 0; i < request.inputs.size(); ++i) {
    const Memory &argument = request.inputs[i].memory;
    if (!isPrivate(argument))
      continue;
    NNHAL_ASSIGN_OR_RETURN(std::span<const std::byte> bytes, argument.bytes());
    if (!bytes.empty())
      std::memcpy(mapped.data() + inputOffsets[i], bytes.data(), bytes.size());
    copied += bytes.size();
  }
  return Status::ok();
}

/// The bytes of output \p index when it has \p shape; \p otherwise where the
/// size of its elements is not known.
uint64_t Staging::byteSize(size_t index, const OutputShape &shape,
                           uint64_t otherwise) const {
  if (index >= outputElementSizes.size() || outputElementSizes[index] == 0)
    return otherwise;
  uint64_t size = outputElementSizes[index];
  for (uint32_t extent : shape.dimensions)
    if (__builtin_mul_overflow(size, uint64_t(extent), &size))
      return UINT64_MAX;
  return size;
}

Status Staging::collect(const Request &request, std::span<OutputShape> shapes) {
  if (shapes.size() != request.outputs.size())
    return failure("the server answered {} outputs, expected {}", shapes.size(),
                   request.outputs.size());
  Status status;
  for (size_t i = 0; i < shapes.size(); ++i) {
    const auto *target =
        std::get_if<OutputMemory::Borrowed>(&request.outputs[i].memory.kind());
    if (!target)
      continue;
    uint64_t size = byteSize(i, shapes[i], target->size);
    if (size != 0 && target->size == 0) {
      shapes[i].isSufficient = false;
      status = Status(
          StatusCode::outputInsufficientSize,
          fmt::format("output {} of {} bytes does not fit its 0", i, size));
      continue;
    }
    if (size > target->size)
      return failure("the server answered {} bytes for output {}, expected at "
                     "most {}",
                     size, i, target->size);
    if (size != 0)
      std::memcpy(target->data, mapped.data() + outputOffsets[i], size);
    copied += size;
  }
  return status;
}
