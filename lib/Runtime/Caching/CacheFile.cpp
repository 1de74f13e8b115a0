//===- CacheFile.cpp - The file of a blob cache ---------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CacheFile.h"

#include "Crc32c.h"

#include "Runtime/Support/AtomicFile.h"
#include "Runtime/Support/Errors.h"
#include "nnhal/Runtime/Memory.h"

#include <cassert>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

using namespace nnhal::rt;

static constexpr char fileMagic[] = {'n', 'n', '$', '$'};
static constexpr size_t headerSize = 8;

static Status systemFailure(const char *what) {
  return failure("cannot {}: {}", what, std::generic_category().message(errno));
}

/// Reads what is there into private memory. Not mapped: whoever truncates the
/// file would end this process (decisions 8), and the copy is bounded.
static Result<std::vector<std::byte>> readAll(int fd, size_t size) {
  std::vector<std::byte> bytes(size);
  size_t done = 0;
  while (done < size) {
    ssize_t count = read(fd, bytes.data() + done, size - done);
    if (count < 0 && errno == EINTR)
      continue;
    if (count < 0)
      return systemFailure("be read");
    if (count == 0)
      break;
    done += size_t(count);
  }
  bytes.resize(done);
  return bytes;
}

Status nnhal::rt::readCacheFile(const std::string &path, size_t maxTotalSize,
                                BlobCache &cache) {
  // O_NONBLOCK keeps this from waiting for the writer of a pipe.
  UniqueFd fd(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!fd.isValid())
    return errno == ENOENT ? Status::ok() : systemFailure("be opened");
  struct stat info;
  if (fstat(fd.get(), &info) != 0)
    return systemFailure("be read");
  if (!S_ISREG(info.st_mode))
    return badData("is not a regular file");
  // Half of the size: twice the bound may be beyond all numbers.
  size_t size = size_t(info.st_size);
  if (size / 2 + size % 2 > maxTotalSize)
    return badData("{} bytes exceed twice the limit of {}", size, maxTotalSize);
  NNHAL_ASSIGN_OR_RETURN(std::vector<std::byte> bytes, readAll(fd.get(), size));
  if (bytes.size() < headerSize)
    return badData("{} bytes are less than a header of {}", bytes.size(),
                   headerSize);
  if (std::memcmp(bytes.data(), fileMagic, sizeof(fileMagic)) != 0)
    return badData("the magic number is not 'nn$$'");
  uint32_t stated;
  std::memcpy(&stated, bytes.data() + sizeof(fileMagic), sizeof(stated));
  std::span<const std::byte> payload = std::span(bytes).subspan(headerSize);
  if (uint32_t found = crc32c(payload); found != stated)
    return badData("the checksum is {:#010x}, the file states {:#010x}", found,
                   stated);
  if (cache.unflatten(payload) != 0)
    return badData("the entries are damaged");
  return Status::ok();
}

Status nnhal::rt::writeCacheFile(const std::string &path,
                                 const BlobCache &cache) {
  std::vector<std::byte> bytes(headerSize + cache.getFlattenedSize());
  std::span<std::byte> payload = std::span(bytes).subspan(headerSize);
  [[maybe_unused]] int flattened = cache.flatten(payload);
  assert(flattened == 0 && "the cache has stated how many bytes it needs");
  uint32_t checksum = crc32c(payload);
  std::memcpy(bytes.data(), fileMagic, sizeof(fileMagic));
  std::memcpy(bytes.data() + sizeof(fileMagic), &checksum, sizeof(checksum));

  if (unlink(path.c_str()) != 0 && errno != ENOENT)
    return systemFailure("be replaced");
  // The file has no permissions at first, so that nobody opens it before it is
  // complete.
  UniqueFd fd(open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0));
  if (!fd.isValid())
    return systemFailure("be created");
  Status status = writeAll(fd.get(), bytes).withContext("cannot be written");
  if (status.isOk() && fchmod(fd.get(), S_IRUSR) != 0)
    status = systemFailure("be made readable");
  if (!status.isOk())
    unlink(path.c_str());
  return status;
}
