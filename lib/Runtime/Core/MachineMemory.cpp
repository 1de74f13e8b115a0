//===- MachineMemory.cpp - How much memory there may be -------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MachineMemory.h"

#include "nnhal/Runtime/Memory.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <fcntl.h>
#include <string_view>
#include <sys/resource.h>
#include <unistd.h>

using namespace nnhal::rt;

static uint64_t physicalMemory() {
  long pages = sysconf(_SC_PHYS_PAGES);
  long pageSize = sysconf(_SC_PAGESIZE);
  if (pages <= 0 || pageSize <= 0)
    return UINT64_MAX;
  return uint64_t(pages) * uint64_t(pageSize);
}

static uint64_t resourceLimit(decltype(RLIMIT_AS) resource) {
  rlimit limit = {};
  if (getrlimit(resource, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
    return UINT64_MAX;
  return limit.rlim_cur;
}

/// Returns the first bytes of \p file, of which no file of control groups has
/// more; nothing where there is no file. A stream would take as long as the
/// rest of the start of a device.
static std::string readText(const std::string &file) {
  std::array<char, 4096> text;
  UniqueFd fd(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
  ssize_t size = fd.isValid() ? ::read(fd.get(), text.data(), text.size()) : 0;
  return {text.data(), size_t(std::max<ssize_t>(size, 0))};
}

/// Returns the number in \p file; UINT64_MAX for "max" and where there is no
/// file.
static uint64_t readLimit(const std::string &file) {
  std::string text = readText(file);
  uint64_t limit = 0;
  auto read = std::from_chars(text.data(), text.data() + text.size(), limit);
  return read.ec == std::errc() ? limit : UINT64_MAX;
}

uint64_t nnhal::rt::controlGroupMemory(const std::string &membership,
                                       const std::string &root) {
  uint64_t lowest = UINT64_MAX;
  const std::string lines = readText(membership);
  for (size_t begin = 0; begin < lines.size();) {
    const size_t end = std::min(lines.find('\n', begin), lines.size());
    const std::string line = lines.substr(begin, end - begin);
    begin = end + 1;
    // "0::/path" in the unified hierarchy, "5:memory:/path" before.
    size_t first = line.find(':');
    size_t second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos)
      continue;
    std::string controllers = line.substr(first + 1, second - first - 1);
    bool isUnified = controllers.empty();
    if (!isUnified &&
        ("," + controllers + ",").find(",memory,") == std::string::npos)
      continue;
    std::string base = isUnified ? root : root + "/memory";
    std::string path = line.substr(second + 1);
    // Inside of a container the path may be one that only the host has; the
    // group of the container is the root then.
    while (true) {
      lowest = std::min(
          lowest,
          readLimit(base + path +
                    (isUnified ? "/memory.max" : "/memory.limit_in_bytes")));
      size_t slash = path.rfind('/');
      if (slash == std::string::npos || path.empty())
        break;
      path.resize(slash);
    }
  }
  return lowest;
}

uint64_t nnhal::rt::machineMemory() {
  // These are read from files, and stay while the process runs.
  static const uint64_t machine =
      std::min(physicalMemory(),
               controlGroupMemory("/proc/self/cgroup", "/sys/fs/cgroup"));
  return std::min(
      {machine, resourceLimit(RLIMIT_AS), resourceLimit(RLIMIT_DATA)});
}
