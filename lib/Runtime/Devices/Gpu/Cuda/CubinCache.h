//===- CubinCache.h - Machine code that a driver has made -------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_RUNTIME_DEVICES_GPU_CUDA_CUBINCACHE_H
#define NNHAL_LIB_RUNTIME_DEVICES_GPU_CUDA_CUBINCACHE_H

#include "Engine.h"

#include "Runtime/GpuLoader/GpuDriver.h"

#include <optional>
#include <span>
#include <vector>

namespace nnhal::rt::cuda {

/// The machine code of one module, under digests of the driver with its device,
/// of the PTX and of itself.
class CubinCache final : public DriverCache {
public:
  /// Begins with \p kept, which data() has returned once.
  CubinCache(const DriverIdentity &driver, std::span<const std::byte> kept)
      : driver(driver), sealed(kept.begin(), kept.end()) {}

  /// Returns the machine code that the driver compiled \p ptx to; nothing where
  /// the cache has none, another driver made it, or its bytes are damaged.
  std::optional<std::span<const std::byte>>
  find(std::span<const std::byte> ptx) const;
  void keep(std::span<const std::byte> ptx, std::span<const std::byte> cubin);
  std::vector<std::byte> data() const override { return sealed; }

private:
  DriverIdentity driver;
  std::vector<std::byte> sealed;
};

} // namespace nnhal::rt::cuda

#endif // NNHAL_LIB_RUNTIME_DEVICES_GPU_CUDA_CUBINCACHE_H
