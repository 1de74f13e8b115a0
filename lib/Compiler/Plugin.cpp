//===- Plugin.cpp - The exported C table ----------------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ExtensionHalves.h"
#include "ModelCompiler.h"
#include "ModelFromView.h"
#include "Runtime/Artifact/ModelCache.h"
#include "Runtime/CompilerClient/CompilerApi.h"
#include "Runtime/Support/Errors.h"
#include "nnhal/Runtime/Validate.h"

#include <cstddef>
#include <new>

using namespace nnhal;

static std::string toString(NNHalString text) {
  return text.size ? std::string(text.data, text.size) : std::string();
}

static NNHalString toView(std::string_view text) {
  return {text.data(), text.size()};
}

static NNHalBytes toView(const std::vector<std::byte> &bytes) {
  return {bytes.data(), bytes.size()};
}

/// What callers of the minor versions before have.
static constexpr size_t sizeOfOptionsMinor1 =
    offsetof(NNHalCompileOptions, threads);
static constexpr size_t sizeOfOptionsMinor2 =
    offsetof(NNHalCompileOptions, crashReproducer);
static constexpr size_t sizeOfOptionsMinor3 =
    offsetof(NNHalCompileOptions, extensions);
static constexpr size_t sizeOfOptionsMinor4 =
    offsetof(NNHalCompileOptions, target);
static constexpr size_t sizeOfOptionsMinor6 =
    offsetof(NNHalCompileOptions, halfFolders);
static constexpr size_t sizeOfSinksMinor0 =
    offsetof(NNHalCompileSinks, isCancelled);
static constexpr size_t sizeOfSinksMinor1 =
    offsetof(NNHalCompileSinks, findKernel);
static constexpr size_t sizeOfSinksMinor6 = offsetof(NNHalCompileSinks, part);

/// More than any model has use for.
static constexpr uint32_t maxCompileThreads = 1024;

static rt::CompiledExtension
toExtension(const NNHalCompiledExtension &extension) {
  rt::CompiledExtension result;
  result.description.name = toString(extension.name);
  result.buildIdentity = toString(extension.buildIdentity);
  for (size_t i = 0; i < extension.typeCount; ++i) {
    const NNHalExtensionTypeView &type = extension.types[i];
    result.description.operandTypes.push_back(
        {type.type, type.isTensor != 0, type.byteSize,
         rt::elementKindOf(type.kind, type.byteSize)});
  }
  return result;
}

/// Lets a compilation ask \p sinks for kernels, and keep them there.
static void connectKernels(const NNHalCompileSinks &sinks,
                           CompilerOptions &options) {
  if (sinks.structSize < sizeOfSinksMinor6)
    return;
  if (sinks.findKernel)
    options.findKernel = [&sinks](llvm::StringRef key, Object &object) {
      sinks.findKernel(
          sinks.context, toView(key), &object,
          [](void *receiver, NNHalBytes found) {
            const auto *bytes = static_cast<const char *>(found.data);
            static_cast<Object *>(receiver)->assign(bytes, bytes + found.size);
          });
      return !object.empty();
    };
  if (sinks.keepKernel)
    options.keepKernel = [&sinks](llvm::StringRef key,
                                  llvm::ArrayRef<char> object) {
      sinks.keepKernel(sinks.context, toView(key),
                       {object.data(), object.size()});
    };
}

static rt::Result<CompilerOptions> toOptions(const NNHalCompileOptions &options,
                                             const NNHalCompileSinks &sinks) {
  if (options.structSize < sizeOfOptionsMinor1 ||
      sinks.structSize < sizeOfSinksMinor0)
    return rt::badData("options of {} and sinks of {} bytes are older than the "
                       "{} and {} bytes that this compiler reads",
                       options.structSize, sinks.structSize,
                       sizeOfOptionsMinor1, sizeOfSinksMinor0);
  if (options.rounding > uint32_t(Rounding::floatRounding))
    return rt::badData("rounding {} exceeds {}", options.rounding,
                       uint32_t(Rounding::floatRounding));
  if (options.constantsOffset % rt::constantAlignment != 0 ||
      options.constantsOffset > rt::maxDataCacheSize)
    return rt::badData("constants offset {} is no multiple of {} up to {}",
                       options.constantsOffset, rt::constantAlignment,
                       rt::maxDataCacheSize);
  CompilerOptions result;
  result.target.triple = toString(options.targetTriple);
  result.target.cpu = toString(options.targetCpu);
  result.target.features = toString(options.targetFeatures);
  result.rounding = Rounding(options.rounding);
  result.constantsOffset = options.constantsOffset;
  if (options.structSize >= sizeOfOptionsMinor2) {
    if (options.threads > maxCompileThreads)
      return rt::badData("{} compile threads exceed {}", options.threads,
                         maxCompileThreads);
    result.threads = options.threads;
  }
  if (options.structSize >= sizeOfOptionsMinor3)
    result.crashReproducer = toString(options.crashReproducer);
  if (options.structSize >= sizeOfOptionsMinor4)
    for (size_t i = 0; i < options.extensionCount; ++i)
      result.extensions.push_back(toExtension(options.extensions[i]));
  if (options.structSize >= sizeOfOptionsMinor6 && options.target.size)
    result.targetName = toString(options.target);
  if (options.structSize >= sizeof(NNHalCompileOptions))
    for (size_t i = 0; i < options.halfFolderCount; ++i)
      result.halfFolders.push_back(toString(options.halfFolders[i]));
  result.progress = [&sinks](std::string_view phase, uint32_t done,
                             uint32_t total) {
    sinks.progress(sinks.context, toView(phase), done, total);
  };
  result.warning = [&sinks](std::string_view text) {
    sinks.diagnostic(sinks.context, /*isError=*/0, toView(text));
  };
  if (sinks.structSize >= sizeOfSinksMinor1 && sinks.isCancelled)
    result.isCancelled = [&sinks] {
      return sinks.isCancelled(sinks.context) != 0;
    };
  if (sinks.structSize >= sizeOfSinksMinor1 && sinks.remark)
    result.remark = [&sinks](uint32_t operation, std::string_view text) {
      sinks.remark(sinks.context, operation, toView(text));
    };
  if (sinks.structSize >= sizeof(NNHalCompileSinks) && sinks.part)
    result.part = [&sinks](llvm::StringRef name,
                           std::chrono::nanoseconds time) {
      sinks.part(sinks.context, toView(name), uint64_t(time.count()));
    };
  connectKernels(sinks, result);
  return result;
}

/// Runs \p compile with converted options and delivers what it returns. Nothing
/// leaves through an exception: the caller may not even be C++.
template <typename Compile>
static int32_t runCompilation(const NNHalCompileOptions &options,
                              const NNHalCompileSinks &sinks, Compile compile) {
  auto fail = [&](const rt::Status &status) {
    sinks.diagnostic(sinks.context, /*isError=*/1, toView(status.message()));
    return int32_t(status.code());
  };
  try {
    rt::Result<CompilerOptions> converted = toOptions(options, sinks);
    if (!converted.isOk())
      return fail(converted.status());
    rt::Result<CompiledArtifact> artifact = compile(*converted);
    if (!artifact.isOk())
      return fail(artifact.status());
    sinks.artifact(sinks.context, toView(artifact->modelCache),
                   toView(artifact->dataCache));
    return 0;
  } catch (const std::bad_alloc &) {
    return fail(rt::outOfResources("out of memory while compiling"));
  } catch (const std::exception &error) {
    return fail(rt::failure("{}", error.what()));
  }
}

static int32_t compileModelView(const NNHalModelView *model,
                                const NNHalCompileOptions *options,
                                const NNHalCompileSinks *sinks) {
  return runCompilation(
      *options, *sinks,
      [&](const CompilerOptions &converted) -> rt::Result<CompiledArtifact> {
        NNHAL_ASSIGN_OR_RETURN(rt::AnnotatedModel annotated,
                               modelFromView(*model));
        NNHAL_RETURN_IF_ERROR(
            rt::validateModel(annotated.model, annotated.model.halVersion));
        return compileModel(annotated, converted);
      });
}

static int32_t compileMlirText(NNHalBytes text, NNHalString name,
                               const NNHalCompileOptions *options,
                               const NNHalCompileSinks *sinks) {
  return runCompilation(
      *options, *sinks, [&](const CompilerOptions &converted) {
        return compileMlir({static_cast<const char *>(text.data), text.size},
                           {name.data, name.size}, converted);
      });
}

// Without memory now, the first compilation that needs a half tries again.

static void openHalves(NNHalString folder) try {
  (void)openExtensionHalves(toString(folder));
} catch (const std::bad_alloc &) {
  return;
}

static void openOwnHalves() try {
  (void)openExtensionHalves(folderOfHalves());
} catch (const std::bad_alloc &) {
  return;
}

extern "C" __attribute__((visibility("default"))) const NNHalCompilerApi *
nnhalGetCompilerApi(uint32_t major) {
  // A service takes the process that compiles the right to open files next.
  openOwnHalves();
  static const NNHalCompilerApi api = {sizeof(NNHalCompilerApi),
                                       NNHAL_COMPILER_API_MAJOR,
                                       NNHAL_COMPILER_API_MINOR,
                                       toView(buildIdentity()),
                                       compileModelView,
                                       compileMlirText,
                                       openHalves};
  return major == NNHAL_COMPILER_API_MAJOR ? &api : nullptr;
}
