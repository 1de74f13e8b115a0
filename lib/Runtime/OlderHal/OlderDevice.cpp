//===- OlderDevice.cpp - Devices of HAL 1.0, 1.1 and 1.2 ------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "nnhal/Runtime/OlderDevice.h"
#include "OlderModel.h"
#include "Runtime/Support/Errors.h"
#include "nnhal/Runtime/Compliance.h"
#include "nnhal/Runtime/Validate.h"

using namespace nnhal::rt;

namespace {

Capabilities statedIn(const Capabilities &capabilities, HalVersion version) {
  if (version == HalVersion::V1_0)
    return toCapabilities(toCapabilities10(capabilities));
  if (version == HalVersion::V1_1)
    return toCapabilities(toCapabilities11(capabilities));
  return toCapabilities(toCapabilities12(capabilities));
}

class OlderDevice final : public Device {
public:
  OlderDevice(std::unique_ptr<Device> newer, HalVersion version,
              std::shared_ptr<Reactor> reactor)
      : device(std::move(newer)),
        state(std::make_shared<OlderState>(version, std::move(reactor))),
        performance(statedIn(device->capabilities(), version)) {}

  std::string_view name() const override { return device->name(); }
  std::string_view version() const override {
    return is12() ? device->version() : "UNKNOWN";
  }
  DeviceType type() const override {
    return is12() ? device->type() : DeviceType::unknown;
  }
  HalVersion halVersion() const override { return state->version; }
  const std::vector<Extension> &extensions() const override {
    return is12() ? device->extensions() : none;
  }
  CacheFiles cacheFiles() const override {
    return is12() ? device->cacheFiles() : CacheFiles();
  }
  DeviceTraits traits() const override { return device->traits(); }
  const Capabilities &capabilities() const override { return performance; }
  DeviceStatus status() const override { return device->status(); }

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
  allocate(const BufferDesc &, std::span<const PreparedModelRef>,
           std::span<const BufferRole>,
           std::span<const BufferRole>) const override {
    return failure("HAL {} has no memory of devices", toString(state->version));
  }

private:
  bool is12() const { return state->version >= HalVersion::V1_2; }
  PrepareOptions convert(const PrepareOptions &options) const;
  /// The model as the version states it, for a preparation.
  Result<std::shared_ptr<const AnnotatedModel>>
  convert(const AnnotatedModel &model) const;

  const std::unique_ptr<Device> device;
  const std::shared_ptr<OlderState> state;
  const Capabilities performance;
  const std::vector<Extension> none;
};

/// A prepared model of the newer device as one of the older.
Result<PreparedModelRef> wrap(const std::shared_ptr<OlderState> &state,
                              Result<PreparedModelRef> prepared) {
  if (!prepared.isOk())
    return state->convert(prepared.status());
  return PreparedModelRef(
      std::make_shared<OlderModel>(state, *std::move(prepared)));
}

} // namespace

PrepareOptions OlderDevice::convert(const PrepareOptions &options) const {
  PrepareOptions converted = options;
  converted.priority = Priority::medium;
  converted.deadline = noDeadline;
  if (state->version == HalVersion::V1_0)
    converted.preference = ExecutionPreference::fastSingleAnswer;
  if (!is12()) {
    converted.cache = {};
    converted.token = {};
    converted.contentKey = {};
  }
  return converted;
}

Result<std::shared_ptr<const AnnotatedModel>>
OlderDevice::convert(const AnnotatedModel &source) const {
  NNHAL_RETURN_IF_ERROR(validateModel(source.model, source.model.halVersion));
  auto converted = std::make_shared<AnnotatedModel>();
  auto model = convertTo(source.model, state->version);
  if (!model.isOk())
    return Status(StatusCode::generalFailure, model.status().message());
  converted->model = *std::move(model);
  converted->inputNames = source.inputNames;
  converted->outputNames = source.outputNames;
  converted->statePairs = source.statePairs;
  return std::shared_ptr<const AnnotatedModel>(std::move(converted));
}

Result<std::vector<Status>>
OlderDevice::supportedOperations(const AnnotatedModel &model) const {
  AnnotatedModel converted;
  NNHAL_ASSIGN_OR_RETURN(converted.model,
                         convertTo(model.model, state->version));
  converted.inputNames = model.inputNames;
  converted.outputNames = model.outputNames;
  auto answers = device->supportedOperations(converted);
  if (!answers.isOk())
    return state->convert(answers.status());
  return answers;
}

Result<PreparedModelRef>
OlderDevice::prepareModel(const AnnotatedModel &model,
                          const PrepareOptions &options,
                          const PrepareObserver &observer) const {
  NNHAL_ASSIGN_OR_RETURN(std::shared_ptr<const AnnotatedModel> converted,
                         convert(model));
  auto prepared = await<Result<PreparedModelRef>>([&](auto done) {
    return device->prepareModelAsync(converted, convert(options), done,
                                     observer);
  });
  return wrap(state,
              prepared.isOk() ? *std::move(prepared) : prepared.status());
}

Status OlderDevice::prepareModelAsync(
    std::shared_ptr<const AnnotatedModel> model, const PrepareOptions &options,
    PrepareCallback callback, const PrepareObserver &observer) const {
  if (!callback || !model)
    return device->prepareModelAsync(std::move(model), options, nullptr);
  auto converted = convert(*model);
  if (!converted.isOk()) {
    callback(converted.status());
    return converted.status();
  }
  // The callback may destroy this device before the call returns.
  std::shared_ptr<OlderState> keep = state;
  return keep->convert(device->prepareModelAsync(
      *std::move(converted), convert(options),
      [keep,
       callback = std::move(callback)](Result<PreparedModelRef> prepared) {
        callback(wrap(keep, std::move(prepared)));
      },
      observer));
}

Result<PreparedModelRef> OlderDevice::prepareModelFromCache(
    const CacheHandles &handles, const CacheToken &token,
    const PrepareOptions &options, const PrepareObserver &observer) const {
  if (!is12())
    return failure("HAL {} has no compilation caching",
                   toString(state->version));
  return wrap(state, device->prepareModelFromCache(handles, token,
                                                   convert(options), observer));
}

Result<PreparedModelRef>
OlderDevice::prepareModelFromArtifact(std::span<const std::byte> modelCache,
                                      const Memory &dataCache,
                                      const PrepareOptions &options) const {
  return wrap(state, device->prepareModelFromArtifact(modelCache, dataCache,
                                                      convert(options)));
}

std::unique_ptr<Device>
nnhal::rt::asHalVersion(std::unique_ptr<Device> device, HalVersion version,
                        std::shared_ptr<Reactor> reactor) {
  if (!device || device->halVersion() < version || version == HalVersion::V1_3)
    return device;
  return std::make_unique<OlderDevice>(std::move(device), version,
                                       std::move(reactor));
}
