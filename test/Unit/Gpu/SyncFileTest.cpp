//===- SyncFileTest.cpp - Fences of a driver of Vulkan --------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FakeVulkanTest.h"
#include "TestProgram.h"

#include "Runtime/Devices/Gpu/GpuExecution.h"
#include "Runtime/Devices/Gpu/GpuModel.h"
#include "Runtime/Devices/Gpu/Vulkan/VulkanDriver.h"
#include "nnhal/Runtime/Buffer.h"
#include "nnhal/Runtime/Fence.h"
#include "nnhal/Runtime/PreparedModel.h"
#include "nnhal/Runtime/SharedMemory.h"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <new>
#include <unistd.h>

using namespace nnhal::rt;
using namespace nnhal::rt::test;
using vulkan::Engine;

namespace {

/// A driver that exports fences as the end of a pipe, whose other end signals
/// them.
class SyncFileTest : public FakeVulkanTest {
protected:
  void SetUp() override {
    FakeVulkanTest::SetUp();
    ASSERT_FALSE(HasFatalFailure());
    int ends[2];
    ASSERT_EQ(::pipe(ends), 0);
    fenceEnd = UniqueFd(ends[0]);
    signalEnd = UniqueFd(ends[1]);
    fake->extension = "VK_KHR_external_fence_fd";
    fake->fenceFeatures = VK_EXTERNAL_FENCE_FEATURE_EXPORTABLE_BIT;
    fake->fenceDescriptor = fenceEnd.get();
    fake->memoryProperties = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT |
                             VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
  }

  void signal() { ASSERT_EQ(::write(signalEnd.get(), "x", 1), 1); }

  /// Prepares copyProgram(), with arguments that are buffers of the device.
  void prepare() {
    auto engine = Engine::open(NNHAL_FAKE_VULKAN);
    ASSERT_TRUE(engine.isOk()) << engine.status().message();
    device = createDevice(
        createGpuBackend(vulkan::createDriver(*engine), noCompiler()));
    auto prepared = device->prepareModelFromArtifact(
        modelCacheOf(copyProgram()), Memory::copy(constantsOf()));
    ASSERT_TRUE(prepared.isOk()) << prepared.status().message();
    model = *prepared;
    std::vector<PreparedModelRef> models = {model};
    std::vector<BufferRole> roles[] = {{{0, 0, 1.0f}}, {{0, 1, 1.0f}}};
    for (size_t i = 0; i < 3; ++i) {
      auto buffer = i < 2 ? device->allocate({}, models, roles[i], {})
                          : device->allocate({}, models, {}, roles[0]);
      ASSERT_TRUE(buffer.isOk()) << buffer.status().message();
      buffers.push_back(*buffer);
    }
    for (size_t i = 0; i < 2; ++i) {
      std::vector<std::byte> zeroes(i == 0 ? bytesOfX : 4);
      auto pool = SharedMemory::createAshmem(zeroes.size());
      ASSERT_TRUE(pool.isOk());
      ASSERT_TRUE(buffers[i]->copyFrom(**pool, {}).isOk());
    }
    request.inputs = {{Memory::device(buffers[0]->token()), {}},
                      {Memory::device(buffers[1]->token()), {}}};
    request.outputs = {{OutputMemory::device(buffers[2]->token()), {}}};
  }

  std::shared_ptr<FencedExecution> launch() {
    auto launched = model->executeFenced(request, {}, std::nullopt);
    EXPECT_TRUE(launched.isOk()) << launched.status().message();
    return launched.isOk() ? *launched : nullptr;
  }

  /// An execution whose fence is the runtime's, and which signals.
  void expectOwnFence() {
    auto execution = launch();
    ASSERT_NE(execution, nullptr);
    EXPECT_TRUE(execution->fence()->isOwn());
    EXPECT_EQ(execution->fence()->wait(noDeadline).message(), "");
    EXPECT_EQ(execution->executionInfo().status.message(), "");
  }

  UniqueFd fenceEnd, signalEnd;
  std::unique_ptr<Device> device;
  PreparedModelRef model;
  std::vector<std::shared_ptr<Buffer>> buffers;
  Request request;
};

TEST_F(SyncFileTest, AreTheFencesOfExecutions) {
  prepare();
  EXPECT_EQ(fake->enabledExtension, "VK_KHR_external_fence_fd");
  for (uint32_t round = 1; round <= 2; ++round) {
    auto execution = launch();
    ASSERT_NE(execution, nullptr);
    EXPECT_FALSE(execution->fence()->isOwn());
    EXPECT_EQ(execution->fence()->poll(), FenceState::active);
    EXPECT_EQ(execution->executionInfo().status.message(),
              "the execution has not ended");
    signal();
    EXPECT_EQ(execution->fence()->wait(noDeadline).message(), "");
    EXPECT_EQ(execution->executionInfo().status.message(), "");
    std::byte signaled;
    ASSERT_EQ(::read(fenceEnd.get(), &signaled, 1), 1);
    EXPECT_EQ(fake->submissions, round);
    // The fence of the commands is waited for by the device's own execution.
    EXPECT_EQ(fake->emptySubmissions, round);
    EXPECT_EQ(fake->exportedFences, round);
  }
  // One fence serves all executions of a workspace.
  EXPECT_EQ(fake->exportableFences, 1u);
  // Executions that are not fenced export nothing.
  ExecutionResult result;
  EXPECT_EQ(model->execute(request, result).message(), "");
  EXPECT_EQ(fake->exportedFences, 2u);
}

TEST_F(SyncFileTest, AreThereWhereTheDriverSaysSo) {
  fake->extension = nullptr;
  prepare();
  expectOwnFence();
  EXPECT_EQ(fake->exportableFences, 0u);
}

TEST_F(SyncFileTest, NeedFencesThatCanBeExported) {
  fake->fenceFeatures = VK_EXTERNAL_FENCE_FEATURE_IMPORTABLE_BIT;
  prepare();
  EXPECT_EQ(fake->enabledExtension, "");
  expectOwnFence();
  EXPECT_EQ(fake->exportableFences, 0u);
}

TEST_F(SyncFileTest, NeedTheFunctionOfTheDriver) {
  fake->missing = "GetFenceFdKHR";
  prepare();
  expectOwnFence();
  EXPECT_EQ(fake->exportableFences, 0u);
}

// A descriptor of -1 is a fence that has signaled.
TEST_F(SyncFileTest, MayHaveSignaled) {
  fake->fenceDescriptor = -1;
  prepare();
  expectOwnFence();
  EXPECT_EQ(fake->exportedFences, 1u);
}

TEST_F(SyncFileTest, MayFailToBeExported) {
  fake->getFence = VK_ERROR_TOO_MANY_OBJECTS;
  prepare();
  expectOwnFence();
  expectOwnFence();
  // A fence that was not exported is not used again.
  EXPECT_EQ(fake->exportableFences, 2u);
  EXPECT_EQ(fake->exportedFences, 0u);
}

// Outputs that the host has to copy are not there when the commands have ended:
// the runtime waits for the sync_file.
TEST_F(SyncFileTest, AreNotTheFencesOfCopies) {
  prepare();
  auto pool = SharedMemory::createAshmem(bytesOfX);
  ASSERT_TRUE(pool.isOk());
  request.outputs = {{OutputMemory::region(*pool, 0, bytesOfX), {}}};
  auto execution = launch();
  ASSERT_NE(execution, nullptr);
  EXPECT_TRUE(execution->fence()->isOwn());
  EXPECT_EQ(execution->fence()->poll(), FenceState::active);
  EXPECT_EQ(fake->exportedFences, 1u);
  signal();
  EXPECT_EQ(execution->fence()->wait(noDeadline).message(), "");
  EXPECT_EQ(execution->executionInfo().status.message(), "");
}

// The sync_file fails, and the execution with the reason.
TEST_F(SyncFileTest, FailWithTheDevice) {
  prepare();
  auto execution = launch();
  ASSERT_NE(execution, nullptr);
  fake->waitForFences = VK_ERROR_DEVICE_LOST;
  signalEnd = {};
  EXPECT_EQ(execution->fence()->wait(noDeadline).code(),
            StatusCode::generalFailure);
  Status status = execution->executionInfo().status;
  EXPECT_EQ(status.code(), StatusCode::deadObject);
  EXPECT_EQ(status.message(), "vkWaitForFences has lost the GPU");
}

/// The commands of a GPU that has finished when it is waited for, on a machine
/// without memory for a sync_file.
struct ScarceRecording final : GpuRecording {
  Result<uint32_t> submit(uint32_t) override { return 0u; }
  Result<bool> wait(std::chrono::nanoseconds) override {
    isWaitedFor = true;
    return true;
  }
  UniqueFd exportSyncFile() override { throw std::bad_alloc(); }
  void finish() noexcept override { isWaitedFor = true; }
  int64_t elapsed() const override { return 5; }
  void reportOperations(OperationObserver &, int64_t) const override {}

  bool isWaitedFor = false;
};

const std::vector<GpuCommand> noCommands;

struct ScarceExecution final : GpuExecution {
  ScarceExecution() : GpuExecution(noCommands) {}

  Status prepare(Invocation &, bool) override { return Status::ok(); }
  GpuRecording &commands() override { return recording; }
  std::span<std::byte> firstStatus() override { return status; }
  std::span<const std::byte> lastStatus() const override { return status; }
  std::span<const std::byte> stagedOutput(size_t) const override { return {}; }

  ScarceRecording recording;
  std::array<std::byte, gpuStatusSize> status = {};
};

// An execution that a GPU has begun is waited for, with a sync_file or without.
TEST(GpuExecutionTest, EndsWithoutMemoryForASyncFile) {
  ScarceExecution execution;
  std::atomic<uint32_t> cancelFlag = 0;
  Invocation invocation;
  invocation.cancelFlag = &cancelFlag;
  auto launched = execution.launch(invocation);
  ASSERT_TRUE(launched.isOk()) << launched.status().message();
  EXPECT_FALSE(launched->syncFile.isValid());
  EXPECT_FALSE(execution.recording.isWaitedFor);
  EXPECT_EQ(execution.conclude(invocation).message(), "");
  EXPECT_TRUE(execution.recording.isWaitedFor);
  EXPECT_EQ(invocation.timeOnDevice, 5);
}

// Only the host knows how an execution ends where it decides, or where kernels
// check what they find.
TEST(EndsByItselfTest, KnowsWhoTellsOfTheEnd) {
  GpuProgram program = copyProgram();
  EXPECT_TRUE(endsByItself(program));
  program.commands.emplace_back().kind = GpuCommandKind::branch;
  EXPECT_FALSE(endsByItself(program));
  EXPECT_FALSE(endsByItself(scaleProgram()));
  // Kernels that read which inputs there are cannot fail.
  program = copyProgram();
  GpuKernel &kernel = program.kernels.emplace_back();
  kernel.isWritten = {false};
  GpuCommand &dispatch = program.commands.emplace_back();
  dispatch.bindings = {{GpuSpace::status, 0, 0, 64}};
  EXPECT_TRUE(endsByItself(program));
  program.kernels[0].isWritten = {true};
  EXPECT_FALSE(endsByItself(program));
  program.kernels[0].isWritten = {false};
  program.commands.back().kind = GpuCommandKind::fill;
  EXPECT_FALSE(endsByItself(program));
}

} // namespace
