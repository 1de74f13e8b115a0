//===- CudaBuffer.h - Memory of a device, and beside it ---------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_RUNTIME_DEVICES_GPU_CUDA_CUDABUFFER_H
#define NNHAL_LIB_RUNTIME_DEVICES_GPU_CUDA_CUDABUFFER_H

#include "Engine.h"

#include "nnhal/Runtime/MemoryBudget.h"

#include <span>

namespace nnhal::rt::cuda {

/// Memory of the device, which the host does not reach.
///
/// Ownership: move-only.
class DeviceBuffer {
public:
  DeviceBuffer() = default;
  /// Allocates \p size bytes with unspecified contents, which count against
  /// \p budget unless that is null.
  static Result<DeviceBuffer> allocate(const EngineRef &engine, uint64_t size,
                                       MemoryBudget *budget);

  CUdeviceptr address() const { return memory.get(); }
  uint64_t size() const { return byteSize; }

private:
  uint64_t byteSize = 0;
  MemoryBudget::Reservation reservation;
  Owned<CUdeviceptr, &Functions::MemFree> memory;
};

/// Memory of the host that the device copies from and to by itself.
///
/// Ownership: move-only.
class PinnedBuffer {
public:
  PinnedBuffer() = default;
  /// See DeviceBuffer::allocate().
  static Result<PinnedBuffer> allocate(const EngineRef &engine, uint64_t size,
                                       MemoryBudget *budget);

  std::span<std::byte> bytes() const {
    return {static_cast<std::byte *>(memory.get()), byteSize};
  }

private:
  uint64_t byteSize = 0;
  MemoryBudget::Reservation reservation;
  Owned<void *, &Functions::MemFreeHost> memory;
};

/// Copy the bytes and wait for it. The buffer has as many.
Status upload(const EngineRef &engine, std::span<const std::byte> bytes,
              const DeviceBuffer &target);
Status download(const EngineRef &engine, const DeviceBuffer &source,
                std::span<std::byte> bytes);

} // namespace nnhal::rt::cuda

#endif // NNHAL_LIB_RUNTIME_DEVICES_GPU_CUDA_CUDABUFFER_H
