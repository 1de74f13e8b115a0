//===- Load.h - From a file to a prepared model -----------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_TOOLS_EXECUTION_LOAD_H
#define NNHAL_LIB_TOOLS_EXECUTION_LOAD_H

#include "ModelFile.h"
#include "Preparation.h"
#include "Tools/Tensors/Inputs.h"

#include "nnhal/Runtime/CompilationCache.h"
#include "nnhal/Runtime/Device.h"
#include "nnhal/Runtime/Log.h"
#include "nnhal/Runtime/Trace.h"

#include <functional>
#include <future>
#include <memory>
#include <optional>

namespace nnhal::tools {

/// How far a load goes.
enum class LoadGoal {
  /// The source is read and shown to the observer.
  source,
  /// The artifact is written; it may be for another machine.
  artifact,
  /// The model can be executed.
  prepared
};

/// What loadModel() is to do, besides with which model.
struct LoadRequest {
  LoadGoal goal = LoadGoal::prepared;
  Preparation preparation;
  /// PrepareOptions::compileAfter.
  std::optional<uint64_t> compileAfter;
  /// Compile code for `shapes` beside that for any shapes.
  bool specialize = false;
  NamedShapes shapes;
  /// Empty: nothing is cached.
  std::string cacheDirectory;
  /// Where devices remember what they have cached. Empty: what the environment
  /// says.
  std::string stateDirectory;
  /// Where the artifact is written; empty for nowhere.
  std::string emit;
  /// The model itself is looked at, whatever comes from the cache.
  bool needsSource = false;
  /// Threads of one execution; 0 for as many as the machine runs at once.
  uint64_t threads = 1;
};

/// What came of a load.
struct LoadOutcome {
  /// Null when the artifact or the graph was only to be written.
  std::shared_ptr<rt::PreparedModel> prepared;
  /// Absent for .mlir and .nncache, and for a model from a cache that nothing
  /// but an execution was asked for.
  std::optional<rt::AnnotatedModel> source;
  /// Reading and, for .nncache, loading.
  int64_t loadMicroseconds = 0;
  /// Compiling and loading the code, or loading it from a cache.
  int64_t compileMicroseconds = 0;
  /// How that went.
  rt::CacheReport cache;
  /// Of one execution.
  uint64_t threads = 1;
  /// What became of a compilation in the background, ready at once where there
  /// is none: success then.
  std::future<rt::Status> compilation;
};

/// Services of the devices, for what loadModel() does beside them.
struct LoadServices {
  std::shared_ptr<const rt::Log> log;
  std::shared_ptr<rt::Tracer> tracer;
};

/// Whom a load tells what happens. Each function may be empty.
struct LoadObserver {
  /// Sees a source model before it is compiled; a failure ends the load.
  std::function<rt::Status(const rt::AnnotatedModel &)> source;
  /// See CompileObserver.
  std::function<void(uint32_t operation, std::string_view text)> remark;
};

/// Reads \p model, compiles it where that is needed, writes the artifact
/// where that is wanted, and loads it. Fails with what the reader, \p observer
/// or the compiler reports.
rt::Result<LoadOutcome>
loadModel(const LoadRequest &request, const ModelFile &model,
          const rt::Device &device, rt::LazyCompiler &compiler,
          const LoadObserver &observer, const LoadServices &services = {});

/// Microseconds of the steady clock.
int64_t nowMicroseconds();

} // namespace nnhal::tools

#endif // NNHAL_LIB_TOOLS_EXECUTION_LOAD_H
