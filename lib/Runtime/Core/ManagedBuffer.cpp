//===- ManagedBuffer.cpp - Buffers and their tokens -----------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ManagedBuffer.h"

#include "Runtime/Support/Errors.h"

#include <algorithm>
#include <shared_mutex>

using namespace nnhal::rt;

std::optional<uint64_t>
nnhal::rt::knownByteSize(OperandType type,
                         std::span<const uint32_t> dimensions) {
  uint64_t bytes = lookUp(type)->elementSize;
  if (isTensor(type) && dimensions.empty()) // Of unknown rank.
    return std::nullopt;
  for (uint32_t extent : dimensions) {
    bytes *= extent;
    if (extent == 0 || bytes > UINT32_MAX)
      return std::nullopt;
  }
  return bytes;
}

std::optional<std::vector<uint32_t>>
nnhal::rt::combineDimensions(std::span<const uint32_t> lhs,
                             std::span<const uint32_t> rhs) {
  if (lhs.empty() || rhs.empty()) {
    std::span<const uint32_t> known = lhs.empty() ? rhs : lhs;
    return std::vector<uint32_t>(known.begin(), known.end());
  }
  if (lhs.size() != rhs.size())
    return std::nullopt;
  std::vector<uint32_t> combined(lhs.begin(), lhs.end());
  for (size_t i = 0; i < combined.size(); ++i) {
    if (combined[i] != 0 && rhs[i] != 0 && combined[i] != rhs[i])
      return std::nullopt;
    if (combined[i] == 0)
      combined[i] = rhs[i];
  }
  return combined;
}

void BufferMutex::lock() {
  std::unique_lock lock(mutex);
  uint64_t number = drawn++;
  changed.wait(lock,
               [&] { return served == number && readers == 0 && !isWritten; });
  ++served;
  isWritten = true;
}

void BufferMutex::unlock() {
  std::lock_guard lock(mutex);
  isWritten = false;
  changed.notify_all();
}

void BufferMutex::lock_shared() {
  std::unique_lock lock(mutex);
  uint64_t number = drawn++;
  changed.wait(lock, [&] { return served == number && !isWritten; });
  ++served;
  ++readers;
  changed.notify_all(); // The next may be a reader, too.
}

void BufferMutex::unlock_shared() {
  std::lock_guard lock(mutex);
  --readers;
  changed.notify_all();
}

bool BufferMutex::tryLock(bool isExclusive) {
  std::lock_guard lock(mutex);
  if (drawn != served || isWritten || (isExclusive && readers > 0))
    return false;
  ++drawn;
  ++served;
  isWritten = isExclusive;
  readers += isExclusive ? 0 : 1;
  return true;
}

bool ManagedBuffer::hasRole(const ArgumentRole &role) const {
  return std::ranges::find(roles, role) != roles.end();
}

Status ManagedBuffer::resize(const std::vector<uint32_t> &dimensions) {
  std::optional<uint64_t> size = knownByteSize(tensor.type, dimensions);
  state.isInitialized = false;
  state.dimensions = dimensions;
  if (!size) { // Nothing is known before the first write.
    state.size = 0;
    return Status::ok();
  }
  state.size = 0;
  NNHAL_RETURN_IF_ERROR(memory->resize(dimensions, *size));
  state.size = *size;
  return Status::ok();
}

/// Whether a copy can reach the bytes of \p memory (F-051, F-060).
static Status checkMappable(const SharedMemory &memory) {
  if (memory.kind() == PoolKind::hardwareBuffer)
    return failure("memory of kind hardware_buffer cannot be read or written "
                   "by a copy");
  return memory.check();
}

Status ManagedBuffer::copyTo(const SharedMemory &target) const {
  NNHAL_RETURN_IF_ERROR(checkMappable(target));
  std::shared_lock lock(mutex);
  // A buffer without contents has the size of its allocation, where that is
  // known.
  std::optional<uint64_t> size = state.size;
  if (!state.isInitialized)
    size = knownByteSize(tensor.type, tensor.dimensions);
  if (size && target.size() != *size)
    return badData("the target has {} bytes, the buffer {}", target.size(),
                   *size);
  if (!state.isInitialized)
    return failure("the buffer is uninitialized");
  Status status = memory->copyTo(target);
  if (!status.isOk())
    return failure("the target cannot be written: {}", status.message());
  return status;
}

/// The shape that a source with \p dimensions has (F-055 to F-057).
Result<std::vector<uint32_t>>
ManagedBuffer::sourceShape(std::span<const uint32_t> dimensions) const {
  if (isScalar(tensor.type)) {
    if (!dimensions.empty())
      return badData("the buffer holds a scalar, the source has the shape [{}]",
                     fmt::join(dimensions, ","));
    return std::vector<uint32_t>();
  }
  bool isStated = !dimensions.empty() && !std::ranges::count(dimensions, 0u);
  if (!dimensions.empty() && !isStated)
    return badData("the shape [{}] of the source has unknown extents",
                   fmt::join(dimensions, ","));
  auto shape = combineDimensions(tensor.dimensions, dimensions);
  if (!shape)
    return badData("the shape [{}] of the source contradicts the buffer's [{}]",
                   fmt::join(dimensions, ","),
                   fmt::join(tensor.dimensions, ","));
  if (shape->empty() || std::ranges::count(*shape, 0u))
    return badData("the buffer's shape [{}] has unknown extents that the "
                   "source does not state",
                   fmt::join(tensor.dimensions, ","));
  return *shape;
}

Status ManagedBuffer::copyFrom(const SharedMemory &source,
                               std::span<const uint32_t> dimensions) {
  std::unique_lock lock(mutex);
  // A copy that fails leaves the buffer uninitialized (F-053).
  state.isInitialized = false;
  NNHAL_RETURN_IF_ERROR(fill(source, dimensions));
  state.isInitialized = true;
  return Status::ok();
}

/// Does the work of copyFrom() with `mutex` held.
Status ManagedBuffer::fill(const SharedMemory &source,
                           std::span<const uint32_t> dimensions) {
  NNHAL_RETURN_IF_ERROR(checkMappable(source));
  NNHAL_ASSIGN_OR_RETURN(std::vector<uint32_t> shape, sourceShape(dimensions));
  std::optional<uint64_t> size = knownByteSize(tensor.type, shape);
  if (!size)
    return badData("a source of shape [{}] exceeds {} bytes",
                   fmt::join(shape, ","), UINT32_MAX);
  if (source.size() != *size)
    return badData("the source has {} bytes, the shape [{}] needs {}",
                   source.size(), fmt::join(shape, ","), *size);
  NNHAL_RETURN_IF_ERROR(resize(shape));
  Status status = memory->copyFrom(source);
  if (!status.isOk())
    return failure("the source cannot be read: {}", status.message());
  return status;
}

uint32_t BufferTable::add(std::shared_ptr<ManagedBuffer> buffer) {
  std::lock_guard lock(mutex);
  do
    ++last;
  while (last == 0 || buffers.contains(last));
  buffers.emplace(last, std::move(buffer));
  return last;
}

void BufferTable::remove(uint32_t token) {
  // Freed outside the lock.
  std::shared_ptr<ManagedBuffer> buffer;
  std::lock_guard lock(mutex);
  auto found = buffers.find(token);
  if (found != buffers.end()) {
    buffer = std::move(found->second);
    buffers.erase(found);
  }
}

std::shared_ptr<ManagedBuffer> BufferTable::find(uint32_t token) const {
  std::lock_guard lock(mutex);
  auto found = buffers.find(token);
  return found == buffers.end() ? nullptr : found->second;
}
