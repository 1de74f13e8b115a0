//===- RenamedDevice.cpp - A device under another name --------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RenamedDevice.h"

#include <utility>

using namespace nnhal;
using namespace nnhal::rt;

namespace {
class RenamedDevice final : public Device {
public:
  RenamedDevice(std::unique_ptr<Device> device, std::string name)
      : device(std::move(device)), ownName(std::move(name)) {}

  std::string_view name() const override { return ownName; }
  std::string_view version() const override { return device->version(); }
  DeviceType type() const override { return device->type(); }
  HalVersion halVersion() const override { return device->halVersion(); }
  const std::vector<Extension> &extensions() const override {
    return device->extensions();
  }
  CacheFiles cacheFiles() const override { return device->cacheFiles(); }
  DeviceTraits traits() const override { return device->traits(); }
  const Capabilities &capabilities() const override {
    return device->capabilities();
  }
  DeviceStatus status() const override { return device->status(); }
  Result<std::vector<Status>>
  supportedOperations(const AnnotatedModel &model) const override {
    return device->supportedOperations(model);
  }
  Result<PreparedModelRef>
  prepareModel(const AnnotatedModel &model, const PrepareOptions &options,
               const PrepareObserver &observer) const override {
    return device->prepareModel(model, options, observer);
  }
  Status prepareModelAsync(std::shared_ptr<const AnnotatedModel> model,
                           const PrepareOptions &options,
                           PrepareCallback callback,
                           const PrepareObserver &observer) const override {
    return device->prepareModelAsync(std::move(model), options,
                                     std::move(callback), observer);
  }
  Result<PreparedModelRef>
  prepareModelFromCache(const CacheHandles &handles, const CacheToken &token,
                        const PrepareOptions &options,
                        const PrepareObserver &observer) const override {
    return device->prepareModelFromCache(handles, token, options, observer);
  }
  Result<PreparedModelRef>
  prepareModelFromArtifact(std::span<const std::byte> modelCache,
                           const Memory &dataCache,
                           const PrepareOptions &options) const override {
    return device->prepareModelFromArtifact(modelCache, dataCache, options);
  }
  Result<std::shared_ptr<Buffer>>
  allocate(const BufferDesc &desc, std::span<const PreparedModelRef> models,
           std::span<const BufferRole> inputRoles,
           std::span<const BufferRole> outputRoles) const override {
    return device->allocate(desc, models, inputRoles, outputRoles);
  }

private:
  std::unique_ptr<Device> device;
  std::string ownName;
};
} // namespace

std::unique_ptr<Device> ndk::renameDevice(std::unique_ptr<Device> device,
                                          std::string name) {
  return std::make_unique<RenamedDevice>(std::move(device), std::move(name));
}
