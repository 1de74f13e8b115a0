//===- Functions.cpp - Buffers of this process ----------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HardwareBuffer.h"

#include <cerrno>
#include <cstdint>
#include <new>
#include <poll.h>
#include <unistd.h>
#include <utility>

using namespace nnhal::rt;
using namespace nnhal::nativewindow;

namespace {

/// The usages that have a name.
constexpr uint64_t knownUsages =
    AHARDWAREBUFFER_USAGE_CPU_READ_MASK | AHARDWAREBUFFER_USAGE_CPU_WRITE_MASK |
    AHARDWAREBUFFER_USAGE_GPU_SAMPLED_IMAGE |
    AHARDWAREBUFFER_USAGE_GPU_FRAMEBUFFER |
    AHARDWAREBUFFER_USAGE_COMPOSER_OVERLAY |
    AHARDWAREBUFFER_USAGE_PROTECTED_CONTENT |
    AHARDWAREBUFFER_USAGE_VIDEO_ENCODE |
    AHARDWAREBUFFER_USAGE_SENSOR_DIRECT_DATA |
    AHARDWAREBUFFER_USAGE_GPU_DATA_BUFFER | AHARDWAREBUFFER_USAGE_GPU_CUBE_MAP |
    AHARDWAREBUFFER_USAGE_GPU_MIPMAP_COMPLETE |
    AHARDWAREBUFFER_USAGE_FRONT_BUFFER | (uint64_t(0xf) << 28) |
    (uint64_t(0xffff) << 48);

/// Whether allocate() takes \p desc: 0 or a negative errno.
int checkSupport(const AHardwareBuffer_Desc &desc) {
  if (int error = checkDescription(desc))
    return error;
  if (!isBlob(desc) || (desc.usage & ~knownUsages) != 0 ||
      (desc.usage & AHARDWAREBUFFER_USAGE_PROTECTED_CONTENT) != 0)
    return -ENOTSUP;
  return 0;
}

/// The process and a number within it.
uint64_t newId() {
  static std::atomic<uint32_t> last = 0;
  return uint64_t(uint32_t(getpid())) << 32 | ++last;
}

/// Waits until \p fence signals. A fence that hangs up has failed.
int waitFor(const UniqueFd &fence) {
  if (!fence.isValid())
    return 0;
  pollfd poll = {fence.get(), POLLIN, 0};
  while (::poll(&poll, 1, -1) < 0)
    if (errno != EINTR && errno != EAGAIN)
      return -EIO;
  return (poll.revents & POLLIN) != 0 ? 0 : -EIO;
}

bool isInside(const ARect &rect, const AHardwareBuffer_Desc &desc) {
  return rect.left >= 0 && rect.top >= 0 && rect.left <= rect.right &&
         rect.top <= rect.bottom && uint32_t(rect.right) <= desc.width &&
         uint32_t(rect.bottom) <= desc.height;
}

int lockBytes(AHardwareBuffer *buffer, uint64_t usage, int32_t fence,
              const ARect *rect, void *&address) {
  UniqueFd owned(fence);
  constexpr uint64_t processor = AHARDWAREBUFFER_USAGE_CPU_READ_MASK |
                                 AHARDWAREBUFFER_USAGE_CPU_WRITE_MASK;
  if (!buffer || (usage & ~processor) != 0)
    return -EINVAL;
  const AHardwareBuffer_Desc &desc = buffer->description();
  if (desc.layers != 1 || (rect && !isInside(*rect, desc)))
    return -EINVAL;
  if (!isBlob(desc))
    return -ENOTSUP;
  if (int error = waitFor(owned))
    return error;
  return buffer->lock(usage, address);
}

} // namespace

NATIVEWINDOW_API int AHardwareBuffer_allocate(const AHardwareBuffer_Desc *desc,
                                              AHardwareBuffer **outBuffer) {
  if (!outBuffer)
    return -EINVAL;
  *outBuffer = nullptr;
  if (!desc)
    return -EINVAL;
  if (int error = checkSupport(*desc))
    return error;
  Result<std::shared_ptr<SharedMemory>> pool =
      SharedMemory::createBlob(desc->width);
  if (!pool.isOk())
    return -ENOMEM;
  AHardwareBuffer_Desc stated = *desc;
  stated.stride = desc->width;
  *outBuffer =
      new (std::nothrow) AHardwareBuffer(stated, newId(), *std::move(pool));
  return *outBuffer ? 0 : -ENOMEM;
}

NATIVEWINDOW_API void AHardwareBuffer_acquire(AHardwareBuffer *buffer) {
  if (buffer)
    buffer->acquire();
}

NATIVEWINDOW_API void AHardwareBuffer_release(AHardwareBuffer *buffer) {
  if (buffer)
    buffer->release();
}

NATIVEWINDOW_API void AHardwareBuffer_describe(const AHardwareBuffer *buffer,
                                               AHardwareBuffer_Desc *outDesc) {
  if (buffer && outDesc)
    *outDesc = buffer->description();
}

NATIVEWINDOW_API int AHardwareBuffer_lock(AHardwareBuffer *buffer,
                                          uint64_t usage, int32_t fence,
                                          const ARect *rect,
                                          void **outVirtualAddress) {
  void *address = nullptr;
  int error = lockBytes(outVirtualAddress ? buffer : nullptr, usage, fence,
                        rect, address);
  if (outVirtualAddress)
    *outVirtualAddress = address;
  return error;
}

NATIVEWINDOW_API int AHardwareBuffer_lockAndGetInfo(
    AHardwareBuffer *buffer, uint64_t usage, int32_t fence, const ARect *rect,
    void **outVirtualAddress, int32_t *outBytesPerPixel,
    int32_t *outBytesPerStride) {
  int error =
      AHardwareBuffer_lock(buffer, usage, fence, rect, outVirtualAddress);
  uint32_t stride = error == 0 ? buffer->description().stride : 0;
  if (outBytesPerPixel)
    *outBytesPerPixel = error == 0 ? 1 : -1;
  if (outBytesPerStride)
    *outBytesPerStride =
        error == 0 && stride <= INT32_MAX ? int32_t(stride) : -1;
  return error;
}

NATIVEWINDOW_API int
AHardwareBuffer_lockPlanes(AHardwareBuffer *buffer, uint64_t usage,
                           int32_t fence, const ARect *rect,
                           AHardwareBuffer_Planes *outPlanes) {
  void *address = nullptr;
  int error =
      lockBytes(outPlanes ? buffer : nullptr, usage, fence, rect, address);
  if (!outPlanes)
    return error;
  *outPlanes = {};
  if (error == 0) {
    outPlanes->planeCount = 1;
    outPlanes->planes[0] = {address, 1, buffer->description().stride};
  }
  return error;
}

NATIVEWINDOW_API int AHardwareBuffer_unlock(AHardwareBuffer *buffer,
                                            int32_t *fence) {
  if (fence)
    *fence = -1;
  return buffer ? buffer->unlock() : -EINVAL;
}

NATIVEWINDOW_API int
AHardwareBuffer_isSupported(const AHardwareBuffer_Desc *desc) {
  return desc && checkSupport(*desc) == 0 ? 1 : 0;
}

NATIVEWINDOW_API int AHardwareBuffer_getId(const AHardwareBuffer *buffer,
                                           uint64_t *outId) {
  if (!buffer || !outId)
    return -EINVAL;
  *outId = buffer->id();
  return 0;
}

NATIVEWINDOW_API const native_handle_t *
AHardwareBuffer_getNativeHandle(const AHardwareBuffer *buffer) {
  return buffer ? buffer->handle() : nullptr;
}
