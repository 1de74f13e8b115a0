//===- StagedModelTest.cpp - Code takes the place of a baseline -----------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ReluModel.h"

#include "Runtime/Support/Errors.h"
#include "nnhal/Backend/HostCodeModel.h"
#include "nnhal/Runtime/Compiler.h"
#include "nnhal/Runtime/Log.h"
#include "nnhal/Runtime/MemoryBudget.h"
#include "nnhal/Runtime/Scheduler.h"
#include "nnhal/Runtime/Trace.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstring>
#include <future>
#include <new>
#include <set>
#include <thread>

using namespace nnhal::rt;
using nnhal::rt::test::reluModel;

namespace {

constexpr float byBaseline = 1;
constexpr float byCode = 2;

/// What the backend does, and what it was asked.
struct Script {
  /// The compilation waits for it.
  std::promise<void> gate;
  std::shared_future<void> isOpen = gate.get_future().share();
  Status supported;
  Status compiled;
  Status baseline;
  bool raisesBadAlloc = false;
  uint64_t arena = 256;
  uint32_t compiledExtent = 2;
  size_t compiledOutputs = 1;
  std::function<void()> duringBaseline;
  std::atomic<int> compilations = 0;
  std::atomic<int> baselines = 0;
  std::atomic<bool> wasCancelled = false;
  std::atomic<bool> hadArena = true;
  std::promise<void> started;
};

/// Writes \p value to its output.
class ConstantModel final : public HostCodeModel {
public:
  ConstantModel(Interface face, float value, uint64_t arena,
                std::shared_ptr<Script> script)
      : face(std::move(face)), value(value), arena(arena),
        script(std::move(script)) {
    this->script->baselines += value == byBaseline;
  }
  ~ConstantModel() override { script->baselines -= value == byBaseline; }
  const Interface &interface() const override { return face; }
  uint64_t arenaSize() const override { return arena; }
  Status call(NNHalExecutionContext &context) const override {
    if (value == byBaseline && script->duringBaseline)
      script->duringBaseline();
    if (context.arenaSize < arena)
      script->hadArena = false;
    else if (arena > 0)
      std::memset(context.arena, 0x55, arena);
    auto *output = static_cast<float *>(context.outputs[0].data);
    output[0] = output[1] = value;
    context.outputs[0].shape[0] = 2;
    context.outputs[0].isSufficient = 1;
    return Status::ok();
  }

private:
  const Interface face;
  const float value;
  const uint64_t arena;
  const std::shared_ptr<Script> script;
};

class StagedBackend final : public Backend {
public:
  explicit StagedBackend(std::shared_ptr<Script> script)
      : script(std::move(script)) {
    description.name = "test-staged";
    description.version = "1";
  }
  const DeviceInfo &info() const override { return description; }
  Result<std::vector<Status>>
  supportedOperations(const AnnotatedModel &) const override {
    return std::vector<Status>{script->supported};
  }
  Result<std::unique_ptr<LoadedModel>>
  load(const AnnotatedModel &model, const PrepareOptions &,
       const LoadObserver &observer) const override {
    ++script->compilations;
    script->started.set_value();
    script->isOpen.wait();
    if (observer.compile.isCancelled && observer.compile.isCancelled()) {
      script->wasCancelled = true;
      return failure("stopped between phases");
    }
    if (script->raisesBadAlloc)
      throw std::bad_alloc();
    NNHAL_RETURN_IF_ERROR(script->compiled);
    NNHAL_RETURN_IF_ERROR(observer.keep({}));
    Interface face = interfaceOf(model);
    face.outputs[0].dimensions = {script->compiledExtent};
    face.outputs.resize(script->compiledOutputs);
    return std::unique_ptr<LoadedModel>(std::make_unique<ConstantModel>(
        std::move(face), byCode, script->arena, script));
  }
  Result<std::unique_ptr<LoadedModel>>
  loadBaseline(const AnnotatedModel &model) const override {
    NNHAL_RETURN_IF_ERROR(script->baseline);
    return std::unique_ptr<LoadedModel>(std::make_unique<ConstantModel>(
        interfaceOf(model), byBaseline, 0, script));
  }

private:
  std::shared_ptr<Script> script;
  DeviceInfo description;
};

class StagedModelTest : public testing::Test {
protected:
  StagedModelTest() {
    options.compileAfter = 0;
    observer.compileEnded = [this](const Status &status) {
      ended.set_value(status);
    };
    services.tracer = std::make_shared<Tracer>();
    services.log = std::make_shared<Log>(
        maskOf(LogTag::compilation),
        [this](std::string_view line) { (lines += line) += '\n'; });
    services.memory = std::make_shared<MemoryBudget>(1 << 20);
  }

  PreparedModelRef prepare() {
    device = createDevice(std::make_unique<StagedBackend>(script), services);
    auto prepared = device->prepareModel(reluModel(), options, observer);
    EXPECT_TRUE(prepared.isOk()) << prepared.status().message();
    return prepared.isOk() ? *prepared : nullptr;
  }
  /// What an execution answers.
  float execute(const PreparedModel &model) {
    float input[2] = {}, output[2] = {};
    Request request;
    request.inputs = {{Memory::borrow(std::as_bytes(std::span(input))), {}}};
    request.outputs = {
        {OutputMemory::borrow(std::as_writable_bytes(std::span(output))), {}}};
    ExecutionResult result;
    Status status = model.execute(request, result);
    EXPECT_EQ(status.message(), "");
    return output[0];
  }
  void open() { script->gate.set_value(); }
  Status waitForEnd() { return ended.get_future().get(); }

  std::shared_ptr<Script> script = std::make_shared<Script>();
  PrepareOptions options;
  PrepareObserver observer;
  DeviceServices services;
  std::promise<Status> ended;
  std::string lines;
  std::unique_ptr<Device> device;
};

// Off by default: whoever says nothing waits for the code.
TEST_F(StagedModelTest, IsOffByDefault) {
  options.compileAfter = PrepareOptions().compileAfter;
  EXPECT_FALSE(options.compileAfter);
  open();
  PreparedModelRef model = prepare();
  EXPECT_EQ(script->compilations, 1);
  EXPECT_EQ(execute(*model), byCode);
}

// Deferred: the preparation returns while the compilation waits.
TEST_F(StagedModelTest, PreparesAtOnce) {
  PreparedModelRef model = prepare();
  for (int i = 0; i < 10; ++i)
    EXPECT_EQ(execute(*model), byBaseline);
  open();
  EXPECT_EQ(waitForEnd().message(), "");
  for (int i = 0; i < 10; ++i)
    EXPECT_EQ(execute(*model), byCode);
  EXPECT_EQ(script->compilations, 1);
  EXPECT_NE(lines.find("test-staged: compiled code takes over"), lines.npos);
}

// E-066: the baseline and its memory go when nobody uses them any more.
TEST_F(StagedModelTest, ReleasesTheBaseline) {
  PreparedModelRef model = prepare();
  EXPECT_EQ(script->baselines, 1);
  open();
  EXPECT_EQ(waitForEnd().message(), "");
  EXPECT_EQ(script->baselines, 0);
  EXPECT_EQ(execute(*model), byCode);
}

// An execution that has begun on the baseline ends on it, and does not hold up
// those that begin after the swap.
TEST_F(StagedModelTest, SwapsUnderAnExecution) {
  std::promise<void> entered, leave;
  auto mayLeave = leave.get_future().share();
  script->duringBaseline = [&] {
    entered.set_value();
    mayLeave.wait();
  };
  PreparedModelRef model = prepare();
  auto slow = std::async(std::launch::async, [&] { return execute(*model); });
  entered.get_future().wait();
  open();
  EXPECT_EQ(waitForEnd().message(), "");
  EXPECT_EQ(script->baselines, 1);
  EXPECT_EQ(execute(*model), byCode);
  leave.set_value();
  EXPECT_EQ(slow.get(), byBaseline);
  EXPECT_EQ(script->baselines, 0);
}

// Multi-stage: compiled when it has run that often, and not before.
TEST_F(StagedModelTest, CompilesAfterExecutions) {
  options.compileAfter = 3;
  open();
  PreparedModelRef model = prepare();
  EXPECT_EQ(execute(*model), byBaseline);
  EXPECT_EQ(execute(*model), byBaseline);
  EXPECT_EQ(script->compilations, 0);
  EXPECT_EQ(execute(*model), byBaseline);
  EXPECT_EQ(waitForEnd().message(), "");
  EXPECT_EQ(execute(*model), byCode);
  EXPECT_EQ(script->compilations, 1);
}

// The code has its arena though frames were made for the baseline.
TEST_F(StagedModelTest, HasAnArena) {
  open();
  PreparedModelRef model = prepare();
  EXPECT_EQ(waitForEnd().message(), "");
  uint64_t before = services.memory->inUse();
  EXPECT_EQ(execute(*model), byCode);
  EXPECT_EQ(services.memory->inUse(), before + script->arena);
  EXPECT_EQ(execute(*model), byCode);
  EXPECT_EQ(services.memory->inUse(), before + script->arena);
  EXPECT_TRUE(script->hadArena);
  model.reset();
  EXPECT_EQ(services.memory->inUse(), 0u);
}

// Many threads at once, around the swap; run under the thread sanitizer too.
TEST_F(StagedModelTest, SwapsUnderManyExecutions) {
  options.compileAfter = 20;
  open();
  PreparedModelRef model = prepare();
  std::atomic<int> slow = 0, fast = 0;
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 8; ++thread)
    threads.emplace_back([&] {
      bool hasSwapped = false;
      for (int i = 0; i < 500 || !hasSwapped; ++i) {
        float answer = execute(*model);
        if (answer == byCode)
          hasSwapped = true;
        else
          EXPECT_FALSE(hasSwapped); // Never back.
        ++(answer == byCode ? fast : slow);
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(waitForEnd().message(), "");
  EXPECT_GE(slow, 20);
  EXPECT_GE(fast, 8);
  EXPECT_EQ(script->compilations, 1);
  EXPECT_TRUE(script->hadArena);
}

// A failure keeps the baseline and is logged.
TEST_F(StagedModelTest, KeepsTheBaselineWhenCompilationFails) {
  script->compiled = failure("no code today");
  open();
  PreparedModelRef model = prepare();
  EXPECT_EQ(waitForEnd().message(), "no code today");
  EXPECT_EQ(execute(*model), byBaseline);
  EXPECT_NE(lines.find("error: test-staged: the model stays with its baseline: "
                       "no code today\n"),
            lines.npos);
}

TEST_F(StagedModelTest, KeepsTheBaselineWithoutMemory) {
  script->raisesBadAlloc = true;
  open();
  PreparedModelRef model = prepare();
  EXPECT_EQ(waitForEnd().message(), "no memory to compile the model");
  EXPECT_EQ(execute(*model), byBaseline);
}

// Requests are checked against the baseline: other code must not get them.
TEST_F(StagedModelTest, KeepsTheBaselineWhenTheInterfaceDiffers) {
  script->compiledExtent = 3;
  open();
  PreparedModelRef model = prepare();
  EXPECT_EQ(waitForEnd().message(),
            "output 0 of the code is TENSOR_FLOAT32 [3], that of the model "
            "TENSOR_FLOAT32 [2]");
  EXPECT_EQ(execute(*model), byBaseline);
}

TEST_F(StagedModelTest, KeepsTheBaselineWhenAnOutputIsMissing) {
  script->compiledOutputs = 0;
  open();
  PreparedModelRef model = prepare();
  EXPECT_EQ(waitForEnd().message(), "the code has 0 outputs, the model 1");
  EXPECT_EQ(execute(*model), byBaseline);
}

// E-070: the model goes while its compilation runs.
TEST_F(StagedModelTest, StopsWhenTheModelIsGone) {
  PreparedModelRef model = prepare();
  script->started.get_future().wait();
  model.reset(); // Does not wait.
  open();
  EXPECT_EQ(waitForEnd().message(), "stopped between phases");
  EXPECT_TRUE(script->wasCancelled);
  EXPECT_NE(lines.find("background compilation stopped: stopped between "
                       "phases\n"),
            lines.npos);
  EXPECT_EQ(lines.find("error:"), lines.npos);
}

// E-070: the device too, and nothing is left when that has happened.
TEST_F(StagedModelTest, StopsWhenTheDeviceIsGone) {
  PreparedModelRef model = prepare();
  script->started.get_future().wait();
  std::weak_ptr<Script> watched = script;
  auto opener = std::async(std::launch::async, [this] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    open();
  });
  model.reset();
  device.reset();
  EXPECT_EQ(waitForEnd().message(), "stopped between phases");
  opener.wait();
  script.reset();
  // The thread that compiled may still be leaving.
  for (int i = 0; i < 1000 && !watched.expired(); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  EXPECT_TRUE(watched.expired());
}

// E-070: a compilation that has not begun never does.
TEST_F(StagedModelTest, NeverCompilesWhatIsGone) {
  services.preparations = Scheduler::create({.slots = 1});
  PreparedModelRef first = prepare();
  script->started.get_future().wait();
  // The only slot is taken; the second waits behind it.
  auto other = std::make_shared<Script>();
  Status second;
  PrepareObserver secondObserver = observer;
  secondObserver.compileEnded = [&](const Status &status) { second = status; };
  {
    auto waiting = std::async(std::launch::async, [&] {
      auto made =
          createDevice(std::make_unique<StagedBackend>(other), services);
      return made->prepareModel(reluModel(), options, secondObserver).isOk();
    });
    open();
    EXPECT_TRUE(waiting.get()); // And gone at once.
  }
  EXPECT_EQ(waitForEnd().message(), "");
  other->gate.set_value();
  first.reset();
  device.reset();
  services.preparations.reset(); // Waits for the second.
  if (other->compilations == 0)
    EXPECT_EQ(second.message(), "the model is gone");
  else
    EXPECT_TRUE(other->wasCancelled);
}

// What the device cannot compile is refused though the baseline executes it
// (C-108).
TEST_F(StagedModelTest, RefusesWhatCannotBeCompiled) {
  script->supported = badData("no such operation here");
  device = createDevice(std::make_unique<StagedBackend>(script), services);
  Status status = device->prepareModel(reluModel(), options, observer).status();
  EXPECT_EQ(status.code(), StatusCode::invalidArgument);
  EXPECT_EQ(status.message(), "operation 0: no such operation here");
  EXPECT_EQ(script->baselines, 0);
}

TEST_F(StagedModelTest, CompilesAtOnceWithoutABaseline) {
  script->baseline = failure("no baseline");
  open();
  PreparedModelRef model = prepare();
  EXPECT_EQ(script->compilations, 1);
  EXPECT_EQ(execute(*model), byCode);
  EXPECT_NE(lines.find("test-staged: compiles at once: no baseline\n"),
            lines.npos);
}

// The deadline is the preparation's; who watches a compilation is not called
// from a thread that it does not know.
TEST_F(StagedModelTest, CompilesForNobody) {
  bool isKept = false;
  options.deadline = steadyNow() + 60'000'000'000;
  observer.compile.progress = [](auto...) { ADD_FAILURE(); };
  observer.keepArtifact = [&](const CompiledModel &) {
    isKept = true;
    return Status::ok();
  };
  open();
  PreparedModelRef model = prepare();
  EXPECT_EQ(waitForEnd().message(), "");
  EXPECT_TRUE(isKept);
  EXPECT_EQ(execute(*model), byCode);
}

// Both stages are seen in a trace.
TEST_F(StagedModelTest, IsTraced) {
  open();
  PreparedModelRef model = prepare();
  EXPECT_EQ(waitForEnd().message(), "");
  std::multiset<std::string> texts;
  std::vector<int64_t> stages;
  for (const TraceEvent &event : services.tracer->events()) {
    texts.insert(event.text());
    if (event.kind == TraceEvent::Kind::counter)
      stages.push_back(event.value);
    else if (event.detail == "test-staged in the background")
      EXPECT_NE(event.end, TraceEvent::notEnded);
  }
  EXPECT_EQ(texts.count("[NN_LR_PP]test-staged in the background"), 1u);
  EXPECT_EQ(texts.count("[NN_LD_PC]test-staged in the background"), 1u);
  EXPECT_EQ(texts.count("test-staged stage"), 2u);
  EXPECT_EQ(stages, (std::vector<int64_t>{0, 1}));
}

} // namespace
