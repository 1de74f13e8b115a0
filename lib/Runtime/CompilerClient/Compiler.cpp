//===- Compiler.cpp - Calls the compiler through its table ----------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "nnhal/Runtime/Compiler.h"

#include "CompilerApi.h"
#include "ModelView.h"

#include "Runtime/Artifact/Specialization.h"
#include "Runtime/Artifact/Targets.h"
#include "Runtime/Caching/BinaryIdentity.h"
#include "Runtime/Support/Errors.h"
#include "Runtime/Support/SplitAt.h"

#include <algorithm>
#include <dlfcn.h>
#include <filesystem>
#include <new>

using namespace nnhal::rt;

static constexpr const char *compilerLibrary = "libNNHalCompiler.so";

static std::string lastDlError() {
  const char *text = dlerror();
  return text ? text : "unknown reason";
}

static std::string locateCompiler(const std::string &path) {
  return path.empty() ? libraryBeside(compilerLibrary) : path;
}

static std::string_view toView(NNHalString text) {
  return {text.data ? text.data : "", text.data ? text.size : 0};
}

static NNHalString toText(std::string_view text) {
  return {text.data(), text.size()};
}

namespace {
/// The sinks of one compilation write to a collector. They are called from C:
/// nothing may be thrown through them.
struct Collector {
  explicit Collector(const CompileObserver &observer) : observer(observer) {
    sinks.structSize = sizeof(sinks);
    sinks.context = this;
    sinks.artifact = &Collector::onArtifact;
    sinks.diagnostic = &Collector::onDiagnostic;
    sinks.progress = &Collector::onProgress;
    if (observer.isCancelled)
      sinks.isCancelled = &Collector::onIsCancelled;
    if (observer.remark)
      sinks.remark = &Collector::onRemark;
    if (observer.findKernel)
      sinks.findKernel = &Collector::onFindKernel;
    if (observer.keepKernel)
      sinks.keepKernel = &Collector::onKeepKernel;
    if (observer.part)
      sinks.part = &Collector::onPart;
  }

  template <typename Function> void guarded(Function function) {
    try {
      function();
    } catch (const std::bad_alloc &) {
      ranOutOfMemory = true;
    }
  }

  static void onArtifact(void *context, NNHalBytes modelCache,
                         NNHalBytes dataCache) {
    auto &self = *static_cast<Collector *>(context);
    self.guarded([&] {
      ++self.artifactCount;
      auto *code = static_cast<const std::byte *>(modelCache.data);
      auto *constants = static_cast<const std::byte *>(dataCache.data);
      self.artifact.modelCache.assign(code, code + modelCache.size);
      self.artifact.dataCache = Memory::copy({constants, dataCache.size});
    });
  }

  static void onDiagnostic(void *context, uint32_t isError, NNHalString text) {
    auto &self = *static_cast<Collector *>(context);
    self.guarded([&] {
      if (isError && self.firstError.empty())
        self.firstError = toView(text);
      if (self.observer.diagnostic)
        self.observer.diagnostic(isError != 0, toView(text));
    });
  }

  static void onProgress(void *context, NNHalString phase, uint32_t done,
                         uint32_t total) {
    auto &self = *static_cast<Collector *>(context);
    self.guarded([&] {
      if (self.observer.progress)
        self.observer.progress(toView(phase), done, total);
    });
  }

  static uint32_t onIsCancelled(void *context) {
    auto &self = *static_cast<Collector *>(context);
    return self.observer.isCancelled();
  }

  static void onRemark(void *context, uint32_t operation, NNHalString text) {
    auto &self = *static_cast<Collector *>(context);
    self.guarded([&] { self.observer.remark(operation, toView(text)); });
  }

  static void onFindKernel(void *context, NNHalString key, void *receiver,
                           void (*receive)(void *, NNHalBytes)) try {
    auto &self = *static_cast<Collector *>(context);
    std::vector<std::byte> object;
    if (self.observer.findKernel(toView(key), object))
      receive(receiver, {object.data(), object.size()});
  } catch (const std::bad_alloc &) {
    return; // It is compiled again.
  }

  static void onKeepKernel(void *context, NNHalString key,
                           NNHalBytes object) try {
    auto &self = *static_cast<Collector *>(context);
    self.observer.keepKernel(
        toView(key),
        {static_cast<const std::byte *>(object.data), object.size});
  } catch (const std::bad_alloc &) {
    return; // A later compilation makes it again.
  }

  static void onPart(void *context, NNHalString name,
                     uint64_t nanoseconds) try {
    auto &self = *static_cast<Collector *>(context);
    self.observer.part(toView(name), std::chrono::nanoseconds(nanoseconds));
  } catch (const std::bad_alloc &) {
    return; // The part is not reported.
  }

  Result<CompiledModel> finish(int32_t code) {
    if (ranOutOfMemory)
      return outOfResources("no memory for the compiler's reports");
    if (code < 0 || code > int32_t(StatusCode::resourceExhaustedPersistent))
      return failure("the compiler returned {}, which is not a status code",
                     code);
    if (code != 0)
      return Status(StatusCode(code), firstError.empty()
                                          ? "the compiler gave no reason"
                                          : firstError);
    if (artifactCount != 1)
      return failure("the compiler delivered {} artifacts instead of 1",
                     artifactCount);
    return std::move(artifact);
  }

  const CompileObserver &observer;
  NNHalCompileSinks sinks = {};
  CompiledModel artifact;
  uint32_t artifactCount = 0;
  std::string firstError;
  bool ranOutOfMemory = false;
};
} // namespace

namespace {
/// Options as plain C structures, which refer to those that they are made of.
class OptionsView {
public:
  /// Leaves out the extensions that \p used, unless it is null, does not list.
  OptionsView(const CompileOptions &options,
              const std::vector<ExtensionNameAndPrefix> *used,
              const std::vector<std::string> &folders) {
    for (const std::string &folder : folders)
      halfFolders.push_back(toText(folder));
    for (const CompiledExtension &extension : options.extensions) {
      if (used &&
          std::ranges::find(*used, extension.description.name,
                            &ExtensionNameAndPrefix::name) == used->end())
        continue;
      auto &types = typeLists.emplace_back();
      for (const auto &type : extension.description.operandTypes)
        types.push_back(
            {type.type, uint16_t(type.kind), type.isTensor, type.byteSize});
      extensions.push_back({toText(extension.description.name),
                            toText(extension.buildIdentity), types.data(),
                            types.size()});
    }
    view.structSize = sizeof(view);
    view.targetTriple = toText(options.targetTriple);
    view.targetCpu = toText(options.targetCpu);
    view.targetFeatures = toText(options.targetFeatures);
    view.rounding = uint32_t(options.rounding);
    view.threads = options.threads;
    view.crashReproducer = toText(options.crashReproducer);
    view.extensions = extensions.data();
    view.extensionCount = extensions.size();
    view.target = toText(options.target);
    view.halfFolders = halfFolders.data();
    view.halfFolderCount = halfFolders.size();
  }
  OptionsView(const OptionsView &) = delete;
  OptionsView &operator=(const OptionsView &) = delete;

  NNHalCompileOptions view = {};

private:
  std::vector<std::vector<NNHalExtensionTypeView>> typeLists;
  std::vector<NNHalCompiledExtension> extensions;
  std::vector<NNHalString> halfFolders;
};
} // namespace

static Result<CompiledModel> compileOnce(const NNHalCompilerApi &api,
                                         const AnnotatedModel &model,
                                         const NNHalCompileOptions &options,
                                         const CompileObserver &observer) {
  NNHAL_ASSIGN_OR_RETURN(ModelView view, ModelView::of(model));
  Collector collector(observer);
  return collector.finish(
      api.compileModel(&view.view(), &options, &collector.sinks));
}

/// The version of the table that is the first with NNHalCompileOptions::target.
static constexpr uint32_t minorWithTargets = 5;

/// A compiler from before there were targets would make code for processors.
static Status checkTarget(const NNHalCompilerApi &api,
                          const CompileOptions &options) {
  if (options.target.empty() || api.minor >= minorWithTargets)
    return Status::ok();
  return failure("the compiler has interface version {}.{}, target '{}' needs "
                 "{}.{}",
                 api.major, api.minor, options.target, NNHAL_COMPILER_API_MAJOR,
                 minorWithTargets);
}

namespace {
/// The compiler behind an opened table.
class LoadedCompiler final : public Compiler {
public:
  LoadedCompiler(const NNHalCompilerApi &api,
                 std::vector<std::string> halfFolders)
      : api(api), halfFolders(std::move(halfFolders)) {}

  std::string_view buildIdentity() const override {
    return toView(api.buildIdentity);
  }
  Result<CompiledModel>
  compileModel(const AnnotatedModel &model, const CompileOptions &options,
               const CompileObserver &observer) const override;
  Result<CompiledModel>
  compileMlir(std::span<const std::byte> text, std::string_view name,
              const CompileOptions &options,
              const CompileObserver &observer) const override;

private:
  Result<CompiledModel> compileForShapes(const AnnotatedModel &model,
                                         const CompileOptions &options,
                                         const CompileObserver &observer) const;

  const NNHalCompilerApi &api;
  const std::vector<std::string> halfFolders;
};
} // namespace

Compiler::~Compiler() = default;

static constexpr std::string_view hostTarget = "cpu";

/// The options for each of the targets that \p options list.
static Result<std::vector<CompileOptions>>
optionsOfTargets(const CompileOptions &options) {
  std::vector<CompileOptions> result;
  bool hasHost = options.target.empty();
  for (std::string_view name : splitAt(options.target, ',')) {
    if (name.empty() && !options.target.empty())
      return badData("the list of targets '{}' has an empty name",
                     options.target);
    if (std::ranges::find(result, name, &CompileOptions::target) !=
        result.end())
      return badData("the list of targets '{}' has '{}' twice", options.target,
                     name);
    hasHost |= name == hostTarget;
    result.push_back(options);
    result.back().target = name;
  }
  for (CompileOptions &own : result) {
    if (own.target.empty() || own.target == hostTarget)
      continue;
    // Code for GPUs calls no extensions of the host. A stated triple, CPU or
    // feature describes the processor if the list has the target "cpu".
    own.extensions.clear();
    if (hasHost)
      own.targetTriple = own.targetCpu = own.targetFeatures = {};
  }
  return result;
}

/// Compiles for each target that \p options list and joins the results to one
/// artifact.
template <typename Compile>
static Result<CompiledModel> compileForTargets(const CompileOptions &options,
                                               Compile compile) {
  NNHAL_ASSIGN_OR_RETURN(std::vector<CompileOptions> targets,
                         optionsOfTargets(options));
  NNHAL_ASSIGN_OR_RETURN(CompiledModel compiled, compile(targets.front()));
  for (size_t i = 1; i < targets.size(); ++i) {
    NNHAL_ASSIGN_OR_RETURN(CompiledModel added, compile(targets[i]));
    NNHAL_ASSIGN_OR_RETURN(compiled, addTarget(compiled, added));
  }
  return compiled;
}

Result<CompiledModel>
LoadedCompiler::compileModel(const AnnotatedModel &model,
                             const CompileOptions &options,
                             const CompileObserver &observer) const {
  NNHAL_RETURN_IF_ERROR(checkTarget(api, options));
  return compileForTargets(options, [&](const CompileOptions &own) {
    return compileForShapes(model, own, observer);
  });
}

/// Makes code for any shapes, and for those of the specializations.
Result<CompiledModel>
LoadedCompiler::compileForShapes(const AnnotatedModel &model,
                                 const CompileOptions &options,
                                 const CompileObserver &observer) const {
  OptionsView stated(options, &model.model.extensionNameToPrefix, halfFolders);
  NNHalCompileOptions &view = stated.view;
  NNHAL_ASSIGN_OR_RETURN(CompiledModel compiled,
                         compileOnce(api, model, view, observer));
  for (const InputShapes &shapes : options.specializations) {
    NNHAL_ASSIGN_OR_RETURN(AnnotatedModel special,
                           withInputShapes(model, shapes));
    view.constantsOffset = compiled.dataCache.size();
    NNHAL_ASSIGN_OR_RETURN(CompiledModel code,
                           compileOnce(api, special, view, observer));
    NNHAL_ASSIGN_OR_RETURN(compiled, addSpecialization(compiled, code, shapes));
  }
  return compiled;
}

Result<CompiledModel> LoadedCompiler::compileMlir(
    std::span<const std::byte> text, std::string_view name,
    const CompileOptions &options, const CompileObserver &observer) const {
  NNHAL_RETURN_IF_ERROR(checkTarget(api, options));
  return compileForTargets(options, [&](const CompileOptions &own) {
    OptionsView stated(own, nullptr, halfFolders);
    Collector collector(observer);
    return collector.finish(api.compileMlir({text.data(), text.size()},
                                            toText(name), &stated.view,
                                            &collector.sinks));
  });
}

/// The bytes of a table from before there was openHalves.
static constexpr uint32_t leastTableSize =
    offsetof(NNHalCompilerApi, openHalves);

/// A name without a folder is searched by the dynamic linker, and stays.
static std::string absolutePath(const std::string &plugin) {
  std::error_code error;
  std::filesystem::path path = std::filesystem::absolute(plugin, error);
  return plugin.find('/') == plugin.npos || error ? plugin : path.string();
}

/// The folders of \p plugins, each once; none for names without a folder,
/// beside which nothing is.
static std::vector<std::string>
foldersOf(const std::vector<std::string> &plugins) {
  std::vector<std::string> folders;
  for (const std::string &plugin : plugins) {
    std::string folder =
        std::filesystem::path(absolutePath(plugin)).parent_path();
    if (!folder.empty() && std::ranges::find(folders, folder) == folders.end())
      folders.push_back(std::move(folder));
  }
  return folders;
}

Result<std::shared_ptr<const Compiler>>
Compiler::open(const std::string &requestedPath,
               const std::vector<std::string> &plugins) {
  std::string path = locateCompiler(requestedPath);
  // Local: two compilers must not see each other's LLVM. Lazy: the dialects
  // call thousands of functions of MLIR, of which a compilation needs few. The
  // compiler library states that its own calls are bound at once (-z now), so
  // that dialects or MLIR of another build are refused here.
  void *library = dlopen(path.c_str(), RTLD_LAZY | RTLD_LOCAL);
  if (!library)
    return deviceUnavailable("cannot open the compiler '{}': {}", path,
                             lastDlError());
  auto getApi = reinterpret_cast<NNHalGetCompilerApiFunction>(
      dlsym(library, NNHAL_GET_COMPILER_API_SYMBOL));
  if (!getApi)
    return failure("'{}' is not a compiler: it does not export {}", path,
                   NNHAL_GET_COMPILER_API_SYMBOL);
  const NNHalCompilerApi *api = getApi(NNHAL_COMPILER_API_MAJOR);
  if (!api)
    return failure("compiler '{}' does not offer interface version {}", path,
                   NNHAL_COMPILER_API_MAJOR);
  if (api->structSize < leastTableSize)
    return failure("compiler '{}' has an interface table of {} bytes, less "
                   "than {}",
                   path, api->structSize, leastTableSize);
  if (api->major != NNHAL_COMPILER_API_MAJOR)
    return failure("compiler '{}' has interface version {}.{}, this runtime "
                   "needs {}.x",
                   path, api->major, api->minor, NNHAL_COMPILER_API_MAJOR);
  if (!api->compileModel || !api->compileMlir)
    return failure("compiler '{}' leaves a function of its table empty", path);
  std::vector<std::string> folders = foldersOf(plugins);
  if (api->structSize >= sizeof(NNHalCompilerApi) && api->openHalves)
    for (const std::string &folder : folders)
      api->openHalves(toText(folder));
  return std::shared_ptr<const Compiler>(
      std::make_shared<LoadedCompiler>(*api, std::move(folders)));
}

LazyCompiler::LazyCompiler(std::string path, std::vector<std::string> plugins,
                           Open open)
    : path(std::move(path)), plugins(std::move(plugins)),
      open(std::move(open)) {
  // The process may have another working directory when it compiles.
  for (std::string &plugin : this->plugins)
    plugin = absolutePath(plugin);
}

Result<std::shared_ptr<const Compiler>> LazyCompiler::get() {
  std::call_once(once, [this] {
    auto opened = open(path, plugins);
    status = opened.status();
    if (opened.isOk())
      compiler = *std::move(opened);
  });
  if (!status.isOk())
    return status;
  return compiler;
}

/// Names the builds of the halves of extensions in \p folder. The compiler
/// leaves out a file that cannot be read, and so does this.
static std::string identityOfHalves(const std::filesystem::path &folder) {
  std::vector<std::string> halves;
  std::error_code error;
  for (std::filesystem::directory_iterator entry(folder, error), end;
       !error && entry != end; entry.increment(error))
    if (entry->path().native().ends_with(NNHAL_EXTENSION_HALF_SUFFIX))
      halves.push_back(entry->path());
  std::ranges::sort(halves);
  std::string text;
  for (const std::string &half : halves)
    if (auto identity = binaryIdentity(half); identity.isOk())
      text += *identity;
  return text;
}

Result<std::string> LazyCompiler::identity() {
  std::call_once(identityOnce, [this] {
    std::string file = locateCompiler(path);
    auto identity = binaryIdentity(file);
    identityStatus = identity.status();
    if (!identity.isOk())
      return;
    identityText = *identity;
    for (const std::string &folder : foldersOf(plugins))
      identityText += identityOfHalves(folder);
    identityText += identityOfHalves(std::filesystem::path(file).parent_path() /
                                     NNHAL_EXTENSION_HALF_FOLDER);
  });
  if (!identityStatus.isOk())
    return identityStatus;
  return identityText;
}
