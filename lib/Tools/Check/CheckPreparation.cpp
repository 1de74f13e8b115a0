//===- CheckPreparation.cpp - Makes conformance cases ready to execute ----===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Check.h"

#include "Runtime/Artifact/ModelCache.h"
#include "Runtime/Caching/CacheEntry.h"
#include "Runtime/Support/AtomicFile.h"
#include "Runtime/Support/Errors.h"
#include "nnhal/Runtime/CompilationCache.h"

#include <atomic>
#include <filesystem>
#include <mutex>
#include <set>

using namespace nnhal;
using namespace nnhal::tools;
using rt::badData;
using rt::PreparedModelRef;
using rt::Result;
using rt::Status;

namespace {
/// The artifacts of cases, one file each in a folder.
class ArtifactFolder {
public:
  explicit ArtifactFolder(std::string path) : path(std::move(path)) {}

  /// Returns the path of the artifact of \p test; each case may ask once.
  Result<std::string> fileOf(const rt::TestCase &test) {
    if (test.name.empty() || test.name.find('/') != std::string::npos)
      return badData("the case's name '{}' is not a file name", test.name);
    std::lock_guard lock(mutex);
    if (!names.insert(test.name).second)
      return badData("two cases have the name '{}'", test.name);
    return fmt::format("{}/{}.nncache", path, test.name);
  }

private:
  std::string path;
  std::mutex mutex;
  std::set<std::string> names;
};
} // namespace

static rt::AnnotatedModel annotate(const rt::TestCase &test) {
  rt::AnnotatedModel annotated;
  annotated.model = test.model;
  return annotated;
}

static Status emitArtifact(const rt::TestCase &test, ArtifactFolder &folder,
                           rt::LazyCompiler &compiler,
                           const rt::CompileOptions &options) {
  NNHAL_ASSIGN_OR_RETURN(std::string file, folder.fileOf(test));
  NNHAL_ASSIGN_OR_RETURN(std::shared_ptr<const rt::Compiler> opened,
                         compiler.get());
  NNHAL_ASSIGN_OR_RETURN(rt::CompiledModel compiled,
                         opened->compileModel(annotate(test), options));
  NNHAL_ASSIGN_OR_RETURN(std::span<const std::byte> dataCache,
                         compiled.dataCache.bytes());
  return rt::writeFileAtomically(
      file, rt::writeBundle(compiled.modelCache, dataCache));
}

static Result<PreparedModelRef> loadArtifact(const rt::TestCase &test,
                                             ArtifactFolder &folder,
                                             const rt::Device &device,
                                             const Preparation &preparation) {
  rt::PrepareOptions options = prepareOptions(preparation);
  NNHAL_ASSIGN_OR_RETURN(std::string file, folder.fileOf(test));
  NNHAL_ASSIGN_OR_RETURN(rt::Memory memory, rt::Memory::readFile(file));
  NNHAL_ASSIGN_OR_RETURN(std::span<const std::byte> bytes, memory.bytes());
  NNHAL_ASSIGN_OR_RETURN(rt::Bundle bundle, rt::readBundle(bytes));
  return device.prepareModelFromArtifact(
      bundle.modelCache, rt::Memory::copy(bundle.dataCache), options);
}

PrepareCase tools::preparationOf(const CheckRequest &request,
                                 const rt::Device &device,
                                 rt::LazyCompiler &compiler) {
  if (!request.emit.empty())
    return [&, folder = std::make_shared<ArtifactFolder>(request.emit)](
               const rt::TestCase &test) -> Result<PreparedModelRef> {
      NNHAL_RETURN_IF_ERROR(
          emitArtifact(test, *folder, compiler, request.preparation.compile));
      return PreparedModelRef();
    };
  if (!request.artifacts.empty())
    return [&, folder = std::make_shared<ArtifactFolder>(request.artifacts)](
               const rt::TestCase &test) {
      return loadArtifact(test, *folder, device, request.preparation);
    };
  return [&](const rt::TestCase &test) {
    return device.prepareModel(annotate(test),
                               prepareOptions(request.preparation));
  };
}

/// Prepares \p test through a cache in \p folder, which exists and is empty.
static Result<PreparedModelRef> prepareTwice(const rt::TestCase &test,
                                             const std::string &folder,
                                             const rt::Device &device,
                                             const Preparation &preparation) {
  rt::AnnotatedModel model = annotate(test);
  rt::CompilationCache::Options cacheOptions;
  cacheOptions.directory = folder;
  rt::CompilationCache cache(std::move(cacheOptions));
  std::string_view texts[] = {"nnhal-run --check", folder};
  rt::CacheToken token = rt::sha256OfTexts(texts);
  rt::PrepareOptions options = prepareOptions(preparation);
  NNHAL_ASSIGN_OR_RETURN(options.contentKey, rt::contentKeyOf(model, ""));
  rt::CacheReport report;
  NNHAL_ASSIGN_OR_RETURN(
      PreparedModelRef compiled,
      cache.prepare(
          device, token, {},
          [&]() -> Result<const rt::AnnotatedModel *> { return &model; },
          options, report));
  if (report.saveProblem != rt::CacheOutcome::off)
    return rt::failure("the compiled model is not cached: {}",
                       report.saveDetail);
  options.deadline = prepareOptions(preparation).deadline;
  auto cached = cache.prepare(
      device, token, {},
      [&]() -> Result<const rt::AnnotatedModel *> { return &model; }, options,
      report);
  if (cached.isOk() && report.outcome != rt::CacheOutcome::hit)
    return rt::failure("the cache does not have what was left in it: {}: {}",
                       rt::toString(report.outcome), report.detail);
  return cached;
}

PrepareCase tools::cachedPreparationOf(const CheckRequest &request,
                                       const rt::Device &device) {
  rt::CacheFiles files = device.cacheFiles();
  bool hasCaches = files.modelCache + files.dataCache > 0;
  if (!hasCaches || request.cacheFolder.empty() || !request.artifacts.empty())
    return {};
  return [&, next = std::make_shared<std::atomic<uint64_t>>(0)](
             const rt::TestCase &test) -> Result<PreparedModelRef> {
    std::string folder = fmt::format("{}/{}", request.cacheFolder, (*next)++);
    std::error_code error;
    std::filesystem::create_directory(folder, error);
    if (error)
      return rt::failure("cannot create '{}': {}", folder, error.message());
    std::filesystem::permissions(folder, std::filesystem::perms::owner_all,
                                 error);
    auto prepared = prepareTwice(test, folder, device, request.preparation);
    std::filesystem::remove_all(folder, error);
    return prepared;
  };
}
