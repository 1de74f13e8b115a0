//===- DeviceCache.cpp - A device's side of compilation caching -----------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DeviceCache.h"

#include "BinaryIdentity.h"

#include "Runtime/Support/Errors.h"
#include "Runtime/Support/LogFormat.h"
#include "nnhal/Runtime/Log.h"
#include "nnhal/Runtime/Trace.h"

#include <fmt/ranges.h>

#include <typeinfo>

using namespace nnhal::rt;
using namespace nnhal::rt::cache;

static DeviceServices withoutThreads(DeviceServices services) {
  services.executions.reset();
  services.preparations.reset();
  services.reactor.reset();
  return services;
}

DeviceCache::DeviceCache(std::shared_ptr<const Backend> shared,
                         DeviceServices services)
    : owner(std::move(shared)), backend(*owner),
      services(withoutThreads(std::move(services))) {}

bool DeviceCache::keepsEntries() const {
  CacheFiles files = backend.info().cacheFiles;
  return files.modelCache + files.dataCache > 0 &&
         files.modelCache <= maxCacheFiles && files.dataCache <= maxCacheFiles;
}

static Sha256Digest digestOf(std::initializer_list<std::string_view> texts) {
  return sha256OfTexts(std::span(texts.begin(), texts.size()));
}

Status DeviceCache::openState(State &state) const {
  const DeviceInfo &info = backend.info();
  if (services.stateDirectory.empty())
    return failure("there is no state directory");
  NNHAL_ASSIGN_OR_RETURN(CompilationIdentity compilation,
                         backend.compilationIdentity());
  // The library of the backend, which loads the code, and those it needs: the
  // runtime, which the code calls, is one of them.
  NNHAL_ASSIGN_OR_RETURN(std::string runtime,
                         binaryIdentity(fileOfAddress(&typeid(backend))));
  state.identity.device = info.name;
  state.identity.deviceVersion = info.version;
  state.identity.driver =
      digestOf({"driver", info.name, info.version, runtime});
  state.identity.compiler = digestOf({"compiler", compilation.compiler});
  state.identity.cpu = digestOf({"cpu", compilation.cpu});
  IntegrityStore::Options options;
  options.directory = services.stateDirectory;
  options.name = info.name;
  Sha256Digest both[] = {state.identity.driver, state.identity.compiler};
  options.identity = sha256(std::as_bytes(std::span(both)));
  NNHAL_ASSIGN_OR_RETURN(state.store, IntegrityStore::open(std::move(options)));
  return Status::ok();
}

const DeviceCache::State &DeviceCache::state() {
  std::lock_guard lock(mutex);
  if (!opened) {
    auto fresh = std::make_unique<State>();
    fresh->status = openState(*fresh);
    if (!fresh->status.isOk())
      writeLog(*services.log, LogTag::compilation, "{}: nothing is cached: {}",
               backend.info().name, fresh->status.message());
    opened = std::move(fresh);
  }
  return *opened;
}

CacheIdentity DeviceCache::identityWith(const CompileOptions &options) {
  CacheIdentity identity = state().identity;
  std::string rounding = fmt::format("{}", uint32_t(options.rounding));
  std::string shapes = fmt::format("{}", options.specializations);
  std::vector<std::string_view> texts = {
      "options",         options.targetTriple,
      options.targetCpu, options.targetFeatures,
      rounding,          shapes};
  // Entries of processors have the key that they had before there were targets.
  if (!options.target.empty())
    texts.push_back(options.target);
  identity.options = sha256OfTexts(texts);
  return identity;
}

static CacheVerdict missFor(CacheOutcome outcome, const Status &status) {
  return {outcome, status.message()};
}

void DeviceCache::report(const char *work, const CacheVerdict &verdict,
                         int64_t begin) const {
  std::string text =
      verdict.isHit() ? fmt::format("{}: done", work)
                      : fmt::format("{}: {}, {}", work,
                                    toString(verdict.outcome), verdict.detail);
  writeLog(*services.log, LogTag::compilation, "{}: {}", backend.info().name,
           text);
  if (Tracer *tracer = services.tracer.get())
    tracer->addSection({TraceLayer::driver, TracePhase::compilation}, text,
                       begin, tracer->now());
}

static int64_t beginOf(const DeviceServices &services) {
  return services.tracer ? services.tracer->now() : 0;
}

static void tell(const CacheObserver &observer, const CacheVerdict &verdict) {
  if (observer)
    observer(verdict.outcome, verdict.detail);
}

//===----------------------------------------------------------------------===//
// Saving
//===----------------------------------------------------------------------===//

std::unique_ptr<CacheSlot>
DeviceCache::openSlot(const PrepareOptions &options,
                      const CacheObserver &observer) const {
  if (options.cache.isEmpty() || !keepsEntries())
    return nullptr;
  auto files = duplicateFiles(options.cache, backend.info().cacheFiles);
  if (!files.isOk()) {
    CacheVerdict verdict =
        missFor(CacheOutcome::missUnreadable, files.status());
    report("save to the cache", verdict, beginOf(services));
    tell(observer, verdict);
    return nullptr;
  }
  auto slot = std::make_unique<CacheSlot>();
  slot->files = *std::move(files);
  if (auto lock = FileLock::tryLock(slot->files.first(),
                                    /*isExclusive=*/true))
    slot->lock.emplace(*std::move(lock));
  slot->token = options.token;
  slot->contentKey = options.contentKey;
  slot->compile = options.compile;
  slot->observer = observer;
  return slot;
}

/// Views of \p memories, which \p kept keeps.
static Status viewAll(const std::vector<Memory> &memories, size_t count,
                      const char *what, std::vector<Memory> &kept,
                      std::vector<std::span<const std::byte>> &views) {
  if (memories.size() != count)
    return failure("the backend gave {} {} contents for {} files",
                   memories.size(), what, count);
  for (const Memory &memory : memories) {
    NNHAL_ASSIGN_OR_RETURN(Memory readable, memory.materialize());
    NNHAL_ASSIGN_OR_RETURN(std::span<const std::byte> bytes, readable.bytes());
    views.push_back(bytes);
    kept.push_back(std::move(readable));
  }
  return Status::ok();
}

CacheVerdict DeviceCache::trySave(const CacheSlot &slot,
                                  const CacheContents &given) {
  const State &shared = state();
  if (!shared.status.isOk())
    return missFor(CacheOutcome::missNoState, shared.status);
  std::vector<Memory> kept;
  EntryContents contents;
  Status viewed = viewAll(given.modelCache, slot.files.modelCache.size(),
                          "model-cache", kept, contents.modelCache);
  if (viewed.isOk())
    viewed = viewAll(given.dataCache, slot.files.dataCache.size(), "data-cache",
                     kept, contents.dataCache);
  if (!viewed.isOk())
    return missFor(CacheOutcome::missUnreadable, viewed);
  CacheEntryInfo info;
  info.token = slot.token;
  info.contentKey = slot.contentKey;
  info.identity = identityWith(slot.compile);
  auto lock = FileLock::tryLock(slot.files.first(), /*isExclusive=*/true);
  if (!lock)
    return {CacheOutcome::missLocked, "somebody else uses the files"};
  Status written = writeEntry(slot.files, std::move(info), contents,
                              [&](const Sha256Digest &hash) {
                                return shared.store->record(slot.token, hash);
                              });
  if (!written.isOk())
    return missFor(CacheOutcome::missUnreadable, written);
  return {};
}

void DeviceCache::save(const CacheSlot &slot, const CacheContents &contents) {
  int64_t begin = beginOf(services);
  CacheVerdict verdict = trySave(slot, contents);
  report("save to the cache", verdict, begin);
  if (!verdict.isHit())
    tell(slot.observer, verdict);
}

//===----------------------------------------------------------------------===//
// Loading
//===----------------------------------------------------------------------===//

CacheVerdict DeviceCache::readFirst(const EntryFiles &files,
                                    const CacheToken &token,
                                    const PrepareOptions &options,
                                    Entry &entry) {
  CacheVerdict verdict = readModelFile(files.first(), entry.first);
  if (!verdict.isHit())
    return verdict;
  const State &shared = state();
  if (!shared.status.isOk())
    return missFor(CacheOutcome::missNoState, shared.status);
  std::span<const std::byte> bytes = entry.first.bytes();
  auto isRecorded = shared.store->isRecorded(token, sha256(bytes));
  if (!isRecorded.isOk())
    return missFor(CacheOutcome::missNoState, isRecorded.status());
  // Contents that were not recorded are read only to find out why.
  verdict = readCacheEntry(bytes, entry.info, /*checkParts=*/!*isRecorded);
  if (verdict.isHit())
    verdict = compareCacheEntry(
        entry.info, token, identityWith(options.compile), options.contentKey);
  if (verdict.isHit() && !*isRecorded)
    return {CacheOutcome::missNotRecorded,
            "the device does not know to have written the entry"};
  return verdict;
}

CacheVerdict DeviceCache::readEntry(const EntryFiles &files,
                                    const CacheToken &token,
                                    const PrepareOptions &options,
                                    Entry &entry) {
  auto lock = FileLock::tryLock(files.first(), /*isExclusive=*/false);
  if (!lock)
    return {CacheOutcome::missLocked, "somebody else writes the files"};
  CacheVerdict verdict = readFirst(files, token, options, entry);
  if (!verdict.isHit())
    return verdict;
  std::span<const std::byte> first =
      std::span<const std::byte>(entry.first.bytes())
          .subspan(cacheEntryHeaderSize);
  CacheFileList list;
  if (hasFileList(files.modelCache.size(), files.dataCache.size())) {
    uint64_t listSize = 0;
    verdict = readCacheFileList(first, entry.info, list, listSize);
    if (!verdict.isHit())
      return verdict;
    first = first.subspan(listSize);
  } else {
    list.dataCache = {{entry.info.dataCacheSize, entry.info.dataCacheDigest}};
  }
  CacheContents &contents = entry.contents;
  (files.modelCache.empty() ? contents.dataCache : contents.modelCache)
      .push_back(Memory::borrow(first));
  for (size_t i = 1; i < files.modelCache.size(); ++i) {
    AlignedBuffer &file = entry.others.emplace_back();
    verdict = readModelFile(files.modelCache[i].get(), file);
    // A file without contents is as it was written, perhaps.
    if (verdict.isHit() || verdict.outcome == CacheOutcome::missAbsent)
      verdict = checkCacheModelFile(file.bytes(), list.modelCache[i]);
    if (!verdict.isHit())
      return verdict;
    contents.modelCache.push_back(Memory::borrow(file.bytes()));
  }
  for (size_t i = contents.dataCache.size(); i < files.dataCache.size(); ++i) {
    verdict = readDataFile(files.dataCache[i].get(), files.arePrivate,
                           dataFileInfo(entry.info, list.dataCache[i]),
                           contents.dataCache.emplace_back());
    if (!verdict.isHit())
      return verdict;
  }
  return {};
}

Result<std::unique_ptr<LoadedModel>>
DeviceCache::tryLoad(const CacheHandles &handles, const CacheToken &token,
                     const PrepareOptions &options, CacheVerdict &verdict) {
  auto files = duplicateFiles(handles, backend.info().cacheFiles);
  if (!files.isOk()) {
    verdict = missFor(CacheOutcome::missUnreadable, files.status());
    return std::move(files).takeStatus();
  }
  Entry entry;
  verdict = readEntry(*files, token, options, entry);
  if (!verdict.isHit())
    return failure("the cache has no usable entry ({}): {}",
                   toString(verdict.outcome), verdict.detail);
  auto loaded = backend.loadFromCache(entry.contents);
  if (!loaded.isOk()) {
    verdict = missFor(CacheOutcome::missUnreadable, loaded.status());
    return failure("the entry of the cache cannot be loaded: {}",
                   loaded.status().message());
  }
  return loaded;
}

Result<std::unique_ptr<LoadedModel>>
DeviceCache::load(const CacheHandles &handles, const CacheToken &token,
                  const PrepareOptions &options,
                  const CacheObserver &observer) {
  // A device that does not cache answers with a general failure (C-066).
  if (!keepsEntries())
    return failure("{} keeps no compiled models", backend.info().name);
  int64_t begin = beginOf(services);
  CacheVerdict verdict;
  auto loaded = tryLoad(handles, token, options, verdict);
  report("load from the cache", verdict, begin);
  tell(observer, verdict);
  return loaded;
}
