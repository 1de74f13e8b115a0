//===- EntryFiles.cpp - The descriptors of a cache entry ------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EntryFiles.h"

#include "Runtime/Artifact/Sha256.h"
#include "Runtime/Support/Errors.h"

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

/// The one descriptor of \p handle, duplicated.
static Result<UniqueFd> duplicateOne(std::string_view what,
                                     const std::vector<int> &handle) {
  if (handle.size() != 1)
    return badData("the {} handle has {} descriptors, not 1", what,
                   handle.size());
  int fd = handle[0];
  UniqueFd own(::fcntl(fd, F_DUPFD_CLOEXEC, 0));
  int flags = ::fcntl(fd, F_GETFL);
  struct stat info;
  if (!own.isValid() || flags < 0 || ::fstat(fd, &info) != 0)
    return badData("the {} descriptor {} cannot be used: {}", what, fd,
                   errorText(errno));
  if (!S_ISREG(info.st_mode))
    return failure("the {} descriptor {} is not a regular file", what, fd);
  if ((flags & O_ACCMODE) != O_RDWR)
    return failure("the {} descriptor {} is not open for reading and writing",
                   what, fd);
  return own;
}

static Result<std::vector<UniqueFd>>
duplicateAll(std::string_view what,
             const std::vector<std::vector<int>> &handles, uint32_t expected) {
  if (handles.size() != expected)
    return badData("{} {} handles are given, not {}", handles.size(), what,
                   expected);
  std::vector<UniqueFd> files;
  for (const std::vector<int> &handle : handles) {
    NNHAL_ASSIGN_OR_RETURN(UniqueFd fd, duplicateOne(what, handle));
    files.push_back(std::move(fd));
  }
  return files;
}

Result<EntryFiles> nnhal::rt::cache::duplicateFiles(const CacheHandles &handles,
                                                    CacheFiles expected) {
  EntryFiles files;
  NNHAL_ASSIGN_OR_RETURN(
      files.modelCache,
      duplicateAll("model-cache", handles.modelCache, expected.modelCache));
  NNHAL_ASSIGN_OR_RETURN(
      files.dataCache,
      duplicateAll("data-cache", handles.dataCache, expected.dataCache));
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

/// Later writes must not reach the disk before earlier ones. File systems in
/// memory have nothing to do.
static Status flush(int fd) {
  if (::fdatasync(fd) != 0 && errno != EINVAL && errno != EROFS)
    return failure("cannot write a cache file to the disk: {}",
                   errorText(errno));
  return Status::ok();
}

/// Writes a file that is not the first: \p header, if any, and \p contents.
static Status writeFile(int fd, std::span<const std::byte> header,
                        std::span<const std::byte> contents) {
  NNHAL_RETURN_IF_ERROR(emptyFile(fd));
  NNHAL_RETURN_IF_ERROR(writeAt(fd, 0, header));
  NNHAL_RETURN_IF_ERROR(writeAt(fd, header.size(), contents));
  return flush(fd);
}

namespace {
/// An entry on its way into its files.
struct EntryWriter {
  const EntryFiles &files;
  const EntryContents &contents;
  /// Described completely.
  CacheEntryInfo info;
  /// The list is empty where there is one file of each kind.
  CacheFileList list;
  /// The bytes behind the header of the first file: the list, if any, and the
  /// contents.
  std::vector<std::byte> listBytes;
  std::span<const std::byte> first;

  void describe();
  Status writeOthers() const;
  Status
  writeFirst(const std::function<Status(const Sha256Digest &)> &record) const;
};
} // namespace

void EntryWriter::describe() {
  first =
      (contents.modelCache.empty() ? contents.dataCache : contents.modelCache)
          .front();
  info.modelFiles = uint32_t(contents.modelCache.size());
  info.dataFiles = uint32_t(contents.dataCache.size());
  if (!hasFileList(info.modelFiles, info.dataFiles)) {
    describeParts(first, contents.dataCache.front(), info);
    return;
  }
  for (std::span<const std::byte> bytes : contents.modelCache)
    list.modelCache.push_back({bytes.size(), sha256(bytes)});
  for (std::span<const std::byte> bytes : contents.dataCache)
    list.dataCache.push_back({bytes.size(), sha256(bytes)});
  listBytes = writeCacheFileList(list);
  Sha256 hash;
  hash.update(listBytes);
  hash.update(first);
  describeParts({}, {}, info);
  info.modelCacheSize = listBytes.size() + first.size();
  info.modelCacheDigest = hash.finish();
}

Status EntryWriter::writeOthers() const {
  for (size_t i = files.modelCache.empty() ? 1 : 0; i < files.dataCache.size();
       ++i) {
    CacheEntryInfo file =
        listBytes.empty() ? info : dataFileInfo(info, list.dataCache[i]);
    NNHAL_RETURN_IF_ERROR(writeFile(files.dataCache[i].get(),
                                    writeCacheDataHeader(file),
                                    contents.dataCache[i]));
  }
  for (size_t i = 1; i < files.modelCache.size(); ++i)
    NNHAL_RETURN_IF_ERROR(
        writeFile(files.modelCache[i].get(), {}, contents.modelCache[i]));
  return Status::ok();
}

Status EntryWriter::writeFirst(
    const std::function<Status(const Sha256Digest &)> &record) const {
  int fd = files.first();
  NNHAL_RETURN_IF_ERROR(writeAt(fd, cacheEntryHeaderSize, listBytes));
  NNHAL_RETURN_IF_ERROR(
      writeAt(fd, cacheEntryHeaderSize + listBytes.size(), first));
  NNHAL_RETURN_IF_ERROR(flush(fd));
  // Over what is in memory: the file is the client's and may be anything by
  // now (E-061).
  std::vector<std::byte> header = writeCacheEntryHeader(info);
  Sha256 hash;
  hash.update(header);
  hash.update(listBytes);
  hash.update(first);
  NNHAL_RETURN_IF_ERROR(record(hash.finish()));
  return writeAt(fd, 0, header);
}

Status nnhal::rt::cache::writeEntry(
    const EntryFiles &files, CacheEntryInfo info, const EntryContents &contents,
    const std::function<Status(const Sha256Digest &)> &record) {
  EntryWriter writer = {files, contents, std::move(info), {}, {}, {}};
  writer.describe();
  NNHAL_RETURN_IF_ERROR(emptyFile(files.first()));
  Status status = writer.writeOthers();
  if (status.isOk())
    status = writer.writeFirst(record);
  if (!status.isOk())
    (void)emptyFile(files.first()).isOk();
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

// MADV_POPULATE_READ is of Linux 5.14, and newer than the headers of some
// systems.
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

/// Returns nothing where the file cannot be mapped.
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

CacheVerdict nnhal::rt::cache::readDataFile(int fd, bool isPrivate,
                                            const CacheEntryInfo &info,
                                            Memory &constants) {
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
  if (isPrivate && info.dataCacheSize > 0)
    if (auto mapped = mapConstants(fd, info.dataCacheSize)) {
      constants = *std::move(mapped);
      return {};
    }
  return copyConstants(fd, info.dataCacheSize, constants);
}
