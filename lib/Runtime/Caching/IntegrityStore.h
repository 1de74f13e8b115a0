//===- IntegrityStore.h - Entries that a device wrote -----------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_RUNTIME_CACHING_INTEGRITYSTORE_H
#define NNHAL_LIB_RUNTIME_CACHING_INTEGRITYSTORE_H

#include "Database.h"

#include <mutex>

namespace nnhal::rt::cache {

/// The device's map from tokens to the SHA-256 of model-cache files that it
/// wrote for them (E-058). It outlives the process; a file that it does not
/// know is never executed.
///
/// A token has the last few hashes, not one: an earlier file stays valid until
/// its successor has taken its place, and two clients that chose the same
/// token do not invalidate each other (E-065).
///
/// Threads:  any; processes share it (E-064).
/// Blocking: while another process writes, at most some seconds.
class IntegrityStore {
public:
  struct Options {
    std::string directory;
    /// The name of the file: one per device.
    std::string name;
    /// The identity of driver and compiler: what others have recorded is not
    /// known to these (E-059).
    Sha256Digest identity = {};
    /// The number of entries that are kept; beyond it the least recently used
    /// goes.
    int64_t maxEntries = 4096;
    int64_t maxHashesPerToken = 4;
    int busyMilliseconds = 2000;
    /// The clock in seconds; the system's when it is empty.
    std::function<int64_t()> clock;
  };

  /// Opens the store. Fails with generalFailure when the directory or the file
  /// cannot be used; the message says why.
  static Result<std::unique_ptr<IntegrityStore>> open(Options options);

  /// Remembers that a file with \p hash was written for \p token.
  Status record(const CacheToken &token, const Sha256Digest &hash);

  /// Whether it was. A yes counts as a use.
  Result<bool> isRecorded(const CacheToken &token, const Sha256Digest &hash);

  /// The number of hashes, those of other drivers and compilers included.
  Result<int64_t> count();

private:
  IntegrityStore(Options options, std::unique_ptr<Database> database)
      : options(std::move(options)), database(std::move(database)) {}
  Sha256Digest rowOf(const CacheToken &token) const;
  Status evict(const Sha256Digest &row);
  Result<int64_t> countLocked();
  int64_t now() const;

  const Options options;
  std::mutex mutex;
  std::unique_ptr<Database> database;
};

} // namespace nnhal::rt::cache

#endif // NNHAL_LIB_RUNTIME_CACHING_INTEGRITYSTORE_H
