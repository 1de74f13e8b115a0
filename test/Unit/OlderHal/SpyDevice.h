//===- SpyDevice.h - Everything that reaches a device -----------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_TEST_UNIT_OLDERHAL_SPYDEVICE_H
#define NNHAL_TEST_UNIT_OLDERHAL_SPYDEVICE_H

#include "nnhal/Runtime/OlderDevice.h"
#include "nnhal/Runtime/ReferenceDevice.h"

#include "../Model/TestModels.h"

#include <optional>
#include <string>
#include <vector>

namespace nnhal::rt::test {

/// The calls that a spy has seen, and how it answers.
struct Seen {
  std::vector<std::string> calls;
  std::optional<Model> model;
  PrepareOptions options;
  std::optional<Request> request;
  /// Answers preparations and executions when it is a failure.
  Status failure;
};

/// A prepared model of nnhal-reference.
class SpyModel final : public PreparedModel {
public:
  SpyModel(std::shared_ptr<Seen> seen, PreparedModelRef model)
      : seen(std::move(seen)), model(std::move(model)) {}

  const Interface &interface() const override { return model->interface(); }
  MemoryUse memoryUse() const override { return {11, 12, 13}; }
  Status execute(const Request &request,
                 ExecutionResult &result) const override {
    see("execute", request);
    if (!seen->failure.isOk())
      return seen->failure;
    return model->execute(request, result);
  }
  Status executeAsync(Request request,
                      ExecutionCallback callback) const override {
    see("executeAsync", request);
    if (!seen->failure.isOk()) {
      callback(seen->failure, {});
      return Status::ok();
    }
    return model->executeAsync(std::move(request), std::move(callback));
  }
  Result<std::shared_ptr<FencedExecution>>
  executeFenced(Request request, std::vector<FenceRef> waitFor,
                std::optional<uint64_t> duration) const override {
    see("executeFenced", request);
    return model->executeFenced(std::move(request), std::move(waitFor),
                                duration);
  }
  Result<std::unique_ptr<BurstContext>>
  configureBurst(std::shared_ptr<BurstCallback> callback,
                 BurstChannels channels) const override {
    seen->calls.push_back("configureBurst");
    return model->configureBurst(std::move(callback), std::move(channels));
  }

private:
  void see(const char *call, const Request &request) const {
    seen->calls.push_back(call);
    seen->request = request;
  }
  std::shared_ptr<Seen> seen;
  PreparedModelRef model;
};

/// nnhal-reference with something of everything that older versions lack.
class SpyDevice final : public Device {
public:
  explicit SpyDevice(std::shared_ptr<Seen> seen)
      : seen(std::move(seen)), device(createReferenceDevice()) {
    performance = uniformCapabilities({0.5f, 0.5f});
    update(performance.operandPerformance, OperandType::TENSOR_FLOAT16,
           {0.25f, 0.25f});
    performance.whilePerformance = {0.125f, 0.125f};
  }

  std::string_view name() const override { return "test-spy"; }
  std::string_view version() const override { return "7"; }
  DeviceType type() const override { return DeviceType::gpu; }
  HalVersion halVersion() const override { return HalVersion::V1_3; }
  const std::vector<Extension> &extensions() const override { return vendor; }
  CacheFiles cacheFiles() const override { return {1, 2}; }
  DeviceTraits traits() const override { return {true, true, false, {}}; }
  const Capabilities &capabilities() const override { return performance; }
  DeviceStatus status() const override { return DeviceStatus::busy; }

  Result<std::vector<Status>>
  supportedOperations(const AnnotatedModel &model) const override {
    see("supportedOperations", model, {});
    if (!seen->failure.isOk())
      return seen->failure;
    return device->supportedOperations(model);
  }
  Result<PreparedModelRef>
  prepareModel(const AnnotatedModel &model, const PrepareOptions &options,
               const PrepareObserver &observer) const override {
    see("prepareModel", model, options);
    return wrap(device->prepareModel(model, {}, observer));
  }
  Status prepareModelAsync(std::shared_ptr<const AnnotatedModel> model,
                           const PrepareOptions &options,
                           PrepareCallback callback,
                           const PrepareObserver &observer) const override {
    if (!model || !callback)
      return device->prepareModelAsync(model, options, callback, observer);
    see("prepareModelAsync", *model, options);
    if (!seen->failure.isOk()) {
      callback(seen->failure);
      return Status::ok();
    }
    return device->prepareModelAsync(
        model, {},
        [this, callback](Result<PreparedModelRef> prepared) {
          callback(wrap(std::move(prepared)));
        },
        observer);
  }
  Result<PreparedModelRef>
  prepareModelFromCache(const CacheHandles &handles, const CacheToken &token,
                        const PrepareOptions &options,
                        const PrepareObserver &observer) const override {
    seen->calls.push_back("prepareModelFromCache");
    return device->prepareModelFromCache(handles, token, options, observer);
  }
  Result<PreparedModelRef>
  prepareModelFromArtifact(std::span<const std::byte> modelCache,
                           const Memory &dataCache,
                           const PrepareOptions &options) const override {
    seen->calls.push_back("prepareModelFromArtifact");
    return device->prepareModelFromArtifact(modelCache, dataCache, options);
  }
  Result<std::shared_ptr<Buffer>>
  allocate(const BufferDesc &desc, std::span<const PreparedModelRef> models,
           std::span<const BufferRole> inputs,
           std::span<const BufferRole> outputs) const override {
    seen->calls.push_back("allocate");
    return device->allocate(desc, models, inputs, outputs);
  }

private:
  void see(const char *call, const AnnotatedModel &model,
           const PrepareOptions &options) const {
    seen->calls.push_back(call);
    seen->model = model.model;
    seen->options = options;
  }
  Result<PreparedModelRef> wrap(Result<PreparedModelRef> prepared) const {
    if (!prepared.isOk())
      return prepared;
    return PreparedModelRef(
        std::make_shared<SpyModel>(seen, *std::move(prepared)));
  }

  std::shared_ptr<Seen> seen;
  std::unique_ptr<Device> device;
  std::vector<Extension> vendor = {{"vendor.test", {}}};
  Capabilities performance;
};

/// A spy that speaks \p version.
inline std::unique_ptr<Device> older(const std::shared_ptr<Seen> &seen,
                                     HalVersion version) {
  return asHalVersion(std::make_unique<SpyDevice>(seen), version);
}

/// addTwice() with an output of unknown extents, as HAL 1.2 has it.
inline AnnotatedModel openOutput() {
  AnnotatedModel model;
  model.model = addTwice();
  model.model.main.operands[4].dimensions = {0};
  return model;
}

} // namespace nnhal::rt::test

#endif // NNHAL_TEST_UNIT_OLDERHAL_SPYDEVICE_H
