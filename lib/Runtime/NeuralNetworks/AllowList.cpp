//===- AllowList.cpp - Programs that may use extensions -------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AllowList.h"

#include "Runtime/Support/Errors.h"
#include "Runtime/Support/Ownership.h"
#include "nnhal/Runtime/Memory.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <sys/stat.h>
#include <unistd.h>

using namespace nnhal;
using namespace nnhal::ndk;
using rt::badData;
using rt::Result;
using rt::Status;

/// A longer list is no list of programs.
static constexpr size_t maxListSize = 1 << 20;

/// Whoever can change the list decides who is on it.
static Status checkOwner(const std::string &list, const struct stat &info) {
  if (!S_ISREG(info.st_mode))
    return badData("the list '{}' is not a regular file", list);
  NNHAL_RETURN_IF_ERROR(
      rt::checkOwnership(fmt::format("the list '{}'", list), info));
  if (size_t(info.st_size) > maxListSize)
    return badData("the list '{}' has {} bytes, more than {}", list,
                   info.st_size, maxListSize);
  return Status::ok();
}

static Status cannotRead(const std::string &list, int error) {
  return badData("cannot read the list '{}': {}", list, std::strerror(error));
}

static Result<std::string> readAll(int fd, const std::string &list) {
  std::string text;
  char part[4096];
  // The file may have grown since it was looked at: the rest does not count.
  while (text.size() <= maxListSize) {
    ssize_t count = ::read(fd, part, sizeof(part));
    if (count == 0)
      break;
    if (count < 0 && errno == EINTR)
      continue;
    if (count < 0)
      return cannotRead(list, errno);
    text.append(part, size_t(count));
  }
  return text;
}

Result<bool> ndk::allowsExtensions(const std::string &list,
                                   const std::string &executable) {
  // A pipe of that name must not keep the program waiting.
  rt::UniqueFd file(::open(list.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (file.get() < 0) {
    if (errno == ENOENT || errno == ENOTDIR)
      return true;
    return cannotRead(list, errno);
  }
  struct stat info;
  if (::fstat(file.get(), &info) != 0)
    return cannotRead(list, errno);
  NNHAL_RETURN_IF_ERROR(checkOwner(list, info));
  NNHAL_ASSIGN_OR_RETURN(std::string text, readAll(file.get(), list));
  std::string_view rest = text;
  while (!rest.empty()) {
    size_t end = std::min(rest.find('\n'), rest.size());
    std::string_view line = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (line.starts_with('/') && line == executable)
      return true;
  }
  return false;
}

std::string ndk::thisExecutable() {
  std::error_code error;
  std::filesystem::path path =
      std::filesystem::read_symlink("/proc/self/exe", error);
  return error ? std::string() : path.string();
}
