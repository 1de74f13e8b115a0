//===- Execution.cpp - Requests executed together -------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Execution.h"

#include "Runtime/Support/Errors.h"
#include "nnhal/Runtime/AlignedBuffer.h"

#include <algorithm>
#include <cstring>
#include <optional>

using namespace nnhal;
using namespace nnhal::serving;
using rt::AlignedBuffer;
using rt::Status;

/// The bytes that an output gets while nobody knows its size.
static constexpr uint64_t firstSize = 4096;

/// One execution of the runtime.
struct Executable::Run {
  std::span<const Arguments *const> requests;
  bool isBatched = false;
  /// Samples of all requests, and of the execution.
  uint32_t samples = 1;
  uint32_t extent = 1;
  rt::Request request;
  rt::ExecutionResult result;
  /// Inputs that were joined or moved to an address that fits.
  std::vector<AlignedBuffer> copies;
  std::vector<std::shared_ptr<AlignedBuffer>> outputs;
};

Executable::Executable(rt::PreparedModelRef model, const Signature &signature,
                       prometheus::Counter &copiedBytes)
    : model(std::move(model)), signature(signature),
      sizes(signature.outputs.size()), copiedBytes(copiedBytes) {}

static bool isAligned(std::span<const std::byte> bytes, uint32_t alignment) {
  return reinterpret_cast<uintptr_t>(bytes.data()) % alignment == 0;
}

/// Binds input \p index of the only request.
Status Executable::bindInput(Run &run, size_t index) const {
  const Arguments::Input &input = run.requests.front()->inputs[index];
  rt::InputArgument &argument = run.request.inputs[index];
  argument.dimensions = input.dimensions;
  if (isAligned(input.data, sizeOf(signature.inputs[index].type))) {
    argument.memory = rt::Memory::borrow(input.data);
    return Status::ok();
  }
  NNHAL_ASSIGN_OR_RETURN(AlignedBuffer copy,
                         AlignedBuffer::allocate(input.data.size()));
  std::ranges::copy(input.data, copy.data());
  copiedBytes.Increment(double(input.data.size()));
  argument.memory = rt::Memory::borrow(copy.bytes());
  run.copies.push_back(std::move(copy));
  return Status::ok();
}

/// Binds input \p index of all requests, one after the other and then zeros.
Status Executable::joinInput(Run &run, size_t index) const {
  const Arguments::Input &first = run.requests.front()->inputs[index];
  uint64_t sample = first.data.size() / run.requests.front()->samples;
  NNHAL_ASSIGN_OR_RETURN(AlignedBuffer joined,
                         AlignedBuffer::allocate(sample * run.extent));
  std::byte *end = joined.data();
  for (const Arguments *request : run.requests)
    end = std::ranges::copy(request->inputs[index].data, end).out;
  std::fill(end, joined.data() + joined.size(), std::byte());
  rt::InputArgument &argument = run.request.inputs[index];
  argument.dimensions = first.dimensions;
  argument.dimensions.front() = run.extent;
  argument.memory = rt::Memory::borrow(joined.bytes());
  run.copies.push_back(std::move(joined));
  return Status::ok();
}

Status Executable::bindInputs(Run &run) const {
  run.request.inputs.resize(signature.inputs.size());
  bool isAlone = run.requests.size() == 1 && run.samples == run.extent;
  for (size_t i = 0; i < signature.inputs.size(); ++i)
    NNHAL_RETURN_IF_ERROR(isAlone ? bindInput(run, i) : joinInput(run, i));
  return Status::ok();
}

Status Executable::allocateOutput(Run &run, size_t index, uint64_t size) const {
  NNHAL_ASSIGN_OR_RETURN(AlignedBuffer buffer, AlignedBuffer::allocate(size));
  run.outputs[index] = std::make_shared<AlignedBuffer>(std::move(buffer));
  run.request.outputs[index].memory =
      rt::OutputMemory::borrow(run.outputs[index]->bytes());
  return Status::ok();
}

/// The bytes of an output of \p tensor with \p batch samples, where it is in
/// batches; nothing where only an execution knows.
static std::optional<uint64_t> knownSize(const TensorInfo &tensor,
                                         std::optional<uint32_t> batch) {
  uint64_t size = sizeOf(tensor.type);
  for (size_t axis = 0; axis < tensor.shape.size(); ++axis) {
    int64_t extent = axis == 0 && batch ? int64_t(*batch) : tensor.shape[axis];
    if (extent < 0)
      return std::nullopt;
    size *= uint64_t(extent);
  }
  return size;
}

Status Executable::allocateOutputs(Run &run) const {
  run.request.outputs.resize(signature.outputs.size());
  run.outputs.resize(signature.outputs.size());
  std::optional<uint32_t> batch;
  if (run.isBatched)
    batch = run.extent;
  for (size_t i = 0; i < signature.outputs.size(); ++i) {
    std::optional<uint64_t> known = knownSize(signature.outputs[i], batch);
    uint64_t seen = std::max(firstSize, sizes[i].load());
    NNHAL_RETURN_IF_ERROR(allocateOutput(run, i, known.value_or(seen)));
  }
  return Status::ok();
}

/// The bytes that output \p index of \p shapes has.
static uint64_t sizeOf(const TensorInfo &tensor, const rt::OutputShape &shape) {
  uint64_t size = serving::sizeOf(tensor.type);
  for (uint32_t extent : shape.dimensions)
    size *= extent;
  return size;
}

/// Executes once, and once more with larger outputs where they were too small.
Status Executable::executeNow(Run &run) const {
  Status status = model->execute(run.request, run.result);
  if (status.code() != rt::StatusCode::outputInsufficientSize)
    return status;
  for (size_t i = 0; i < signature.outputs.size(); ++i) {
    const rt::OutputShape &shape = run.result.outputShapes[i];
    if (shape.isSufficient)
      continue;
    uint64_t size = ::sizeOf(signature.outputs[i], shape);
    NNHAL_RETURN_IF_ERROR(allocateOutput(run, i, size));
    uint64_t seen = sizes[i].load();
    while (seen < size && !sizes[i].compare_exchange_weak(seen, size))
      ;
  }
  return model->execute(run.request, run.result);
}

/// Gives each response its part of the outputs.
Status
Executable::giveOutputs(const Run &run,
                        std::span<InferenceResponse *const> responses) const {
  for (size_t i = 0; i < signature.outputs.size(); ++i) {
    const rt::OutputShape &shape = run.result.outputShapes[i];
    if (run.isBatched &&
        (shape.dimensions.empty() || shape.dimensions.front() != run.extent))
      return rt::failure("output '{}' does not have the {} samples of the "
                         "inputs",
                         signature.outputs[i].name, run.extent);
  }
  uint32_t begin = 0;
  for (size_t r = 0; r < responses.size(); ++r) {
    const Arguments &arguments = *run.requests[r];
    InferenceResponse &response = *responses[r];
    for (size_t index : arguments.outputs) {
      const TensorInfo &info = signature.outputs[index];
      const rt::OutputShape &shape = run.result.outputShapes[index];
      ResponseTensor &tensor = response.outputs.emplace_back();
      tensor.name = info.name;
      tensor.type = info.type;
      tensor.shape.assign(shape.dimensions.begin(), shape.dimensions.end());
      if (info.isScalar)
        tensor.shape = {1};
      uint64_t size = ::sizeOf(info, shape);
      uint64_t offset = 0;
      if (run.isBatched) {
        uint64_t sample = size / run.extent;
        tensor.shape.front() = arguments.samples;
        offset = sample * begin;
        size = sample * arguments.samples;
      }
      tensor.data = run.outputs[index]->bytes().subspan(offset, size);
      response.owners.push_back(run.outputs[index]);
    }
    begin += arguments.samples;
  }
  return Status::ok();
}

Status
Executable::execute(std::span<const Arguments *const> requests,
                    rt::Deadline deadline, bool isBatched,
                    std::span<InferenceResponse *const> responses) const {
  Run run;
  run.requests = requests;
  run.isBatched = isBatched;
  run.samples = 0;
  for (const Arguments *request : requests)
    run.samples += request->samples;
  run.extent = isBatched && signature.batchExtent > 0 ? signature.batchExtent
                                                      : run.samples;
  run.request.deadline = deadline;
  NNHAL_RETURN_IF_ERROR(bindInputs(run));
  NNHAL_RETURN_IF_ERROR(allocateOutputs(run));
  NNHAL_RETURN_IF_ERROR(executeNow(run));
  return giveOutputs(run, responses);
}
