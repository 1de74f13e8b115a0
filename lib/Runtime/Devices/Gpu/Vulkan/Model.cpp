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

using namespace nnhal::rt;
using namespace nnhal::rt::vulkan;

Result<std::unique_ptr<LoadedModel>> VulkanModel::create(
    const EngineRef &engine, Artifact artifact, uint64_t modelCacheSize,
    std::span<const std::byte> constants, const PipelineCache &pipelines) {
  auto loaded = std::make_shared<LoadedProgram>();
  loaded->engine = engine;
  NNHAL_ASSIGN_OR_RETURN(
      loaded->program,
      readProgramFor(TargetKind::spirv, vulkanTargetName, artifact));
  NNHAL_ASSIGN_OR_RETURN(
      loaded->kernels,
      Kernels::create(engine, loaded->program, pipelines.handle()));
  loaded->program.module = {}; // A view of what need not live any longer.
  NNHAL_ASSIGN_OR_RETURN(loaded->constants, uploadConstants(engine, constants));
  loaded->arenaSize = artifact.entries.front().arenaSize;
  loaded->inputCount = artifact.inputs.size();
  loaded->omittedSize = omittedSizeOf(loaded->program, artifact);
  for (const InterfaceTensor &output : artifact.outputs)
    loaded->outputSizes.push_back(byteSizeOf(output).value_or(0));
  return std::unique_ptr<LoadedModel>(
      new VulkanModel(artifact, std::move(loaded), modelCacheSize));
}

Result<std::unique_ptr<Workspace>> VulkanModel::createWorkspace(
    const std::shared_ptr<MemoryBudget> &budget) const {
  return Execution::create(program, budget);
}
