//===- KernelStore.h - Machine code of kernels by content -------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_RUNTIME_CACHING_KERNELSTORE_H
#define NNHAL_LIB_RUNTIME_CACHING_KERNELSTORE_H

#include "CacheEntry.h"

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace nnhal::rt::cache {

class Database;

/// The machine code of kernels that compilations made, by the digests of the
/// kernels' content, and records of the operations that call them, shared by
/// all models and processes of a user. In a directory of the user alone: what
/// is in it is executed.
///
/// A file in which damage is found is replaced by an empty one, and an object
/// that is not what was kept is forgotten. A process that ends at any time, and
/// a machine that loses power, cost objects at most.
///
/// Threads:  any; processes share it.
/// Blocking: while another process writes, up to a fifth of a second.
class KernelStore {
public:
  struct Options {
    std::string directory;
    /// Names the build of the compiler, whose objects alone are found.
    std::string compiler;
    /// Beyond so many bytes of the file the objects go that have not been used
    /// for the longest time.
    int64_t maxBytes = int64_t(256) << 20;
    /// The clock in seconds; the system's when it is empty.
    std::function<int64_t()> clock;
  };

  /// Opens the store. Fails with generalFailure when the directory or the file
  /// cannot be used; the message says why.
  static Result<std::unique_ptr<KernelStore>> open(Options options);
  ~KernelStore();

  /// The object that was kept with \p key, unless it is gone or cannot be read.
  std::optional<std::vector<std::byte>> find(std::string_view key);

  /// An object to keep with a key.
  struct Entry {
    std::string_view key;
    std::span<const std::byte> object;
  };

  /// Keeps \p entries, in place of earlier ones with their keys: all of them or
  /// none. Each call takes a quarter of a millisecond and more.
  Status keep(std::span<const Entry> entries);
  Status keep(std::string_view key, std::span<const std::byte> object) {
    Entry entry{key, object};
    return keep({&entry, 1});
  }

  /// The number of objects, those of other builds of the compiler included.
  Result<int64_t> count();

private:
  KernelStore(Options options, std::unique_ptr<Database> database);
  Sha256Digest rowOf(std::string_view key) const;
  Status prune();
  int64_t now() const;

  const Options options;
  std::mutex mutex;
  std::unique_ptr<Database> database;
};

} // namespace nnhal::rt::cache

#endif // NNHAL_LIB_RUNTIME_CACHING_KERNELSTORE_H
