//===- BackendTest.cpp - Backends that fail -------------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ReluModel.h"

#include "nnhal/Backend/HostCodeModel.h"
#include "nnhal/Runtime/MemoryBudget.h"
#include "nnhal/Runtime/SharedMemory.h"

#include "Runtime/Support/Errors.h"
#include "nnhal/Runtime/Log.h"
#include "nnhal/Runtime/Reactor.h"
#include "nnhal/Runtime/SharedMemory.h"
#include "nnhal/Runtime/Trace.h"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <future>
#include <new>
#include <set>

using namespace nnhal::rt;
using nnhal::rt::test::reluModel;

namespace {

/// The answers of a backend.
struct Script {
  Status supported;
  Status loaded;
  /// The member in which the backend runs out of memory.
  std::string_view throwsIn;
  /// Called while a model is loaded; may be empty.
  std::function<void()> loading;
  /// Stands for a compilation, which may be given up; may be empty.
  std::function<Status(const CompileObserver &)> compiling;
  std::function<Status(NNHalExecutionContext &)> run =
      [](NNHalExecutionContext &) { return Status::ok(); };

  void enter(std::string_view member) const {
    if (member == throwsIn)
      throw std::bad_alloc();
  }
};

/// Memory that has no room for copies.
class ScriptedMemory final : public DeviceMemory {
public:
  explicit ScriptedMemory(std::shared_ptr<Script> script)
      : script(std::move(script)) {}
  Status resize(std::span<const uint32_t>, uint64_t) override {
    return Status::ok();
  }
  Status read(std::span<std::byte>) const override { return Status::ok(); }
  Status write(std::span<const std::byte>) override {
    script->enter("write");
    return Status::ok();
  }

private:
  std::shared_ptr<Script> script;
};

class ScriptedModel final : public HostCodeModel {
public:
  ScriptedModel(const AnnotatedModel &model, std::shared_ptr<Script> script)
      : face(interfaceOf(model)), script(std::move(script)) {}
  const Interface &interface() const override { return face; }
  uint64_t arenaSize() const override { return 64; }
  Status call(NNHalExecutionContext &context) const override {
    return script->run(context);
  }

private:
  Interface face;
  std::shared_ptr<Script> script;
};

class ScriptedBackend final : public Backend {
public:
  explicit ScriptedBackend(std::shared_ptr<Script> script)
      : script(std::move(script)) {
    description.name = "test-scripted";
    description.version = "1";
  }
  const DeviceInfo &info() const override { return description; }
  Result<std::vector<Status>>
  supportedOperations(const AnnotatedModel &model) const override {
    NNHAL_RETURN_IF_ERROR(script->supported);
    return std::vector<Status>(model.model.main.operations.size());
  }
  Result<std::unique_ptr<LoadedModel>>
  load(const AnnotatedModel &model, const PrepareOptions &,
       const LoadObserver &observer) const override {
    script->enter("load");
    if (script->compiling)
      NNHAL_RETURN_IF_ERROR(script->compiling(observer.compile));
    if (script->loading)
      script->loading();
    NNHAL_RETURN_IF_ERROR(script->loaded);
    return std::unique_ptr<LoadedModel>(
        std::make_unique<ScriptedModel>(model, script));
  }
  Result<std::unique_ptr<DeviceMemory>>
  allocate(const DeviceMemoryRequest &) const override {
    script->enter("allocate");
    return std::unique_ptr<DeviceMemory>(
        std::make_unique<ScriptedMemory>(script));
  }
  bool importsPool(const SharedMemory &) const override {
    script->enter("importsPool");
    return false;
  }

private:
  std::shared_ptr<Script> script;
  DeviceInfo description;
};

class BackendTest : public testing::Test {
protected:
  BackendTest() {
    request.inputs = {{Memory::borrow(std::as_bytes(std::span(input))), {}}};
    request.outputs = {
        {OutputMemory::borrow(std::as_writable_bytes(std::span(output))), {}}};
    request.measureTiming = true;
  }

  std::unique_ptr<Device> createDevice(DeviceServices services = {}) {
    return nnhal::rt::createDevice(std::make_unique<ScriptedBackend>(script),
                                   std::move(services));
  }
  PreparedModelRef prepare(const AnnotatedModel &model = reluModel(),
                           DeviceServices services = {}) {
    auto prepared = createDevice(std::move(services))->prepareModel(model);
    EXPECT_TRUE(prepared.isOk()) << prepared.status().message();
    return *prepared;
  }
  Status execute(const PreparedModel &model) {
    return model.execute(request, result);
  }

  std::shared_ptr<Script> script = std::make_shared<Script>();
  float input[2] = {};
  float output[2] = {};
  Request request;
  ExecutionResult result;
};

constexpr StatusCode codes[] = {
    StatusCode::deviceUnavailable, StatusCode::generalFailure,
    StatusCode::invalidArgument, StatusCode::resourceExhaustedPersistent};

// C-029, C-033: an answer that is a failure has no list.
TEST_F(BackendTest, FailsToAnswer) {
  for (StatusCode code : codes) {
    script->supported = Status(code, "not today");
    auto supported = createDevice()->supportedOperations(reluModel());
    EXPECT_EQ(supported.status().code(), code);
    EXPECT_EQ(supported.status().message(), "not today");
  }
}

// C-039, C-042.
TEST_F(BackendTest, FailsToLoad) {
  for (StatusCode code : codes) {
    script->loaded = Status(code, "not today");
    auto device = createDevice();
    EXPECT_EQ(device->prepareModel(reluModel()).status().code(), code);
    std::promise<Status> promise;
    Status launched = device->prepareModelAsync(
        std::make_shared<AnnotatedModel>(reluModel()), {},
        [&](const auto &prepared) { promise.set_value(prepared.status()); });
    EXPECT_EQ(launched.message(), "");
    Status told = promise.get_future().get();
    EXPECT_EQ(told.code(), code);
    EXPECT_EQ(told.message(), "not today");
  }
}

// D-019, D-044, D-059, D-100: a failure is all that is left of an execution.
TEST_F(BackendTest, FailsToRun) {
  PreparedModelRef model = prepare();
  for (StatusCode code : codes) {
    // The caller's result has the shapes of another execution.
    script->run = [](NNHalExecutionContext &) { return Status::ok(); };
    EXPECT_EQ(execute(*model).message(), "");
    EXPECT_EQ(result.outputShapes.size(), 1u);
    script->run = [&](NNHalExecutionContext &) {
      return Status(code, "not today");
    };
    Status status = execute(*model);
    EXPECT_EQ(status.code(), code);
    EXPECT_EQ(status.message(), "not today");
    EXPECT_TRUE(result.outputShapes.empty());
    EXPECT_EQ(result.timing, Timing());
    auto launched = model->executeFenced(request);
    ASSERT_TRUE(launched.isOk()) << launched.status().message();
    EXPECT_EQ((*launched)->fence()->wait(noDeadline).code(), code);
    ExecutionInfo info = (*launched)->executionInfo();
    EXPECT_EQ(info.status.message(), "not today");
    EXPECT_EQ(info.timingLaunched, Timing());
  }
}

TEST_F(BackendTest, RunsOutOfMemory) {
  PreparedModelRef model = prepare();
  script->run = [](NNHalExecutionContext &) -> Status {
    throw std::bad_alloc();
  };
  Status status = execute(*model);
  EXPECT_EQ(status.code(), StatusCode::resourceExhaustedTransient);
  EXPECT_EQ(status.message(), "no memory to execute the model");
}

TEST_F(BackendTest, RunsOutOfMemoryBeforeItRuns) {
  auto device = createDevice();
  script->throwsIn = "load";
  Status status = device->prepareModel(reluModel()).status();
  EXPECT_EQ(status.code(), StatusCode::resourceExhaustedTransient);
  EXPECT_EQ(status.message(), "no memory to prepare the model");

  script->throwsIn = "importsPool";
  auto model = device->prepareModel(reluModel());
  ASSERT_TRUE(model.isOk()) << model.status().message();
  auto pool = SharedMemory::createAshmem(sizeof(input));
  ASSERT_TRUE(pool.isOk()) << pool.status().message();
  request.inputs[0].memory = Memory::region(*pool, 0, sizeof(input));
  bool isCalled = false;
  status =
      (*model)->executeAsync(request, [&](const Status &told, const auto &) {
        isCalled = true;
        EXPECT_EQ(told.message(), "no memory to launch the execution");
      });
  EXPECT_TRUE(isCalled);
  EXPECT_EQ(status.code(), StatusCode::resourceExhaustedTransient);
  EXPECT_EQ(status.message(), "no memory to launch the execution");

  script->throwsIn = "allocate";
  auto allocate = [&] {
    return device->allocate({}, std::array{*model}, std::array{BufferRole()},
                            {});
  };
  status = allocate().status();
  EXPECT_EQ(status.code(), StatusCode::resourceExhaustedTransient);
  EXPECT_EQ(status.message(), "no memory for a buffer");

  script->throwsIn = "write";
  auto buffer = allocate();
  ASSERT_TRUE(buffer.isOk()) << buffer.status().message();
  status = (*buffer)->copyFrom(**pool, {});
  EXPECT_EQ(status.code(), StatusCode::resourceExhaustedTransient);
  EXPECT_EQ(status.message(), "no memory to copy a buffer");
}

// C-049, C-050: a deadline may pass before and during the preparation.
TEST_F(BackendTest, MissesTheDeadlineOfAPreparation) {
  DeviceServices services;
  auto now = std::make_shared<std::atomic<int64_t>>(10);
  services.clock = [now] { return now->load(); };
  auto device = createDevice(services);
  PrepareOptions options;
  options.deadline = 20;
  script->loading = [&] { *now = 20; };
  Status status = device->prepareModel(reluModel(), options).status();
  EXPECT_EQ(status.code(), StatusCode::missedDeadlineTransient);
  EXPECT_EQ(status.message(),
            "the deadline passed while the model was prepared");
  Status told;
  status = device->prepareModelAsync(
      std::make_shared<AnnotatedModel>(reluModel()), options,
      [&](const auto &prepared) { told = prepared.status(); });
  EXPECT_TRUE(status.isOk()) << status.message();
  EXPECT_EQ(told.code(), StatusCode::missedDeadlinePersistent);
  EXPECT_EQ(told.message(),
            "the deadline had passed before the preparation began");
}

// C-049: a compilation hears of a deadline, and of a caller that gives up.
TEST_F(BackendTest, GivesUpACompilation) {
  DeviceServices services;
  auto now = std::make_shared<std::atomic<int64_t>>(10);
  services.clock = [now] { return now->load(); };
  auto device = createDevice(services);
  PrepareOptions options;
  options.deadline = 20;
  script->compiling = [&](const CompileObserver &observer) {
    EXPECT_FALSE(observer.isCancelled());
    *now = 20;
    EXPECT_TRUE(observer.isCancelled());
    *now = 10;
    // It stays given up.
    EXPECT_TRUE(observer.isCancelled());
    return failure("given up");
  };
  Status status = device->prepareModel(reluModel(), options).status();
  EXPECT_EQ(status.code(), StatusCode::missedDeadlineTransient);
  EXPECT_EQ(status.message(),
            "the deadline passed while the model was prepared");
  PrepareObserver observer;
  observer.compile.isCancelled = [] { return true; };
  script->compiling = [](const CompileObserver &given) {
    return given.isCancelled() ? failure("given up") : Status::ok();
  };
  status = device->prepareModel(reluModel(), options, observer).status();
  EXPECT_EQ(status.code(), StatusCode::generalFailure);
  EXPECT_EQ(status.message(), "given up");
}

TEST(DeviceMemoryTest, MemoryOfTheHost) {
  auto memory = createHostMemory(nullptr);
  ASSERT_TRUE(memory->resize({}, 4).isOk());
  std::array<std::byte, 4> bytes = {std::byte(1), std::byte(2), std::byte(3),
                                    std::byte(4)};
  ASSERT_TRUE(memory->write(bytes).isOk());
  // A smaller size leaves what is there.
  ASSERT_TRUE(memory->resize({}, 2).isOk());
  std::array<std::byte, 2> read = {};
  ASSERT_TRUE(memory->read(read).isOk());
  EXPECT_EQ(read[1], std::byte(2));
  EXPECT_EQ(memory->hostPointer()[3], std::byte(4));
}

/// A model that says no more than it has to.
class PlainModel final : public LoadedModel {
public:
  const Interface &interface() const override { return face; }

private:
  Interface face;
};

TEST(LoadedModelTest, ExecutesOnlyWhereItSaysHow) {
  const PlainModel model;
  auto workspace = model.createWorkspace(nullptr);
  ASSERT_TRUE(workspace.isOk());
  EXPECT_FALSE(*workspace);
  Invocation invocation;
  EXPECT_EQ(model.run(invocation).message(),
            "the model executes on its own threads only");
}

// D-020, D-021, D-038: what contradicts the model is not handed on.
TEST_F(BackendTest, ReportsImpossibleShapes) {
  PreparedModelRef model = prepare();
  script->run = [](NNHalExecutionContext &context) {
    context.outputs[0].shape[0] = 3;
    return Status::ok();
  };
  Status status = execute(*model);
  EXPECT_EQ(status.code(), StatusCode::generalFailure);
  EXPECT_EQ(status.message(), "code reported extent 3 in dimension 0 of output "
                              "0 of shape [2]");
  EXPECT_TRUE(result.outputShapes.empty());
  EXPECT_EQ(result.timing, Timing());
  PreparedModelRef open = prepare(reluModel(2, 0));
  for (int64_t extent : {int64_t(-1), int64_t(UINT32_MAX) + 1}) {
    script->run = [&](NNHalExecutionContext &context) {
      context.outputs[0].shape[0] = extent;
      return Status::ok();
    };
    EXPECT_EQ(execute(*open).code(), StatusCode::generalFailure);
    EXPECT_TRUE(result.outputShapes.empty());
  }
}

// D-021, D-029: success with an output that does not suffice is none.
TEST_F(BackendTest, ReportsInsufficientOutputs) {
  PreparedModelRef model = prepare(reluModel(2, 0));
  script->run = [](NNHalExecutionContext &context) {
    context.outputs[0].shape[0] = 5;
    context.outputs[0].isSufficient = 0;
    return Status::ok();
  };
  EXPECT_EQ(execute(*model).code(), StatusCode::outputInsufficientSize);
  ASSERT_EQ(result.outputShapes.size(), 1u);
  EXPECT_EQ(result.outputShapes[0], (OutputShape{{5}, false}));
  EXPECT_EQ(result.timing, Timing());
}

std::multiset<std::string> textsOf(const Tracer &tracer) {
  std::multiset<std::string> texts;
  for (const TraceEvent &event : tracer.events())
    texts.insert(event.text());
  return texts;
}

// K-014: every call of a device, of a prepared model and of a buffer is a
// section, and so is what the device does for it.
TEST_F(BackendTest, IsTraced) {
  DeviceServices services;
  services.tracer = std::make_shared<Tracer>();
  {
    std::unique_ptr<Device> device = createDevice(services);
    EXPECT_TRUE(device->supportedOperations(reluModel()).isOk());
    PreparedModelRef model = *device->prepareModel(reluModel());
    EXPECT_EQ(execute(*model).message(), "");
    std::promise<Status> promise;
    Status launched = model->executeAsync(
        request, [&](const Status &status, const ExecutionResult &) {
          promise.set_value(status);
        });
    EXPECT_EQ(launched.message(), "");
    EXPECT_EQ(promise.get_future().get().message(), "");
    auto fenced = model->executeFenced(request);
    ASSERT_TRUE(fenced.isOk()) << fenced.status().message();
    EXPECT_EQ((*fenced)->fence()->wait(noDeadline).message(), "");
    BufferRole role;
    auto buffer = device->allocate({}, {&model, 1}, {&role, 1}, {});
    ASSERT_TRUE(buffer.isOk()) << buffer.status().message();
    auto pool = *SharedMemory::createAshmem(sizeof(input));
    EXPECT_EQ((*buffer)->copyFrom(*pool, {}).message(), "");
    EXPECT_EQ((*buffer)->copyTo(*pool).message(), "");
  }
  std::multiset<std::string> texts = textsOf(*services.tracer);
  for (const char *call : {"supportedOperations", "allocate"})
    EXPECT_EQ(texts.count("[NN_LR_PC]" + std::string(call)), 1u) << call;
  for (const char *call : {"copyFrom", "copyTo"})
    EXPECT_EQ(texts.count("[NN_LR_PE]" + std::string(call)), 1u) << call;
  EXPECT_EQ(texts.count("[NN_LR_PP]test-scripted"), 1u);
  EXPECT_EQ(texts.count("[NN_LD_PC]test-scripted"), 1u);
  for (const char *call : {"execute", "executeAsync", "executeFenced"})
    EXPECT_EQ(texts.count("[NN_LR_PE]" + std::string(call)), 1u) << call;
  EXPECT_EQ(texts.count("[NN_LD_PCO]test-scripted"), 3u);
}

// K-014: so is a call that is refused at once.
TEST_F(BackendTest, TracesWhatItRefuses) {
  DeviceServices services;
  services.tracer = std::make_shared<Tracer>();
  std::unique_ptr<Device> device = createDevice(services);
  PreparedModelRef model = *device->prepareModel(reluModel());
  PrepareOptions wrong;
  wrong.priority = Priority(7);
  EXPECT_FALSE(device->supportedOperations({}).isOk());
  EXPECT_FALSE(device->prepareModel({}).isOk());
  EXPECT_FALSE(device->prepareModelAsync(nullptr, {}, nullptr).isOk());
  EXPECT_FALSE(device->prepareModelFromCache({}, {}, wrong).isOk());
  EXPECT_FALSE(device->prepareModelFromArtifact({}, {}, wrong).isOk());
  EXPECT_FALSE(device->allocate({}, {}, {}, {}).isOk());
  EXPECT_FALSE(model->execute({}, result).isOk());
  EXPECT_FALSE(model->executeAsync(request, nullptr).isOk());
  EXPECT_FALSE(model->executeFenced({}).isOk());
  std::multiset<std::string> texts = textsOf(*services.tracer);
  EXPECT_EQ(texts.count("[NN_LR_PP]test-scripted"), 5u);
  EXPECT_EQ(texts.count("[NN_LR_PC]supportedOperations"), 1u);
  EXPECT_EQ(texts.count("[NN_LR_PC]allocate"), 1u);
  for (const char *call : {"execute", "executeAsync", "executeFenced"})
    EXPECT_EQ(texts.count("[NN_LR_PE]" + std::string(call)), 1u) << call;
}

// K-022: with the tag `model` a model that is valid is drawn in the log when a
// device prepares it, and otherwise never.
TEST_F(BackendTest, DrawsModelsInTheLog) {
  auto drawingsOf = [&](uint32_t mask, const AnnotatedModel &model) {
    int drawings = 0;
    DeviceServices services;
    services.log = std::make_shared<Log>(mask, [&](std::string_view line) {
      drawings += line == "model: digraph {";
    });
    std::unique_ptr<Device> device = createDevice(services);
    (void)device->supportedOperations(model);
    EXPECT_EQ(drawings, 0);
    (void)device->prepareModel(model);
    std::promise<void> told;
    (void)device->prepareModelAsync(
        std::make_shared<AnnotatedModel>(model), {},
        [&](const Result<PreparedModelRef> &) { told.set_value(); });
    told.get_future().wait();
    return drawings;
  };
  EXPECT_EQ(drawingsOf(maskOf(LogTag::model), reluModel()), 2);
  EXPECT_EQ(drawingsOf(~maskOf(LogTag::model), reluModel()), 0);
  AnnotatedModel invalid = reluModel();
  invalid.model.main.outputIndexes.clear();
  EXPECT_EQ(drawingsOf(maskOf(LogTag::model), invalid), 0);
}

// A program that states no limit has one all the same.
// C-024: a device states one thing for its whole life.
TEST(DeviceServicesTest, MeasuredCapabilitiesReplaceThoseOfTheBackend) {
  std::vector<std::string> asked;
  DeviceServices services;
  services.measuredCapabilities = [&](std::string_view device,
                                      std::string_view version) {
    asked.push_back(fmt::format("{} {}", device, version));
    return std::optional(uniformCapabilities({0.25f, 0.75f}));
  };
  auto device = createDevice(
      std::make_unique<ScriptedBackend>(std::make_shared<Script>()), services);
  for (int i = 0; i < 2; ++i)
    EXPECT_TRUE(device->capabilities() == uniformCapabilities({0.25f, 0.75f}));
  EXPECT_EQ(asked, std::vector<std::string>{"test-scripted 1"});

  services.measuredCapabilities = [](std::string_view, std::string_view) {
    return std::optional<Capabilities>();
  };
  ScriptedBackend backend(std::make_shared<Script>());
  device = createDevice(
      std::make_unique<ScriptedBackend>(std::make_shared<Script>()), services);
  EXPECT_TRUE(device->capabilities() == backend.info().capabilities);
}

TEST(DeviceServicesTest, MemoryIsLimitedToWhatTheMachineHas) {
  DeviceServices services = completeServices({});
  ASSERT_NE(services.memory, nullptr);
  auto excessive = services.memory->reserve(uint64_t(1) << 60);
  EXPECT_EQ(excessive.status().code(), StatusCode::resourceExhaustedPersistent);
  EXPECT_TRUE(services.memory->reserve(1 << 20).isOk());
}

// D-027: only ranks that the model leaves open are the backend's to write.
TEST_F(BackendTest, ReportsTheRankOfTheModel) {
  script->run = [](NNHalExecutionContext &context) {
    context.outputs[0].rank = 2;
    context.outputs[0].isSufficient = 1;
    return Status::ok();
  };
  ExecutionResult result;
  Status status = prepare()->execute(request, result);
  EXPECT_EQ(status.code(), StatusCode::generalFailure);
  EXPECT_EQ(status.message(), "code reported rank 2 of output 0 of shape [2]");
}

} // namespace
