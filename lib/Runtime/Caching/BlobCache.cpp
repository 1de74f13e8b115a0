//===- BlobCache.cpp - A bounded map of byte strings ----------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "nnhal/Runtime/BlobCache.h"

#include <algorithm>
#include <chrono>
#include <cstring>

using namespace nnhal::rt;

using Key = std::span<const std::byte>;

BlobCache::BlobCache(size_t maxKeySize, size_t maxValueSize,
                     size_t maxTotalSize, Policy policy)
    : BlobCache(maxKeySize, maxValueSize, maxTotalSize, policy, Options()) {}

static uint32_t seedFromClock() {
  return uint32_t(std::chrono::steady_clock::now().time_since_epoch().count());
}

BlobCache::BlobCache(size_t maxKeySize, size_t maxValueSize,
                     size_t maxTotalSize, Policy policy, const Options &options)
    : maxKeySize(maxKeySize), maxValueSize(maxValueSize),
      maxTotalSize(maxTotalSize), policy(policy),
      buildId(options.buildId.substr(0, maxBuildId)),
      random(options.seed ? options.seed : seedFromClock()) {}

static bool isLess(Key left, Key right) {
  if (left.size() != right.size())
    return left.size() < right.size();
  return !left.empty() &&
         std::memcmp(left.data(), right.data(), left.size()) < 0;
}

size_t BlobCache::position(Key key) const {
  return size_t(std::ranges::lower_bound(
                    entries, key, isLess,
                    [](const Entry &entry) { return Key(entry.key); }) -
                entries.begin());
}

bool BlobCache::isAt(size_t index, Key key) const {
  return index < entries.size() && std::ranges::equal(entries[index].key, key);
}

size_t BlobCache::victim(size_t keep) {
  // Drawn from the others; what is kept and all after it move up by one.
  size_t others = entries.size() - (keep == noEntry ? 0 : 1);
  if (policy.select == Select::random) {
    size_t index = random() % others;
    return index + (index >= keep);
  }
  size_t oldest = noEntry;
  for (size_t i = 0; i < entries.size(); ++i)
    if (i != keep &&
        (oldest == noEntry || entries[i].recency < entries[oldest].recency))
      oldest = i;
  return oldest;
}

size_t BlobCache::evict(size_t growth, size_t keep) {
  size_t half = maxTotalSize / 2;
  if (policy.capacity == Capacity::halve && total <= half)
    return keep;
  size_t bound = policy.capacity == Capacity::halve ? half
                 : policy.capacity == Capacity::fit
                     ? maxTotalSize - growth
                     : std::min(maxTotalSize - growth, half);
  while (total > bound && entries.size() > (keep == noEntry ? 0 : 1)) {
    size_t index = victim(keep);
    total -= entries[index].size();
    entries.erase(entries.begin() + ptrdiff_t(index));
    if (keep != noEntry && index < keep)
      --keep;
  }
  return keep;
}

void BlobCache::set(Key key, std::span<const std::byte> value) {
  if (key.empty() || value.empty() || key.size() > maxKeySize ||
      value.size() > maxValueSize || key.size() > maxTotalSize ||
      value.size() > maxTotalSize - key.size())
    return;
  size_t index = position(key);
  bool isKnown = isAt(index, key);
  // The value before the entries change: no memory leaves them as they were.
  Entry entry{{key.begin(), key.end()}, {value.begin(), value.end()}, ++uses};
  size_t before = isKnown ? entries[index].size() : 0;
  size_t growth = entry.size() - std::min(entry.size(), before);
  if (!fits(growth)) {
    size_t kept = evict(growth, isKnown ? index : noEntry);
    if (!fits(growth))
      return;
    index = isKnown ? kept : position(key);
  }
  total += entry.size() - before;
  if (isKnown)
    entries[index] = std::move(entry);
  else
    entries.insert(entries.begin() + ptrdiff_t(index), std::move(entry));
}

size_t BlobCache::get(Key key, std::span<std::byte> buffer) {
  void *value = nullptr;
  return get(key, value, [buffer](size_t size) -> void * {
    return size <= buffer.size() ? buffer.data() : nullptr;
  });
}

size_t BlobCache::get(Key key, void *&value, const Allocate &allocate) {
  value = nullptr;
  if (key.size() > maxKeySize)
    return 0;
  size_t index = position(key);
  if (!isAt(index, key))
    return 0;
  Entry &entry = entries[index];
  value = allocate(entry.value.size());
  if (value) {
    std::memcpy(value, entry.value.data(), entry.value.size());
    entry.recency = ++uses;
  }
  return entry.value.size();
}

void BlobCache::clear() {
  entries.clear();
  total = 0;
}
