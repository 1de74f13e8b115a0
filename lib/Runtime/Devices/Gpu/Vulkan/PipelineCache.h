//===- PipelineCache.h - What a driver has compiled -------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_RUNTIME_DEVICES_GPU_VULKAN_PIPELINECACHE_H
#define NNHAL_LIB_RUNTIME_DEVICES_GPU_VULKAN_PIPELINECACHE_H

#include "Engine.h"

#include <cstddef>
#include <span>
#include <vector>

namespace nnhal::rt::vulkan {

/// Puts \p data of a driver under a digest, together with the identity of that
/// driver and its device. No data give no bytes.
std::vector<std::byte> sealPipelineData(const DriverIdentity &driver,
                                        std::span<const std::byte> data);

/// Returns the data that sealPipelineData() has put into \p bytes. Fails with
/// invalidArgument where the bytes are damaged and with deviceUnavailable where
/// they are those of a driver or device other than \p driver. Total: any bytes
/// are answered.
Result<std::span<const std::byte>>
openPipelineData(const DriverIdentity &driver,
                 std::span<const std::byte> bytes);

/// A VkPipelineCache. Nothing depends on it but time: what cannot be used is
/// left out, and nobody has to look whether there is a cache.
///
/// Ownership: move-only.
class PipelineCache {
public:
  PipelineCache() = default;
  /// Makes a cache that begins with \p kept, which data() has returned; with
  /// nothing where that is of another driver, damaged, or not what the driver
  /// wants.
  static PipelineCache create(const EngineRef &engine,
                              std::span<const std::byte> kept = {});

  /// Null where the driver makes no cache.
  VkPipelineCache handle() const { return cache.get(); }
  /// Whether the cache began with what was kept.
  bool isWarm() const { return warm; }
  /// The code that the driver has compiled so far, for create(); nothing where
  /// it does not tell.
  std::vector<std::byte> data() const;

private:
  bool make(const EngineRef &engine, std::span<const std::byte> data);

  EngineRef engine;
  Owned<VkPipelineCache, &Functions::DestroyPipelineCache> cache;
  bool warm = false;
};

} // namespace nnhal::rt::vulkan

#endif // NNHAL_LIB_RUNTIME_DEVICES_GPU_VULKAN_PIPELINECACHE_H
