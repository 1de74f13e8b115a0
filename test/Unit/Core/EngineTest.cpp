//===- EngineTest.cpp - The HAL over a device with threads of its own -----===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FakeEngine.h"

#include "Runtime/Support/Errors.h"
#include "nnhal/Backend/HostCodeModel.h"
#include "nnhal/Runtime/MemoryBudget.h"
#include "nnhal/Runtime/Scheduler.h"
#include "nnhal/Runtime/SharedMemory.h"
#include "nnhal/Runtime/Trace.h"

#include <gtest/gtest.h>

#include <cstring>
#include <future>
#include <sys/mman.h>
#include <thread>
#include <unistd.h>

using namespace nnhal::rt;
using namespace nnhal::rt::testing;
using namespace std::chrono_literals;

namespace {

template <typename Condition> bool eventually(Condition condition) {
  for (int i = 0; i < 5000; ++i) {
    if (condition())
      return true;
    std::this_thread::sleep_for(1ms);
  }
  return false;
}

/// The arguments of one execution of two floats.
struct TwoFloats {
  TwoFloats() {
    request.inputs = {{Memory::borrow(std::as_bytes(std::span(input))), {}}};
    request.outputs = {
        {OutputMemory::borrow(std::as_writable_bytes(std::span(output))), {}}};
  }
  void expectDone() const {
    EXPECT_EQ(output[0], 4);
    EXPECT_EQ(output[1], 6);
  }

  float input[2] = {3, 5};
  float output[2] = {};
  Request request;
};

class EngineTest : public ::testing::Test {
protected:
  EngineTest() {
    // A command queue takes eight executions.
    services.executions = Scheduler::create({.slots = 8});
    device = createDevice(createFakeEngine(control), services);
    model = prepare(2, 2);
  }
  ~EngineTest() override { control->release(); }

  PreparedModelRef prepare(uint32_t input, uint32_t output) {
    auto prepared = device->prepareModel(reluModel(input, output));
    EXPECT_TRUE(prepared.isOk()) << prepared.status().message();
    return *prepared;
  }
  std::shared_ptr<Buffer> allocate(const PreparedModelRef &of,
                                   bool isInput = true) {
    std::vector<BufferRole> roles(1);
    auto buffer =
        device->allocate({}, std::span(&of, 1),
                         isInput ? roles : std::vector<BufferRole>(), roles);
    EXPECT_TRUE(buffer.isOk()) << buffer.status().message();
    return *buffer;
  }
  std::shared_ptr<FencedExecution> launch(const PreparedModel &on,
                                          const Request &request,
                                          std::vector<FenceRef> waitFor = {}) {
    auto launched = on.executeFenced(request, std::move(waitFor));
    EXPECT_TRUE(launched.isOk()) << launched.status().message();
    return *launched;
  }

  std::shared_ptr<EngineControl> control = std::make_shared<EngineControl>();
  DeviceServices services;
  std::unique_ptr<Device> device;
  PreparedModelRef model;
  ExecutionResult result;
};

TEST_F(EngineTest, executesSynchronously) {
  for (int i = 0; i < 3; ++i) {
    TwoFloats arguments;
    EXPECT_EQ(model->execute(arguments.request, result).message(), "");
    arguments.expectDone();
    EXPECT_EQ(result.outputShapes, (std::vector<OutputShape>{{{2}, true}}));
    EXPECT_EQ(result.copiedBytes, 0u);
  }
  EXPECT_EQ(control->submitted, 3);
  EXPECT_EQ(control->workspaces, 1);
}

// Callbacks are called once, and never on the engine's thread.
TEST_F(EngineTest, executesAsynchronously) {
  constexpr int count = 20;
  std::vector<TwoFloats> arguments(count);
  std::atomic<int> calls = 0;
  std::promise<void> done;
  control->hold();
  for (TwoFloats &own : arguments) {
    own.request.inputs[0].memory =
        Memory::borrow(std::as_bytes(std::span(own.input)));
    own.request.outputs[0].memory =
        OutputMemory::borrow(std::as_writable_bytes(std::span(own.output)));
    Status launched = model->executeAsync(
        own.request, [&](const Status &status, const ExecutionResult &told) {
          EXPECT_EQ(status.message(), "");
          EXPECT_EQ(told.outputShapes.size(), 1u);
          EXPECT_NE(std::this_thread::get_id(), control->thread.load());
          if (++calls == count)
            done.set_value();
        });
    EXPECT_EQ(launched.message(), "");
  }
  // The queue of the runtime holds back what is more than the slots.
  EXPECT_TRUE(eventually([&] { return control->submitted == 8; }));
  control->release();
  done.get_future().wait();
  for (const TwoFloats &own : arguments)
    own.expectDone();
}

// What the client gets is the engine's own fence; it is known at once how the
// execution went when that has signaled.
TEST_F(EngineTest, returnsItsFence) {
  TwoFloats arguments;
  control->hold();
  auto held = launch(*model, arguments.request);
  EXPECT_FALSE(held->fence()->isOwn());
  EXPECT_EQ(held->fence()->poll(), FenceState::active);
  EXPECT_EQ(held->executionInfo().status.message(),
            "the execution has not ended");
  control->release();
  EXPECT_EQ(held->fence()->wait(noDeadline).message(), "");
  EXPECT_EQ(held->executionInfo().status.message(), "");
  arguments.expectDone();
  for (int i = 0; i < 100; ++i) {
    auto execution = launch(*model, arguments.request);
    EXPECT_EQ(execution->fence()->wait(noDeadline).message(), "");
    EXPECT_EQ(execution->executionInfo().status.message(), "");
  }
}

// Without one of its own, the runtime's is as good.
TEST_F(EngineTest, mayHaveNoFence) {
  control->makesFences = false;
  TwoFloats arguments;
  auto execution = launch(*model, arguments.request);
  EXPECT_TRUE(execution->fence()->isOwn());
  EXPECT_EQ(execution->fence()->wait(noDeadline).message(), "");
  EXPECT_EQ(execution->executionInfo().status.message(), "");
  arguments.expectDone();
}

// An execution after another one of the engine is in its queue before that has
// ended: nobody waits in between.
TEST_F(EngineTest, waitsForItsFences) {
  TwoFloats first, second;
  second.request.inputs[0].memory =
      Memory::borrow(std::as_bytes(std::span(first.output)));
  control->hold();
  auto before = launch(*model, first.request);
  auto after = launch(*model, second.request, {before->fence(), nullptr});
  EXPECT_EQ(control->submitted, 2);
  EXPECT_EQ(control->fencesWaitedFor, 1);
  control->release();
  EXPECT_EQ(after->fence()->wait(noDeadline).message(), "");
  EXPECT_EQ(second.output[0], 5);
  EXPECT_EQ(second.output[1], 7);
}

// Fences that it does not know are the runtime's to wait for.
TEST_F(EngineTest, leavesOtherFencesToTheRuntime) {
  TwoFloats arguments;
  FenceRef foreign = *Fence::create();
  auto execution = launch(*model, arguments.request, {foreign});
  EXPECT_TRUE(execution->fence()->isOwn());
  std::this_thread::sleep_for(5ms);
  EXPECT_EQ(control->submitted, 0);
  foreign->complete(Status::ok());
  EXPECT_EQ(execution->fence()->wait(noDeadline).message(), "");
  EXPECT_EQ(control->submitted, 1);
  EXPECT_EQ(control->fencesWaitedFor, 0);
  arguments.expectDone();
}

// With its slots taken, an execution waits its turn and has a fence meanwhile.
TEST_F(EngineTest, queuesFencedExecutions) {
  control->hold();
  std::vector<TwoFloats> arguments(9);
  std::vector<std::shared_ptr<FencedExecution>> executions;
  for (TwoFloats &own : arguments) {
    own.request.inputs[0].memory =
        Memory::borrow(std::as_bytes(std::span(own.input)));
    own.request.outputs[0].memory =
        OutputMemory::borrow(std::as_writable_bytes(std::span(own.output)));
    executions.push_back(launch(*model, own.request));
  }
  EXPECT_EQ(control->submitted, 8);
  EXPECT_FALSE(executions.front()->fence()->isOwn());
  EXPECT_TRUE(executions.back()->fence()->isOwn());
  control->release();
  for (auto &execution : executions)
    EXPECT_EQ(execution->fence()->wait(noDeadline).message(), "");
  for (const TwoFloats &own : arguments)
    own.expectDone();
}

// D-060: only the runtime can tell when the second deadline begins.
TEST_F(EngineTest, leavesDurationsToTheRuntime) {
  TwoFloats arguments;
  control->hold();
  auto launched = model->executeFenced(arguments.request, {}, 20'000'000);
  ASSERT_TRUE(launched.isOk()) << launched.status().message();
  EXPECT_TRUE((*launched)->fence()->isOwn());
  EXPECT_EQ((*launched)->fence()->wait(noDeadline).code(),
            StatusCode::missedDeadlineTransient);
}

TEST_F(EngineTest, isCancelledByDeadlines) {
  control->hold();
  TwoFloats arguments;
  arguments.request.deadline = steadyNow() + 20'000'000;
  EXPECT_EQ(model->execute(arguments.request, result).code(),
            StatusCode::missedDeadlineTransient);
  arguments.request.deadline = steadyNow() + 20'000'000;
  auto execution = launch(*model, arguments.request);
  EXPECT_FALSE(execution->fence()->isOwn());
  EXPECT_FALSE(execution->fence()->wait(noDeadline).isOk());
  EXPECT_EQ(execution->executionInfo().status.code(),
            StatusCode::missedDeadlineTransient);
  EXPECT_EQ(control->cancelled, 2);
}

// F.4: from execution to execution in the engine's memory.
TEST_F(EngineTest, chainsInItsMemory) {
  auto a = allocate(model), b = allocate(model);
  TwoFloats first, last;
  Request into = first.request, between, out = last.request;
  into.outputs[0].memory = OutputMemory::device(a->token());
  between.inputs = {{Memory::device(a->token()), {}}};
  between.outputs = {{OutputMemory::device(b->token()), {}}};
  out.inputs[0].memory = Memory::device(b->token());
  EXPECT_EQ(model->execute(into, result).message(), "");
  EXPECT_EQ(result.copiedBytes, 0u);
  auto execution = launch(*model, between);
  EXPECT_EQ(execution->fence()->wait(noDeadline).message(), "");
  std::promise<Status> ended;
  Status launched = model->executeAsync(
      out, [&](const Status &status, const ExecutionResult &told) {
        EXPECT_EQ(told.copiedBytes, 0u);
        ended.set_value(status);
      });
  EXPECT_EQ(launched.message(), "");
  EXPECT_EQ(ended.get_future().get().message(), "");
  EXPECT_EQ(last.output[0], 6);
  EXPECT_EQ(last.output[1], 8);
  EXPECT_EQ(control->copies, 0);
}

// F-049: executions that are given to the engine together, and share a buffer.
TEST_F(EngineTest, ordersUsersOfABuffer) {
  auto buffer = allocate(model);
  TwoFloats first, second;
  first.request.outputs[0].memory = OutputMemory::device(buffer->token());
  second.request.inputs[0].memory = Memory::device(buffer->token());
  control->hold();
  auto before = launch(*model, first.request);
  auto after = launch(*model, second.request, {before->fence()});
  EXPECT_TRUE(after->fence()->isOwn()); // The first one has the buffer.
  control->release();
  EXPECT_EQ(after->fence()->wait(noDeadline).message(), "");
  EXPECT_EQ(second.output[0], 5);
}

// F-051 to F-057 over memory that has no host pointer.
TEST_F(EngineTest, copiesItsMemory) {
  auto buffer = allocate(model);
  auto pool = *SharedMemory::createAshmem(8);
  EXPECT_EQ(buffer->copyTo(*pool).message(), "the buffer is uninitialized");
  float values[2] = {1, 2};
  ASSERT_TRUE(pool->write(0, std::as_bytes(std::span(values))).isOk());
  EXPECT_EQ(buffer->copyFrom(*pool, {}).message(), "");
  TwoFloats arguments;
  arguments.request.inputs[0].memory = Memory::device(buffer->token());
  EXPECT_EQ(model->execute(arguments.request, result).message(), "");
  EXPECT_EQ(arguments.output[1], 3);
  auto target = *SharedMemory::createAshmem(8);
  EXPECT_EQ(buffer->copyTo(*target).message(), "");
  float read[2] = {};
  ASSERT_TRUE(target->read(0, std::as_writable_bytes(std::span(read))).isOk());
  EXPECT_EQ(read[1], 2);
  EXPECT_EQ(control->copies, 2);
}

// F-038: an output that turns out larger.
TEST_F(EngineTest, growsItsMemory) {
  PreparedModelRef open = prepare(0, 0);
  auto buffer = allocate(open);
  TwoFloats arguments;
  arguments.request.inputs[0].dimensions = {2};
  arguments.request.outputs[0].memory = OutputMemory::device(buffer->token());
  control->addedExtent = 3;
  EXPECT_EQ(open->execute(arguments.request, result).message(), "");
  EXPECT_EQ(result.outputShapes, (std::vector<OutputShape>{{{5}, true}}));
  EXPECT_EQ(control->submitted, 2);
  auto pool = *SharedMemory::createAshmem(20);
  EXPECT_EQ(buffer->copyTo(*pool).message(), "");
  float read[5] = {};
  ASSERT_TRUE(pool->read(0, std::as_writable_bytes(std::span(read))).isOk());
  EXPECT_EQ(read[1], 6);
  EXPECT_EQ(read[4], -1);
}

// A fenced execution knows its extents before; another one is the engine's
// fault.
TEST_F(EngineTest, mayNotOutgrowAFencedOutput) {
  PreparedModelRef open = prepare(0, 0);
  auto buffer = allocate(open);
  TwoFloats arguments;
  arguments.request.inputs[0].dimensions = {2};
  arguments.request.outputs[0].memory = OutputMemory::device(buffer->token());
  arguments.request.outputs[0].dimensions = {2};
  control->addedExtent = 3;
  auto execution = launch(*open, arguments.request);
  (void)execution->fence()->wait(noDeadline).isOk();
  EXPECT_EQ(execution->executionInfo().status.message(),
            "an output of a fenced execution has outgrown its buffer");
  EXPECT_EQ(buffer->copyTo(**SharedMemory::createAshmem(8)).message(),
            "the buffer is uninitialized");
}

/// A memfd of 64 bytes that anybody can shorten.
std::shared_ptr<SharedMemory> unsealedPool(PoolKind kind) {
  UniqueFd fd(::memfd_create("nnhal-test", MFD_CLOEXEC));
  EXPECT_EQ(::ftruncate(fd.get(), 64), 0);
  return *SharedMemory::adopt(kind, std::move(fd), 64, PROT_READ | PROT_WRITE);
}

// Descriptors are the engine's to import, whatever their kind and place; nobody
// copies.
TEST_F(EngineTest, importsPools) {
  auto pool = *SharedMemory::createAshmem(64);
  float values[2] = {1, 2};
  // Not a multiple of an element's size.
  ASSERT_TRUE(pool->write(3, std::as_bytes(std::span(values))).isOk());
  Request request;
  request.inputs = {{Memory::region(pool, 3, 8), {}}};
  request.outputs = {{OutputMemory::region(pool, 31, 8), {}}};
  auto read = [&] {
    float value[2] = {};
    EXPECT_TRUE(
        pool->read(31, std::as_writable_bytes(std::span(value))).isOk());
    return value[1];
  };
  EXPECT_EQ(model->execute(request, result).message(), "");
  EXPECT_EQ(read(), 3);
  EXPECT_EQ(result.copiedBytes, 16u);
  EXPECT_EQ(control->importedPools, 0);
  control->importsPools = true;
  values[1] = 8;
  ASSERT_TRUE(pool->write(3, std::as_bytes(std::span(values))).isOk());
  EXPECT_EQ(model->execute(request, result).message(), "");
  EXPECT_EQ(read(), 9);
  EXPECT_EQ(result.copiedBytes, 0u);
  EXPECT_EQ(control->importedPools, 2);
  // Nothing is left to do for the runtime: the engine's fence will do.
  auto execution = launch(*model, request);
  EXPECT_FALSE(execution->fence()->isOwn());
  EXPECT_EQ(execution->fence()->wait(noDeadline).message(), "");
}

// What has to be copied is copied after the fences, so the runtime waits.
TEST_F(EngineTest, leavesCopiesToTheRuntime) {
  TwoFloats arguments;
  auto pool = unsealedPool(PoolKind::mmapFd);
  arguments.request.outputs[0].memory = OutputMemory::region(pool, 0, 8);
  auto execution = launch(*model, arguments.request);
  EXPECT_TRUE(execution->fence()->isOwn());
  EXPECT_EQ(execution->fence()->wait(noDeadline).message(), "");
  float read[2] = {};
  ASSERT_TRUE(pool->read(0, std::as_writable_bytes(std::span(read))).isOk());
  EXPECT_EQ(read[1], 6);
}

// F-006: the layout of an opaque buffer is its maker's affair, which an engine
// may be.
TEST_F(EngineTest, importsOpaqueBuffers) {
  TwoFloats arguments;
  auto opaque = unsealedPool(PoolKind::hardwareBuffer);
  arguments.request.inputs[0].memory = Memory::region(opaque, 0, 0);
  Status refused = model->execute(arguments.request, result);
  EXPECT_EQ(refused.message(),
            "input 0 is in a pool of kind hardware_buffer, whose layout only "
            "its maker knows");
  control->importsPools = true;
  control->status = failure("seen"); // This engine cannot look inside.
  EXPECT_EQ(model->execute(arguments.request, result).message(), "seen");
}

TEST_F(EngineTest, fails) {
  auto buffer = allocate(model);
  TwoFloats arguments;
  arguments.request.outputs[0].memory = OutputMemory::device(buffer->token());
  for (Status *status : {&control->status, &control->submitStatus}) {
    *status = failure("the device is lost");
    EXPECT_EQ(model->execute(arguments.request, result).message(),
              "the device is lost");
    EXPECT_TRUE(result.outputShapes.empty());
    std::promise<Status> told;
    Status launched = model->executeAsync(
        arguments.request, [&](const Status &outcome, const ExecutionResult &) {
          told.set_value(outcome);
        });
    EXPECT_EQ(launched.message(), "");
    EXPECT_EQ(told.get_future().get().message(), "the device is lost");
    auto execution = launch(*model, arguments.request);
    EXPECT_FALSE(execution->fence()->wait(noDeadline).isOk());
    EXPECT_EQ(execution->executionInfo().status.message(),
              "the device is lost");
    EXPECT_EQ(buffer->copyTo(**SharedMemory::createAshmem(8)).message(),
              "the buffer is uninitialized");
    *status = Status::ok();
  }
  EXPECT_EQ(model->execute(arguments.request, result).message(), "");
}

TEST_F(EngineTest, lacksMemory) {
  control->lacksMemory = true;
  TwoFloats arguments;
  EXPECT_EQ(model->execute(arguments.request, result).message(),
            "no memory to execute the model");
  auto execution = launch(*model, arguments.request);
  Status status = execution->fence()->wait(noDeadline);
  EXPECT_EQ(status.code(), StatusCode::resourceExhaustedTransient);
  EXPECT_EQ(execution->executionInfo().status.message(),
            "no memory to launch the execution");
}

// D-058: times are the device's where it has a clock.
TEST_F(EngineTest, measures) {
  control->timeOnDevice = 7'000'000;
  TwoFloats arguments;
  arguments.request.measureTiming = true;
  arguments.request.measureOperations = true;
  EXPECT_EQ(model->execute(arguments.request, result).message(), "");
  EXPECT_EQ(result.timing.timeOnDevice, 7000u);
  EXPECT_NE(result.timing.timeInDriver, noTiming);
  EXPECT_EQ(result.operationTimes, std::vector<uint64_t>{250});
  auto execution = launch(*model, arguments.request);
  EXPECT_EQ(execution->fence()->wait(noDeadline).message(), "");
  ExecutionInfo info = execution->executionInfo();
  EXPECT_EQ(info.timingFenced.timeOnDevice, 7000u);
  EXPECT_GE(info.timingLaunched.timeInDriver, info.timingFenced.timeInDriver);
  control->timeOnDevice = -1;
  EXPECT_EQ(model->execute(arguments.request, result).message(), "");
  EXPECT_LE(result.timing.timeOnDevice, result.timing.timeInDriver);
}

TEST_F(EngineTest, isTraced) {
  services.tracer = std::make_shared<Tracer>();
  device = createDevice(createFakeEngine(control), services);
  model = prepare(2, 2);
  TwoFloats arguments;
  EXPECT_EQ(model->execute(arguments.request, result).message(), "");
  auto execution = launch(*model, arguments.request);
  EXPECT_EQ(execution->fence()->wait(noDeadline).message(), "");
  EXPECT_EQ(execution->executionInfo().status.message(), "");
  int computations = 0, operations = 0;
  for (const TraceEvent &event : services.tracer->events()) {
    computations += event.text() == "[NN_LD_PCO]test-engine";
    operations += event.text() == "[NN_LC_PCO]operation 0";
  }
  EXPECT_EQ(computations, 2);
  EXPECT_EQ(operations, 2);
}

// C-074, F-048: an execution on its way keeps what it needs, and the engine is
// destroyed by anybody but its own thread.
TEST_F(EngineTest, outlivesItsClients) {
  for (bool isFenced : {true, false}) {
    control->isDestroyed = false;
    auto buffer = allocate(model, /*isInput=*/false);
    TwoFloats arguments;
    arguments.request.outputs[0].memory = OutputMemory::device(buffer->token());
    control->hold();
    FenceRef fence;
    std::promise<Status> told;
    if (isFenced)
      fence = launch(*model, arguments.request)->fence();
    else
      EXPECT_TRUE(model
                      ->executeAsync(arguments.request,
                                     [&](const Status &status, const auto &) {
                                       told.set_value(status);
                                     })
                      .isOk());
    buffer.reset();
    model.reset();
    device.reset();
    EXPECT_TRUE(eventually([&] { return control->submitted == 1; }));
    EXPECT_FALSE(control->isDestroyed);
    control->release();
    EXPECT_EQ((isFenced ? fence->wait(noDeadline) : told.get_future().get())
                  .message(),
              "");
    EXPECT_TRUE(eventually([&] { return control->isDestroyed.load(); }));
    EXPECT_NE(control->destroyedOn.load(), control->thread.load());
    control->submitted = 0;
    device = createDevice(createFakeEngine(control), services);
    model = prepare(2, 2);
  }
}

/// Adds 10 to each element, on the calling thread.
class TenModel final : public HostCodeModel {
public:
  explicit TenModel(Interface face) : face(std::move(face)) {}
  const Interface &interface() const override { return face; }
  uint64_t arenaSize() const override { return 64; }
  Status call(NNHalExecutionContext &context) const override {
    EXPECT_NE(context.arena, nullptr);
    auto *from = static_cast<const float *>(context.inputs[0].data);
    auto *to = static_cast<float *>(context.outputs[0].data);
    for (int64_t i = 0; i < context.inputs[0].shape[0]; ++i)
      to[i] = from[i] + 10;
    context.outputs[0].isSufficient = 1;
    return Status::ok();
  }

private:
  Interface face;
};

// E-066: until the engine has compiled a model the processor executes it, in
// whatever memory the arguments are.
TEST_F(EngineTest, takesOverFromABaseline) {
  control->baseline = [](const AnnotatedModel &of) {
    return std::make_unique<TenModel>(interfaceOf(of));
  };
  control->importsPools = true;
  std::promise<Status> ended;
  PrepareOptions options;
  options.compileAfter = 3;
  PrepareObserver observer;
  observer.compileEnded = [&](const Status &status) {
    ended.set_value(status);
  };
  model = *device->prepareModel(reluModel(2, 2), options, observer);
  EXPECT_EQ(model->memoryUse().arena, 64u);
  auto a = allocate(model), b = allocate(model);
  auto pool = *SharedMemory::createAshmem(16);
  TwoFloats arguments;
  arguments.request.outputs[0].memory = OutputMemory::device(a->token());
  EXPECT_EQ(model->execute(arguments.request, result).message(), "");
  EXPECT_EQ(result.copiedBytes, 8u);
  arguments.request.inputs[0].memory = Memory::device(a->token());
  arguments.request.outputs[0].memory = OutputMemory::region(pool, 0, 8);
  EXPECT_EQ(model->execute(arguments.request, result).message(), "");
  EXPECT_EQ(result.copiedBytes, 16u);
  arguments.request.inputs[0].memory = Memory::region(pool, 0, 8);
  arguments.request.outputs[0].memory = OutputMemory::device(b->token());
  EXPECT_EQ(model->execute(arguments.request, result).message(), "");
  EXPECT_EQ(control->submitted, 0);
  EXPECT_EQ(ended.get_future().get().message(), "");
  arguments.request.inputs[0].memory = Memory::device(b->token());
  arguments.request.outputs[0].memory =
      OutputMemory::borrow(std::as_writable_bytes(std::span(arguments.output)));
  EXPECT_EQ(model->execute(arguments.request, result).message(), "");
  EXPECT_EQ(result.copiedBytes, 0u);
  EXPECT_EQ(control->submitted, 1);
  EXPECT_EQ(arguments.output[0], 34); // 3 + 10 + 10 + 10 + 1
}

// A baseline knows nothing of the engine's fences: the runtime waits for them.
TEST_F(EngineTest, hasABaselineWithoutFences) {
  control->baseline = [](const AnnotatedModel &of) {
    return std::make_unique<TenModel>(interfaceOf(of));
  };
  PrepareOptions options;
  options.compileAfter = 100;
  PreparedModelRef staged = *device->prepareModel(reluModel(2, 2), options);
  TwoFloats first, second;
  second.request.inputs[0].memory =
      Memory::borrow(std::as_bytes(std::span(first.output)));
  control->hold();
  auto before = launch(*model, first.request);
  auto after = launch(*staged, second.request, {before->fence()});
  EXPECT_FALSE(before->fence()->isOwn());
  EXPECT_TRUE(after->fence()->isOwn());
  control->release();
  EXPECT_EQ(after->fence()->wait(noDeadline).message(), "");
  EXPECT_EQ(second.output[0], 14); // 3 + 1 + 10
}

// Every way to execute at once, on shared buffers.
TEST_F(EngineTest, servesManyThreads) {
  auto shared = allocate(model);
  {
    TwoFloats arguments;
    arguments.request.outputs[0].memory = OutputMemory::device(shared->token());
    ASSERT_EQ(model->execute(arguments.request, result).message(), "");
  }
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      for (int i = 0; i < 60; ++i) {
        TwoFloats arguments;
        if (i % 4 == 0)
          arguments.request.outputs[0].memory =
              OutputMemory::device(shared->token());
        else
          arguments.request.inputs[0].memory = Memory::device(shared->token());
        if ((i + t) % 3 == 0) {
          ExecutionResult own;
          EXPECT_EQ(model->execute(arguments.request, own).message(), "");
        } else if ((i + t) % 3 == 1) {
          std::promise<Status> ended;
          Status launched = model->executeAsync(
              arguments.request,
              [&](const Status &status, const ExecutionResult &) {
                ended.set_value(status);
              });
          EXPECT_EQ(launched.message(), "");
          EXPECT_EQ(ended.get_future().get().message(), "");
        } else {
          auto execution = launch(*model, arguments.request);
          EXPECT_EQ(execution->fence()->wait(noDeadline).message(), "");
          EXPECT_EQ(execution->executionInfo().status.message(), "");
        }
        if (i % 4 != 0)
          EXPECT_EQ(arguments.output[0], 5);
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(control->ended, 241);
}

// What a backend need not say.
TEST(BackendDefaultsTest, refuse) {
  struct Silent final : LoadedModel {
    const Interface &interface() const override { return face; }
    Interface face;
  } silent;
  Invocation invocation;
  EXPECT_EQ(silent.run(invocation).message(),
            "the model executes on its own threads only");
  auto engine = createFakeEngine(std::make_shared<EngineControl>());
  EXPECT_EQ(engine->loadArtifact({}, Memory()).status().message(),
            "test-engine keeps no compiled models");
  EXPECT_EQ(engine->loadFromCache({}).status().message(),
            "test-engine keeps no compiled models");
  EXPECT_EQ(engine->loadBaseline(reluModel(2, 2)).status().message(),
            "test-engine has no baseline");
}

// Decisions 19: what crosses to another process has values only.
static_assert(std::equality_comparable<PrepareOptions> &&
              std::equality_comparable<CompileOptions>);

} // namespace
