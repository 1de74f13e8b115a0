//===- AtomicFile.cpp - Files that appear at once -------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "nnhal/Runtime/AtomicFile.h"
#include "nnhal/Runtime/Memory.h"

#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <system_error>
#include <unistd.h>

using namespace nnhal::rt;

static Status writeAll(int fd, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    ssize_t count = write(fd, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR)
      continue;
    if (count < 0)
      return failure("{}", std::generic_category().message(errno));
    bytes = bytes.subspan(size_t(count));
  }
  return Status::ok();
}

/// Creates a file beside \p path, whose name is left in \p temporary. Unlike
/// those of mkostemp() it is no more private than the user's other files.
static UniqueFd createBeside(const std::string &path, std::string &temporary) {
  UniqueFd fd;
  for (int attempt = 0; attempt < 1000 && !fd.isValid(); ++attempt) {
    temporary = fmt::format("{}.{}-{}", path, getpid(), attempt);
    fd = UniqueFd(
        open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
    if (!fd.isValid() && errno != EEXIST)
      break;
  }
  return fd;
}

Status nnhal::rt::writeFileAtomically(const std::string &path,
                                      std::span<const std::byte> bytes) {
  std::string temporary;
  UniqueFd fd = createBeside(path, temporary);
  if (!fd.isValid())
    return failure("cannot write '{}': {}", path,
                   std::generic_category().message(errno));
  Status status = writeAll(fd.get(), bytes);
  if (status.isOk() &&
      (fsync(fd.get()) != 0 || rename(temporary.c_str(), path.c_str()) != 0))
    status = failure("{}", std::generic_category().message(errno));
  if (!status.isOk())
    unlink(temporary.c_str());
  return std::move(status).withContext(fmt::format("cannot write '{}'", path));
}
