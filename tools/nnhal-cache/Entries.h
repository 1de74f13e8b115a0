//===- Entries.h - The contents of a cache directory ------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_TOOLS_NNHAL_CACHE_ENTRIES_H
#define NNHAL_TOOLS_NNHAL_CACHE_ENTRIES_H

#include "Runtime/Caching/CacheEntry.h"
#include "nnhal/Runtime/CacheToken.h"

#include <map>
#include <string>
#include <vector>

namespace nnhal::cachetool {

/// The state of an entry, as far as it is known.
enum class State {
  whole,
  /// The verdict says in which way.
  damaged,
  /// A process holds the lock of the entry, or a file went away while the
  /// directory was read.
  beingWritten,
  /// This user may not open a file of the entry.
  unreadable
};

/// The files of one token.
struct Entry {
  rt::CacheToken token = {};
  /// Names in the directory, in the order of their numbers.
  std::vector<std::string> modelFiles;
  std::vector<std::string> dataFiles;
  /// The size of all files together.
  uint64_t bytes = 0;
  /// Since the newest file was written.
  int64_t ageSeconds = 0;
  /// The statements of the header, when it makes any.
  rt::CacheEntryInfo info;
  rt::CacheVerdict verdict;
  State state = State::whole;
};

/// A file that a process is writing, or has left behind when it died.
struct Leftover {
  std::string name;
  uint64_t bytes = 0;
  int64_t ageSeconds = 0;
};

struct Directory {
  /// The entries are sorted by name, so that two listings can be compared.
  std::vector<Entry> entries;
  std::vector<Leftover> leftovers;
};

/// The depth to which an entry is looked at.
enum class Depth {
  /// Whether the sizes fit the header.
  header,
  /// Every byte.
  everything
};

/// Reads the directory \p path as it is at \p now, in seconds since 1970. Files
/// that have nothing to do with a cache are passed over; one that disappears
/// meanwhile is not an error. Fails with generalFailure when the directory
/// cannot be read.
rt::Result<Directory> readDirectory(const std::string &path, int64_t now,
                                    Depth depth);

/// Whether other users could have written to the files of \p entry.
rt::CacheVerdict checkOwner(const std::string &directory, const Entry &entry);

/// Removes the files of \p entry, such that at no moment a half of it looks
/// like an entry. Returns the bytes that were freed.
rt::Result<uint64_t> removeEntry(const std::string &directory,
                                 const Entry &entry);
rt::Status removeFile(const std::string &directory, const std::string &name);

} // namespace nnhal::cachetool

#endif // NNHAL_TOOLS_NNHAL_CACHE_ENTRIES_H
