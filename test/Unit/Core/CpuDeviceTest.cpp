//===- CpuDeviceTest.cpp - Preparing, and executing from many threads -----===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "nnhal/Runtime/CpuDevice.h"
#include "Runtime/Support/Errors.h"

#include "Faults/Allocations.h"
#include "ReluModel.h"
#include "TestArtifact.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

using namespace nnhal::rt;

namespace {

Result<std::shared_ptr<PreparedModel>> prepare(const Artifact &artifact,
                                               const Memory &dataCache,
                                               CpuDeviceOptions options = {}) {
  return createCpuDevice(std::move(options))
      ->prepareModelFromArtifact(writeModelCache(artifact), dataCache);
}

/// A request of one thread with its memory.
struct Caller {
  explicit Caller(float offsetValue) : offset{offsetValue} {
    for (size_t i = 0; i < 16; ++i)
      x[i] = float(i);
    request.inputs = {{Memory::borrow(std::as_bytes(std::span(x))), {}},
                      {Memory::borrow(std::as_bytes(std::span(offset))), {}}};
    request.outputs = {
        {OutputMemory::borrow(std::as_writable_bytes(std::span(y))), {}}};
  }

  bool isCorrect() const {
    for (size_t i = 0; i < 16; ++i)
      if (y[i] != 3.0f * float(i) + offset[0])
        return false;
    return true;
  }

  float x[16] = {};
  float offset[1];
  float y[16] = {};
  Request request;
  ExecutionResult result;
};

TEST(CpuDeviceTest, Identity) {
  auto device = createCpuDevice();
  EXPECT_EQ(device->name(), "nnhal-cpu");
  EXPECT_FALSE(device->version().empty());
  EXPECT_EQ(toString(device->type()), "CPU");
  EXPECT_EQ(toString(device->halVersion()), "1.3");
}

TEST(CpuDeviceTest, ExecutesFromManyThreads) {
  auto model =
      prepare(scaleAndAddArtifact(), Memory::copy(scaleAndAddConstants()));
  ASSERT_TRUE(model.isOk()) << model.status().message();
  std::atomic<int> wrong = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t)
    threads.emplace_back([&, t] {
      Caller caller(float(t * 1000));
      for (int i = 0; i < 1000; ++i) {
        caller.offset[0] = float(t * 1000 + i);
        if (!(*model)->execute(caller.request, caller.result).isOk() ||
            !caller.isCorrect())
          ++wrong;
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(wrong, 0);
}

TEST(CpuDeviceTest, WarmExecutionsAllocateNothing) {
  auto model =
      prepare(scaleAndAddArtifact(), Memory::copy(scaleAndAddConstants()));
  ASSERT_TRUE(model.isOk()) << model.status().message();
  Caller caller(1.0f);
  caller.request.measureTiming = true;
  ASSERT_TRUE((*model)->execute(caller.request, caller.result).isOk());
  size_t before = allocationsOfThisThread();
  for (int i = 0; i < 10; ++i)
    ASSERT_TRUE((*model)->execute(caller.request, caller.result).isOk());
  EXPECT_EQ(allocationsOfThisThread(), before);
}

TEST(CpuDeviceTest, ModelOutlivesItsDevice) {
  std::shared_ptr<PreparedModel> model;
  {
    auto device = createCpuDevice();
    std::vector<std::byte> cache = writeModelCache(scaleAndAddArtifact());
    auto prepared = device->prepareModelFromArtifact(
        cache, Memory::copy(scaleAndAddConstants()));
    ASSERT_TRUE(prepared.isOk());
    model = *prepared;
  }
  Caller caller(2.0f);
  ASSERT_TRUE(model->execute(caller.request, caller.result).isOk());
  EXPECT_TRUE(caller.isCorrect());
}

TEST(CpuDeviceTest, AlignedConstantsAreUsedInPlace) {
  alignas(64) float factor[16] = {3.0f};
  auto model =
      prepare(scaleAndAddArtifact(),
              Memory::borrow(std::as_bytes(std::span(factor)).first(4)));
  ASSERT_TRUE(model.isOk()) << model.status().message();
  Caller caller(0.0f);
  factor[0] = 5.0f;
  ASSERT_TRUE((*model)->execute(caller.request, caller.result).isOk());
  EXPECT_EQ(caller.y[1], 5.0f);
}

TEST(CpuDeviceTest, ContextKeepsItsPromises) {
  auto model = prepare(intArtifact("checkContext", 2, 1), Memory());
  ASSERT_TRUE(model.isOk()) << model.status().message();
  EXPECT_EQ((*model)->interface().inputs[0].name, "x");
  int32_t x[2] = {20, 22}, y = 0;
  Request request;
  request.inputs = {{Memory::borrow(std::as_bytes(std::span(x))), {}}};
  request.outputs = {
      {OutputMemory::borrow(std::as_writable_bytes(std::span(&y, 1))), {}}};
  ExecutionResult result;
  ASSERT_TRUE((*model)->execute(request, result).isOk());
  EXPECT_EQ(y, 42);
}

// D-041, D-046, D-063.
TEST(CpuDeviceTest, Timing) {
  CpuDeviceOptions options;
  // The reactor's thread looks at the clock, too, whenever it likes.
  options.services.clock = [now = std::make_shared<std::atomic<int64_t>>(0),
                            caller = std::this_thread::get_id()] {
    bool isCaller = std::this_thread::get_id() == caller;
    return *now += isCaller ? 1'000'000 : 0;
  };
  auto model = prepare(scaleAndAddArtifact(),
                       Memory::copy(scaleAndAddConstants()), options);
  ASSERT_TRUE(model.isOk()) << model.status().message();
  Caller caller(0.0f);
  ASSERT_TRUE((*model)->execute(caller.request, caller.result).isOk());
  EXPECT_EQ(caller.result.timing, Timing());
  caller.request.measureTiming = true;
  ASSERT_TRUE((*model)->execute(caller.request, caller.result).isOk());
  EXPECT_EQ(caller.result.timing.timeOnDevice, 1000u);
  EXPECT_EQ(caller.result.timing.timeInDriver, 3000u);
}

TEST(CpuDeviceTest, SpecializedEntryIsChosenByShape) {
  Artifact artifact = intArtifact("returnInput", 0, 1);
  artifact.entries = {{"checkContext", 0, {}, {{2}}, 0},
                      {"returnInput", 0, {}, {{1}}, 0}};
  auto model = prepare(artifact, Memory());
  ASSERT_TRUE(model.isOk()) << model.status().message();
  int32_t x[3] = {5, 6, 7}, y = 0;
  Request request;
  request.outputs = {
      {OutputMemory::borrow(std::as_writable_bytes(std::span(&y, 1))), {}}};
  auto run = [&](uint32_t extent) {
    request.inputs = {
        {Memory::borrow(std::as_bytes(std::span(x).first(extent))), {extent}}};
    ExecutionResult result;
    return (*model)->execute(request, result);
  };
  EXPECT_TRUE(run(2).isOk());
  EXPECT_EQ(y, 11);
  EXPECT_EQ(run(1).code(), StatusCode::missedDeadlineTransient);
  EXPECT_EQ(run(3).message(),
            "no entry of the model is for inputs of these shapes");
}

TEST(CpuDeviceTest, PrepareDiagnostics) {
  auto messageOf = [](const Artifact &artifact, const Memory &dataCache) {
    auto model = prepare(artifact, dataCache);
    return model.isOk() ? "prepared" : model.status().message();
  };
  Memory constants = Memory::copy(scaleAndAddConstants());
  EXPECT_EQ(messageOf(scaleAndAddArtifact(), constants), "prepared");
  EXPECT_EQ(messageOf(scaleAndAddArtifact(), Memory()),
            "data cache has 0 bytes, the model cache needs 4");
  Artifact artifact = scaleAndAddArtifact();
  artifact.routineSlots = {8};
  EXPECT_EQ(messageOf(artifact, constants),
            "code needs routine 8 of the runtime, this version has 8");
  artifact = scaleAndAddArtifact();
  artifact.extensions = {{"com.example.a", "a:1;"}};
  EXPECT_EQ(messageOf(artifact, constants),
            "code needs the extension 'com.example.a', which no plug-in "
            "brings");
  artifact = scaleAndAddArtifact();
  artifact.entries[0].symbol = "absent";
  EXPECT_EQ(messageOf(artifact, constants),
            "code does not export the entry 'absent'");
  artifact = scaleAndAddArtifact();
  artifact.entries[0].arenaSize = uint64_t(1) << 40;
  auto model = prepare(artifact, constants);
  ASSERT_TRUE(model.isOk());
  EXPECT_EQ(createCpuDevice()
                ->prepareModelFromArtifact(std::vector<std::byte>(10), Memory())
                .status()
                .message(),
            "model cache of 10 bytes is shorter than its header of 80");
}

TEST(CpuDeviceTest, PrepareModelAsksTheCompiler) {
  CpuDeviceOptions options;
  options.compiler = std::make_shared<LazyCompiler>("/nonexistent.so");
  auto device = createCpuDevice(options);
  AnnotatedModel model =
      nnhal::rt::test::unaryModel(OperationType::FLOOR, 1, 1);
  EXPECT_EQ(device->prepareModel(model).status().code(),
            StatusCode::deviceUnavailable);
  auto supported = device->supportedOperations(model);
  ASSERT_TRUE(supported.isOk()) << supported.status().message();
  ASSERT_EQ(supported->size(), 1u);
  EXPECT_TRUE(supported->at(0).isOk()) << supported->at(0).message();
  // An invalid model never reaches the compiler.
  model.model.main.operations[0].inputs = {7};
  EXPECT_EQ(device->prepareModel(model).status().code(),
            StatusCode::invalidArgument);
  EXPECT_FALSE(device->supportedOperations(model).isOk());
}

TEST(CpuDeviceTest, ArtifactIsKeptBeforeItIsLoaded) {
  CpuDeviceOptions options;
  options.compiler = std::make_shared<LazyCompiler>(
      std::string(NNHAL_TEST_INPUTS) + "/NNHalFakeCompiler.so");
  auto device = createCpuDevice(options);
  AnnotatedModel model =
      nnhal::rt::test::unaryModel(OperationType::FLOOR, 1, 1);
  PrepareObserver observer;
  observer.keepArtifact = [](const CompiledModel &compiled) {
    return failure("no room for {} bytes", compiled.modelCache.size() > 0);
  };
  EXPECT_EQ(device->prepareModel(model, {}, observer).status().message(),
            "no room for true bytes");
  // What the fake delivers is no artifact.
  EXPECT_EQ(device->prepareModel(model).status().message(),
            "not a model cache: the first 8 bytes are not \"NNHALMC\\x1a\"");
}

} // namespace
