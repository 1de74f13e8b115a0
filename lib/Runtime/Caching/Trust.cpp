//===- Trust.cpp - Who could have written a cache -------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CacheEntry.h"

#include <fmt/format.h>

#include <sys/stat.h>
#include <unistd.h>

using namespace nnhal::rt;

static bool isOpenToOthers(const struct stat &info) {
  return (info.st_mode & (S_IWGRP | S_IWOTH)) != 0;
}

static unsigned permissionsOf(const struct stat &info) {
  return info.st_mode & 07777;
}

static CacheVerdict distrust(std::string detail) {
  return {CacheOutcome::missWritableByOthers, std::move(detail)};
}

static CacheVerdict ofAnotherUser(std::string_view what,
                                  const struct stat &info) {
  return distrust(fmt::format("{} belongs to user {}, not to {}", what,
                              info.st_uid, ::geteuid()));
}

static CacheVerdict openToOthers(std::string_view what,
                                 const struct stat &info) {
  return distrust(
      fmt::format("{} can be written to by other users (mode {:04o})", what,
                  permissionsOf(info)));
}

CacheVerdict nnhal::rt::checkCacheDirectory(const std::string &path) {
  struct stat info;
  if (::stat(path.c_str(), &info) != 0 || !S_ISDIR(info.st_mode))
    return {};
  std::string what = fmt::format("the directory '{}'", path);
  // In a sticky directory nobody else renames or removes this user's files; but
  // its owner may.
  if (info.st_uid != ::geteuid() && info.st_uid != 0)
    return ofAnotherUser(what, info);
  if (isOpenToOthers(info) && (info.st_mode & S_ISVTX) == 0)
    return openToOthers(what, info);
  return {};
}

CacheVerdict nnhal::rt::checkCacheFileOwner(int fd, std::string_view what) {
  struct stat info;
  if (::fstat(fd, &info) == 0 && info.st_uid != ::geteuid())
    return ofAnotherUser(what, info);
  return checkCacheFileMode(fd, what);
}

CacheVerdict nnhal::rt::checkCacheFileMode(int fd, std::string_view what) {
  struct stat info;
  // A file without a name can be opened by nobody, whatever its mode says: that
  // of a memfd says 0777.
  if (::fstat(fd, &info) == 0 && info.st_nlink > 0 && isOpenToOthers(info))
    return openToOthers(what, info);
  return {};
}
