//===- EntryFiles.cpp - The descriptors of a cache entry ------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EntryFiles.h"

#include "Sha256.h"

#include "nnhal/Runtime/SharedMemory.h"

#include <cerrno>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

using namespace nnhal::rt;
using namespace nnhal::rt::cache;

static std::string errorText(int error) {
  return std::generic_category().message(error);
}

/// The one descriptor of \p handles, duplicated.
static Result<UniqueFd>
duplicateOne(const char *what, const std::vector<std::vector<int>> &handles) {
  if (handles.size() != 1)
    return badData("{} {} handles are given, not 1", handles.size(), what);
  if (handles[0].size() != 1)
    return badData("the {} handle has {} descriptors, not 1", what,
                   handles[0].size());
  int fd = handles[0][0];
  UniqueFd own(::fcntl(fd, F_DUPFD_CLOEXEC, 0));
  int flags = ::fcntl(fd, F_GETFL);
  struct stat info;
  if (!own.isValid() || flags < 0 || ::fstat(fd, &info) != 0)
    return badData("the {} descriptor {} cannot be used: {}", what, fd,
                   errorText(errno));
  if (!S_ISREG(info.st_mode))
    return failure("the {} descriptor {} is no regular file", what, fd);
  if ((flags & O_ACCMODE) != O_RDWR)
    return failure("the {} descriptor {} is not open for reading and writing",
                   what, fd);
  return own;
}

Result<EntryFiles>
nnhal::rt::cache::duplicateFiles(const CacheHandles &handles) {
  EntryFiles files;
  NNHAL_ASSIGN_OR_RETURN(files.modelCache,
                         duplicateOne("model-cache", handles.modelCache));
  NNHAL_ASSIGN_OR_RETURN(files.dataCache,
                         duplicateOne("data-cache", handles.dataCache));
  files.arePrivate = handles.arePrivate;
  return files;
}

std::optional<FileLock> FileLock::tryLock(int fd, bool isExclusive) {
  if (::flock(fd, (isExclusive ? LOCK_EX : LOCK_SH) | LOCK_NB) != 0)
    return std::nullopt;
  return FileLock(fd);
}

FileLock::~FileLock() {
  if (fd >= 0)
    ::flock(fd, LOCK_UN);
}

static Status writeAt(int fd, uint64_t offset,
                      std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    ssize_t count = ::pwrite(fd, bytes.data(), bytes.size(), off_t(offset));
    if (count < 0 && errno == EINTR)
      continue;
    if (count <= 0)
      return failure("cannot write to a cache file: {}",
                     errorText(count < 0 ? errno : ENOSPC));
    offset += uint64_t(count);
    bytes = bytes.subspan(size_t(count));
  }
  return Status::ok();
}

/// Empties a file, whatever was in it, and goes to its beginning (E-041).
static Status emptyFile(int fd) {
  if (::ftruncate(fd, 0) != 0 || ::lseek(fd, 0, SEEK_SET) != 0)
    return failure("cannot empty a cache file: {}", errorText(errno));
  return Status::ok();
}

/// What follows must not reach the disk before what was written so far. File
/// systems in memory have nothing to do.
static Status flush(int fd) {
  if (::fdatasync(fd) != 0 && errno != EINVAL && errno != EROFS)
    return failure("cannot write a cache file to the disk: {}",
                   errorText(errno));
  return Status::ok();
}

static Status
writeParts(const EntryFiles &files, const CacheEntryInfo &info,
           std::span<const std::byte> modelCache,
           std::span<const std::byte> dataCache,
           const std::function<Status(const Sha256Digest &)> &record) {
  int model = files.modelCache.get();
  int data = files.dataCache.get();
  NNHAL_RETURN_IF_ERROR(emptyFile(data));
  NNHAL_RETURN_IF_ERROR(writeAt(data, 0, writeCacheDataHeader(info)));
  NNHAL_RETURN_IF_ERROR(writeAt(data, cacheDataHeaderSize, dataCache));
  NNHAL_RETURN_IF_ERROR(flush(data));
  NNHAL_RETURN_IF_ERROR(writeAt(model, cacheEntryHeaderSize, modelCache));
  NNHAL_RETURN_IF_ERROR(flush(model));
  // Over what is in memory: the file is the client's and may be anything by
  // now (E-061).
  std::vector<std::byte> header = writeCacheEntryHeader(info);
  Sha256 hash;
  hash.update(header);
  hash.update(modelCache);
  NNHAL_RETURN_IF_ERROR(record(hash.finish()));
  return writeAt(model, 0, header);
}

Status nnhal::rt::cache::writeEntry(
    const EntryFiles &files, const CacheEntryInfo &info,
    std::span<const std::byte> modelCache, std::span<const std::byte> dataCache,
    const std::function<Status(const Sha256Digest &)> &record) {
  NNHAL_RETURN_IF_ERROR(emptyFile(files.modelCache.get()));
  Status status = writeParts(files, info, modelCache, dataCache, record);
  if (!status.isOk())
    (void)emptyFile(files.modelCache.get()).isOk();
  return status;
}

template <typename... Args>
static CacheVerdict miss(CacheOutcome outcome,
                         fmt::format_string<Args...> format, Args &&...args) {
  return {outcome, fmt::format(format, std::forward<Args>(args)...)};
}

/// Reads up to bytes.size() bytes; fewer where the file ends.
static Result<size_t> readAt(int fd, uint64_t offset,
                             std::span<std::byte> bytes) {
  size_t done = 0;
  while (done < bytes.size()) {
    ssize_t count = ::pread(fd, bytes.data() + done, bytes.size() - done,
                            off_t(offset + done));
    if (count < 0 && errno == EINTR)
      continue;
    if (count < 0)
      return failure("cannot read a cache file: {}", errorText(errno));
    if (count == 0)
      break;
    done += size_t(count);
  }
  return done;
}

CacheVerdict nnhal::rt::cache::readModelFile(int fd, AlignedBuffer &file) {
  struct stat info;
  if (::fstat(fd, &info) != 0)
    return miss(CacheOutcome::missUnreadable,
                "cannot inspect the model-cache file: {}", errorText(errno));
  uint64_t size = uint64_t(info.st_size);
  if (size == 0)
    return miss(CacheOutcome::missAbsent, "the model-cache file is empty");
  if (CacheVerdict verdict = checkCacheFileMode(fd, "the model-cache file");
      !verdict.isHit())
    return verdict;
  if (size > maxModelCacheFile)
    return miss(CacheOutcome::missTampered,
                "the model-cache file has {} bytes, at most {} are read", size,
                maxModelCacheFile);
  auto buffer = AlignedBuffer::allocateResident(size);
  if (!buffer.isOk())
    return miss(CacheOutcome::missUnreadable, "{}", buffer.status().message());
  file = *std::move(buffer);
  auto count = readAt(fd, 0, file.bytes());
  if (!count.isOk())
    return miss(CacheOutcome::missUnreadable, "{}", count.status().message());
  if (*count != size)
    return miss(CacheOutcome::missTruncated,
                "the model-cache file shrank from {} to {} bytes", size,
                *count);
  return {};
}

// Of Linux 5.14, and newer than the headers of some systems.
static constexpr int populateRead = 22;

static CacheVerdict copyConstants(int fd, uint64_t size, Memory &constants) {
  auto buffer = AlignedBuffer::allocateResident(size);
  if (!buffer.isOk())
    return miss(CacheOutcome::missUnreadable, "{}", buffer.status().message());
  auto count = readAt(fd, cacheDataHeaderSize, buffer->bytes());
  if (!count.isOk())
    return miss(CacheOutcome::missUnreadable, "{}", count.status().message());
  if (*count != size)
    return miss(CacheOutcome::missTruncated,
                "the data-cache file shrank to {} bytes of constants", *count);
  constants = Memory::adopt(*std::move(buffer));
  return {};
}

/// Nothing where the file cannot be mapped.
static std::optional<Memory> mapConstants(int fd, uint64_t size) {
  UniqueFd own(::fcntl(fd, F_DUPFD_CLOEXEC, 0));
  auto pool =
      SharedMemory::adoptOwnFile(std::move(own), size, cacheDataHeaderSize);
  if (!pool->isImmutable())
    return std::nullopt;
  auto mapped = Memory::region(std::move(pool), 0, size).materialize();
  if (!mapped.isOk())
    return std::nullopt;
  std::span<const std::byte> bytes = *mapped->bytes();
  // One call instead of a fault for every few pages. Only a wish.
  ::madvise(const_cast<std::byte *>(bytes.data()), bytes.size(), populateRead);
  return *std::move(mapped);
}

CacheVerdict nnhal::rt::cache::readDataFile(const EntryFiles &files,
                                            const CacheEntryInfo &info,
                                            Memory &constants) {
  int fd = files.dataCache.get();
  struct stat file;
  if (::fstat(fd, &file) != 0)
    return miss(CacheOutcome::missUnreadable,
                "cannot inspect the data-cache file: {}", errorText(errno));
  CacheVerdict verdict = checkCacheFileMode(fd, "the data-cache file");
  if (!verdict.isHit())
    return verdict;
  std::vector<std::byte> header(cacheDataHeaderSize);
  auto headerCount = readAt(fd, 0, header);
  if (!headerCount.isOk())
    return miss(CacheOutcome::missUnreadable, "{}",
                headerCount.status().message());
  header.resize(*headerCount);
  verdict = checkCacheDataHeader(header, uint64_t(file.st_size), info);
  if (!verdict.isHit())
    return verdict;
  if (files.arePrivate && info.dataCacheSize > 0)
    if (auto mapped = mapConstants(fd, info.dataCacheSize)) {
      constants = *std::move(mapped);
      return {};
    }
  return copyConstants(fd, info.dataCacheSize, constants);
}
