//===- RecordedTensors.cpp - The arguments of a request as values ---------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RecordedTensors.h"
#include "Runtime/Support/Errors.h"
#include "nnhal/Runtime/SharedMemory.h"

#include <algorithm>

using namespace nnhal::rt;

/// Copies the first \p size bytes of \p memory.
static Status copyFrom(const OutputMemory &memory, size_t size,
                       std::vector<uint8_t> &bytes) {
  bytes.resize(size);
  auto target = std::as_writable_bytes(std::span(bytes));
  if (memory.size() < size)
    return badData("the memory has {} bytes, expected {}", memory.size(), size);
  if (const auto *borrowed =
          std::get_if<OutputMemory::Borrowed>(&memory.kind())) {
    std::copy_n(borrowed->data, size, target.begin());
    return Status::ok();
  }
  const auto &region = std::get<OutputMemory::Region>(memory.kind());
  return region.pool->read(region.offset, target);
}

/// The extents of an argument: those that are \p stated, or of the model.
static std::vector<uint32_t> extentsOf(const InterfaceTensor &tensor,
                                       const std::vector<uint32_t> &stated) {
  std::vector<uint32_t> extents = stated.empty() ? tensor.dimensions : stated;
  for (size_t i = 0; i < extents.size() && i < tensor.dimensions.size(); ++i)
    if (extents[i] == 0)
      extents[i] = tensor.dimensions[i];
  return extents;
}

static uint64_t sizeOf(const InterfaceTensor &tensor,
                       const std::vector<uint32_t> &extents) {
  uint64_t size = elementSizeOf(tensor);
  // Executed requests have tensors of at most 4 GiB.
  for (uint32_t extent : isTensor(tensor) ? extents : std::vector<uint32_t>())
    size = std::min<uint64_t>(size * extent, UINT32_MAX);
  return size;
}

static Result<TestTensor> inputOf(const InterfaceTensor &tensor,
                                  const InputArgument &argument) {
  TestTensor result;
  result.isAbsent = argument.memory.isNone();
  if (result.isAbsent)
    return result;
  if (std::holds_alternative<Memory::DeviceToken>(argument.memory.kind()))
    return badData("it is in memory of a device");
  result.dimensions = extentsOf(tensor, argument.dimensions);
  NNHAL_ASSIGN_OR_RETURN(Memory memory, argument.memory.materialize());
  NNHAL_ASSIGN_OR_RETURN(std::span<const std::byte> bytes, memory.bytes());
  // A scalar of an extension has a size that only its device knows.
  uint64_t size = elementSizeOf(tensor) == 0
                      ? bytes.size()
                      : sizeOf(tensor, result.dimensions);
  if (bytes.size() < size)
    return badData("the memory has {} bytes, expected {}", bytes.size(), size);
  const auto *begin = reinterpret_cast<const uint8_t *>(bytes.data());
  result.bytes.assign(begin, begin + size);
  return result;
}

static Result<TestTensor> outputOf(const InterfaceTensor &tensor,
                                   const OutputArgument &argument,
                                   const std::vector<uint32_t> &dimensions) {
  TestTensor result;
  result.isAbsent = argument.memory.isNone();
  if (result.isAbsent)
    return result;
  if (std::holds_alternative<OutputMemory::DeviceToken>(argument.memory.kind()))
    return badData("it is in memory of a device");
  result.dimensions = extentsOf(tensor, dimensions);
  NNHAL_RETURN_IF_ERROR(copyFrom(
      argument.memory, sizeOf(tensor, result.dimensions), result.bytes));
  return result;
}

Result<TestExample> nnhal::rt::recordedExample(const Interface &interface,
                                               const Request &request,
                                               const ExecutionResult &result,
                                               bool hasOutputs) {
  // Shapes that the request states need not be told again (D-028).
  size_t shapes = hasOutputs && !result.outputShapes.empty()
                      ? result.outputShapes.size()
                      : interface.outputs.size();
  if (request.inputs.size() != interface.inputs.size() ||
      request.outputs.size() != interface.outputs.size() ||
      shapes != interface.outputs.size())
    return badData("{} inputs, {} outputs and {} shapes, the model has {} and "
                   "{}",
                   request.inputs.size(), request.outputs.size(), shapes,
                   interface.inputs.size(), interface.outputs.size());
  TestExample example;
  for (size_t i = 0; i < request.inputs.size(); ++i) {
    auto input = inputOf(interface.inputs[i], request.inputs[i]);
    if (!input.isOk())
      return input.status().withContext(fmt::format("input {}", i));
    example.inputs.push_back(*std::move(input));
  }
  for (size_t i = 0; i < request.outputs.size(); ++i) {
    if (!hasOutputs) {
      example.outputs.push_back({true, {}, {}});
      continue;
    }
    auto output = outputOf(interface.outputs[i], request.outputs[i],
                           result.outputShapes.empty()
                               ? request.outputs[i].dimensions
                               : result.outputShapes[i].dimensions);
    if (!output.isOk())
      return output.status().withContext(fmt::format("output {}", i));
    example.outputs.push_back(*std::move(output));
  }
  return example;
}
