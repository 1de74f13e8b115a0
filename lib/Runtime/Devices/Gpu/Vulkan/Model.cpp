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

Result<std::unique_ptr<GpuCode>>
VulkanModel::create(const EngineRef &engine, GpuArtifact code,
                    const PipelineCache &pipelines) {
  auto loaded = std::make_shared<LoadedProgram>();
  loaded->engine = engine;
  NNHAL_ASSIGN_OR_RETURN(loaded->kernels, Kernels::create(engine, code.program,
                                                          pipelines.handle()));
  NNHAL_ASSIGN_OR_RETURN(loaded->constants,
                         uploadConstants(engine, code.constants));
  loaded->arenaSize = code.artifact.entries.front().arenaSize;
  loaded->inputCount = code.artifact.inputs.size();
  loaded->omittedSize = omittedSizeOf(code);
  loaded->outputSizes = code.outputSizes;
  loaded->program = std::move(code.program);
  loaded->program.module = {}; // A view of what need not live any longer.
  loaded->hasSyncFiles =
      engine->limits().hasSyncFiles && endsByItself(loaded->program);
  return std::unique_ptr<GpuCode>(new VulkanModel(code, std::move(loaded)));
}

Result<std::unique_ptr<Workspace>> VulkanModel::createWorkspace(
    const std::shared_ptr<MemoryBudget> &budget) const {
  return Execution::create(program, budget);
}
