//===- CheckPreparation.cpp - Makes conformance cases ready to execute ----===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Check.h"

#include "nnhal/Runtime/AtomicFile.h"
#include "nnhal/Runtime/ModelCache.h"

#include <mutex>
#include <set>

using namespace nnhal;
using namespace nnhal::run;
using rt::badData;
using rt::PreparedModelRef;
using rt::Result;
using rt::Status;

namespace {
/// The artifacts of cases, one file each in a folder.
class ArtifactFolder {
public:
  explicit ArtifactFolder(std::string path) : path(std::move(path)) {}

  /// Where the artifact of \p test is; each case may ask once.
  Result<std::string> fileOf(const rt::TestCase &test) {
    if (test.name.empty() || test.name.find('/') != std::string::npos)
      return badData("the case's name '{}' is no file name", test.name);
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
                                             const rt::Device &device) {
  NNHAL_ASSIGN_OR_RETURN(std::string file, folder.fileOf(test));
  NNHAL_ASSIGN_OR_RETURN(rt::Memory memory, rt::Memory::readFile(file));
  NNHAL_ASSIGN_OR_RETURN(std::span<const std::byte> bytes, memory.bytes());
  NNHAL_ASSIGN_OR_RETURN(rt::Bundle bundle, rt::readBundle(bytes));
  return device.prepareModelFromArtifact(bundle.modelCache,
                                         rt::Memory::copy(bundle.dataCache));
}

PrepareCase run::preparationOf(const Flags &flags, const rt::Device &device,
                               rt::LazyCompiler &compiler) {
  if (!flags.emit.empty())
    return [&, folder = std::make_shared<ArtifactFolder>(flags.emit)](
               const rt::TestCase &test) -> Result<PreparedModelRef> {
      NNHAL_RETURN_IF_ERROR(
          emitArtifact(test, *folder, compiler, flags.compile));
      return PreparedModelRef();
    };
  if (!flags.artifacts.empty())
    return [&, folder = std::make_shared<ArtifactFolder>(flags.artifacts)](
               const rt::TestCase &test) {
      return loadArtifact(test, *folder, device);
    };
  return [&](const rt::TestCase &test) {
    rt::PrepareOptions options;
    options.compile = flags.compile;
    return device.prepareModel(annotate(test), options);
  };
}
