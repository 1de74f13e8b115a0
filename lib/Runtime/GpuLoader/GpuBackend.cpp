//===- GpuBackend.cpp - The backends of GPUs ------------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GpuBackend.h"

#include "ArgumentBytes.h"
#include "FencedModel.h"
#include "HostControlModel.h"

#include "Runtime/Artifact/Targets.h"
#include "Runtime/Devices/Gpu/Support/GpuSupport.h"
#include "Runtime/OpenShapes/OpenShapeModel.h"
#include "Runtime/Support/Errors.h"
#include "nnhal/Runtime/Capabilities.h"
#include "nnhal/Runtime/Version.h"

#include <algorithm>
#include <utility>

using namespace nnhal::rt;

//===----------------------------------------------------------------------===//
// Artifacts
//===----------------------------------------------------------------------===//

static Status checkSection(const GpuDriver &driver, const Artifact &artifact) {
  const CodeSection &section =
      artifact.code[artifact.entries.front().codeIndex];
  if (section.target != driver.targetKind() ||
      section.cpu != driver.targetName())
    return badData("code is for {} '{}', the device executes {} '{}'",
                   toString(section.target), section.cpu,
                   toString(driver.targetKind()), driver.targetName());
  if (artifact.entries.size() != 1)
    return badData("code for GPUs has {} entries instead of 1",
                   artifact.entries.size());
  if (!artifact.routineSlots.empty() || !artifact.extensions.empty())
    return badData("code for GPUs calls {} routines and {} extensions of the "
                   "host",
                   artifact.routineSlots.size(), artifact.extensions.size());
  return Status::ok();
}

static std::vector<uint64_t>
sizesOf(const std::vector<InterfaceTensor> &tensors) {
  std::vector<uint64_t> sizes;
  sizes.reserve(tensors.size());
  for (const InterfaceTensor &tensor : tensors)
    sizes.push_back(byteSizeOf(tensor).value_or(0));
  return sizes;
}

/// Loads what \p modelCache has for \p driver, which looks into \p cache unless
/// that is null.
static Result<std::unique_ptr<LoadedModel>>
loadWith(const GpuDriver &driver, std::span<const std::byte> modelCache,
         const Memory &dataCache, DriverCache *cache) {
  NNHAL_ASSIGN_OR_RETURN(Artifact artifact, readModelCache(modelCache));
  NNHAL_ASSIGN_OR_RETURN(DataRange range,
                         selectTarget(artifact, dataCache.size(),
                                      [&driver](const CodeSection &section) {
                                        return section.target ==
                                               driver.targetKind();
                                      }));
  NNHAL_ASSIGN_OR_RETURN(Memory memory, dataCache.snapshot());
  NNHAL_ASSIGN_OR_RETURN(std::span<const std::byte> bytes, memory.bytes());
  NNHAL_RETURN_IF_ERROR(checkSection(driver, artifact));
  const ArtifactEntry &entry = artifact.entries.front();
  GpuArtifact code;
  NNHAL_ASSIGN_OR_RETURN(
      code.program,
      readGpuProgram(artifact.code[entry.codeIndex].bytes, artifact));
  code.modelCacheSize = modelCache.size();
  code.constants = bytes.subspan(range.offset, range.size);
  code.inputSizes = sizesOf(artifact.inputs);
  code.outputSizes = sizesOf(artifact.outputs);
  code.artifact = std::move(artifact);
  NNHAL_ASSIGN_OR_RETURN(std::unique_ptr<GpuCode> loaded,
                         driver.load(std::move(code), cache));
  if (loaded->hasSyncFiles())
    return createFencedModel(std::move(loaded));
  return std::unique_ptr<LoadedModel>(std::move(loaded));
}

//===----------------------------------------------------------------------===//
// The backend
//===----------------------------------------------------------------------===//

namespace {
class GpuBackend final : public Backend {
public:
  GpuBackend(std::shared_ptr<const GpuDriver> driver, GpuCompiler compiler,
             std::vector<std::string> deviceNodes)
      : driver(std::move(driver)), compiler(std::move(compiler)) {
    description.name = this->driver->deviceName();
    description.version = NNHAL_VERSION;
    description.type = DeviceType::gpu;
    // The artifact has a file for each of its parts, and the driver one for
    // what it makes of the kernels.
    description.cacheFiles = {2, 1};
    description.traits.compiles = true;
    // Drivers map what they compile kernels to.
    description.traits.needs.executableMemory = true;
    description.traits.needs.deviceNodes = std::move(deviceNodes);
    // No GPU has been measured. A user who has can keep the numbers
    // (DeviceServices::measuredCapabilities); until then no model is divided
    // for the sake of this device.
    description.capabilities = uniformCapabilities({1.0f, 1.0f});
  }

  const DeviceInfo &info() const override { return description; }

  Result<std::vector<Status>>
  supportedOperations(const AnnotatedModel &annotated) const override {
    Form form = formOf(annotated);
    const Model &model = form.model->model;
    Status interface = checkGpuInterface(model, form.extents);
    std::vector<Status> answers = refusalsOf(model, form.extents);
    for (Status &answer : answers)
      if (answer.isOk())
        answer = interface;
    return answers;
  }

  Result<std::unique_ptr<LoadedModel>>
  load(const AnnotatedModel &model, const PrepareOptions &prepare,
       const LoadObserver &observer) const override {
    Form form = formOf(model);
    // Errors of the compiler would name operations of a lowering.
    NNHAL_RETURN_IF_ERROR(checkGpuModel(form.model->model, form.extents));
    NNHAL_ASSIGN_OR_RETURN(std::shared_ptr<const Compiler> used,
                           compiler.get());
    CompileOptions compile = prepare.compile;
    compile.target = driver->targetName();
    if (compile.targetCpu.empty())
      compile.targetCpu = driver->deviceClass();
    compile.extensions.clear();
    if (form.extents == OpenExtents::refused)
      return loadKnown(*used, *form.model, compile, observer);
    return loadOpenShapes(std::move(used), model, std::move(compile),
                          form.isHostControlled, observer);
  }

  Result<std::unique_ptr<LoadedModel>>
  loadArtifact(std::span<const std::byte> modelCache,
               const Memory &dataCache) const override {
    return loadWith(*driver, modelCache, dataCache, nullptr);
  }

  Result<std::unique_ptr<LoadedModel>>
  loadFromCache(const CacheContents &contents) const override {
    if (contents.modelCache.size() != 2 || contents.dataCache.size() != 1)
      return badData("{} model-cache and {} data-cache files, an entry has 2 "
                     "and 1",
                     contents.modelCache.size(), contents.dataCache.size());
    NNHAL_ASSIGN_OR_RETURN(std::span<const std::byte> modelCache,
                           contents.modelCache[0].bytes());
    NNHAL_ASSIGN_OR_RETURN(std::span<const std::byte> kept,
                           contents.modelCache[1].bytes());
    return loadWith(*driver, modelCache, contents.dataCache.front(),
                    driver->createCache(kept).get());
  }

  Result<std::unique_ptr<DeviceMemory>>
  allocate(const DeviceMemoryRequest &request) const override {
    return driver->allocate(request.budget);
  }

  Result<CompilationIdentity> compilationIdentity() const override {
    NNHAL_ASSIGN_OR_RETURN(std::string identity, compiler.identity());
    // Kernels are compiled for GPUs of a class, and by the driver of the one
    // that executes them when they are loaded.
    return CompilationIdentity{
        std::move(identity),
        fmt::format("{} {}", driver->targetName(), driver->deviceClass())};
  }

private:
  /// How a model is judged and compiled.
  struct Form {
    OpenExtents extents = OpenExtents::refused;
    /// The client's, or `known`.
    const AnnotatedModel *model = nullptr;
    /// The model with the extents that follow from its inputs; null where it
    /// states all.
    std::unique_ptr<AnnotatedModel> known;
    /// Whether IF or WHILE give extents that do not follow from those of the
    /// inputs, or parameters are computed.
    bool isHostControlled = false;
  };

  /// Shapes for the inputs of \p model that state some of their extents, with
  /// the others as an example.
  static KnownShapes exampleShapes(const Model &model) {
    // Most strides divide the number, and most windows fit into it.
    constexpr uint32_t exampleExtent = 48;
    KnownShapes shapes;
    for (uint32_t index : model.main.inputIndexes) {
      const Operand &operand = model.main.operands[index];
      shapes.emplace_back();
      if (operand.dimensions.empty() || !hasOpenExtents(operand))
        continue;
      shapes.back() = operand.dimensions;
      std::ranges::replace(*shapes.back(), 0u, exampleExtent);
    }
    return shapes;
  }

  static Form formOf(const AnnotatedModel &model) {
    OpenParts open = openPartsOf(model.model);
    OpenParameters parameters = openParametersOf(model.model);
    if (parameters == OpenParameters::computed)
      return {OpenExtents::follow, &model, nullptr, /*isHostControlled=*/true};
    if (open == OpenParts::none)
      return {parameters == OpenParameters::none ? OpenExtents::refused
                                                 : OpenExtents::follow,
              &model, nullptr, false};
    KnownShapes shapes =
        open == OpenParts::inputs
            ? exampleShapes(model.model)
            : KnownShapes(model.model.main.inputIndexes.size());
    auto known = withKnownShapes(model, shapes, ShapeNeed::extents);
    // Some follow from values alone, which refusalOf() says of an operation.
    // Those of IF and WHILE do not follow where branches differ, or where
    // states change, which an example of shapes tells.
    if (!known.isOk())
      return {OpenExtents::follow, &model, nullptr,
              /*isHostControlled=*/
              std::ranges::any_of(
                  model.model.main.operations, [](const Operation &operation) {
                    return operation.type == OperationType::IF ||
                           operation.type == OperationType::WHILE;
                  })};
    if (open == OpenParts::inputs || parameters == OpenParameters::inputs)
      return {OpenExtents::follow, &model, nullptr, false};
    known->statePairs = model.statePairs;
    auto owned = std::make_unique<AnnotatedModel>(*std::move(known));
    const AnnotatedModel *judged = owned.get();
    return {OpenExtents::refused, judged, std::move(owned), false};
  }

  /// Compiles and loads \p model, whose extents are all known.
  Result<std::unique_ptr<LoadedModel>>
  loadKnown(const Compiler &used, const AnnotatedModel &model,
            const CompileOptions &compile, const LoadObserver &observer) const {
    NNHAL_ASSIGN_OR_RETURN(CompiledModel compiled,
                           used.compileModel(model, compile, observer.compile));
    if (observer.keepArtifact)
      NNHAL_RETURN_IF_ERROR(observer.keepArtifact(compiled));
    std::unique_ptr<DriverCache> cache = driver->createCache({});
    NNHAL_ASSIGN_OR_RETURN(std::unique_ptr<LoadedModel> loaded,
                           loadWith(*driver, compiled.modelCache,
                                    compiled.dataCache, cache.get()));
    if (observer.keepEntry) {
      CacheContents contents;
      std::vector<std::byte> kept = cache->data();
      contents.modelCache.push_back(Memory::borrow(compiled.modelCache));
      contents.modelCache.push_back(Memory::borrow(kept));
      contents.dataCache.push_back(compiled.dataCache);
      observer.keepEntry(contents);
    }
    return loaded;
  }

  /// \p model has no code, and so nothing to keep, before it is executed.
  Result<std::unique_ptr<LoadedModel>>
  loadOpenShapes(std::shared_ptr<const Compiler> used,
                 const AnnotatedModel &model, CompileOptions compile,
                 bool isHostControlled, const LoadObserver &observer) const {
    auto specializations = std::exchange(compile.specializations, {});
    auto make = [driver = driver, used = std::move(used),
                 compile](const AnnotatedModel &known,
                          const CompileObserver &observer)
        -> Result<std::unique_ptr<LoadedModel>> {
      NNHAL_RETURN_IF_ERROR(checkGpuModel(known.model, OpenExtents::refused));
      NNHAL_ASSIGN_OR_RETURN(CompiledModel compiled,
                             used->compileModel(known, compile, observer));
      return loadWith(*driver, compiled.modelCache, compiled.dataCache,
                      driver->createCache({}).get());
    };
    const OpenShapeModel::CodeMaker maker = {
        description.name, ShapeNeed::extents, std::move(make),
        &parameterInputsOf, &readInput};
    if (isHostControlled)
      return HostControlModel::create(model, specializations, maker, observer);
    NNHAL_ASSIGN_OR_RETURN(
        std::unique_ptr<LoadedModel> loaded,
        OpenShapeModel::create(model, specializations, maker, observer));
    return loaded;
  }

  /// Shared with models, which compile when they are executed.
  const std::shared_ptr<const GpuDriver> driver;
  const GpuCompiler compiler;
  DeviceInfo description;
};
} // namespace

std::unique_ptr<Backend>
nnhal::rt::createGpuBackend(std::shared_ptr<const GpuDriver> driver,
                            GpuCompiler compiler,
                            std::vector<std::string> deviceNodes) {
  return std::make_unique<GpuBackend>(std::move(driver), std::move(compiler),
                                      std::move(deviceNodes));
}
