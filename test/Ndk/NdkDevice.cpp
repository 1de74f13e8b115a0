//===- NdkDevice.cpp - The NDK library as a device ------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NdkDevice.h"

#include "FeedModel.h"
#include "NdkPreparedModel.h"

#include "Runtime/Artifact/ModelCache.h"
#include "Runtime/Support/Errors.h"
#include "nnhal/Backend/ModelCopy.h"

using namespace nnhal;
using namespace nnhal::test;
using rt::Result;
using rt::Status;

namespace {

class NdkDevice final : public rt::Device {
public:
  NdkDevice(NdkUse use, std::vector<const ANeuralNetworksDevice *> devices)
      : use(std::move(use)), devices(std::move(devices)) {}

  std::string_view name() const override { return "ndk"; }
  std::string_view version() const override { return "1"; }
  rt::DeviceType type() const override { return rt::DeviceType::other; }
  rt::HalVersion halVersion() const override { return rt::HalVersion::V1_3; }
  const std::vector<rt::Extension> &extensions() const override {
    return noExtensions;
  }
  rt::CacheFiles cacheFiles() const override { return {}; }
  rt::DeviceTraits traits() const override { return {}; }
  const rt::Capabilities &capabilities() const override { return uniform; }
  rt::DeviceStatus status() const override {
    return rt::DeviceStatus::available;
  }

  Result<std::vector<Status>>
  supportedOperations(const rt::AnnotatedModel &model) const override;
  Result<rt::PreparedModelRef>
  prepareModel(const rt::AnnotatedModel &model,
               const rt::PrepareOptions &options,
               const rt::PrepareObserver &observer) const override;
  Status prepareModelAsync(std::shared_ptr<const rt::AnnotatedModel> model,
                           const rt::PrepareOptions &options,
                           rt::PrepareCallback callback,
                           const rt::PrepareObserver &observer) const override {
    callback(prepareModel(*model, options, observer));
    return Status::ok();
  }
  Result<rt::PreparedModelRef>
  prepareModelFromCache(const rt::CacheHandles &, const rt::CacheToken &,
                        const rt::PrepareOptions &,
                        const rt::PrepareObserver &) const override {
    return rt::failure("the NDK API has no such function");
  }
  Result<rt::PreparedModelRef>
  prepareModelFromArtifact(std::span<const std::byte>, const rt::Memory &,
                           const rt::PrepareOptions &) const override {
    return rt::failure("the NDK API has no such function");
  }
  Result<std::shared_ptr<rt::Buffer>>
  allocate(const rt::BufferDesc &desc,
           std::span<const rt::PreparedModelRef> models,
           std::span<const rt::BufferRole> inputRoles,
           std::span<const rt::BufferRole> outputRoles) const override {
    return allocateFromDesc(desc, models, inputRoles, outputRoles);
  }

private:
  Result<NdkCompilation> compile(const FedModel &fed,
                                 const rt::AnnotatedModel &model) const;

  NdkUse use;
  std::vector<const ANeuralNetworksDevice *> devices;
  std::vector<rt::Extension> noExtensions;
  rt::Capabilities uniform = rt::uniformCapabilities({1.0f, 1.0f});
};

} // namespace

Result<std::vector<Status>>
NdkDevice::supportedOperations(const rt::AnnotatedModel &model) const {
  rt::Model adopted = model.model;
  NNHAL_RETURN_IF_ERROR(adoptExtensionCodes(adopted));
  NNHAL_ASSIGN_OR_RETURN(FedModel fed, feedModel(adopted));
  size_t count = model.model.main.operations.size();
  std::vector<Status> answers(count);
  if (devices.empty())
    return answers;
  auto supported = std::make_unique<bool[]>(count);
  NNHAL_NDK(ANeuralNetworksModel_getSupportedOperationsForDevices,
            fed.model.get(), devices.data(), uint32_t(devices.size()),
            supported.get());
  for (size_t i = 0; i < count; ++i)
    if (!supported[i])
      answers[i] = rt::badData("operation {} is not supported", i);
  return answers;
}

Result<NdkCompilation>
NdkDevice::compile(const FedModel &fed, const rt::AnnotatedModel &model) const {
  ANeuralNetworksCompilation *made = nullptr;
  if (devices.empty())
    NNHAL_NDK(ANeuralNetworksCompilation_create, fed.model.get(), &made);
  else
    NNHAL_NDK(ANeuralNetworksCompilation_createForDevices, fed.model.get(),
              devices.data(), uint32_t(devices.size()), &made);
  NdkCompilation compilation(made);
  if (!use.cacheFolder.empty()) {
    NNHAL_ASSIGN_OR_RETURN(rt::ContentKey token, rt::contentKeyOf(model, ""));
    NNHAL_NDK(ANeuralNetworksCompilation_setCaching, made,
              use.cacheFolder.c_str(), token.data());
  }
  NNHAL_NDK(ANeuralNetworksCompilation_finish, made);
  return compilation;
}

Result<rt::PreparedModelRef>
NdkDevice::prepareModel(const rt::AnnotatedModel &model,
                        const rt::PrepareOptions &,
                        const rt::PrepareObserver &) const {
  auto kept = std::make_unique<rt::AnnotatedModel>(model);
  NNHAL_ASSIGN_OR_RETURN(kept->model, rt::ownedCopy(model.model));
  NNHAL_RETURN_IF_ERROR(adoptExtensionCodes(kept->model));
  NNHAL_ASSIGN_OR_RETURN(FedModel fed, feedModel(kept->model));
  NNHAL_ASSIGN_OR_RETURN(NdkCompilation compilation, compile(fed, *kept));
  if (use.compiled)
    use.compiled(kept->model);
  if (!use.cacheFolder.empty()) {
    NNHAL_ASSIGN_OR_RETURN(compilation, compile(fed, *kept));
  }
  return NdkPreparedModel::create(use, std::move(kept), std::move(fed),
                                  std::move(compilation),
                                  /*canMeasure=*/devices.size() == 1);
}

Result<std::unique_ptr<rt::Device>> test::createNdkDevice(NdkUse use) {
  std::vector<const ANeuralNetworksDevice *> devices;
  uint32_t count = 0;
  NNHAL_NDK(ANeuralNetworks_getDeviceCount, &count);
  for (const std::string &wanted : use.devices) {
    size_t before = devices.size();
    for (uint32_t i = 0; i < count; ++i) {
      ANeuralNetworksDevice *device = nullptr;
      const char *name = nullptr;
      NNHAL_NDK(ANeuralNetworks_getDevice, i, &device);
      NNHAL_NDK(ANeuralNetworksDevice_getName, device, &name);
      if (wanted == name)
        devices.push_back(device);
    }
    if (devices.size() == before)
      return rt::badData("the library has no device '{}'", wanted);
  }
  return std::unique_ptr<rt::Device>(
      std::make_unique<NdkDevice>(std::move(use), std::move(devices)));
}
