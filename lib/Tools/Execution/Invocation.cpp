//===- Invocation.cpp - One request, executed again and again -------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Invocation.h"

#include "Phases.h"
#include "Preparation.h"
#include "Tools/Tensors/Inputs.h"

#include <chrono>

using namespace nnhal;
using namespace nnhal::tools;
using rt::Status;

Invocation::Invocation(const RunRequest &asked, ExecutionMode mode,
                       const rt::Device &device,
                       const rt::PreparedModelRef &model, rt::Tracer *tracer)
    : asked(asked), mode(mode), model(model),
      executions(mode, model, asked.fenceAfter, asked.burst), tracer(tracer) {
  if (asked.place != ArgumentPlace::process)
    places.emplace(asked.place, device, model);
}

Status Invocation::prepare(std::span<const std::vector<uint32_t>> inputShapes) {
  const rt::Interface &interface = model->interface();
  request.measureTiming = true;
  request.measureOperations = asked.measureOperations;
  request.loopTimeout = asked.loopTimeout;
  request.inputs.resize(interface.inputs.size());
  bound.resize(interface.inputs.size());
  for (size_t i = 0; i < interface.inputs.size(); ++i)
    request.inputs[i].dimensions = inputShapes[i];
  request.outputs.resize(interface.outputs.size());
  outputs.resize(interface.outputs.size());
  for (size_t i = 0; i < interface.outputs.size(); ++i) {
    const rt::InterfaceTensor &tensor = interface.outputs[i];
    NNHAL_ASSIGN_OR_RETURN(uint64_t size,
                           byteSizeOf(tensor, tensor.dimensions));
    NNHAL_RETURN_IF_ERROR(allocateOutput(i, size, tensor.dimensions));
  }
  return Status::ok();
}

Status Invocation::allocateOutput(size_t index, uint64_t size,
                                  std::span<const uint32_t> dimensions) {
  NNHAL_ASSIGN_OR_RETURN(outputs[index], rt::AlignedBuffer::allocate(size));
  if (!places) {
    request.outputs[index].memory =
        rt::OutputMemory::borrow(outputs[index].bytes());
    return Status::ok();
  }
  NNHAL_ASSIGN_OR_RETURN(request.outputs[index].memory,
                         places->placeOutput(index, size, dimensions));
  return Status::ok();
}

Status Invocation::bindInput(size_t index, std::span<const std::byte> bytes) {
  bound[index] = bytes;
  if (!places) {
    request.inputs[index].memory = rt::Memory::borrow(bytes);
    return Status::ok();
  }
  NNHAL_ASSIGN_OR_RETURN(
      request.inputs[index].memory,
      places->placeInput(index, bytes, request.inputs[index].dimensions));
  return Status::ok();
}

rt::Result<Duration> Invocation::execute() {
  rt::TraceSection section(tracer, applicationPhase(rt::TracePhase::execution),
                           "execute");
  auto begin = std::chrono::steady_clock::now();
  Status status = executeNow();
  if (status.code() == rt::StatusCode::outputInsufficientSize) {
    NNHAL_RETURN_IF_ERROR(growOutputs());
    begin = std::chrono::steady_clock::now();
    status = executeNow();
  }
  std::chrono::duration<double, std::micro> elapsed =
      std::chrono::steady_clock::now() - begin;
  auto nanoseconds = static_cast<uint64_t>(elapsed.count() * 1e3);
  if (!status.isOk()) {
    NNHAL_RETURN_IF_ERROR(observe(status, nanoseconds));
    return status;
  }
  NNHAL_RETURN_IF_ERROR(fetchOutputs());
  NNHAL_RETURN_IF_ERROR(observe(Status::ok(), nanoseconds));
  return Duration{elapsed.count(), reported.timing};
}

/// Shows the observer an execution that has ended with \p status.
Status Invocation::observe(const Status &status, uint64_t nanoseconds) const {
  if (!asked.observer)
    return Status::ok();
  ObservedExecution seen;
  seen.mode = mode;
  seen.status = status;
  seen.nanoseconds = nanoseconds;
  seen.loopTimeout = request.loopTimeout;
  for (size_t i = 0; i < bound.size(); ++i)
    seen.inputs.push_back({request.inputs[i].dimensions, bound[i]});
  for (size_t i = 0; i < outputs.size() && status.isOk(); ++i) {
    NNHAL_ASSIGN_OR_RETURN(std::span<const std::byte> bytes, output(i));
    seen.outputs.push_back({reported.outputShapes[i].dimensions, bytes});
  }
  asked.observer(seen);
  return Status::ok();
}

Status Invocation::executeNow() {
  request.deadline = deadlineAfter(asked.timeLimit);
  return executions.execute(request, reported);
}

/// Copies what lies in pools or buffers to where it is collected from.
Status Invocation::fetchOutputs() {
  for (size_t i = 0; places && i < outputs.size(); ++i) {
    NNHAL_ASSIGN_OR_RETURN(uint64_t size,
                           byteSizeOf(model->interface().outputs[i],
                                      reported.outputShapes[i].dimensions));
    if (outputs[i].size() < size) {
      NNHAL_ASSIGN_OR_RETURN(outputs[i], rt::AlignedBuffer::allocate(size));
    }
    NNHAL_RETURN_IF_ERROR(
        places->fetchOutput(i, outputs[i].bytes().first(size)));
  }
  return Status::ok();
}

Status Invocation::growOutputs() {
  for (size_t i = 0; i < outputs.size(); ++i)
    if (!reported.outputShapes[i].isSufficient) {
      NNHAL_ASSIGN_OR_RETURN(uint64_t size,
                             byteSizeOf(model->interface().outputs[i],
                                        reported.outputShapes[i].dimensions));
      NNHAL_RETURN_IF_ERROR(
          allocateOutput(i, size, reported.outputShapes[i].dimensions));
    }
  return Status::ok();
}

rt::Result<std::span<const std::byte>> Invocation::output(size_t index) const {
  NNHAL_ASSIGN_OR_RETURN(uint64_t size,
                         byteSizeOf(model->interface().outputs[index],
                                    reported.outputShapes[index].dimensions));
  return std::span<const std::byte>(outputs[index].bytes().first(size));
}
