//===- SharedMemoryAllocators.cpp - New pools from the kernel -------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Errors.h"
#include "nnhal/Runtime/SharedMemory.h"

#include "Ashmem.h"
#include "FileLimit.h"

#include <cerrno>
#include <fcntl.h>
#include <limits>
#include <linux/dma-heap.h>
#include <linux/udmabuf.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <system_error>
#include <unistd.h>

using namespace nnhal::rt;

/// A zeroed memfd of \p size bytes that nobody can resize; errno on failure.
static UniqueFd openSealedMemfd(uint64_t size) {
  UniqueFd fd(::memfd_create("nnhal", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!fd.isValid())
    return fd;
  if (size > uint64_t(std::numeric_limits<off_t>::max())) {
    errno = EFBIG;
    return UniqueFd();
  }
  if (isBeyondFileLimit(size) || ::ftruncate(fd.get(), off_t(size)) != 0 ||
      ::fcntl(fd.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW) != 0) {
    int error = errno;
    fd.reset();
    errno = error;
  }
  return fd;
}

Result<std::shared_ptr<SharedMemory>> SharedMemory::createMemfd(PoolKind kind,
                                                                uint64_t size) {
  UniqueFd fd = openSealedMemfd(size);
  if (!fd.isValid())
    return outOfResources("cannot create a pool of {} bytes: {}", size,
                          std::generic_category().message(errno));
  return std::shared_ptr<SharedMemory>(
      new SharedMemory(kind, Origin::memfd, std::move(fd), size,
                       PROT_READ | PROT_WRITE, /*fileOffset=*/0));
}

// It is not a failure when an allocator is missing, has no memory of its own
// left or gives memory that cannot be mapped: the next one is asked. tryX() say
// so by null.

/// Whether \p memory, fresh from its allocator, is what its users expect.
static bool isUsable(const SharedMemory &memory) {
  return memory.isStable() && memory.mapForWriting().isOk();
}

std::shared_ptr<SharedMemory> SharedMemory::tryAshmem(const char *path,
                                                      uint64_t size) {
  UniqueFd fd = openAshmem(path, size);
  if (!fd.isValid())
    return nullptr;
  std::shared_ptr<SharedMemory> memory(
      new SharedMemory(PoolKind::ashmem, Origin::ashmemDevice, std::move(fd),
                       size, PROT_READ | PROT_WRITE, /*fileOffset=*/0));
  return isUsable(*memory) ? memory : nullptr;
}

std::shared_ptr<SharedMemory> SharedMemory::tryUdmabuf(const char *path,
                                                       uint64_t size) {
  UniqueFd device(::open(path, O_RDWR | O_CLOEXEC));
  if (!device.isValid())
    return nullptr;
  // The device takes whole pages only.
  uint64_t page = uint64_t(::sysconf(_SC_PAGESIZE));
  if (size > std::numeric_limits<uint64_t>::max() - page)
    return nullptr;
  uint64_t rounded = (size + page - 1) / page * page;
  UniqueFd pages = openSealedMemfd(rounded);
  if (!pages.isValid())
    return nullptr;
  udmabuf_create request = {};
  request.memfd = uint32_t(pages.get());
  request.flags = UDMABUF_FLAGS_CLOEXEC;
  request.size = rounded;
  UniqueFd buffer(::ioctl(device.get(), UDMABUF_CREATE, &request));
  if (!buffer.isValid())
    return nullptr;
  std::shared_ptr<SharedMemory> memory(new SharedMemory(
      PoolKind::hardwareBufferBlob, Origin::udmabuf, std::move(buffer), size,
      PROT_READ | PROT_WRITE, /*fileOffset=*/0));
  return isUsable(*memory) ? memory : nullptr;
}

std::shared_ptr<SharedMemory> SharedMemory::tryDmaHeap(const char *path,
                                                       uint64_t size) {
  UniqueFd heap(::open(path, O_RDONLY | O_CLOEXEC));
  if (!heap.isValid())
    return nullptr;
  dma_heap_allocation_data request = {};
  request.len = size;
  request.fd_flags = O_RDWR | O_CLOEXEC;
  if (::ioctl(heap.get(), DMA_HEAP_IOCTL_ALLOC, &request) != 0)
    return nullptr;
  std::shared_ptr<SharedMemory> memory(new SharedMemory(
      PoolKind::hardwareBufferBlob, Origin::dmaHeap, UniqueFd(int(request.fd)),
      size, PROT_READ | PROT_WRITE, /*fileOffset=*/0));
  return isUsable(*memory) ? memory : nullptr;
}

Result<std::shared_ptr<SharedMemory>>
SharedMemory::createAshmem(uint64_t size, const AllocatorPaths &paths) {
  if (size == 0)
    return badData("a pool of kind {} has size 0", toString(PoolKind::ashmem));
  if (auto memory = tryAshmem(paths.ashmem, size))
    return memory;
  return createMemfd(PoolKind::ashmem, size);
}

Result<std::shared_ptr<SharedMemory>>
SharedMemory::createBlob(uint64_t size, const AllocatorPaths &paths) {
  constexpr PoolKind kind = PoolKind::hardwareBufferBlob;
  if (size == 0)
    return badData("a pool of kind {} has size 0", toString(kind));
  if (auto memory = tryUdmabuf(paths.udmabuf, size))
    return memory;
  if (auto memory = tryDmaHeap(paths.dmaHeap, size))
    return memory;
  return createMemfd(kind, size);
}
