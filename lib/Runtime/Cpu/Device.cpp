//===- Device.cpp - The device nnhal-cpu ----------------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "nnhal/Runtime/CpuDevice.h"

#include "CpuPreparedModel.h"

#include "nnhal/Runtime/CpuSupport.h"
#include "nnhal/Runtime/Validate.h"

#include <new>

using namespace nnhal::rt;

namespace {
class CpuDevice final : public Device {
public:
  explicit CpuDevice(CpuDeviceOptions given) : options(std::move(given)) {
    if (!options.clock)
      options.clock = steadyNow;
  }

  std::string_view name() const override { return "nnhal-cpu"; }
  std::string_view version() const override { return NNHAL_VERSION; }
  DeviceType type() const override { return DeviceType::cpu; }
  HalVersion halVersion() const override { return HalVersion::V1_3; }

  Result<std::vector<Status>>
  supportedOperations(const AnnotatedModel &annotated) const override {
    const Model &model = annotated.model;
    NNHAL_RETURN_IF_ERROR(validateModel(model, model.halVersion));
    std::vector<Status> answers;
    answers.reserve(model.main.operations.size());
    for (const Operation &operation : model.main.operations)
      answers.push_back(checkCpuSupport(model, model.main, operation));
    return answers;
  }

  Result<std::shared_ptr<PreparedModel>>
  prepareModel(const AnnotatedModel &model,
               const PrepareOptions &prepare) const override {
    NNHAL_RETURN_IF_ERROR(validateModel(model.model, model.model.halVersion));
    NNHAL_ASSIGN_OR_RETURN(std::shared_ptr<const Compiler> compiler,
                           options.compiler->get());
    NNHAL_ASSIGN_OR_RETURN(
        CompiledModel compiled,
        compiler->compileModel(model, prepare.compile, prepare.observer));
    if (prepare.keepArtifact)
      NNHAL_RETURN_IF_ERROR(prepare.keepArtifact(compiled));
    return prepareModelFromCache(compiled.modelCache, compiled.dataCache);
  }

  Result<std::shared_ptr<PreparedModel>>
  prepareModelFromCache(std::span<const std::byte> modelCache,
                        const Memory &dataCache) const override {
    try {
      NNHAL_ASSIGN_OR_RETURN(Artifact artifact, readModelCache(modelCache));
      return CpuPreparedModel::create(std::move(artifact), dataCache,
                                      options.clock);
    } catch (const std::bad_alloc &) {
      return outOfResources("no memory for the compiled model");
    }
  }

private:
  CpuDeviceOptions options;
};
} // namespace

std::unique_ptr<Device> nnhal::rt::createCpuDevice(CpuDeviceOptions options) {
  return std::make_unique<CpuDevice>(std::move(options));
}
