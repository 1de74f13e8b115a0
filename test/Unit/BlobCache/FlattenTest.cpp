//===- FlattenTest.cpp - A blob cache as bytes and back -------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BlobTesting.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <cstring>

using namespace nnhal::rt;

namespace {

using Bytes = std::vector<std::byte>;

BlobCache makeCache(std::string buildId = "build") {
  return BlobCache(8, 64, 200, {}, {.buildId = std::move(buildId), .seed = 1});
}

Bytes flatten(const BlobCache &cache) {
  Bytes bytes(cache.getFlattenedSize());
  EXPECT_EQ(cache.flatten(bytes), 0);
  return bytes;
}

Bytes sample() {
  BlobCache cache = makeCache();
  set(cache, "bb", "value of bb");
  set(cache, "a", "one");
  set(cache, "ab", "two");
  return flatten(cache);
}

/// The number of \p Type at \p offset.
template <typename Type> Type numberAt(const Bytes &bytes, size_t offset) {
  Type value;
  std::memcpy(&value, bytes.data() + offset, sizeof(value));
  return value;
}
template <typename Type>
void setNumber(Bytes &bytes, size_t offset, Type value) {
  std::memcpy(bytes.data() + offset, &value, sizeof(value));
}
std::string textAt(const Bytes &bytes, size_t offset, size_t size) {
  return {reinterpret_cast<const char *>(bytes.data()) + offset, size};
}

constexpr size_t firstEntry = 40; // The header and "build", aligned.

void expectEmpty(BlobCache &cache) {
  EXPECT_EQ(cache.entryCount(), 0u);
  EXPECT_EQ(cache.totalSize(), 0u);
  EXPECT_FALSE(has(cache, "old"));
}

/// unflatten() over a cache that is not empty.
int read(BlobCache &cache, std::span<const std::byte> bytes) {
  set(cache, "old", "entry");
  return cache.unflatten(bytes);
}

// E-084, E-085: every byte.
TEST(FlattenTest, Layout) {
  Bytes bytes = sample();
  EXPECT_EQ(numberAt<uint32_t>(bytes, 0),
            uint32_t('_') << 24 | 'B' << 16 | 'b' << 8 | '$');
  EXPECT_EQ(numberAt<uint32_t>(bytes, 4), 3u);
  EXPECT_EQ(numberAt<uint32_t>(bytes, 8), 1u);
  EXPECT_EQ(numberAt<uint32_t>(bytes, 12), 0u);
  EXPECT_EQ(numberAt<uint64_t>(bytes, 16), 3u);
  EXPECT_EQ(numberAt<uint32_t>(bytes, 24), 5u);
  EXPECT_EQ(textAt(bytes, 28, 12), std::string("build\0\0\0\0\0\0\0", 12));
  // Shorter keys first, then by bytes.
  size_t offset = firstEntry;
  for (auto [key, value] : {std::pair<std::string, std::string>{"a", "one"},
                            {"ab", "two"},
                            {"bb", "value of bb"}}) {
    EXPECT_EQ(numberAt<uint64_t>(bytes, offset), key.size());
    EXPECT_EQ(numberAt<uint64_t>(bytes, offset + 8), value.size());
    std::string data = key + value;
    data.resize((data.size() + 7) / 8 * 8);
    EXPECT_EQ(textAt(bytes, offset + 16, data.size()), data);
    offset += 16 + data.size();
  }
  EXPECT_LE(offset, bytes.size());
}

// E-085: padding is zero whatever was in the buffer.
TEST(FlattenTest, IsReproducible) {
  BlobCache cache = makeCache();
  set(cache, "a", "one");
  Bytes clean(firstEntry + 24), dirty(firstEntry + 24, std::byte(0xAA));
  EXPECT_EQ(cache.flatten(clean), 0);
  EXPECT_EQ(cache.flatten(dirty), 0);
  EXPECT_EQ(clean, dirty);
}

// E-084: bytes are compared unsigned.
TEST(FlattenTest, OrdersBytes) {
  BlobCache cache = makeCache();
  set(cache, "\x80", "high");
  set(cache, "\x7f", "low");
  EXPECT_EQ(textAt(flatten(cache), firstEntry + 16, 4), "\x7flow");
}

// E-086: exact for this build id when its length is counted.
TEST(FlattenTest, NeedsRoom) {
  BlobCache cache = makeCache();
  set(cache, "a", "one");
  size_t needed = firstEntry + 24;
  EXPECT_GE(cache.getFlattenedSize(), needed);
  Bytes bytes(needed, std::byte(0xAA));
  EXPECT_EQ(cache.flatten(bytes), 0);
  for (size_t size = 0; size < needed; ++size) {
    Bytes small(size);
    EXPECT_EQ(cache.flatten(small), -EINVAL) << size;
  }
}

// E-086: too small for the header: nothing is written.
TEST(FlattenTest, WritesNoHalfHeader) {
  Bytes bytes(firstEntry - 1, std::byte(0xAA));
  EXPECT_EQ(makeCache().flatten(bytes), -EINVAL);
  EXPECT_EQ(bytes, Bytes(firstEntry - 1, std::byte(0xAA)));
}

// E-086: the bound holds for the longest build id, and for longer ones.
TEST(FlattenTest, BoundsTheBuildId) {
  for (size_t length : {size_t(0), BlobCache::maxBuildId, size_t(500)}) {
    BlobCache cache = makeCache(std::string(length, 'x'));
    set(cache, "a", "one");
    Bytes bytes = flatten(cache);
    EXPECT_EQ(bytes.size(), 32u + 92 + 4 + 24);
    BlobCache other = makeCache(std::string(length, 'x'));
    EXPECT_EQ(other.unflatten(bytes), 0);
    EXPECT_EQ(get(other, "a"), "one");
  }
}

TEST(FlattenTest, ComesBack) {
  BlobCache cache = makeCache();
  EXPECT_EQ(cache.unflatten(sample()), 0);
  EXPECT_EQ(get(cache, "a"), "one");
  EXPECT_EQ(get(cache, "ab"), "two");
  EXPECT_EQ(get(cache, "bb"), "value of bb");
  EXPECT_EQ(cache.entryCount(), 3u);
  EXPECT_EQ(flatten(cache), sample());
}

TEST(FlattenTest, ComesBackFromAnyAddress) {
  Bytes bytes = sample();
  bytes.insert(bytes.begin(), std::byte(0));
  BlobCache cache = makeCache();
  EXPECT_EQ(cache.unflatten(std::span(bytes).subspan(1)), 0);
  EXPECT_EQ(get(cache, "ab"), "two");
}

// E-087: neither entries nor their sizes stay; a cache that is read again and
// again takes as much as a new one.
TEST(FlattenTest, StartsEmpty) {
  BlobCache cache = makeCache();
  for (int i = 0; i < 20; ++i) {
    EXPECT_EQ(read(cache, sample()), 0);
    EXPECT_EQ(cache.entryCount(), 3u);
    EXPECT_EQ(cache.totalSize(), 22u);
    EXPECT_FALSE(has(cache, "old"));
  }
  set(cache, "key", "value");
  EXPECT_EQ(get(cache, "key"), "value");
}

// E-089.
TEST(FlattenTest, RejectsWhatIsNoCache) {
  BlobCache cache = makeCache();
  Bytes bytes = sample();
  for (size_t size = 0; size < firstEntry; ++size) {
    EXPECT_EQ(read(cache, std::span(bytes).first(size)), -EINVAL) << size;
    expectEmpty(cache);
  }
  for (size_t bit = 0; bit < 32; ++bit) {
    bytes = sample();
    bytes[bit / 8] ^= std::byte(1 << bit % 8);
    EXPECT_EQ(read(cache, bytes), -EINVAL) << bit;
    expectEmpty(cache);
  }
}

// E-089: another version is no failure.
TEST(FlattenTest, DropsOtherVersions) {
  for (size_t offset : {4, 8}) {
    BlobCache cache = makeCache();
    Bytes bytes = sample();
    setNumber<uint32_t>(bytes, offset, 9);
    EXPECT_EQ(read(cache, bytes), 0);
    expectEmpty(cache);
  }
  for (const char *other : {"", "buil", "built", "build2"}) {
    BlobCache cache = makeCache(other);
    EXPECT_EQ(read(cache, sample()), 0) << other;
    expectEmpty(cache);
  }
}

// E-089: of entries that end early none is kept.
TEST(FlattenTest, RejectsTruncatedEntries) {
  size_t end = firstEntry + 24 + 24 + 32;
  Bytes bytes = sample();
  BlobCache cache = makeCache();
  EXPECT_EQ(read(cache, std::span(bytes).first(end)), 0);
  EXPECT_EQ(cache.entryCount(), 3u);
  for (size_t size = firstEntry; size < end; ++size) {
    EXPECT_EQ(read(cache, std::span(bytes).first(size)), -EINVAL) << size;
    expectEmpty(cache);
  }
}

// E-090: sizes whose sums overflow.
TEST(FlattenTest, NeverReadsBeyondTheBuffer) {
  const uint64_t sizes[] = {0,
                            1,
                            8,
                            100,
                            uint64_t(1) << 32,
                            INT64_MAX,
                            UINT64_MAX - 23,
                            UINT64_MAX - 7,
                            UINT64_MAX};
  BlobCache cache = makeCache();
  // The exact size, so that a sanitizer sees what is read beyond it.
  Bytes bytes = sample();
  bytes.resize(firstEntry + 24);
  setNumber<uint64_t>(bytes, 16, 1);
  for (uint64_t keySize : sizes)
    for (uint64_t valueSize : sizes) {
      setNumber(bytes, firstEntry, keySize);
      setNumber(bytes, firstEntry + 8, valueSize);
      bool isInside =
          keySize <= 8 && valueSize <= 8 && keySize + valueSize <= 8;
      EXPECT_EQ(read(cache, bytes), isInside ? 0 : -EINVAL)
          << keySize << ", " << valueSize;
      if (!isInside)
        expectEmpty(cache);
    }
}

// E-090: more entries than there are.
TEST(FlattenTest, CountsNoFurtherThanTheBuffer) {
  BlobCache cache = makeCache();
  for (uint64_t count : {uint64_t(100), UINT64_MAX}) {
    Bytes bytes = sample();
    bytes.resize(firstEntry + 24 + 24 + 32);
    setNumber(bytes, 16, count);
    EXPECT_EQ(read(cache, bytes), -EINVAL);
    expectEmpty(cache);
  }
}

// E-090: any byte of a file may be wrong.
TEST(FlattenTest, SurvivesDamage) {
  std::minstd_rand random(5);
  const Bytes whole = sample();
  size_t accepted = 0;
  for (int round = 0; round < 20000; ++round) {
    Bytes bytes = whole;
    for (size_t i = 0; i <= random() % 3; ++i)
      bytes[random() % bytes.size()] = std::byte(random());
    bytes.resize(random() % 4 ? bytes.size() : random() % bytes.size());
    bytes.shrink_to_fit();
    BlobCache cache = makeCache();
    int status = cache.unflatten(bytes);
    if (status == 0)
      ++accepted;
    else
      expectEmpty(cache);
    ASSERT_LE(cache.totalSize(), 200u);
  }
  EXPECT_GT(accepted, 1000u);
  EXPECT_LT(accepted, 19000u);
}

} // namespace
