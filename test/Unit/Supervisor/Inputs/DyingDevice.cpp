//===- DyingDevice.cpp - A device whose process dies ----------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// test-dying cannot be hosted: its process dies when the device is made.
// test-living can.
//
//===----------------------------------------------------------------------===//

#include "nnhal/Backend/DevicePlugin.h"

#include <csignal>

using namespace nnhal::rt;

namespace {
class TestBackend final : public Backend {
public:
  explicit TestBackend(std::string name) {
    description.name = std::move(name);
    description.version = "1";
    description.capabilities = uniformCapabilities({1, 1});
  }

  const DeviceInfo &info() const override { return description; }

  Result<std::vector<Status>>
  supportedOperations(const AnnotatedModel &model) const override {
    return std::vector<Status>(
        model.model.main.operations.size(),
        Status(StatusCode::invalidArgument, "nothing is supported"));
  }

  Result<std::unique_ptr<LoadedModel>>
  load(const AnnotatedModel &, const PrepareOptions &,
       const LoadObserver &) const override {
    return Status(StatusCode::invalidArgument, "nothing is supported");
  }

private:
  DeviceInfo description;
};
} // namespace

static Result<Backends> create(const DeviceServices &services) {
  // The process that lists devices gives no state directory.
  if (!services.stateDirectory.empty() &&
      services.stateDirectory.ends_with("test-dying"))
    std::raise(SIGSEGV);
  Backends backends;
  backends.push_back(std::make_unique<TestBackend>("test-dying"));
  backends.push_back(std::make_unique<TestBackend>("test-living"));
  return backends;
}

NNHAL_DEVICE_PLUGIN("dying", create)
