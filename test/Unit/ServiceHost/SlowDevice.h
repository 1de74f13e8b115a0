//===- SlowDevice.h - A device that a test makes wait -----------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_TEST_UNIT_SERVICEHOST_SLOWDEVICE_H
#define NNHAL_TEST_UNIT_SERVICEHOST_SLOWDEVICE_H

#include "nnhal/Runtime/Compiler.h"
#include "nnhal/Runtime/Device.h"
#include "nnhal/Runtime/PreparedModel.h"

#include <atomic>
#include <chrono>
#include <memory>
#include <thread>

namespace nnhal::service::test {

/// Lets a test steer the devices of a host, and count them.
struct SlowControl {
  std::atomic<bool> isHeld = false;
  std::atomic<int> preparing = 0;
  std::atomic<int> cancelled = 0;
  std::atomic<int> devices = 0;
  /// Preparations give their observer a made-up artifact.
  std::atomic<bool> keepsArtifact = false;
  /// Models are prepared that have no bursts.
  std::atomic<bool> hasNoBursts = false;

  void hold() { isHeld = true; }
  void release() { isHeld = false; }
};

/// Another model, without its bursts.
class BurstlessModel final : public rt::PreparedModel {
public:
  explicit BurstlessModel(rt::PreparedModelRef inner)
      : inner(std::move(inner)) {}

  const rt::Interface &interface() const override { return inner->interface(); }
  rt::Status execute(const rt::Request &request,
                     rt::ExecutionResult &result) const override {
    return inner->execute(request, result);
  }
  rt::Status executeAsync(rt::Request request,
                          rt::ExecutionCallback callback) const override {
    return inner->executeAsync(std::move(request), std::move(callback));
  }
  rt::Result<std::shared_ptr<rt::FencedExecution>>
  executeFenced(rt::Request request, std::vector<rt::FenceRef> waitFor,
                std::optional<uint64_t> durationAfterFence) const override {
    return inner->executeFenced(std::move(request), std::move(waitFor),
                                durationAfterFence);
  }

private:
  const rt::PreparedModelRef inner;
};

/// Another device, whose preparations wait while they are held.
class SlowDevice final : public rt::Device {
public:
  SlowDevice(std::shared_ptr<SlowControl> control,
             std::unique_ptr<rt::Device> inner)
      : control(std::move(control)), inner(std::move(inner)) {
    ++this->control->devices;
  }
  ~SlowDevice() override { --control->devices; }

  std::string_view name() const override { return inner->name(); }
  std::string_view version() const override { return inner->version(); }
  rt::DeviceType type() const override { return inner->type(); }
  rt::HalVersion halVersion() const override { return inner->halVersion(); }
  const std::vector<rt::Extension> &extensions() const override {
    return inner->extensions();
  }
  rt::CacheFiles cacheFiles() const override { return inner->cacheFiles(); }
  rt::DeviceTraits traits() const override { return inner->traits(); }
  const rt::Capabilities &capabilities() const override {
    return inner->capabilities();
  }
  rt::DeviceStatus status() const override { return inner->status(); }

  rt::Result<std::vector<rt::Status>>
  supportedOperations(const rt::AnnotatedModel &model) const override {
    return inner->supportedOperations(model);
  }
  rt::Result<rt::PreparedModelRef>
  prepareModel(const rt::AnnotatedModel &model,
               const rt::PrepareOptions &options,
               const rt::PrepareObserver &observer) const override {
    return inner->prepareModel(model, options, observer);
  }
  rt::Status
  prepareModelAsync(std::shared_ptr<const rt::AnnotatedModel> model,
                    const rt::PrepareOptions &options,
                    rt::PrepareCallback callback,
                    const rt::PrepareObserver &observer) const override;
  rt::Result<rt::PreparedModelRef>
  prepareModelFromCache(const rt::CacheHandles &handles,
                        const rt::CacheToken &token,
                        const rt::PrepareOptions &options,
                        const rt::PrepareObserver &observer) const override {
    return inner->prepareModelFromCache(handles, token, options, observer);
  }
  rt::Result<rt::PreparedModelRef>
  prepareModelFromArtifact(std::span<const std::byte> modelCache,
                           const rt::Memory &dataCache,
                           const rt::PrepareOptions &options) const override {
    return inner->prepareModelFromArtifact(modelCache, dataCache, options);
  }
  rt::Result<std::shared_ptr<rt::Buffer>>
  allocate(const rt::BufferDesc &desc,
           std::span<const rt::PreparedModelRef> models,
           std::span<const rt::BufferRole> inputRoles,
           std::span<const rt::BufferRole> outputRoles) const override {
    return inner->allocate(desc, models, inputRoles, outputRoles);
  }

private:
  const std::shared_ptr<SlowControl> control;
  const std::unique_ptr<rt::Device> inner;
};

inline rt::Status
SlowDevice::prepareModelAsync(std::shared_ptr<const rt::AnnotatedModel> model,
                              const rt::PrepareOptions &options,
                              rt::PrepareCallback callback,
                              const rt::PrepareObserver &observer) const {
  auto ended = [control = control, observer,
                callback](rt::Result<rt::PreparedModelRef> prepared) {
    ++control->preparing;
    while (control->isHeld && !observer.compile.isCancelled())
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    --control->preparing;
    if (observer.compile.isCancelled()) {
      ++control->cancelled;
      return callback(rt::Status(rt::StatusCode::generalFailure, "cancelled"));
    }
    if (control->keepsArtifact && observer.keepArtifact) {
      observer.compile.diagnostic(false, "a remark");
      rt::CompiledModel compiled;
      compiled.modelCache.resize(3, std::byte(7));
      compiled.dataCache =
          rt::Memory::adopt(std::vector<std::byte>(5, std::byte(9)));
      rt::Status kept = observer.keepArtifact(compiled);
      if (!kept.isOk())
        return callback(kept);
      observer.compileEnded(rt::Status::ok());
    }
    if (control->hasNoBursts && prepared.isOk())
      prepared = rt::PreparedModelRef(
          std::make_shared<BurstlessModel>(*std::move(prepared)));
    callback(std::move(prepared));
  };
  return inner->prepareModelAsync(std::move(model), options, std::move(ended),
                                  observer);
}

} // namespace nnhal::service::test

#endif // NNHAL_TEST_UNIT_SERVICEHOST_SLOWDEVICE_H
