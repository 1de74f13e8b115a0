//===- Execution.cpp - What an execution costs beside its code ------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// One addition of four floats: the compiled function called directly, beside
// every way to execute it. The difference is the runtime's. A chain of twenty
// products of 8x8 is executed beside one of them called directly: beyond twenty
// times that it takes what the runtime and the way from kernel to kernel cost.
//
//===----------------------------------------------------------------------===//

#include "OneOperationModel.h"
#include "Runtime/Devices/Cpu/CodeImage.h"

#include "Runtime/Artifact/ModelCache.h"
#include "nnhal/Runtime/AlignedBuffer.h"
#include "nnhal/Runtime/CpuDevice.h"

#include <fmt/format.h>

#include <benchmark/benchmark.h>

#include <cstdlib>
#include <cstring>
#include <future>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

using namespace nnhal::rt;

namespace {

constexpr uint32_t side = 8;

/// \p count FULLY_CONNECTED, each of which multiplies what the one before it
/// gives by the same matrix of 8x8.
AnnotatedModel productsModel(uint32_t count) {
  AnnotatedModel annotated;
  Model &model = annotated.model;
  auto addConstant = [&](OperandType type, std::vector<uint32_t> dimensions,
                         std::span<const std::byte> value) {
    Operand operand;
    operand.type = type;
    operand.dimensions = std::move(dimensions);
    operand.lifetime = OperandLifeTime::CONSTANT_COPY;
    operand.location = {0, uint32_t(model.operandValues.size()),
                        uint32_t(value.size())};
    model.operandValues.resize(operand.location.offset + value.size());
    std::memcpy(&model.operandValues[operand.location.offset], value.data(),
                value.size());
    model.main.operands.push_back(std::move(operand));
    return uint32_t(model.main.operands.size() - 1);
  };
  auto addTensor = [&](OperandLifeTime lifetime) {
    Operand operand;
    operand.type = OperandType::TENSOR_FLOAT32;
    operand.dimensions = {side, side};
    operand.lifetime = lifetime;
    model.main.operands.push_back(std::move(operand));
    return uint32_t(model.main.operands.size() - 1);
  };
  // The rows add up to 1, so that values stay as large as they are.
  const std::vector<float> weights(size_t(side) * side, 1.0F / side);
  const std::vector<float> bias(side, 0.0F);
  const int32_t activation = 0;
  uint32_t filter = addConstant(OperandType::TENSOR_FLOAT32, {side, side},
                                std::as_bytes(std::span(weights)));
  uint32_t zeros = addConstant(OperandType::TENSOR_FLOAT32, {side},
                               std::as_bytes(std::span(bias)));
  uint32_t none = addConstant(OperandType::INT32, {},
                              std::as_bytes(std::span(&activation, 1)));
  uint32_t value = addTensor(OperandLifeTime::SUBGRAPH_INPUT);
  model.main.inputIndexes = {value};
  for (uint32_t each = 1; each <= count; ++each) {
    uint32_t product =
        addTensor(each == count ? OperandLifeTime::SUBGRAPH_OUTPUT
                                : OperandLifeTime::TEMPORARY_VARIABLE);
    model.main.operations.push_back({OperationType::FULLY_CONNECTED,
                                     {value, filter, zeros, none},
                                     {product}});
    value = product;
  }
  model.main.outputIndexes = {value};
  computeConsumers(model.main);
  return annotated;
}

/// A model, prepared, with its arguments and its artifact. All of its arguments
/// are tensors of float32 of \p shape.
struct Subject {
  Subject(const AnnotatedModel &model, std::vector<int64_t> shape)
      : shape(std::move(shape)) {
    const char *path = std::getenv("NNHAL_COMPILER");
    CpuDeviceOptions options;
    options.compiler = std::make_shared<LazyCompiler>(path ? path : "");
    PrepareObserver observer;
    observer.keepArtifact = [&](const CompiledModel &compiled) {
      artifact = unwrap(readModelCache(compiled.modelCache));
      std::span<const std::byte> bytes = unwrap(compiled.dataCache.bytes());
      constants = unwrap(AlignedBuffer::allocate(bytes.size()));
      std::memcpy(constants.data(), bytes.data(), bytes.size());
      return Status::ok();
    };
    prepared = unwrap(
        createCpuDevice(std::move(options))->prepareModel(model, {}, observer));
    size_t elements = 1;
    for (int64_t extent : this->shape)
      elements *= size_t(extent);
    inputs.assign(model.model.main.inputIndexes.size(),
                  std::vector<float>(elements, 1.0F));
    output.resize(elements);
    for (auto &input : inputs)
      request.inputs.push_back(
          {Memory::borrow(std::as_bytes(std::span(input))), {}});
    request.outputs.push_back(
        {OutputMemory::borrow(std::as_writable_bytes(std::span(output))), {}});
  }

  static Subject &addition() {
    static Subject subject(oneOperationModel(), {4});
    return subject;
  }
  static Subject &products(uint32_t count) {
    static std::map<uint32_t, Subject> subjects;
    return subjects
        .try_emplace(count, productsModel(count),
                     std::vector<int64_t>{side, side})
        .first->second;
  }

  std::vector<int64_t> shape;
  Artifact artifact;
  AlignedBuffer constants;
  std::shared_ptr<PreparedModel> prepared;
  std::vector<std::vector<float>> inputs;
  std::vector<float> output;
  Request request;
};

/// Calls the compiled function of \p subject with nothing around it. Where
/// there is one input, each call reads what the one before it has written, as
/// the kernels of a chain do.
void bareCall(benchmark::State &state, Subject &subject) {
  CodeImage image = unwrap(CodeImage::load(subject.artifact.code[0]));
  NNHalEntry entry = unwrap(image.find(subject.artifact.entries[0].symbol));
  AlignedBuffer arena =
      unwrap(AlignedBuffer::allocate(subject.artifact.entries[0].arenaSize));
  auto argument = [&](std::vector<float> &values, bool isOutput) {
    return NNHalTensorArgument{values.data(),
                               values.size() * sizeof(float),
                               subject.shape.data(),
                               uint32_t(subject.shape.size()),
                               uint32_t(subject.shape.size()),
                               isOutput,
                               0};
  };
  std::vector<NNHalTensorArgument> inputs;
  inputs.reserve(subject.inputs.size());
  for (std::vector<float> &input : subject.inputs)
    inputs.push_back(argument(input, false));
  NNHalTensorArgument output = argument(subject.output, true);
  const volatile uint32_t flag = 0;
  NNHalExecutionContext context = {};
  context.structSize = sizeof(context);
  context.version = NNHAL_ENTRY_ABI_VERSION;
  context.inputs = inputs.data();
  context.outputs = &output;
  context.inputCount = uint32_t(inputs.size());
  context.outputCount = 1;
  context.arena = arena.data();
  context.arenaSize = arena.size();
  context.constants = subject.constants.data();
  context.constantsSize = subject.constants.size();
  context.cancelFlag = &flag;
  for (auto _ : state) {
    if (entry(&context) != 0) {
      state.SkipWithError("the function failed");
      break;
    }
    if (inputs.size() == 1)
      std::swap(inputs.front().data, output.data);
  }
}

/// \p measures: with timing, as D-049 wants it to cost little.
void execute(benchmark::State &state, Subject &subject, bool measures) {
  Request request = subject.request;
  request.measureTiming = measures;
  ExecutionResult result;
  for (auto _ : state)
    if (!subject.prepared->execute(request, result).isOk()) {
      state.SkipWithError("the execution failed");
      break;
    }
}

void executeAsync(benchmark::State &state, Subject &subject) {
  for (auto _ : state) {
    std::promise<Status> ended;
    (void)subject.prepared->executeAsync(
        subject.request, [&](Status status, const ExecutionResult &) {
          ended.set_value(std::move(status));
        });
    if (!ended.get_future().get().isOk())
      state.SkipWithError("the execution failed");
  }
}

void executeFenced(benchmark::State &state, Subject &subject) {
  for (auto _ : state) {
    auto execution = unwrap(subject.prepared->executeFenced(subject.request));
    if (!execution->fence()->wait(noDeadline).isOk())
      state.SkipWithError("the execution failed");
  }
}

} // namespace

int main(int argc, char **argv) {
  // Not the macros: they need __COUNTER__, which no C++ standard has.
  auto add = [](const std::string &name, auto run) {
    return benchmark::RegisterBenchmark(name.c_str(), run);
  };
  auto addition = [](auto run) {
    return [run](benchmark::State &state) { run(state, Subject::addition()); };
  };
  add("bareCall", addition(bareCall));
  for (bool measures : {false, true})
    add(measures ? "executeMeasured" : "execute",
        addition([measures](benchmark::State &state, Subject &subject) {
          execute(state, subject, measures);
        }));
  add("executeAsync", addition(executeAsync))->UseRealTime();
  add("executeFenced", addition(executeFenced))->UseRealTime();
  for (uint32_t count : {1U, 20U}) {
    add(fmt::format("bareCall/products:{}", count),
        [count](benchmark::State &state) {
          bareCall(state, Subject::products(count));
        });
    add(fmt::format("execute/products:{}", count),
        [count](benchmark::State &state) {
          execute(state, Subject::products(count), false);
        });
  }
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv))
    return 2;
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
