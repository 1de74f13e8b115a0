//===- CpuModel.cpp - A model compiled for this CPU -----------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CpuModel.h"

#include "HostCpu.h"

#include "Runtime/Artifact/FailureReasons.h"
#include "Runtime/Artifact/Targets.h"
#include "Runtime/Model/ExtensionCalls.h"
#include "Runtime/Routines/RoutineTable.h"
#include "Runtime/Support/Errors.h"

#include <algorithm>
#include <cstring>

using namespace nnhal::rt;

CpuModel::CpuModel(Artifact loaded) : artifact(std::move(loaded)) {
  face.inputs = std::move(artifact.inputs);
  face.outputs = std::move(artifact.outputs);
  face.statePairs = std::move(artifact.statePairs);
  artifact.constants = {}; // A list for tools, with a text for each constant.
  hasOpenOutputs =
      std::ranges::any_of(face.outputs, [](const InterfaceTensor &output) {
        return std::ranges::find(output.dimensions, 0u) !=
               output.dimensions.end();
      });
}

Result<std::unique_ptr<LoadedModel>> CpuModel::create(
    Artifact artifact, uint64_t modelCacheSize, const Memory &dataCache,
    std::shared_ptr<const std::vector<InstalledExtension>> extensions) {
  std::unique_ptr<CpuModel> model(new CpuModel(std::move(artifact)));
  model->modelCacheSize = modelCacheSize;
  model->extensions = std::move(extensions);
  NNHAL_RETURN_IF_ERROR(model->checkExtensions());
  NNHAL_RETURN_IF_ERROR(model->loadConstants(dataCache));
  NNHAL_RETURN_IF_ERROR(model->loadCode());
  return std::unique_ptr<LoadedModel>(std::move(model));
}

uint64_t CpuModel::arenaSize() const {
  uint64_t size = 0;
  for (const ArtifactEntry &entry : artifact.entries)
    size = std::max(size, entry.arenaSize);
  return size;
}

MemoryUse CpuModel::memoryUse() const {
  MemoryUse use = {arenaSize(), 0, modelCacheSize + artifact.dataCacheSize};
  // The arena is that of the entry that needs most, because there is one for
  // all.
  for (const ArtifactEntry &entry : artifact.entries)
    if (entry.arenaSize == use.arena)
      use.arenaLowerBound =
          std::max(use.arenaLowerBound, entry.arenaLowerBound);
  return use;
}

Status CpuModel::loadConstants(const Memory &dataCache) {
  NNHAL_ASSIGN_OR_RETURN(
      DataRange range,
      selectTarget(artifact, dataCache.size(), [](const CodeSection &section) {
        return isHostTarget(section.target);
      }));
  NNHAL_ASSIGN_OR_RETURN(Memory memory, dataCache.snapshot());
  NNHAL_ASSIGN_OR_RETURN(constants, memory.bytes());
  constants = constants.subspan(range.offset, range.size);
  if (reinterpret_cast<uintptr_t>(constants.data()) % constantAlignment == 0) {
    sharedConstants = std::move(memory);
    return Status::ok();
  }
  // Every execution walks through all of them: in large pages.
  NNHAL_ASSIGN_OR_RETURN(ownConstants,
                         AlignedBuffer::allocateResident(constants.size()));
  std::memcpy(ownConstants.data(), constants.data(), constants.size());
  constants = ownConstants.bytes();
  return Status::ok();
}

Status CpuModel::checkExtensions() const {
  for (const ArtifactExtension &needed : artifact.extensions) {
    const InstalledExtension *found = findInstalled(*extensions, needed.name);
    if (!found)
      return badData("code needs the extension '{}', which no plug-in brings",
                     needed.name);
    if (found->buildIdentity != needed.buildIdentity)
      return badData("code needs the extension '{}' of '{}', found '{}'",
                     needed.name, needed.buildIdentity, found->buildIdentity);
  }
  return Status::ok();
}

Status CpuModel::loadCode() {
  for (uint32_t slot : artifact.routineSlots)
    if (slot >= routineTable().count)
      return badData(
          "code needs routine {} of the runtime, this version has {}", slot,
          routineTable().count);
  for (const CodeSection &section : artifact.code) {
    NNHAL_ASSIGN_OR_RETURN(CodeImage image, CodeImage::load(section));
    images.push_back(std::move(image));
  }
  for (const ArtifactEntry &entry : artifact.entries) {
    NNHAL_ASSIGN_OR_RETURN(NNHalEntry function,
                           images[entry.codeIndex].find(entry.symbol));
    functions.push_back(function);
  }
  // Views of a model cache that need not live any longer.
  artifact.code.clear();
  return Status::ok();
}

using Inputs = std::span<const NNHalTensorArgument>;

static bool fitsPresence(const ArtifactEntry &entry, Inputs inputs) {
  for (size_t i = 0; i < inputs.size(); ++i)
    if (entry.requiresInput(i) && !inputs[i].isPresent)
      return false;
  return true;
}

static bool fitsShapes(const ArtifactEntry &entry, Inputs inputs) {
  for (size_t i = 0; i < entry.inputShapes.size(); ++i) {
    const NNHalTensorArgument &input = inputs[i];
    if (input.isPresent &&
        !std::equal(entry.inputShapes[i].begin(), entry.inputShapes[i].end(),
                    input.shape, input.shape + input.rank))
      return false;
  }
  return true;
}

Result<NNHalEntry>
CpuModel::selectEntry(const NNHalExecutionContext &context) const {
  Inputs inputs(context.inputs, context.inputCount);
  for (size_t i = 0; i < artifact.entries.size(); ++i)
    if (fitsPresence(artifact.entries[i], inputs) &&
        fitsShapes(artifact.entries[i], inputs))
      return functions[i];
  for (size_t i = 0; i < inputs.size(); ++i)
    if (!inputs[i].isPresent)
      return badData("input {} is omitted and no entry of the model allows "
                     "that",
                     i);
  return badData("no entry of the model is for inputs of these shapes");
}

/// Names the operation that failed, as the model numbers it.
static Status withOperation(Status status,
                            const NNHalExecutionContext &context) {
  if (context.failedOperation == UINT32_MAX)
    return status;
  return std::move(status).withContext(
      fmt::format("operation {}", context.failedOperation));
}

static Status statusOf(int32_t code, const NNHalExecutionContext &context,
                       std::string message) {
  if (code == 0)
    return Status::ok();
  if (code < 0 || code > int32_t(StatusCode::resourceExhaustedPersistent))
    return failure("code returned {}, which is not a status code", code);
  if (context.failureReason != 0)
    return withOperation(toStatus(FailureReason(context.failureReason),
                                  context.failureFound, context.failureBound),
                         context);
  if (message.empty())
    message =
        fmt::format("the execution reported {}", toString(StatusCode(code)));
  return withOperation(Status(StatusCode(code), std::move(message)), context);
}

/// The extents that the request states of outputs; the code overwrites them.
static std::vector<int64_t>
statedExtents(std::span<const NNHalTensorArgument> outputs) {
  std::vector<int64_t> extents;
  for (const NNHalTensorArgument &output : outputs)
    extents.insert(extents.end(), output.shape, output.shape + output.rank);
  return extents;
}

static Status checkExtents(std::span<const NNHalTensorArgument> outputs,
                           std::span<const int64_t> stated) {
  for (size_t i = 0; i < outputs.size(); ++i) {
    for (size_t d = 0; d < outputs[i].rank; ++d)
      if (stated[d] != 0 && stated[d] != outputs[i].shape[d])
        return failure("output {} has extent {} in dimension {}, the request "
                       "states {}",
                       i, outputs[i].shape[d], d, stated[d]);
    stated = stated.subspan(outputs[i].rank);
  }
  return Status::ok();
}

Status CpuModel::call(NNHalExecutionContext &context) const {
  std::string message;
  NNHAL_ASSIGN_OR_RETURN(NNHalEntry entry, selectEntry(context));
  context.constants = constants.data();
  context.constantsSize = constants.size();
  context.routines = &routineTable();
  context.extensions = extensions.get();
  context.report = [](void *self, const char *text) {
    *static_cast<std::string *>(self) = text;
  };
  context.reportContext = &message;
  context.failureReason = 0;
  context.failedOperation = UINT32_MAX;
  std::span outputs(context.outputs, context.outputCount);
  std::vector<int64_t> stated;
  if (hasOpenOutputs)
    stated = statedExtents(outputs);
  int32_t code = entry(&context); // Before the message that it leaves is read.
  NNHAL_RETURN_IF_ERROR(statusOf(code, context, std::move(message)));
  return hasOpenOutputs ? checkExtents(outputs, stated) : Status::ok();
}
