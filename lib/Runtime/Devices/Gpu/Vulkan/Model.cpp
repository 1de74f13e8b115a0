//===- Model.cpp - A model compiled for Vulkan ----------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Model.h"

#include "Execution.h"
#include "Upload.h"

#include "Runtime/Support/Errors.h"

#include <algorithm>

using namespace nnhal::rt;
using namespace nnhal::rt::vulkan;

static Status checkSection(const Artifact &artifact) {
  if (artifact.entries.size() != 1)
    return badData("code for GPUs has {} entries instead of 1",
                   artifact.entries.size());
  const CodeSection &section =
      artifact.code[artifact.entries.front().codeIndex];
  if (section.target != TargetKind::spirv || section.cpu != vulkanTargetName)
    return badData("code is for {} '{}', the device executes {} '{}'",
                   toString(section.target), section.cpu,
                   toString(TargetKind::spirv), vulkanTargetName);
  if (!artifact.routineSlots.empty() || !artifact.extensions.empty())
    return badData("code for GPUs calls {} routines and {} extensions of the "
                   "host",
                   artifact.routineSlots.size(), artifact.extensions.size());
  return Status::ok();
}

Result<std::unique_ptr<LoadedModel>>
VulkanModel::create(const EngineRef &engine, Artifact artifact,
                    uint64_t modelCacheSize, const Memory &dataCache,
                    const PipelineCache &pipelines) {
  NNHAL_RETURN_IF_ERROR(checkSection(artifact));
  const ArtifactEntry &entry = artifact.entries.front();
  auto loaded = std::make_shared<LoadedProgram>();
  loaded->engine = engine;
  NNHAL_ASSIGN_OR_RETURN(
      loaded->program,
      readGpuProgram(artifact.code[entry.codeIndex].bytes, artifact));
  if (dataCache.size() != artifact.dataCacheSize)
    return badData("data cache has {} bytes, the model cache needs {}",
                   dataCache.size(), artifact.dataCacheSize);
  NNHAL_ASSIGN_OR_RETURN(
      loaded->kernels,
      Kernels::create(engine, loaded->program, pipelines.handle()));
  loaded->program.module = {}; // A view of what need not live any longer.
  NNHAL_ASSIGN_OR_RETURN(Memory memory, dataCache.snapshot());
  NNHAL_ASSIGN_OR_RETURN(std::span<const std::byte> constants, memory.bytes());
  NNHAL_ASSIGN_OR_RETURN(loaded->constants, uploadConstants(engine, constants));
  loaded->arenaSize = entry.arenaSize;
  loaded->inputCount = artifact.inputs.size();
  for (const InterfaceTensor &output : artifact.outputs)
    loaded->outputSizes.push_back(byteSizeOf(output).value_or(0));

  std::unique_ptr<VulkanModel> model(new VulkanModel);
  model->use = {entry.arenaSize, entry.arenaLowerBound,
                modelCacheSize + artifact.dataCacheSize};
  model->face = {std::move(artifact.inputs), std::move(artifact.outputs),
                 std::move(artifact.statePairs)};
  model->findOmittable(entry, *loaded);
  model->program = std::move(loaded);
  return std::unique_ptr<LoadedModel>(std::move(model));
}

MemoryUse VulkanModel::memoryUse() const { return use; }

Result<std::unique_ptr<Workspace>> VulkanModel::createWorkspace(
    const std::shared_ptr<MemoryBudget> &budget) const {
  return Execution::create(program, budget);
}

void VulkanModel::findOmittable(const ArtifactEntry &entry,
                                LoadedProgram &loaded) {
  for (size_t i = 0; i < face.inputs.size(); ++i)
    isRequired.push_back(entry.requiresInput(i));
  for (const GpuCommand &command : loaded.program.commands)
    for (const GpuBinding &binding : command.bindings)
      if (binding.space == GpuSpace::input && !isRequired[binding.argument])
        loaded.omittedSize =
            std::max(loaded.omittedSize, binding.offset + binding.size);
}

Status VulkanModel::checkPresence(const Invocation &invocation) const {
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

Status VulkanModel::run(Invocation &invocation) const {
  NNHAL_RETURN_IF_ERROR(checkPresence(invocation));
  bool suffice = true;
  for (size_t i = 0; i < invocation.outputs.size(); ++i) {
    InvocationArgument &output = invocation.outputs[i];
    std::ranges::copy(face.outputs[i].dimensions, output.extents);
    output.isSufficient = output.size >= program->outputSizes[i];
    suffice &= output.isSufficient;
  }
  if (!suffice)
    return Status::ok();
  return static_cast<Execution &>(*invocation.workspace).run(invocation);
}
