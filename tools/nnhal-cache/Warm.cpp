//===- Warm.cpp - Kernels for models to come ------------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Warm.h"

#include "Runtime/Caching/KernelStore.h"
#include "Runtime/Support/Errors.h"
#include "Tools/Check/TemporaryFolder.h"
#include "Tools/Execution/Cache.h"
#include "Tools/Execution/Engine.h"
#include "nnhal/Runtime/Log.h"

#include <cstdio>

using namespace nnhal;
using namespace nnhal::cachetool;
using rt::Status;

namespace {
/// The device that compiles, and the kernels that it keeps.
struct Warming {
  /// Where the device writes entries, which nobody wants.
  tools::TemporaryFolder entries;
  std::shared_ptr<tools::Engine> engine;
  std::unique_ptr<rt::cache::KernelStore> kernels;
  std::string directory;
};
} // namespace

static rt::Result<Warming> open(const Options &options) {
  Warming warming;
  NNHAL_ASSIGN_OR_RETURN(warming.entries, tools::TemporaryFolder::create());
  tools::EngineOptions asked;
  asked.devices = {"nnhal-cpu"};
  asked.cacheDirectory = warming.entries.path();
  asked.stateDirectory = options.stateDirectory;
  asked.rounding = options.rounding;
  rt::DeviceServices services;
  services.log = std::make_shared<rt::Log>();
  NNHAL_ASSIGN_OR_RETURN(warming.engine,
                         tools::Engine::create(asked, std::move(services)));
  warming.directory = tools::cacheStateDirectory(warming.engine->request());
  if (warming.directory.empty())
    return rt::failure("there is no state directory: none of --state-dir, "
                       "NNHAL_STATE_DIR, XDG_STATE_HOME and HOME names one");
  // Only counted: for that the build of the compiler is none of its concern.
  NNHAL_ASSIGN_OR_RETURN(
      warming.kernels,
      rt::cache::KernelStore::open({.directory = warming.directory}));
  return warming;
}

/// Compiles the model called \p path. Returns the number of kernels that were
/// not there before.
static rt::Result<int64_t> warmModel(const Warming &warming,
                                     const std::string &path) {
  NNHAL_ASSIGN_OR_RETURN(int64_t before, warming.kernels->count());
  NNHAL_ASSIGN_OR_RETURN(tools::ModelFile model, tools::openModel(path));
  if (model.kind != tools::ModelKind::tflite &&
      model.kind != tools::ModelKind::json)
    return rt::badData("{} is neither .tflite nor .json", model.label());
  // By its bytes: what nnhal-run has cached of the file stays valid, because
  // the device remembers entries by where a model comes from.
  if (!model.bytes) {
    NNHAL_ASSIGN_OR_RETURN(model.bytes, rt::Memory::readFile(path));
  }
  tools::LoadObserver observer;
  observer.warning = [&](std::string_view text) {
    fmt::print(stderr, "warning: {}: {}\n", path, text);
  };
  NNHAL_ASSIGN_OR_RETURN(
      tools::LoadOutcome loaded,
      warming.engine->load(warming.engine->request(), model, observer));
  if (loaded.cache.saveProblem != rt::CacheOutcome::off)
    return rt::failure("{}: {}", path, loaded.cache.saveDetail);
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
