//===- CompilationCache.cpp - A directory of compiled models --------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "nnhal/Runtime/CompilationCache.h"

#include "CacheDirectory.h"

#include "Runtime/Support/LogFormat.h"
#include "nnhal/Runtime/Log.h"
#include "nnhal/Runtime/Trace.h"

#include <algorithm>
#include <chrono>
#include <sys/stat.h>
#include <thread>

using namespace nnhal::rt;

CompilationCache::CompilationCache(Options given) : options(std::move(given)) {
  // Files lie in the directory rather than beside it (E-004).
  if (!options.directory.ends_with('/'))
    options.directory += '/';
  if (!options.log)
    options.log = std::make_shared<Log>();
}

std::optional<CacheToken> CompilationCache::tokenFor(
    const Device &device, const std::optional<CacheToken> &application,
    std::span<const SourceOperation> partition, const PrepareOptions &options) {
  CacheFiles files = device.cacheFiles();
  // Caching needs a device of HAL 1.2 or later (E-034).
  bool keepsEntries = files.modelCache + files.dataCache > 0 &&
                      device.halVersion() >= HalVersion::V1_2;
  if (!keepsEntries)
    return std::nullopt;
  CacheTokenBuilder builder(application);
  for (const SourceOperation &source : partition)
    builder.addOperation(source.model, source.operation);
  builder.addDevice(device.name(), device.version(),
                    int32_t(options.preference), int32_t(options.priority));
  builder.finish();
  return builder.token();
}

/// One preparation, with what its steps share.
class CompilationCache::Attempt {
public:
  Attempt(const Options &cache, const Device &device, const CacheToken &token,
          const PrepareOptions &given, const PrepareObserver &observer,
          CacheReport &report)
      : cache(cache), device(device), token(token), options(given),
        observer(observer), report(report),
        names(cache.directory, token, device.cacheFiles()) {}

  Result<PreparedModelRef> run(const ModelSource &source) {
    CacheVerdict directory = checkCacheDirectory(cache.directory);
    if (!directory.isHit()) {
      set(directory.outcome, directory.detail);
      return compile(source, std::nullopt,
                     "what is saved there would not be believed");
    }
    if (PreparedModelRef prepared = load())
      return prepared;
    lock = EntryLock::open(cache.directory);
    if (!lock)
      return compile(source, std::nullopt,
                     fmt::format("cannot write to '{}'", cache.directory));
    if (!waitForLock())
      return compile(source, std::nullopt,
                     lock->isPrivate()
                         ? "somebody else is compiling the same for too long"
                         : fmt::format("the lock of '{}' is held, which other "
                                       "users can open: nobody waits for it "
                                       "for long",
                                       cache.directory));
    Result<PreparedModelRef> prepared = prepareLocked(source);
    lock->unlock(token);
    return prepared;
  }

private:
  Result<PreparedModelRef> prepareLocked(const ModelSource &source) {
    // Another process that held the lock, or came and went before it was taken,
    // may have done the work.
    if (std::string now = names.stamp(); !now.empty() && now != stamp)
      if (PreparedModelRef prepared = load())
        return prepared;
    lock->removeLeftovers(cache.directory, token);
    std::optional<OpenEntry> files = names.create();
    return compile(source, std::move(files),
                   fmt::format("cannot create files in '{}'", cache.directory));
  }

  /// Loads from the files that are there; null when they do not serve.
  PreparedModelRef load() {
    stamp = names.stamp();
    std::optional<OpenEntry> files = names.open();
    if (!files) {
      set(CacheOutcome::missAbsent, "there is no entry");
      return nullptr;
    }
    if (!files->trust.isHit()) {
      set(files->trust.outcome, files->trust.detail);
      return nullptr;
    }
    bool isTold = false;
    PrepareObserver loading = observer;
    loading.cacheObserver = [&](CacheOutcome outcome, std::string_view detail) {
      isTold = true;
      set(outcome, detail);
    };
    auto prepared =
        device.prepareModelFromCache(files->handles(), token, options, loading);
    if (prepared.isOk() && *prepared) {
      set(CacheOutcome::hit, "");
      return *prepared;
    }
    // A device need not say more than its status does.
    if (!isTold || report.outcome == CacheOutcome::hit)
      set(CacheOutcome::missUnreadable, prepared.isOk()
                                            ? "the device gave no model"
                                            : prepared.status().message());
    return nullptr;
  }

  void set(CacheOutcome outcome, std::string_view detail) {
    report.outcome = outcome;
    report.detail = detail;
  }

  bool waitForLock() {
    using namespace std::chrono;
    if (lock->tryLock(token))
      return true;
    report.hasWaited = true;
    TraceSection section(cache.tracer.get(), TraceLayer::runtime,
                         TracePhase::unspecified,
                         "waiting for another compilation of the same model");
    int64_t timeout = cache.lockTimeout;
    if (lock->isPrivate()) {
      writeLog(*cache.log, LogTag::compilation,
               "cache: somebody else is compiling the same");
    } else {
      timeout = std::min(timeout, cache.foreignLockTimeout);
      writeLog(*cache.log, LogTag::compilation,
               "cache: somebody else holds the lock of '{}', which "
               "other users can open: waiting {} ms at most",
               cache.directory, timeout / 1'000'000);
    }
    auto now = [] {
      return duration_cast<nanoseconds>(steady_clock::now().time_since_epoch())
          .count();
    };
    Deadline begin = now();
    Deadline end = timeout > noDeadline - begin ? noDeadline : begin + timeout;
    end = std::min(end, options.deadline);
    milliseconds pause(1);
    while (now() < end) {
      std::this_thread::sleep_for(pause);
      if (lock->tryLock(token))
        return true;
      pause = std::min(pause * 2, milliseconds(16));
    }
    set(CacheOutcome::missLocked, "somebody else is compiling the same");
    return false;
  }

  /// Compiles into \p files; without them, for \p reason, into nothing.
  Result<PreparedModelRef> compile(const ModelSource &source,
                                   std::optional<OpenEntry> files,
                                   std::string reason) {
    report.saveProblem = CacheOutcome::off;
    if (!files) {
      bool isReason = report.outcome == CacheOutcome::missLocked ||
                      report.outcome == CacheOutcome::missWritableByOthers;
      report.saveProblem =
          isReason ? report.outcome : CacheOutcome::missUnreadable;
      report.saveDetail = std::move(reason);
    }
    PrepareOptions compiling = options;
    // The token is passed even when there are no handles to save with (E-029).
    compiling.token = token;
    if (files)
      compiling.cache = files->handles();
    PrepareObserver told = observer;
    told.cacheObserver = [&](CacheOutcome outcome, std::string_view detail) {
      report.saveProblem = outcome;
      report.saveDetail = detail;
    };
    auto prepared = prepareFrom(source, compiling, told);
    if (files)
      settle(*files, prepared.isOk());
    return prepared;
  }

  Result<PreparedModelRef> prepareFrom(const ModelSource &source,
                                       const PrepareOptions &compiling,
                                       const PrepareObserver &told) {
    NNHAL_ASSIGN_OR_RETURN(const AnnotatedModel *model, source());
    return device.prepareModel(*model, compiling, told);
  }

  /// Makes an entry of what the device has left in the files, or nothing.
  void settle(const OpenEntry &files, bool isPrepared) {
    if (!isPrepared || report.saveProblem != CacheOutcome::off) {
      names.discard();
      return;
    }
    Status published = names.publish();
    if (published.isOk())
      return;
    report.saveProblem = CacheOutcome::missUnreadable;
    report.saveDetail = published.message();
  }

  const Options &cache;
  const Device &device;
  const CacheToken token;
  const PrepareOptions &options;
  const PrepareObserver &observer;
  CacheReport &report;
  EntryNames names;
  std::optional<EntryLock> lock;
  /// The stamp of the files that were tried.
  std::string stamp;
};

/// Says how it went, in the log and in the trace.
static void publish(const CacheReport &report, const Log &log, Tracer *tracer,
                    int64_t begin) {
  std::string text = "cache: ";
  text += isMiss(report.outcome)
              ? fmt::format("miss, {} ({})", toString(report.outcome),
                            report.detail)
              : std::string(toString(report.outcome));
  if (report.saveProblem != CacheOutcome::off)
    text += fmt::format("; not saved, {} ({})", toString(report.saveProblem),
                        report.saveDetail);
  writeLog(log, LogTag::compilation, "{}", text);
  if (tracer)
    tracer->addSection({TraceLayer::runtime, TracePhase::preparation}, text,
                       begin, tracer->now());
}

Result<PreparedModelRef> CompilationCache::prepare(
    const Device &device, const std::optional<CacheToken> &application,
    std::span<const SourceOperation> partition, const ModelSource &source,
    const PrepareOptions &given, CacheReport &report,
    const PrepareObserver &observer) const {
  report = {};
  Tracer *tracer = options.tracer.get();
  int64_t begin = tracer ? tracer->now() : 0;
  auto token = tokenFor(device, application, partition, given);
  if (!token) {
    report.detail = application ? "the device keeps no compiled models"
                                : "there is no token";
    NNHAL_ASSIGN_OR_RETURN(const AnnotatedModel *model, source());
    return device.prepareModel(*model, given, observer);
  }
  auto prepared =
      Attempt(options, device, *token, given, observer, report).run(source);
  publish(report, *options.log, tracer, begin);
  return prepared;
}
