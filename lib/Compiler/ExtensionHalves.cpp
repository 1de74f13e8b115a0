//===- ExtensionHalves.cpp - Dialects of extensions, in plug-ins ----------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ExtensionHalves.h"

#include "Runtime/Support/Errors.h"
#include "Runtime/Support/Ownership.h"
#include "nnhal/Runtime/Version.h"

#include "mlir/Tools/Plugins/DialectPlugin.h"
#include "llvm/Support/Path.h"

#include <dlfcn.h>
#include <sys/stat.h>

namespace nnhal {

std::string extensionHalfFolder() {
  Dl_info info;
  if (!dladdr(reinterpret_cast<const void *>(&extensionHalfFolder), &info) ||
      !info.dli_fname)
    return {};
  llvm::SmallString<128> path(llvm::sys::path::parent_path(info.dli_fname));
  llvm::sys::path::append(path, "nnhal", "extensions");
  return std::string(path);
}

/// Whoever writes a half or its folder decides what code runs.
static rt::Status checkOwner(llvm::StringRef path) {
  struct stat info;
  std::string name = path.str();
  if (::stat(name.c_str(), &info) != 0)
    return rt::badData("'{}' cannot be read", name);
  return rt::checkOwnership("'" + name + "'", info);
}

rt::Status addExtensionHalf(llvm::StringRef folder, llvm::StringRef extension,
                            mlir::DialectRegistry &registry) {
  // A name is that of a file, and of no other folder's.
  if (folder.empty() || extension.contains('/'))
    return rt::Status::ok();
  llvm::SmallString<128> path(folder);
  llvm::sys::path::append(path, extension + ".compiler.so");
  std::string name(path);
  struct stat info;
  if (::stat(name.c_str(), &info) != 0)
    return rt::Status::ok();
  NNHAL_RETURN_IF_ERROR(checkOwner(folder));
  NNHAL_RETURN_IF_ERROR(checkOwner(path));
  llvm::Expected<mlir::DialectPlugin> plugin = mlir::DialectPlugin::load(name);
  if (!plugin)
    return rt::badData("'{}' is not a plug-in with a dialect: {}", name,
                       llvm::toString(plugin.takeError()));
  llvm::StringRef version = plugin->getPluginVersion();
  if (version != NNHAL_VERSION)
    return rt::badData("'{}' is of version {}, expected {}", name,
                       version.str(), NNHAL_VERSION);
  llvm::StringRef described = plugin->getPluginName();
  if (described != extension)
    return rt::badData("'{}' is for the extension '{}', expected '{}'", name,
                       described.str(), extension.str());
  plugin->registerDialectRegistryCallbacks(registry);
  return rt::Status::ok();
}

} // namespace nnhal
