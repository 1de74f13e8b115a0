//===- Engine.cpp - The devices that models are loaded for ----------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Engine.h"

#include "Cache.h"
#include "Tools/Options/Values.h"

#include "Runtime/Support/Errors.h"
#include "nnhal/Runtime/CapabilitiesFile.h"
#include "nnhal/Runtime/DevicePlugins.h"
#include "nnhal/Runtime/GpuDevice.h"
#include "nnhal/Runtime/Partition.h"
#include "nnhal/Runtime/WorkPool.h"

#include <algorithm>
#include <cstdlib>

using namespace nnhal;
using namespace nnhal::tools;
using rt::Status;

static constexpr uint64_t maxThreads = 1024;

/// Stores \p parsed, what the word of option \p name stands for, in \p value.
template <typename Value>
static Status store(std::string_view name, rt::Result<Value> parsed,
                    Value &value) {
  if (!parsed.isOk())
    return std::move(parsed).takeStatus().withContext(name);
  value = *parsed;
  return Status::ok();
}

/// Reads the words among \p options.
static Status readWords(const EngineOptions &options,
                        Preparation &preparation) {
  NNHAL_RETURN_IF_ERROR(store("rounding", parseRounding(options.rounding),
                              preparation.compile.rounding));
  NNHAL_RETURN_IF_ERROR(store("preference", parsePreference(options.preference),
                              preparation.preference));
  return store("priority", parsePriority(options.priority),
               preparation.priority);
}

/// The request that loads a model as \p options say, but for the extensions.
static rt::Result<LoadRequest> requestOf(const EngineOptions &options) {
  LoadRequest request;
  NNHAL_RETURN_IF_ERROR(readWords(options, request.preparation));
  rt::CompileOptions &compile = request.preparation.compile;
  compile.target = options.target;
  compile.targetTriple = options.targetTriple;
  compile.targetCpu = options.targetCpu;
  compile.targetFeatures = options.targetFeatures;
  request.compileAfter = options.compileAfter;
  request.shapes = options.shapes;
  request.signature = options.signature;
  request.cacheDirectory = options.cacheDirectory;
  request.stateDirectory = options.stateDirectory;
  request.threads = options.threads;
  request.ownsProcess = false;
  return request;
}

Engine::Engine(const EngineOptions &options, rt::DeviceServices services)
    : options(options) {
  devices.services = std::move(services);
}

rt::Result<std::shared_ptr<Engine>>
Engine::create(const EngineOptions &options, rt::DeviceServices services) {
  std::shared_ptr<Engine> engine(new Engine(options, std::move(services)));
  NNHAL_RETURN_IF_ERROR(engine->open());
  return engine;
}

Status Engine::open() {
  if (options.devices.empty())
    return rt::badData("the list of devices is empty");
  if (options.threads > maxThreads)
    return rt::badData("threads: {} is more than {}", options.threads,
                       maxThreads);
  NNHAL_ASSIGN_OR_RETURN(loading, requestOf(options));
  NNHAL_ASSIGN_OR_RETURN(std::shared_ptr<rt::WorkPool> workers,
                         rt::WorkPool::create(unsigned(options.threads)));
  devices.services.workers = std::move(workers);
  devices.services.measuredCapabilities = rt::keptCapabilities(getenv);
  if (!options.cacheDirectory.empty())
    devices.services.stateDirectory = cacheStateDirectory(loading);
  const char *plugins = std::getenv("NNHAL_PLUGINS");
  devices.service = options.service;
  devices.plugins = rt::pluginPaths(plugins ? plugins : "");
  devices.plugins.insert(devices.plugins.end(), options.plugins.begin(),
                         options.plugins.end());
  const char *compiler = std::getenv("NNHAL_COMPILER");
  devices.compiler = std::make_shared<rt::LazyCompiler>(
      compiler ? compiler : "", devices.plugins);
  registry = std::make_unique<rt::DeviceRegistry>(devices.services.log);
  NNHAL_ASSIGN_OR_RETURN(RegisteredExtensions extensions,
                         registerDevices(devices, *registry));
  NNHAL_RETURN_IF_ERROR(addGpus());
  rt::CompileOptions &compile = loading.preparation.compile;
  compile.extensions = std::move(extensions.compiled);
  loading.extensions = std::move(extensions.installed);
  DeviceSelection selection;
  selection.isRequired = options.isRequired;
  if (options.devices.size() == 1)
    selection.device = options.devices.front();
  else
    selection.several = options.devices;
  std::shared_ptr<rt::CompilationCache> steps;
  if (!options.cacheDirectory.empty())
    steps = std::make_shared<rt::CompilationCache>(
        rt::CompilationCache::Options{.directory = options.cacheDirectory,
                                      .log = devices.services.log,
                                      .tracer = devices.services.tracer});
  NNHAL_ASSIGN_OR_RETURN(
      selected,
      selectDevice(*registry, selection, devices.services, std::move(steps)));
  return checkSelected();
}

/// The drivers of GPUs are loaded when somebody asks for one by name.
Status Engine::addGpus() {
  if (!options.service.empty() ||
      std::ranges::none_of(options.devices, rt::isGpuDevice))
    return Status::ok();
  Status missing;
  Status status = registerGpus(
      devices, *registry, [&](std::string_view name, const Status &reason) {
        if (std::ranges::find(options.devices, name) != options.devices.end())
          missing = reason;
      });
  return missing.isOk() ? status : missing;
}

Status Engine::checkSelected() const {
  rt::DeviceTraits traits = selected.device->traits();
  if (options.threads != 1 && traits.isRemote)
    return rt::badData("device {} executes on the threads of its service: "
                       "threads has no effect",
                       selected.device->name());
  if (options.threads != 1 && !traits.usesThreads)
    return rt::badData("device {} executes on one thread: threads has no "
                       "effect",
                       selected.device->name());
  return Status::ok();
}

rt::Result<LoadOutcome> Engine::load(const LoadRequest &request,
                                     const ModelFile &model,
                                     const LoadObserver &observer) {
  using enum ModelKind;
  bool needsCompiler = model.kind == mlir || model.kind == artifact;
  if (needsCompiler && selected.members)
    return rt::badData("several devices take .tflite and .json models only");
  if (needsCompiler && !device().traits().compiles)
    return rt::badData("device {} compiles nothing: it takes .tflite and .json "
                       "models",
                       device().name());
  LoadRequest adapted = request;
  // An artifact is what a cache would have kept.
  if (needsCompiler)
    adapted.cacheDirectory.clear();
  return loadModel(adapted, model, device(), *devices.compiler, observer,
                   {devices.services.log, devices.services.tracer});
}

rt::Result<std::optional<rt::PartitionPlan>>
Engine::plan(const rt::AnnotatedModel &source) const {
  if (!selected.members)
    return std::optional<rt::PartitionPlan>();
  rt::PartitionOptions asked;
  asked.mode = selected.members->mode;
  asked.planner = selected.members->planner;
  asked.prepare = prepareOptions(loading.preparation);
  NNHAL_ASSIGN_OR_RETURN(rt::PartitionPlan plan,
                         rt::planPartition(source, selected.members->devices,
                                           selected.members->fallback, asked));
  rt::findReasons(plan, source, selected.members->devices);
  return std::optional(std::move(plan));
}
