//===- BlobCacheTest.cpp - Limits, eviction and what is got back ----------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BlobTesting.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

using namespace nnhal::rt;

namespace {

using Policy = BlobCache::Policy;
using Select = BlobCache::Select;
using Capacity = BlobCache::Capacity;

constexpr Policy policies[] = {
    {Select::random, Capacity::halve},    {Select::random, Capacity::fit},
    {Select::random, Capacity::fitHalve}, {Select::lru, Capacity::halve},
    {Select::lru, Capacity::fit},         {Select::lru, Capacity::fitHalve}};

/// \p count entries "a0", "b0"... of 10 bytes each.
void fill(BlobCache &cache, char count) {
  for (char i = 0; i < count; ++i)
    set(cache, std::string{char('a' + i), '0'}, "12345678");
}

/// Which of these are left.
std::string left(BlobCache &cache) {
  std::string names;
  for (char name = 'a'; name <= 'z'; ++name)
    if (has(cache, std::string{name, '0'}))
      names += name;
  return names;
}

// E-072.
TEST(BlobCacheTest, KeepsWhatWasSet) {
  BlobCache cache(8, 16, 100);
  set(cache, "key", "value");
  set(cache, "other", "else");
  EXPECT_EQ(get(cache, "key"), "value");
  EXPECT_EQ(get(cache, "other"), "else");
  EXPECT_EQ(get(cache, "none"), "");
  EXPECT_EQ(cache.totalSize(), 3u + 5 + 5 + 4);
}

TEST(BlobCacheTest, OwnsItsBytes) {
  BlobCache cache(8, 16, 100);
  std::string key = "key", value = "value";
  set(cache, key, value);
  key = "xxx";
  value = "xxxxx";
  EXPECT_EQ(get(cache, "key"), "value");
}

// E-073: the default is (random, halve).
TEST(BlobCacheTest, DefaultPolicy) {
  EXPECT_EQ(Policy(), (Policy{Select::random, Capacity::halve}));
  BlobCache cache(8, 16, 100);
  fill(cache, 10);
  set(cache, "k0", "12345678");
  EXPECT_EQ(cache.totalSize(), 60u); // Half of it and the new one.
}

// E-074: each limit is kept exactly, and what there was is not touched.
TEST(BlobCacheTest, IgnoresWhatIsTooLarge) {
  for (Policy policy : policies) {
    BlobCache cache(4, 8, 11, policy);
    set(cache, "key", "old");
    set(cache, "12345", "v");
    EXPECT_EQ(get(cache, "12345"), "");
    set(cache, "key", "123456789");
    EXPECT_EQ(get(cache, "key"), "old");
    set(cache, "1234", "12345678"); // 12 bytes.
    EXPECT_EQ(get(cache, "1234"), "");
    EXPECT_EQ(get(cache, "key"), "old");
    EXPECT_EQ(cache.entryCount(), 1u);
    set(cache, "key", "12345678"); // 11 bytes.
    EXPECT_EQ(get(cache, "key"), "12345678");
  }
}

// E-074: limits whose sums are beyond all numbers.
TEST(BlobCacheTest, TakesUnlimitedLimits) {
  BlobCache cache(SIZE_MAX, SIZE_MAX, SIZE_MAX);
  set(cache, "key", "value");
  EXPECT_EQ(get(cache, "key"), "value");
}

// E-075.
TEST(BlobCacheTest, IgnoresWhatIsEmpty) {
  BlobCache cache(4, 8, 16);
  set(cache, "", "value");
  set(cache, "key", "");
  EXPECT_EQ(cache.entryCount(), 0u);
  set(cache, "key", "value");
  set(cache, "key", "");
  EXPECT_EQ(get(cache, "key"), "value");
}

// E-076.
TEST(BlobCacheTest, ReplacesValues) {
  BlobCache cache(8, 16, 100);
  set(cache, "key", "value");
  set(cache, "key", "longer value");
  EXPECT_EQ(get(cache, "key"), "longer value");
  EXPECT_EQ(cache.totalSize(), 3u + 12);
  set(cache, "key", "v");
  EXPECT_EQ(get(cache, "key"), "v");
  EXPECT_EQ(cache.totalSize(), 3u + 1);
  EXPECT_EQ(cache.entryCount(), 1u);
}

// E-077, E-080: the oldest go until half is left.
TEST(BlobCacheTest, Halves) {
  BlobCache cache(8, 16, 100, {Select::lru, Capacity::halve});
  fill(cache, 10);
  EXPECT_EQ(left(cache), "abcdefghij");
  set(cache, "k0", "12345678");
  EXPECT_EQ(left(cache), "fghijk");
}

// E-077: half in use is not above half, and then nobody goes.
TEST(BlobCacheTest, HalvesOnlyAboveHalf) {
  BlobCache cache(8, 90, 100, {Select::lru, Capacity::halve});
  fill(cache, 5);
  set(cache, "k0", std::string(49, 'v')); // 51 bytes.
  EXPECT_EQ(left(cache), "abcde");
  set(cache, "k", "v"); // Above half now.
  set(cache, "k0", std::string(49, 'v'));
  EXPECT_EQ(left(cache), "bcdek");
}

// E-078.
TEST(BlobCacheTest, MakesRoom) {
  BlobCache cache(8, 90, 100, {Select::lru, Capacity::fit});
  fill(cache, 10);
  set(cache, "k0", "12345678");
  EXPECT_EQ(left(cache), "bcdefghijk");
  set(cache, "l0", "123456789"); // 11 bytes: two have to go.
  EXPECT_EQ(left(cache), "defghijkl");
  set(cache, "m0", std::string(90, 'v'));
  EXPECT_EQ(left(cache), "m");
}

// E-079: the smaller of both bounds holds.
TEST(BlobCacheTest, MakesRoomAndHalves) {
  BlobCache cache(8, 90, 100, {Select::lru, Capacity::fitHalve});
  fill(cache, 10);
  set(cache, "k0", "12345678"); // Would fit after one, half is five.
  EXPECT_EQ(left(cache), "fghijk");
  set(cache, "l0", std::string(78, 'v')); // Needs 80 free, more than half.
  EXPECT_EQ(left(cache), "jkl");
  set(cache, "m0", std::string(38, 'v')); // 140 in all.
  EXPECT_EQ(left(cache), "m");            // After j and k, 80 are above half.
}

// E-077, E-079: below half only the second makes room.
TEST(BlobCacheTest, FitHalveAlwaysFits) {
  BlobCache cache(8, 90, 100, {Select::lru, Capacity::fitHalve});
  fill(cache, 5);
  set(cache, "k0", std::string(58, 'v'));
  EXPECT_EQ(left(cache), "bcdek");
}

// E-080: a set and a get that copies are uses.
TEST(BlobCacheTest, EvictsTheLeastRecentlyUsed) {
  BlobCache cache(8, 16, 30, {Select::lru, Capacity::fit});
  fill(cache, 3);
  EXPECT_EQ(get(cache, "a0"), "12345678");
  set(cache, "d0", "12345678");
  EXPECT_EQ(left(cache), "acd");
  set(cache, "c0", "87654321");
  set(cache, "e0", "12345678");
  EXPECT_EQ(left(cache), "cde");
}

// E-080: what goes depends on the seed, and on nothing else.
TEST(BlobCacheTest, EvictsAtRandom) {
  auto leftOf = [](uint32_t seed) {
    BlobCache cache(8, 16, 100, {Select::random, Capacity::fit},
                    {.buildId = "", .seed = seed});
    fill(cache, 20);
    EXPECT_EQ(cache.totalSize(), 100u);
    EXPECT_TRUE(has(cache, "t0"));
    return left(cache);
  };
  std::set<std::string> outcomes;
  for (uint32_t seed = 1; seed <= 20; ++seed) {
    outcomes.insert(leftOf(seed));
    EXPECT_EQ(leftOf(seed), leftOf(seed));
  }
  EXPECT_GT(outcomes.size(), 10u);
}

// E-081: at capacity a larger value takes the place of its own entry, whatever
// the policy, though that is the oldest.
TEST(BlobCacheTest, ReplacesByALargerValueAtCapacity) {
  for (Policy policy : policies) {
    BlobCache cache(8, 90, 100, policy);
    fill(cache, 10);
    set(cache, "a0", "123456789");
    EXPECT_EQ(get(cache, "a0"), "123456789");
    EXPECT_LE(cache.totalSize(), 100u);
    EXPECT_GT(cache.entryCount(), 1u);
    if (policy.capacity == Capacity::halve)
      continue; // Does not make room for more than half.
    set(cache, "a0", std::string(80, 'v'));
    EXPECT_EQ(get(cache, "a0"), std::string(80, 'v'));
    EXPECT_LE(cache.totalSize(), 100u);
  }
}

// E-077, E-081: when no room is made, the entry stays as it was.
TEST(BlobCacheTest, KeepsTheOldValueWithoutRoom) {
  BlobCache cache(8, 98, 100, {Select::lru, Capacity::halve});
  fill(cache, 5);
  set(cache, "a0", std::string(60, 'v'));
  EXPECT_EQ(get(cache, "a0"), "12345678");
  EXPECT_EQ(left(cache), "abcde");
}

// E-082.
TEST(BlobCacheTest, CopiesWhenThereIsRoom) {
  BlobCache cache(8, 16, 100);
  set(cache, "key", "value");
  std::string buffer = "........";
  auto into = [&](size_t size) {
    return cache.get(bytesOf("key"),
                     std::as_writable_bytes(std::span(buffer)).first(size));
  };
  EXPECT_EQ(into(4), 5u);
  EXPECT_EQ(buffer, "........");
  EXPECT_EQ(into(5), 5u);
  EXPECT_EQ(buffer, "value...");
  buffer = "........";
  EXPECT_EQ(into(8), 5u);
  EXPECT_EQ(buffer, "value...");
}

// E-082: memory of the exact size, which is the caller's.
TEST(BlobCacheTest, CopiesIntoAllocatedMemory) {
  BlobCache cache(8, 16, 100);
  set(cache, "key", "value");
  std::unique_ptr<char[]> memory;
  size_t asked = 0;
  void *value = nullptr;
  size_t size = cache.get(bytesOf("key"), value, [&](size_t count) {
    asked = count;
    memory.reset(new char[count]);
    return memory.get();
  });
  EXPECT_EQ(size, 5u);
  EXPECT_EQ(asked, 5u);
  ASSERT_EQ(value, memory.get());
  EXPECT_EQ(std::string_view(memory.get(), 5), "value");
}

// E-082: who is not there, or has no memory, gets null.
TEST(BlobCacheTest, CopiesNothing) {
  BlobCache cache(8, 16, 100);
  set(cache, "key", "value");
  char before;
  void *value = &before;
  bool isAsked = false;
  auto refuse = [&](size_t) -> void * {
    isAsked = true;
    return nullptr;
  };
  EXPECT_EQ(cache.get(bytesOf("none"), value, refuse), 0u);
  EXPECT_EQ(value, nullptr);
  EXPECT_FALSE(isAsked);
  value = &before;
  EXPECT_EQ(cache.get(bytesOf("key"), value, refuse), 5u);
  EXPECT_EQ(value, nullptr);
  EXPECT_TRUE(isAsked);
}

// E-083.
TEST(BlobCacheTest, HasNoKeyAboveTheLimit) {
  BlobCache cache(4, 16, 100);
  set(cache, "1234", "value");
  EXPECT_EQ(get(cache, "12345"), "");
  char before;
  void *value = &before;
  EXPECT_EQ(cache.get(bytesOf("12345"), value, [&](size_t) { return &before; }),
            0u);
  EXPECT_EQ(value, nullptr);
}

// E-088: asking for the size is no use.
TEST(BlobCacheTest, AskingForTheSizeIsNoUse) {
  BlobCache cache(8, 16, 20, {Select::lru, Capacity::fit});
  fill(cache, 2);
  std::string buffer(7, '.');
  EXPECT_EQ(cache.get(bytesOf("a0"), std::as_writable_bytes(std::span(buffer))),
            8u);
  EXPECT_EQ(buffer, ".......");
  set(cache, "c0", "12345678");
  EXPECT_EQ(left(cache), "bc");
}

// Random sets and gets against a map: totals add up, no value is ever wrong.
TEST(BlobCacheTest, NeverLies) {
  for (Policy policy : policies) {
    BlobCache cache(3, 40, 200, policy, {.buildId = "", .seed = 7});
    std::minstd_rand random(1);
    std::map<std::string, std::string> truth;
    size_t hits = 0;
    for (int step = 0; step < 5000; ++step) {
      std::string key(1 + random() % 3, char('a' + random() % 8));
      if (random() % 2) {
        std::string value(1 + random() % 40, char('a' + random() % 26));
        set(cache, key, value);
        if (has(cache, key) && get(cache, key) == value)
          truth[key] = value;
      } else if (has(cache, key)) {
        EXPECT_EQ(get(cache, key), truth[key]);
        ++hits;
      }
      ASSERT_LE(cache.totalSize(), 200u);
    }
    EXPECT_GT(hits, 100u);
  }
}

} // namespace
