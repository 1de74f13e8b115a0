//===- Execution.cpp - One execution of a program at a time ---------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Execution.h"

#include "GpuMemory.h"

#include "Runtime/Artifact/FailureReasons.h"
#include "Runtime/GpuLoader/ArgumentBytes.h"
#include "Runtime/Support/Errors.h"

#include <algorithm>
#include <cstring>
#include <sys/mman.h>

using namespace nnhal::rt;
using namespace nnhal::rt::vulkan;

Result<CountedBuffer> CountedBuffer::allocate(const EngineRef &engine,
                                              uint64_t size, Place place,
                                              MemoryBudget *budget) {
  CountedBuffer result;
  if (budget) {
    NNHAL_ASSIGN_OR_RETURN(result.reservation, budget->reserve(size));
  }
  NNHAL_ASSIGN_OR_RETURN(result.buffer,
                         GpuBuffer::allocate(engine, size, place));
  return result;
}

Result<std::unique_ptr<Workspace>>
Execution::create(const std::shared_ptr<const LoadedProgram> &program,
                  std::shared_ptr<MemoryBudget> budget) {
  NNHAL_ASSIGN_OR_RETURN(Recording recording, Recording::create(program));
  std::unique_ptr<Execution> made(
      new Execution(program, std::move(recording), std::move(budget)));
  const EngineRef &engine = program->engine;
  if (program->arenaSize > 0) {
    NNHAL_ASSIGN_OR_RETURN(made->arena, CountedBuffer::allocate(
                                            engine, program->arenaSize,
                                            Place::device, made->budget.get()));
  }
  NNHAL_ASSIGN_OR_RETURN(
      made->status,
      CountedBuffer::allocate(engine, gpuStatusSizeFor(program->inputCount),
                              Place::readback, nullptr));
  return std::unique_ptr<Workspace>(std::move(made));
}

Execution::~Execution() {
  if (isInFlight)
    recording.finish();
}

std::optional<Location>
Execution::tryBuffer(const InvocationArgument &argument) {
  auto *memory = dynamic_cast<const GpuMemory *>(argument.memory);
  if (!memory || !memory->buffer())
    return std::nullopt;
  newBuffers.push_back(memory->buffer());
  return Location{newBuffers.back()->buffer.handle(), 0};
}

std::optional<Location>
Execution::tryImport(const InvocationArgument &argument) {
  const Limits &limits = program->engine->limits();
  // A kernel that writes to what it says to read would fault otherwise.
  constexpr int readAndWrite = PROT_READ | PROT_WRITE;
  if (limits.importAlignment == 0 || !argument.data || !argument.pool ||
      argument.pool->isDmaBuf() ||
      (argument.pool->protection() & readAndWrite) != readAndWrite)
    return std::nullopt;
  std::span<std::byte> pages = GpuBuffer::pagesOf(
      {argument.data - argument.offset, argument.pool->size()},
      limits.importAlignment);
  if (pages.empty())
    return std::nullopt;
  auto offset = uint64_t(argument.data - pages.data());
  if (offset % limits.bufferAlignment != 0)
    return std::nullopt;
  auto import = std::ranges::find(imports, argument.pool, &Import::pool);
  if (import == imports.end()) {
    auto imported = GpuBuffer::import(program->engine, pages);
    if (!imported.isOk())
      return std::nullopt;
    imports.push_back({argument.pool, *std::move(imported)});
    import = imports.end() - 1;
  }
  import->isUsed = true;
  return Location{import->buffer.handle(), offset};
}

Result<Location> Execution::placeOmitted() {
  uint64_t size = program->omittedSize;
  if (size == 0)
    return Location(); // No command reads it.
  if (!zeroes.buffer.handle()) {
    NNHAL_ASSIGN_OR_RETURN(zeroes, CountedBuffer::allocate(program->engine,
                                                           size, Place::upload,
                                                           budget.get()));
    std::memset(zeroes.buffer.hostBytes(), 0, size);
  }
  return Location{zeroes.buffer.handle(), 0};
}

Result<Location> Execution::placeInput(Invocation &invocation, size_t index) {
  const InvocationArgument &argument = invocation.inputs[index];
  if (!argument.isPresent)
    return placeOmitted();
  if (std::optional<Location> location = tryBuffer(argument))
    return *location;
  if (std::optional<Location> location = tryImport(argument))
    return *location;
  CountedBuffer &staged = inputs[index];
  if (!staged.buffer.handle()) {
    NNHAL_ASSIGN_OR_RETURN(
        staged, CountedBuffer::allocate(program->engine, argument.size,
                                        Place::upload, budget.get()));
  }
  std::span<std::byte> bytes(staged.buffer.hostBytes(), argument.size);
  invocation.copiedBytes += argument.size;
  NNHAL_RETURN_IF_ERROR(readInput(argument, bytes));
  return Location{staged.buffer.handle(), 0};
}

Result<Location> Execution::placeOutput(const Invocation &invocation,
                                        size_t index) {
  const InvocationArgument &argument = invocation.outputs[index];
  std::optional<Location> location = tryBuffer(argument);
  if (!location)
    location = tryImport(argument);
  isStaged[index] = !location;
  if (location)
    return *location;
  CountedBuffer &staged = outputs[index];
  uint64_t size = program->outputSizes[index];
  if (!staged.buffer.handle()) {
    NNHAL_ASSIGN_OR_RETURN(
        staged, CountedBuffer::allocate(program->engine, size, Place::readback,
                                        budget.get()));
  }
  return Location{staged.buffer.handle(), 0};
}

Status Execution::placeArguments(Invocation &invocation, Locations &locations) {
  inputs.resize(invocation.inputs.size());
  outputs.resize(invocation.outputs.size());
  isStaged.resize(invocation.outputs.size());
  newBuffers.clear();
  for (Import &import : imports)
    import.isUsed = false;
  for (size_t i = 0; i < inputs.size(); ++i) {
    NNHAL_ASSIGN_OR_RETURN(Location location, placeInput(invocation, i));
    locations.inputs.push_back(location);
  }
  for (size_t i = 0; i < outputs.size(); ++i) {
    NNHAL_ASSIGN_OR_RETURN(Location location, placeOutput(invocation, i));
    locations.outputs.push_back(location);
  }
  locations.arena = {arena.buffer.handle(), 0};
  locations.status = {status.buffer.handle(), 0};
  return Status::ok();
}

Status Execution::prepare(Invocation &invocation, bool isTimed) {
  Locations locations;
  NNHAL_RETURN_IF_ERROR(placeArguments(invocation, locations));
  NNHAL_RETURN_IF_ERROR(recording.prepare(locations, isTimed));
  // Only now no command refers to them any more.
  buffers = std::move(newBuffers);
  std::erase_if(imports, [](const Import &import) { return !import.isUsed; });
  return Status::ok();
}

std::span<std::byte> Execution::firstStatus() {
  return {status.buffer.hostBytes(),
          size_t(gpuStatusSizeFor(program->inputCount))};
}

std::span<const std::byte> Execution::lastStatus() const {
  return {status.buffer.hostBytes(), gpuStatusSize};
}

std::span<const std::byte> Execution::stagedOutput(size_t index) const {
  return {outputs[index].buffer.hostBytes(), program->outputSizes[index]};
}
