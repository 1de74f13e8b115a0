//===- Execute.cpp - Runs a prepared model --------------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Execute.h"

#include "Phases.h"
#include "Preparation.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <utility>

using namespace nnhal;
using namespace nnhal::tools;
using rt::Status;

namespace {
/// The request of all executions, with its memory.
class Runner {
public:
  Runner(const RunRequest &asked, ExecutionMode mode, const rt::Device &device,
         const rt::PreparedModelRef &model, const Inputs &inputs,
         rt::Tracer *tracer)
      : asked(asked), model(*model),
        executions(mode, model, asked.fenceAfter, asked.burst), inputs(inputs),
        tracer(tracer) {
    executed.mode = mode;
    if (asked.place != ArgumentPlace::process)
      places.emplace(asked.place, device, model);
  }

  rt::Result<Executed> run() {
    NNHAL_RETURN_IF_ERROR(prepare());
    for (uint64_t i = 0; i < asked.warmup + asked.repeat; ++i)
      NNHAL_RETURN_IF_ERROR(runFrames(i >= asked.warmup));
    executed.operationTimes = result.operationTimes;
    executed.buffers = std::move(outputs);
    return std::move(executed);
  }

private:
  Status prepare() {
    const rt::Interface &interface = model.interface();
    request.measureTiming = true;
    request.measureOperations = asked.measureOperations;
    request.loopTimeout = asked.loopTimeout;
    request.inputs.resize(interface.inputs.size());
    for (size_t i = 0; i < interface.inputs.size(); ++i) {
      request.inputs[i].dimensions = inputs.tensors[i].dimensions;
      NNHAL_RETURN_IF_ERROR(bindInput(i, inputs.tensors[i].frame(0)));
    }
    request.outputs.resize(interface.outputs.size());
    outputs.resize(interface.outputs.size());
    executed.outputs.resize(interface.outputs.size());
    executed.frames.resize(interface.outputs.size());
    for (size_t i = 0; i < interface.outputs.size(); ++i) {
      const rt::InterfaceTensor &tensor = interface.outputs[i];
      executed.outputs[i].name = tensor.name;
      executed.outputs[i].type = tensor.type;
      if (tensor.extension)
        executed.outputs[i].kind = tensor.extension->kind;
      NNHAL_ASSIGN_OR_RETURN(uint64_t size,
                             byteSizeOf(tensor, tensor.dimensions));
      NNHAL_RETURN_IF_ERROR(allocateOutput(i, size, tensor.dimensions));
    }
    for (const rt::StatePair &pair : interface.statePairs) {
      if (!asked.frames)
        break;
      auto begin = inputs.tensors[pair.inputIndex].frame(0);
      states.emplace_back(begin.begin(), begin.end());
    }
    return Status::ok();
  }

  Status allocateOutput(size_t index, uint64_t size,
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

  Status bindInput(size_t index, std::span<const std::byte> bytes) {
    if (!places) {
      request.inputs[index].memory = rt::Memory::borrow(bytes);
      return Status::ok();
    }
    NNHAL_ASSIGN_OR_RETURN(
        request.inputs[index].memory,
        places->placeInput(index, bytes, inputs.tensors[index].dimensions));
    return Status::ok();
  }

  Status runFrames(bool isMeasured) {
    rt::TracePhase phase =
        isMeasured ? rt::TracePhase::benchmark : rt::TracePhase::warmup;
    rt::TraceSection section(tracer, applicationPhase(phase), "run");
    const auto &pairs = model.interface().statePairs;
    for (size_t i = 0; i < pairs.size() && asked.frames; ++i)
      std::ranges::copy(inputs.tensors[pairs[i].inputIndex].frame(0),
                        states[i].begin());
    for (std::vector<std::byte> &frames : executed.frames)
      frames.clear();
    for (uint64_t frame = 0; frame < inputs.frameCount; ++frame) {
      for (size_t i = 0; i < request.inputs.size(); ++i)
        NNHAL_RETURN_IF_ERROR(bindInput(i, inputs.tensors[i].frame(frame)));
      for (size_t i = 0; i < pairs.size() && asked.frames; ++i)
        NNHAL_RETURN_IF_ERROR(bindInput(pairs[i].inputIndex, states[i]));
      NNHAL_RETURN_IF_ERROR(execute(isMeasured));
      NNHAL_RETURN_IF_ERROR(fetchOutputs());
      for (size_t i = 0; i < pairs.size() && asked.frames; ++i)
        std::memcpy(states[i].data(), outputs[pairs[i].outputIndex].data(),
                    states[i].size());
      NNHAL_RETURN_IF_ERROR(collect(frame));
    }
    return Status::ok();
  }

  Status execute(bool isMeasured) {
    rt::TraceSection section(
        tracer, applicationPhase(rt::TracePhase::execution), "execute");
    auto begin = std::chrono::steady_clock::now();
    Status status = executeNow();
    if (status.code() == rt::StatusCode::outputInsufficientSize) {
      NNHAL_RETURN_IF_ERROR(growOutputs());
      begin = std::chrono::steady_clock::now();
      status = executeNow();
    }
    std::chrono::duration<double, std::micro> elapsed =
        std::chrono::steady_clock::now() - begin;
    NNHAL_RETURN_IF_ERROR(std::move(status));
    Duration duration = {elapsed.count(), result.timing};
    executed.copiedBytes = result.copiedBytes;
    if (!hasRun)
      executed.first = duration;
    hasRun = true;
    if (isMeasured)
      executed.measured.push_back(duration);
    return Status::ok();
  }

  Status executeNow() {
    request.deadline = deadlineAfter(asked.timeLimit);
    return executions.execute(request, result);
  }

  /// Copies what lies in pools or buffers to where it is collected from.
  Status fetchOutputs() {
    for (size_t i = 0; places && i < outputs.size(); ++i) {
      NNHAL_ASSIGN_OR_RETURN(uint64_t size,
                             byteSizeOf(model.interface().outputs[i],
                                        result.outputShapes[i].dimensions));
      if (outputs[i].size() < size) {
        NNHAL_ASSIGN_OR_RETURN(outputs[i], rt::AlignedBuffer::allocate(size));
      }
      NNHAL_RETURN_IF_ERROR(
          places->fetchOutput(i, outputs[i].bytes().first(size)));
    }
    return Status::ok();
  }

  Status growOutputs() {
    for (size_t i = 0; i < outputs.size(); ++i)
      if (!result.outputShapes[i].isSufficient) {
        NNHAL_ASSIGN_OR_RETURN(uint64_t size,
                               byteSizeOf(model.interface().outputs[i],
                                          result.outputShapes[i].dimensions));
        NNHAL_RETURN_IF_ERROR(
            allocateOutput(i, size, result.outputShapes[i].dimensions));
      }
    return Status::ok();
  }

  /// Appends the outputs of one frame along their first dimension.
  Status collect(uint64_t frame) {
    for (size_t i = 0; i < outputs.size(); ++i) {
      OutputTensor &output = executed.outputs[i];
      const std::vector<uint32_t> &dimensions =
          result.outputShapes[i].dimensions;
      NNHAL_ASSIGN_OR_RETURN(
          uint64_t size, byteSizeOf(model.interface().outputs[i], dimensions));
      output.bytes = outputs[i].bytes().first(size);
      if (inputs.frameCount > 1) {
        std::vector<std::byte> &frames = executed.frames[i];
        frames.insert(frames.end(), output.bytes.begin(), output.bytes.end());
        output.bytes = frames;
      }
      if (frame == 0)
        output.dimensions = dimensions;
      else if (dimensions.empty())
        output.dimensions = {uint32_t(frame + 1)};
      else
        output.dimensions[0] += dimensions[0];
    }
    return Status::ok();
  }

  const RunRequest &asked;
  const rt::PreparedModel &model;
  Executions executions;
  const Inputs &inputs;
  rt::Tracer *tracer;
  rt::Request request;
  rt::ExecutionResult result;
  /// The memory of the arguments, if that is not in `outputs` and `inputs`.
  std::optional<ArgumentPlaces> places;
  std::vector<rt::AlignedBuffer> outputs;
  std::vector<std::vector<std::byte>> states;
  Executed executed;
  bool hasRun = false;
};
} // namespace

rt::Result<Executed>
tools::executeModel(const RunRequest &request, ExecutionMode mode,
                    const rt::Device &device, const rt::PreparedModelRef &model,
                    const Inputs &inputs, rt::Tracer *tracer) {
  return Runner(request, mode, device, model, inputs, tracer).run();
}

rt::Result<std::vector<Executed>> tools::executeModes(
    const RunRequest &request, std::span<const ExecutionMode> modes,
    const rt::Device &device, rt::PreparedModelRef model, const Inputs &inputs,
    const Revive &revive, rt::Tracer *tracer) {
  std::vector<Executed> executions;
  bool isRevived = false;
  for (ExecutionMode mode : modes) {
    auto execute = [&] {
      return executeModel(request, mode, device, model, inputs, tracer);
    };
    rt::Result<Executed> executed = execute();
    if (executed.status().code() == rt::StatusCode::deadObject &&
        !std::exchange(isRevived, true)) {
      NNHAL_ASSIGN_OR_RETURN(model, revive(executed.status()));
      executed = execute();
    }
    if (!executed.isOk())
      return executed.status();
    executions.push_back(*std::move(executed));
  }
  return executions;
}
