//===- HalDevice.h - The HAL over a backend ---------------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_RUNTIME_CORE_HALDEVICE_H
#define NNHAL_LIB_RUNTIME_CORE_HALDEVICE_H

#include "ManagedBuffer.h"
#include "Runtime/Caching/DeviceCache.h"

#include "nnhal/Backend/Backend.h"

#include <atomic>

namespace nnhal::rt {

/// The state that a device shares with its prepared models and buffers.
///
/// Threads: any.
struct DeviceState {
  DeviceState(std::unique_ptr<Backend> backend, DeviceServices services)
      : services(completeServices(std::move(services))),
        backend(std::move(backend)),
        cache(std::make_shared<DeviceCache>(this->backend, this->services)) {}

  const DeviceServices services;
  /// Shared with compilations in the background.
  const std::shared_ptr<const Backend> backend;
  const std::shared_ptr<DeviceCache> cache;
  BufferTable buffers;
  std::atomic<uint64_t> lastModel = 0;
};

/// See createDevice().
class HalDevice final : public Device {
public:
  HalDevice(std::unique_ptr<Backend> backend, DeviceServices services)
      : state(std::make_shared<DeviceState>(std::move(backend),
                                            std::move(services))) {
    if (state->services.measuredCapabilities)
      measured = state->services.measuredCapabilities(name(), version());
  }

  std::string_view name() const override { return info().name; }
  std::string_view version() const override { return info().version; }
  DeviceType type() const override { return info().type; }
  HalVersion halVersion() const override { return info().halVersion; }
  const std::vector<Extension> &extensions() const override {
    return info().extensions;
  }
  CacheFiles cacheFiles() const override { return info().cacheFiles; }
  DeviceTraits traits() const override { return info().traits; }
  const Capabilities &capabilities() const override {
    return measured ? *measured : info().capabilities;
  }
  DeviceStatus status() const override;

  Result<std::vector<Status>>
  supportedOperations(const AnnotatedModel &model) const override;
  Result<PreparedModelRef>
  prepareModel(const AnnotatedModel &model, const PrepareOptions &options,
               const PrepareObserver &observer) const override;
  Status prepareModelAsync(std::shared_ptr<const AnnotatedModel> model,
                           const PrepareOptions &options,
                           PrepareCallback callback,
                           const PrepareObserver &observer) const override;
  Result<PreparedModelRef>
  prepareModelFromCache(const CacheHandles &handles, const CacheToken &token,
                        const PrepareOptions &options,
                        const PrepareObserver &observer) const override;
  Result<PreparedModelRef>
  prepareModelFromArtifact(std::span<const std::byte> modelCache,
                           const Memory &dataCache,
                           const PrepareOptions &options) const override;
  Result<std::shared_ptr<Buffer>>
  allocate(const BufferDesc &desc, std::span<const PreparedModelRef> models,
           std::span<const BufferRole> inputRoles,
           std::span<const BufferRole> outputRoles) const override;

private:
  const DeviceInfo &info() const { return state->backend->info(); }

  std::shared_ptr<DeviceState> state;
  std::optional<Capabilities> measured;
};

} // namespace nnhal::rt

#endif // NNHAL_LIB_RUNTIME_CORE_HALDEVICE_H
