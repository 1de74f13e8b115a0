//===- PartitionTesting.cpp - What tests of partitioning share ------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PartitionTesting.h"

#include <cmath>

using namespace nnhal::rt;
using namespace nnhal::rt::partitiontest;

PartitionTesting::PartitionTesting() : reference(createReferenceDevice()) {
  devices = {reference.get()};
  options.planner = Planner::greedy;
  options.log =
      std::make_shared<Log>(maskOf(LogTag::execution), [this](auto line) {
        log.push_back(std::string(line));
      });
}

SyntheticDevice &PartitionTesting::add(SyntheticOptions made) {
  synthetic.push_back(
      std::make_unique<SyntheticDevice>(*reference, std::move(made)));
  devices.insert(devices.end() - 1, synthetic.back().get());
  return *synthetic.back();
}

SyntheticDevice &PartitionTesting::add(std::string name,
                                       std::set<OperationType> types,
                                       float performance) {
  SyntheticOptions made;
  made.name = std::move(name);
  made.supports = supportsOnly(std::move(types));
  made.capabilities = uniformCapabilities({performance, performance});
  return add(std::move(made));
}

SyntheticDevice &PartitionTesting::addOlder(SyntheticOptions made,
                                            HalVersion version) {
  auto device = std::make_unique<SyntheticDevice>(*reference, std::move(made));
  SyntheticDevice &added = *device;
  older.push_back(asHalVersion(std::move(device), version));
  devices.insert(devices.end() - 1, older.back().get());
  return added;
}

Result<PartitionPlan>
PartitionTesting::plan(const AnnotatedModel &model) const {
  return planPartition(model, devices, reference.get(), options);
}

Result<std::shared_ptr<PartitionedModel>>
PartitionTesting::prepare(const AnnotatedModel &model) const {
  return preparePartitioned(std::make_shared<AnnotatedModel>(model), devices,
                            reference.get(), options);
}

std::shared_ptr<PartitionedModel>
PartitionTesting::prepared(const AnnotatedModel &model) const {
  auto made = prepare(model);
  EXPECT_EQ(made.status().message(), "");
  return made.isOk() ? *made : nullptr;
}

std::string PartitionTesting::describe(const PartitionPlan &plan) {
  std::string text;
  for (const PartitionStep &step : plan.steps) {
    text += text.empty() ? "" : " ";
    switch (step.kind) {
    case PartitionStep::Kind::execute:
      text += plan.candidates[step.device].name;
      for (uint32_t operation : step.operations)
        text += ":" + std::to_string(operation);
      break;
    case PartitionStep::Kind::branch:
      text += "if";
      break;
    case PartitionStep::Kind::loop:
      text += "while";
      break;
    case PartitionStep::Kind::jump:
      text += "goto";
      break;
    }
  }
  return text;
}

std::string PartitionTesting::describe(const AnnotatedModel &model) const {
  Result<PartitionPlan> made = plan(model);
  return made.isOk() ? describe(*made) : made.status().message();
}

Result<std::vector<float>>
nnhal::rt::partitiontest::run(const PreparedModel &model,
                              const std::vector<std::vector<float>> &inputs,
                              size_t count) {
  Request request;
  for (const std::vector<float> &input : inputs)
    request.inputs.push_back(
        {Memory::borrow(std::as_bytes(std::span(input))), {}});
  std::vector<float> output(count);
  request.outputs.push_back(
      {OutputMemory::borrow(std::as_writable_bytes(std::span(output))), {}});
  ExecutionResult result;
  NNHAL_RETURN_IF_ERROR(model.execute(request, result));
  return output;
}

AnnotatedModel nnhal::rt::partitiontest::chainModel() {
  AnnotatedModel annotated;
  Model &model = annotated.model;
  SubgraphBuilder builder(model);
  const auto type = OperandType::TENSOR_FLOAT32;
  uint32_t a = builder.input(type, {4}), b = builder.input(type, {4});
  uint32_t none = builder.scalar(0);
  uint32_t sum = builder.temporary(type, {4});
  uint32_t positive = builder.temporary(type, {4});
  uint32_t product = builder.temporary(type, {4});
  uint32_t out = builder.output(type, {4});
  builder.operation(OperationType::ADD, {a, b, none}, {sum});
  builder.operation(OperationType::ABS, {sum}, {positive});
  builder.operation(OperationType::MUL, {positive, b, none}, {product});
  builder.operation(OperationType::FLOOR, {product}, {out});
  model.main = builder.finish();
  annotated.inputNames = {"a", "b"};
  annotated.outputNames = {"out"};
  return annotated;
}

std::vector<std::vector<float>> nnhal::rt::partitiontest::chainInputs() {
  return {{1.25f, 2.25f, 3.25f, 4.25f}, {2, 2, 2, 2}};
}

std::vector<float> nnhal::rt::partitiontest::chainResult() {
  return {6, 8, 10, 12};
}

ChainArguments::ChainArguments() {
  for (const std::vector<float> &input : inputs)
    request.inputs.push_back(
        {Memory::borrow(std::as_bytes(std::span(input))), {}});
  request.outputs.push_back(
      {OutputMemory::borrow(std::as_writable_bytes(std::span(output))), {}});
}
