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
#include "Progress.h"
#include "Tools/Tensors/Inputs.h"

#include "nnhal/Runtime/CompilationCache.h"
#include "nnhal/Runtime/Device.h"
#include "nnhal/Runtime/DeviceServices.h"
#include "nnhal/Runtime/Log.h"
#include "nnhal/Runtime/Trace.h"

#include <functional>
#include <future>
#include <memory>
#include <optional>

namespace nnhal::tools {

/// The step at which a load ends.
enum class LoadGoal {
  /// The source is read and shown to the observer.
  source,
  /// The artifact is written; it may be for another machine.
  artifact,
  /// The model can be executed.
  prepared
};

/// The task of loadModel(), besides the model.
struct LoadRequest {
  LoadGoal goal = LoadGoal::prepared;
  Preparation preparation;
  /// PrepareOptions::compileAfter.
  std::optional<uint64_t> compileAfter;
  /// Compile code for `shapes` beside that for any shapes.
  bool specialize = false;
  NamedShapes shapes;
  /// Nothing is cached when this is empty.
  std::string cacheDirectory;
  /// The directory where devices remember what they have cached. When it is
  /// empty the environment decides.
  std::string stateDirectory;
  /// The path to which the artifact is written; empty for none.
  std::string emit;
  /// TFLiteImportOptions::useExtensions.
  bool useExtensions = true;
  /// The end of the message where the device lacks an extension that the
  /// importer uses: the options that help. Empty for none.
  std::string extensionAdvice;
  /// TFLiteImportOptions::signature.
  std::string signature;
  /// Sets Model::relaxComputationFloat32toFloat16 of what is read.
  bool isRelaxed = false;
  /// TFLiteImportOptions::extensions.
  std::vector<rt::InstalledExtension> extensions = {};
  /// The model itself is looked at, whatever comes from the cache.
  bool needsSource = false;
  /// Threads of one execution; 0 for as many as the machine runs at once.
  uint64_t threads = 1;
  /// The process does nothing but this: how its memory is allocated is set to
  /// suit the load.
  bool ownsProcess = true;
};

/// The outcome of a load.
struct LoadOutcome {
  /// The model is null when the artifact or the graph was only to be written.
  std::shared_ptr<rt::PreparedModel> prepared;
  /// The source is absent for .mlir and .nncache, and for a model from a cache
  /// that nothing but an execution was asked for.
  std::optional<rt::AnnotatedModel> source;
  /// Reading and, for .nncache, loading.
  int64_t loadMicroseconds = 0;
  /// Compiling and loading the code, or loading it from a cache.
  int64_t compileMicroseconds = 0;
  /// The phases of the compilation; none where nothing was compiled.
  std::vector<CompilePhase> compilePhases;
  /// The report of the cache.
  rt::CacheReport cache;
  /// The number of threads of one execution.
  uint64_t threads = 1;
  /// The outcome of a compilation in the background. Where there is none it is
  /// ready at once, with success.
  std::future<rt::Status> compilation;
};

/// Services of the devices, for what loadModel() does beside them.
struct LoadServices {
  std::shared_ptr<const rt::Log> log;
  std::shared_ptr<rt::Tracer> tracer;
};

/// The functions through which a load tells what happens. Each function may be
/// empty.
struct LoadObserver {
  /// Sees a source model before it is compiled; a failure ends the load.
  std::function<rt::Status(const rt::AnnotatedModel &)> source;
  /// See CompileObserver.
  std::function<void(uint32_t operation, std::string_view text)> remark;
  /// Receives the warnings. Without it they go to standard error, and the
  /// progress of a compilation where that is a terminal.
  std::function<void(std::string_view text)> warning;
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
