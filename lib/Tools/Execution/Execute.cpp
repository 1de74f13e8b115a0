//===- Execute.cpp - Runs a prepared model --------------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Execute.h"

#include "Invocation.h"
#include "Phases.h"

#include <algorithm>
#include <cstring>
#include <utility>

using namespace nnhal;
using namespace nnhal::tools;
using rt::Status;

namespace {
/// The executions of one call, with their states and what they yield.
class Runner {
public:
  Runner(const RunRequest &asked, ExecutionMode mode, const rt::Device &device,
         const rt::PreparedModelRef &model, const Inputs &inputs,
         rt::Tracer *tracer)
      : asked(asked), model(*model),
        invocation(asked, mode, device, model, tracer), inputs(inputs),
        tracer(tracer) {
    executed.mode = mode;
  }

  rt::Result<Executed> run() {
    NNHAL_RETURN_IF_ERROR(prepare());
    for (uint64_t i = 0; i < asked.warmup + asked.repeat; ++i)
      NNHAL_RETURN_IF_ERROR(runFrames(i >= asked.warmup));
    executed.operationTimes = invocation.result().operationTimes;
    executed.buffers = std::move(invocation).takeOutputs();
    return std::move(executed);
  }

private:
  Status prepare() {
    const rt::Interface &interface = model.interface();
    std::vector<std::vector<uint32_t>> shapes;
    for (const InputTensor &tensor : inputs.tensors)
      shapes.push_back(tensor.dimensions);
    NNHAL_RETURN_IF_ERROR(invocation.prepare(shapes));
    executed.outputs.resize(interface.outputs.size());
    executed.frames.resize(interface.outputs.size());
    for (size_t i = 0; i < interface.outputs.size(); ++i) {
      const rt::InterfaceTensor &tensor = interface.outputs[i];
      executed.outputs[i].name = tensor.name;
      executed.outputs[i].type = tensor.type;
      if (tensor.extension)
        executed.outputs[i].kind = tensor.extension->kind;
    }
    for (const rt::StatePair &pair : interface.statePairs) {
      if (!asked.frames)
        break;
      auto begin = inputs.tensors[pair.inputIndex].frame(0);
      states.emplace_back(begin.begin(), begin.end());
    }
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
      for (size_t i = 0; i < inputs.tensors.size(); ++i)
        NNHAL_RETURN_IF_ERROR(
            invocation.bindInput(i, inputs.tensors[i].frame(frame)));
      for (size_t i = 0; i < pairs.size() && asked.frames; ++i)
        NNHAL_RETURN_IF_ERROR(
            invocation.bindInput(pairs[i].inputIndex, states[i]));
      NNHAL_RETURN_IF_ERROR(execute(isMeasured));
      for (size_t i = 0; i < pairs.size() && asked.frames; ++i)
        std::memcpy(states[i].data(),
                    invocation.outputBuffer(pairs[i].outputIndex).data(),
                    states[i].size());
      NNHAL_RETURN_IF_ERROR(collect(frame));
    }
    return Status::ok();
  }

  Status execute(bool isMeasured) {
    NNHAL_ASSIGN_OR_RETURN(Duration duration, invocation.execute());
    executed.copiedBytes = invocation.result().copiedBytes;
    if (!hasRun)
      executed.first = duration;
    hasRun = true;
    if (isMeasured)
      executed.measured.push_back(duration);
    return Status::ok();
  }

  /// Appends the outputs of one frame along their first dimension.
  Status collect(uint64_t frame) {
    for (size_t i = 0; i < executed.outputs.size(); ++i) {
      OutputTensor &output = executed.outputs[i];
      const std::vector<uint32_t> &dimensions =
          invocation.result().outputShapes[i].dimensions;
      NNHAL_ASSIGN_OR_RETURN(output.bytes, invocation.output(i));
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
  Invocation invocation;
  const Inputs &inputs;
  rt::Tracer *tracer;
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
