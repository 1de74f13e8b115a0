//===- Cache.cpp - Keys and tokens of cached models -----------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Cache.h"

#include "Runtime/Artifact/ModelCache.h"
#include "nnhal/Backend/ExtensionBackend.h"
#include "nnhal/Runtime/CapabilitiesFile.h"
#include "nnhal/Runtime/Memory.h"
#include "nnhal/Runtime/TFLiteModel.h"

#include <fmt/format.h>

#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <sys/stat.h>
#include <system_error>
#include <vector>

using namespace nnhal;
using namespace nnhal::tools;

/// Returns the options by which the model file is read, and the shapes for
/// which it is compiled.
static std::string readingOptions(const LoadRequest &request) {
  std::string text;
  for (const auto &[name, shape] : request.shapes)
    text += fmt::format("{}:{}={};", name.size(), name, fmt::join(shape, "x"));
  if (request.specialize)
    text += "specialized;";
  if (!request.signature.empty())
    text += fmt::format("{}:{};", request.signature.size(), request.signature);
  if (!request.useExtensions)
    text += "without extensions;";
  if (request.isRelaxed)
    text += "relaxed;";
  // They infer shapes of a model that they claim operators of.
  for (const rt::InstalledExtension &one : request.extensions)
    if (!one.backend->customOperators().empty())
      text += fmt::format("{}={};", one.backend->extension().name,
                          one.buildIdentity);
  return text;
}

/// Returns the text that tells \p model from others.
static rt::Result<std::string> placeOf(const ModelFile &model) {
  if (model.bytes) {
    NNHAL_ASSIGN_OR_RETURN(std::span<const std::byte> bytes,
                           model.bytes->bytes());
    rt::Sha256Digest digest = rt::sha256(bytes);
    return std::string(digest.begin(), digest.end());
  }
  std::error_code error;
  std::string path = std::filesystem::canonical(model.path, error).string();
  return error ? model.path : path;
}

rt::Result<rt::CacheToken> tools::cacheToken(const LoadRequest &request,
                                             const ModelFile &model) {
  NNHAL_ASSIGN_OR_RETURN(std::string place, placeOf(model));
  const rt::CompileOptions &compile = request.preparation.compile;
  std::string reading = readingOptions(request);
  std::string rounding = fmt::format("{}", uint32_t(compile.rounding));
  std::vector<std::string_view> texts = {
      "nnhal-run",       place,
      reading,           compile.targetTriple,
      compile.targetCpu, compile.targetFeatures,
      rounding};
  // Entries for nnhal-cpu and for GPUs lie side by side.
  if (!compile.target.empty())
    texts.push_back(compile.target);
  return rt::sha256OfTexts(texts);
}

std::string tools::cacheStateDirectory(const LoadRequest &request) {
  if (!request.stateDirectory.empty())
    return request.stateDirectory;
  auto directory = rt::stateDirectory(getenv);
  return directory.isOk() ? *directory : std::string();
}

void tools::createCacheDirectory(const LoadRequest &request) {
  std::filesystem::path path(request.cacheDirectory);
  std::error_code error;
  if (std::filesystem::path parent = path.parent_path(); !parent.empty())
    std::filesystem::create_directories(parent, error);
  ::mkdir(path.c_str(), 0700);
}

ContentKeys::ContentKeys(const LoadRequest &request, const ModelFile &model)
    : path(model.path) {
  // The content of a .json model may be in files beside it.
  if (model.bytes || model.kind != ModelKind::tflite)
    return;
  rt::UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (fd.isValid())
    stamp = rt::stampOf(fd.get());
  rt::ContentKeyStore::Options options;
  options.directory = cacheStateDirectory(request);
  auto importer =
      rt::libraryDigest(reinterpret_cast<const void *>(&rt::importTFLite));
  if (!stamp || options.directory.empty() || !importer.isOk())
    return;
  options.identity = *importer;
  std::string reading = readingOptions(request);
  std::string_view texts[] = {reading};
  variant = rt::sha256OfTexts(texts);
  // Without a store the model is read and hashed, which is only slower.
  if (auto opened = rt::ContentKeyStore::open(std::move(options));
      opened.isOk())
    store = *std::move(opened);
}

std::optional<rt::ContentKey> ContentKeys::find() const {
  return store ? store->find(*stamp, variant) : std::nullopt;
}

rt::Result<rt::ContentKey>
ContentKeys::compute(const rt::AnnotatedModel &model) const {
  NNHAL_ASSIGN_OR_RETURN(rt::ContentKey key, rt::contentKeyOf(model, ""));
  if (!store)
    return key;
  rt::UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  // A key that cannot be remembered is computed again.
  if (fd.isValid() && rt::stampOf(fd.get()) == stamp)
    (void)store->remember(*stamp, variant, key).isOk();
  return key;
}
