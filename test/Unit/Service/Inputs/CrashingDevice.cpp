//===- CrashingDevice.cpp - A plug-in whose executions crash --------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The device test-crashing is nnhal-reference, but for its executions, which
// write to an address that is not there.
//
//===----------------------------------------------------------------------===//

#include "nnhal/Backend/Backend.h"
#include "nnhal/Backend/DevicePlugin.h"
#include "nnhal/Runtime/ReferenceDevice.h"

using namespace nnhal::rt;

namespace {
class CrashingModel final : public LoadedModel {
public:
  explicit CrashingModel(std::unique_ptr<LoadedModel> model)
      : model(std::move(model)) {}
  const Interface &interface() const override { return model->interface(); }
  Status run(Invocation &) const override {
    volatile int *nowhere = nullptr;
    *nowhere = 1;
    return Status(StatusCode::generalFailure, "the device has not crashed");
  }

private:
  std::unique_ptr<LoadedModel> model;
};

class CrashingBackend final : public Backend {
public:
  explicit CrashingBackend(const DeviceServices &services) {
    ReferenceDeviceOptions options;
    options.services = services;
    reference = createReferenceBackend(options);
    description = reference->info();
    description.name = "test-crashing";
  }
  const DeviceInfo &info() const override { return description; }
  Result<std::vector<Status>>
  supportedOperations(const AnnotatedModel &model) const override {
    return reference->supportedOperations(model);
  }
  Result<std::unique_ptr<LoadedModel>>
  load(const AnnotatedModel &model, const PrepareOptions &options,
       const LoadObserver &observer) const override {
    NNHAL_ASSIGN_OR_RETURN(std::unique_ptr<LoadedModel> loaded,
                           reference->load(model, options, observer));
    return Result<std::unique_ptr<LoadedModel>>(
        std::make_unique<CrashingModel>(std::move(loaded)));
  }

private:
  std::unique_ptr<Backend> reference;
  DeviceInfo description;
};
} // namespace

static Result<Backends> createBackends(const DeviceServices &services) {
  Backends backends;
  backends.push_back(std::make_unique<CrashingBackend>(services));
  return backends;
}

NNHAL_DEVICE_PLUGIN("crashing", createBackends)
