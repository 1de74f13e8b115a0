//===- Ashmem.cpp - Android's shared memory device ------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Ashmem.h"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/stat.h>

// Debian's kernel headers have no linux/ashmem.h.
#define NNHAL_ASHMEM_SET_SIZE _IOW(0x77, 3, size_t)
#define NNHAL_ASHMEM_GET_SIZE _IO(0x77, 4)

namespace nnhal::rt {

bool isAshmemDevice(int fd) {
  struct stat device, info;
  return ::fstat(fd, &info) == 0 && S_ISCHR(info.st_mode) &&
         ::stat("/dev/ashmem", &device) == 0 && S_ISCHR(device.st_mode) &&
         device.st_rdev == info.st_rdev;
}

uint64_t ashmemSize(int fd) {
  int size = ::ioctl(fd, NNHAL_ASHMEM_GET_SIZE, nullptr);
  return size < 0 ? 0 : uint64_t(size);
}

UniqueFd openAshmem(const char *path, uint64_t size) {
  UniqueFd fd(::open(path, O_RDWR | O_CLOEXEC));
  if (!fd.isValid() || !isAshmemDevice(fd.get()) ||
      ::ioctl(fd.get(), NNHAL_ASHMEM_SET_SIZE, size_t(size)) != 0)
    return UniqueFd();
  return fd;
}

} // namespace nnhal::rt
