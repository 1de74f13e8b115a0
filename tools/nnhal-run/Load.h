//===- Load.h - From a file to a prepared model -----------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_TOOLS_NNHAL_RUN_LOAD_H
#define NNHAL_TOOLS_NNHAL_RUN_LOAD_H

#include "Flags.h"

#include "nnhal/Runtime/AtomicFile.h"
#include "nnhal/Runtime/CompilationCache.h"
#include "nnhal/Runtime/Device.h"
#include "nnhal/Runtime/Log.h"
#include "nnhal/Runtime/Trace.h"

#include <functional>
#include <future>
#include <memory>
#include <optional>

namespace nnhal::run {

struct LoadedModel {
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
rt::Result<LoadedModel> loadModel(const Flags &flags, const ModelFile &model,
                                  const rt::Device &device,
                                  rt::LazyCompiler &compiler,
                                  const LoadObserver &observer,
                                  const LoadServices &services = {});

using rt::writeFileAtomically;

/// Microseconds of the steady clock.
int64_t nowMicroseconds();

} // namespace nnhal::run

#endif // NNHAL_TOOLS_NNHAL_RUN_LOAD_H
