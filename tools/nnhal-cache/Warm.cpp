//===- Warm.cpp - Kernels for models to come ------------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Warm.h"

#include "Runtime/Caching/KernelStore.h"
#include "Runtime/Devices/Cpu/KeptKernels.h"
#include "Runtime/Support/Errors.h"
#include "Tools/Execution/Cache.h"
#include "Tools/Execution/Engine.h"
#include "nnhal/Runtime/Compiler.h"
#include "nnhal/Runtime/Log.h"

#include <cstdio>

using namespace nnhal;
using namespace nnhal::cachetool;
using rt::Status;

namespace {
/// The compiler, and the kernels that it keeps and finds.
struct Warming {
  std::shared_ptr<tools::Engine> engine;
  std::unique_ptr<rt::KeptKernels> kept;
  std::unique_ptr<rt::cache::KernelStore> kernels;
  std::string directory;
};
} // namespace

static rt::Result<Warming> open(const Options &options) {
  Warming warming;
  tools::EngineOptions asked;
  asked.devices = {"nnhal-cpu"};
  asked.stateDirectory = options.stateDirectory;
  asked.rounding = options.rounding;
  rt::DeviceServices services;
  services.log = std::make_shared<rt::Log>();
  NNHAL_ASSIGN_OR_RETURN(warming.engine,
                         tools::Engine::create(asked, services));
  warming.directory = tools::cacheStateDirectory(warming.engine->request());
  if (warming.directory.empty())
    return rt::failure("there is no state directory: none of --state-dir, "
                       "NNHAL_STATE_DIR, XDG_STATE_HOME and HOME names one");
  // Counting needs no identity of a compiler.
  rt::cache::KernelStore::Options counted;
  counted.directory = warming.directory;
  NNHAL_ASSIGN_OR_RETURN(warming.kernels,
                         rt::cache::KernelStore::open(std::move(counted)));
  services.stateDirectory = warming.directory;
  warming.kept =
      std::make_unique<rt::KeptKernels>(services, warming.engine->compiler());
  return warming;
}

/// Compiles the model called \p path for its kernels alone: a device would
/// remember an entry of a cache in its state directory, and forget those that
/// another program has left. Returns the number of kernels that were not there
/// before.
static rt::Result<int64_t> warmModel(const Warming &warming,
                                     const std::string &path) {
  NNHAL_ASSIGN_OR_RETURN(int64_t before, warming.kernels->count());
  NNHAL_ASSIGN_OR_RETURN(tools::ModelFile model, tools::openModel(path));
  if (model.kind != tools::ModelKind::tflite &&
      model.kind != tools::ModelKind::json)
    return rt::badData("{} is neither .tflite nor .json", model.label());
  tools::LoadRequest request = warming.engine->request();
  request.goal = tools::LoadGoal::source;
  NNHAL_ASSIGN_OR_RETURN(tools::LoadOutcome read,
                         warming.engine->load(request, model, {}));
  NNHAL_ASSIGN_OR_RETURN(std::shared_ptr<const rt::Compiler> compiler,
                         warming.engine->compiler()->get());
  // The observer ends with the call, and has kept all kernels then.
  auto compiled = compiler->compileModel(
      *read.source, request.preparation.compile, warming.kept->observe({}));
  if (!compiled.isOk())
    return std::move(compiled).takeStatus().withContext(model.label());
  NNHAL_ASSIGN_OR_RETURN(int64_t after, warming.kernels->count());
  return after - before;
}

Status cachetool::warm(const Options &options) {
  NNHAL_ASSIGN_OR_RETURN(Warming warming, open(options));
  size_t failures = 0;
  for (const std::string &path : options.models) {
    rt::Result<int64_t> added = warmModel(warming, path);
    if (added.isOk()) {
      fmt::print("{}: {} kernels are new\n", path, *added);
    } else {
      fmt::print(stderr, "error: {}\n", added.status().message());
      ++failures;
    }
  }
  NNHAL_ASSIGN_OR_RETURN(int64_t kept, warming.kernels->count());
  fmt::print("{} kernels are kept in {}\n", kept, warming.directory);
  if (failures > 0)
    return rt::failure("{} of {} models could not be compiled", failures,
                       options.models.size());
  return Status::ok();
}
