//===- MemoryPlugin.cpp - A device without memory of its own --------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The device computes like nnhal-reference and is faster than every other one.
// It allocates nothing, and leaves the kind of the pool that an execution has
// brought in NNHAL_TEST_POOL_KIND. NNHAL_TEST_HAL is the version of the device.
//
//===----------------------------------------------------------------------===//

#include "nnhal/Backend/Backend.h"
#include "nnhal/Backend/DevicePlugin.h"
#include "nnhal/Runtime/ReferenceDevice.h"
#include "nnhal/Runtime/SharedMemory.h"

#include <cstdlib>
#include <string>

using namespace nnhal::rt;

namespace {

class MemoryBackend final : public Backend {
public:
  explicit MemoryBackend(const DeviceServices &services) {
    ReferenceDeviceOptions options;
    options.services = services;
    reference = createReferenceBackend(options);
    description = reference->info();
    description.name = "test-memory";
    description.cacheFiles = {};
    description.capabilities = uniformCapabilities({0.001f, 0.001f});
    if (const char *version = std::getenv("NNHAL_TEST_HAL"))
      description.halVersion =
          parseHalVersion(version).value_or(HalVersion::V1_3);
  }

  const DeviceInfo &info() const override { return description; }

  Result<std::vector<Status>>
  supportedOperations(const AnnotatedModel &model) const override {
    return reference->supportedOperations(model);
  }

  Result<std::unique_ptr<LoadedModel>>
  load(const AnnotatedModel &model, const PrepareOptions &options,
       const LoadObserver &observer) const override {
    return reference->load(model, options, observer);
  }

  Result<std::unique_ptr<DeviceMemory>>
  allocate(const DeviceMemoryRequest &) const override {
    return Status(StatusCode::generalFailure, "it has no memory of its own");
  }

  bool importsPool(const SharedMemory &pool) const override {
    setenv("NNHAL_TEST_POOL_KIND", std::string(toString(pool.kind())).c_str(),
           /*replace=*/1);
    return false;
  }

private:
  std::unique_ptr<Backend> reference;
  DeviceInfo description;
};

} // namespace

static Result<Backends> createBackends(const DeviceServices &services) {
  Backends backends;
  backends.push_back(std::make_unique<MemoryBackend>(services));
  return backends;
}

NNHAL_DEVICE_PLUGIN("memory", createBackends)
