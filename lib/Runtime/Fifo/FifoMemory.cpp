//===- FifoMemory.cpp - The shared memory of a queue ----------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FifoMemory.h"

#include "Runtime/Support/Errors.h"
#include "Runtime/Support/FileLimit.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace nnhal::rt;

static constexpr int resizeSeals = F_SEAL_SHRINK | F_SEAL_GROW;

static uint64_t byteSizeOf(uint32_t capacity, uint32_t elementSize) {
  return sizeof(FifoHeader) + uint64_t(capacity) * elementSize;
}

FifoMemory::FifoMemory(FifoMemory &&other) noexcept
    : descriptor(std::move(other.descriptor)),
      mapped(std::exchange(other.mapped, nullptr)), byteSize(other.byteSize),
      elementCount(other.elementCount) {}

FifoMemory::~FifoMemory() {
  if (mapped)
    ::munmap(mapped, byteSize);
}

Result<FifoMemory> FifoMemory::map(UniqueFd fd, uint64_t size,
                                   uint32_t capacity) {
  void *address = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED,
                         fd.get(), /*offset=*/0);
  if (address == MAP_FAILED)
    return outOfResources("cannot map the {} bytes of a queue: {}", size,
                          std::strerror(errno));
  return FifoMemory(std::move(fd), static_cast<FifoHeader *>(address), size,
                    capacity);
}

Result<FifoMemory> FifoMemory::create(uint32_t capacity, uint32_t elementSize) {
  if (capacity == 0 || capacity > maxFifoCapacity)
    return badData("the capacity of a queue is {} elements, expected 1 to {}",
                   capacity, maxFifoCapacity);
  uint64_t size = byteSizeOf(capacity, elementSize);
  UniqueFd fd(::memfd_create("nnhal-fifo", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!fd.isValid() || isBeyondFileLimit(size) ||
      ::ftruncate(fd.get(), off_t(size)) != 0 ||
      ::fcntl(fd.get(), F_ADD_SEALS, resizeSeals | F_SEAL_SEAL) != 0)
    return outOfResources("no memory for a queue of {} bytes: {}", size,
                          std::strerror(errno));
  NNHAL_ASSIGN_OR_RETURN(FifoMemory memory, map(std::move(fd), size, capacity));
  FifoHeader &header = memory.header();
  header.magic = fifoMagic;
  header.version = fifoVersion;
  header.elementSize = elementSize;
  header.capacity = capacity;
  header.events = fifoNotEmpty | fifoNotFull;
  return memory;
}

/// The head of the file as it is now, read without a mapping: the file may be
/// shorter, and it can still be resized until its seals have been looked at.
static Status checkHeader(const FifoHeader &header, uint32_t elementSize,
                          uint64_t fileSize) {
  if (header.magic != fifoMagic)
    return badData("a queue begins with {:#x}, expected {:#x}", header.magic,
                   fifoMagic);
  if (header.version != fifoVersion)
    return badData("a queue has version {}, expected {}", header.version,
                   fifoVersion);
  if (header.elementSize != elementSize)
    return badData("the elements of a queue have {} bytes, expected {}",
                   header.elementSize, elementSize);
  if (header.capacity == 0 || header.capacity > maxFifoCapacity)
    return badData("the capacity of a queue is {} elements, expected 1 to {}",
                   header.capacity, maxFifoCapacity);
  uint64_t expected = byteSizeOf(header.capacity, elementSize);
  if (fileSize != expected)
    return badData("a queue for {} elements has {} bytes, expected {}",
                   header.capacity, fileSize, expected);
  return Status::ok();
}

Result<FifoMemory> FifoMemory::open(UniqueFd fd, uint32_t elementSize) {
  int seals = ::fcntl(fd.get(), F_GET_SEALS);
  if (seals < 0)
    return badData("a queue is not in sealed memory: {}", std::strerror(errno));
  if ((seals & resizeSeals) != resizeSeals || (seals & F_SEAL_WRITE) != 0)
    return badData("a queue has the seals {:#x}, expected those against "
                   "shrinking and growing ({:#x}) and none against writing",
                   seals, resizeSeals);
  struct stat file{};
  FifoHeader header{};
  if (::fstat(fd.get(), &file) != 0 ||
      ::pread(fd.get(), &header, sizeof header, 0) < ssize_t(sizeof header))
    return badData("a queue has {} bytes, expected at least {}", file.st_size,
                   sizeof header);
  NNHAL_RETURN_IF_ERROR(
      checkHeader(header, elementSize, uint64_t(file.st_size)));
  return map(std::move(fd), uint64_t(file.st_size), header.capacity);
}
