//===- CompilationCache.h - A directory of compiled models ------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_RUNTIME_COMPILATIONCACHE_H
#define NNHAL_RUNTIME_COMPILATIONCACHE_H

#include "nnhal/Runtime/Api.h"
#include "nnhal/Runtime/Device.h"

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>

namespace nnhal::rt {

class Log;
class Tracer;

/// An operation of a step of a divided model, named by its place in the
/// undivided one (E-014).
struct SourceOperation {
  uint32_t model = 0;
  uint32_t operation = 0;
};

/// The report of a preparation through a cache.
struct CacheReport {
  CacheOutcome outcome = CacheOutcome::off;
  /// A sentence about a miss, or about why there is no caching.
  std::string detail;
  /// Why nothing was left in the cache, if that was tried; otherwise off.
  CacheOutcome saveProblem = CacheOutcome::off;
  std::string saveDetail;
  /// True when somebody else was compiling the same model meanwhile.
  bool hasWaited = false;
};

/// The client's side of compilation caching (E.4): it prepares models from the
/// files of a directory, and leaves newly compiled ones there.
///
/// The directory may be shared by processes, and lost or damaged at any time
/// (E-008). Of several that want the same compilation at once one compiles, the
/// others wait and load. An entry appears whole: it is written under other
/// names and then renamed, the model-cache file last. The remains of a process
/// that died are removed by the next that saves.
///
/// Threads:   any.
/// Failures:  no trouble with the cache fails a preparation (E-007, E-033).
class NNHAL_API CompilationCache {
public:
  struct Options {
    /// The directory, which has to exist: nobody creates it here.
    std::string directory;
    /// The time to wait for somebody else who compiles the same model, in
    /// nanoseconds. After it the model is compiled without the cache.
    int64_t lockTimeout = 120'000'000'000;
    /// The time to wait where other users can open the lock file, and so can
    /// hold its lock without compiling anything. The shorter of the two times
    /// counts.
    int64_t foreignLockTimeout = 500'000'000;
    /// No log is written when this is null.
    std::shared_ptr<const Log> log;
    /// Nothing is traced when this is null.
    std::shared_ptr<Tracer> tracer;
  };
  explicit CompilationCache(Options options);

  /// Gives the model, which is valid until prepare() returns. It is called only
  /// when something has to be compiled.
  using ModelSource = std::function<Result<const AnnotatedModel *>()>;

  /// Prepares the model that \p source gives, or would give, on \p device.
  /// \p application is the application's token; without it, or with a device
  /// that keeps no caches, nothing is cached. \p partition has the operations
  /// of a step of a divided model, and nothing for a model that the device
  /// executes wholly.
  ///
  /// \p observer receives everything but the reports about caching, which are
  /// in \p report. Fails with the failures of \p source and
  /// Device::prepareModel().
  Result<PreparedModelRef>
  prepare(const Device &device, const std::optional<CacheToken> &application,
          std::span<const SourceOperation> partition, const ModelSource &source,
          const PrepareOptions &options, CacheReport &report,
          const PrepareObserver &observer = {}) const;

  /// Returns the token that prepare() gives to \p device, or nothing where
  /// there is none (E-018).
  static std::optional<CacheToken>
  tokenFor(const Device &device, const std::optional<CacheToken> &application,
           std::span<const SourceOperation> partition,
           const PrepareOptions &options);

  /// The directory, with a slash at its end (E-004).
  const std::string &directory() const { return options.directory; }

private:
  class Attempt;

  Options options;
};

} // namespace nnhal::rt

#endif // NNHAL_RUNTIME_COMPILATIONCACHE_H
