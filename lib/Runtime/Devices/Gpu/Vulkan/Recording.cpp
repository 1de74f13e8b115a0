//===- Recording.cpp - The commands of a program, recorded ----------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Recording.h"

#include "Runtime/Support/Errors.h"

#include <algorithm>
#include <array>

using namespace nnhal::rt;
using namespace nnhal::rt::vulkan;

static constexpr VkPipelineStageFlags workStages =
    VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_TRANSFER_BIT;
static constexpr VkAccessFlags writes =
    VK_ACCESS_SHADER_WRITE_BIT | VK_ACCESS_TRANSFER_WRITE_BIT;
static constexpr VkAccessFlags reads =
    VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_TRANSFER_READ_BIT;

static bool isDispatch(const GpuCommand &command) {
  return command.kind == GpuCommandKind::dispatch;
}

Result<Recording>
Recording::create(std::shared_ptr<const LoadedProgram> program) {
  Recording recording(std::move(program));
  NNHAL_RETURN_IF_ERROR(recording.createObjects());
  NNHAL_RETURN_IF_ERROR(recording.createSets());
  return recording;
}

Status Recording::createObjects() {
  const EngineRef &engine = program->engine;
  const Functions &call = engine->functions();
  VkCommandPoolCreateInfo poolInfo = {};
  poolInfo.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO;
  poolInfo.queueFamilyIndex = engine->queueFamily();
  VkCommandPool pool = VK_NULL_HANDLE;
  NNHAL_RETURN_IF_ERROR(engine->check(
      call.CreateCommandPool(engine->device(), &poolInfo, nullptr, &pool),
      "vkCreateCommandPool"));
  commandPool = {engine, pool};
  NNHAL_ASSIGN_OR_RETURN(VkFence made, createFence(/*types=*/0));
  fence = {engine, made};
  if (engine->limits().timestampPeriod == 0)
    return Status::ok();
  NNHAL_ASSIGN_OR_RETURN(timestamps, createQueries(2));
  return Status::ok();
}

Result<VkFence>
Recording::createFence(VkExternalFenceHandleTypeFlags types) const {
  VkExportFenceCreateInfo exports = {};
  exports.sType = VK_STRUCTURE_TYPE_EXPORT_FENCE_CREATE_INFO;
  exports.handleTypes = types;
  VkFenceCreateInfo info = {};
  info.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO;
  info.pNext = types ? &exports : nullptr;
  VkFence made = VK_NULL_HANDLE;
  const EngineRef &engine = program->engine;
  NNHAL_RETURN_IF_ERROR(engine->check(
      engine->functions().CreateFence(engine->device(), &info, nullptr, &made),
      "vkCreateFence"));
  return made;
}

Result<Recording::OwnedQueries> Recording::createQueries(uint32_t count) const {
  const EngineRef &engine = program->engine;
  VkQueryPoolCreateInfo info = {};
  info.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO;
  info.queryType = VK_QUERY_TYPE_TIMESTAMP;
  info.queryCount = count;
  VkQueryPool made = VK_NULL_HANDLE;
  NNHAL_RETURN_IF_ERROR(
      engine->check(engine->functions().CreateQueryPool(engine->device(), &info,
                                                        nullptr, &made),
                    "vkCreateQueryPool"));
  return OwnedQueries(engine, made);
}

Status Recording::createSets() {
  const EngineRef &engine = program->engine;
  uint64_t setCount = 0;
  uint64_t bindingCount = 0;
  for (const GpuCommand &command : program->program.commands)
    if (isDispatch(command)) {
      ++setCount;
      bindingCount += command.bindings.size();
    }
  if (setCount == 0)
    return Status::ok();
  VkDescriptorPoolSize size = {};
  size.type = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
  size.descriptorCount = uint32_t(std::max<uint64_t>(bindingCount, 1));
  VkDescriptorPoolCreateInfo info = {};
  info.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO;
  info.maxSets = uint32_t(setCount);
  info.poolSizeCount = 1;
  info.pPoolSizes = &size;
  VkDescriptorPool made = VK_NULL_HANDLE;
  NNHAL_RETURN_IF_ERROR(
      engine->check(engine->functions().CreateDescriptorPool(
                        engine->device(), &info, nullptr, &made),
                    "vkCreateDescriptorPool"));
  setPool = {engine, made};
  std::vector<VkDescriptorSetLayout> layouts;
  layouts.reserve(setCount);
  for (const GpuCommand &command : program->program.commands)
    if (isDispatch(command))
      layouts.push_back(program->kernels.setLayout(command.kernel));
  VkDescriptorSetAllocateInfo allocate = {};
  allocate.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO;
  allocate.descriptorPool = made;
  allocate.descriptorSetCount = uint32_t(setCount);
  allocate.pSetLayouts = layouts.data();
  std::vector<VkDescriptorSet> allocated(setCount);
  NNHAL_RETURN_IF_ERROR(
      engine->check(engine->functions().AllocateDescriptorSets(
                        engine->device(), &allocate, allocated.data()),
                    "vkAllocateDescriptorSets"));
  auto next = allocated.begin();
  for (const GpuCommand &command : program->program.commands)
    sets.push_back(isDispatch(command) ? *next++ : VK_NULL_HANDLE);
  return Status::ok();
}

VkDescriptorBufferInfo Recording::place(const GpuBinding &binding) const {
  Location location;
  switch (binding.space) {
  case GpuSpace::input:
    location = recorded.inputs[binding.argument];
    break;
  case GpuSpace::output:
    location = recorded.outputs[binding.argument];
    break;
  case GpuSpace::constants:
    location = {program->constants.handle(), 0};
    break;
  case GpuSpace::arena:
    location = recorded.arena;
    break;
  case GpuSpace::status:
    location = recorded.status;
    break;
  }
  return {location.buffer, location.offset + binding.offset, binding.size};
}

/// Segments share the sets of the commands that they have in common.
void Recording::updateSets() const {
  const Functions &call = program->engine->functions();
  for (size_t i = 0; i < sets.size(); ++i) {
    const std::vector<GpuBinding> &bindings =
        program->program.commands[i].bindings;
    if (!sets[i] || bindings.empty())
      continue;
    std::vector<VkDescriptorBufferInfo> buffers;
    buffers.reserve(bindings.size());
    std::vector<VkWriteDescriptorSet> updates;
    for (const GpuBinding &binding : bindings) {
      buffers.push_back(place(binding));
      VkWriteDescriptorSet update = {};
      update.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET;
      update.dstSet = sets[i];
      update.dstBinding = uint32_t(updates.size());
      update.descriptorCount = 1;
      update.descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
      update.pBufferInfo = &buffers.back();
      updates.push_back(update);
    }
    call.UpdateDescriptorSets(program->engine->device(),
                              uint32_t(updates.size()), updates.data(), 0,
                              nullptr);
  }
}

void Recording::recordDispatch(uint32_t number,
                               VkCommandBuffer commands) const {
  const Functions &call = program->engine->functions();
  const GpuCommand &command = program->program.commands[number];
  call.CmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE,
                       program->kernels.pipeline(command.kernel));
  call.CmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE,
                             program->kernels.layout(command.kernel), 0, 1,
                             &sets[number], 0, nullptr);
  call.CmdDispatch(commands, command.groups[0], command.groups[1],
                   command.groups[2]);
}

static void addBarrier(const Functions &call, VkCommandBuffer commands,
                       VkPipelineStageFlags laterStages,
                       VkAccessFlags laterAccess) {
  VkMemoryBarrier barrier = {};
  barrier.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER;
  barrier.srcAccessMask = writes;
  barrier.dstAccessMask = laterAccess;
  call.CmdPipelineBarrier(commands, workStages, laterStages, 0, 1, &barrier, 0,
                          nullptr, 0, nullptr);
}

void Recording::recordCommand(uint32_t number, VkCommandBuffer commands) const {
  const Functions &call = program->engine->functions();
  const GpuCommand &command = program->program.commands[number];
  switch (command.kind) {
  case GpuCommandKind::dispatch:
    recordDispatch(number, commands);
    return;
  case GpuCommandKind::copy: {
    VkDescriptorBufferInfo from = place(command.bindings[0]);
    VkDescriptorBufferInfo to = place(command.bindings[1]);
    VkBufferCopy region = {from.offset, to.offset, from.range};
    call.CmdCopyBuffer(commands, from.buffer, to.buffer, 1, &region);
    return;
  }
  case GpuCommandKind::fill: {
    VkDescriptorBufferInfo to = place(command.bindings[0]);
    call.CmdFillBuffer(commands, to.buffer, to.offset, to.range,
                       command.fillWord);
    return;
  }
  case GpuCommandKind::barrier:
    addBarrier(call, commands, workStages, reads | writes);
    return;
  case GpuCommandKind::branch:
  case GpuCommandKind::jump:
  case GpuCommandKind::loop:
  case GpuCommandKind::repeat:
    return; // Segments have none of the host's.
  }
}

//===----------------------------------------------------------------------===//
// Segments
//===----------------------------------------------------------------------===//

Status Recording::prepare(const Locations &locations, bool timesOperations) {
  timesOperations = timesOperations && timestamps.get();
  if (!(locations == recorded) || isTimed != timesOperations) {
    recorded = {}; // No execution has these.
    NNHAL_RETURN_IF_ERROR(dropRecorded());
    isTimed = timesOperations;
    recorded = locations;
    updateSets();
  }
  return segmentAt(0).status();
}

Status Recording::dropRecorded() {
  const EngineRef &engine = program->engine;
  for (auto &[first, segment] : segments)
    segment.isRecorded = false;
  return engine->check(engine->functions().ResetCommandPool(
                           engine->device(), commandPool.get(), 0),
                       "vkResetCommandPool");
}

Result<const Recording::Segment *> Recording::segmentAt(uint32_t first) {
  Segment &segment = segmentIn(segments, program->program.commands, first);
  if (!segment.commands)
    NNHAL_RETURN_IF_ERROR(createCommands(segment));
  if (isTimed && !segment.stamps.get()) {
    NNHAL_ASSIGN_OR_RETURN(
        segment.stamps, createQueries(uint32_t(segment.table.runs.size() + 1)));
  }
  if (!segment.isRecorded) {
    Status status = record(segment);
    if (!status.isOk()) {
      recorded = {}; // No execution has these: all is recorded anew.
      return status;
    }
    segment.isRecorded = true;
  }
  return &segment;
}

Status Recording::createCommands(Segment &segment) const {
  const EngineRef &engine = program->engine;
  VkCommandBufferAllocateInfo info = {};
  info.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO;
  info.commandPool = commandPool.get();
  info.level = VK_COMMAND_BUFFER_LEVEL_PRIMARY;
  info.commandBufferCount = 1;
  return engine->check(engine->functions().AllocateCommandBuffers(
                           engine->device(), &info, &segment.commands),
                       "vkAllocateCommandBuffers");
}

void Recording::recordCommands(const Segment &segment) const {
  const Functions &call = program->engine->functions();
  uint32_t stamps = 0;
  auto stamp = [&] {
    if (isTimed)
      call.CmdWriteTimestamp(segment.commands,
                             VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT,
                             segment.stamps.get(), stamps++);
  };
  if (isTimed)
    call.CmdResetQueryPool(segment.commands, segment.stamps.get(), 0,
                           uint32_t(segment.table.runs.size() + 1));
  stamp();
  const GpuCommand *last = nullptr;
  for (uint32_t number : segment.table.commands) {
    const GpuCommand &command = program->program.commands[number];
    if (command.kind != GpuCommandKind::barrier) {
      if (last && last->operation != command.operation)
        stamp();
      last = &command;
    }
    recordCommand(number, segment.commands);
  }
  if (last)
    stamp();
}

Status Recording::record(Segment &segment) const {
  const EngineRef &engine = program->engine;
  const Functions &call = engine->functions();
  VkCommandBuffer commands = segment.commands;
  VkCommandBufferBeginInfo begin = {};
  begin.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO;
  NNHAL_RETURN_IF_ERROR(engine->check(call.BeginCommandBuffer(commands, &begin),
                                      "vkBeginCommandBuffer"));
  if (timestamps.get()) {
    call.CmdResetQueryPool(commands, timestamps.get(), 0, 2);
    call.CmdWriteTimestamp(commands, VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT,
                           timestamps.get(), 0);
  }
  // Earlier submissions may have written what is read here.
  addBarrier(call, commands, workStages, reads | writes);
  recordCommands(segment);
  addBarrier(call, commands, VK_PIPELINE_STAGE_HOST_BIT,
             VK_ACCESS_HOST_READ_BIT);
  if (timestamps.get())
    call.CmdWriteTimestamp(commands, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT,
                           timestamps.get(), 1);
  return engine->check(call.EndCommandBuffer(commands), "vkEndCommandBuffer");
}

//===----------------------------------------------------------------------===//
// Submissions
//===----------------------------------------------------------------------===//

Result<uint32_t> Recording::submit(uint32_t first) {
  const EngineRef &engine = program->engine;
  NNHAL_ASSIGN_OR_RETURN(submitted, segmentAt(first));
  VkFence signaled = fence.get();
  NNHAL_RETURN_IF_ERROR(engine->check(
      engine->functions().ResetFences(engine->device(), 1, &signaled),
      "vkResetFences"));
  NNHAL_RETURN_IF_ERROR(engine->submit(submitted->commands, signaled));
  return submitted->table.end;
}

Result<bool> Recording::wait(std::chrono::nanoseconds limit) {
  const EngineRef &engine = program->engine;
  VkFence signaled = fence.get();
  VkResult result = engine->functions().WaitForFences(
      engine->device(), 1, &signaled, VK_TRUE, uint64_t(limit.count()));
  if (result == VK_TIMEOUT)
    return false;
  NNHAL_RETURN_IF_ERROR(engine->check(result, "vkWaitForFences"));
  return true;
}

UniqueFd Recording::exportSyncFile() {
  const EngineRef &engine = program->engine;
  const Functions &call = engine->functions();
  constexpr auto type = VK_EXTERNAL_FENCE_HANDLE_TYPE_SYNC_FD_BIT;
  if (!exported.get()) {
    auto made = createFence(type);
    if (!made.isOk())
      return {};
    exported = {engine, *made};
  }
  VkFence signaled = exported.get();
  if (!engine->submit(VK_NULL_HANDLE, signaled).isOk())
    return {};
  const VkFenceGetFdInfoKHR info = {VK_STRUCTURE_TYPE_FENCE_GET_FD_INFO_KHR,
                                    nullptr, signaled, type};
  int descriptor = -1;
  // The fence is as it was made when it has been exported.
  if (call.GetFenceFdKHR(engine->device(), &info, &descriptor) == VK_SUCCESS)
    return UniqueFd(descriptor);
  (void)call.WaitForFences(engine->device(), 1, &signaled, VK_TRUE, UINT64_MAX);
  exported = {};
  return {};
}

void Recording::finish() noexcept {
  VkFence signaled = fence.get();
  const Engine &engine = *program->engine;
  (void)engine.functions().WaitForFences(engine.device(), 1, &signaled, VK_TRUE,
                                         UINT64_MAX);
}

int64_t Recording::elapsed() const {
  if (!timestamps.get())
    return -1;
  const Engine &engine = *program->engine;
  std::array<uint64_t, 2> ticks = {};
  VkResult result = engine.functions().GetQueryPoolResults(
      engine.device(), timestamps.get(), 0, 2, sizeof(ticks), ticks.data(),
      sizeof(uint64_t), VK_QUERY_RESULT_64_BIT);
  if (result != VK_SUCCESS)
    return -1;
  uint64_t passed = (ticks[1] - ticks[0]) & engine.limits().timestampMask;
  return int64_t(double(passed) * engine.limits().timestampPeriod);
}

void Recording::reportOperations(OperationObserver &observer,
                                 int64_t begin) const {
  if (!isTimed)
    return;
  const Engine &engine = *program->engine;
  const std::vector<uint32_t> &runs = submitted->table.runs;
  std::vector<uint64_t> ticks(runs.size() + 1);
  VkResult result = engine.functions().GetQueryPoolResults(
      engine.device(), submitted->stamps.get(), 0, uint32_t(ticks.size()),
      ticks.size() * sizeof(uint64_t), ticks.data(), sizeof(uint64_t),
      VK_QUERY_RESULT_64_BIT);
  if (result != VK_SUCCESS)
    return;
  auto timeOf = [&](uint64_t tick) {
    uint64_t passed = (tick - ticks[0]) & engine.limits().timestampMask;
    return begin + int64_t(double(passed) * engine.limits().timestampPeriod);
  };
  for (size_t i = 0; i < runs.size(); ++i)
    if (runs[i] != UINT32_MAX)
      observer.took(runs[i], timeOf(ticks[i]), timeOf(ticks[i + 1]));
}
