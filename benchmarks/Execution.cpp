//===- Execution.cpp - What an execution costs beside its code ------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// One addition of four floats: the compiled function called directly, beside
// every way to execute it. The difference is the runtime's.
//
//===----------------------------------------------------------------------===//

#include "OneOperationModel.h"
#include "Runtime/Devices/Cpu/CodeImage.h"

#include "Runtime/Artifact/ModelCache.h"
#include "nnhal/Runtime/AlignedBuffer.h"
#include "nnhal/Runtime/CpuDevice.h"

#include <fmt/format.h>

#include <benchmark/benchmark.h>

#include <cstdio>
#include <cstdlib>
#include <future>

using namespace nnhal::rt;

namespace {

/// The model, prepared, with its arguments and its artifact.
struct Subject {
  Subject() {
    const char *path = std::getenv("NNHAL_COMPILER");
    CpuDeviceOptions options;
    options.compiler = std::make_shared<LazyCompiler>(path ? path : "");
    PrepareObserver observer;
    observer.keepArtifact = [&](const CompiledModel &compiled) {
      artifact = unwrap(readModelCache(compiled.modelCache));
      return Status::ok();
    };
    prepared = unwrap(createCpuDevice(std::move(options))
                          ->prepareModel(oneOperationModel(), {}, observer));
    for (auto &input : inputs)
      request.inputs.push_back(
          {Memory::borrow(std::as_bytes(std::span(input))), {}});
    request.outputs.push_back(
        {OutputMemory::borrow(std::as_writable_bytes(std::span(output))), {}});
  }

  static Subject &get() {
    static Subject subject;
    return subject;
  }

  Artifact artifact;
  std::shared_ptr<PreparedModel> prepared;
  float inputs[2][4] = {{1, 2, 3, 4}, {5, 6, 7, 8}};
  float output[4] = {};
  Request request;
};

void bareCall(benchmark::State &state) {
  Subject &subject = Subject::get();
  CodeImage image = unwrap(CodeImage::load(subject.artifact.code[0]));
  NNHalEntry entry = unwrap(image.find(subject.artifact.entries[0].symbol));
  AlignedBuffer arena =
      unwrap(AlignedBuffer::allocate(subject.artifact.entries[0].arenaSize));
  int64_t extents[3] = {4, 4, 4};
  NNHalTensorArgument inputs[2] = {
      {subject.inputs[0], 16, &extents[0], 1, 1, 0, 0},
      {subject.inputs[1], 16, &extents[1], 1, 1, 0, 0}};
  NNHalTensorArgument output = {subject.output, 16, &extents[2], 1, 1, 1, 0};
  const volatile uint32_t flag = 0;
  NNHalExecutionContext context = {};
  context.structSize = sizeof(context);
  context.version = NNHAL_ENTRY_ABI_VERSION;
  context.inputs = inputs;
  context.outputs = &output;
  context.inputCount = 2;
  context.outputCount = 1;
  context.arena = arena.data();
  context.arenaSize = arena.size();
  context.cancelFlag = &flag;
  for (auto _ : state)
    benchmark::DoNotOptimize(entry(&context));
}

/// \p measures: with timing, as D-049 wants it to cost little.
void execute(benchmark::State &state, bool measures) {
  Subject &subject = Subject::get();
  Request request = subject.request;
  request.measureTiming = measures;
  ExecutionResult result;
  for (auto _ : state)
    if (!subject.prepared->execute(request, result).isOk())
      state.SkipWithError("the execution failed");
}

void executeAsync(benchmark::State &state) {
  Subject &subject = Subject::get();
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

void executeFenced(benchmark::State &state) {
  Subject &subject = Subject::get();
  for (auto _ : state) {
    auto execution = unwrap(subject.prepared->executeFenced(subject.request));
    if (!execution->fence()->wait(noDeadline).isOk())
      state.SkipWithError("the execution failed");
  }
}

} // namespace

int main(int argc, char **argv) {
  // Not the macros: they need __COUNTER__, which no C++ standard has.
  benchmark::RegisterBenchmark("bareCall", bareCall);
  benchmark::RegisterBenchmark("execute", execute, false);
  benchmark::RegisterBenchmark("executeMeasured", execute, true);
  benchmark::RegisterBenchmark("executeAsync", executeAsync)->UseRealTime();
  benchmark::RegisterBenchmark("executeFenced", executeFenced)->UseRealTime();
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv))
    return 2;
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
