//===- AtomicFile.cpp - Files that appear at once -------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AtomicFile.h"
#include "Errors.h"
#include "nnhal/Runtime/Memory.h"

#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <optional>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

using namespace nnhal::rt;

Status nnhal::rt::writeAll(int fd, std::span<const std::byte> bytes) {
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

/// Gives the content of \p fd, a file without a name, the name \p name.
static bool nameFile(int fd, const std::string &name) {
  return ::linkat(AT_FDCWD, fmt::format("/proc/self/fd/{}", fd).c_str(),
                  AT_FDCWD, name.c_str(), AT_SYMLINK_FOLLOW) == 0;
}

/// Calls \p create with names beside \p path until it succeeds; the name is
/// left in \p temporary.
template <typename Create>
static bool createBeside(const std::string &path, std::string &temporary,
                         Create create) {
  for (int attempt = 0; attempt < 1000; ++attempt) {
    temporary = fmt::format("{}.{}-{}", path, getpid(), attempt);
    if (create(temporary))
      return true;
    if (errno != EEXIST)
      break;
  }
  return false;
}

static Status systemError() {
  return failure("{}", std::generic_category().message(errno));
}

static Status writeDurably(int fd, std::span<const std::byte> bytes) {
  NNHAL_RETURN_IF_ERROR(writeAll(fd, bytes));
  return fsync(fd) == 0 ? Status::ok() : systemError();
}

/// Puts the file \p temporary in the place of \p path.
static Status publish(const std::string &temporary, const std::string &path) {
  if (rename(temporary.c_str(), path.c_str()) == 0)
    return Status::ok();
  Status status = systemError();
  unlink(temporary.c_str());
  return status;
}

/// The folder of the file \p path.
static std::string folderOf(const std::string &path) {
  size_t slash = path.rfind('/');
  return slash == std::string::npos ? "."
         : slash == 0               ? "/"
                                    : path.substr(0, slash);
}

/// Writes a file that has no name before it is complete: nothing is left of a
/// process that is killed meanwhile. Nothing where the file system or the
/// system cannot do that.
static std::optional<Status> writeNameless(const std::string &path,
                                           std::span<const std::byte> bytes) {
  std::string folder = folderOf(path);
  // Unlike those of mkostemp() a file is no more private than the user's
  // others.
  UniqueFd fd(open(folder.c_str(), O_WRONLY | O_TMPFILE | O_CLOEXEC, 0666));
  if (!fd.isValid())
    return std::nullopt;
  if (Status status = writeDurably(fd.get(), bytes); !status.isOk())
    return status;
  std::string temporary;
  if (!createBeside(path, temporary, [&](const std::string &name) {
        return nameFile(fd.get(), name);
      }))
    return std::nullopt;
  return publish(temporary, path);
}

static Status writeNamed(const std::string &path,
                         std::span<const std::byte> bytes) {
  std::string temporary;
  UniqueFd fd;
  if (!createBeside(path, temporary, [&](const std::string &name) {
        fd = UniqueFd(
            open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
        return fd.isValid();
      }))
    return systemError();
  Status status = writeDurably(fd.get(), bytes);
  if (status.isOk())
    return publish(temporary, path);
  unlink(temporary.c_str());
  return status;
}

/// Whether \p path takes bytes one after the other: a device, a pipe, or what
/// stands for an open file, such as /dev/stdout. A file in its place would take
/// it away from every other program.
static bool isStream(const std::string &path) {
  struct stat found = {};
  if (stat(path.c_str(), &found) != 0 || S_ISDIR(found.st_mode))
    return false;
  return !S_ISREG(found.st_mode) || path.starts_with("/proc/") ||
         (path.starts_with("/dev/") && !path.starts_with("/dev/shm/"));
}

static Status writeStream(const std::string &path,
                          std::span<const std::byte> bytes) {
  UniqueFd fd(open(path.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC | O_NOCTTY));
  return fd.isValid() ? writeAll(fd.get(), bytes) : systemError();
}

static Status writeFile(const std::string &path,
                        std::span<const std::byte> bytes) {
  if (isStream(path))
    return writeStream(path, bytes);
  std::optional<Status> nameless = writeNameless(path, bytes);
  return nameless ? *std::move(nameless) : writeNamed(path, bytes);
}

Status nnhal::rt::writeFileAtomically(const std::string &path,
                                      std::span<const std::byte> bytes) {
  Status status = writeFile(path, bytes);
  return std::move(status).withContext(fmt::format("cannot write '{}'", path));
}

/// Whether this process may do \p access to \p path, by the user that it runs
/// as.
static bool isAllowed(const std::string &path, int access) {
  return faccessat(AT_FDCWD, path.c_str(), access, AT_EACCESS) == 0;
}

static Status checkFile(const std::string &path) {
  if (isStream(path))
    return isAllowed(path, W_OK) ? Status::ok() : systemError();
  struct stat found = {};
  bool isThere = stat(path.c_str(), &found) == 0;
  // A name that is too long, for example, or a file in place of a folder.
  if (!isThere && errno != ENOENT)
    return systemError();
  if (isThere && S_ISDIR(found.st_mode))
    return failure("{}", std::generic_category().message(EISDIR));
  return isAllowed(folderOf(path), W_OK | X_OK) ? Status::ok() : systemError();
}

Status nnhal::rt::checkWritable(const std::string &path) {
  return checkFile(path).withContext(fmt::format("cannot write '{}'", path));
}

Status nnhal::rt::checkWritableFolder(const std::string &path) {
  std::string folder = path;
  while (folder.size() > 1 && folder.ends_with('/'))
    folder.pop_back();
  // The dot lets the system say that something else is in the folder's place.
  std::string above = folderOf(folder);
  if (isAllowed(folder + "/.", W_OK | X_OK))
    return Status::ok();
  // The first folder above that is there decides whether others can be made.
  if (errno == ENOENT && above != folder)
    return checkWritableFolder(above);
  return systemError().withContext(
      fmt::format("cannot write to the folder '{}'", folder));
}
