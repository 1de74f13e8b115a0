//===- Upload.cpp - Constants on their way to a device --------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Upload.h"

#include "Recording.h"

#include <algorithm>
#include <cstring>

using namespace nnhal::rt;
using namespace nnhal::rt::vulkan;

/// Copies \p size bytes by means of a program of its own, and waits.
static Status copyOnDevice(const EngineRef &engine, const Location &source,
                           const Location &target, uint64_t size) {
  auto copy = std::make_shared<LoadedProgram>();
  copy->engine = engine;
  GpuCommand command;
  command.kind = GpuCommandKind::copy;
  command.bindings = {{GpuSpace::input, 0, 0, size},
                      {GpuSpace::output, 0, 0, size}};
  copy->program.commands = {std::move(command)};
  NNHAL_ASSIGN_OR_RETURN(Recording recording, Recording::create(copy));
  Locations locations;
  locations.inputs = {source};
  locations.outputs = {target};
  NNHAL_RETURN_IF_ERROR(recording.prepare(locations));
  NNHAL_RETURN_IF_ERROR(recording.submit(0).status());
  NNHAL_ASSIGN_OR_RETURN(bool finished,
                         recording.wait(std::chrono::nanoseconds::max()));
  return finished ? Status::ok() : toStatus(VK_TIMEOUT, "vkWaitForFences");
}

static Status uploadPartTo(const EngineRef &engine,
                           std::span<const std::byte> part,
                           const Location &target) {
  NNHAL_ASSIGN_OR_RETURN(
      GpuBuffer staged,
      GpuBuffer::allocate(engine, part.size(), Place::upload));
  std::memcpy(staged.hostBytes(), part.data(), part.size());
  return copyOnDevice(engine, {staged.handle(), 0}, target, part.size());
}

Status vulkan::downloadParts(const EngineRef &engine, const GpuBuffer &source,
                             std::span<std::byte> bytes, uint64_t partSize) {
  for (uint64_t done = 0; done < bytes.size(); done += partSize) {
    uint64_t size = std::min<uint64_t>(partSize, bytes.size() - done);
    NNHAL_ASSIGN_OR_RETURN(GpuBuffer staged,
                           GpuBuffer::allocate(engine, size, Place::readback));
    NNHAL_RETURN_IF_ERROR(copyOnDevice(engine, {source.handle(), done},
                                       {staged.handle(), 0}, size));
    std::memcpy(&bytes[done], staged.hostBytes(), size);
  }
  return Status::ok();
}

Status vulkan::uploadParts(const EngineRef &engine,
                           std::span<const std::byte> bytes,
                           const GpuBuffer &target, uint64_t partSize) {
  for (uint64_t done = 0; done < bytes.size(); done += partSize) {
    uint64_t size = std::min<uint64_t>(partSize, bytes.size() - done);
    NNHAL_RETURN_IF_ERROR(uploadPartTo(engine, bytes.subspan(done, size),
                                       {target.handle(), done}));
  }
  return Status::ok();
}

Result<GpuBuffer> vulkan::uploadConstants(const EngineRef &engine,
                                          std::span<const std::byte> bytes) {
  if (bytes.empty())
    return GpuBuffer();
  NNHAL_ASSIGN_OR_RETURN(
      GpuBuffer buffer,
      GpuBuffer::allocate(engine, bytes.size(), Place::device));
  if (buffer.hostBytes())
    std::memcpy(buffer.hostBytes(), bytes.data(), bytes.size());
  else
    NNHAL_RETURN_IF_ERROR(uploadParts(engine, bytes, buffer, uploadPart));
  return buffer;
}
