//===- Memory.cpp - Where bytes live and who owns them --------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "nnhal/Runtime/Memory.h"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <limits>
#include <new>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

namespace nnhal::rt {

namespace {

std::string errorText(int error) {
  return std::generic_category().message(error);
}

/// Fills \p target from \p offset on; the caller has checked the bounds, but a
/// file can shrink at any time.
Status readFully(int fd, uint64_t offset, std::span<std::byte> target) {
  size_t done = 0;
  while (done < target.size()) {
    ssize_t count = ::pread(fd, target.data() + done, target.size() - done,
                            static_cast<off_t>(offset + done));
    if (count < 0 && errno == EINTR)
      continue;
    if (count < 0)
      return badData("cannot read at offset {}: {}", offset + done,
                     errorText(errno));
    if (count == 0)
      return badData("the file ends at offset {}, {} bytes are missing",
                     offset + done, target.size() - done);
    done += static_cast<size_t>(count);
  }
  return Status::ok();
}

/// Reads a region that lies inside the file into private memory.
Result<Memory> readRegion(int fd, uint64_t offset, uint64_t size) {
  try {
    std::vector<std::byte> bytes(size);
    NNHAL_RETURN_IF_ERROR(readFully(fd, offset, bytes));
    return Memory::adopt(std::move(bytes));
  } catch (const std::bad_alloc &) {
    return outOfResources("no memory for {} bytes", size);
  } catch (const std::length_error &) {
    return outOfResources("no memory for {} bytes", size);
  }
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
  memory.storage =
      Copied{std::make_shared<const std::vector<std::byte>>(std::move(bytes))};
  return memory;
}

Memory Memory::borrow(std::span<const std::byte> bytes) {
  Memory memory;
  memory.storage = Borrowed{bytes.data(), bytes.size()};
  return memory;
}

Memory Memory::fromDescriptor(UniqueFd fd, uint64_t offset, uint64_t size,
                              int protection) {
  Memory memory;
  memory.storage = Descriptor{std::make_shared<UniqueFd>(std::move(fd)), offset,
                              size, protection};
  return memory;
}

Result<Memory> Memory::readFile(const std::string &path, uint64_t maxSize) {
  // Non-blocking: opening a pipe that nobody writes to would never return.
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
  Result<Memory> memory = readRegion(fd.get(), 0, size);
  if (!memory.isOk())
    return std::move(memory).takeStatus().withContext(
        fmt::format("'{}'", path));
  return memory;
}

uint64_t Memory::size() const {
  if (const auto *copied = std::get_if<Copied>(&storage))
    return copied->bytes->size();
  if (const auto *borrowed = std::get_if<Borrowed>(&storage))
    return borrowed->size;
  if (const auto *descriptor = std::get_if<Descriptor>(&storage))
    return descriptor->size;
  return 0;
}

Result<std::span<const std::byte>> Memory::bytes() const {
  if (const auto *copied = std::get_if<Copied>(&storage))
    return std::span<const std::byte>(*copied->bytes);
  if (const auto *borrowed = std::get_if<Borrowed>(&storage))
    return std::span<const std::byte>(borrowed->data, borrowed->size);
  if (isNone())
    return std::span<const std::byte>();
  if (std::holds_alternative<Descriptor>(storage))
    return badData("memory behind a descriptor has not been materialized");
  return badData("memory behind a device token cannot be read here");
}

Result<Memory> Memory::materialize() const {
  if (std::holds_alternative<DeviceToken>(storage))
    return badData("memory behind a device token cannot be read here");
  const auto *descriptor = std::get_if<Descriptor>(&storage);
  if (!descriptor)
    return *this;

  int fd = descriptor->fd ? descriptor->fd->get() : -1;
  struct stat info;
  if (fd < 0 || ::fstat(fd, &info) != 0)
    return badData("the descriptor of a memory is not open");
  if (!S_ISREG(info.st_mode))
    return badData("the descriptor of a memory is not a regular file");
  uint64_t available = static_cast<uint64_t>(info.st_size);
  if (descriptor->offset > available ||
      descriptor->size > available - descriptor->offset)
    return badData("memory at offset {} of size {} exceeds its file of {} "
                   "bytes",
                   descriptor->offset, descriptor->size, available);
  return readRegion(fd, descriptor->offset, descriptor->size);
}

} // namespace nnhal::rt
