//===- Load.cpp - From a file to a prepared model -------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Load.h"

#include "Cache.h"
#include "Phases.h"
#include "Tools/Process/Heap.h"
#include "Tools/Tensors/Inputs.h"

#include "Runtime/Artifact/ModelCache.h"
#include "Runtime/Support/AtomicFile.h"
#include "Runtime/Support/CompileTrace.h"
#include "Runtime/Support/Errors.h"
#include "Runtime/Support/LogFormat.h"
#include "nnhal/Runtime/JsonModel.h"
#include "nnhal/Runtime/Partition.h"
#include "nnhal/Runtime/TFLiteModel.h"
#include "nnhal/Runtime/Validate.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <malloc.h>

using namespace nnhal;
using namespace nnhal::tools;
using rt::Status;

int64_t tools::nowMicroseconds() {
  return std::chrono::duration_cast<std::chrono::microseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

// The size from which on memory that is freed goes back to the system. In a
// start from the cache tensors and files do: the C library would learn from the
// first of them to keep all others. A compiler asks for the same again and
// again.
static constexpr int tensorSize = 16 << 10;
static constexpr int compilerSize = 32 << 20;
static void giveBackFrom(const LoadRequest &request, int size) {
  if (request.ownsProcess)
    ::mallopt(M_MMAP_THRESHOLD, size);
}

static void expectCompilation(const LoadRequest &request) {
  giveBackFrom(request, compilerSize);
  if (request.ownsProcess)
    growHeapInLargePages();
}

/// Returns the report of a model whose steps are cached each by itself: the
/// first miss, or the hits of all.
static rt::CacheReport summarize(const std::vector<rt::CacheReport> &steps) {
  rt::CacheReport summary;
  for (const rt::CacheReport &step : steps) {
    if (!rt::isMiss(summary.outcome) && step.outcome != rt::CacheOutcome::off)
      summary.outcome = step.outcome;
    if (summary.detail.empty())
      summary.detail = step.detail;
    if (summary.saveProblem == rt::CacheOutcome::off) {
      summary.saveProblem = step.saveProblem;
      summary.saveDetail = step.saveDetail;
    }
    summary.hasWaited |= step.hasWaited;
  }
  return summary;
}

namespace {
/// Tells what became of a compilation in the background, success when it is
/// destroyed before there was one.
class CompilationEnd {
public:
  CompilationEnd() = default;
  CompilationEnd(const CompilationEnd &) = delete;
  CompilationEnd &operator=(const CompilationEnd &) = delete;
  ~CompilationEnd() {
    if (!isTold)
      promise.set_value(Status::ok());
  }
  std::future<Status> future() { return promise.get_future(); }
  void tell(const Status &status) {
    isTold = true;
    promise.set_value(status);
  }

private:
  std::promise<Status> promise;
  bool isTold = false;
};

/// One load, with what its steps share.
class Loader {
public:
  Loader(const LoadRequest &request, const ModelFile &model,
         const rt::Device &device, rt::LazyCompiler &compiler,
         const LoadObserver &observer, const LoadServices &services)
      : request(request), model(model), device(device), compiler(compiler),
        observer(observer), services(services), tracer(services.tracer.get()) {
    loaded.threads = request.threads;
  }

  rt::Result<LoadOutcome> load() {
    auto outcome = run();
    if (outcome.isOk() || request.extensionAdvice.empty() || !lacksExtension())
      return outcome;
    return Status(outcome.status().code(),
                  outcome.status().message() + request.extensionAdvice);
  }

private:
  rt::Result<LoadOutcome> run() {
    if (usesCache()) {
      NNHAL_RETURN_IF_ERROR(loadThroughCache());
      return std::move(loaded);
    }
    int64_t begin = nowMicroseconds();
    NNHAL_RETURN_IF_ERROR(read());
    int64_t read = nowMicroseconds();
    loaded.loadMicroseconds = read - begin;
    NNHAL_RETURN_IF_ERROR(inspectSource());
    if (request.goal == LoadGoal::source)
      return std::move(loaded);
    if (!loaded.prepared) {
      NNHAL_RETURN_IF_ERROR(compile());
      loaded.compileMicroseconds = nowMicroseconds() - read;
    }
    return std::move(loaded);
  }

  /// Whether the importer took operations of an extension that the device does
  /// not have, which refuses the model then.
  bool lacksExtension() const {
    return model.kind == ModelKind::tflite && loaded.source &&
           std::ranges::any_of(loaded.source->model.extensionNameToPrefix,
                               [&](const rt::ExtensionNameAndPrefix &used) {
                                 return std::ranges::find(
                                            device.extensions(), used.name,
                                            &rt::Extension::name) ==
                                        device.extensions().end();
                               });
  }

  /// An artifact that is to be written only a compilation has.
  bool usesCache() const {
    return !request.cacheDirectory.empty() && request.emit.empty() &&
           request.goal != LoadGoal::source;
  }

  bool needsSource() const { return request.needsSource || request.specialize; }

  Status inspectSource() const {
    if (!loaded.source || !observer.source)
      return Status::ok();
    return observer.source(*loaded.source);
  }

  Status loadThroughCache() {
    giveBackFrom(request, tensorSize);
    int64_t begin = nowMicroseconds();
    ContentKeys keys(request, model);
    std::optional<rt::ContentKey> key = keys.find();
    if (!key || needsSource()) {
      NNHAL_RETURN_IF_ERROR(read());
      NNHAL_RETURN_IF_ERROR(inspectSource());
    }
    if (!key) {
      NNHAL_ASSIGN_OR_RETURN(sourceKey, keys.compute(*loaded.source));
      key = sourceKey;
    }
    int64_t read = nowMicroseconds();
    loaded.loadMicroseconds = read - begin;
    Status status = prepareThroughCache(keys, *key);
    // The remembered key may be damaged, and the file may have been changed
    // just now: the key of the bytes that were read is right.
    if (!status.isOk() && sourceKey && *sourceKey != *key) {
      rt::writeLog(*services.log, rt::LogTag::compilation, "{}",
                   status.message());
      status = prepareThroughCache(keys, *sourceKey);
    }
    loaded.compileMicroseconds = nowMicroseconds() - read;
    return status;
  }

  /// Returns the options of the preparation.
  rt::Result<rt::PrepareOptions> prepareOptionsFor() const {
    rt::PrepareOptions options = tools::prepareOptions(request.preparation);
    NNHAL_ASSIGN_OR_RETURN(options.compile, compileOptions());
    options.compileAfter = request.compileAfter;
    return options;
  }

  /// Tells \p progress.
  rt::PrepareObserver prepareObserver(Progress &progress) {
    rt::PrepareObserver told;
    told.compile = compileObserver(progress);
    auto end = std::make_shared<CompilationEnd>();
    loaded.compilation = end->future();
    told.compileEnded = [end = std::move(end)](const Status &status) {
      end->tell(status);
    };
    return told;
  }

  Status prepareThroughCache(const ContentKeys &keys,
                             const rt::ContentKey &key) {
    rt::TraceSection section(
        tracer, applicationPhase(rt::TracePhase::preparation), model.path);
    createCacheDirectory(request);
    rt::CompilationCache::Options cacheOptions;
    cacheOptions.directory = request.cacheDirectory;
    cacheOptions.log = services.log;
    cacheOptions.tracer = services.tracer;
    rt::CompilationCache cache(std::move(cacheOptions));
    Progress progress(observer.warning);
    NNHAL_ASSIGN_OR_RETURN(rt::CacheToken token, cacheToken(request, model));
    NNHAL_ASSIGN_OR_RETURN(rt::PrepareOptions options, prepareOptionsFor());
    options.contentKey = key;
    auto prepared = cache.prepare(
        device, token, {}, [&] { return sourceOf(keys, key); }, options,
        loaded.cache, prepareObserver(progress));
    if (prepared.isOk())
      loaded.prepared = *prepared;
    if (const auto *divided =
            dynamic_cast<const rt::PartitionedModel *>(loaded.prepared.get()))
      loaded.cache = summarize(divided->cacheReports());
    NNHAL_RETURN_IF_ERROR(progress.finish(prepared.status()));
    loaded.compilePhases = progress.phases();
    if (loaded.cache.saveProblem != rt::CacheOutcome::off)
      progress.warn(fmt::format("the compiled model is not cached: {}",
                                loaded.cache.saveDetail));
    return Status::ok();
  }

  /// The model, of which \p key must be the key: what is compiled is cached
  /// under it.
  rt::Result<const rt::AnnotatedModel *> sourceOf(const ContentKeys &keys,
                                                  const rt::ContentKey &key) {
    expectCompilation(request);
    if (!loaded.source)
      NNHAL_RETURN_IF_ERROR(read());
    if (!sourceKey) {
      NNHAL_ASSIGN_OR_RETURN(sourceKey, keys.compute(*loaded.source));
    }
    if (*sourceKey == key)
      return &*loaded.source;
    return rt::failure("the remembered content key is not that of {}",
                       model.label());
  }

  /// Turns the file's bytes into a source model, or into a prepared model when
  /// they are an artifact.
  Status read() {
    rt::TraceSection section(
        tracer, applicationPhase(rt::TracePhase::initialization), model.path);
    if (model.bytes) {
      file = *model.bytes;
    } else {
      NNHAL_ASSIGN_OR_RETURN(file, rt::Memory::readFile(model.path));
    }
    NNHAL_ASSIGN_OR_RETURN(bytes, file.bytes());
    NNHAL_RETURN_IF_ERROR(parse().withContext(model.label()));
    if (request.isRelaxed && loaded.source)
      loaded.source->model.relaxComputationFloat32toFloat16 = true;
    return Status::ok();
  }

  Status parse() {
    if (!request.signature.empty() && model.kind != ModelKind::tflite)
      return rt::badData("the signature '{}' is asked for, but only .tflite "
                         "files have signatures",
                         request.signature);
    switch (model.kind) {
    case ModelKind::artifact:
      return readArtifact();
    case ModelKind::tflite:
      return readTFLite();
    case ModelKind::json:
      return readJson();
    case ModelKind::mlir:
      break;
    }
    return Status::ok();
  }

  Status readArtifact() {
    NNHAL_ASSIGN_OR_RETURN(rt::Bundle bundle, rt::readBundle(bytes));
    // Constants that are not aligned would be copied once more.
    NNHAL_ASSIGN_OR_RETURN(
        rt::AlignedBuffer constants,
        rt::AlignedBuffer::allocateResident(bundle.dataCache.size()));
    std::ranges::copy(bundle.dataCache, constants.data());
    NNHAL_ASSIGN_OR_RETURN(loaded.prepared,
                           device.prepareModelFromArtifact(
                               bundle.modelCache,
                               rt::Memory::adopt(std::move(constants)),
                               tools::prepareOptions(request.preparation)));
    return Status::ok();
  }

  Status readTFLite() {
    rt::TFLiteImportOptions options;
    options.inputShapes = request.shapes;
    options.useExtensions = request.useExtensions;
    options.extensions = request.extensions;
    options.signature = request.signature;
    NNHAL_ASSIGN_OR_RETURN(loaded.source, rt::importTFLite(file, options));
    return Status::ok();
  }

  Status readJson() {
    std::string directory =
        std::filesystem::path(model.path).parent_path().string();
    std::string_view text(reinterpret_cast<const char *>(bytes.data()),
                          bytes.size());
    rt::AnnotatedModel annotated;
    NNHAL_ASSIGN_OR_RETURN(
        annotated.model,
        rt::readJsonModel(text, directory.empty() ? "." : directory));
    NNHAL_RETURN_IF_ERROR(
        rt::validateModel(annotated.model, annotated.model.halVersion));
    loaded.source = std::move(annotated);
    return Status::ok();
  }

  Status emit(const rt::CompiledModel &compiled) const {
    if (request.emit.empty())
      return Status::ok();
    NNHAL_ASSIGN_OR_RETURN(std::span<const std::byte> dataCache,
                           compiled.dataCache.bytes());
    return rt::writeFileAtomically(
        request.emit, rt::writeBundle(compiled.modelCache, dataCache));
  }

  Status compile() {
    rt::TraceSection section(
        tracer, applicationPhase(rt::TracePhase::preparation), model.path);
    Progress progress(observer.warning);
    Status status = progress.finish(compileWith(progress));
    loaded.compilePhases = progress.phases();
    return status;
  }

  rt::Result<rt::CompileOptions> compileOptions() const {
    rt::CompileOptions options = request.preparation.compile;
    if (request.specialize) {
      NNHAL_ASSIGN_OR_RETURN(
          rt::InputShapes shapes,
          statedShapes(request.shapes, rt::interfaceOf(*loaded.source)));
      options.specializations.push_back(std::move(shapes));
    }
    return options;
  }

  rt::CompileObserver compileObserver(Progress &progress) const {
    rt::CompileObserver result = progress.observer();
    result.remark = observer.remark;
    return result;
  }

  /// Compiles without a device.
  rt::Result<rt::CompiledModel> compileAlone(const rt::Compiler &opened,
                                             const rt::CompileOptions &options,
                                             Progress &progress) const {
    rt::CompileTrace trace(tracer, compileObserver(progress));
    if (loaded.source)
      return opened.compileModel(*loaded.source, options, trace.observer());
    return opened.compileMlir(bytes, sourceName(), options, trace.observer());
  }

  /// Returns the name that the compiler's diagnostics give the model.
  std::string sourceName() const {
    return model.path == standardInput ? "<standard input>" : model.path;
  }

  Status compileWith(Progress &progress) {
    bool isOnlyEmitted = request.goal == LoadGoal::artifact;
    if (loaded.source && !isOnlyEmitted) {
      NNHAL_ASSIGN_OR_RETURN(rt::PrepareOptions options, prepareOptionsFor());
      rt::PrepareObserver told = prepareObserver(progress);
      if (!request.emit.empty())
        told.keepArtifact = [this](const rt::CompiledModel &compiled) {
          return emit(compiled);
        };
      NNHAL_ASSIGN_OR_RETURN(
          loaded.prepared, device.prepareModel(*loaded.source, options, told));
      return Status::ok();
    }
    rt::PrepareOptions loading = tools::prepareOptions(request.preparation);
    NNHAL_ASSIGN_OR_RETURN(std::shared_ptr<const rt::Compiler> opened,
                           compiler.get());
    NNHAL_ASSIGN_OR_RETURN(rt::CompileOptions options, compileOptions());
    NNHAL_ASSIGN_OR_RETURN(rt::CompiledModel compiled,
                           compileAlone(*opened, options, progress));
    NNHAL_RETURN_IF_ERROR(emit(compiled));
    // An artifact that is only written may be for another machine.
    if (isOnlyEmitted)
      return Status::ok();
    NNHAL_ASSIGN_OR_RETURN(
        loaded.prepared, device.prepareModelFromArtifact(
                             compiled.modelCache, compiled.dataCache, loading));
    return Status::ok();
  }

  const LoadRequest &request;
  const ModelFile &model;
  const rt::Device &device;
  rt::LazyCompiler &compiler;
  const LoadObserver &observer;
  const LoadServices &services;
  rt::Tracer *tracer;
  rt::Memory file;
  std::span<const std::byte> bytes;
  /// The key of the model that was read; a remembered key may be that of
  /// another one.
  std::optional<rt::ContentKey> sourceKey;
  LoadOutcome loaded;
};
} // namespace

rt::Result<LoadOutcome>
tools::loadModel(const LoadRequest &request, const ModelFile &model,
                 const rt::Device &device, rt::LazyCompiler &compiler,
                 const LoadObserver &observer, const LoadServices &services) {
  return Loader(request, model, device, compiler, observer, services).load();
}
