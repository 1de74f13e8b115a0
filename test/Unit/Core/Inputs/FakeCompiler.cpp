//===- FakeCompiler.cpp - A compiler for tests of its table ---------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Built several times: NNHAL_FAKE_MAJOR, NNHAL_FAKE_SIZE and
// NNHAL_FAKE_NO_FUNCTION make tables that a runtime must reject. What
// compileMlir does, its text says.
//
//===----------------------------------------------------------------------===//

#include "Runtime/CompilerClient/CompilerApi.h"

#include <cstring>
#include <string>
#include <string_view>

static NNHalString toText(const char *text) {
  return {text, std::strlen(text)};
}

/// The folders that openHalves() was called with.
static std::string openedFolders;

static std::string describe(const NNHalSubgraphView &subgraph) {
  std::string text = std::to_string(subgraph.operandCount) + " operands";
  for (size_t i = 0; i < subgraph.operandCount; ++i) {
    const NNHalOperandView &operand = subgraph.operands[i];
    text += ", type " + std::to_string(operand.type) + " rank " +
            std::to_string(operand.dimensions.size) + " lifetime " +
            std::to_string(operand.lifetime) + " extra " +
            std::to_string(operand.extraKind) + "/" +
            std::to_string(operand.channelScaleCount) + "/" +
            std::to_string(operand.extension.size);
  }
  for (size_t i = 0; i < subgraph.operationCount; ++i)
    text += ", operation " + std::to_string(subgraph.operations[i].type) +
            " of " + std::to_string(subgraph.operations[i].inputs.size);
  return text + ", inputs " + std::to_string(subgraph.inputIndexes.size) +
         ", outputs " + std::to_string(subgraph.outputIndexes.size);
}

/// Delivers a description of the model as model cache and the first pool as
/// data cache.
[[maybe_unused]] static int32_t compileModel(const NNHalModelView *model,
                                             const NNHalCompileOptions *options,
                                             const NNHalCompileSinks *sinks) {
  std::string text = describe(model->main);
  text += "; version " + std::to_string(model->halVersion) + ", referenced " +
          std::to_string(model->referencedCount) + ", values " +
          std::to_string(model->operandValues.size) + ", relaxed " +
          std::to_string(model->relaxComputationFloat32toFloat16) +
          ", extensions " + std::to_string(model->extensionCount);
  for (size_t i = 0; i < model->inputNameCount; ++i)
    text += ", in " +
            std::string(model->inputNames[i].data, model->inputNames[i].size);
  for (size_t i = 0; i < model->outputNameCount; ++i)
    text += ", out " +
            std::string(model->outputNames[i].data, model->outputNames[i].size);
  for (size_t i = 0; i < model->statePairCount; ++i)
    text += ", state " + std::to_string(model->statePairs[i].outputIndex) +
            "->" + std::to_string(model->statePairs[i].inputIndex);
  text += "; cpu " +
          std::string(options->targetCpu.data, options->targetCpu.size) +
          ", rounding " + std::to_string(options->rounding) + ", threads " +
          std::to_string(options->threads) + ", target " +
          std::string(options->target.data, options->target.size);
  for (size_t i = 0; i < options->extensionCount; ++i) {
    const NNHalCompiledExtension &extension = options->extensions[i];
    text += ", extension " +
            std::string(extension.name.data, extension.name.size) + " of " +
            std::string(extension.buildIdentity.data,
                        extension.buildIdentity.size) +
            " with " + std::to_string(extension.typeCount) + " types";
  }
  for (size_t i = 0; i < options->halfFolderCount; ++i)
    text += ", halves in " + std::string(options->halfFolders[i].data,
                                         options->halfFolders[i].size);
  if (!openedFolders.empty())
    text += ", opened" + openedFolders;
  // For tests of lists of targets, whose artifacts are joined and so cannot be
  // texts.
  if (options->target.size && model->main.operandCount == 0)
    sinks->diagnostic(sinks->context, 0, {text.data(), text.size()});
  sinks->progress(sinks->context, toText("lowering"), 0, 2);
  sinks->progress(sinks->context, toText("linking"), 1, 2);
  sinks->diagnostic(sinks->context, 0, toText("operation 0 is slow"));
  if (sinks->remark)
    sinks->remark(sinks->context, 0, toText("one loop"));
  NNHalBytes pool = {};
  if (model->poolCount)
    pool = model->pools[0].bytes;
  sinks->artifact(sinks->context, {text.data(), text.size()}, pool);
  return 0;
}

[[maybe_unused]] static int32_t compileMlir(NNHalBytes bytes, NNHalString name,
                                            const NNHalCompileOptions *,
                                            const NNHalCompileSinks *sinks) {
  std::string_view text(static_cast<const char *>(bytes.data), bytes.size);
  if (text == "fail") {
    std::string first = std::string(name.data, name.size) + ":1:1: no model";
    sinks->diagnostic(sinks->context, 1, {first.data(), first.size()});
    sinks->diagnostic(sinks->context, 1, toText("nothing was compiled"));
    return 4;
  }
  if (text == "fail silently")
    return 2;
  if (text == "no status")
    return 77;
  if (text == "nothing")
    return 0;
  if (text == "cancel" && sinks->isCancelled &&
      sinks->isCancelled(sinks->context)) {
    sinks->diagnostic(sinks->context, 1, toText("cancelled"));
    return 2;
  }
  if (text == "kernel" && sinks->findKernel && sinks->keepKernel) {
    // Delivers the kernel that is found; one that is not is made and kept.
    std::string object;
    sinks->findKernel(sinks->context, toText("key"), &object,
                      [](void *receiver, NNHalBytes found) {
                        static_cast<std::string *>(receiver)->assign(
                            static_cast<const char *>(found.data), found.size);
                      });
    if (object.empty()) {
      object = "made";
      if (sinks->part)
        sinks->part(sinks->context, toText("kernel_1"), 1500);
      sinks->keepKernel(sinks->context, toText("key"), {"kept", 4});
    }
    sinks->artifact(sinks->context, {object.data(), object.size()}, {});
    return 0;
  }
  sinks->artifact(sinks->context, {"code", 4}, {"data", 4});
  if (text == "twice")
    sinks->artifact(sinks->context, {"code", 4}, {"data", 4});
  return 0;
}

[[maybe_unused]] static void openHalves(NNHalString folder) {
  openedFolders.append(" [").append(folder.data, folder.size).append("]");
}

#ifndef NNHAL_FAKE_MAJOR
#define NNHAL_FAKE_MAJOR NNHAL_COMPILER_API_MAJOR
#endif
#ifndef NNHAL_FAKE_MINOR
#define NNHAL_FAKE_MINOR 5
#endif
#ifndef NNHAL_FAKE_SIZE
#define NNHAL_FAKE_SIZE sizeof(NNHalCompilerApi)
#endif

extern "C" __attribute__((visibility("default")))
const NNHalCompilerApi *nnhalGetCompilerApi(uint32_t major) {
#ifdef NNHAL_FAKE_NO_TABLE
  return nullptr;
#else
  static const NNHalCompilerApi api = {NNHAL_FAKE_SIZE,  NNHAL_FAKE_MAJOR,
                                       NNHAL_FAKE_MINOR, {"fake 1", 6},
#ifdef NNHAL_FAKE_NO_FUNCTION
                                       nullptr,
#else
                                       compileModel,
#endif
                                       compileMlir,      openHalves};
  return &api;
#endif
}
