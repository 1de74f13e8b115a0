//===- SharedMemory.cpp - Pools behind descriptors ------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "nnhal/Runtime/SharedMemory.h"
#include "Errors.h"

#include "Ashmem.h"

#include <array>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <linux/dma-buf.h>
#include <linux/magic.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <system_error>
#include <unistd.h>

using namespace nnhal::rt;

static std::string errorText(int error) {
  return std::generic_category().message(error);
}

static constexpr std::array<std::string_view, 4> kindNames = {
    "ashmem", "mmap_fd", "hardware_buffer_blob", "hardware_buffer"};

std::string_view nnhal::rt::toString(PoolKind kind) {
  return kindNames[size_t(kind)];
}

std::optional<PoolKind> nnhal::rt::poolKindOf(std::string_view name) {
  for (size_t i = 0; i < kindNames.size(); ++i)
    if (kindNames[i] == name)
      return PoolKind(i);
  return std::nullopt;
}

std::string_view nnhal::rt::toString(SharedMemory::Origin origin) {
  static constexpr std::array<std::string_view, 5> names = {
      "adopted", "memfd", "ashmem", "udmabuf", "dma-heap"};
  return names[size_t(origin)];
}

Result<UniqueFd> nnhal::rt::duplicate(int fd) {
  UniqueFd copy(::fcntl(fd, F_DUPFD_CLOEXEC, 0));
  if (copy.isValid())
    return copy;
  if (errno == EMFILE)
    return outOfResources("no free descriptor to duplicate {}", fd);
  return badData("cannot duplicate descriptor {}: {}", fd, errorText(errno));
}

/// Checks the arguments of adopt() in themselves, whatever the descriptor is.
static Status checkStated(PoolKind kind, uint64_t size, int protection,
                          uint64_t fileOffset) {
  if (kind == PoolKind::hardwareBuffer)
    return Status::ok();
  if (size == 0)
    return badData("a pool of kind {} has size 0", toString(kind));
  if (protection == 0 || (protection & ~(PROT_READ | PROT_WRITE)) != 0)
    return badData("protection {} of a pool is not PROT_READ, PROT_WRITE or "
                   "both",
                   protection);
  if (fileOffset != 0 && kind != PoolKind::mmapFd)
    return badData("file offset {} of a pool of kind {} must be 0", fileOffset,
                   toString(kind));
  return Status::ok();
}

Result<std::shared_ptr<SharedMemory>>
SharedMemory::adopt(PoolKind kind, UniqueFd fd, uint64_t size, int protection,
                    uint64_t fileOffset) {
  NNHAL_RETURN_IF_ERROR(checkStated(kind, size, protection, fileOffset));
  auto memory =
      adoptUnchecked(kind, std::move(fd), size, protection, fileOffset);
  // Here a mismatch is the fault of the statements; later, of the file.
  if (Status status = memory->check(); !status.isOk())
    return Status(StatusCode::invalidArgument, status.message());
  return memory;
}

std::shared_ptr<SharedMemory>
SharedMemory::adoptUnchecked(PoolKind kind, UniqueFd fd, uint64_t size,
                             int protection, uint64_t fileOffset) {
  return std::shared_ptr<SharedMemory>(new SharedMemory(
      kind, Origin::adopted, std::move(fd), size, protection, fileOffset));
}

std::shared_ptr<SharedMemory>
SharedMemory::adoptOwnFile(UniqueFd fd, uint64_t size, uint64_t fileOffset) {
  auto memory = adoptUnchecked(PoolKind::mmapFd, std::move(fd), size, PROT_READ,
                               fileOffset);
  struct stat info;
  bool isOwn = ::fstat(memory->fd(), &info) == 0 && S_ISREG(info.st_mode) &&
               info.st_uid == ::geteuid() &&
               (info.st_mode & (S_IWGRP | S_IWOTH)) == 0;
  if (isOwn)
    memory->stable = memory->immutable = true;
  return memory;
}

SharedMemory::SharedMemory(PoolKind kind, Origin origin, UniqueFd fd,
                           uint64_t size, int protection, uint64_t fileOffset)
    : descriptor(std::move(fd)), byteSize(size), offsetInFile(fileOffset),
      access(protection), poolKind(kind), madeBy(origin) {
  if (descriptor.isValid() && kind != PoolKind::hardwareBuffer)
    inspect();
}

static uint64_t offsetInPage(uint64_t offset) {
  static const uint64_t pageSize = uint64_t(::sysconf(_SC_PAGESIZE));
  return offset % pageSize;
}

SharedMemory::~SharedMemory() {
  if (std::byte *first = mapped.load(std::memory_order_relaxed)) {
    uint64_t before = offsetInPage(offsetInFile);
    ::munmap(first - before, byteSize + before);
  }
}

/// Finds out what the descriptor promises for as long as it is open: seals are
/// never removed, and neither dma-bufs nor ashmem change their size.
void SharedMemory::inspect() {
  struct statfs system;
  if (::fstatfs(fd(), &system) != 0)
    return;
  dmaBuf = system.f_type == DMA_BUF_MAGIC;
  ashmemDevice = isAshmemDevice(fd());
  stable = dmaBuf || ashmemDevice;
  int seals = ::fcntl(fd(), F_GET_SEALS);
  // A sealed file on hugetlbfs still loses pages to its holders.
  if (seals < 0 || system.f_type == HUGETLBFS_MAGIC)
    return;
  stable |= (seals & F_SEAL_SHRINK) != 0;
  if ((seals & (F_SEAL_WRITE | F_SEAL_FUTURE_WRITE)) != 0)
    access &= ~PROT_WRITE;
  // F_SEAL_FUTURE_WRITE leaves the mappings that exist.
  immutable = stable && (seals & F_SEAL_WRITE) != 0;
}

Result<uint64_t> SharedMemory::realSize() const {
  struct stat info;
  if (fd() < 0 || ::fstat(fd(), &info) != 0)
    return failure("the descriptor of a memory is not open");
  if (poolKind == PoolKind::hardwareBuffer)
    return byteSize;
  if (ashmemDevice)
    return ashmemSize(fd());
  if (dmaBuf) {
    off_t end = ::lseek(fd(), 0, SEEK_END);
    return end < 0 ? 0 : uint64_t(end);
  }
  if (!S_ISREG(info.st_mode))
    return failure("the descriptor of a memory is not a regular file");
  return uint64_t(info.st_size);
}

Status SharedMemory::check() const {
  NNHAL_ASSIGN_OR_RETURN(uint64_t available, realSize());
  if (poolKind == PoolKind::hardwareBuffer)
    return Status::ok();
  int flags = ::fcntl(fd(), F_GETFL);
  if ((access & PROT_WRITE) != 0 && (flags & O_ACCMODE) == O_RDONLY)
    return failure("protection {} of a memory allows writing, its descriptor "
                   "does not",
                   access);
  if ((access & PROT_READ) != 0 && (flags & O_ACCMODE) == O_WRONLY)
    return failure("protection {} of a memory allows reading, its descriptor "
                   "does not",
                   access);
  // Linux ignores the offset of writes to such a file.
  if ((access & PROT_WRITE) != 0 && (flags & O_APPEND) != 0)
    return failure("the descriptor of a writable memory was opened to append");
  if (offsetInFile > available || byteSize > available - offsetInFile)
    return failure("memory at offset {} of size {} exceeds its file of {} "
                   "bytes",
                   offsetInFile, byteSize, available);
  return Status::ok();
}

Status SharedMemory::checkRange(uint64_t offset, uint64_t size,
                                uint64_t padding) const {
  if (offset <= byteSize && size <= byteSize - offset &&
      padding <= byteSize - offset - size)
    return Status::ok();
  return badData("{} bytes with {} of padding at offset {} exceed a pool of {} "
                 "bytes",
                 size, padding, offset, byteSize);
}

/// Whether the pool may be used with the protection \p needed.
Status SharedMemory::checkUse(int needed) const {
  if (poolKind == PoolKind::hardwareBuffer)
    return failure("memory of kind {} is opaque: it is not mapped, read or "
                   "written",
                   toString(poolKind));
  if ((access & needed) == needed)
    return Status::ok();
  NNHAL_RETURN_IF_ERROR(check()); // A closed descriptor explains more.
  return badData("memory of protection {} cannot be {}", access,
                 needed == PROT_READ ? "read" : "written");
}

Result<std::byte *> SharedMemory::map() const {
  if (std::byte *first = mapped.load(std::memory_order_acquire))
    return first;
  std::lock_guard lock(mutex);
  if (std::byte *first = mapped.load(std::memory_order_relaxed))
    return first;
  NNHAL_RETURN_IF_ERROR(check());
  if (!stable)
    return failure("memory that another holder can shorten is not mapped");
  if (byteSize == 0)
    return nullptr;
  uint64_t before = offsetInPage(offsetInFile);
  // Older kernels refuse shared mappings of files that are sealed against
  // writing, even for reading. Such files never differ from a private one.
  int flags = immutable ? MAP_PRIVATE : MAP_SHARED;
  void *page = ::mmap(nullptr, byteSize + before, access, flags, fd(),
                      off_t(offsetInFile - before));
  if (page == MAP_FAILED)
    return failure("cannot map {} bytes at offset {}: {}", byteSize,
                   offsetInFile, errorText(errno));
  std::byte *first = static_cast<std::byte *>(page) + before;
  mapped.store(first, std::memory_order_release);
  return first;
}

Result<std::span<const std::byte>> SharedMemory::mapForReading() const {
  NNHAL_RETURN_IF_ERROR(checkUse(PROT_READ));
  NNHAL_ASSIGN_OR_RETURN(const std::byte *first, map());
  return std::span<const std::byte>(first, byteSize);
}

Result<std::span<std::byte>> SharedMemory::mapForWriting() const {
  NNHAL_RETURN_IF_ERROR(checkUse(PROT_WRITE));
  NNHAL_ASSIGN_OR_RETURN(std::byte * first, map());
  return std::span<std::byte>(first, byteSize);
}

/// Moves \p size bytes with \p transfer(done), which returns what pread() and
/// pwrite() do. The size was checked, but a file can shrink at any time.
template <typename Transfer>
static Status transferAll(const char *what, uint64_t offset, size_t size,
                          Transfer transfer) {
  for (size_t done = 0; done < size;) {
    ssize_t count = transfer(done);
    if (count < 0 && errno == EINTR)
      continue;
    if (count < 0)
      return failure("cannot {} at offset {}: {}", what, offset + done,
                     errorText(errno));
    if (count == 0)
      return failure("the file ends at offset {}, {} bytes are missing",
                     offset + done, size - done);
    done += size_t(count);
  }
  return Status::ok();
}

Status SharedMemory::read(uint64_t offset, std::span<std::byte> target) const {
  NNHAL_RETURN_IF_ERROR(checkUse(PROT_READ));
  NNHAL_RETURN_IF_ERROR(checkRange(offset, target.size()));
  if (!stable) {
    NNHAL_RETURN_IF_ERROR(check());
    uint64_t from = offsetInFile + offset;
    return transferAll("read", from, target.size(), [&](size_t done) {
      return ::pread(fd(), target.data() + done, target.size() - done,
                     off_t(from + done));
    });
  }
  NNHAL_ASSIGN_OR_RETURN(const std::byte *first, map());
  if (target.empty())
    return Status::ok();
  NNHAL_RETURN_IF_ERROR(synchronize(DMA_BUF_SYNC_START | DMA_BUF_SYNC_READ));
  std::memcpy(target.data(), first + offset, target.size());
  return synchronize(DMA_BUF_SYNC_END | DMA_BUF_SYNC_READ);
}

Status SharedMemory::write(uint64_t offset,
                           std::span<const std::byte> source) const {
  NNHAL_RETURN_IF_ERROR(checkUse(PROT_WRITE));
  NNHAL_RETURN_IF_ERROR(checkRange(offset, source.size()));
  if (!stable) {
    NNHAL_RETURN_IF_ERROR(check());
    uint64_t from = offsetInFile + offset;
    return transferAll("write", from, source.size(), [&](size_t done) {
      return ::pwrite(fd(), source.data() + done, source.size() - done,
                      off_t(from + done));
    });
  }
  NNHAL_ASSIGN_OR_RETURN(std::byte * first, map());
  if (source.empty())
    return Status::ok();
  NNHAL_RETURN_IF_ERROR(synchronize(DMA_BUF_SYNC_START | DMA_BUF_SYNC_WRITE));
  std::memcpy(first + offset, source.data(), source.size());
  return synchronize(DMA_BUF_SYNC_END | DMA_BUF_SYNC_WRITE);
}

Status SharedMemory::synchronize(uint64_t flags) const {
  if (!dmaBuf)
    return Status::ok();
  dma_buf_sync request = {flags};
  while (::ioctl(fd(), DMA_BUF_IOCTL_SYNC, &request) != 0)
    if (errno != EINTR && errno != EAGAIN)
      return failure("cannot synchronize a dma-buf: {}", errorText(errno));
  return Status::ok();
}

//===----------------------------------------------------------------------===//
// Access
//===----------------------------------------------------------------------===//

static uint64_t syncFlags(SharedMemory::Access::Mode mode) {
  switch (mode) {
  case SharedMemory::Access::Mode::read:
    return DMA_BUF_SYNC_READ;
  case SharedMemory::Access::Mode::write:
    return DMA_BUF_SYNC_WRITE;
  case SharedMemory::Access::Mode::readWrite:
    break;
  }
  return DMA_BUF_SYNC_RW;
}

Result<SharedMemory::Access>
SharedMemory::Access::begin(std::shared_ptr<const SharedMemory> pool,
                            Mode mode) {
  NNHAL_RETURN_IF_ERROR(
      pool->synchronize(DMA_BUF_SYNC_START | syncFlags(mode)));
  return Access(std::move(pool), mode);
}

SharedMemory::Access &SharedMemory::Access::operator=(Access &&other) noexcept {
  if (this != &other) {
    (void)end();
    pool = std::move(other.pool);
    mode = other.mode;
  }
  return *this;
}

SharedMemory::Access::~Access() { (void)end(); }

Status SharedMemory::Access::end() {
  std::shared_ptr<const SharedMemory> ended = std::move(pool);
  if (!ended)
    return Status::ok();
  return ended->synchronize(DMA_BUF_SYNC_END | syncFlags(mode));
}
