//===- CacheDamageTest.cpp - Faults in the files of real artifacts --------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// What a device has compiled is damaged in every way that comes to mind, and
// loaded. The reason for the miss has to be the right one, and a preparation
// afterwards has to mend it. NNHAL_CACHE_FAULTS says how many random faults
// there are; scripts/check-cache-damage asks for 20,000.
//
//===----------------------------------------------------------------------===//

#include "CacheFiles.h"

#include "Runtime/Caching/CacheEntry.h"

#include <fmt/format.h>

#include <cstdlib>
#include <cstring>
#include <map>
#include <random>

using namespace nnhal::rt;
using namespace nnhal::rt::conformance;

namespace {

// Where the header of a model-cache file has what is forged here
// (docs/Internals/ModelCacheFormat.md).
constexpr size_t tokenOffset = 40;
constexpr size_t driverOffset = 104;
constexpr size_t compilerOffset = 136;
constexpr size_t cpuOffset = 168;
constexpr size_t optionsOffset = 200;
constexpr size_t headerDigestOffset = 480;

/// Makes the header's own digest fit again.
void sign(std::vector<std::byte> &file) {
  Sha256Digest digest =
      sha256(std::span<const std::byte>(file).first(headerDigestOffset));
  std::memcpy(file.data() + headerDigestOffset, digest.data(), digest.size());
}

int faultCount() {
  const char *text = std::getenv("NNHAL_CACHE_FAULTS");
  return text ? std::atoi(text) : 600;
}

class CacheDamageTest : public CacheTest {
protected:
  struct Entry {
    AnnotatedModel model;
    CacheToken token;
    EntryFiles files;
    std::vector<std::byte> modelFile, dataFile, result;
  };

  void SetUp() override {
    if (auto reason = reasonToSkip(cachedModel(Precision::float32)))
      GTEST_SKIP() << *reason;
    uint8_t number = 0;
    for (const AnnotatedModel &model :
         {cachedModel(Precision::float32), cachedModel(Precision::quant8),
          otherModel(Precision::float32)}) {
      ++number;
      entries.push_back(std::make_unique<Entry>(
          Entry{model,
                {number},
                EntryFiles(directory.path() + "/" + std::to_string(number)),
                {},
                {},
                {}}));
      Entry &entry = *entries.back();
      PreparedModelRef prepared =
          prepare(model, entry.files.open(), entry.token);
      ASSERT_NE(prepared, nullptr);
      entry.result = resultOf(*prepared);
      entry.modelFile = readAll(entry.files.modelPath);
      entry.dataFile = readAll(entry.files.dataPath);
    }
  }

  size_t below(size_t bound) {
    return std::uniform_int_distribution<size_t>(0, bound - 1)(random);
  }

  /// Another value for a byte.
  std::byte other(std::byte value) { return value ^ std::byte(1 + below(255)); }

  /// A damaged model-cache file, and what shall be said of it.
  struct Fault {
    std::vector<std::byte> file;
    CacheOutcome outcome;
  };
  Fault damageModel(const Entry &entry);
  /// What may be said of a damaged data-cache file is left to the caller.
  std::vector<std::byte> damageData(const Entry &entry);

  /// Loads \p entry, whose model-cache file is not what was written.
  void expectMiss(Entry &entry, CacheOutcome outcome) {
    Loaded loaded = load(entry.files.open(), entry.token);
    ++counts[std::string(nnhal::rt::toString(loaded.outcome))];
    ASSERT_EQ(loaded.status.code(), StatusCode::generalFailure);
    ASSERT_EQ(nnhal::rt::toString(loaded.outcome), nnhal::rt::toString(outcome))
        << loaded.detail;
  }

  void restore(const Entry &entry) {
    writeAll(entry.files.modelPath, entry.modelFile);
    writeAll(entry.files.dataPath, entry.dataFile);
  }

  std::vector<std::unique_ptr<Entry>> entries;
  std::mt19937 random{20240501};
  std::map<std::string, int> counts;
};

CacheDamageTest::Fault CacheDamageTest::damageModel(const Entry &entry) {
  std::vector<std::byte> file = entry.modelFile;
  auto forge = [&](size_t offset, CacheOutcome outcome) {
    file[offset + below(32)] ^= std::byte(1 << below(8));
    sign(file);
    return Fault{std::move(file), outcome};
  };
  switch (below(13)) {
  case 0: // One bit.
    file[below(file.size())] ^= std::byte(1 << below(8));
    return {std::move(file), CacheOutcome::missTampered};
  case 1: // Some bytes.
    for (size_t count = 1 + below(64), at = below(file.size() - 64); count > 0;
         --count)
      file[at + count] = other(file[at + count]);
    return {std::move(file), CacheOutcome::missTampered};
  case 2: // Shorter.
    file.resize(1 + below(file.size() - 1));
    return {std::move(file), CacheOutcome::missTruncated};
  case 3: // Longer.
    file.resize(file.size() + 1 + below(4096), std::byte(below(256)));
    return {std::move(file), CacheOutcome::missTampered};
  case 4: // The beginning is another entry's.
    std::copy_n(entries[(entry.token[0]) % 3]->modelFile.begin(), 512,
                file.begin());
    return {file, file.size() < entries[entry.token[0] % 3]->modelFile.size()
                      ? CacheOutcome::missTruncated
                      : CacheOutcome::missTampered};
  case 5: // Another entry.
    return {entries[entry.token[0] % 3]->modelFile,
            CacheOutcome::missOtherToken};
  case 6: { // Another entry, which claims to be this one.
    std::vector<std::byte> forged = entries[entry.token[0] % 3]->modelFile;
    std::copy_n(file.begin() + tokenOffset, 32, forged.begin() + tokenOffset);
    sign(forged);
    return {std::move(forged), CacheOutcome::missNotRecorded};
  }
  case 7:
    return forge(cpuOffset, CacheOutcome::missCpuChanged);
  case 8:
    return forge(compilerOffset, CacheOutcome::missCompilerChanged);
  case 9:
    return forge(driverOffset, CacheOutcome::missDriverChanged);
  case 10:
    return forge(optionsOffset, CacheOutcome::missOptionsChanged);
  case 11: // Another version of the format.
    file[8 + below(4)] ^= std::byte(1 << below(8));
    sign(file);
    return {std::move(file), CacheOutcome::missFormatChanged};
  default: // Nothing at all.
    return {{}, CacheOutcome::missAbsent};
  }
}

std::vector<std::byte> CacheDamageTest::damageData(const Entry &entry) {
  std::vector<std::byte> file = entry.dataFile;
  switch (below(5)) {
  case 0:
    file[below(file.size())] ^= std::byte(1 << below(8));
    return file;
  case 1:
    for (std::byte &value : std::span(file).subspan(cacheDataHeaderSize))
      value = std::byte(below(256));
    return file;
  case 2:
    file.resize(below(file.size()));
    return file;
  case 3:
    file.resize(file.size() + 1 + below(4096));
    return file;
  default:
    return entries[entry.token[0] % 3]->dataFile;
  }
}

// E-047: every byte of both headers.
TEST_F(CacheDamageTest, EveryByteOfTheHeaders) {
  Entry &entry = *entries[0];
  for (size_t i = 0; i < cacheEntryHeaderSize; ++i) {
    std::vector<std::byte> file = entry.modelFile;
    file[i] = other(file[i]);
    writeAll(entry.files.modelPath, file);
    expectMiss(entry, CacheOutcome::missTampered);
    if (HasFatalFailure())
      return;
  }
  restore(entry);
  for (size_t i = 0; i < cacheDataHeaderSize; i += 1 + below(8)) {
    std::vector<std::byte> file = entry.dataFile;
    file[i] = other(file[i]);
    writeAll(entry.files.dataPath, file);
    expectMiss(entry, CacheOutcome::missTampered);
    if (HasFatalFailure())
      return;
  }
}

// E-008, E-047 to E-050.
TEST_F(CacheDamageTest, RandomFaultsInModelCaches) {
  const int count = faultCount();
  int mended = 0;
  for (int i = 0; i < count; ++i) {
    Entry &entry = *entries[below(entries.size())];
    Fault fault = damageModel(entry);
    ASSERT_NE(fault.file, entry.modelFile);
    writeAll(entry.files.modelPath, fault.file);
    expectMiss(entry, fault.outcome);
    if (HasFatalFailure()) {
      ADD_FAILURE() << "fault " << i;
      return;
    }
    if (i % 100 == 99) { // And all over again.
      prepare(entry.model, entry.files.open(), entry.token);
      Loaded loaded = load(entry.files.open(), entry.token);
      ASSERT_TRUE(loaded.status.isOk()) << loaded.status.message();
      ASSERT_EQ(resultOf(*loaded.model), entry.result);
      ++mended;
    }
    restore(entry);
  }
  for (const auto &[outcome, number] : counts)
    RecordProperty(outcome, number);
  std::string summary;
  for (const auto &[outcome, number] : counts)
    summary += fmt::format(" {} {},", number, outcome);
  fmt::print("{} faults:{} {} compiled again\n", count, summary, mended);
}

// E-049: outputs may be wrong, nothing else.
TEST_F(CacheDamageTest, RandomFaultsInDataCaches) {
  const int count = faultCount() / 4;
  int executed = 0;
  for (int i = 0; i < count; ++i) {
    Entry &entry = *entries[below(entries.size())];
    writeAll(entry.files.dataPath, damageData(entry));
    Loaded loaded = load(entry.files.open(), entry.token);
    if (loaded.model) {
      EXPECT_EQ(resultOf(*loaded.model).size(), entry.result.size());
      ++executed;
    } else {
      ASSERT_EQ(loaded.status.code(), StatusCode::generalFailure);
      ASSERT_TRUE(loaded.outcome == CacheOutcome::missTampered ||
                  loaded.outcome == CacheOutcome::missTruncated)
          << nnhal::rt::toString(loaded.outcome);
    }
    restore(entry);
  }
  EXPECT_GT(executed, 0);
  fmt::print("{} faults: {} executed\n", count, executed);
}

} // namespace
