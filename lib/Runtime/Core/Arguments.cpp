//===- Arguments.cpp - Connects a request with the code -------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Arguments.h"
#include "ArgumentMemory.h"

#include "Runtime/Support/Errors.h"

#include <algorithm>

using namespace nnhal::rt;

uint64_t nnhal::rt::alignmentOf(const InterfaceTensor &tensor) {
  // Elements of an extension may have any size: 12 bytes are aligned as three
  // numbers of 4 are.
  constexpr uint64_t most = AlignedBuffer::minimumAlignment;
  uint64_t size = elementSizeOf(tensor);
  return size == 0 ? 1 : std::min(size & (~size + 1), most);
}

/// The elements of an extension type have the size that the extension states
/// (H-016).
static Status checkType(const Argument &which) {
  if (!isExtension(which.tensor.type) || which.tensor.extension)
    return Status::ok();
  return failure("{} is of the extension type {}, which no extension of the "
                 "device describes",
                 which.label(), nameOf(which.tensor.type));
}

/// OEM scalars have any size: only who defined them knows it (F-023).
static bool hasAnySize(const InterfaceTensor &tensor) {
  return elementSizeOf(tensor) == 0;
}

/// Gives an argument of unknown rank the shape of the request; rank 0 where
/// that states none.
static Status bindOpenRank(const Argument &which,
                           std::span<const uint32_t> requested,
                           InvocationArgument &argument) {
  if (requested.size() > maxOpenRank)
    return badData("{} has rank {} in the request, above {}", which.label(),
                   requested.size(), maxOpenRank);
  argument.rank = uint32_t(requested.size());
  std::ranges::copy(requested, argument.extents);
  return Status::ok();
}

/// Merges what the request says into what the interface says. An extent that
/// neither knows becomes 0.
static Status bindShape(const Argument &which,
                        std::span<const uint32_t> requested,
                        InvocationArgument &argument) {
  if (hasUnknownRank(which.tensor))
    return bindOpenRank(which, requested, argument);
  if (!requested.empty())
    NNHAL_RETURN_IF_ERROR(checkStatedShape(which, requested));
  argument.rank = uint32_t(which.tensor.dimensions.size());
  for (size_t i = 0; i < argument.rank; ++i) {
    uint32_t known = which.tensor.dimensions[i];
    argument.extents[i] =
        known != 0 || requested.empty() ? known : requested[i];
  }
  return Status::ok();
}

/// Bytes of a tensor with the extents in \p argument.
static Result<uint64_t> byteSize(const Argument &which,
                                 const InvocationArgument &argument) {
  uint64_t bytes = elementSizeOf(which.tensor);
  for (size_t i = 0; i < argument.rank; ++i) {
    bytes *= uint64_t(argument.extents[i]);
    if (bytes > UINT32_MAX)
      return badData("{} exceeds {} bytes", which.label(), UINT32_MAX);
  }
  return bytes;
}

static Status checkAlignment(const Argument &which, const void *data) {
  if (reinterpret_cast<uintptr_t>(data) % alignmentOf(which.tensor) != 0)
    return badData("{} is not aligned to its element of {} bytes",
                   which.label(), elementSizeOf(which.tensor));
  return Status::ok();
}

static Status bindBorrowed(const Argument &which,
                           std::span<const std::byte> bytes,
                           InvocationArgument &argument) {
  NNHAL_RETURN_IF_ERROR(checkAlignment(which, bytes.data()));
  argument.data = const_cast<std::byte *>(bytes.data());
  argument.size = bytes.size();
  return Status::ok();
}

/// An input that is not omitted and not a buffer of the device.
static Status bindInputBytes(const Argument &which, const InputArgument &input,
                             const BufferScope &scope, Frame &frame,
                             InvocationArgument &argument) {
  const InterfaceTensor &tensor = which.tensor;
  if (hasUnknownRank(tensor) && input.dimensions.empty())
    return badData("{} has unknown rank, and the request states no shape",
                   which.label());
  bool isUnknown = std::ranges::count(tensor.dimensions, 0u) != 0;
  if (isUnknown && input.dimensions.empty())
    return badData("{} of shape [{}] has unknown dimensions that the request "
                   "does not state",
                   which.label(), fmt::join(tensor.dimensions, ","));
  NNHAL_RETURN_IF_ERROR(bindShape(which, input.dimensions, argument));
  NNHAL_ASSIGN_OR_RETURN(uint64_t needed, byteSize(which, argument));
  uint64_t size = input.memory.size();
  const auto *region = std::get_if<Memory::Descriptor>(&input.memory.kind());
  if (region)
    NNHAL_RETURN_IF_ERROR(
        checkReach(which, {region->pool, region->offset, region->size}, scope));
  bool isWhole = region && isWholePool(region->offset, region->size);
  if (isWhole) {
    bool isEmpty = needed == 0 && !hasAnySize(tensor);
    size = isEmpty || isOpaque(*region->pool) ? needed : region->pool->size();
  }
  if (size != needed && !hasAnySize(tensor))
    return badData("{} has {} bytes, its shape and type need {}", which.label(),
                   size, needed);
  if (region)
    return bindPool(which,
                    {region->pool, region->offset, size, region->padding},
                    scope, frame, argument);
  NNHAL_ASSIGN_OR_RETURN(std::span<const std::byte> bytes,
                         input.memory.bytes());
  return bindBorrowed(which, bytes, argument);
}

/// Binds an argument that is as most are: \p bytes of the client, of which the
/// interface alone says that they fit, without a shape in the request. Whether
/// it was one; every check is left to be made otherwise.
static bool bindPlain(const InterfaceTensor &tensor, const KnownArgument &known,
                      std::span<std::byte> bytes,
                      std::span<const uint32_t> requested,
                      InvocationArgument &argument) {
  if (!requested.empty() || !known.isMetBy(bytes))
    return false;
  argument.rank = uint32_t(tensor.dimensions.size());
  std::ranges::copy(tensor.dimensions, argument.extents);
  argument.isPresent = true;
  argument.isSufficient = true;
  argument.data = bytes.data();
  argument.size = bytes.size();
  argument.memory = nullptr;
  return true;
}

static Status bindInput(const Argument &which, const InputArgument &input,
                        const BufferScope &scope, Frame &frame) {
  InvocationArgument &argument = frame.inputs[which.index];
  const auto *bytes = std::get_if<Memory::Borrowed>(&input.memory.kind());
  if (bytes && bindPlain(which.tensor, frame.knownInputs[which.index],
                         {const_cast<std::byte *>(bytes->data), bytes->size},
                         input.dimensions, argument))
    return Status::ok();
  argument.isPresent = !input.memory.isNone();
  argument.data = nullptr;
  argument.size = 0;
  argument.memory = nullptr;
  if (!argument.isPresent) {
    // An argument without a value has no dimensions (B-080).
    if (!input.dimensions.empty())
      return badData("{} is omitted and has the shape [{}]", which.label(),
                     fmt::join(input.dimensions, ","));
    return bindShape(which, {}, argument);
  }
  NNHAL_RETURN_IF_ERROR(checkType(which));
  const auto *token = std::get_if<Memory::DeviceToken>(&input.memory.kind());
  if (!token)
    return bindInputBytes(which, input, scope, frame, argument);
  NNHAL_RETURN_IF_ERROR(bindShape(which, input.dimensions, argument));
  return bindToken(which, token->token, scope, frame, argument);
}

static Status bindOutputMemory(const Argument &which,
                               const OutputArgument &output,
                               const BufferScope &scope, Frame &frame,
                               InvocationArgument &argument) {
  const OutputMemory::Kind &kind = output.memory.kind();
  if (const auto *memory = std::get_if<OutputMemory::Borrowed>(&kind))
    return bindBorrowed(which, {memory->data, memory->size}, argument);
  if (const auto *token = std::get_if<OutputMemory::DeviceToken>(&kind))
    return bindToken(which, token->token, scope, frame, argument);
  const auto *region = std::get_if<OutputMemory::Region>(&kind);
  if (!region)
    return badData("{} has no memory", which.label());
  NNHAL_RETURN_IF_ERROR(
      checkReach(which, {region->pool, region->offset, region->size}, scope));
  uint64_t size = region->size;
  if (isOpaque(*region->pool)) {
    NNHAL_ASSIGN_OR_RETURN(size, byteSize(which, argument));
  } else if (isWholePool(region->offset, region->size)) {
    size = region->pool->size();
  }
  return bindPool(which, {region->pool, region->offset, size, region->padding},
                  scope, frame, argument);
}

static Status bindOutput(const Argument &which, const OutputArgument &output,
                         const BufferScope &scope, Frame &frame) {
  InvocationArgument &argument = frame.outputs[which.index];
  const auto *bytes =
      std::get_if<OutputMemory::Borrowed>(&output.memory.kind());
  if (bytes &&
      bindPlain(which.tensor, frame.knownOutputs[which.index],
                {bytes->data, bytes->size}, output.dimensions, argument))
    return Status::ok();
  argument.isPresent = true;
  argument.isSufficient = true;
  argument.memory = nullptr;
  NNHAL_RETURN_IF_ERROR(checkType(which));
  NNHAL_RETURN_IF_ERROR(bindShape(which, output.dimensions, argument));
  NNHAL_RETURN_IF_ERROR(
      bindOutputMemory(which, output, scope, frame, argument));
  if (std::holds_alternative<OutputMemory::DeviceToken>(output.memory.kind()))
    return Status::ok(); // Its room is known when it is locked.
  // The size that an unknown dimension leads to only the code knows.
  bool isKnown = !hasUnknownRank(which.tensor) &&
                 std::ranges::count(which.tensor.dimensions, 0u) == 0;
  NNHAL_ASSIGN_OR_RETURN(uint64_t needed, byteSize(which, argument));
  argument.isSufficient = !isKnown || argument.size >= needed;
  return Status::ok();
}

/// outputInsufficientSize naming the first output that is too small.
static Status checkSufficient(const Interface &interface, const Frame &frame) {
  for (size_t i = 0; i < frame.outputs.size(); ++i)
    if (!frame.outputs[i].isSufficient)
      return Status(StatusCode::outputInsufficientSize,
                    fmt::format("{} of shape [{}] does not fit its {} bytes",
                                argumentLabel(false, i, interface.outputs[i]),
                                fmt::join(frame.outputs[i].shape(), ","),
                                frame.outputs[i].size));
  return Status::ok();
}

Status nnhal::rt::bindArguments(const Interface &interface,
                                const Request &request,
                                const BufferScope &scope, Frame &frame) {
  if (request.inputs.size() != interface.inputs.size())
    return badData("request has {} inputs, the model {}", request.inputs.size(),
                   interface.inputs.size());
  if (request.outputs.size() != interface.outputs.size())
    return badData("request has {} outputs, the model {}",
                   request.outputs.size(), interface.outputs.size());
  for (size_t i = 0; i < request.inputs.size(); ++i)
    NNHAL_RETURN_IF_ERROR(bindInput({true, i, interface.inputs[i]},
                                    request.inputs[i], scope, frame));
  for (size_t i = 0; i < request.outputs.size(); ++i)
    NNHAL_RETURN_IF_ERROR(bindOutput({false, i, interface.outputs[i]},
                                     request.outputs[i], scope, frame));
  NNHAL_RETURN_IF_ERROR(checkBufferUses(frame));
  return checkSufficient(interface, frame);
}

Status nnhal::rt::collectOutputs(const Interface &interface, const Frame &frame,
                                 std::vector<OutputShape> &shapes) {
  shapes.resize(frame.outputs.size());
  for (size_t i = 0; i < frame.outputs.size(); ++i) {
    const InvocationArgument &argument = frame.outputs[i];
    const InterfaceTensor &tensor = interface.outputs[i];
    bool isOpen = hasUnknownRank(tensor);
    if (isOpen ? argument.rank > maxOpenRank
               : argument.rank != tensor.dimensions.size())
      return failure("code reported rank {} of {} of shape [{}]", argument.rank,
                     argumentLabel(false, i, tensor),
                     fmt::join(tensor.dimensions, ","));
    shapes[i].isSufficient = argument.isSufficient;
    shapes[i].dimensions.resize(argument.rank);
    for (size_t d = 0; d < argument.rank; ++d) {
      int64_t extent = argument.extents[d];
      bool fits = isOpen || tensor.dimensions[d] == 0
                      ? extent >= 0 && extent <= UINT32_MAX
                      : extent == tensor.dimensions[d];
      if (!fits)
        return failure("code reported extent {} in dimension {} of {} of shape "
                       "[{}]",
                       extent, d, argumentLabel(false, i, tensor),
                       fmt::join(tensor.dimensions, ","));
      shapes[i].dimensions[d] = uint32_t(extent);
    }
  }
  return checkSufficient(interface, frame);
}

Status nnhal::rt::checkFullySpecified(const Interface &interface,
                                      const Frame &frame) {
  for (size_t i = 0; i < frame.outputs.size(); ++i) {
    std::span<const int64_t> shape = frame.outputs[i].shape();
    bool isOpen = hasUnknownRank(interface.outputs[i]) && shape.empty();
    if (isOpen || std::ranges::count(shape, 0) != 0)
      return badData("{} has the shape [{}]: a fenced execution needs to know "
                     "every extent, and none may be 0",
                     argumentLabel(false, i, interface.outputs[i]),
                     fmt::join(shape, ","));
  }
  return Status::ok();
}
