//===- DeviceSet.h - Several devices as one ---------------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_RUNTIME_DEVICESET_H
#define NNHAL_RUNTIME_DEVICESET_H

#include "nnhal/Runtime/Api.h"
#include "nnhal/Runtime/CompilationCache.h"
#include "nnhal/Runtime/Device.h"
#include "nnhal/Runtime/DeviceServices.h"
#include "nnhal/Runtime/Partition.h"

#include <memory>
#include <string>
#include <vector>

namespace nnhal::rt {

struct DeviceSetOptions {
  std::string name = "auto";
  /// The devices among which models are divided, in the order of Partition.h;
  /// not empty. They outlive the set and everything that it prepares.
  std::vector<const Device *> devices;
  /// The device that steps in for the others, and is one of them; null for
  /// none.
  const Device *fallback = nullptr;
  PartitionMode mode = PartitionMode::withFallback;
  Planner planner = Planner::leastCost;
  /// Steps are prepared through this cache where the preparation states the
  /// content key of the model, which is the application's token then. Nothing
  /// is cached when this is null.
  std::shared_ptr<const CompilationCache> cache;
  /// The log, the tracer and the preparations of the set itself.
  DeviceServices services;
};

/// Makes a device that divides each model among others (decisions 19), so that
/// programs which know one device can use several. Its prepared models are
/// PartitionedModels.
///
/// The set supports an operation that one of its devices supports. Its HAL
/// version is the newest one among its devices, and a performance the best one.
/// Extensions are those of all devices, without those that they describe in two
/// ways (H-013). It writes no cache files and no artifacts of its own:
/// prepareModelFromCache() and prepareModelFromArtifact() fail with
/// generalFailure. Buffers are those of the device that has all of their roles,
/// and allocate() fails with generalFailure for roles on several devices
/// (F-069).
NNHAL_API std::unique_ptr<Device> createDeviceSet(DeviceSetOptions options);

} // namespace nnhal::rt

#endif // NNHAL_RUNTIME_DEVICESET_H
