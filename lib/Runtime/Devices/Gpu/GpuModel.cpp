//===- GpuModel.cpp - A model compiled for a GPU --------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GpuModel.h"

#include "GpuExecution.h"

#include "Runtime/Artifact/FailureReasons.h"
#include "Runtime/Support/Errors.h"
#include "nnhal/Backend/DeviceMemory.h"
#include "nnhal/Runtime/SharedMemory.h"

#include <algorithm>
#include <array>
#include <cstring>

using namespace nnhal::rt;

//===----------------------------------------------------------------------===//
// Models
//===----------------------------------------------------------------------===//

GpuModel::GpuModel(GpuArtifact &code)
    : inputSizes(std::move(code.inputSizes)),
      outputSizes(std::move(code.outputSizes)) {
  Artifact &artifact = code.artifact;
  const ArtifactEntry &entry = artifact.entries.front();
  for (size_t i = 0; i < artifact.inputs.size(); ++i)
    isRequired.push_back(entry.requiresInput(i));
  use = {entry.arenaSize, entry.arenaLowerBound,
         code.modelCacheSize + artifact.dataCacheSize};
  face = {std::move(artifact.inputs), std::move(artifact.outputs),
          std::move(artifact.statePairs)};
}

Status GpuModel::checkPresence(const Invocation &invocation) const {
  for (size_t i = 0; i < isRequired.size(); ++i) {
    bool isPresent = invocation.inputs[i].isPresent;
    if (isRequired[i] && !isPresent)
      return badData("input {} is omitted and the kernels read it", i);
    if (isPresent && inputSizes[i] == 0)
      return badData("input {} is given, but the model states no extents for "
                     "it: the kernels are those of requests that omit it",
                     i);
  }
  return Status::ok();
}

bool GpuModel::describeOutputs(Invocation &invocation) const {
  bool suffice = true;
  for (size_t i = 0; i < invocation.outputs.size(); ++i) {
    InvocationArgument &output = invocation.outputs[i];
    std::ranges::copy(face.outputs[i].dimensions, output.extents);
    output.isSufficient = output.size >= outputSizes[i];
    suffice &= output.isSufficient;
  }
  return suffice;
}

static GpuExecution &executionOf(const Invocation &invocation) {
  return static_cast<GpuExecution &>(*invocation.workspace);
}

Status GpuModel::run(Invocation &invocation) const {
  NNHAL_RETURN_IF_ERROR(checkPresence(invocation));
  if (!describeOutputs(invocation))
    return Status::ok();
  return executionOf(invocation).run(invocation);
}

Result<GpuLaunch> GpuModel::launch(Invocation &invocation) const {
  NNHAL_RETURN_IF_ERROR(checkPresence(invocation));
  if (!describeOutputs(invocation))
    return GpuLaunch();
  return executionOf(invocation).launch(invocation);
}

Status GpuModel::conclude(Invocation &invocation) const {
  return executionOf(invocation).conclude(invocation);
}

//===----------------------------------------------------------------------===//
// Executions
//===----------------------------------------------------------------------===//

bool nnhal::rt::endsByItself(const GpuProgram &program) {
  auto isWritten = [&](const GpuCommand &command, size_t index) {
    return command.kind != GpuCommandKind::dispatch ||
           program.kernels[command.kernel].isWritten[index];
  };
  for (const GpuCommand &command : program.commands) {
    if (isControl(command.kind))
      return false;
    for (size_t i = 0; i < command.bindings.size(); ++i)
      if (command.bindings[i].space == GpuSpace::status &&
          isWritten(command, i))
        return false;
  }
  return true;
}

uint64_t nnhal::rt::omittedSizeOf(const GpuArtifact &code) {
  const ArtifactEntry &entry = code.artifact.entries.front();
  uint64_t size = 0;
  for (const GpuCommand &command : code.program.commands)
    for (const GpuBinding &binding : command.bindings)
      if (binding.space == GpuSpace::input &&
          !entry.requiresInput(binding.argument))
        size = std::max(size, binding.offset + binding.size);
  return size;
}
