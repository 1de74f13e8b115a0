//===- Memory.cpp - Where bytes live and who owns them --------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "nnhal/Runtime/Memory.h"

#include "Errors.h"
#include "nnhal/Runtime/SharedMemory.h"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <new>
#include <sys/mman.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

namespace nnhal::rt {

namespace {

std::string errorText(int error) {
  return std::generic_category().message(error);
}

/// New private memory of \p size bytes that \p fill fills. They are not set to
/// anything before, and have their pages at once: both would take as long as
/// reading a file does.
template <typename Fill> Result<Memory> fillNew(uint64_t size, Fill fill) {
  try {
    Result<AlignedBuffer> buffer = AlignedBuffer::allocateResident(size);
    if (!buffer.isOk())
      return outOfResources("no memory for {} bytes", size);
    NNHAL_RETURN_IF_ERROR(fill(buffer->bytes()));
    return Memory::adopt(*std::move(buffer));
  } catch (const std::bad_alloc &) {
    return outOfResources("no memory for {} bytes", size);
  }
}

Result<Memory> copyRegion(const Memory::Descriptor &region) {
  // The check comes before memory is taken for a size that nothing stands
  // behind.
  NNHAL_RETURN_IF_ERROR(region.pool->check());
  return fillNew(region.size, [&](std::span<std::byte> bytes) {
    return region.pool->read(region.offset, bytes);
  });
}

} // namespace

void UniqueFd::reset() {
  if (fd >= 0)
    ::close(fd);
  fd = -1;
}

Memory Memory::copy(std::span<const std::byte> bytes) {
  return adopt(std::vector<std::byte>(bytes.begin(), bytes.end()));
}

Memory Memory::adopt(std::vector<std::byte> bytes) {
  Memory memory;
  auto owner = std::make_shared<const std::vector<std::byte>>(std::move(bytes));
  memory.storage = Copied{owner, *owner};
  return memory;
}

Memory Memory::adopt(AlignedBuffer bytes) {
  Memory memory;
  auto owner = std::make_shared<const AlignedBuffer>(std::move(bytes));
  memory.storage = Copied{owner, owner->bytes()};
  return memory;
}

Memory Memory::borrow(std::span<const std::byte> bytes) {
  Memory memory;
  memory.storage = Borrowed{bytes.data(), bytes.size()};
  return memory;
}

Memory Memory::region(std::shared_ptr<const SharedMemory> pool, uint64_t offset,
                      uint64_t size, uint64_t padding) {
  Memory memory;
  memory.storage = Descriptor{std::move(pool), offset, size, padding};
  return memory;
}

Memory Memory::fromDescriptor(UniqueFd fd, uint64_t offset, uint64_t size,
                              int protection) {
  return region(SharedMemory::adoptUnchecked(PoolKind::mmapFd, std::move(fd),
                                             size, protection, offset),
                /*offset=*/0, size);
}

Memory Memory::device(uint32_t token) {
  Memory memory;
  memory.storage = DeviceToken{token};
  return memory;
}

Result<Memory> Memory::readFile(const std::string &path, uint64_t maxSize) {
  // O_NONBLOCK: opening a pipe that nobody writes to would never return.
  UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!fd.isValid())
    return badData("cannot open '{}': {}", path, errorText(errno));
  struct stat info;
  if (::fstat(fd.get(), &info) != 0)
    return badData("cannot inspect '{}': {}", path, errorText(errno));
  if (!S_ISREG(info.st_mode))
    return badData("'{}' is not a regular file", path);
  uint64_t size = static_cast<uint64_t>(info.st_size);
  if (size > maxSize)
    return badData("'{}' has {} bytes, at most {} are read", path, size,
                   maxSize);
  Result<Memory> memory =
      fromDescriptor(std::move(fd), 0, size, PROT_READ).snapshot();
  if (!memory.isOk())
    return std::move(memory).takeStatus().withContext(
        fmt::format("'{}'", path));
  return memory;
}

uint64_t Memory::size() const {
  if (const auto *copied = std::get_if<Copied>(&storage))
    return copied->bytes.size();
  if (const auto *borrowed = std::get_if<Borrowed>(&storage))
    return borrowed->size;
  if (const auto *descriptor = std::get_if<Descriptor>(&storage))
    return descriptor->size;
  if (const auto *shared = std::get_if<Shared>(&storage))
    return shared->size;
  return 0;
}

Result<std::span<const std::byte>> Memory::bytes() const {
  if (const auto *copied = std::get_if<Copied>(&storage))
    return copied->bytes;
  if (const auto *borrowed = std::get_if<Borrowed>(&storage))
    return std::span<const std::byte>(borrowed->data, borrowed->size);
  if (const auto *shared = std::get_if<Shared>(&storage))
    return std::span<const std::byte>(shared->data, shared->size);
  if (isNone())
    return std::span<const std::byte>();
  if (std::holds_alternative<Descriptor>(storage))
    return badData("memory behind a descriptor has not been materialized");
  return badData("memory behind a device token cannot be read here");
}

Result<Memory> Memory::materialize() const {
  if (std::holds_alternative<DeviceToken>(storage))
    return badData("memory behind a device token cannot be read here");
  const auto *region = std::get_if<Descriptor>(&storage);
  if (!region)
    return *this;
  const SharedMemory &pool = *region->pool;
  NNHAL_RETURN_IF_ERROR(
      pool.checkRange(region->offset, region->size, region->padding));
  // The bytes of a dma-buf are not shared, because nobody would bracket the
  // reads.
  if (!pool.isStable() || pool.isDmaBuf())
    return copyRegion(*region);
  NNHAL_ASSIGN_OR_RETURN(std::span<const std::byte> bytes,
                         pool.mapForReading());
  Memory memory;
  memory.storage =
      Shared{region->pool, bytes.data() + region->offset, region->size};
  return memory;
}

Result<Memory> Memory::snapshot() const {
  NNHAL_ASSIGN_OR_RETURN(Memory memory, materialize());
  const auto *shared = std::get_if<Shared>(&memory.storage);
  if (!shared || shared->pool->isImmutable())
    return memory;
  return fillNew(shared->size, [&](std::span<std::byte> bytes) {
    std::copy_n(shared->data, shared->size, bytes.data());
    return Status::ok();
  });
}

} // namespace nnhal::rt
