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
// Artifacts
//===----------------------------------------------------------------------===//

static Status checkSection(TargetKind kind, std::string_view target,
                           const Artifact &artifact) {
  const CodeSection &section =
      artifact.code[artifact.entries.front().codeIndex];
  if (section.target != kind || section.cpu != target)
    return badData("code is for {} '{}', the device executes {} '{}'",
                   toString(section.target), section.cpu, toString(kind),
                   target);
  if (artifact.entries.size() != 1)
    return badData("code for GPUs has {} entries instead of 1",
                   artifact.entries.size());
  if (!artifact.routineSlots.empty() || !artifact.extensions.empty())
    return badData("code for GPUs calls {} routines and {} extensions of the "
                   "host",
                   artifact.routineSlots.size(), artifact.extensions.size());
  return Status::ok();
}

Result<GpuProgram> nnhal::rt::readProgramFor(TargetKind kind,
                                             std::string_view target,
                                             const Artifact &artifact) {
  NNHAL_RETURN_IF_ERROR(checkSection(kind, target, artifact));
  const ArtifactEntry &entry = artifact.entries.front();
  return readGpuProgram(artifact.code[entry.codeIndex].bytes, artifact);
}

//===----------------------------------------------------------------------===//
// Models
//===----------------------------------------------------------------------===//

GpuModel::GpuModel(Artifact &artifact, uint64_t modelCacheSize) {
  for (const InterfaceTensor &output : artifact.outputs)
    outputSizes.push_back(byteSizeOf(output).value_or(0));
  const ArtifactEntry &entry = artifact.entries.front();
  for (size_t i = 0; i < artifact.inputs.size(); ++i)
    isRequired.push_back(entry.requiresInput(i));
  use = {entry.arenaSize, entry.arenaLowerBound,
         modelCacheSize + artifact.dataCacheSize};
  face = {std::move(artifact.inputs), std::move(artifact.outputs),
          std::move(artifact.statePairs)};
}

Status GpuModel::checkPresence(const Invocation &invocation) const {
  for (size_t i = 0; i < isRequired.size(); ++i) {
    bool isPresent = invocation.inputs[i].isPresent;
    if (isRequired[i] && !isPresent)
      return badData("input {} is omitted and the kernels read it", i);
    if (isPresent && !byteSizeOf(face.inputs[i]))
      return badData("input {} is given, but the model states no extents for "
                     "it: the kernels are those of requests that omit it",
                     i);
  }
  return Status::ok();
}

Status GpuModel::run(Invocation &invocation) const {
  NNHAL_RETURN_IF_ERROR(checkPresence(invocation));
  bool suffice = true;
  for (size_t i = 0; i < invocation.outputs.size(); ++i) {
    InvocationArgument &output = invocation.outputs[i];
    std::ranges::copy(face.outputs[i].dimensions, output.extents);
    output.isSufficient = output.size >= outputSizes[i];
    suffice &= output.isSufficient;
  }
  if (!suffice)
    return Status::ok();
  return static_cast<GpuExecution &>(*invocation.workspace).run(invocation);
}

//===----------------------------------------------------------------------===//
// Executions
//===----------------------------------------------------------------------===//

uint64_t nnhal::rt::omittedSizeOf(const GpuProgram &program,
                                  const Artifact &artifact) {
  const ArtifactEntry &entry = artifact.entries.front();
  uint64_t size = 0;
  for (const GpuCommand &command : program.commands)
    for (const GpuBinding &binding : command.bindings)
      if (binding.space == GpuSpace::input &&
          !entry.requiresInput(binding.argument))
        size = std::max(size, binding.offset + binding.size);
  return size;
}
