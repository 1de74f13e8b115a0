//===- BufferCopies.cpp - Device memory for another device ----------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BufferCopies.h"

#include "Runtime/Support/Errors.h"

#include <algorithm>

using namespace nnhal::rt;
using namespace nnhal::rt::partition;

Result<std::shared_ptr<Buffer>>
nnhal::rt::partition::lookUpBuffer(const FindBuffer &find, const Device *device,
                                   uint32_t token) {
  std::shared_ptr<Buffer> buffer;
  if (device && find)
    buffer = find(*device, token);
  if (!buffer)
    return failure("device memory {} cannot be copied: its buffer is not known",
                   token);
  return buffer;
}

Result<std::shared_ptr<SharedMemory>>
nnhal::rt::partition::bufferCopyOf(uint64_t size) {
  if (size == 0)
    return failure("device memory of unknown size cannot be copied");
  return SharedMemory::createAshmem(size);
}

bool nnhal::rt::partition::hasBuffers(const Request &request) {
  return std::ranges::any_of(
             request.inputs,
             [](const InputArgument &input) {
               return std::holds_alternative<Memory::DeviceToken>(
                   input.memory.kind());
             }) ||
         std::ranges::any_of(request.outputs, [](const OutputArgument &output) {
           return std::holds_alternative<OutputMemory::DeviceToken>(
               output.memory.kind());
         });
}

const Device *nnhal::rt::partition::deviceOf(const Compound &compound,
                                             Place::Kind kind, uint32_t index) {
  auto has = [&](const std::vector<Place> &places) {
    return std::ranges::any_of(places, [&](const Place &place) {
      return place.kind == kind && place.index == index;
    });
  };
  for (size_t i = 0; i < compound.steps.size(); ++i)
    if (has(compound.layout.steps[i].inputs) ||
        has(compound.layout.steps[i].outputs))
      return compound.steps[i].device;
  return nullptr;
}

namespace {
struct BufferUse {
  const Device *device;
  uint32_t token;
  bool isInput;
  size_t index;
};
} // namespace

static std::vector<BufferUse> bufferUses(const Compound &compound,
                                         const Request &request) {
  std::vector<BufferUse> uses;
  auto add = [&](const auto *token, bool isInput, size_t index) {
    Place::Kind kind = isInput ? Place::Kind::input : Place::Kind::output;
    if (token)
      uses.push_back({deviceOf(compound, kind, uint32_t(index)), token->token,
                      isInput, index});
  };
  for (size_t i = 0; i < request.inputs.size(); ++i)
    add(std::get_if<Memory::DeviceToken>(&request.inputs[i].memory.kind()),
        /*isInput=*/true, i);
  for (size_t i = 0; i < request.outputs.size(); ++i)
    add(std::get_if<OutputMemory::DeviceToken>(
            &request.outputs[i].memory.kind()),
        /*isInput=*/false, i);
  return uses;
}

Status nnhal::rt::partition::checkBufferUses(const Compound &compound,
                                             const Request &request) {
  if (!hasBuffers(request))
    return Status::ok();
  std::vector<BufferUse> uses = bufferUses(compound, request);
  for (const BufferUse &output : uses)
    for (const BufferUse &other : uses)
      if (!output.isInput && &other != &output &&
          other.device == output.device && other.token == output.token)
        return badData("the buffer of output {} is also that of {} {}",
                       output.index, other.isInput ? "input" : "output",
                       other.index);
  return Status::ok();
}

Status BufferCopies::begin(const FindBuffer &find, const Describe &describe,
                           Request &request) {
  for (size_t k = 0; k < request.inputs.size(); ++k) {
    Memory &memory = request.inputs[k].memory;
    const auto *token = std::get_if<Memory::DeviceToken>(&memory.kind());
    if (!token)
      continue;
    BufferArgument argument = describe(/*isInput=*/true, k);
    NNHAL_ASSIGN_OR_RETURN(std::shared_ptr<Buffer> buffer,
                           lookUpBuffer(find, argument.device, token->token));
    NNHAL_ASSIGN_OR_RETURN(std::shared_ptr<SharedMemory> copy,
                           bufferCopyOf(argument.size));
    NNHAL_RETURN_IF_ERROR(buffer->copyTo(*copy));
    memory = Memory::region(std::move(copy), 0, argument.size);
  }
  for (size_t k = 0; k < request.outputs.size(); ++k) {
    OutputMemory &memory = request.outputs[k].memory;
    const auto *token = std::get_if<OutputMemory::DeviceToken>(&memory.kind());
    if (!token)
      continue;
    BufferArgument argument = describe(/*isInput=*/false, k);
    NNHAL_ASSIGN_OR_RETURN(std::shared_ptr<Buffer> buffer,
                           lookUpBuffer(find, argument.device, token->token));
    NNHAL_ASSIGN_OR_RETURN(std::shared_ptr<SharedMemory> copy,
                           bufferCopyOf(argument.size));
    memory = OutputMemory::region(copy, 0, argument.size);
    outputs.push_back({std::move(buffer), std::move(copy), k});
  }
  return Status::ok();
}

Status BufferCopies::end(const ExecutionResult &result) {
  for (const Output &output : outputs) {
    std::vector<uint32_t> dimensions;
    if (output.index < result.outputShapes.size())
      dimensions = result.outputShapes[output.index].dimensions;
    NNHAL_RETURN_IF_ERROR(output.buffer->copyFrom(*output.copy, dimensions));
  }
  return Status::ok();
}
