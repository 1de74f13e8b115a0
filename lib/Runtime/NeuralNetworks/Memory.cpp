//===- Memory.cpp - Memories of clients -----------------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Memory.h"

#include <algorithm>

using namespace nnhal;
using namespace nnhal::ndk;
using rt::SharedMemory;

bool DescribedMemory::hasRole(const Role &role) const {
  return std::ranges::find(description.roles, role) != description.roles.end();
}

std::vector<uint32_t> DescribedMemory::dimensions() const {
  std::lock_guard lock(mutex);
  return extents;
}

bool DescribedMemory::isInitialized() const {
  std::lock_guard lock(mutex);
  return isWritten;
}

void DescribedMemory::setWritten(std::vector<uint32_t> dimensions) {
  std::lock_guard lock(mutex);
  extents = std::move(dimensions);
  isWritten = true;
}

void DescribedMemory::setUninitialized() {
  std::lock_guard lock(mutex);
  extents = description.type.dimensions;
  isWritten = false;
}

std::shared_ptr<SharedMemory> ANeuralNetworksMemory::linearPool() const {
  bool isLinear = pool && pool->kind() != rt::PoolKind::hardwareBuffer;
  return isLinear ? pool : nullptr;
}

int ndk::createFromFd(size_t size, int protection, int fd, size_t offset,
                      Memory **memory) {
  if (size == 0 || fd < 0)
    return ANEURALNETWORKS_BAD_DATA;
  auto duplicate = rt::duplicate(fd);
  if (!duplicate.isOk())
    // A descriptor that is not open cannot be duplicated (F-017).
    return ANEURALNETWORKS_UNEXPECTED_NULL;
  auto pool = SharedMemory::adopt(rt::PoolKind::mmapFd, *std::move(duplicate),
                                  size, protection, offset);
  if (!pool.isOk())
    return ANEURALNETWORKS_BAD_DATA;
  *memory = new Memory(*std::move(pool));
  return ANEURALNETWORKS_NO_ERROR;
}

std::optional<std::vector<uint32_t>>
ndk::combine(const std::vector<uint32_t> &one,
             const std::vector<uint32_t> &other) {
  if (one.empty() || other.empty())
    return one.empty() ? other : one;
  if (one.size() != other.size())
    return std::nullopt;
  std::vector<uint32_t> combined = one;
  for (size_t i = 0; i < one.size(); ++i) {
    if (one[i] != 0 && other[i] != 0 && one[i] != other[i])
      return std::nullopt;
    combined[i] = one[i] != 0 ? one[i] : other[i];
  }
  return combined;
}

/// Copies between memories that are bytes behind a descriptor.
static int copyBytes(const SharedMemory &source, const SharedMemory &target) {
  if (source.size() != target.size())
    return ANEURALNETWORKS_BAD_DATA;
  // A part at a time: the memories may be large.
  std::vector<std::byte> bytes(std::min<uint64_t>(source.size(), 1 << 20));
  for (uint64_t at = 0; at < source.size(); at += bytes.size()) {
    std::span part(bytes.data(),
                   std::min<uint64_t>(bytes.size(), source.size() - at));
    if (!source.read(at, part).isOk() || !target.write(at, part).isOk())
      return ANEURALNETWORKS_UNMAPPABLE;
  }
  return ANEURALNETWORKS_NO_ERROR;
}

/// Returns the bytes that \p memory has now, 0 where they are not known.
static uint64_t sizeOf(const Memory &memory) {
  if (!memory.described)
    return memory.pool->size();
  rt::InterfaceTensor type = memory.described->type();
  type.dimensions = memory.described->dimensions();
  return rt::byteSizeOf(type).value_or(0);
}

/// The code for a copy that a device refused: what it cannot read or write is
/// not mappable (F-060).
static int codeOf(const rt::Status &status) {
  if (status.isOk())
    return ANEURALNETWORKS_NO_ERROR;
  return status.code() == rt::StatusCode::generalFailure
             ? ANEURALNETWORKS_UNMAPPABLE
         : status.code() == rt::StatusCode::invalidArgument
             ? ANEURALNETWORKS_BAD_DATA
         : status.code() == rt::StatusCode::deadObject
             ? ANEURALNETWORKS_DEAD_OBJECT
             : ANEURALNETWORKS_OP_FAILED;
}

/// Copies from or to a buffer of a device, over a memory between two (F-077).
static int copyThroughDevice(const Memory &source, const Memory &target,
                             const std::vector<uint32_t> &dimensions) {
  const DescribedMemory *from = source.described.get();
  const DescribedMemory *to = target.described.get();
  std::shared_ptr<SharedMemory> pool = from ? from->pool : source.pool;
  if (!pool) {
    pool = to && to->pool ? to->pool : target.pool;
    if (!pool) {
      auto between = SharedMemory::createAshmem(sizeOf(source));
      if (!between.isOk())
        return ANEURALNETWORKS_OUT_OF_MEMORY;
      pool = *std::move(between);
    }
    if (int code = codeOf(from->buffer->copyTo(*pool)))
      return code;
  }
  if (!to || !to->buffer)
    return ANEURALNETWORKS_NO_ERROR;
  return codeOf(to->buffer->copyFrom(*pool, dimensions));
}

/// Whether the bytes of \p source can be those of \p target: type, dimensions
/// and size agree as far as both are known (F-076).
static bool isUpdatable(const Memory &source, const Memory &target) {
  if (!target.described)
    return sizeOf(source) == target.pool->size();
  const rt::InterfaceTensor &type = target.described->type();
  if (!source.described) {
    uint64_t size = rt::byteSizeOf(type).value_or(0);
    return size != 0 && size == source.pool->size();
  }
  const rt::InterfaceTensor &other = source.described->type();
  return other.type == type.type && other.scale == type.scale &&
         other.zeroPoint == type.zeroPoint &&
         other.channelQuant == type.channelQuant &&
         combine(type.dimensions, source.described->dimensions()).has_value();
}

static bool isOpaque(const Memory &memory) {
  return memory.pool && !memory.linearPool();
}

int ndk::copy(const Memory &source, const Memory &target) {
  if (&source == &target)
    return ANEURALNETWORKS_NO_ERROR;
  // Buffers of a layout that nobody knows are not copied (F-079).
  if (isOpaque(source) || isOpaque(target))
    return ANEURALNETWORKS_BAD_DATA;
  if (source.described && !source.described->isInitialized())
    return ANEURALNETWORKS_BAD_DATA;
  if (!isUpdatable(source, target))
    return ANEURALNETWORKS_BAD_DATA;
  bool isBuffer = (source.described && source.described->buffer) ||
                  (target.described && target.described->buffer);
  auto poolOf = [](const Memory &memory) {
    return memory.described ? memory.described->pool : memory.pool;
  };
  std::vector<uint32_t> dimensions = source.described
                                         ? source.described->dimensions()
                                         : std::vector<uint32_t>();
  int code = isBuffer ? copyThroughDevice(source, target, dimensions)
                      : copyBytes(*poolOf(source), *poolOf(target));
  if (!target.described)
    return code;
  if (code != ANEURALNETWORKS_NO_ERROR)
    target.described->setUninitialized();
  else
    target.described->setWritten(
        dimensions.empty() ? target.described->type().dimensions : dimensions);
  return code;
}
