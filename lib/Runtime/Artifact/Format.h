//===- Format.h - Byte layout of the two containers -------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// docs/Internals/ModelCacheFormat.md in constants. Private to
// lib/Runtime/Artifact.
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_RUNTIME_ARTIFACT_FORMAT_H
#define NNHAL_LIB_RUNTIME_ARTIFACT_FORMAT_H

#include "ModelCache.h"

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <type_traits>

namespace nnhal::rt::cache {

static_assert(std::endian::native == std::endian::little,
              "fields are read and written in place");

using Magic = std::array<char, 8>;

/// The byte 0x1A stops a terminal from printing the rest.
inline constexpr Magic modelCacheMagic = {'N', 'N', 'H', 'A',
                                          'L', 'M', 'C', 0x1A};
inline constexpr Magic bundleMagic = {'N', 'N', 'H', 'A', 'L', 'B', 'N', 0x1A};

inline constexpr uint32_t formatMajor = 1;
inline constexpr uint32_t formatMinor = 0;

/// Code sections start at multiples of a page, as does a bundle's data cache.
inline constexpr uint64_t sectionAlignment = 4096;

using Digest = std::array<uint8_t, 32>;

/// The first bytes of a model cache. The digest covers the file except itself.
struct ModelCacheHeader {
  Magic magic;
  uint32_t major;
  uint32_t minor;
  uint32_t headerSize;
  uint32_t reserved;
  uint64_t totalSize;
  uint64_t manifestOffset;
  uint64_t manifestSize;
  Digest digest;
};
static_assert(sizeof(ModelCacheHeader) == 80 &&
              std::is_trivially_copyable_v<ModelCacheHeader>);

/// The first bytes of a bundle.
struct BundleHeader {
  Magic magic;
  uint32_t major;
  uint32_t minor;
  uint64_t modelCacheOffset;
  uint64_t modelCacheSize;
  uint64_t dataCacheOffset;
  uint64_t dataCacheSize;
};
static_assert(sizeof(BundleHeader) == 48 &&
              std::is_trivially_copyable_v<BundleHeader>);

inline constexpr Magic entryMagic = {'N', 'N', 'H', 'A', 'L', 'C', 'E', 0x1A};
inline constexpr Magic dataMagic = {'N', 'N', 'H', 'A', 'L', 'C', 'D', 0x1A};
inline constexpr uint32_t entryVersion = 1;

/// The first bytes of a model-cache file, before the model cache. In every
/// version it ends with a SHA-256 of itself, so that a damaged version number
/// is not taken for another version.
struct EntryHeader {
  Magic magic;
  uint32_t version;
  uint32_t headerSize;
  /// The size of the file.
  uint64_t totalSize;
  /// Bytes of constants.
  uint64_t dataCacheSize;
  uint32_t hasContentKey;
  /// Files of the model cache in the lower 16 bits, of the data cache above; 0
  /// stands for one of each.
  uint32_t fileCounts;
  Digest token;
  Digest contentKey;
  Digest driver;
  Digest compiler;
  Digest cpu;
  Digest options;
  Digest modelCacheDigest;
  Digest dataCacheDigest;
  std::array<char, 64> device;
  std::array<char, 64> deviceVersion;
  std::array<std::byte, 56> zeros;
  Digest headerDigest;
};
static_assert(sizeof(EntryHeader) == 512 &&
              offsetof(EntryHeader, headerDigest) == 480 &&
              std::is_trivially_copyable_v<EntryHeader>);

/// The first bytes of a data-cache file; a page, so that constants can be
/// mapped.
struct DataHeader {
  Magic magic;
  uint32_t version;
  uint32_t headerSize;
  uint64_t totalSize;
  uint64_t reserved;
  Digest token;
  Digest dataCacheDigest;
  std::array<std::byte, 4000> zeros;
};
static_assert(sizeof(DataHeader) == 4096 &&
              std::is_trivially_copyable_v<DataHeader>);

inline constexpr Magic listMagic = {'N', 'N', 'H', 'A', 'L', 'C', 'F', 0x1A};

/// The beginning of the list of files, which stands behind the entry header of
/// an entry that has not one file of each kind. Filled with zeros to a multiple
/// of listAlignment.
struct FileListHeader {
  Magic magic;
  uint32_t modelFiles;
  uint32_t dataFiles;
};
static_assert(sizeof(FileListHeader) == 16 &&
              std::is_trivially_copyable_v<FileListHeader>);

/// One per file, those of the model cache first.
struct FileRecord {
  /// The size of the contents, without the headers of files.
  uint64_t size;
  Digest digest;
};
static_assert(sizeof(FileRecord) == 40 &&
              std::is_trivially_copyable_v<FileRecord>);

inline constexpr uint64_t listAlignment = 64;

// Bounds of a well-formed manifest: far above what a compiler writes, far
// below what would let a damaged file make the reader allocate.
inline constexpr uint64_t maxTensors = 1u << 16;
inline constexpr uint64_t maxRank = 256;
inline constexpr uint64_t maxTensorBytes = UINT32_MAX;
inline constexpr uint64_t maxEntries = 1u << 12;
inline constexpr uint64_t maxCodeSections = 1u << 8;
inline constexpr uint64_t maxRegions = 1u << 20;
inline constexpr uint64_t maxRoutineSlots = 1u << 12;
inline constexpr uint64_t maxExtensions = 1u << 12;
inline constexpr uint64_t maxSymbolLength = 255;
inline constexpr uint64_t maxStringLength = 1u << 16;
inline constexpr uint64_t maxMemorySize = maxDataCacheSize;

inline constexpr uint64_t alignTo(uint64_t value, uint64_t alignment) {
  return (value + alignment - 1) / alignment * alignment;
}

/// \p bytes must hold at least sizeof(Header).
template <typename Header> Header loadHeader(std::span<const std::byte> bytes) {
  Header header;
  std::memcpy(&header, bytes.data(), sizeof(Header));
  return header;
}

/// SHA-256 of \p bytes, a whole model cache, except the digest itself.
Digest digestOfModelCache(std::span<const std::byte> bytes);

} // namespace nnhal::rt::cache

#endif // NNHAL_LIB_RUNTIME_ARTIFACT_FORMAT_H
