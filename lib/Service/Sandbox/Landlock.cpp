//===- Landlock.cpp - Files by path ---------------------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Landlock.h"

#include "SanitizerNeeds.h"

#include "Runtime/Support/Errors.h"
#include "nnhal/Runtime/Memory.h"

#include <cerrno>
#include <fcntl.h>
#include <filesystem>
#include <link.h>
#include <linux/landlock.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <system_error>
#include <unistd.h>

using namespace nnhal;
using namespace nnhal::service;
using rt::Status;
using rt::UniqueFd;

// Newer than the headers of some systems; names and values are the kernel's.
namespace {
struct RulesetAttributes {
  uint64_t handledFiles = 0;
  uint64_t handledNetwork = 0; // From ABI 4 on.
  uint64_t scoped = 0;         // From ABI 6 on.
};
} // namespace
static constexpr uint64_t accessTruncate = 1u << 14; // From ABI 3 on.
static constexpr uint64_t accessIoctl = 1u << 15;    // From ABI 5 on.
static constexpr uint64_t networkTcp = 3;            // Bind and connect.
static constexpr uint64_t scopeSocketsAndSignals = 3;

static constexpr uint64_t readAndWrite =
    LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_WRITE_FILE;
static constexpr uint64_t readFiles =
    LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR;
static constexpr uint64_t useFolder =
    readAndWrite | LANDLOCK_ACCESS_FS_READ_DIR |
    LANDLOCK_ACCESS_FS_REMOVE_FILE | LANDLOCK_ACCESS_FS_MAKE_REG;

static std::string errorText() {
  return std::generic_category().message(errno);
}

/// Every right of ABI \p abi: what is not handled would be allowed.
static RulesetAttributes everything(long abi) {
  RulesetAttributes attributes;
  // 13 rights in ABI 1, one more in each of 2, 3 and 5.
  attributes.handledFiles = (uint64_t(1) << 13) - 1;
  if (abi >= 2)
    attributes.handledFiles |= LANDLOCK_ACCESS_FS_REFER;
  if (abi >= 3)
    attributes.handledFiles |= accessTruncate;
  if (abi >= 4)
    attributes.handledNetwork = networkTcp;
  if (abi >= 5)
    attributes.handledFiles |= accessIoctl;
  if (abi >= 6)
    attributes.scoped = scopeSocketsAndSignals;
  return attributes;
}

/// The size of the structure that ABI \p abi knows.
static size_t sizeFor(long abi) {
  if (abi >= 6)
    return sizeof(RulesetAttributes);
  return abi >= 4 ? 2 * sizeof(uint64_t) : sizeof(uint64_t);
}

static Status allowPath(int ruleset, const std::string &path, uint64_t access) {
  UniqueFd fd(::open(path.c_str(), O_PATH | O_CLOEXEC));
  if (!fd.isValid())
    return rt::failure("cannot open '{}' for the sandbox: {}", path,
                       errorText());
  struct stat info;
  if (::fstat(fd.get(), &info) != 0)
    return rt::failure("cannot inspect '{}' for the sandbox: {}", path,
                       errorText());
  // Rights about the entries of a folder go with folders alone.
  if (!S_ISDIR(info.st_mode))
    access &= readAndWrite | accessTruncate | accessIoctl;
  landlock_path_beneath_attr rule = {};
  rule.allowed_access = access;
  rule.parent_fd = fd.get();
  if (::syscall(SYS_landlock_add_rule, ruleset, LANDLOCK_RULE_PATH_BENEATH,
                &rule, 0) != 0)
    return rt::failure("cannot allow '{}' in the sandbox: {}", path,
                       errorText());
  return Status::ok();
}

/// The files of this program and of the libraries that it has loaded.
static std::vector<std::string> loadedFiles() {
  std::vector<std::string> files;
  std::error_code error;
  files.push_back(
      std::filesystem::read_symlink("/proc/self/exe", error).string());
  auto add = [](dl_phdr_info *info, size_t, void *found) {
    if (info->dlpi_name && info->dlpi_name[0] == '/')
      static_cast<std::vector<std::string> *>(found)->push_back(
          info->dlpi_name);
    return 0;
  };
  ::dl_iterate_phdr(add, &files);
  return files;
}

static Status allowAll(int ruleset, const SandboxRules &rules,
                       uint64_t handled) {
  for (const std::string &folder : rules.folders)
    NNHAL_RETURN_IF_ERROR(
        allowPath(ruleset, folder, (useFolder | accessTruncate) & handled));
  for (const std::string &node : rules.needs.deviceNodes)
    NNHAL_RETURN_IF_ERROR(allowPath(
        ruleset, node,
        (readAndWrite | LANDLOCK_ACCESS_FS_READ_DIR | accessIoctl) & handled));
  for (const std::string &path : rules.readable)
    NNHAL_RETURN_IF_ERROR(allowPath(ruleset, path, readFiles));
  // The files of loaded libraries are in memory anyway; devices name their
  // build by them.
  for (const std::string &file : loadedFiles())
    if (::access(file.c_str(), R_OK) == 0)
      NNHAL_RETURN_IF_ERROR(
          allowPath(ruleset, file, LANDLOCK_ACCESS_FS_READ_FILE));
  for (const char *path : sanitizerFiles)
    NNHAL_RETURN_IF_ERROR(allowPath(ruleset, path, readFiles));
  return Status::ok();
}

rt::Result<std::string> service::restrictFiles(const SandboxRules &rules) {
  long abi = ::syscall(SYS_landlock_create_ruleset, nullptr, 0,
                       LANDLOCK_CREATE_RULESET_VERSION);
  if (abi < 1)
    return fmt::format("no Landlock: {}", errorText());
  RulesetAttributes attributes = everything(abi);
  UniqueFd ruleset(int(
      ::syscall(SYS_landlock_create_ruleset, &attributes, sizeFor(abi), 0)));
  if (!ruleset.isValid())
    return rt::failure("cannot make Landlock's rules (ABI {}): {}", abi,
                       errorText());
  NNHAL_RETURN_IF_ERROR(
      allowAll(ruleset.get(), rules, attributes.handledFiles));
  if (::syscall(SYS_landlock_restrict_self, ruleset.get(), 0) != 0)
    return rt::failure("cannot enter Landlock's rules (ABI {}): {}", abi,
                       errorText());
  return fmt::format("Landlock ABI {}: {} folders, {} device nodes{}{}", abi,
                     rules.folders.size(), rules.needs.deviceNodes.size(),
                     abi >= 4 ? ", no TCP" : "",
                     abi >= 6 ? ", no signals to others" : "");
}
