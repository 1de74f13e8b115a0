//===- EntryTest.cpp - Headers of the files of a cache entry --------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Runtime/Caching/CacheEntry.h"
#include "nnhal/Runtime/Memory.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <fstream>

using namespace nnhal::rt;

namespace {

std::vector<std::byte> bytesOf(std::string_view text) {
  auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

/// Both files of an entry.
struct Sample {
  Sample() {
    info.token = {1, 2, 3};
    info.contentKey = ContentKey{4};
    info.identity = {"nnhal-cpu", "0.1.0", {5}, {6}, {7}, {8}};
    std::vector<std::byte> model = bytesOf("the model cache");
    std::vector<std::byte> data = bytesOf("the constants");
    describeParts(model, data, info);
    modelFile = writeCacheEntryHeader(info);
    modelFile.insert(modelFile.end(), model.begin(), model.end());
    dataFile = writeCacheDataHeader(info);
    dataFile.insert(dataFile.end(), data.begin(), data.end());
  }

  CacheVerdict compare() const {
    return compareCacheEntry(info, info.token, info.identity, info.contentKey);
  }

  CacheEntryInfo info;
  std::vector<std::byte> modelFile;
  std::vector<std::byte> dataFile;
};

std::string describe(const CacheVerdict &verdict) {
  return fmt::format("{}: {}", toString(verdict.outcome), verdict.detail);
}

std::string readingOf(std::span<const std::byte> file) {
  CacheEntryInfo info;
  return describe(readCacheEntry(file, info));
}

// E-045: the header says all that it was given.
TEST(EntryTest, HeadersAreReadBack) {
  Sample sample;
  EXPECT_EQ(sample.modelFile.size(), 512 + 15u);
  EXPECT_EQ(sample.dataFile.size(), 4096 + 13u);
  CacheEntryInfo info;
  EXPECT_EQ(describe(readCacheEntry(sample.modelFile, info)), "hit: ");
  EXPECT_EQ(info, sample.info);
  EXPECT_EQ(describe(checkCacheData(sample.dataFile, info)), "hit: ");
  EXPECT_EQ(describe(sample.compare()), "hit: ");
}

/// The contents of a first file with \p list, and 5 bytes of its own.
std::vector<std::byte> firstContents(const CacheFileList &list) {
  std::vector<std::byte> contents = writeCacheFileList(list);
  contents.resize(contents.size() + 5);
  return contents;
}

std::string listingOf(std::span<const std::byte> contents, uint32_t modelFiles,
                      uint32_t dataFiles, CacheFileList &list,
                      uint64_t &listSize) {
  CacheEntryInfo info;
  info.modelFiles = modelFiles;
  info.dataFiles = dataFiles;
  return describe(readCacheFileList(contents, info, list, listSize));
}

// C-015: an entry that has not one file of each kind lists all of them.
TEST(EntryTest, ListsAreReadBack) {
  CacheFileList list = {{{5, {1}}, {7, {2}}}, {{0, {3}}, {9, {4}}, {1, {5}}}};
  std::vector<std::byte> contents = firstContents(list);
  CacheFileList read;
  uint64_t size = 0;
  EXPECT_EQ(listingOf(contents, 2, 3, read, size), "hit: ");
  EXPECT_EQ(read, list);
  EXPECT_EQ(size, 256u); // 16 + 5 * 40, in multiples of 64.
  EXPECT_EQ(contents.size(), size + 5);
  Sample sample;
  sample.info.modelFiles = 2;
  sample.info.dataFiles = 32;
  CacheEntryInfo info;
  std::vector<std::byte> file = writeCacheEntryHeader(sample.info);
  file.resize(512 + 15);
  ASSERT_TRUE(readCacheEntry(file, info, /*checkParts=*/false).isHit());
  EXPECT_EQ(info, sample.info);
}

TEST(EntryTest, ListsAreChecked) {
  CacheFileList list = {{{5, {1}}, {7, {2}}}, {}};
  std::vector<std::byte> contents = firstContents(list);
  CacheFileList read;
  uint64_t size = 0;
  EXPECT_EQ(listingOf(std::span(contents).first(100), 2, 0, read, size),
            "tampered: the first file has 100 bytes behind its header, its "
            "list of 2 files takes 128");
  EXPECT_EQ(listingOf(contents, 1, 1, read, size),
            "tampered: the first file has no list of 1 model-cache and 1 "
            "data-cache files behind its header");
  EXPECT_EQ(listingOf(std::span(contents).first(130), 2, 0, read, size),
            "tampered: the first file has contents of 2 bytes, its list states "
            "5");
  list.modelCache[1].size = UINT64_MAX;
  EXPECT_EQ(listingOf(firstContents(list), 2, 0, read, size),
            "tampered: the list of files states 18446744073709551615 bytes for "
            "file 1");
  Sample sample;
  sample.info.modelFiles = 33;
  std::vector<std::byte> file = writeCacheEntryHeader(sample.info);
  file.resize(512 + 15);
  EXPECT_EQ(readingOf(file),
            "tampered: the header of the model-cache file states 33 "
            "model-cache and 1 data-cache files, at most 32 of each are read");
}

TEST(EntryTest, LongNamesAreCut) {
  Sample sample;
  sample.info.identity.device = std::string(100, 'x');
  CacheEntryInfo info;
  std::vector<std::byte> file = writeCacheEntryHeader(sample.info);
  file.resize(512 + 15);
  ASSERT_TRUE(readCacheEntry(file, info, /*checkParts=*/false).isHit());
  EXPECT_EQ(info.identity.device, std::string(63, 'x'));
}

// E-045, E-046, E-054, E-055: what is stale is told apart.
TEST(EntryTest, EveryDifferenceHasItsReason) {
  auto verdictFor = [](auto change) {
    Sample sample;
    CacheToken token = sample.info.token;
    CacheIdentity identity = sample.info.identity;
    std::optional<ContentKey> key = sample.info.contentKey;
    change(token, identity, key);
    return describe(compareCacheEntry(sample.info, token, identity, key));
  };
  EXPECT_EQ(verdictFor([](auto &token, auto &, auto &) { ++token[31]; }),
            "other-token: the entry has another token");
  EXPECT_EQ(
      verdictFor([](auto &, auto &identity, auto &) { ++identity.driver[0]; }),
      "driver-changed: the entry was made by another build of the device "
      "(nnhal-cpu 0.1.0)");
  EXPECT_EQ(verdictFor(
                [](auto &, auto &identity, auto &) { ++identity.compiler[0]; }),
            "compiler-changed: the entry was made by another build of the "
            "compiler");
  EXPECT_EQ(
      verdictFor([](auto &, auto &identity, auto &) { ++identity.cpu[0]; }),
      "cpu-changed: the entry is for a CPU with other features");
  EXPECT_EQ(
      verdictFor([](auto &, auto &identity, auto &) { ++identity.options[0]; }),
      "options-changed: the entry was made with other compile options");
  EXPECT_EQ(verdictFor([](auto &, auto &, auto &key) { ++(*key)[0]; }),
            "model-changed: the entry was made from another model");
  EXPECT_EQ(verdictFor([](auto &, auto &, auto &key) { key.reset(); }),
            "hit: ");
}

TEST(EntryTest, ExpectedKeyMustBeThere) {
  Sample sample;
  sample.info.contentKey.reset();
  EXPECT_EQ(compareCacheEntry(sample.info, sample.info.token,
                              sample.info.identity, ContentKey{4})
                .outcome,
            CacheOutcome::missModelChanged);
}

// Every byte of the header, every bit of it, every length.
TEST(EntryTest, DamageIsFound) {
  const Sample sample;
  for (size_t bit = 0; bit < sample.modelFile.size() * 8; ++bit) {
    std::vector<std::byte> damaged = sample.modelFile;
    damaged[bit / 8] ^= std::byte(1 << bit % 8);
    CacheEntryInfo info;
    ASSERT_EQ(readCacheEntry(damaged, info).outcome, CacheOutcome::missTampered)
        << "bit " << bit;
  }
  for (size_t size = 1; size < sample.modelFile.size(); ++size) {
    CacheEntryInfo info;
    ASSERT_EQ(
        readCacheEntry(std::span(sample.modelFile).first(size), info).outcome,
        CacheOutcome::missTruncated)
        << size << " bytes";
  }
}

TEST(EntryTest, DamageIsDescribed) {
  const Sample sample;
  auto damagedAt = [&](size_t offset) {
    std::vector<std::byte> file = sample.modelFile;
    file[offset] ^= std::byte(1);
    return readingOf(file);
  };
  EXPECT_EQ(readingOf({}), "absent: the model-cache file is empty");
  EXPECT_EQ(damagedAt(0), "tampered: the model-cache file does not begin with "
                          "\"NNHALCE\\x1a\"");
  EXPECT_EQ(damagedAt(8), "tampered: the header of the model-cache file is "
                          "damaged");
  EXPECT_EQ(damagedAt(512), "tampered: the model cache is not the one that its "
                            "header speaks of");
  EXPECT_EQ(readingOf(std::span(sample.modelFile).first(100)),
            "truncated: the model-cache file has 100 bytes, less than its "
            "header of 512");
  EXPECT_EQ(readingOf(std::span(sample.modelFile).first(520)),
            "truncated: the model-cache file has 520 bytes instead of 527");
  std::vector<std::byte> longer = sample.modelFile;
  longer.push_back({});
  EXPECT_EQ(readingOf(longer),
            "tampered: the model-cache file has 528 bytes instead of 527");
}

/// A header with \p change made to it, and a digest that fits.
template <typename T> std::vector<std::byte> forged(size_t offset, T value) {
  Sample sample;
  std::memcpy(sample.modelFile.data() + offset, &value, sizeof(value));
  Sha256Digest digest =
      sha256(std::span<const std::byte>(sample.modelFile).first(480));
  std::memcpy(sample.modelFile.data() + 480, digest.data(), digest.size());
  return sample.modelFile;
}

TEST(EntryTest, WhatIsNotKnownIsRefused) {
  EXPECT_EQ(readingOf(forged(8, uint32_t(2))),
            "format-changed: the model-cache file has format version 2 with a "
            "header of 512 bytes, this version reads 1 with 512");
  EXPECT_EQ(readingOf(forged(12, uint32_t(64))),
            "format-changed: the model-cache file has format version 1 with a "
            "header of 64 bytes, this version reads 1 with 512");
  EXPECT_EQ(readingOf(forged(16, uint64_t(100))),
            "tampered: the header of the model-cache file states sizes of 100 "
            "and 13 bytes");
  EXPECT_EQ(readingOf(forged(24, ~uint64_t(0))),
            "tampered: the header of the model-cache file states sizes of 527 "
            "and 18446744073709551615 bytes");
}

TEST(EntryTest, DataFilesAreCheckedAgainstTheirModel) {
  const Sample sample;
  auto checkedAs = [&](std::vector<std::byte> file) {
    return describe(checkCacheData(file, sample.info));
  };
  std::vector<std::byte> file = sample.dataFile;
  file.pop_back();
  EXPECT_EQ(checkedAs(file),
            "truncated: the data-cache file has 4108 bytes instead of 4109");
  file.resize(4110);
  EXPECT_EQ(checkedAs(file),
            "tampered: the data-cache file has 4110 bytes instead of 4109");
  for (size_t offset = 0; offset < 4096; ++offset) {
    file = sample.dataFile;
    file[offset] ^= std::byte(4);
    ASSERT_EQ(checkedAs(file), "tampered: the header of the data-cache file is "
                               "not that of the model-cache file");
  }
  file = sample.dataFile;
  file.back() ^= std::byte(4);
  EXPECT_EQ(checkedAs(file),
            "tampered: the constants are not those that the header speaks of");
  EXPECT_TRUE(checkCacheDataHeader(std::span(file).first(4096), file.size(),
                                   sample.info)
                  .isHit());
}

/// The frozen sample of the format's version 1, which every later version has
/// to answer. NNHAL_UPDATE_TEST_DATA=1 writes that of this version.
TEST(EntryTest, FrozenSamples) {
  std::string directory = std::string(NNHAL_TEST_DATA) + "/Unit/Cache/Samples/";
  const Sample sample;
  auto check = [&](const std::string &name,
                   const std::vector<std::byte> &bytes) {
    std::string path = directory + name;
    if (std::getenv("NNHAL_UPDATE_TEST_DATA"))
      std::ofstream(path, std::ios::binary)
          .write(reinterpret_cast<const char *>(bytes.data()),
                 std::streamsize(bytes.size()));
    auto frozen = Memory::readFile(path);
    ASSERT_TRUE(frozen.isOk()) << frozen.status().message();
    EXPECT_TRUE(std::ranges::equal(*frozen->bytes(), bytes)) << name;
  };
  check("entry-v1.model", sample.modelFile);
  check("entry-v1.data", sample.dataFile);
}

} // namespace
