//===- PlantedDevice.cpp - A device that is wrong on purpose --------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PlantedDevice.h"

#include "Tools/Tensors/Npy.h"

#include "Runtime/Support/Errors.h"

#include <cstring>

using namespace nnhal;
using namespace nnhal::randomgraph;
using rt::Result;
using rt::Status;

namespace {

class PlantedModel final : public rt::PreparedModel {
public:
  PlantedModel(const rt::Device &reference, rt::Model changed,
               rt::PreparedModelRef inner, const Plant &plant)
      : reference(reference), model(std::move(changed)),
        inner(std::move(inner)), plant(plant) {}

  const rt::Interface &interface() const override { return inner->interface(); }
  Status execute(const rt::Request &request,
                 rt::ExecutionResult &result) const override;
  Status executeAsync(rt::Request, rt::ExecutionCallback) const override {
    return rt::failure("not asynchronous");
  }
  Result<std::shared_ptr<rt::FencedExecution>>
  executeFenced(rt::Request, std::vector<rt::FenceRef>,
                std::optional<uint64_t>) const override {
    return rt::failure("not fenced");
  }

private:
  Result<Tensors> compute(const rt::Request &request) const;

  const rt::Device &reference;
  rt::Model model;
  rt::PreparedModelRef inner;
  Plant plant;
};

} // namespace

Result<Tensors> PlantedModel::compute(const rt::Request &request) const {
  Tensors inputs;
  for (const rt::InputArgument &argument : request.inputs) {
    TestTensor &input = inputs.emplace_back();
    input.isAbsent = argument.memory.isNone();
    input.dimensions = argument.dimensions;
    NNHAL_ASSIGN_OR_RETURN(auto bytes, argument.memory.bytes());
    const auto *data = reinterpret_cast<const uint8_t *>(bytes.data());
    input.bytes.assign(data, data + bytes.size());
  }
  if (plant.noise == NoiseLevel::none)
    return randomgraph::execute(*inner, inputs);
  Interpreter interpreter(reference, model, plant.noise, /*noiseSeed=*/7);
  NNHAL_ASSIGN_OR_RETURN(Tensors values, interpreter.trace(model.main, inputs));
  Tensors outputs;
  for (uint32_t index : model.main.outputIndexes)
    outputs.push_back(values[index]);
  return outputs;
}

Status PlantedModel::execute(const rt::Request &request,
                             rt::ExecutionResult &result) const {
  auto computed = compute(request);
  if (!computed.isOk() && !plant.invent)
    return std::move(computed).takeStatus();
  Tensors outputs(request.outputs.size(), TestTensor{false, {0}, {}});
  if (computed.isOk())
    outputs = *std::move(computed);
  if (plant.changeOutputs)
    NNHAL_RETURN_IF_ERROR(plant.changeOutputs(model, outputs));
  result.outputShapes.clear();
  bool isSufficient = true;
  for (size_t i = 0; i < outputs.size(); ++i) {
    const auto &memory =
        std::get<rt::OutputMemory::Borrowed>(request.outputs[i].memory.kind());
    bool fits = memory.size >= outputs[i].bytes.size();
    isSufficient = isSufficient && fits;
    result.outputShapes.push_back({outputs[i].dimensions, fits});
    if (fits && !outputs[i].bytes.empty())
      std::memcpy(memory.data, outputs[i].bytes.data(),
                  outputs[i].bytes.size());
  }
  return isSufficient ? Status::ok()
                      : Status(rt::StatusCode::outputInsufficientSize,
                               "an output does not fit");
}

namespace {

class PlantedDevice final : public rt::Device {
public:
  PlantedDevice(const rt::Device &reference, Plant plant)
      : reference(reference), plant(std::move(plant)) {}

  std::string_view name() const override { return "test-planted"; }
  std::string_view version() const override { return "1"; }
  rt::DeviceType type() const override { return reference.type(); }
  rt::HalVersion halVersion() const override { return reference.halVersion(); }
  const std::vector<rt::Extension> &extensions() const override {
    return reference.extensions();
  }
  rt::CacheFiles cacheFiles() const override { return {}; }
  rt::DeviceTraits traits() const override { return {}; }
  const rt::Capabilities &capabilities() const override {
    return reference.capabilities();
  }
  rt::DeviceStatus status() const override { return reference.status(); }

  Result<std::vector<Status>>
  supportedOperations(const rt::AnnotatedModel &model) const override {
    NNHAL_ASSIGN_OR_RETURN(std::vector<Status> answers,
                           reference.supportedOperations(model));
    const auto &operations = model.model.main.operations;
    for (size_t i = 0; i < answers.size(); ++i)
      if (plant.supports && !plant.supports(operations[i]))
        answers[i] = rt::badData("not taken");
    return answers;
  }

  Result<rt::PreparedModelRef>
  prepareModel(const rt::AnnotatedModel &model,
               const rt::PrepareOptions &options,
               const rt::PrepareObserver &observer) const override {
    rt::AnnotatedModel changed = model;
    if (plant.changeModel)
      NNHAL_RETURN_IF_ERROR(plant.changeModel(changed.model));
    NNHAL_ASSIGN_OR_RETURN(rt::PreparedModelRef inner,
                           reference.prepareModel(changed, options, observer));
    return rt::PreparedModelRef(std::make_shared<PlantedModel>(
        reference, std::move(changed.model), std::move(inner), plant));
  }

  Status prepareModelAsync(std::shared_ptr<const rt::AnnotatedModel>,
                           const rt::PrepareOptions &, rt::PrepareCallback,
                           const rt::PrepareObserver &) const override {
    return rt::failure("not asynchronous");
  }
  Result<rt::PreparedModelRef>
  prepareModelFromCache(const rt::CacheHandles &, const rt::CacheToken &,
                        const rt::PrepareOptions &,
                        const rt::PrepareObserver &) const override {
    return rt::failure("no cache");
  }
  Result<rt::PreparedModelRef>
  prepareModelFromArtifact(std::span<const std::byte>, const rt::Memory &,
                           const rt::PrepareOptions &) const override {
    return rt::failure("no cache");
  }
  Result<std::shared_ptr<rt::Buffer>>
  allocate(const rt::BufferDesc &, std::span<const rt::PreparedModelRef>,
           std::span<const rt::BufferRole>,
           std::span<const rt::BufferRole>) const override {
    return rt::failure("no buffers");
  }

private:
  const rt::Device &reference;
  Plant plant;
};

} // namespace

std::unique_ptr<rt::Device>
randomgraph::createPlantedDevice(const rt::Device &reference, Plant plant) {
  return std::make_unique<PlantedDevice>(reference, std::move(plant));
}
