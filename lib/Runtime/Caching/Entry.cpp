//===- Entry.cpp - Headers of the files of a compilation cache ------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CacheEntry.h"

#include "Runtime/Artifact/Format.h"
#include "Runtime/Artifact/Sha256.h"

#include <fmt/format.h>

#include <algorithm>

using namespace nnhal::rt;
using namespace nnhal::rt::cache;

Sha256Digest nnhal::rt::sha256(std::span<const std::byte> bytes) {
  Sha256 hash;
  hash.update(bytes);
  return hash.finish();
}

Sha256Digest nnhal::rt::sha256OfTexts(std::span<const std::string_view> texts) {
  Sha256 hash;
  for (std::string_view text : texts)
    hash.text(text);
  return hash.finish();
}

void nnhal::rt::describeParts(std::span<const std::byte> modelCache,
                              std::span<const std::byte> dataCache,
                              CacheEntryInfo &info) {
  info.modelCacheSize = modelCache.size();
  info.dataCacheSize = dataCache.size();
  info.modelCacheDigest = sha256(modelCache);
  info.dataCacheDigest = sha256(dataCache);
}

/// Stores as much of \p text as fits with a zero byte after it.
static void setText(std::array<char, 64> &field, std::string_view text) {
  std::copy_n(text.begin(), std::min(text.size(), field.size() - 1),
              field.begin());
}

static std::string textOf(const std::array<char, 64> &field) {
  return {field.begin(), std::find(field.begin(), field.end(), '\0')};
}

template <typename Header>
static std::vector<std::byte> bytesOf(const Header &header) {
  auto bytes = std::as_bytes(std::span(&header, 1));
  return {bytes.begin(), bytes.end()};
}

static Digest digestOf(const EntryHeader &header) {
  return sha256(std::as_bytes(std::span(&header, 1))
                    .first(offsetof(EntryHeader, headerDigest)));
}

std::vector<std::byte>
nnhal::rt::writeCacheEntryHeader(const CacheEntryInfo &info) {
  EntryHeader header = {};
  header.magic = entryMagic;
  header.version = entryVersion;
  header.headerSize = sizeof(header);
  header.totalSize = sizeof(header) + info.modelCacheSize;
  header.dataCacheSize = info.dataCacheSize;
  header.hasContentKey = info.contentKey.has_value();
  if (hasFileList(info.modelFiles, info.dataFiles))
    header.fileCounts = info.modelFiles | info.dataFiles << 16;
  header.token = info.token;
  header.contentKey = info.contentKey.value_or(ContentKey());
  header.driver = info.identity.driver;
  header.compiler = info.identity.compiler;
  header.cpu = info.identity.cpu;
  header.options = info.identity.options;
  header.modelCacheDigest = info.modelCacheDigest;
  header.dataCacheDigest = info.dataCacheDigest;
  setText(header.device, info.identity.device);
  setText(header.deviceVersion, info.identity.deviceVersion);
  header.headerDigest = digestOf(header);
  return bytesOf(header);
}

std::vector<std::byte>
nnhal::rt::writeCacheDataHeader(const CacheEntryInfo &info) {
  DataHeader header = {};
  header.magic = dataMagic;
  header.version = entryVersion;
  header.headerSize = sizeof(header);
  header.totalSize = sizeof(header) + info.dataCacheSize;
  header.token = info.token;
  header.dataCacheDigest = info.dataCacheDigest;
  return bytesOf(header);
}

template <typename... Args>
static CacheVerdict miss(CacheOutcome outcome,
                         fmt::format_string<Args...> format, Args &&...args) {
  return {outcome, fmt::format(format, std::forward<Args>(args)...)};
}

/// Checks the statements of the header of a file of \p fileSize bytes.
static CacheVerdict checkHeader(const EntryHeader &header, uint64_t fileSize) {
  // First, so that a damaged field is not taken at its word.
  if (header.magic != entryMagic)
    return miss(CacheOutcome::missTampered,
                "the model-cache file does not begin with \"NNHALCE\\x1a\"");
  if (header.headerDigest != digestOf(header))
    return miss(CacheOutcome::missTampered,
                "the header of the model-cache file is damaged");
  if (header.version != entryVersion ||
      header.headerSize != cacheEntryHeaderSize)
    return miss(CacheOutcome::missFormatChanged,
                "the model-cache file has format version {} with a header of "
                "{} bytes, this version reads {} with {}",
                header.version, header.headerSize, entryVersion,
                cacheEntryHeaderSize);
  if (header.totalSize < cacheEntryHeaderSize ||
      header.dataCacheSize > maxMemorySize || header.hasContentKey > 1)
    return miss(CacheOutcome::missTampered,
                "the header of the model-cache file states sizes of {} and {} "
                "bytes",
                header.totalSize, header.dataCacheSize);
  uint32_t modelFiles = header.fileCounts & 0xFFFF;
  uint32_t dataFiles = header.fileCounts >> 16;
  if (modelFiles > maxCacheFiles || dataFiles > maxCacheFiles)
    return miss(CacheOutcome::missTampered,
                "the header of the model-cache file states {} model-cache and "
                "{} data-cache files, at most {} of each are read",
                modelFiles, dataFiles, maxCacheFiles);
  if (fileSize < header.totalSize)
    return miss(CacheOutcome::missTruncated,
                "the model-cache file has {} bytes instead of {}", fileSize,
                header.totalSize);
  if (fileSize > header.totalSize)
    return miss(CacheOutcome::missTampered,
                "the model-cache file has {} bytes instead of {}", fileSize,
                header.totalSize);
  return {};
}

CacheVerdict nnhal::rt::readCacheEntry(std::span<const std::byte> file,
                                       CacheEntryInfo &info, bool checkParts) {
  if (file.empty())
    return miss(CacheOutcome::missAbsent, "the model-cache file is empty");
  if (file.size() < cacheEntryHeaderSize)
    return miss(CacheOutcome::missTruncated,
                "the model-cache file has {} bytes, less than its header of {}",
                file.size(), cacheEntryHeaderSize);
  auto header = loadHeader<EntryHeader>(file);
  CacheVerdict verdict = checkHeader(header, file.size());
  if (!verdict.isHit())
    return verdict;
  info.modelFiles = header.fileCounts ? header.fileCounts & 0xFFFF : 1;
  info.dataFiles = header.fileCounts ? header.fileCounts >> 16 : 1;
  info.token = header.token;
  info.contentKey.reset();
  if (header.hasContentKey)
    info.contentKey = header.contentKey;
  info.identity = {textOf(header.device),
                   textOf(header.deviceVersion),
                   header.driver,
                   header.compiler,
                   header.cpu,
                   header.options};
  info.modelCacheSize = header.totalSize - cacheEntryHeaderSize;
  info.dataCacheSize = header.dataCacheSize;
  info.modelCacheDigest = header.modelCacheDigest;
  info.dataCacheDigest = header.dataCacheDigest;
  if (checkParts &&
      sha256(file.subspan(cacheEntryHeaderSize)) != info.modelCacheDigest)
    return miss(CacheOutcome::missTampered,
                "the model cache is not the one that its header speaks of");
  return {};
}

CacheVerdict nnhal::rt::checkCacheDataHeader(std::span<const std::byte> header,
                                             uint64_t fileSize,
                                             const CacheEntryInfo &info) {
  uint64_t expected = cacheDataHeaderSize + info.dataCacheSize;
  if (fileSize < expected)
    return miss(CacheOutcome::missTruncated,
                "the data-cache file has {} bytes instead of {}", fileSize,
                expected);
  if (fileSize > expected)
    return miss(CacheOutcome::missTampered,
                "the data-cache file has {} bytes instead of {}", fileSize,
                expected);
  std::vector<std::byte> wanted = writeCacheDataHeader(info);
  if (!std::ranges::equal(wanted, header))
    return miss(CacheOutcome::missTampered,
                "the header of the data-cache file is not that of the "
                "model-cache file");
  return {};
}

CacheVerdict nnhal::rt::checkCacheData(std::span<const std::byte> file,
                                       const CacheEntryInfo &info) {
  CacheVerdict verdict = checkCacheDataHeader(
      file.first(std::min<uint64_t>(file.size(), cacheDataHeaderSize)),
      file.size(), info);
  if (verdict.isHit() &&
      sha256(file.subspan(cacheDataHeaderSize)) != info.dataCacheDigest)
    return miss(CacheOutcome::missTampered,
                "the constants are not those that the header speaks of");
  return verdict;
}

std::vector<std::byte>
nnhal::rt::writeCacheFileList(const CacheFileList &files) {
  std::vector<std::byte> bytes =
      bytesOf(FileListHeader{listMagic, uint32_t(files.modelCache.size()),
                             uint32_t(files.dataCache.size())});
  for (const auto *list : {&files.modelCache, &files.dataCache})
    for (const CacheFileInfo &file : *list) {
      std::vector<std::byte> record =
          bytesOf(FileRecord{file.size, file.digest});
      bytes.insert(bytes.end(), record.begin(), record.end());
    }
  bytes.resize(alignTo(bytes.size(), listAlignment));
  return bytes;
}

CacheVerdict nnhal::rt::readCacheFileList(std::span<const std::byte> contents,
                                          const CacheEntryInfo &info,
                                          CacheFileList &files,
                                          uint64_t &listSize) {
  uint64_t count = uint64_t(info.modelFiles) + info.dataFiles;
  listSize = alignTo(sizeof(FileListHeader) + count * sizeof(FileRecord),
                     listAlignment);
  if (contents.size() < listSize)
    return miss(CacheOutcome::missTampered,
                "the first file has {} bytes behind its header, its list of {} "
                "files takes {}",
                contents.size(), count, listSize);
  auto header = loadHeader<FileListHeader>(contents);
  if (header.magic != listMagic || header.modelFiles != info.modelFiles ||
      header.dataFiles != info.dataFiles)
    return miss(CacheOutcome::missTampered,
                "the first file has no list of {} model-cache and {} "
                "data-cache files behind its header",
                info.modelFiles, info.dataFiles);
  files = {};
  for (uint64_t i = 0; i < count; ++i) {
    auto record = loadHeader<FileRecord>(
        contents.subspan(sizeof(FileListHeader) + i * sizeof(FileRecord)));
    if (record.size > maxMemorySize)
      return miss(CacheOutcome::missTampered,
                  "the list of files states {} bytes for file {}", record.size,
                  i);
    (i < info.modelFiles ? files.modelCache : files.dataCache)
        .push_back({record.size, record.digest});
  }
  const CacheFileInfo &first =
      info.modelFiles > 0 ? files.modelCache.front() : files.dataCache.front();
  if (first.size != contents.size() - listSize)
    return miss(CacheOutcome::missTampered,
                "the first file has contents of {} bytes, its list states {}",
                contents.size() - listSize, first.size);
  return {};
}

CacheEntryInfo nnhal::rt::dataFileInfo(CacheEntryInfo info,
                                       const CacheFileInfo &file) {
  info.dataCacheSize = file.size;
  info.dataCacheDigest = file.digest;
  return info;
}

CacheVerdict nnhal::rt::checkCacheModelFile(std::span<const std::byte> file,
                                            const CacheFileInfo &info) {
  if (file.size() < info.size)
    return miss(CacheOutcome::missTruncated,
                "a model-cache file has {} bytes instead of {}", file.size(),
                info.size);
  if (file.size() > info.size || sha256(file) != info.digest)
    return miss(CacheOutcome::missTampered,
                "a model-cache file is not the one that the first file speaks "
                "of");
  return {};
}

CacheVerdict
nnhal::rt::compareCacheEntry(const CacheEntryInfo &info,
                             const CacheToken &token,
                             const CacheIdentity &identity,
                             const std::optional<ContentKey> &contentKey) {
  if (info.token != token)
    return miss(CacheOutcome::missOtherToken, "the entry has another token");
  if (info.identity.driver != identity.driver)
    return miss(CacheOutcome::missDriverChanged,
                "the entry was made by another build of the device ({} {})",
                info.identity.device, info.identity.deviceVersion);
  if (info.identity.compiler != identity.compiler)
    return miss(CacheOutcome::missCompilerChanged,
                "the entry was made by another build of the compiler");
  if (info.identity.cpu != identity.cpu)
    return miss(CacheOutcome::missCpuChanged,
                "the entry is for a CPU with other features");
  if (info.identity.options != identity.options)
    return miss(CacheOutcome::missOptionsChanged,
                "the entry was made with other compile options");
  if (contentKey && info.contentKey != contentKey)
    return miss(CacheOutcome::missModelChanged,
                "the entry was made from another model");
  return {};
}
