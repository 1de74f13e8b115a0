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

/// An operation of a step of a divided model, by where it came from (E-014).
struct SourceOperation {
  uint32_t model = 0;
  uint32_t operation = 0;
};

/// How a preparation through a cache went.
struct CacheReport {
  CacheOutcome outcome = CacheOutcome::off;
  /// A sentence about a miss, or about why there is no caching.
  std::string detail;
  /// Why nothing was left in the cache, if that was tried; otherwise off.
  CacheOutcome saveProblem = CacheOutcome::off;
  std::string saveDetail;
  /// Somebody else was compiling the same.
  bool hasWaited = false;
};

/// The client's side of compilation caching (E.4): prepares models from the
/// files of a directory, and leaves there what had to be compiled.
///
/// The directory may be shared by processes, and lost or damaged at any time
/// (E-008). Of several that want the same compilation at once one compiles, the
/// others wait and load. An entry appears whole: it is written under other
/// names and then renamed, the model-cache file last. What is left of a process
/// that died is removed by the next that saves.
///
/// Threads:  any.
/// Failures: nothing about the cache fails a preparation (E-007, E-033).
class NNHAL_API CompilationCache {
public:
  struct Options {
    /// That exists; created by nobody here.
    std::string directory;
    /// How long to wait for somebody else who compiles the same, in
    /// nanoseconds; afterwards it is compiled without the cache.
    int64_t lockTimeout = 120'000'000'000;
    /// The same where other users can open the lock file, and so hold its lock
    /// without compiling anything. The shorter of both counts.
    int64_t foreignLockTimeout = 500'000'000;
    /// Null: silent.
    std::shared_ptr<const Log> log;
    /// Null: not traced.
    std::shared_ptr<Tracer> tracer;
  };
  explicit CompilationCache(Options options);

  /// Gives the model, valid until prepare() returns. Asked only when something
  /// has to be compiled.
  using ModelSource = std::function<Result<const AnnotatedModel *>()>;

  /// Prepares what \p source gives, or would give, on \p device. \p application
  /// is the application's token; without it, or with a device that keeps no
  /// caches, nothing is cached. \p partition has the operations of a step of a
  /// divided model, and nothing for a model that the device has all of.
  ///
  /// \p observer is told of all but caching: \p report has that. Fails with
  /// what
  /// \p source or Device::prepareModel() reports.
  Result<PreparedModelRef>
  prepare(const Device &device, const std::optional<CacheToken> &application,
          std::span<const SourceOperation> partition, const ModelSource &source,
          const PrepareOptions &options, CacheReport &report,
          const PrepareObserver &observer = {}) const;

  /// The token that prepare() gives to \p device; nothing where there is none
  /// (E-018).
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
