//===- Kernels.cpp - The kernels of a program, compiled -------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Kernels.h"

#include "Runtime/Artifact/GpuMatrices.h"
#include "Runtime/Support/Errors.h"

using namespace nnhal::rt;
using namespace nnhal::rt::vulkan;

Status vulkan::checkLimits(const GpuProgram &program, const Limits &limits) {
  for (const GpuKernel &kernel : program.kernels) {
    if (kernel.workgroupSize > limits.workgroupSize)
      return badData("kernel '{}' has workgroups of {}, the GPU allows {}",
                     kernel.name, kernel.workgroupSize, limits.workgroupSize);
    if (kernel.isWritten.size() > limits.bindingsPerKernel)
      return badData("kernel '{}' has {} bindings, the GPU allows {}",
                     kernel.name, kernel.isWritten.size(),
                     limits.bindingsPerKernel);
  }
  for (size_t i = 0; i < program.commands.size(); ++i) {
    const GpuCommand &command = program.commands[i];
    if (command.kind != GpuCommandKind::dispatch)
      continue;
    for (size_t d = 0; d < command.groups.size(); ++d)
      if (command.groups[d] > limits.groups[d])
        return badData("command {} dispatches {} workgroups, the GPU allows {}",
                       i, command.groups[d], limits.groups[d]);
    for (const GpuBinding &binding : command.bindings)
      if (binding.size > limits.bindingSize)
        return badData("command {} binds {} bytes, the GPU allows {}", i,
                       binding.size, limits.bindingSize);
  }
  return Status::ok();
}

Status vulkan::checkNeeds(const GpuKernel &kernel, const KernelNeeds &needs,
                          const Limits &limits) {
  if (needs.sharedBytes > limits.sharedBytes)
    return badData("kernel '{}' shares {} bytes in a workgroup, the GPU allows "
                   "{}",
                   kernel.name, needs.sharedBytes, limits.sharedBytes);
  if (!needs.hasSubgroups)
    return Status::ok();
  if (kernel.workgroupSize % gpuSubgroupSize != 0)
    return badData("kernel '{}' has workgroups of {}, not of whole subgroups "
                   "of {}",
                   kernel.name, kernel.workgroupSize, gpuSubgroupSize);
  if (kernel.workgroupSize / gpuSubgroupSize > limits.subgroups)
    return badData("kernel '{}' has workgroups of {} subgroups, the GPU allows "
                   "{}",
                   kernel.name, kernel.workgroupSize / gpuSubgroupSize,
                   limits.subgroups);
  return Status::ok();
}

Status Kernels::addLayout(const EngineRef &engine, uint32_t bindingCount) {
  if (layouts.contains(bindingCount))
    return Status::ok();
  const Functions &call = engine->functions();
  std::vector<VkDescriptorSetLayoutBinding> rows(bindingCount);
  for (uint32_t i = 0; i < bindingCount; ++i) {
    rows[i].binding = i;
    rows[i].descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
    rows[i].descriptorCount = 1;
    rows[i].stageFlags = VK_SHADER_STAGE_COMPUTE_BIT;
  }
  VkDescriptorSetLayoutCreateInfo setInfo = {};
  setInfo.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO;
  setInfo.bindingCount = bindingCount;
  setInfo.pBindings = rows.data();
  VkDescriptorSetLayout set = VK_NULL_HANDLE;
  NNHAL_RETURN_IF_ERROR(engine->check(
      call.CreateDescriptorSetLayout(engine->device(), &setInfo, nullptr, &set),
      "vkCreateDescriptorSetLayout"));
  Layout &layout = layouts[bindingCount];
  layout.set = {engine, set};
  VkPipelineLayoutCreateInfo info = {};
  info.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO;
  info.setLayoutCount = 1;
  info.pSetLayouts = &set;
  VkPipelineLayout made = VK_NULL_HANDLE;
  NNHAL_RETURN_IF_ERROR(engine->check(
      call.CreatePipelineLayout(engine->device(), &info, nullptr, &made),
      "vkCreatePipelineLayout"));
  layout.pipeline = {engine, made};
  return Status::ok();
}

Status Kernels::addPipeline(const EngineRef &engine, VkShaderModule module,
                            const GpuKernel &kernel, const KernelNeeds &needs,
                            VkPipelineCache cache) {
  auto bindingCount = uint32_t(kernel.isWritten.size());
  NNHAL_RETURN_IF_ERROR(addLayout(engine, bindingCount));
  bindingCounts.push_back(bindingCount);
  VkPipelineShaderStageCreateInfo stage = {
      VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
      nullptr,
      0,
      VK_SHADER_STAGE_COMPUTE_BIT,
      module,
      kernel.name.c_str(),
      nullptr};
  VkPipelineShaderStageRequiredSubgroupSizeCreateInfo subgroups = {
      VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_REQUIRED_SUBGROUP_SIZE_CREATE_INFO,
      nullptr, gpuSubgroupSize};
  if (needs.hasSubgroups) {
    stage.pNext = &subgroups;
    stage.flags = VK_PIPELINE_SHADER_STAGE_CREATE_REQUIRE_FULL_SUBGROUPS_BIT;
  }
  VkComputePipelineCreateInfo info = {
      VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO, nullptr,        0, stage,
      layouts.at(bindingCount).pipeline.get(),        VK_NULL_HANDLE, 0};
  VkPipeline made = VK_NULL_HANDLE;
  NNHAL_RETURN_IF_ERROR(
      engine->check(engine->functions().CreateComputePipelines(
                        engine->device(), cache, 1, &info, nullptr, &made),
                    "vkCreateComputePipelines"));
  pipelines.emplace_back(engine, made);
  return Status::ok();
}

Result<Kernels> Kernels::create(const EngineRef &engine,
                                const GpuProgram &program,
                                VkPipelineCache cache) {
  NNHAL_ASSIGN_OR_RETURN(std::vector<KernelNeeds> needs,
                         checkSpirv(program, engine->features()));
  NNHAL_RETURN_IF_ERROR(checkLimits(program, engine->limits()));
  for (size_t i = 0; i < needs.size(); ++i)
    NNHAL_RETURN_IF_ERROR(
        checkNeeds(program.kernels[i], needs[i], engine->limits()));
  Kernels kernels;
  // Commands may all be copies. Vulkan knows no modules without entry points.
  if (program.kernels.empty())
    return kernels;
  VkShaderModuleCreateInfo info = {};
  info.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO;
  info.codeSize = program.module.size();
  info.pCode = reinterpret_cast<const uint32_t *>(program.module.data());
  VkShaderModule made = VK_NULL_HANDLE;
  NNHAL_RETURN_IF_ERROR(
      engine->check(engine->functions().CreateShaderModule(
                        engine->device(), &info, nullptr, &made),
                    "vkCreateShaderModule"));
  // Pipelines do not need it any more.
  Owned<VkShaderModule, &Functions::DestroyShaderModule> module(engine, made);
  for (size_t i = 0; i < needs.size(); ++i)
    NNHAL_RETURN_IF_ERROR(
        kernels.addPipeline(engine, made, program.kernels[i], needs[i], cache));
  return kernels;
}
