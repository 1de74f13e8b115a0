//===- PrepareTest.cpp - What a preparation promises ----------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Conformance.h"

#include "nnhal/Runtime/MemoryBudget.h"
#include "nnhal/Runtime/SharedMemory.h"

#include <filesystem>

using namespace nnhal::rt;
using namespace nnhal::rt::conformance;

namespace {

using PreparedNotified = Notified<Result<PreparedModelRef>>;

PrepareCallback notifyingPrepared(std::shared_ptr<PreparedNotified> notified) {
  return [notified = std::move(notified)](Result<PreparedModelRef> result) {
    notified->notify(std::move(result));
  };
}

void expectSum(const PreparedModel &model) {
  FloatArguments arguments(model);
  Executed executed = executeIn(Mode::sync, model, arguments.request);
  EXPECT_EQ(executed.status.message(), "");
  EXPECT_EQ(arguments.outputs[0], flowOfCounts(arguments.outputs[0].size()));
}

class PrepareTest : public ConformanceTest {
protected:
  /// Prepares in both ways, which end with the same code. \p launched is that
  /// of the asynchronous launch.
  StatusCode prepare(const AnnotatedModel &model, const PrepareOptions &options,
                     StatusCode launched) {
    auto here = device->prepareModel(model, options);
    auto notified = std::make_shared<PreparedNotified>();
    Status launch =
        device->prepareModelAsync(std::make_shared<AnnotatedModel>(model),
                                  options, notifyingPrepared(notified));
    EXPECT_EQ(launch.code(), launched) << launch.message();
    Result<PreparedModelRef> there = notified->wait();
    EXPECT_EQ(there.status().code(), here.status().code())
        << there.status().message() << " and " << here.status().message();
    EXPECT_EQ(notified->count(), 1);
    if (there.isOk())
      EXPECT_NE(*there, nullptr);
    return here.status().code();
  }
};

// C-036, C-039, C-047.
TEST_F(PrepareTest, preparesAsynchronously) {
  auto model = std::make_shared<AnnotatedModel>(addModel());
  if (auto reason = unsupportedReason(*device, *model))
    GTEST_SKIP() << *reason;
  auto notified = std::make_shared<PreparedNotified>();
  Status launched =
      device->prepareModelAsync(model, {}, notifyingPrepared(notified));
  EXPECT_EQ(launched.message(), "");
  auto prepared = notified->wait();
  ASSERT_TRUE(prepared.isOk()) << prepared.status().message();
  ASSERT_NE(*prepared, nullptr);
  expectSum(**prepared);
  EXPECT_EQ(notified->count(), 1);
}

// C-036.
TEST_F(PrepareTest, needsACallbackAndAModel) {
  auto model = std::make_shared<AnnotatedModel>(addModel());
  Status launched = device->prepareModelAsync(model, {}, nullptr);
  EXPECT_EQ(launched.code(), StatusCode::invalidArgument);
  EXPECT_EQ(launched.message(), "a preparation needs a callback");
  launched = device->prepareModelAsync(
      nullptr, {}, [](auto) { ADD_FAILURE() << "there was no model"; });
  EXPECT_EQ(launched.code(), StatusCode::invalidArgument);
  EXPECT_EQ(launched.message(), "a preparation needs a model");
}

// B-004, B-005, C-037, C-044.
TEST_F(PrepareTest, rejectsOptionsThatDoNotExist) {
  PrepareOptions options;
  options.preference = ExecutionPreference(3);
  EXPECT_EQ(prepare(addModel(), options, StatusCode::invalidArgument),
            StatusCode::invalidArgument);
  EXPECT_EQ(device->prepareModel(addModel(), options).status().message(),
            "execution preference 3 is not between 0 and 2");
  options = {};
  options.priority = Priority(3);
  EXPECT_EQ(prepare(addModel(), options, StatusCode::invalidArgument),
            StatusCode::invalidArgument);
  EXPECT_EQ(device->prepareModel(addModel(), options).status().message(),
            "priority 3 is not between 0 and 2");
}

// C-031, C-108: valid, but not of this device; the launch succeeds.
TEST_F(PrepareTest, refusesWhatItDoesNotSupport) {
  AnnotatedModel model = addModel();
  model.model.extensionNameToPrefix.push_back({"com.example.unknown", 1});
  model.model.main.operations[0].type = OperationType((1u << 16) | 7);
  EXPECT_EQ(prepare(model, {}, StatusCode::none), StatusCode::invalidArgument);
}

// C-044, C-053, C-054, L-032.
TEST_F(PrepareTest, givesTheSameResultsWhateverThePreferenceAndPriority) {
  for (uint32_t preference = 0; preference < 3; ++preference)
    for (uint32_t priority = 0; priority < 3; ++priority)
      for (bool isRelaxed : {false, true}) {
        PrepareOptions options;
        options.preference = ExecutionPreference(preference);
        options.priority = Priority(priority);
        AnnotatedModel model = addModel();
        model.model.relaxComputationFloat32toFloat16 = isRelaxed;
        NNHAL_PREPARE_OR_SKIP(prepared, *device, model, options);
        expectSum(*prepared);
      }
}

// C-040, C-049, C-050.
TEST_F(PrepareTest, tellsOfPassedDeadlinesInTheCallback) {
  AnnotatedModel model = addModel();
  if (auto reason = unsupportedReason(*device, model))
    GTEST_SKIP() << *reason;
  for (Deadline deadline : {Deadline(0), Deadline(1), steadyNow()}) {
    PrepareOptions options;
    options.deadline = deadline;
    EXPECT_EQ(prepare(model, options, StatusCode::none),
              StatusCode::missedDeadlinePersistent);
  }
}

// C-042, C-049, C-051, L-032.
TEST_F(PrepareTest, keepsToDeadlines) {
  AnnotatedModel model = addModel();
  if (auto reason = unsupportedReason(*device, model))
    GTEST_SKIP() << *reason;
  PrepareOptions options;
  options.deadline = steadyNow() + 5 * millisecond;
  auto notified = std::make_shared<PreparedNotified>();
  Status launched =
      device->prepareModelAsync(std::make_shared<AnnotatedModel>(model),
                                options, notifyingPrepared(notified));
  StatusCode code = notified->wait().status().code();
  EXPECT_TRUE(launched.isOk() || launched.code() == code) << launched.message();
  EXPECT_TRUE(code == StatusCode::none ||
              code == StatusCode::missedDeadlineTransient ||
              code == StatusCode::missedDeadlinePersistent)
      << toString(code);
  for (Deadline deadline : {noDeadline, noDeadline - 1}) {
    options.deadline = deadline;
    EXPECT_EQ(prepare(model, options, StatusCode::none), StatusCode::none);
  }
}

// C-045, C-056.
TEST_F(PrepareTest, makesIndependentModels) {
  NNHAL_PREPARE_OR_SKIP(first, *device, addModel());
  NNHAL_PREPARE_OR_SKIP(second, *device, addModel());
  NNHAL_PREPARE_OR_SKIP(longer, *device, addChainModel({3}, 3));
  EXPECT_NE(first, second);
  for (int i = 0; i < 3; ++i) {
    expectSum(*first);
    expectSum(*second);
    FloatArguments arguments(*longer);
    EXPECT_TRUE(
        executeIn(Mode::sync, *longer, arguments.request).status.isOk());
    EXPECT_EQ(arguments.outputs[0], flowOfCounts(3, 3));
  }
  first.reset();
  expectSum(*second);
  longer.reset();
  expectSum(*second);
}

// C-045, D-005: a prepared model lives on without its device.
TEST_F(PrepareTest, outlivesTheDevice) {
  NNHAL_PREPARE_OR_SKIP(prepared, *device, addModel());
  device.reset();
  for (Mode mode : {Mode::sync, Mode::async, Mode::fenced}) {
    FloatArguments arguments(*prepared);
    Executed executed = executeIn(mode, *prepared, arguments.request);
    EXPECT_EQ(executed.status.message(), "");
    EXPECT_EQ(arguments.outputs[0], flowOfCounts(4));
  }
}

// C-043: the model and its constants may go.
TEST_F(PrepareTest, keepsConstants) {
  auto pool = SharedMemory::createAshmem(4096);
  ASSERT_TRUE(pool.isOk()) << pool.status().message();
  std::vector<float> ones(4, 1.0f);
  Status written = (*pool)->write(0, std::as_bytes(std::span(ones)));
  EXPECT_EQ(written.message(), "");
  auto model = std::make_unique<AnnotatedModel>(
      addConstantModel({4}, Memory::region(*pool, 0, 4096)));
  pool->reset();
  NNHAL_PREPARE_OR_SKIP(prepared, *device, *model);
  model.reset();
  FloatArguments arguments(*prepared);
  Executed executed = executeIn(Mode::sync, *prepared, arguments.request);
  EXPECT_EQ(executed.status.message(), "");
  EXPECT_EQ(arguments.outputs[0], flow({1, 2, 3, 4}, {1, 1, 1, 1}));
}

// C-046, D-039.
TEST_F(PrepareTest, acceptsInputsOfAnyShapeWhereTheModelLeavesItOpen) {
  NNHAL_PREPARE_OR_SKIP(prepared, *device, addModel({0, 2}));
  for (uint32_t rows : {1u, 3u, 2u}) {
    FloatArguments arguments({{rows, 2}, {rows, 2}}, {{rows, 2}});
    Executed executed = executeIn(Mode::sync, *prepared, arguments.request);
    EXPECT_EQ(executed.status.message(), "");
    ASSERT_EQ(executed.result.outputShapes.size(), 1u);
    EXPECT_EQ(executed.result.outputShapes[0].dimensions,
              (Dimensions{rows, 2}));
    EXPECT_EQ(arguments.outputs[0], flowOfCounts(size_t(rows) * 2));
  }
}

// C-041: the device keeps no reference.
TEST_F(PrepareTest, leavesTheModelToTheClient) {
  auto model = std::make_shared<AnnotatedModel>(addModel());
  if (auto reason = unsupportedReason(*device, *model))
    GTEST_SKIP() << *reason;
  std::weak_ptr<PreparedModel> observer;
  {
    auto notified = std::make_shared<PreparedNotified>();
    Status launched =
        device->prepareModelAsync(model, {}, notifyingPrepared(notified));
    EXPECT_EQ(launched.message(), "");
    auto prepared = notified->wait();
    ASSERT_TRUE(prepared.isOk()) << prepared.status().message();
    observer = *prepared;
    expectSum(**prepared);
  }
  EXPECT_TRUE(eventually([&] { return observer.expired(); }));
}

size_t openDescriptors() {
  size_t count = 0;
  for (const auto &entry : std::filesystem::directory_iterator("/proc/self/fd"))
    count += !entry.path().empty();
  return count;
}

// C-057.
TEST_F(PrepareTest, givesEverythingBack) {
  DeviceServices services;
  services.memory = std::make_shared<MemoryBudget>(UINT64_MAX);
  device = createDeviceUnderTest(services);
  AnnotatedModel model = addModel();
  if (auto reason = unsupportedReason(*device, model))
    GTEST_SKIP() << *reason;
  size_t before = 0;
  for (int i = 0; i < 30; ++i) {
    auto prepared = device->prepareModel(model);
    ASSERT_TRUE(prepared.isOk()) << prepared.status().message();
    for (Mode mode : {Mode::sync, Mode::async, Mode::fenced}) {
      FloatArguments arguments(**prepared);
      EXPECT_TRUE(executeIn(mode, **prepared, arguments.request).status.isOk());
    }
    std::weak_ptr<PreparedModel> observer = *prepared;
    prepared = PreparedModelRef();
    EXPECT_TRUE(eventually([&] { return observer.expired(); }));
    if (i == 0)
      before = openDescriptors(); // With those of the reactor.
  }
  // Those of tests before this one may have gone meanwhile.
  EXPECT_LE(openDescriptors(), before);
  EXPECT_EQ(services.memory->inUse(), 0u);
}

// C-065, C-066, C-067.
TEST_F(PrepareTest, prepareFromNothingFails) {
  std::vector<std::byte> noise(100, std::byte(7));
  auto prepared =
      device->prepareModelFromArtifact(noise, Memory::copy(noise), {});
  EXPECT_TRUE(prepared.status().code() == StatusCode::generalFailure ||
              prepared.status().code() == StatusCode::invalidArgument)
      << toString(prepared.status().code());
  PrepareOptions options;
  options.priority = Priority(3);
  EXPECT_EQ(
      device->prepareModelFromArtifact(noise, Memory::copy(noise), options)
          .status()
          .message(),
      "priority 3 is not between 0 and 2");
  options = {};
  options.deadline = 1;
  EXPECT_EQ(
      device->prepareModelFromArtifact(noise, Memory::copy(noise), options)
          .status()
          .code(),
      StatusCode::missedDeadlinePersistent);
}

} // namespace
