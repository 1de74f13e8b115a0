//===- CacheDirectory.cpp - Files and locks of a cache directory ----------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CacheDirectory.h"

#include "Runtime/Support/Errors.h"

#include <cerrno>
#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

using namespace nnhal::rt;

/// Files that are not an entry yet have this suffix.
static constexpr const char *newSuffix = ".new";

static std::vector<std::vector<int>>
borrow(const std::vector<UniqueFd> &files) {
  std::vector<std::vector<int>> handles;
  handles.reserve(files.size());
  for (const UniqueFd &fd : files)
    handles.push_back({fd.get()});
  return handles;
}

CacheHandles OpenEntry::handles() const {
  return {borrow(modelCache), borrow(dataCache), isPrivate};
}

/// Whether only this user can have written to the files of \p entry.
static CacheVerdict checkOwner(const OpenEntry &entry) {
  for (auto [files, what] :
       {std::pair(&entry.modelCache, "the model-cache file"),
        {&entry.dataCache, "the data-cache file"}})
    for (const UniqueFd &fd : *files)
      if (CacheVerdict verdict = checkCacheFileOwner(fd.get(), what);
          !verdict.isHit())
        return verdict;
  return {};
}

EntryNames::EntryNames(const std::string &directory, const CacheToken &token,
                       CacheFiles files)
    : directory(directory) {
  for (uint32_t i = 0; i < files.modelCache; ++i)
    modelPaths.push_back(directory +
                         cacheFileName(token, CacheFileKind::model, i));
  for (uint32_t i = 0; i < files.dataCache; ++i)
    dataPaths.push_back(directory +
                        cacheFileName(token, CacheFileKind::data, i));
}

std::optional<OpenEntry> EntryNames::openAll(const char *suffix,
                                             int flags) const {
  OpenEntry entry;
  auto openList = [&](const std::vector<std::string> &paths,
                      std::vector<UniqueFd> &list) {
    for (const std::string &path : paths) {
      list.emplace_back(
          ::open((path + suffix).c_str(),
                 O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | flags,
                 S_IRUSR | S_IWUSR));
      if (!list.back().isValid())
        return false;
    }
    return true;
  };
  if (!openList(modelPaths, entry.modelCache) ||
      !openList(dataPaths, entry.dataCache))
    return std::nullopt;
  return entry;
}

std::optional<OpenEntry> EntryNames::open() const {
  auto entry = openAll("", 0);
  if (entry) {
    entry->trust = checkOwner(*entry);
    entry->isPrivate =
        entry->trust.isHit() && checkCacheDirectory(directory).isHit();
  }
  return entry;
}

std::string EntryNames::stamp() const {
  std::string text;
  for (const auto *paths : {&modelPaths, &dataPaths})
    for (const std::string &path : *paths) {
      struct stat info;
      if (::stat(path.c_str(), &info) != 0)
        return {};
      text +=
          fmt::format("{}:{}:{}:{}.{};", info.st_dev, info.st_ino, info.st_size,
                      info.st_mtim.tv_sec, info.st_mtim.tv_nsec);
    }
  return text;
}

std::optional<OpenEntry> EntryNames::create() const {
  discard();
  auto entry = openAll(newSuffix, O_CREAT | O_EXCL);
  if (!entry)
    discard();
  return entry;
}

void EntryNames::discard() const {
  for (const auto *paths : {&modelPaths, &dataPaths})
    for (const std::string &path : *paths)
      ::unlink((path + newSuffix).c_str());
}

Status EntryNames::publish() const {
  for (const std::string &path : modelPaths)
    ::unlink(path.c_str());
  for (const auto *paths : {&dataPaths, &modelPaths})
    for (const std::string &path : *paths)
      if (::rename((path + newSuffix).c_str(), path.c_str()) != 0) {
        Status status = failure("cannot rename a file to '{}': {}", path,
                                std::generic_category().message(errno));
        discard();
        return status;
      }
  return Status::ok();
}

std::optional<EntryLock> EntryLock::open(const std::string &directory) {
  UniqueFd fd(::open((directory + cacheLockName).c_str(),
                     O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK,
                     S_IRUSR | S_IWUSR));
  struct stat info;
  if (!fd.isValid() || ::fstat(fd.get(), &info) != 0 || !S_ISREG(info.st_mode))
    return std::nullopt;
  bool isPrivate = info.st_uid == ::geteuid() && (info.st_mode & 0077) == 0;
  return EntryLock(std::move(fd), isPrivate);
}

/// Sets the lock on the byte of \p token to \p type. Locks of an open file
/// description, so that threads exclude each other as processes do.
static bool setLock(int fd, const CacheToken &token, short type) {
  struct flock range = {};
  range.l_type = type;
  range.l_whence = SEEK_SET;
  range.l_start = off_t(cacheLockPlace(token));
  range.l_len = 1;
  return ::fcntl(fd, F_OFD_SETLK, &range) == 0;
}

bool EntryLock::tryLock(const CacheToken &token) {
  return setLock(fd.get(), token, F_WRLCK);
}

void EntryLock::unlock(const CacheToken &token) {
  setLock(fd.get(), token, F_UNLCK);
}

void EntryLock::removeLeftovers(const std::string &directory,
                                const CacheToken &held) {
  std::unique_ptr<DIR, int (*)(DIR *)> list(::opendir(directory.c_str()),
                                            ::closedir);
  if (!list)
    return;
  while (const dirent *item = ::readdir(list.get())) {
    std::string_view name = item->d_name;
    if (!name.ends_with(newSuffix))
      continue;
    auto parts = parseCacheFileName(
        name.substr(0, name.size() - std::string_view(newSuffix).size()));
    if (!parts)
      continue;
    // The writer of an entry holds its lock. This process would get its own
    // lock twice, and lose it when this function returns.
    bool isHeld = parts->token == held;
    if (!isHeld && !tryLock(parts->token))
      continue;
    ::unlink((directory + item->d_name).c_str());
    if (!isHeld)
      unlock(parts->token);
  }
}
