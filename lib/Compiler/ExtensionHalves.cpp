//===- ExtensionHalves.cpp - Dialects of extensions, in plug-ins ----------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ExtensionHalves.h"

#include "Runtime/CompilerClient/CompilerApi.h"
#include "Runtime/Support/Errors.h"
#include "Runtime/Support/Ownership.h"
#include "nnhal/Dialect/NNHal/IR/ExtensionInterface.h"

#include "mlir/Tools/Plugins/DialectPlugin.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <dlfcn.h>
#include <map>
#include <mutex>
#include <new>
#include <optional>
#include <sys/stat.h>

namespace nnhal {

namespace {

/// One file: the plug-in, or why it is none.
struct Half {
  std::string path;
  std::optional<mlir::DialectPlugin> plugin;
  rt::Status status;
};

} // namespace

std::string folderOfHalves() {
  Dl_info info;
  if (!dladdr(reinterpret_cast<const void *>(&folderOfHalves), &info) ||
      !info.dli_fname)
    return {};
  llvm::SmallString<128> path(llvm::sys::path::parent_path(info.dli_fname));
  llvm::sys::path::append(path, NNHAL_EXTENSION_HALF_FOLDER);
  return std::string(path);
}

/// Whoever writes a half or its folder decides what code runs.
static rt::Status checkOwner(const std::string &path) {
  struct stat info;
  if (::stat(path.c_str(), &info) != 0)
    return rt::badData("'{}' cannot be read", path);
  return rt::checkOwnership("'" + path + "'", info);
}

static rt::Status openHalf(const std::string &folder, llvm::StringRef extension,
                           Half &half) {
  NNHAL_RETURN_IF_ERROR(checkOwner(folder));
  NNHAL_RETURN_IF_ERROR(checkOwner(half.path));
  llvm::Expected<mlir::DialectPlugin> plugin =
      mlir::DialectPlugin::load(half.path);
  if (!plugin)
    return rt::badData("'{}' is not a plug-in with a dialect: {}", half.path,
                       llvm::toString(plugin.takeError()));
  llvm::StringRef version = plugin->getPluginVersion();
  if (version != NNHAL_EXTENSION_HALF_VERSION)
    return rt::badData("'{}' is of version {}, expected {}", half.path,
                       version.str(), NNHAL_EXTENSION_HALF_VERSION);
  llvm::StringRef described = plugin->getPluginName();
  if (described != extension)
    return rt::badData("'{}' is for the extension '{}', expected '{}'",
                       half.path, described.str(), extension.str());
  half.plugin = *std::move(plugin);
  return rt::Status::ok();
}

/// The halves of one folder by the names of their extensions.
using Halves = std::map<std::string, Half, std::less<>>;

static Halves openAll(const std::string &folder) {
  Halves found;
  std::error_code error;
  for (llvm::sys::fs::directory_iterator entry(folder, error), end;
       !error && entry != end; entry.increment(error)) {
    llvm::StringRef name = llvm::sys::path::filename(entry->path());
    if (!name.consume_back(NNHAL_EXTENSION_HALF_SUFFIX))
      continue;
    Half &half = found[name.str()];
    half.path = entry->path();
    half.status = openHalf(folder, name, half);
  }
  return found;
}

/// The halves of \p folder, as they were when it was first asked for.
static const Halves &halvesIn(const std::string &folder) {
  static std::mutex mutex;
  static std::map<std::string, Halves> folders;
  std::lock_guard lock(mutex);
  auto known = folders.find(folder);
  if (known == folders.end())
    known = folders.emplace(folder, openAll(folder)).first;
  return known->second;
}

bool openExtensionHalves(const std::string &folder) {
  try {
    (void)halvesIn(folder);
    return true;
  } catch (const std::bad_alloc &) {
    return false;
  }
}

static rt::Result<const Half *> findHalf(llvm::StringRef extension,
                                         llvm::ArrayRef<std::string> folders) {
  for (const std::string &folder : folders) {
    const Halves &halves = halvesIn(folder);
    auto found = halves.find(std::string_view(extension));
    if (found == halves.end())
      continue;
    NNHAL_RETURN_IF_ERROR(found->second.status);
    return &found->second;
  }
  return nullptr;
}

rt::Result<bool> addExtensionHalf(llvm::StringRef extension,
                                  llvm::ArrayRef<std::string> folders,
                                  mlir::DialectRegistry &registry) {
  NNHAL_ASSIGN_OR_RETURN(const Half *half, findHalf(extension, folders));
  if (!half) {
    NNHAL_ASSIGN_OR_RETURN(half, findHalf(extension, {folderOfHalves()}));
  }
  if (half)
    half->plugin->registerDialectRegistryCallbacks(registry);
  return half != nullptr;
}

} // namespace nnhal
