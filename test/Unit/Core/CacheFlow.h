//===- CacheFlow.h - A device that counts what it is asked ------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_TEST_UNIT_CORE_CACHEFLOW_H
#define NNHAL_TEST_UNIT_CORE_CACHEFLOW_H

#include "Runtime/Caching/CacheDirectory.h"
#include "Runtime/Support/Errors.h"

#include "nnhal/Runtime/CacheToken.h"
#include "nnhal/Runtime/CompilationCache.h"
#include "nnhal/Runtime/Log.h"
#include "nnhal/Runtime/Trace.h"

#include <gtest/gtest.h>

#include <fcntl.h>
#include <filesystem>
#include <functional>
#include <mutex>
#include <set>
#include <sys/stat.h>
#include <unistd.h>

namespace nnhal::rt::testing {

/// Only there to be returned.
class NoModel final : public PreparedModel {
public:
  const Interface &interface() const override { return face; }
  Status execute(const Request &, ExecutionResult &) const override {
    return failure("not executable");
  }
  Status executeAsync(Request, ExecutionCallback) const override {
    return failure("not executable");
  }
  Result<std::shared_ptr<FencedExecution>>
  executeFenced(Request, std::vector<FenceRef>,
                std::optional<uint64_t>) const override {
    return failure("not executable");
  }

private:
  Interface face;
};

/// The arguments of a call.
struct Call {
  CacheHandles handles;
  CacheToken token = {};
  Deadline deadline = noDeadline;
  /// The flags of the descriptors while the call ran.
  std::vector<int> flags;
  std::vector<unsigned> modes;
};

inline Call record(const CacheHandles &handles, const CacheToken &token,
                   const PrepareOptions &options) {
  Call call = {handles, token, options.deadline, {}, {}};
  for (const auto *list : {&handles.modelCache, &handles.dataCache})
    for (const std::vector<int> &handle : *list)
      for (int fd : handle) {
        struct stat info = {};
        fstat(fd, &info);
        call.flags.push_back(fcntl(fd, F_GETFL) & O_ACCMODE);
        call.modes.push_back(info.st_mode & 0777);
      }
  return call;
}

/// Counts what it is asked; leaves a word in each file.
///
/// Threads: may be asked by several at once, which the lists of calls survive.
class CountingDevice final : public Device {
public:
  std::string_view name() const override { return deviceName; }
  std::string_view version() const override { return deviceVersion; }
  DeviceType type() const override { return DeviceType::other; }
  HalVersion halVersion() const override { return version_; }
  const std::vector<Extension> &extensions() const override { return none; }
  CacheFiles cacheFiles() const override { return files; }
  DeviceTraits traits() const override { return {}; }
  const Capabilities &capabilities() const override { return figures; }
  DeviceStatus status() const override { return DeviceStatus::available; }
  Result<std::vector<Status>>
  supportedOperations(const AnnotatedModel &) const override {
    return std::vector<Status>();
  }
  Result<PreparedModelRef>
  prepareModel(const AnnotatedModel &, const PrepareOptions &options,
               const PrepareObserver &observer) const override {
    note(prepared, record(options.cache, options.token, options));
    NNHAL_RETURN_IF_ERROR(prepareStatus);
    if (whilePreparing)
      whilePreparing();
    for (const auto *list :
         {&options.cache.modelCache, &options.cache.dataCache})
      for (const std::vector<int> &handle : *list)
        if (write(handle.at(0), "word", 4) != 4)
          return failure("cannot write");
    if (saveProblem != CacheOutcome::off)
      observer.cacheObserver(saveProblem, "no room on the device");
    return PreparedModelRef(std::make_shared<NoModel>());
  }
  Status prepareModelAsync(std::shared_ptr<const AnnotatedModel>,
                           const PrepareOptions &, PrepareCallback,
                           const PrepareObserver &) const override {
    return failure("not asked");
  }
  Result<PreparedModelRef>
  prepareModelFromCache(const CacheHandles &handles, const CacheToken &token,
                        const PrepareOptions &options,
                        const PrepareObserver &) const override {
    note(loaded, record(handles, token, options));
    NNHAL_RETURN_IF_ERROR(loadStatus);
    if (givesNull)
      return PreparedModelRef();
    return PreparedModelRef(std::make_shared<NoModel>());
  }
  Result<PreparedModelRef>
  prepareModelFromArtifact(std::span<const std::byte>, const Memory &,
                           const PrepareOptions &) const override {
    return failure("not asked");
  }
  Result<std::shared_ptr<Buffer>>
  allocate(const BufferDesc &, std::span<const PreparedModelRef>,
           std::span<const BufferRole>,
           std::span<const BufferRole>) const override {
    return failure("not asked");
  }

  std::string deviceName = "test-counting";
  std::string deviceVersion = "1";
  HalVersion version_ = HalVersion::V1_3;
  CacheFiles files = {2, 1};
  Status prepareStatus;
  Status loadStatus;
  CacheOutcome saveProblem = CacheOutcome::off;
  bool givesNull = false;
  std::function<void()> whilePreparing;
  mutable std::vector<Call> prepared;
  mutable std::vector<Call> loaded;

private:
  void note(std::vector<Call> &calls, Call call) const {
    std::lock_guard lock(mutex);
    calls.push_back(std::move(call));
  }

  mutable std::mutex mutex;
  std::vector<Extension> none;
  Capabilities figures;
};

/// A directory, a device that counts, and one model for it.
class CacheFlow : public ::testing::Test {
protected:
  CacheFlow() {
    std::string pattern =
        std::filesystem::temp_directory_path() / "flow-XXXXXX";
    root = mkdtemp(pattern.data());
    directory = root / "cache";
    std::filesystem::create_directory(directory);
  }
  ~CacheFlow() override { std::filesystem::remove_all(root); }

  /// Prepares once; \p report says how.
  Status prepare() {
    device.prepared.clear();
    device.loaded.clear();
    cache.directory = directory;
    cache.log = log;
    cache.tracer = tracer;
    auto source = [&]() -> Result<const AnnotatedModel *> {
      ++sources;
      return &model;
    };
    return CompilationCache(cache)
        .prepare(device, application, partition, source, options, report)
        .status();
  }
  /// "from-cache:N prepare:N", and with how many handles.
  std::string calls() {
    std::string text;
    for (const Call &call : device.loaded)
      text += fmt::format("from-cache {}+{} ", call.handles.modelCache.size(),
                          call.handles.dataCache.size());
    for (const Call &call : device.prepared)
      text += fmt::format("prepare {}+{} ", call.handles.modelCache.size(),
                          call.handles.dataCache.size());
    return text;
  }
  /// Entries' files; not the lock.
  std::set<std::string> files() {
    std::set<std::string> names;
    for (const auto &file : std::filesystem::directory_iterator(directory))
      if (file.path().filename() != "nnhal.lock")
        names.insert(file.path().filename());
    return names;
  }

  CacheToken token() const {
    auto token =
        CompilationCache::tokenFor(device, application, partition, options);
    EXPECT_TRUE(token);
    return *token;
  }

  std::filesystem::path root;
  std::string directory;
  CompilationCache::Options cache;
  CountingDevice device;
  AnnotatedModel model;
  std::optional<CacheToken> application = CacheToken{7};
  std::vector<SourceOperation> partition;
  PrepareOptions options;
  CacheReport report;
  int sources = 0;
  std::string lines;
  std::shared_ptr<Log> log = std::make_shared<Log>(
      maskOf(LogTag::compilation),
      [this](std::string_view line) { (lines += line) += '\n'; });
  std::shared_ptr<Tracer> tracer = std::make_shared<Tracer>();
};

} // namespace nnhal::rt::testing

#endif // NNHAL_TEST_UNIT_CORE_CACHEFLOW_H
