//===- ExecuteTest.cpp - Runs, frames and growing outputs -----------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tools/Execution/Execute.h"
#include "TestArtifact.h"

#include "nnhal/Runtime/CpuDevice.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

using namespace nnhal;
using namespace nnhal::tools;

namespace {

const rt::Device &device() {
  static const std::unique_ptr<rt::Device> device = rt::createCpuDevice();
  return *device;
}

std::shared_ptr<rt::PreparedModel>
prepare(const rt::Artifact &artifact, std::span<const std::byte> constants) {
  auto model = device().prepareModelFromArtifact(rt::writeModelCache(artifact),
                                                 rt::Memory::copy(constants));
  EXPECT_TRUE(model.isOk()) << model.status().message();
  return model.isOk() ? *model : nullptr;
}

InputTensor inputOf(std::vector<uint32_t> dimensions,
                    std::span<const std::byte> bytes, uint64_t frameSize) {
  InputTensor input;
  input.dimensions = std::move(dimensions);
  input.frameSize = frameSize;
  input.bytes = *rt::AlignedBuffer::allocate(bytes.size());
  std::memcpy(input.bytes.data(), bytes.data(), bytes.size());
  input.isPerFrame = bytes.size() > frameSize;
  return input;
}

/// Executions of one model over the same inputs.
class ScaleAndAddTest : public testing::Test {
protected:
  ScaleAndAddTest() {
    inputs.tensors.push_back(inputOf({4, 4}, std::as_bytes(std::span(x)), 64));
    inputs.tensors.push_back(inputOf({1}, std::as_bytes(std::span(offset)), 4));
  }

  const float x[16] = {1.0f, 2.0f}, offset[1] = {0.5f};
  rt::PreparedModelRef model =
      prepare(rt::scaleAndAddArtifact(), rt::scaleAndAddConstants());
  Inputs inputs;
};

TEST_F(ScaleAndAddTest, CountsRuns) {
  RunRequest request;
  request.warmup = 2;
  request.repeat = 5;
  auto executed =
      executeModel(request, ExecutionMode::sync, device(), model, inputs);
  ASSERT_TRUE(executed.isOk()) << executed.status().message();
  EXPECT_EQ(executed->measured.size(), 5u);
  EXPECT_GT(executed->first.total, 0.0);
  EXPECT_NE(executed->measured[0].timing.timeInDriver, rt::noTiming);
  float first;
  std::memcpy(&first, executed->outputs[0].bytes.data(), sizeof(first));
  EXPECT_EQ(first, 3.5f);
}

// D-001, D-002, D-003.
TEST_F(ScaleAndAddTest, EveryModeGivesTheSame) {
  auto expected =
      executeModel(RunRequest(), ExecutionMode::sync, device(), model, inputs);
  ASSERT_TRUE(expected.isOk()) << expected.status().message();
  EXPECT_EQ(expected->copiedBytes, 0u);
  for (ExecutionMode mode : {ExecutionMode::async, ExecutionMode::fenced}) {
    auto executed = executeModel(RunRequest(), mode, device(), model, inputs);
    ASSERT_TRUE(executed.isOk()) << executed.status().message();
    EXPECT_EQ(executed->mode, mode);
    EXPECT_TRUE(std::ranges::equal(executed->outputs[0].bytes,
                                   expected->outputs[0].bytes));
    EXPECT_EQ(executed->outputs[0].dimensions, expected->outputs[0].dimensions);
    EXPECT_NE(executed->measured[0].timing.timeInDriver, rt::noTiming);
  }
}

/// A model whose process has died.
class DeadModel final : public rt::PreparedModel {
public:
  explicit DeadModel(rt::PreparedModelRef model) : model(std::move(model)) {}
  const rt::Interface &interface() const override { return model->interface(); }
  rt::Status execute(const rt::Request &,
                     rt::ExecutionResult &) const override {
    return {rt::StatusCode::deadObject, "gone"};
  }
  rt::Status executeAsync(rt::Request, rt::ExecutionCallback) const override {
    return {rt::StatusCode::deadObject, "gone"};
  }
  rt::Result<std::shared_ptr<rt::FencedExecution>>
  executeFenced(rt::Request, std::vector<rt::FenceRef>,
                std::optional<uint64_t>) const override {
    return rt::Status(rt::StatusCode::deadObject, "gone");
  }

private:
  rt::PreparedModelRef model;
};

TEST_F(ScaleAndAddTest, ADeadModelIsReplacedOnce) { // C-082
  auto dead = std::make_shared<DeadModel>(model);
  const ExecutionMode modes[] = {ExecutionMode::sync, ExecutionMode::fenced};
  int revivals = 0;
  rt::PreparedModelRef next = model;
  Revive revive = [&](const rt::Status &death) {
    EXPECT_EQ(death.message(), "gone");
    ++revivals;
    return next;
  };
  auto executed =
      executeModes(RunRequest(), modes, device(), dead, inputs, revive);
  ASSERT_TRUE(executed.isOk()) << executed.status().message();
  EXPECT_EQ(executed->size(), 2u);
  EXPECT_EQ(revivals, 1);
  next = dead;
  executed = executeModes(RunRequest(), modes, device(), dead, inputs, revive);
  EXPECT_EQ(executed.status().code(), rt::StatusCode::deadObject);
  EXPECT_EQ(revivals, 2);
}

TEST_F(ScaleAndAddTest, EveryPlaceGivesTheSame) {
  auto expected =
      executeModel(RunRequest(), ExecutionMode::sync, device(), model, inputs);
  ASSERT_TRUE(expected.isOk()) << expected.status().message();
  for (ArgumentPlace place :
       {ArgumentPlace::memfd, ArgumentPlace::file, ArgumentPlace::buffers}) {
    RunRequest request;
    request.place = place;
    request.repeat = 2;
    auto executed =
        executeModel(request, ExecutionMode::async, device(), model, inputs);
    ASSERT_TRUE(executed.isOk()) << executed.status().message();
    EXPECT_TRUE(std::ranges::equal(executed->outputs[0].bytes,
                                   expected->outputs[0].bytes))
        << int(place);
    EXPECT_EQ(executed->outputs[0].dimensions, expected->outputs[0].dimensions);
    // A file is never mapped: two inputs and an output are copied. The others
    // are used where they are.
    EXPECT_EQ(executed->copiedBytes,
              place == ArgumentPlace::file ? 64u + 4u + 64u : 0u);
  }
}

TEST_F(ScaleAndAddTest, FencedWaitsForTheFence) {
  RunRequest request;
  request.fenceAfter = 20'000'000;
  auto executed =
      executeModel(request, ExecutionMode::fenced, device(), model, inputs);
  ASSERT_TRUE(executed.isOk()) << executed.status().message();
  EXPECT_GE(executed->first.total, 20'000.0);
  // The deadline passes first; nobody waits for the rest of an hour.
  request.fenceAfter = 3'600'000'000'000;
  request.timeLimit = 1'000'000;
  rt::Status status =
      executeModel(request, ExecutionMode::fenced, device(), model, inputs)
          .status();
  EXPECT_EQ(status.code(), rt::StatusCode::missedDeadlineTransient)
      << status.message();
}

TEST_F(ScaleAndAddTest, DeadlineIsOfEachExecution) {
  RunRequest request;
  request.timeLimit = 0;
  for (ExecutionMode mode : {ExecutionMode::sync, ExecutionMode::async})
    EXPECT_EQ(
        executeModel(request, mode, device(), model, inputs).status().code(),
        rt::StatusCode::missedDeadlinePersistent);
}

TEST(ExecuteTest, FramesCarryStates) {
  // The output feeds the first input: x is tripled, the offset added.
  rt::Artifact artifact = rt::scaleAndAddArtifact();
  artifact.inputs[0].dimensions = artifact.outputs[0].dimensions = {1};
  artifact.statePairs = {{0, 0}};
  auto model = prepare(artifact, rt::scaleAndAddConstants());
  float x[1] = {0.0f}, offsets[3] = {1.0f, 10.0f, 100.0f};
  Inputs inputs;
  inputs.tensors.push_back(inputOf({1}, std::as_bytes(std::span(x)), 4));
  inputs.tensors.push_back(inputOf({1}, std::as_bytes(std::span(offsets)), 4));
  inputs.frameCount = 3;
  RunRequest request;
  request.frames = true;
  request.repeat = 2; // The state starts anew each time.
  auto executed =
      executeModel(request, ExecutionMode::sync, device(), model, inputs);
  ASSERT_TRUE(executed.isOk()) << executed.status().message();
  EXPECT_EQ(executed->outputs[0].dimensions, std::vector<uint32_t>{3});
  float values[3];
  ASSERT_EQ(executed->outputs[0].bytes.size(), sizeof(values));
  std::memcpy(values, executed->outputs[0].bytes.data(), sizeof(values));
  EXPECT_EQ(values[0], 1.0f);
  EXPECT_EQ(values[1], 13.0f);
  EXPECT_EQ(values[2], 139.0f);
  EXPECT_EQ(executed->measured.size(), 6u);
  for (ArgumentPlace place :
       {ArgumentPlace::memfd, ArgumentPlace::file, ArgumentPlace::buffers}) {
    request.place = place;
    auto placed =
        executeModel(request, ExecutionMode::sync, device(), model, inputs);
    ASSERT_TRUE(placed.isOk()) << placed.status().message();
    EXPECT_TRUE(std::ranges::equal(placed->outputs[0].bytes,
                                   std::as_bytes(std::span(values))));
  }
}

TEST(ExecuteTest, OutputsGrow) {
  auto model = prepare(rt::intArtifact("computedRows", 1, 0), {});
  int32_t rows = 4;
  Inputs inputs;
  inputs.tensors.push_back(inputOf({1}, std::as_bytes(std::span(&rows, 1)), 4));
  auto executed =
      executeModel(RunRequest(), ExecutionMode::sync, device(), model, inputs);
  ASSERT_TRUE(executed.isOk()) << executed.status().message();
  EXPECT_EQ(executed->outputs[0].dimensions, std::vector<uint32_t>{4});
  EXPECT_EQ(executed->outputs[0].bytes.size(), 16u);
  RunRequest request;
  request.place = ArgumentPlace::memfd;
  executed =
      executeModel(request, ExecutionMode::sync, device(), model, inputs);
  ASSERT_TRUE(executed.isOk()) << executed.status().message();
  EXPECT_EQ(executed->outputs[0].bytes.size(), 16u);
}

TEST(ExecuteTest, FailuresAreReported) {
  auto model = prepare(rt::intArtifact("returnInput", 1, 1), {});
  int32_t code = 7;
  Inputs inputs;
  inputs.tensors.push_back(inputOf({1}, std::as_bytes(std::span(&code, 1)), 4));
  EXPECT_EQ(
      executeModel(RunRequest(), ExecutionMode::sync, device(), model, inputs)
          .status()
          .message(),
      "the execution reported RESOURCE_EXHAUSTED_TRANSIENT");
}

} // namespace
