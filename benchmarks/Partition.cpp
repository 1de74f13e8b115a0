//===- Partition.cpp - How long planning and steps take -------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Plans for models of 10 to 500 operations in three shapes, and what a simple
// plan adds to an execution on its device. With --compare, both planners on
// models of files:
//
//   nnhal-benchmark-partition --compare MODEL.tflite...
//
//===----------------------------------------------------------------------===//

#include "PartitionModels.h"
#include "SyntheticDevice.h"

#include "nnhal/Runtime/Partition.h"
#include "nnhal/Runtime/ReferenceDevice.h"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

using namespace nnhal::rt;
using namespace nnhal::rt::partitiontest;

namespace {

/// A model of operations over tensors of one shape, which grows.
class GrowingModel {
public:
  explicit GrowingModel(unsigned size) : size(size) {
    Subgraph &main = annotated.model.main;
    main.inputIndexes = {tensor(OperandLifeTime::SUBGRAPH_INPUT)}; // operand 0
    none = add(OperandType::INT32, {}, OperandLifeTime::CONSTANT_COPY);
    main.operands[none].location = {0, 0, 4};
    annotated.model.operandValues.resize(4);
  }

  /// Adds the next of three operations in turn, and returns its result.
  uint32_t compute(uint32_t left, uint32_t right) {
    constexpr OperationType types[] = {OperationType::ADD, OperationType::MUL,
                                       OperationType::SUB};
    Subgraph &main = annotated.model.main;
    uint32_t result = tensor(OperandLifeTime::TEMPORARY_VARIABLE);
    main.operations.push_back(
        {types[main.operations.size() % 3], {left, right, none}, {result}});
    return result;
  }

  size_t operations() const { return annotated.model.main.operations.size(); }

  AnnotatedModel finish() {
    Subgraph &main = annotated.model.main;
    uint32_t last = main.operations.back().outputs[0];
    main.operands[last].lifetime = OperandLifeTime::SUBGRAPH_OUTPUT;
    main.outputIndexes = {last};
    computeConsumers(main);
    return std::move(annotated);
  }

private:
  uint32_t add(OperandType type, std::vector<uint32_t> dimensions,
               OperandLifeTime lifetime) {
    Operand operand;
    operand.type = type;
    operand.dimensions = std::move(dimensions);
    operand.lifetime = lifetime;
    annotated.model.main.operands.push_back(std::move(operand));
    return uint32_t(annotated.model.main.operands.size() - 1);
  }
  uint32_t tensor(OperandLifeTime lifetime) {
    return add(OperandType::TENSOR_FLOAT32, {1, size, size, size}, lifetime);
  }

  const unsigned size;
  uint32_t none = 0;
  AnnotatedModel annotated;
};

/// \p count operations over [1, size, size, size], where each reads the last
/// two results.
AnnotatedModel makeChain(unsigned count, unsigned size = 16) {
  GrowingModel model(size);
  uint32_t before = 0, last = 0;
  while (model.operations() < count) {
    uint32_t next = model.compute(last, before);
    before = last;
    last = next;
  }
  return model.finish();
}

/// \p count operations: a value is read by up to 16 branches of two operations,
/// whose results are joined again, and so on.
AnnotatedModel makeWide(unsigned count) {
  constexpr unsigned width = 16;
  GrowingModel model(16);
  uint32_t last = 0;
  while (model.operations() < count) {
    unsigned left = count - unsigned(model.operations());
    // A branch takes two operations and one to join it, but for the first.
    unsigned branches = std::min(width, (left + 1) / 3);
    if (branches == 0) {
      last = model.compute(last, last);
      continue;
    }
    std::vector<uint32_t> results;
    for (unsigned i = 0; i < branches; ++i)
      results.push_back(model.compute(model.compute(last, last), last));
    last = results[0];
    for (unsigned i = 1; i < branches; ++i)
      last = model.compute(last, results[i]);
  }
  return model.finish();
}

/// How operations are divided among devices.
enum class Support {
  /// Each device takes 70 percent of the operations.
  drawn,
  /// Each device takes one type of operation, so that every operation is on
  /// another device than the one before.
  alternating
};

/// The devices that take a part of the operations, and the reference device.
struct Devices {
  explicit Devices(Support support = Support::drawn)
      : reference(createReferenceDevice()) {
    constexpr OperationType types[] = {OperationType::ADD, OperationType::MUL,
                                       OperationType::SUB};
    for (unsigned i = 0; i < 3; ++i) {
      SyntheticOptions options = drawDevice(1, i, 70);
      if (support == Support::alternating)
        options.supports = [type = types[i]](const Model &, const Subgraph &,
                                             const Operation &operation) {
          return operation.type == type
                     ? Status::ok()
                     : Status(StatusCode::invalidArgument, "another type");
        };
      synthetic.push_back(
          std::make_unique<SyntheticDevice>(*reference, std::move(options)));
    }
    for (const auto &device : synthetic)
      list.push_back(device.get());
    list.push_back(reference.get());
  }
  std::unique_ptr<Device> reference;
  std::vector<std::unique_ptr<SyntheticDevice>> synthetic;
  std::vector<const Device *> list;
};

/// A kind of model, and who takes its operations.
struct Shape {
  const char *name;
  AnnotatedModel (*make)(unsigned count);
  Support support;
};

constexpr Shape shapes[] = {
    {"chain", [](unsigned count) { return makeChain(count); }, Support::drawn},
    {"wide", makeWide, Support::drawn},
    {"alternating", [](unsigned count) { return makeChain(count); },
     Support::alternating}};

void planModel(benchmark::State &state, Planner planner, const Shape &shape) {
  Devices devices(shape.support);
  AnnotatedModel model = shape.make(unsigned(state.range(0)));
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
  auto model = std::make_shared<AnnotatedModel>(makeChain(1, 1));
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
  std::vector<std::string_view> arguments(argv + 1, argv + argc);
  if (!arguments.empty() && arguments[0] == "--compare")
    return nnhal::benchmarks::comparePlanners(std::span(arguments).subspan(1));
  // Not the macros: they need __COUNTER__, which no C++ standard has.
  for (auto [name, planner] : {std::pair("greedy", Planner::greedy),
                               std::pair("leastCost", Planner::leastCost)})
    for (const Shape &shape : shapes)
      benchmark::RegisterBenchmark(
          (std::string(name) + "/" + shape.name).c_str(), planModel, planner,
          shape)
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
