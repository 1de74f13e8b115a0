//===- GpuMemory.h - Buffers of the HAL on a GPU ----------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_RUNTIME_DEVICES_GPU_VULKAN_GPUMEMORY_H
#define NNHAL_LIB_RUNTIME_DEVICES_GPU_VULKAN_GPUMEMORY_H

#include "Execution.h"

#include "nnhal/Backend/DeviceMemory.h"

namespace nnhal::rt::vulkan {

/// Memory of the device behind a buffer of the HAL, which executions use where
/// it is.
class GpuMemory final : public DeviceMemory {
public:
  GpuMemory(EngineRef engine, std::shared_ptr<MemoryBudget> budget)
      : engine(std::move(engine)), budget(std::move(budget)) {}

  Status resize(std::span<const uint32_t> dimensions, uint64_t size) override;
  Status read(std::span<std::byte> target) const override;
  Status write(std::span<const std::byte> source) override;
  /// Null on devices with memory of their own, which the host does not reach.
  std::byte *hostPointer() const override {
    return bytes ? bytes->buffer.hostBytes() : nullptr;
  }

  /// Commands that are recorded for the buffer keep it.
  std::shared_ptr<const CountedBuffer> buffer() const { return bytes; }

private:
  const EngineRef engine;
  std::shared_ptr<MemoryBudget> budget;
  /// Null before the first resize().
  std::shared_ptr<CountedBuffer> bytes;
};

} // namespace nnhal::rt::vulkan

#endif // NNHAL_LIB_RUNTIME_DEVICES_GPU_VULKAN_GPUMEMORY_H
