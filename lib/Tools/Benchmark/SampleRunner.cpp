//===- SampleRunner.cpp - Executes a model on samples ---------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SampleRunner.h"

#include "Runtime/Support/Errors.h"

#include <cstdlib>
#include <cstring>

using namespace nnhal;
using namespace nnhal::tools;
using rt::badData;
using rt::Status;

SampleRunner::SampleRunner(ExecutionMode mode, const rt::Device &device,
                           rt::PreparedModelRef model, bool measureOperations)
    : mode(mode), device(device), model(std::move(model)) {
  request.measureOperations = measureOperations;
  request.burst =
      rt::burstOptions(rt::ExecutionPreference::fastSingleAnswer, getenv);
}

/// Makes a new request where the inputs have other shapes than before.
Status SampleRunner::prepare(const Sample &sample) {
  const rt::Interface &interface = model->interface();
  if (sample.inputs.tensors.size() != interface.inputs.size())
    return badData("'{}' has {} inputs, the model {}", sample.name,
                   sample.inputs.tensors.size(), interface.inputs.size());
  std::vector<std::vector<uint32_t>> wanted;
  for (const InputTensor &tensor : sample.inputs.tensors)
    wanted.push_back(tensor.dimensions);
  if (!invocation || wanted != shapes) {
    invocation = std::make_unique<Invocation>(request, mode, device, model);
    NNHAL_RETURN_IF_ERROR(invocation->prepare(wanted));
    shapes = std::move(wanted);
  }
  states.clear();
  for (const rt::StatePair &pair : interface.statePairs) {
    auto begin = sample.inputs.tensors[pair.inputIndex].frame(0);
    states.emplace_back(begin.begin(), begin.end());
  }
  bytes.assign(interface.outputs.size(), {});
  collected.assign(interface.outputs.size(), {});
  return Status::ok();
}

Status SampleRunner::bindFrame(const Sample &sample, uint64_t frame) {
  for (size_t i = 0; i < sample.inputs.tensors.size(); ++i)
    NNHAL_RETURN_IF_ERROR(
        invocation->bindInput(i, sample.inputs.tensors[i].frame(frame)));
  const auto &pairs = model->interface().statePairs;
  for (size_t i = 0; i < pairs.size() && sample.carriesState; ++i)
    NNHAL_RETURN_IF_ERROR(
        invocation->bindInput(pairs[i].inputIndex, states[i]));
  return Status::ok();
}

Status SampleRunner::collect() {
  const rt::Interface &interface = model->interface();
  for (size_t i = 0; i < bytes.size(); ++i) {
    NNHAL_ASSIGN_OR_RETURN(std::span<const std::byte> output,
                           invocation->output(i));
    bytes[i].insert(bytes[i].end(), output.begin(), output.end());
    collected[i] = {interface.outputs[i].name, interface.outputs[i].type,
                    invocation->result().outputShapes[i].dimensions, bytes[i]};
  }
  for (size_t i = 0; i < states.size(); ++i)
    std::memcpy(
        states[i].data(),
        invocation->outputBuffer(interface.statePairs[i].outputIndex).data(),
        states[i].size());
  return Status::ok();
}

Status SampleRunner::run(const Sample &sample, std::vector<double> *latencies) {
  NNHAL_RETURN_IF_ERROR(prepare(sample));
  for (uint64_t frame = 0; frame < sample.inputs.frameCount; ++frame) {
    NNHAL_RETURN_IF_ERROR(bindFrame(sample, frame));
    NNHAL_ASSIGN_OR_RETURN(Duration duration, invocation->execute());
    if (latencies)
      latencies->push_back(duration.total);
    NNHAL_RETURN_IF_ERROR(collect());
  }
  return Status::ok();
}

rt::Result<double> SampleRunner::runFirst(const Sample &sample) {
  std::vector<double> latencies;
  NNHAL_RETURN_IF_ERROR(run(sample, &latencies));
  return latencies.front();
}
