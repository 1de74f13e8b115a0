//===- FakeKernel.cpp - Allocators of dma-bufs that are not there ---------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FakeKernel.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <cstdarg>
#include <fcntl.h>
#include <linux/dma-buf.h>
#include <linux/dma-heap.h>
#include <linux/magic.h>
#include <linux/udmabuf.h>
#include <map>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

// The names are the linker's (--wrap).
// NOLINTBEGIN(bugprone-reserved-identifier, readability-identifier-naming)
extern "C" {
int __real_fstat(int fd, struct stat *info);
int __real_fstatfs(int fd, struct statfs *info);
int __real_ioctl(int fd, unsigned long request, void *argument);
ssize_t __real_pread(int fd, void *bytes, size_t size, off_t offset);
ssize_t __real_pwrite(int fd, const void *bytes, size_t size, off_t offset);
}

using namespace nnhal::rt::testing;

namespace {

FakeKernel *kernel = nullptr;
using FileNumber = std::pair<dev_t, ino_t>;
/// The bytes of each buffer as devices see them, by the number of its file.
std::map<FileNumber, std::vector<char>> buffers;

FileNumber numberOf(const struct stat &info) {
  return {info.st_dev, info.st_ino};
}

FileNumber numberOf(int fd) {
  struct stat info;
  return __real_fstat(fd, &info) == 0 ? numberOf(info) : FileNumber();
}

std::vector<char> *find(int fd) {
  auto found = buffers.find(numberOf(fd));
  return found == buffers.end() ? nullptr : &found->second;
}

bool isFileOf(int fd, const char *path) {
  struct stat info;
  return ::stat(path, &info) == 0 && numberOf(info) == numberOf(fd);
}

int fail(int error) {
  errno = error;
  return -1;
}

/// A memfd without seals: that nobody shortens it is known of dma-bufs alone.
int createBuffer(uint64_t size) {
  int fd = ::memfd_create("fake-dmabuf", MFD_CLOEXEC);
  if (fd < 0 || ::ftruncate(fd, off_t(size)) != 0)
    return -1;
  buffers[numberOf(fd)] = std::vector<char>(size);
  return fd;
}

/// UDMABUF_CREATE wants whole pages of a memfd that nobody can shorten.
int createFromPages(const udmabuf_create &request) {
  kernel->udmabufSizes.push_back(request.size);
  if (kernel->udmabufError != 0)
    return fail(kernel->udmabufError);
  uint64_t page = uint64_t(::sysconf(_SC_PAGESIZE));
  int seals = ::fcntl(int(request.memfd), F_GET_SEALS);
  if (request.size % page != 0 || request.offset % page != 0 || seals < 0 ||
      (seals & F_SEAL_SHRINK) == 0 || (seals & F_SEAL_WRITE) != 0)
    return fail(EINVAL);
  return createBuffer(request.size);
}

int allocateFromHeap(dma_heap_allocation_data &request) {
  kernel->dmaHeapSizes.push_back(request.len);
  if (kernel->dmaHeapError != 0)
    return fail(kernel->dmaHeapError);
  uint64_t page = uint64_t(::sysconf(_SC_PAGESIZE));
  int fd = createBuffer((request.len + page - 1) / page * page);
  if (fd < 0)
    return -1;
  request.fd = uint32_t(fd);
  return 0;
}

int synchronize(int fd, std::vector<char> &device, uint64_t flags) {
  if (!kernel->syncErrors.empty()) {
    int error = kernel->syncErrors.front();
    kernel->syncErrors.pop_front();
    if (error != 0)
      return fail(error);
  }
  if ((flags & ~uint64_t(DMA_BUF_SYNC_VALID_FLAGS_MASK)) != 0)
    return fail(EINVAL);
  kernel->syncs.push_back(flags);
  ssize_t size = ssize_t(device.size());
  bool isEnd = (flags & DMA_BUF_SYNC_END) != 0;
  if (!isEnd && (flags & DMA_BUF_SYNC_READ) != 0)
    EXPECT_EQ(__real_pwrite(fd, device.data(), device.size(), 0), size);
  if (isEnd && (flags & DMA_BUF_SYNC_WRITE) != 0)
    EXPECT_EQ(__real_pread(fd, device.data(), device.size(), 0), size);
  return 0;
}

std::string createTemporaryFile() {
  std::string path = ::testing::TempDir() + "nnhal-kernel-XXXXXX";
  int fd = ::mkstemp(path.data());
  EXPECT_GE(fd, 0);
  ::close(fd);
  return path;
}

} // namespace

extern "C" {

int __wrap_fstat(int fd, struct stat *info) {
  int result = __real_fstat(fd, info);
  if (result == 0 && kernel && buffers.contains(numberOf(*info))) {
    info->st_mode &= ~mode_t(S_IFMT);
    info->st_size = 0;
  }
  return result;
}

int __wrap_fstatfs(int fd, struct statfs *info) {
  int result = __real_fstatfs(fd, info);
  if (result == 0 && kernel && find(fd))
    info->f_type = DMA_BUF_MAGIC;
  return result;
}

int __wrap_ioctl(int fd, unsigned long request, ...) {
  va_list arguments;
  va_start(arguments, request);
  void *argument = va_arg(arguments, void *);
  va_end(arguments);
  if (kernel) {
    if (request == UDMABUF_CREATE && isFileOf(fd, kernel->udmabuf()))
      return createFromPages(*static_cast<udmabuf_create *>(argument));
    if (request == DMA_HEAP_IOCTL_ALLOC && isFileOf(fd, kernel->dmaHeap()))
      return allocateFromHeap(
          *static_cast<dma_heap_allocation_data *>(argument));
    if (std::vector<char> *device = find(fd);
        device && request == DMA_BUF_IOCTL_SYNC)
      return synchronize(fd, *device,
                         static_cast<dma_buf_sync *>(argument)->flags);
  }
  return __real_ioctl(fd, request, argument);
}

ssize_t __wrap_pread(int fd, void *bytes, size_t size, off_t offset) {
  return kernel && find(fd) ? fail(EINVAL)
                            : __real_pread(fd, bytes, size, offset);
}

ssize_t __wrap_pwrite(int fd, const void *bytes, size_t size, off_t offset) {
  return kernel && find(fd) ? fail(EINVAL)
                            : __real_pwrite(fd, bytes, size, offset);
}

} // extern "C"
// NOLINTEND(bugprone-reserved-identifier, readability-identifier-naming)

FakeKernel::FakeKernel()
    : udmabufPath(createTemporaryFile()), dmaHeapPath(createTemporaryFile()) {
  kernel = this;
}

FakeKernel::~FakeKernel() {
  kernel = nullptr;
  buffers.clear();
  ::unlink(udmabufPath.c_str());
  ::unlink(dmaHeapPath.c_str());
}

std::string FakeKernel::deviceText(int fd, size_t offset, size_t size) const {
  std::vector<char> *device = find(fd);
  if (!device || device->size() < offset + size)
    return "not in a buffer";
  return std::string(device->data() + offset, size);
}

void FakeKernel::writeOnDevice(int fd, size_t offset, const std::string &text) {
  std::vector<char> *device = find(fd);
  ASSERT_NE(device, nullptr);
  ASSERT_LE(offset + text.size(), device->size());
  std::copy(text.begin(), text.end(), device->begin() + ptrdiff_t(offset));
}
