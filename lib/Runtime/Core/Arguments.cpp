//===- Arguments.cpp - Checks a request against an interface --------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Arguments.h"

#include <algorithm>

using namespace nnhal::rt;

/// "input 2 ('scores')".
static std::string label(const char *what, size_t index,
                         const InterfaceTensor &tensor) {
  if (tensor.name.empty())
    return fmt::format("{} {}", what, index);
  return fmt::format("{} {} ('{}')", what, index, tensor.name);
}

static uint64_t elementSize(const InterfaceTensor &tensor) {
  return lookUp(tensor.type)->elementSize;
}

/// Merges what the request says into what the interface says. An extent that
/// neither knows becomes 0.
static Status bindShape(const char *what, size_t index,
                        const InterfaceTensor &tensor,
                        std::span<const uint32_t> requested,
                        NNHalTensorArgument &argument) {
  if (!requested.empty() && requested.size() != argument.rank)
    return badData("{} has rank {} in the request and {} in the model",
                   label(what, index, tensor), requested.size(), argument.rank);
  for (size_t i = 0; i < argument.rank; ++i) {
    uint32_t known = tensor.dimensions[i];
    uint32_t stated = requested.empty() ? known : requested[i];
    if (known != 0 && stated != 0 && stated != known)
      return badData("{} has extent {} in dimension {} of the request and {} "
                     "in the model",
                     label(what, index, tensor), stated, i, known);
    argument.shape[i] = known != 0 ? known : stated;
  }
  return Status::ok();
}

/// Bytes of a tensor with the extents in \p argument.
static Result<uint64_t> byteSize(const char *what, size_t index,
                                 const InterfaceTensor &tensor,
                                 const NNHalTensorArgument &argument) {
  uint64_t bytes = elementSize(tensor);
  for (size_t i = 0; i < argument.rank; ++i) {
    bytes *= uint64_t(argument.shape[i]);
    if (bytes > UINT32_MAX)
      return badData("{} exceeds {} bytes", label(what, index, tensor),
                     UINT32_MAX);
  }
  return bytes;
}

static Status checkAlignment(const char *what, size_t index,
                             const InterfaceTensor &tensor, const void *data) {
  if (reinterpret_cast<uintptr_t>(data) % elementSize(tensor) != 0)
    return badData("{} is not aligned to its element of {} bytes",
                   label(what, index, tensor), elementSize(tensor));
  return Status::ok();
}

static Status bindInput(size_t index, const InterfaceTensor &tensor,
                        const InputArgument &input, Frame &frame) {
  NNHalTensorArgument &argument = frame.inputs[index];
  argument.isPresent = !input.memory.isNone();
  argument.data = nullptr;
  argument.size = 0;
  if (!argument.isPresent) {
    std::copy(tensor.dimensions.begin(), tensor.dimensions.end(),
              argument.shape);
    return Status::ok();
  }
  bool isUnknown = std::ranges::count(tensor.dimensions, 0u) != 0;
  if (isUnknown && input.dimensions.empty())
    return badData("{} of shape [{}] has unknown dimensions that the request "
                   "does not state",
                   label("input", index, tensor),
                   fmt::join(tensor.dimensions, ","));
  NNHAL_RETURN_IF_ERROR(
      bindShape("input", index, tensor, input.dimensions, argument));
  NNHAL_ASSIGN_OR_RETURN(uint64_t needed,
                         byteSize("input", index, tensor, argument));
  if (input.memory.size() != needed)
    return badData("{} has {} bytes, its shape and type need {}",
                   label("input", index, tensor), input.memory.size(), needed);
  const Memory *memory = &input.memory;
  if (std::holds_alternative<Memory::Descriptor>(memory->kind())) {
    NNHAL_ASSIGN_OR_RETURN(Memory copy, memory->materialize());
    frame.materialized.push_back(std::move(copy));
    memory = &frame.materialized.back();
  }
  NNHAL_ASSIGN_OR_RETURN(std::span<const std::byte> bytes, memory->bytes());
  NNHAL_RETURN_IF_ERROR(checkAlignment("input", index, tensor, bytes.data()));
  argument.data = const_cast<std::byte *>(bytes.data());
  argument.size = bytes.size();
  return Status::ok();
}

static Status bindOutput(size_t index, const InterfaceTensor &tensor,
                         const OutputArgument &output, Frame &frame) {
  NNHalTensorArgument &argument = frame.outputs[index];
  const auto *memory =
      std::get_if<OutputMemory::Borrowed>(&output.memory.kind());
  if (!memory)
    return badData("{} has no memory", label("output", index, tensor));
  NNHAL_RETURN_IF_ERROR(
      bindShape("output", index, tensor, output.dimensions, argument));
  NNHAL_RETURN_IF_ERROR(checkAlignment("output", index, tensor, memory->data));
  argument.data = memory->data;
  argument.size = memory->size;
  argument.isPresent = 1;
  // The size that an unknown dimension leads to only the code knows.
  bool isKnown = std::ranges::count(tensor.dimensions, 0u) == 0;
  NNHAL_ASSIGN_OR_RETURN(uint64_t needed,
                         byteSize("output", index, tensor, argument));
  argument.isSufficient = !isKnown || memory->size >= needed;
  return Status::ok();
}

/// outputInsufficientSize naming the first output that is too small.
static Status checkSufficient(const Interface &interface, const Frame &frame) {
  for (size_t i = 0; i < frame.outputs.size(); ++i)
    if (!frame.outputs[i].isSufficient)
      return Status(StatusCode::outputInsufficientSize,
                    fmt::format("{} of shape [{}] does not fit its {} bytes",
                                label("output", i, interface.outputs[i]),
                                fmt::join(std::span(frame.outputs[i].shape,
                                                    frame.outputs[i].rank),
                                          ","),
                                frame.outputs[i].size));
  return Status::ok();
}

Status nnhal::rt::bindArguments(const Interface &interface,
                                const Request &request, Frame &frame) {
  if (request.inputs.size() != interface.inputs.size())
    return badData("request has {} inputs, the model {}", request.inputs.size(),
                   interface.inputs.size());
  if (request.outputs.size() != interface.outputs.size())
    return badData("request has {} outputs, the model {}",
                   request.outputs.size(), interface.outputs.size());
  for (size_t i = 0; i < request.inputs.size(); ++i)
    NNHAL_RETURN_IF_ERROR(
        bindInput(i, interface.inputs[i], request.inputs[i], frame));
  for (size_t i = 0; i < request.outputs.size(); ++i)
    NNHAL_RETURN_IF_ERROR(
        bindOutput(i, interface.outputs[i], request.outputs[i], frame));
  return checkSufficient(interface, frame);
}

Status nnhal::rt::collectOutputs(const Interface &interface, const Frame &frame,
                                 std::vector<OutputShape> &shapes) {
  shapes.resize(frame.outputs.size());
  for (size_t i = 0; i < frame.outputs.size(); ++i) {
    const NNHalTensorArgument &argument = frame.outputs[i];
    const InterfaceTensor &tensor = interface.outputs[i];
    shapes[i].isSufficient = argument.isSufficient != 0;
    shapes[i].dimensions.resize(argument.rank);
    for (size_t d = 0; d < argument.rank; ++d) {
      int64_t extent = argument.shape[d];
      bool fits = tensor.dimensions[d] == 0
                      ? extent >= 0 && extent <= UINT32_MAX
                      : extent == tensor.dimensions[d];
      if (!fits)
        return failure("code reported extent {} in dimension {} of {} of shape "
                       "[{}]",
                       extent, d, label("output", i, tensor),
                       fmt::join(tensor.dimensions, ","));
      shapes[i].dimensions[d] = uint32_t(extent);
    }
  }
  return checkSufficient(interface, frame);
}
