//===- GpuBuffer.h - Memory that kernels reach ------------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_RUNTIME_DEVICES_GPU_VULKAN_GPUBUFFER_H
#define NNHAL_LIB_RUNTIME_DEVICES_GPU_VULKAN_GPUBUFFER_H

#include "Engine.h"

#include <cstddef>
#include <span>

namespace nnhal::rt::vulkan {

/// Where a buffer lies.
enum class Place : uint8_t {
  /// Fast for kernels; the host may not reach it.
  device,
  /// The host writes it and kernels read it.
  upload,
  /// Kernels write it and the host reads it.
  readback,
};

/// A buffer with memory of its own, or with imported memory.
///
/// Ownership: move-only.
class GpuBuffer {
public:
  GpuBuffer() = default;

  /// Allocates \p size bytes, at least 1, with unspecified contents. Fails like
  /// toStatus().
  static Result<GpuBuffer> allocate(const EngineRef &engine, uint64_t size,
                                    Place place);
  /// The whole pages of the host around \p mapping, where they begin and end at
  /// multiples of \p alignment, which may be larger. Empty otherwise.
  static std::span<std::byte> pagesOf(std::span<std::byte> mapping,
                                      uint64_t alignment);
  /// Makes a buffer of the host's \p bytes, which begin and end at multiples of
  /// Limits::importAlignment and outlive it. Fails when the driver does not
  /// take them.
  static Result<GpuBuffer> import(const EngineRef &engine,
                                  std::span<std::byte> bytes);

  VkBuffer handle() const { return buffer.get(); }
  uint64_t size() const { return byteSize; }
  /// Where the host finds the bytes, coherent with the device; null when it
  /// does not reach them.
  std::byte *hostBytes() const { return mapped; }

private:
  using OwnedBuffer = Owned<VkBuffer, &Functions::DestroyBuffer>;
  using OwnedMemory = Owned<VkDeviceMemory, &Functions::FreeMemory>;

  Status create(const EngineRef &engine, uint64_t size, bool isImported);
  Status bind(const EngineRef &engine, const VkMemoryAllocateInfo &info);

  uint64_t byteSize = 0;
  // The memory is freed after the buffer.
  OwnedMemory memory;
  OwnedBuffer buffer;
  std::byte *mapped = nullptr;
};

} // namespace nnhal::rt::vulkan

#endif // NNHAL_LIB_RUNTIME_DEVICES_GPU_VULKAN_GPUBUFFER_H
