//===- ContentKeyStore.h - Content keys of unchanged files ------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_RUNTIME_CACHING_CONTENTKEYSTORE_H
#define NNHAL_LIB_RUNTIME_CACHING_CONTENTKEYSTORE_H

#include "CacheEntry.h"

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

namespace nnhal::rt {

namespace cache {
class Database;
}

/// The facts by which the system tells whether a file is unchanged: which file,
/// its size, and when content and properties last changed, in nanoseconds of
/// the system's clock.
struct FileStamp {
  uint64_t device = 0;
  uint64_t inode = 0;
  uint64_t size = 0;
  int64_t modified = 0;
  int64_t changed = 0;
  bool operator==(const FileStamp &) const = default;
};

/// Returns the stamp of the open file \p fd, or nothing unless it is a regular
/// file.
std::optional<FileStamp> stampOf(int fd);

/// Remembers the content keys of files, so that a warm start need not read, let
/// alone hash, hundreds of megabytes. In a directory of the user alone, as the
/// keys decide which compiled model passes for a file's.
///
/// A file in which damage is found is replaced by an empty one. A key stands
/// beside a digest of what it is the key of, so that a damaged one is not
/// given.
///
/// Threads: any; processes share it.
class ContentKeyStore {
public:
  struct Options {
    std::string directory;
    /// The identity of the code that turns files into models: what other code
    /// has remembered is not found.
    Sha256Digest identity = {};
    int64_t maxFiles = 1024;
    /// A file that has changed within this many nanoseconds is not remembered:
    /// it could change again without another stamp.
    int64_t settleTime = 2'000'000'000;
    /// The clock in nanoseconds; the system's when it is empty.
    std::function<int64_t()> clock;
  };

  /// Opens the store. Fails with generalFailure when the directory or the file
  /// cannot be used; the message says why.
  static Result<std::unique_ptr<ContentKeyStore>> open(Options options);
  ~ContentKeyStore();

  /// The key of the file with \p stamp, read as \p variant says (a digest of
  /// the options); nothing when it is not known.
  std::optional<ContentKey> find(const FileStamp &stamp,
                                 const Sha256Digest &variant);

  /// Remembers \p key, unless the file has just been changed. \p stamp was
  /// taken before the file was read, and was the same afterwards.
  Status remember(const FileStamp &stamp, const Sha256Digest &variant,
                  const ContentKey &key);

private:
  ContentKeyStore(Options options, std::unique_ptr<cache::Database> database);
  /// Goes on with a new file when damage was found in the present one.
  void repair();
  Sha256Digest rowOf(const Sha256Digest &variant) const;
  Sha256Digest checkOf(const FileStamp &stamp, const Sha256Digest &variant,
                       const ContentKey &key) const;
  Status write(const FileStamp &stamp, const Sha256Digest &variant,
               const ContentKey &key, int64_t now);

  const Options options;
  std::mutex mutex;
  std::unique_ptr<cache::Database> database;
};

/// Names the build of the library that \p function is part of, for
/// ContentKeyStore::Options::identity. Fails with invalidArgument when it
/// cannot be read.
Result<Sha256Digest> libraryDigest(const void *function);

} // namespace nnhal::rt

#endif // NNHAL_LIB_RUNTIME_CACHING_CONTENTKEYSTORE_H
