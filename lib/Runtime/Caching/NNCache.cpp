//===- NNCache.cpp - A blob cache in a file -------------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "nnhal/Runtime/NNCache.h"

#include "CacheFile.h"

#include "ContentKeyStore.h"
#include "Runtime/Support/Errors.h"
#include "Runtime/Support/LogFormat.h"
#include "Runtime/Support/Thread.h"
#include "nnhal/Runtime/Log.h"
#include "nnhal/Runtime/Version.h"

#include <new>
#include <utility>

using namespace nnhal::rt;

NNCache::NNCache(Options given) : options(std::move(given)) {}

NNCache::~NNCache() {
  terminate();
  {
    std::lock_guard lock(mutex);
    isEnding = true;
  }
  changed.notify_all();
  if (helper.joinable())
    helper.join();
}

std::string NNCache::defaultBuildId() {
  // The version alone stays the same while the code changes.
  std::string text = NNHAL_VERSION;
  auto digest = libraryDigest(reinterpret_cast<const void *>(&defaultBuildId));
  if (digest.isOk())
    text += fmt::format("-{:02x}",
                        fmt::join(digest->begin(), digest->begin() + 16, ""));
  return text;
}

void NNCache::report(const Status &status) const {
  if (!status.isOk() && options.log)
    writeError(*options.log, "blob cache '{}': {}", filename, status.message());
}

void NNCache::initialize(size_t maxKeySize, size_t maxValueSize,
                         size_t maxTotalSize, BlobCache::Policy policy) {
  std::lock_guard lock(mutex);
  if (!limits)
    limits = {maxKeySize, maxValueSize, maxTotalSize, policy};
}

void NNCache::terminate() {
  std::lock_guard lock(mutex);
  save();
  cache.reset();
  limits.reset();
  saveAt.reset();
}

void NNCache::setCacheFilename(std::string path) {
  std::lock_guard lock(mutex);
  filename = std::move(path);
}

/// Returns the status of \p work, or says that there is no memory for it: the
/// cache is a help and must not end a program.
template <typename Work> static Status withinMemory(const Work &work) {
  try {
    return work();
  } catch (const std::bad_alloc &) {
    return outOfResources("no memory");
  }
}

static std::span<const std::byte> bytesOf(const void *data, ssize_t size) {
  return {static_cast<const std::byte *>(data), size_t(size)};
}

void NNCache::setBlob(const void *key, ssize_t keySize, const void *value,
                      ssize_t valueSize) {
  if (keySize < 0 || valueSize < 0)
    return;
  std::lock_guard lock(mutex);
  if (!limits)
    return;
  report(withinMemory([&] {
    blobCache().set(bytesOf(key, keySize), bytesOf(value, valueSize));
    schedule();
    return Status::ok();
  }));
}

ssize_t NNCache::getBlob(const void *key, ssize_t keySize, void *value,
                         ssize_t valueSize) {
  if (valueSize < 0)
    return 0;
  void *copied = nullptr;
  return getBlob(key, keySize, &copied, [=](size_t size) {
    return size <= size_t(valueSize) ? value : nullptr;
  });
}

ssize_t NNCache::getBlob(const void *key, ssize_t keySize, void **value,
                         const BlobCache::Allocate &allocate) {
  *value = nullptr;
  if (keySize < 0)
    return 0;
  std::lock_guard lock(mutex);
  size_t size = 0;
  if (limits)
    report(withinMemory([&] {
      size = blobCache().get(bytesOf(key, keySize), *value, allocate);
      return Status::ok();
    }));
  return ssize_t(size);
}

BlobCache &NNCache::blobCache() {
  if (!cache) {
    cache = std::make_unique<BlobCache>(
        limits->keySize, limits->valueSize, limits->totalSize, limits->policy,
        BlobCache::Options{.buildId = options.buildId});
    load();
  }
  return *cache;
}

void NNCache::load() {
  if (filename.empty())
    return;
  report(withinMemory(
      [&] { return readCacheFile(filename, limits->totalSize, *cache); }));
}

void NNCache::save() {
  if (filename.empty() || !cache)
    return;
  report(withinMemory([&] { return writeCacheFile(filename, *cache); }));
}

void NNCache::schedule() {
  if (saveAt)
    return;
  saveAt = std::chrono::steady_clock::now() + options.saveDelay;
  changed.notify_all();
  if (helper.joinable())
    return;
  // Without a thread terminate() still saves.
  Status started =
      startThread(helper, "nnhal-nncache", [this] { saveLater(); });
  report(std::move(started));
}

void NNCache::saveLater() {
  std::unique_lock lock(mutex);
  while (!isEnding) {
    if (!saveAt) {
      changed.wait(lock);
      continue;
    }
    auto due = *saveAt;
    if (std::chrono::steady_clock::now() < due) {
      changed.wait_until(lock, due);
      continue;
    }
    save();
    saveAt.reset();
  }
}
