//===- Execution.cpp - One execution of a program at a time ---------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Execution.h"

#include "Runtime/Artifact/FailureReasons.h"
#include "Runtime/GpuLoader/ArgumentBytes.h"
#include "Runtime/Support/Errors.h"

#include <algorithm>
#include <cstring>

using namespace nnhal::rt;
using namespace nnhal::rt::cuda;

//===----------------------------------------------------------------------===//
// Buffers of the HAL
//===----------------------------------------------------------------------===//

Status CudaMemory::resize(std::span<const uint32_t>, uint64_t size) {
  if (bytes && size <= bytes->size())
    return Status::ok();
  bytes.reset();
  NNHAL_ASSIGN_OR_RETURN(DeviceBuffer made,
                         DeviceBuffer::allocate(engine, size, budget.get()));
  bytes = std::make_shared<DeviceBuffer>(std::move(made));
  return Status::ok();
}

Status CudaMemory::read(std::span<std::byte> target) const {
  return download(engine, *bytes, target);
}

Status CudaMemory::write(std::span<const std::byte> source) {
  return upload(engine, source, *bytes);
}

//===----------------------------------------------------------------------===//
// Executions
//===----------------------------------------------------------------------===//

Result<std::unique_ptr<Workspace>>
Execution::create(const std::shared_ptr<const LoadedProgram> &program,
                  std::shared_ptr<MemoryBudget> budget) {
  const EngineRef &engine = program->engine;
  NNHAL_ASSIGN_OR_RETURN(Recording recording, Recording::create(program));
  std::unique_ptr<Execution> made(
      new Execution(program, std::move(recording), std::move(budget)));
  if (program->arenaSize > 0) {
    NNHAL_ASSIGN_OR_RETURN(
        made->arena,
        DeviceBuffer::allocate(engine, program->arenaSize, made->budget.get()));
  }
  NNHAL_ASSIGN_OR_RETURN(
      made->status,
      DeviceBuffer::allocate(engine, program->statusSize(), nullptr));
  NNHAL_ASSIGN_OR_RETURN(
      made->statusWords,
      PinnedBuffer::allocate(engine, program->statusSize() + gpuStatusSize,
                             nullptr));
  return std::unique_ptr<Workspace>(std::move(made));
}

Execution::~Execution() {
  if (isInFlight)
    recording.finish();
}

std::optional<Location>
Execution::tryBuffer(const InvocationArgument &argument) {
  auto *memory = dynamic_cast<const CudaMemory *>(argument.memory);
  if (!memory || !memory->buffer())
    return std::nullopt;
  newBuffers.push_back(memory->buffer());
  return Location{newBuffers.back()->address(), nullptr};
}

Result<Location> Execution::stage(Staged &staged, uint64_t size) {
  const EngineRef &engine = program->engine;
  if (!staged.device.address()) {
    NNHAL_ASSIGN_OR_RETURN(staged.device,
                           DeviceBuffer::allocate(engine, size, budget.get()));
  }
  if (!staged.host.bytes().data()) {
    NNHAL_ASSIGN_OR_RETURN(staged.host,
                           PinnedBuffer::allocate(engine, size, budget.get()));
  }
  return Location{staged.device.address(), staged.host.bytes().data()};
}

Result<Location> Execution::placeOmitted() {
  uint64_t size = program->omittedSize;
  if (size == 0)
    return Location(); // No command reads it.
  if (!zeroes.address()) {
    NNHAL_ASSIGN_OR_RETURN(
        zeroes, DeviceBuffer::allocate(program->engine, size, budget.get()));
    NNHAL_RETURN_IF_ERROR(
        upload(program->engine, std::vector<std::byte>(size), zeroes));
  }
  return Location{zeroes.address(), nullptr};
}

Result<Location> Execution::placeInput(Invocation &invocation, size_t index) {
  const InvocationArgument &argument = invocation.inputs[index];
  if (!argument.isPresent)
    return placeOmitted();
  if (std::optional<Location> location = tryBuffer(argument))
    return *location;
  uint64_t size = program->inputSizes[index];
  NNHAL_ASSIGN_OR_RETURN(Location location, stage(inputs[index], size));
  invocation.copiedBytes += size;
  NNHAL_RETURN_IF_ERROR(readInput(argument, inputs[index].host.bytes()));
  return location;
}

Status Execution::placeArguments(Invocation &invocation, Locations &locations) {
  inputs.resize(invocation.inputs.size());
  outputs.resize(invocation.outputs.size());
  isStaged.resize(invocation.outputs.size());
  newBuffers.clear();
  for (size_t i = 0; i < inputs.size(); ++i) {
    NNHAL_ASSIGN_OR_RETURN(Location location, placeInput(invocation, i));
    locations.inputs.push_back(location);
  }
  for (size_t i = 0; i < outputs.size(); ++i) {
    std::optional<Location> location = tryBuffer(invocation.outputs[i]);
    isStaged[i] = !location;
    if (!location) {
      NNHAL_ASSIGN_OR_RETURN(location,
                             stage(outputs[i], program->outputSizes[i]));
    }
    locations.outputs.push_back(*location);
  }
  locations.arena = arena.address();
  locations.status = status.address();
  locations.firstStatus = statusWords.bytes().data();
  locations.lastStatus = &statusWords.bytes()[program->statusSize()];
  return Status::ok();
}

Status Execution::prepare(Invocation &invocation, bool isTimed) {
  Locations locations;
  NNHAL_RETURN_IF_ERROR(placeArguments(invocation, locations));
  NNHAL_RETURN_IF_ERROR(recording.prepare(locations, isTimed));
  // Only now no command refers to them any more.
  buffers = std::move(newBuffers);
  return Status::ok();
}

std::span<std::byte> Execution::firstStatus() {
  return statusWords.bytes().first(program->statusSize());
}

std::span<const std::byte> Execution::lastStatus() const {
  return statusWords.bytes().subspan(program->statusSize(), gpuStatusSize);
}

std::span<const std::byte> Execution::stagedOutput(size_t index) const {
  return outputs[index].host.bytes();
}
