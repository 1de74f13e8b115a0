//===- Arguments.cpp - Which requests a divided model takes ---------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Devices check the arguments of their steps. An argument that the runtime
// reads or writes itself, or that no step has, is checked by nobody else.
//
//===----------------------------------------------------------------------===//

#include "BufferCopies.h"
#include "DividedModel.h"

#include "Runtime/Model/ArgumentShape.h"
#include "Runtime/Support/Errors.h"

#include <optional>

using namespace nnhal::rt;
using namespace nnhal::rt::partition;

/// The bytes of an input; nothing where only a device knows them.
static std::optional<uint64_t> sizeOf(const Memory &memory) {
  if (std::holds_alternative<Memory::DeviceToken>(memory.kind()))
    return std::nullopt;
  const auto *region = std::get_if<Memory::Descriptor>(&memory.kind());
  if (!region || region->size != 0)
    return memory.size();
  if (region->pool->kind() == PoolKind::hardwareBuffer)
    return std::nullopt;
  // The pool from its offset on (I-061).
  uint64_t whole = region->pool->size();
  return region->offset < whole ? whole - region->offset : 0;
}

static Status checkInput(const Argument &which, bool isNeeded,
                         const InputArgument &input) {
  if (input.memory.isNone()) {
    if (isNeeded)
      return badData("{} is omitted, and the divided model needs it",
                     which.label());
    return Status::ok();
  }
  NNHAL_RETURN_IF_ERROR(checkStatedShape(which, input.dimensions));
  std::optional<uint32_t> needed = byteSizeOf(which.tensor);
  std::optional<uint64_t> size = sizeOf(input.memory);
  if (needed && size && *size != *needed)
    return badData("{} has {} bytes, its shape and type need {}", which.label(),
                   *size, *needed);
  return Status::ok();
}

Status DividedModel::checkArguments(const Request &request) const {
  const Interface &face = interface();
  if (request.inputs.size() != face.inputs.size())
    return badData("the request has {} inputs, the divided model has {}",
                   request.inputs.size(), face.inputs.size());
  if (request.outputs.size() != face.outputs.size())
    return badData("the request has {} outputs, the divided model has {}",
                   request.outputs.size(), face.outputs.size());
  for (size_t i = 0; i < face.inputs.size(); ++i)
    NNHAL_RETURN_IF_ERROR(checkInput({true, i, face.inputs[i]}, parts.needed[i],
                                     request.inputs[i]));
  for (size_t i = 0; i < face.outputs.size(); ++i)
    NNHAL_RETURN_IF_ERROR(checkStatedShape({false, i, face.outputs[i]},
                                           request.outputs[i].dimensions));
  return checkBufferUses(parts, request);
}
