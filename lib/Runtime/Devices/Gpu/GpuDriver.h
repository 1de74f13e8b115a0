//===- GpuDriver.h - One way to execute on a GPU ----------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_RUNTIME_DEVICES_GPU_GPUDRIVER_H
#define NNHAL_LIB_RUNTIME_DEVICES_GPU_GPUDRIVER_H

#include "Runtime/Artifact/ModelCache.h"
#include "nnhal/Backend/Backend.h"
#include "nnhal/Backend/DeviceMemory.h"

#include <memory>
#include <span>
#include <string_view>
#include <vector>

namespace nnhal::rt {

/// The machine code that a driver compiles the kernels of a model to, kept for
/// the next preparation. Nothing depends on it but time: code that cannot be
/// used is left out.
class DriverCache {
public:
  virtual ~DriverCache() = default;
  /// The machine code so far; nothing where the driver does not hand it out.
  virtual std::vector<std::byte> data() const = 0;
};

/// The calls that the backend of a GPU makes of CUDA or Vulkan.
///
/// Threads: every member may be called from any thread.
class GpuDriver {
public:
  virtual ~GpuDriver() = default;

  /// The name of the device that executes through it.
  virtual std::string_view deviceName() const = 0;
  /// The compiler's name of what it executes.
  virtual std::string_view targetName() const = 0;
  /// The kind of the code sections that it executes.
  virtual TargetKind targetKind() const = 0;
  /// The compiler's name for devices of this kind, by which it divides kernels.
  /// Any device executes those of any class.
  virtual std::string_view deviceClass() const = 0;
  /// A cache that begins with \p kept, which DriverCache::data() has returned
  /// once; with nothing where that is of another driver or damaged.
  virtual std::unique_ptr<DriverCache>
  createCache(std::span<const std::byte> kept) const = 0;
  /// See Device::prepareModelFromArtifact(). \p modelCacheSize is what
  /// \p artifact was read from, \p constants are its own (selectTarget()).
  /// \p cache is one of createCache(), or null.
  virtual Result<std::unique_ptr<LoadedModel>>
  load(Artifact artifact, uint64_t modelCacheSize,
       std::span<const std::byte> constants, DriverCache *cache) const = 0;
  /// Memory that executions use where it is.
  virtual std::unique_ptr<DeviceMemory>
  allocate(std::shared_ptr<MemoryBudget> budget) const = 0;
};

} // namespace nnhal::rt

#endif // NNHAL_LIB_RUNTIME_DEVICES_GPU_GPUDRIVER_H
