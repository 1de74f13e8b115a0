//===- NNCache.h - A blob cache in a file -----------------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_RUNTIME_NNCACHE_H
#define NNHAL_RUNTIME_NNCACHE_H

#include "nnhal/Runtime/Api.h"
#include "nnhal/Runtime/BlobCache.h"
#include "nnhal/Runtime/Status.h"

#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <sys/types.h>
#include <thread>

namespace nnhal::rt {

class Log;

/// Android's nnCache (E-091 to E-098): a blob cache that is kept in a file and
/// shared by the threads of a process. The program owns the object; a library
/// with the interface of Android has one for each process.
///
/// Threads:   every member may be called from any thread at once (E-092).
/// Blocking:  the first access after initialize() reads the file; terminate()
///            and the destructor write it.
/// Failures:  none reach the caller; those of files are logged as errors, and
///            the cache is then empty or not kept.
class NNHAL_API NNCache {
public:
  struct Options {
    /// Nothing is logged when this is null.
    std::shared_ptr<const Log> log;
    /// The time from the first value that is not in the file yet to the save
    /// (E-093).
    std::chrono::milliseconds saveDelay = std::chrono::seconds(4);
    /// A file of another build counts as empty.
    std::string buildId = defaultBuildId();
  };

  NNCache() : NNCache(Options()) {}
  explicit NNCache(Options options);
  /// Calls terminate().
  ~NNCache();
  NNCache(const NNCache &) = delete;
  NNCache &operator=(const NNCache &) = delete;

  /// Turns the cache on. The call is ignored when the cache is on: other limits
  /// or another policy need a terminate() before (E-098).
  void initialize(size_t maxKeySize, size_t maxValueSize, size_t maxTotalSize,
                  BlobCache::Policy policy = {});

  /// Saves now and turns the cache off: sets and gets do nothing from here on.
  void terminate();

  /// Keeps a value like BlobCache::set(); negative sizes are ignored.
  void setBlob(const void *key, ssize_t keySize, const void *value,
               ssize_t valueSize);

  /// Looks a value up like BlobCache::get(); returns 0 for negative sizes and
  /// while the cache is off.
  ssize_t getBlob(const void *key, ssize_t keySize, void *value,
                  ssize_t valueSize);
  /// Copies the value into memory that \p allocate returns, which then belongs
  /// to the caller. \p allocate must not call the cache.
  ssize_t getBlob(const void *key, ssize_t keySize, void **value,
                  const BlobCache::Allocate &allocate);

  /// Names the file to read before the first access and to write from now on;
  /// the empty name stands for none.
  void setCacheFilename(std::string path);

  /// Returns the version and the build of this library, in less than maxBuildId
  /// bytes.
  static std::string defaultBuildId();

private:
  struct Limits {
    size_t keySize;
    size_t valueSize;
    size_t totalSize;
    BlobCache::Policy policy;
  };

  // Callers hold the mutex.
  BlobCache &blobCache();
  void load();
  void save();
  void schedule();

  void saveLater();
  void report(const Status &status) const;

  const Options options;
  std::mutex mutex;
  /// The helper thread waits for this.
  std::condition_variable changed;
  std::optional<Limits> limits;
  std::unique_ptr<BlobCache> cache;
  std::string filename;
  /// The time at which the helper thread shall save.
  std::optional<std::chrono::steady_clock::time_point> saveAt;
  bool isEnding = false;
  std::thread helper;
};

} // namespace nnhal::rt

#endif // NNHAL_RUNTIME_NNCACHE_H
