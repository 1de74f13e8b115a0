//===- CpuPreparedModel.cpp - A model compiled for this CPU ---------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CpuPreparedModel.h"

#include "../Core/Arguments.h"

#include <algorithm>
#include <cstring>

using namespace nnhal::rt;

static uint64_t largestArena(const Artifact &artifact) {
  uint64_t size = 0;
  for (const ArtifactEntry &entry : artifact.entries)
    size = std::max(size, entry.arenaSize);
  return size;
}

CpuPreparedModel::CpuPreparedModel(Artifact loaded, Clock clock)
    : artifact(std::move(loaded)), clock(std::move(clock)),
      frames(face, largestArena(artifact)) {
  face.inputs = std::move(artifact.inputs);
  face.outputs = std::move(artifact.outputs);
  face.statePairs = std::move(artifact.statePairs);
}

Result<std::shared_ptr<PreparedModel>>
CpuPreparedModel::create(Artifact artifact, const Memory &dataCache,
                         Clock clock) {
  std::shared_ptr<CpuPreparedModel> model(
      new CpuPreparedModel(std::move(artifact), std::move(clock)));
  NNHAL_RETURN_IF_ERROR(model->loadConstants(dataCache));
  NNHAL_RETURN_IF_ERROR(model->loadCode());
  return std::shared_ptr<PreparedModel>(std::move(model));
}

Status CpuPreparedModel::loadConstants(const Memory &dataCache) {
  if (dataCache.size() != artifact.dataCacheSize)
    return badData("data cache has {} bytes, the model cache needs {}",
                   dataCache.size(), artifact.dataCacheSize);
  NNHAL_ASSIGN_OR_RETURN(Memory memory, dataCache.snapshot());
  NNHAL_ASSIGN_OR_RETURN(constants, memory.bytes());
  if (reinterpret_cast<uintptr_t>(constants.data()) % constantAlignment == 0) {
    sharedConstants = std::move(memory);
    return Status::ok();
  }
  NNHAL_ASSIGN_OR_RETURN(ownConstants,
                         AlignedBuffer::allocate(constants.size()));
  std::memcpy(ownConstants.data(), constants.data(), constants.size());
  constants = ownConstants.bytes();
  return Status::ok();
}

Status CpuPreparedModel::loadCode() {
  // The table of runtime kernels is empty in this version.
  if (!artifact.kernelSlots.empty())
    return badData("code needs the runtime kernel {}, this version has none",
                   artifact.kernelSlots.front());
  for (const CodeSection &section : artifact.code) {
    NNHAL_ASSIGN_OR_RETURN(CodeImage image, CodeImage::load(section));
    images.push_back(std::move(image));
  }
  for (const ArtifactEntry &entry : artifact.entries) {
    NNHAL_ASSIGN_OR_RETURN(NNHalEntry function,
                           images[entry.codeIndex].find(entry.symbol));
    functions.push_back(function);
  }
  // The image has the only copy that is needed from here on.
  artifact.code.clear();
  return Status::ok();
}

static bool fitsPresence(const ArtifactEntry &entry, const Frame &frame) {
  for (size_t i = 0; i < frame.inputs.size(); ++i) {
    bool isRequired = entry.presentInputs.empty() ||
                      (entry.presentInputs[i / 64] >> (i % 64) & 1);
    if (isRequired && !frame.inputs[i].isPresent)
      return false;
  }
  return true;
}

static bool fitsShapes(const ArtifactEntry &entry, const Frame &frame) {
  for (size_t i = 0; i < entry.inputShapes.size(); ++i) {
    const NNHalTensorArgument &input = frame.inputs[i];
    if (input.isPresent &&
        !std::equal(entry.inputShapes[i].begin(), entry.inputShapes[i].end(),
                    input.shape, input.shape + input.rank))
      return false;
  }
  return true;
}

Result<const NNHalEntry *>
CpuPreparedModel::selectEntry(const Frame &frame) const {
  for (size_t i = 0; i < artifact.entries.size(); ++i)
    if (fitsPresence(artifact.entries[i], frame) &&
        fitsShapes(artifact.entries[i], frame))
      return &functions[i];
  for (size_t i = 0; i < frame.inputs.size(); ++i)
    if (!frame.inputs[i].isPresent)
      return badData("input {} is omitted and no entry of the model allows "
                     "that",
                     i);
  return badData("no entry of the model is for inputs of these shapes");
}

/// An execution on the caller's thread alone.
static void serialFor(void *, NNHalParallelBody body, void *bodyContext,
                      int64_t count, int64_t) {
  if (count > 0)
    body(bodyContext, 0, count);
}

NNHalExecutionContext CpuPreparedModel::contextFor(const Request &request,
                                                   Frame &frame) const {
  static const volatile uint32_t neverCancelled = 0;
  static const NNHalKernelTable noKernels = {sizeof(NNHalKernelTable), 0,
                                             nullptr};
  NNHalExecutionContext context = {};
  context.structSize = sizeof(context);
  context.version = NNHAL_ENTRY_ABI_VERSION;
  context.inputs = frame.inputs.data();
  context.outputs = frame.outputs.data();
  context.inputCount = uint32_t(frame.inputs.size());
  context.outputCount = uint32_t(frame.outputs.size());
  context.arena = frame.arena.data();
  context.arenaSize = frame.arena.size();
  context.constants = constants.data();
  context.constantsSize = constants.size();
  context.parallelFor = serialFor;
  context.cancelFlag = &neverCancelled;
  context.deadline = request.deadline;
  context.loopTimeout = request.loopTimeout;
  context.kernels = &noKernels;
  return context;
}

static Status toStatus(int32_t code) {
  if (code == 0)
    return Status::ok();
  if (code < 0 || code > int32_t(StatusCode::resourceExhaustedPersistent))
    return failure("code returned {}, which is no status code", code);
  return Status(StatusCode(code), fmt::format("the execution reported {}",
                                              toString(StatusCode(code))));
}

Status CpuPreparedModel::execute(const Request &request,
                                 ExecutionResult &result) const {
  result.timing = {};
  int64_t arrival = clock();
  auto fail = [&](Status status) {
    result.outputShapes.clear();
    return status;
  };
  if (arrival >= request.deadline)
    return fail(Status(StatusCode::missedDeadlinePersistent, // D-016
                       "the deadline had passed before the execution began"));
  auto lease = frames.take();
  if (!lease.isOk())
    return fail(std::move(lease).takeStatus());
  Frame &frame = **lease;
  Status bound = bindArguments(face, request, frame);
  if (bound.code() == StatusCode::outputInsufficientSize)
    return collectOutputs(face, frame, result.outputShapes);
  if (!bound.isOk())
    return fail(std::move(bound));
  auto entry = selectEntry(frame);
  if (!entry.isOk())
    return fail(std::move(entry).takeStatus());

  NNHalExecutionContext context = contextFor(request, frame);
  int64_t begin = clock();
  Status status = toStatus((**entry)(&context));
  int64_t end = clock();
  if (!status.isOk() && status.code() != StatusCode::outputInsufficientSize)
    return fail(std::move(status));
  Status collected = collectOutputs(face, frame, result.outputShapes);
  if (collected.code() == StatusCode::generalFailure)
    return fail(std::move(collected));
  if (!collected.isOk())
    return collected;
  if (status.isOk() && request.measureTiming) {
    result.timing.timeOnDevice = uint64_t(end - begin) / 1000;
    result.timing.timeInDriver = uint64_t(clock() - arrival) / 1000;
  }
  return status;
}
