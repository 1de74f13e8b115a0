//===- CacheEntry.h - The files of a compilation cache ----------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// An entry of a compilation cache is two files: one with the model cache of an
// artifact (ModelCache.h) behind a header that says what it was made from and
// by whom, one with its data cache behind a short header that ties it to the
// first. A device may have up to 32 files of each kind: then the first file,
// which is one of the model cache where there are any, also lists the sizes and
// digests of all. docs/Internals/ModelCacheFormat.md has the bytes.
//
// The statements of a header explain a miss and list a directory. They never
// make a hit, because anybody can write a header: the SHA-256 of the whole file
// does, which the device remembers elsewhere (E-058).
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_RUNTIME_CACHING_CACHEENTRY_H
#define NNHAL_LIB_RUNTIME_CACHING_CACHEENTRY_H

#include "nnhal/Runtime/CacheHandles.h"
#include "nnhal/Runtime/Status.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace nnhal::rt {

using Sha256Digest = std::array<uint8_t, 32>;

/// Everything that a compilation depends on beside the model: a digest of each
/// part.
struct CacheIdentity {
  /// The device's name and version, for people; at most 63 bytes are kept.
  std::string device;
  std::string deviceVersion;
  /// Name, version and build of the device and its runtime.
  Sha256Digest driver = {};
  Sha256Digest compiler = {};
  /// The features that the CPU can execute.
  Sha256Digest cpu = {};
  /// The compile options, rounding among them.
  Sha256Digest options = {};
  bool operator==(const CacheIdentity &) const = default;
};

/// The header of the first file of an entry.
struct CacheEntryInfo {
  uint32_t modelFiles = 1;
  uint32_t dataFiles = 1;
  CacheToken token = {};
  std::optional<ContentKey> contentKey;
  CacheIdentity identity;
  /// The sizes of the artifact's two parts, without the headers of the files.
  /// An entry with a list of files has here the size of everything that follows
  /// the header, and 0.
  uint64_t modelCacheSize = 0;
  uint64_t dataCacheSize = 0;
  /// SHA-256 of the two parts.
  Sha256Digest modelCacheDigest = {};
  Sha256Digest dataCacheDigest = {};
  bool operator==(const CacheEntryInfo &) const = default;
};

/// Sizes of the headers, which stand at the beginning of their files.
inline constexpr uint64_t cacheEntryHeaderSize = 512;
inline constexpr uint64_t cacheDataHeaderSize = 4096;
/// Larger model-cache files are not read: far above what a compiler writes.
inline constexpr uint64_t maxModelCacheFile = uint64_t(1) << 30;

/// The contents of one file of an entry.
struct CacheFileInfo {
  uint64_t size = 0;
  Sha256Digest digest = {};
  bool operator==(const CacheFileInfo &) const = default;
};

/// All files of an entry that has not one of each kind.
struct CacheFileList {
  std::vector<CacheFileInfo> modelCache;
  std::vector<CacheFileInfo> dataCache;
  bool operator==(const CacheFileList &) const = default;
};

/// Whether an entry with these numbers of files has a list of them.
constexpr bool hasFileList(size_t modelFiles, size_t dataFiles) {
  return modelFiles != 1 || dataFiles != 1;
}

/// The verdict about a file, with a sentence for a person.
struct CacheVerdict {
  CacheOutcome outcome = CacheOutcome::hit;
  std::string detail;

  bool isHit() const { return outcome == CacheOutcome::hit; }
};

/// Fills in the sizes and digests of \p info from the two parts.
void describeParts(std::span<const std::byte> modelCache,
                   std::span<const std::byte> dataCache, CacheEntryInfo &info);

/// The headers of the two files of an entry: equal values give equal bytes.
std::vector<std::byte> writeCacheEntryHeader(const CacheEntryInfo &info);
std::vector<std::byte> writeCacheDataHeader(const CacheEntryInfo &info);

/// Reads the header of \p file, a whole model-cache file, into \p info, which
/// is unspecified when the verdict is not a hit. Checks that the file is
/// complete; with \p checkParts also that the model cache is the one that the
/// header speaks of. Total: any bytes are answered.
CacheVerdict readCacheEntry(std::span<const std::byte> file,
                            CacheEntryInfo &info, bool checkParts = true);

/// Checks the header and the size of a data-cache file that belongs to
/// \p info: \p header is its first cacheDataHeaderSize bytes, or all of a
/// shorter file.
CacheVerdict checkCacheDataHeader(std::span<const std::byte> header,
                                  uint64_t fileSize,
                                  const CacheEntryInfo &info);

/// Checks a whole data-cache file like checkCacheDataHeader(), and that the
/// constants have the digest that \p info states. Loads do without it, since
/// hundreds of megabytes would be read for it: constants cannot make code leave
/// its bounds, which the compiler's last pass verifies.
CacheVerdict checkCacheData(std::span<const std::byte> file,
                            const CacheEntryInfo &info);

/// The list as it stands behind the header of the first file.
std::vector<std::byte> writeCacheFileList(const CacheFileList &files);

/// Reads the list at the beginning of \p contents, which are all that follows
/// the header of an undamaged first file that states the counts of \p info.
/// \p listSize is where the contents of the first file begin.
CacheVerdict readCacheFileList(std::span<const std::byte> contents,
                               const CacheEntryInfo &info, CacheFileList &files,
                               uint64_t &listSize);

/// Returns the values from which the header of a data-cache file with the
/// contents \p file is made.
CacheEntryInfo dataFileInfo(CacheEntryInfo info, const CacheFileInfo &file);

/// Whether \p file, a model-cache file that is not the first one, has the
/// contents that the list states.
CacheVerdict checkCacheModelFile(std::span<const std::byte> file,
                                 const CacheFileInfo &info);

/// Whether an undamaged entry is the one that is asked for: the first
/// difference of token, driver, compiler, CPU, options and content key, of
/// which the last counts where it is given.
CacheVerdict compareCacheEntry(const CacheEntryInfo &info,
                               const CacheToken &token,
                               const CacheIdentity &identity,
                               const std::optional<ContentKey> &contentKey);

/// Whether others than this user could have put files into the directory
/// \p path, or replaced them: missWritableByOthers where it belongs to another
/// user than this one and root, or where group or others can write to it and it
/// is not sticky. A hit otherwise, and for what is not a directory.
CacheVerdict checkCacheDirectory(const std::string &path);

/// Whether others could have written to the file \p fd, which a sentence calls
/// \p what: missWritableByOthers where group or others can write to it and it
/// has a name. A hit otherwise.
CacheVerdict checkCacheFileMode(int fd, std::string_view what);
/// Checks like checkCacheFileMode(), and that the file belongs to this user.
/// This is for files that a process found under their names; a device may be
/// lent those of another user.
CacheVerdict checkCacheFileOwner(int fd, std::string_view what);

/// SHA-256 of \p bytes.
Sha256Digest sha256(std::span<const std::byte> bytes);
/// SHA-256 of \p texts, each with its length before it.
Sha256Digest sha256OfTexts(std::span<const std::string_view> texts);

} // namespace nnhal::rt

#endif // NNHAL_LIB_RUNTIME_CACHING_CACHEENTRY_H
