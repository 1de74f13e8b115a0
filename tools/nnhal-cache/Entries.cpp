//===- Entries.cpp - The contents of a cache directory --------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Entries.h"

#include "Runtime/Support/Errors.h"
#include "nnhal/Runtime/Memory.h"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <filesystem>
#include <sys/file.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

using namespace nnhal;
using namespace nnhal::cachetool;
using rt::CacheOutcome;
using rt::CacheVerdict;
using rt::Status;

namespace {
/// A file that is read in part or as a whole, into private memory.
struct File {
  uint64_t size = 0;
  std::vector<std::byte> bytes;
  /// The errno of the read; 0 when it succeeded.
  int error = 0;
};

/// Asks who is writing entries of a directory.
class Writers {
public:
  explicit Writers(const std::string &directory)
      : directory(directory),
        fd(open((directory + '/' + rt::cacheLockName).c_str(),
                O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)) {}

  /// Whether a process holds the lock of \p entry, or of its model-cache file,
  /// which a compilation in the background keeps after the former.
  bool areAt(const Entry &entry) const {
    struct flock range = {};
    range.l_type = F_WRLCK;
    range.l_whence = SEEK_SET;
    range.l_start = off_t(rt::cacheLockPlace(entry.token));
    range.l_len = 1;
    if (fd.isValid() && fcntl(fd.get(), F_OFD_GETLK, &range) == 0 &&
        range.l_type != F_UNLCK)
      return true;
    return std::ranges::any_of(entry.modelFiles, [&](const std::string &name) {
      rt::UniqueFd file(open((directory + '/' + name).c_str(),
                             O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
      return file.isValid() && flock(file.get(), LOCK_SH | LOCK_NB) != 0 &&
             errno == EWOULDBLOCK;
    });
  }

private:
  const std::string &directory;
  rt::UniqueFd fd;
};
} // namespace

static CacheVerdict unreadable(std::string detail) {
  return {CacheOutcome::missUnreadable, std::move(detail)};
}

/// The first \p limit bytes of \p path.
static CacheVerdict readFile(const std::string &path, uint64_t limit,
                             File &file) {
  auto system = [&](const char *what) {
    file.error = errno;
    return unreadable(
        fmt::format("{}: {}", what, std::generic_category().message(errno)));
  };
  rt::UniqueFd fd(
      open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  struct stat status;
  if (!fd.isValid() || fstat(fd.get(), &status) != 0)
    return system("a file cannot be opened");
  if (!S_ISREG(status.st_mode))
    return unreadable("a file is not a regular file");
  file.size = uint64_t(status.st_size);
  file.bytes.resize(std::min(file.size, limit));
  size_t done = 0;
  while (done < file.bytes.size()) {
    ssize_t count =
        read(fd.get(), file.bytes.data() + done, file.bytes.size() - done);
    if (count < 0 && errno == EINTR)
      continue;
    if (count < 0)
      return system("a file cannot be read");
    if (count == 0)
      break;
    done += size_t(count);
  }
  file.bytes.resize(done);
  return {};
}

static CacheVerdict checkData(const std::string &path, Depth depth,
                              const rt::CacheEntryInfo &info, int &error) {
  File file;
  bool isWhole = depth == Depth::everything;
  CacheVerdict verdict =
      readFile(path, isWhole ? UINT64_MAX : rt::cacheDataHeaderSize, file);
  error = file.error;
  if (!verdict.isHit())
    return verdict;
  return isWhole ? rt::checkCacheData(file.bytes, info)
                 : rt::checkCacheDataHeader(file.bytes, file.size, info);
}

/// All of a model-cache file.
static CacheVerdict readModelFile(const std::string &path, File &file,
                                  int &error) {
  CacheVerdict verdict = readFile(path, rt::maxModelCacheFile + 1, file);
  error = file.error;
  if (verdict.isHit() && file.bytes.size() > rt::maxModelCacheFile)
    return {
        CacheOutcome::missTampered,
        fmt::format("the model-cache file has {} bytes, at most {} are read",
                    file.size, rt::maxModelCacheFile)};
  return verdict;
}

/// Checks the files that \p first, which is behind its header, lists.
static CacheVerdict checkListed(const std::string &directory, Depth depth,
                                const Entry &entry,
                                std::span<const std::byte> first, int &error) {
  rt::CacheFileList list;
  uint64_t listSize = 0;
  CacheVerdict verdict =
      rt::readCacheFileList(first, entry.info, list, listSize);
  for (size_t i = 1; i < entry.modelFiles.size() && verdict.isHit(); ++i) {
    File file;
    verdict = readModelFile(directory + '/' + entry.modelFiles[i], file, error);
    if (verdict.isHit())
      verdict = rt::checkCacheModelFile(file.bytes, list.modelCache[i]);
  }
  size_t begin = entry.modelFiles.empty() ? 1 : 0;
  for (size_t i = begin; i < entry.dataFiles.size() && verdict.isHit(); ++i)
    verdict = checkData(directory + '/' + entry.dataFiles[i], depth,
                        rt::dataFileInfo(entry.info, list.dataCache[i]), error);
  return verdict;
}

/// The error of the system that kept a file from being read, if one did, is
/// left in \p error.
static CacheVerdict check(const std::string &directory, Depth depth,
                          Entry &entry, int &error) {
  // Both depths read this file: it is small, and its header must be checked
  // against its size.
  File first;
  CacheVerdict verdict = readModelFile(
      directory + '/' +
          (entry.modelFiles.empty() ? entry.dataFiles : entry.modelFiles)
              .front(),
      first, error);
  if (error != 0)
    return verdict;
  if (verdict.isHit())
    verdict =
        rt::readCacheEntry(first.bytes, entry.info, depth == Depth::everything);
  if (entry.modelFiles.size() != entry.info.modelFiles ||
      entry.dataFiles.size() != entry.info.dataFiles)
    return {CacheOutcome::missAbsent,
            fmt::format("{} model-cache and {} data-cache files, the entry has "
                        "{} and {}",
                        entry.modelFiles.size(), entry.dataFiles.size(),
                        entry.info.modelFiles, entry.info.dataFiles)};
  if (verdict.isHit() && entry.info.token != entry.token)
    return {CacheOutcome::missOtherToken,
            "the file names are those of another token"};
  if (!verdict.isHit())
    return verdict;
  if (rt::hasFileList(entry.modelFiles.size(), entry.dataFiles.size()))
    return checkListed(directory, depth, entry,
                       std::span<const std::byte>(first.bytes)
                           .subspan(rt::cacheEntryHeaderSize),
                       error);
  return checkData(directory + '/' + entry.dataFiles.front(), depth, entry.info,
                   error);
}

/// Fills verdict and state of \p entry. Its lock is asked for before and after
/// the files are read: a writer may come or go meanwhile.
static void inspect(const std::string &directory, Depth depth,
                    const Writers &writers, Entry &entry) {
  bool isWritten = writers.areAt(entry);
  int error = 0;
  entry.verdict = check(directory, depth, entry, error);
  if (entry.verdict.isHit()) {
    entry.state = State::whole;
    return;
  }
  // A name that is gone was replaced.
  if (isWritten || error == ENOENT || writers.areAt(entry))
    entry.state = State::beingWritten;
  else if (error == EACCES || error == EPERM)
    entry.state = State::unreadable;
  else
    entry.state = State::damaged;
}

static rt::Result<Directory> readOnce(const std::string &path, int64_t now,
                                      Depth depth) {
  std::error_code error;
  std::filesystem::directory_iterator iterator(path, error), end;
  std::map<std::string, Entry> found;
  Directory directory;
  for (; !error && iterator != end; iterator.increment(error)) {
    std::string name = iterator->path().filename().string();
    struct stat status;
    if (lstat(iterator->path().c_str(), &status) != 0)
      continue; // It has disappeared.
    std::string_view stem = name;
    bool isLeftover = stem.ends_with(".new");
    if (isLeftover)
      stem.remove_suffix(4);
    auto parts = rt::parseCacheFileName(stem);
    if (!parts)
      continue;
    int64_t age = std::max<int64_t>(now - status.st_mtim.tv_sec, 0);
    if (isLeftover) {
      directory.leftovers.push_back({name, uint64_t(status.st_size), age});
      continue;
    }
    auto [at, isNew] = found.try_emplace(std::string(name, 0, 64));
    Entry &entry = at->second;
    entry.token = parts->token;
    (parts->kind == rt::CacheFileKind::model ? entry.modelFiles
                                             : entry.dataFiles)
        .push_back(name);
    entry.bytes += uint64_t(status.st_size);
    entry.ageSeconds = isNew ? age : std::min(entry.ageSeconds, age);
  }
  if (error)
    return rt::failure("cannot read '{}': {}", path, error.message());
  std::ranges::sort(directory.leftovers, {}, &Leftover::name);
  Writers writers(path);
  for (auto &[name, entry] : found) {
    // Numbers at the end of names have one digit or two.
    auto byNumber = [](const std::string &file) {
      return std::pair(file.size(), file);
    };
    std::ranges::sort(entry.modelFiles, {}, byNumber);
    std::ranges::sort(entry.dataFiles, {}, byNumber);
    inspect(path, depth, writers, entry);
    directory.entries.push_back(std::move(entry));
  }
  return directory;
}

rt::Result<Directory> cachetool::readDirectory(const std::string &path,
                                               int64_t now, Depth depth) {
  NNHAL_ASSIGN_OR_RETURN(Directory directory, readOnce(path, now, depth));
  bool hasDamage =
      std::ranges::any_of(directory.entries, [](const Entry &entry) {
        return entry.state == State::damaged;
      });
  // A second look: a writer may have come and gone between the list of names,
  // the files and the locks.
  if (hasDamage)
    return readOnce(path, now, depth);
  return directory;
}

CacheVerdict cachetool::checkOwner(const std::string &directory,
                                   const Entry &entry) {
  for (auto [names, what] :
       {std::pair(&entry.modelFiles, "the model-cache file"),
        {&entry.dataFiles, "the data-cache file"}})
    for (const std::string &name : *names) {
      rt::UniqueFd fd(open((directory + '/' + name).c_str(),
                           O_PATH | O_CLOEXEC | O_NOFOLLOW));
      CacheVerdict verdict = rt::checkCacheFileOwner(fd.get(), what);
      if (!verdict.isHit())
        return verdict;
    }
  return {};
}

Status cachetool::removeFile(const std::string &directory,
                             const std::string &name) {
  if (unlink((directory + '/' + name).c_str()) != 0 && errno != ENOENT)
    return rt::failure("cannot remove '{}/{}': {}", directory, name,
                       std::generic_category().message(errno));
  return Status::ok();
}

rt::Result<uint64_t> cachetool::removeEntry(const std::string &directory,
                                            const Entry &entry) {
  // The model cache first: without it the rest is nothing.
  for (const std::string &name : entry.modelFiles)
    NNHAL_RETURN_IF_ERROR(removeFile(directory, name));
  for (const std::string &name : entry.dataFiles)
    NNHAL_RETURN_IF_ERROR(removeFile(directory, name));
  return entry.bytes;
}
