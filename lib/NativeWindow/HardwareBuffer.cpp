//===- HardwareBuffer.cpp - The buffer behind the C functions -------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HardwareBuffer.h"

#include <cerrno>
#include <new>
#include <utility>

using namespace nnhal::rt;

AHardwareBuffer::AHardwareBuffer(const AHardwareBuffer_Desc &desc, uint64_t id,
                                 std::shared_ptr<SharedMemory> memory)
    : desc(desc), number(id), pool(std::move(memory)) {
  auto *handle = new (handleBytes) native_handle_t();
  handle->version = int(sizeof(native_handle_t));
  handle->numFds = 1;
  handle->data[0] = pool->fd();
}

const native_handle_t *AHardwareBuffer::handle() const {
  return std::launder(reinterpret_cast<const native_handle_t *>(handleBytes));
}

void AHardwareBuffer::acquire() {
  references.fetch_add(1, std::memory_order_relaxed);
}

void AHardwareBuffer::release() {
  if (references.fetch_sub(1, std::memory_order_acq_rel) == 1)
    delete this;
}

int AHardwareBuffer::lock(uint64_t usage, void *&address) {
  using Mode = SharedMemory::Access::Mode;
  bool reads = (usage & AHARDWAREBUFFER_USAGE_CPU_READ_MASK) != 0;
  bool writes = (usage & AHARDWAREBUFFER_USAGE_CPU_WRITE_MASK) != 0;
  void *first = nullptr;
  if (writes) {
    Result<std::span<std::byte>> bytes = pool->mapForWriting();
    if (!bytes.isOk())
      return bytes.status().code() == StatusCode::invalidArgument ? -EACCES
                                                                  : -EIO;
    first = bytes->data();
  } else {
    Result<std::span<const std::byte>> bytes = pool->mapForReading();
    if (!bytes.isOk())
      return -EIO;
    first = const_cast<std::byte *>(bytes->data());
  }
  Mode mode = !writes ? Mode::read : reads ? Mode::readWrite : Mode::write;
  Result<SharedMemory::Access> access = SharedMemory::Access::begin(pool, mode);
  if (!access.isOk())
    return -EIO;
  std::lock_guard guard(mutex);
  accesses.push_back(*std::move(access));
  address = first;
  return 0;
}

int AHardwareBuffer::unlock() {
  std::lock_guard guard(mutex);
  if (accesses.empty())
    return -EINVAL;
  Status status = accesses.back().end();
  accesses.pop_back();
  return status.isOk() ? 0 : -EIO;
}

int nnhal::nativewindow::checkDescription(const AHardwareBuffer_Desc &desc) {
  if (desc.width == 0 || desc.height == 0 || desc.layers == 0 ||
      desc.rfu0 != 0 || desc.rfu1 != 0)
    return -EINVAL;
  constexpr uint64_t images = AHARDWAREBUFFER_USAGE_GPU_SAMPLED_IMAGE |
                              AHARDWAREBUFFER_USAGE_GPU_FRAMEBUFFER |
                              AHARDWAREBUFFER_USAGE_GPU_CUBE_MAP |
                              AHARDWAREBUFFER_USAGE_GPU_MIPMAP_COMPLETE |
                              AHARDWAREBUFFER_USAGE_COMPOSER_OVERLAY;
  constexpr uint64_t bytes = AHARDWAREBUFFER_USAGE_SENSOR_DIRECT_DATA |
                             AHARDWAREBUFFER_USAGE_GPU_DATA_BUFFER;
  if (isBlob(desc))
    return desc.height != 1 || desc.layers != 1 || (desc.usage & images) != 0
               ? -EINVAL
               : 0;
  return (desc.usage & bytes) != 0 ? -EINVAL : 0;
}
