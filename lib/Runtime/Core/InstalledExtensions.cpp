//===- InstalledExtensions.cpp - Extensions beside the library ------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// To open a plug-in takes longer than to load a cached model, and few models
// have operations of extensions. A file beside the plug-in therefore describes
// the extension, and the plug-in is opened when a model uses it.
//
//===----------------------------------------------------------------------===//

#include "nnhal/Runtime/DevicePlugins.h"

#include "Runtime/Caching/BinaryIdentity.h"
#include "Runtime/Formats/Json/ExtensionFile.h"
#include "Runtime/Model/ExtensionCalls.h"
#include "Runtime/Model/ExtensionUse.h"
#include "Runtime/Support/Errors.h"
#include "Runtime/Support/LogFormat.h"
#include "Runtime/Support/Ownership.h"
#include "nnhal/Backend/ExtensionBackend.h"

#include <algorithm>
#include <filesystem>
#include <mutex>
#include <sys/stat.h>

using namespace nnhal::rt;

namespace {
/// The extension of a plug-in that is opened when somebody asks for it.
class LazyExtension final : public ExtensionBackend {
public:
  LazyExtension(ExtensionFile description, std::string path)
      : description(std::move(description)), path(std::move(path)) {}

  const Extension &extension() const override { return description.extension; }
  std::span<const CustomOperator> customOperators() const override {
    return description.customOperators;
  }

  Status open() const override {
    std::call_once(once, [this] { status = load(); });
    return status;
  }
  Result<OperationFacts> check(const OperationView &operation) const override {
    NNHAL_RETURN_IF_ERROR(open());
    return backend->check(operation);
  }
  Status execute(const OperationView &operation,
                 ExtensionOutputs &outputs) const override {
    NNHAL_RETURN_IF_ERROR(open());
    return backend->execute(operation, outputs);
  }
  Result<std::vector<TensorType>>
  states(const OperationView &operation) const override {
    NNHAL_RETURN_IF_ERROR(open());
    return backend->states(operation);
  }

private:
  Status load() const {
    NNHAL_ASSIGN_OR_RETURN(LoadedPlugin plugin, loadPlugin(path, {}));
    for (InstalledExtension &extension : plugin.extensions)
      if (extension.backend->extension() == description.extension)
        backend = std::move(extension.backend);
    if (!backend)
      return badData("plug-in '{}' has no extension '{}' of the types that the "
                     "file beside it describes",
                     path, description.extension.name);
    if (!std::ranges::equal(backend->customOperators(),
                            description.customOperators)) {
      backend = nullptr;
      return badData("plug-in '{}' claims other custom operators than the file "
                     "beside it describes",
                     path);
    }
    return Status::ok();
  }

  const ExtensionFile description;
  const std::string path;
  mutable std::once_flag once;
  mutable Status status;
  mutable std::shared_ptr<const ExtensionBackend> backend;
};
} // namespace

std::string nnhal::rt::extensionDirectory() {
  return libraryBeside("nnhal/extensions");
}

/// Nobody else may have a say in which code runs.
static Status checkTrust(const std::string &path) {
  struct stat info;
  if (::stat(path.c_str(), &info) != 0)
    return badData("'{}' cannot be read", path);
  return checkOwnership(fmt::format("'{}'", path), info);
}

static Result<InstalledExtension> describe(const std::string &file) {
  const std::string library =
      std::filesystem::path(file).replace_extension(".so");
  NNHAL_RETURN_IF_ERROR(checkTrust(file));
  NNHAL_RETURN_IF_ERROR(checkTrust(library));
  NNHAL_ASSIGN_OR_RETURN(ExtensionFile description, readExtensionFile(file));
  NNHAL_RETURN_IF_ERROR(checkDescription(description.extension)
                            .withContext(fmt::format("'{}'", file)));
  NNHAL_RETURN_IF_ERROR(checkCustomOperators(description.extension.name,
                                             description.customOperators)
                            .withContext(fmt::format("'{}'", file)));
  NNHAL_ASSIGN_OR_RETURN(std::string identity, binaryIdentity(library));
  return InstalledExtension{
      std::make_shared<LazyExtension>(std::move(description), library),
      std::move(identity)};
}

static void leaveOut(const DeviceServices &services, const Status &status) {
  if (services.log)
    writeError(*services.log, "an installed extension is left out: {}",
               status.message());
}

void nnhal::rt::openExtensions(std::vector<InstalledExtension> &extensions,
                               const DeviceServices &services) {
  std::erase_if(extensions, [&](const InstalledExtension &extension) {
    Status status = extension.backend->open();
    if (!status.isOk())
      leaveOut(services, status);
    return !status.isOk();
  });
}

std::vector<InstalledExtension>
nnhal::rt::installedExtensions(const DeviceServices &services,
                               const std::string &directory) {
  std::vector<InstalledExtension> extensions;
  std::error_code error;
  std::filesystem::directory_iterator entries(directory, error);
  if (error)
    return extensions;
  if (Status trust = checkTrust(directory); !trust.isOk()) {
    leaveOut(services, trust);
    return extensions;
  }
  std::vector<std::string> files;
  for (const std::filesystem::directory_entry &entry : entries)
    if (entry.path().extension() == ".json")
      files.push_back(entry.path());
  std::ranges::sort(files);
  for (const std::string &file : files) {
    Result<InstalledExtension> extension = describe(file);
    if (extension.isOk())
      extensions.push_back(*std::move(extension));
    else
      leaveOut(services, extension.status());
  }
  return extensions;
}
