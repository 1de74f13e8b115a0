//===- Execute.cpp - Runs a prepared model --------------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Execute.h"

#include "Diagnostics.h"

#include <algorithm>
#include <chrono>
#include <cstring>

using namespace nnhal;
using namespace nnhal::run;
using rt::Status;

namespace {
/// The request of all executions, with its memory.
class Runner {
public:
  Runner(const Flags &flags, ExecutionMode mode, const rt::PreparedModel &model,
         const Inputs &inputs, rt::Tracer *tracer)
      : flags(flags), model(model), inputs(inputs), tracer(tracer) {
    executed.mode = mode;
  }

  rt::Result<Executed> run() {
    NNHAL_RETURN_IF_ERROR(prepare());
    for (uint64_t i = 0; i < flags.warmup + flags.repeat; ++i)
      NNHAL_RETURN_IF_ERROR(runFrames(i >= flags.warmup));
    executed.operationTimes = result.operationTimes;
    executed.buffers = std::move(outputs);
    return std::move(executed);
  }

private:
  Status prepare() {
    const rt::Interface &interface = model.interface();
    request.measureTiming = true;
    request.measureOperations = !flags.dumpGraph.empty();
    request.loopTimeout = flags.loopTimeout;
    request.inputs.resize(interface.inputs.size());
    for (size_t i = 0; i < interface.inputs.size(); ++i) {
      request.inputs[i].dimensions = inputs.tensors[i].dimensions;
      bindInput(i, 0);
    }
    request.outputs.resize(interface.outputs.size());
    outputs.resize(interface.outputs.size());
    executed.outputs.resize(interface.outputs.size());
    executed.frames.resize(interface.outputs.size());
    for (size_t i = 0; i < interface.outputs.size(); ++i) {
      const rt::InterfaceTensor &tensor = interface.outputs[i];
      executed.outputs[i].name = tensor.name;
      executed.outputs[i].type = tensor.type;
      NNHAL_ASSIGN_OR_RETURN(uint64_t size,
                             byteSizeOf(tensor, tensor.dimensions));
      NNHAL_RETURN_IF_ERROR(allocateOutput(i, size));
    }
    for (const rt::StatePair &pair : interface.statePairs) {
      if (!flags.frames)
        break;
      auto begin = inputs.tensors[pair.inputIndex].frame(0);
      states.emplace_back(begin.begin(), begin.end());
    }
    return Status::ok();
  }

  Status allocateOutput(size_t index, uint64_t size) {
    NNHAL_ASSIGN_OR_RETURN(outputs[index], rt::AlignedBuffer::allocate(size));
    request.outputs[index].memory =
        rt::OutputMemory::borrow(outputs[index].bytes());
    return Status::ok();
  }

  void bindInput(size_t index, uint64_t frame) {
    request.inputs[index].memory =
        rt::Memory::borrow(inputs.tensors[index].frame(frame));
  }

  Status runFrames(bool isMeasured) {
    rt::TracePhase phase =
        isMeasured ? rt::TracePhase::benchmark : rt::TracePhase::warmup;
    rt::TraceSection section(tracer, applicationPhase(phase), "run");
    const auto &pairs = model.interface().statePairs;
    for (size_t i = 0; i < pairs.size() && flags.frames; ++i)
      std::ranges::copy(inputs.tensors[pairs[i].inputIndex].frame(0),
                        states[i].begin());
    for (std::vector<std::byte> &frames : executed.frames)
      frames.clear();
    for (uint64_t frame = 0; frame < inputs.frameCount; ++frame) {
      for (size_t i = 0; i < request.inputs.size(); ++i)
        bindInput(i, frame);
      for (size_t i = 0; i < pairs.size() && flags.frames; ++i)
        request.inputs[pairs[i].inputIndex].memory =
            rt::Memory::borrow(states[i]);
      NNHAL_RETURN_IF_ERROR(execute(isMeasured));
      for (size_t i = 0; i < pairs.size() && flags.frames; ++i)
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
    Status status = executeOnce(executed.mode, model, request, result);
    if (status.code() == rt::StatusCode::outputInsufficientSize) {
      NNHAL_RETURN_IF_ERROR(growOutputs());
      begin = std::chrono::steady_clock::now();
      status = executeOnce(executed.mode, model, request, result);
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

  Status growOutputs() {
    for (size_t i = 0; i < outputs.size(); ++i)
      if (!result.outputShapes[i].isSufficient) {
        NNHAL_ASSIGN_OR_RETURN(uint64_t size,
                               byteSizeOf(model.interface().outputs[i],
                                          result.outputShapes[i].dimensions));
        NNHAL_RETURN_IF_ERROR(allocateOutput(i, size));
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

  const Flags &flags;
  const rt::PreparedModel &model;
  const Inputs &inputs;
  rt::Tracer *tracer;
  rt::Request request;
  rt::ExecutionResult result;
  std::vector<rt::AlignedBuffer> outputs;
  std::vector<std::vector<std::byte>> states;
  Executed executed;
  bool hasRun = false;
};
} // namespace

rt::Result<Executed> run::executeModel(const Flags &flags, ExecutionMode mode,
                                       const rt::PreparedModel &model,
                                       const Inputs &inputs,
                                       rt::Tracer *tracer) {
  return Runner(flags, mode, model, inputs, tracer).run();
}
