//===- Device.cpp - The device nnhal-cpu ----------------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "nnhal/Runtime/BuiltInDevices.h"
#include "nnhal/Runtime/CpuDevice.h"
#include "nnhal/Runtime/Extensions.h"
#include "nnhal/Runtime/ReferenceDevice.h"
#include "nnhal/Runtime/Version.h"

#include "CpuModel.h"
#include "HostCpu.h"
#include "KeptKernels.h"

#include "Runtime/Artifact/ModelCache.h"
#include "Runtime/Devices/Cpu/Support/CpuSupport.h"
#include "Runtime/Model/ExtensionCalls.h"
#include "Runtime/OpenShapes/OpenShapeModel.h"
#include "Runtime/Support/Errors.h"
#include "nnhal/Backend/GraphCopies.h"

#include <utility>

using namespace nnhal::rt;

namespace {
class CpuBackend final : public Backend {
public:
  explicit CpuBackend(CpuDeviceOptions given)
      : compiler(std::move(given.compiler)),
        kernels(std::make_shared<KeptKernels>(given.services, compiler)),
        baseline(std::move(given.baseline)),
        extensions(std::make_shared<const std::vector<InstalledExtension>>(
            std::move(given.services.extensions))) {
    description.name = "nnhal-cpu";
    description.version = NNHAL_VERSION;
    description.type = DeviceType::cpu;
    // The model cache and the data cache have a file each (decisions 7).
    description.cacheFiles = {1, 1};
    description.traits.compiles = true;
    description.traits.usesThreads = true;
    description.traits.needs.executableMemory = true;
    // Code for AMX runs only in a process that has asked for the tiles.
    description.traits.needs.archPrctl = true;
    // Twice as fast as plain code for every type that can be compiled, until
    // measured ones take their place (DeviceServices::measuredCapabilities).
    description.capabilities = uniformCapabilities({0.5f, 0.5f});
    description.extensions = descriptionsOf(*extensions);
  }

  const DeviceInfo &info() const override { return description; }

  Result<std::vector<Status>>
  supportedOperations(const AnnotatedModel &annotated) const override {
    const Model &model = annotated.model;
    Status interface = checkCpuInterface(model, *extensions);
    std::vector<Status> answers;
    answers.reserve(model.main.operations.size());
    CalledGraphs graphs(model);
    GraphCopies copies(model);
    for (const Operation &operation : model.main.operations) {
      Status supported =
          checkCpuSupport(model, graphs, model.main, operation, *extensions);
      if (supported.isOk())
        supported = copies.add(operation);
      answers.push_back(supported.isOk() ? interface : std::move(supported));
    }
    return answers;
  }

  Result<std::unique_ptr<LoadedModel>>
  load(const AnnotatedModel &model, const PrepareOptions &options,
       const LoadObserver &observer) const override {
    NNHAL_RETURN_IF_ERROR(checkExtensionRules(model.model));
    NNHAL_ASSIGN_OR_RETURN(std::shared_ptr<const Compiler> opened,
                           compiler->get());
    CompileOptions compile = options.compile;
    compile.extensions = compiledExtensions(*extensions);
    if (hasOpenRanks(model.model))
      return loadOpenRanks(std::move(opened), model, std::move(compile),
                           observer);
    NNHAL_ASSIGN_OR_RETURN(
        CompiledModel compiled,
        opened->compileModel(model, compile, observing(observer)));
    NNHAL_RETURN_IF_ERROR(observer.keep(compiled));
    return loadArtifact(compiled.modelCache, compiled.dataCache);
  }

  Result<std::unique_ptr<LoadedModel>>
  loadBaseline(const AnnotatedModel &model) const override {
    if (!baseline)
      return Backend::loadBaseline(model);
    return baseline->load(model, {}, {});
  }

  Result<std::unique_ptr<LoadedModel>>
  loadArtifact(std::span<const std::byte> modelCache,
               const Memory &dataCache) const override {
    return loadCompiled(modelCache, dataCache, extensions);
  }

  Result<CompilationIdentity> compilationIdentity() const override {
    NNHAL_ASSIGN_OR_RETURN(std::string identity, compiler->identity());
    return CompilationIdentity{std::move(identity), hostCpuIdentity()};
  }

private:
  using Installed = std::shared_ptr<const std::vector<InstalledExtension>>;

  /// Fails where an operation breaks a rule of its extension. A client that has
  /// not asked which operations are supported is told here, rather than by the
  /// first execution.
  Status checkExtensionRules(const Model &model) const {
    auto check = [&](const Subgraph &graph) -> Status {
      for (const Operation &operation : graph.operations)
        if (isExtension(operation.type))
          NNHAL_RETURN_IF_ERROR(
              checkExtensionOperation(model, graph, operation, *extensions)
                  .takeStatus());
      return Status::ok();
    };
    NNHAL_RETURN_IF_ERROR(check(model.main));
    for (const Subgraph &graph : model.referenced)
      NNHAL_RETURN_IF_ERROR(check(graph));
    return Status::ok();
  }

  static Result<std::unique_ptr<LoadedModel>>
  loadCompiled(std::span<const std::byte> modelCache, const Memory &dataCache,
               Installed extensions) {
    NNHAL_ASSIGN_OR_RETURN(Artifact artifact, readModelCache(modelCache));
    return CpuModel::create(std::move(artifact), modelCache.size(), dataCache,
                            std::move(extensions));
  }

  /// \p model has no code, and so nothing to keep, before it is executed.
  Result<std::unique_ptr<LoadedModel>>
  loadOpenRanks(std::shared_ptr<const Compiler> opened,
                const AnnotatedModel &model, CompileOptions options,
                const LoadObserver &observer) const {
    auto specializations = std::exchange(options.specializations, {});
    auto compile = [opened = std::move(opened),
                    kernels = observer.keepEntry ? kernels : nullptr,
                    extensions = extensions,
                    options](const AnnotatedModel &known,
                             const CompileObserver &observer)
        -> Result<std::unique_ptr<LoadedModel>> {
      NNHAL_ASSIGN_OR_RETURN(
          CompiledModel compiled,
          opened->compileModel(
              known, options, kernels ? kernels->observe(observer) : observer));
      return loadCompiled(compiled.modelCache, compiled.dataCache, extensions);
    };
    NNHAL_ASSIGN_OR_RETURN(
        std::unique_ptr<LoadedModel> loaded,
        OpenShapeModel::create(
            model, specializations,
            {description.name, ShapeNeed::ranks, std::move(compile)},
            observer));
    return loaded;
  }

  /// Nothing is left on disk for a client that gives no place for an entry.
  CompileObserver observing(const LoadObserver &observer) const {
    return observer.keepEntry ? kernels->observe(observer.compile)
                              : observer.compile;
  }

  std::shared_ptr<LazyCompiler> compiler;
  std::shared_ptr<KeptKernels> kernels;
  std::shared_ptr<const Backend> baseline;
  const Installed extensions;
  DeviceInfo description;
};
} // namespace

std::unique_ptr<Device> nnhal::rt::createCpuDevice(CpuDeviceOptions options) {
  DeviceServices services = options.services;
  return createDevice(std::make_unique<CpuBackend>(std::move(options)),
                      std::move(services));
}

namespace nnhal::rt {
/// Executes models on nnhal-reference while they are compiled in the
/// background.
std::unique_ptr<Device> createBuiltInCpu(const BuiltInDevicesOptions &options) {
  CpuDeviceOptions cpu;
  cpu.compiler = options.compiler;
  cpu.services = options.services;
  ReferenceDeviceOptions reference;
  reference.services = options.services;
  cpu.baseline = createReferenceBackend(std::move(reference));
  return createCpuDevice(std::move(cpu));
}
} // namespace nnhal::rt
