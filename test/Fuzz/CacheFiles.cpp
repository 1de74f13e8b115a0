//===- CacheFiles.cpp - Fuzzes the files of caches ------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// The first byte of an input chooses what the rest is: the first file of an
// entry with the model cache, which mostly gets the digests of its header
// right; a list of files; the file of constants; a cache of byte strings.
//
//===----------------------------------------------------------------------===//

#include "FuzzTarget.h"
#include "SealedFile.h"

#include "Runtime/Artifact/Format.h"
#include "Runtime/Caching/CacheEntry.h"
#include "nnhal/Runtime/BlobCache.h"

#include <algorithm>
#include <cstring>

using namespace nnhal::rt;
using namespace nnhal::rt::fuzz;
using cache::DataHeader;
using cache::EntryHeader;

static void requireDetail(const CacheVerdict &verdict) {
  require(verdict.isHit() || !verdict.detail.empty(), "a miss says nothing");
}

static void readList(std::span<const std::byte> contents,
                     const CacheEntryInfo &info) {
  CacheFileList list;
  uint64_t size = 0;
  CacheVerdict verdict = readCacheFileList(contents, info, list, size);
  requireDetail(verdict);
  if (!verdict.isHit())
    return;
  require(size <= contents.size() &&
              list.modelCache.size() == info.modelFiles &&
              list.dataCache.size() == info.dataFiles,
          "a list is not as long as its entry says");
  // What fills the list up to its alignment may be anything.
  std::vector<std::byte> written = writeCacheFileList(list);
  require(written.size() == size, "a list has another size when written");
  written.insert(written.end(), contents.begin() + ptrdiff_t(size),
                 contents.end());
  CacheFileList again;
  uint64_t writtenSize = 0;
  require(readCacheFileList(written, info, again, writtenSize).isHit() &&
              again == list,
          "a round trip changes a list of files");
  for (const CacheFileInfo &file : list.modelCache)
    requireDetail(checkCacheModelFile(contents.subspan(size), file));
  for (const CacheFileInfo &file : list.dataCache)
    requireDetail(
        checkCacheData(contents.subspan(size), dataFileInfo(info, file)));
}

static void readEntry(std::span<const std::byte> file) {
  CacheEntryInfo info;
  requireDetail(readCacheEntry(file, info, /*checkParts=*/false));
  CacheVerdict verdict = readCacheEntry(file, info);
  requireDetail(verdict);
  if (!verdict.isHit())
    return;
  std::span<const std::byte> contents = file.subspan(sizeof(EntryHeader));
  // Nobody writes a name without a zero behind it.
  constexpr size_t maxName = 63;
  for (std::string *name :
       {&info.identity.device, &info.identity.deviceVersion})
    name->resize(std::min(name->size(), maxName));
  std::vector<std::byte> written = writeCacheEntryHeader(info);
  written.insert(written.end(), contents.begin(), contents.end());
  CacheEntryInfo again;
  require(readCacheEntry(written, again).isHit() && again == info,
          "a round trip changes the header of an entry");
  requireDetail(compareCacheEntry(info, {}, {}, {}));
  if (hasFileList(info.modelFiles, info.dataFiles))
    return readList(contents, info);
  requireReason(readModelCache(contents).status());
}

static void readData(std::span<const std::byte> file) {
  CacheEntryInfo info;
  info.dataCacheSize = file.size() - std::min(file.size(), sizeof(DataHeader));
  requireDetail(checkCacheDataHeader(
      file.first(std::min(file.size(), sizeof(DataHeader))), file.size(),
      info));
  requireDetail(checkCacheData(file, info));
}

static void readStrings(std::span<const std::byte> bytes) {
  BlobCache cache(64, 256, 1024);
  if (cache.unflatten(bytes) != 0) {
    require(cache.entryCount() == 0, "a damaged cache is not empty");
    return;
  }
  require(cache.totalSize() <= 1024, "a cache is beyond its limit");
  std::vector<std::byte> written(cache.getFlattenedSize());
  require(cache.flatten(written) == 0, "a cache cannot be written");
  BlobCache again(64, 256, 1024);
  require(again.unflatten(written) == 0 &&
              again.entryCount() == cache.entryCount(),
          "a round trip changes a cache");
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size == 0)
    return 0;
  std::span<const std::byte> rest = bytesOf(data, size).subspan(1);
  switch (data[0] % 8) {
  case 0:
    readData(rest);
    break;
  case 1:
    readStrings(rest);
    break;
  case 2: {
    CacheEntryInfo info;
    info.modelFiles = 2;
    info.dataFiles = data[0] / 8;
    readList(rest, info);
    break;
  }
  default:
    readEntry(rest);
    break;
  }
  return 0;
}

/// Makes sizes and digests of the header of an entry right.
static void sealEntry(std::span<std::byte> file) {
  if (file.size() < sizeof(EntryHeader))
    return;
  auto header = cache::loadHeader<EntryHeader>(file);
  header.magic = cache::entryMagic;
  header.version = cache::entryVersion;
  header.headerSize = sizeof(EntryHeader);
  header.totalSize = file.size();
  header.modelCacheDigest = sha256(file.subspan(sizeof(EntryHeader)));
  std::memcpy(file.data(), &header, sizeof(header));
  header.headerDigest = sha256(file.first(offsetof(EntryHeader, headerDigest)));
  std::memcpy(file.data(), &header, sizeof(header));
}

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size,
                                          size_t maxSize, unsigned seed) {
  Random random(seed);
  size = LLVMFuzzerMutate(data, size, maxSize);
  if (size <= 1 + sizeof(EntryHeader) || data[0] % 8 < 3 || random.oneOf(8))
    return size;
  std::span<std::byte> file =
      std::as_writable_bytes(std::span(data + 1, size - 1));
  if (random.oneOf(2))
    overwriteNumber(file, random);
  // The model cache inside may have its digest right, too.
  if (random.oneOf(2))
    sealModelCache(file.subspan(sizeof(EntryHeader)));
  sealEntry(file);
  return size;
}
