//===- Partition.cpp - How long planning and steps take -------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Plans for models of 10 to 500 operations, and what a simple plan adds to an
// execution on its device.
//
//===----------------------------------------------------------------------===//

#include "SyntheticDevice.h"

#include "nnhal/Runtime/Partition.h"
#include "nnhal/Runtime/ReferenceDevice.h"

#include <benchmark/benchmark.h>

using namespace nnhal::rt;
using namespace nnhal::rt::partitiontest;

namespace {

/// \p count operations of three types over [1, size, size, size], where each
/// reads the last two results.
AnnotatedModel makeModel(unsigned count, unsigned size = 16) {
  AnnotatedModel annotated;
  Subgraph &main = annotated.model.main;
  auto add = [&](OperandType type, std::vector<uint32_t> dimensions,
                 OperandLifeTime lifetime) {
    Operand operand;
    operand.type = type;
    operand.dimensions = std::move(dimensions);
    operand.lifetime = lifetime;
    main.operands.push_back(std::move(operand));
    return uint32_t(main.operands.size() - 1);
  };
  auto tensor = [&](OperandLifeTime lifetime) {
    return add(OperandType::TENSOR_FLOAT32, {1, size, size, size}, lifetime);
  };
  uint32_t before = tensor(OperandLifeTime::SUBGRAPH_INPUT);
  main.inputIndexes = {before};
  uint32_t none = add(OperandType::INT32, {}, OperandLifeTime::CONSTANT_COPY);
  main.operands[none].location = {0, 0, 4};
  annotated.model.operandValues.resize(4);
  uint32_t last = before;
  for (unsigned i = 0; i < count; ++i) {
    uint32_t next =
        tensor(i + 1 == count ? OperandLifeTime::SUBGRAPH_OUTPUT
                              : OperandLifeTime::TEMPORARY_VARIABLE);
    constexpr OperationType types[] = {OperationType::ADD, OperationType::MUL,
                                       OperationType::SUB};
    main.operations.push_back({types[i % 3], {last, before, none}, {next}});
    before = last;
    last = next;
  }
  main.outputIndexes = {last};
  computeConsumers(main);
  return annotated;
}

/// The devices that take a part of the operations, and the reference device.
struct Devices {
  Devices() : reference(createReferenceDevice()) {
    for (unsigned i = 0; i < 3; ++i)
      synthetic.push_back(
          std::make_unique<SyntheticDevice>(*reference, drawDevice(1, i, 70)));
    for (const auto &device : synthetic)
      list.push_back(device.get());
    list.push_back(reference.get());
  }
  std::unique_ptr<Device> reference;
  std::vector<std::unique_ptr<SyntheticDevice>> synthetic;
  std::vector<const Device *> list;
};

void planModel(benchmark::State &state, Planner planner) {
  Devices devices;
  AnnotatedModel model = makeModel(unsigned(state.range(0)));
  PartitionOptions options;
  options.planner = planner;
  options.stepCost = 100.0;
  for (auto _ : state) {
    auto plan =
        planPartition(model, devices.list, devices.reference.get(), options);
    if (!plan.isOk())
      state.SkipWithError(plan.status().message().c_str());
    else
      state.counters["steps"] = double(plan->steps.size());
  }
}

/// Executes one small operation: on the device, and through a simple plan,
/// which may add 100 ns.
void executeOne(benchmark::State &state, bool isPlanned) {
  Devices devices;
  auto model = std::make_shared<AnnotatedModel>(makeModel(1, 1));
  auto direct = devices.reference->prepareModel(*model);
  const Device *reference = devices.reference.get();
  auto planned =
      preparePartitioned(model, std::span(&reference, 1), reference, {});
  if (!direct.isOk() || !planned.isOk())
    return state.SkipWithError("not prepared");
  const PreparedModel &prepared = isPlanned ? **planned : **direct;
  std::vector<float> in(1), out(1);
  Request request;
  request.inputs = {{Memory::borrow(std::as_bytes(std::span(in))), {}}};
  request.outputs = {
      {OutputMemory::borrow(std::as_writable_bytes(std::span(out))), {}}};
  ExecutionResult result;
  for (auto _ : state)
    benchmark::DoNotOptimize(prepared.execute(request, result).isOk());
}

} // namespace

int main(int argc, char **argv) {
  // Not the macros: they need __COUNTER__, which no C++ standard has.
  for (auto [name, planner] : {std::pair("greedy", Planner::greedy),
                               std::pair("leastCost", Planner::leastCost)})
    benchmark::RegisterBenchmark(name, planModel, planner)
        ->Arg(10)
        ->Arg(100)
        ->Arg(500);
  benchmark::RegisterBenchmark("execute", executeOne, false);
  benchmark::RegisterBenchmark("executeSimplePlan", executeOne, true);
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv))
    return 2;
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
