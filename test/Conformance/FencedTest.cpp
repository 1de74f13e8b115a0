//===- FencedTest.cpp - Executions that wait for fences -------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Conformance.h"

#include <array>
#include <fcntl.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>

using namespace nnhal::rt;
using namespace nnhal::rt::conformance;

namespace {

using FencedTest = ConformanceTest;

FenceRef mustCreate() {
  auto fence = Fence::create();
  EXPECT_TRUE(fence.isOk()) << fence.status().message();
  return *fence;
}

FenceRef mustAdopt(int fd) {
  auto fence = Fence::adopt(UniqueFd(fd));
  EXPECT_TRUE(fence.isOk()) << fence.status().message();
  return *fence;
}

std::shared_ptr<FencedExecution>
mustLaunch(const PreparedModel &model, const Request &request,
           std::vector<FenceRef> waitFor,
           std::optional<uint64_t> duration = std::nullopt) {
  auto launched = model.executeFenced(request, std::move(waitFor), duration);
  EXPECT_TRUE(launched.isOk()) << launched.status().message();
  return *launched;
}

/// Waits for the end, which must be reported equally by fence and callback.
ExecutionInfo endOf(const FencedExecution &execution) {
  Status waited =
      execution.fence()
          ? execution.fence()->wait(steadyNow() + 10'000 * millisecond)
          : Status::ok();
  ExecutionInfo info = execution.executionInfo();
  EXPECT_EQ(waited.code(), info.status.code()) << info.status.message();
  return info;
}

/// A fence and what signals it.
struct Source {
  std::string name;
  FenceRef fence;
  std::function<void()> signal;
};

void writeByte(int fd) {
  uint64_t one = 1;
  EXPECT_GT(::write(fd, &one, sizeof(one)), 0);
}

/// One of each kind of descriptor that poll() can wait on.
std::vector<Source> sources() {
  std::vector<Source> list;
  FenceRef own = mustCreate();
  list.push_back({"own", own, [own] { own->complete(Status::ok()); }});
  int event = ::eventfd(0, EFD_CLOEXEC);
  list.push_back({"eventfd", mustAdopt(event), [event] { writeByte(event); }});
  std::array<int, 2> ends;
  EXPECT_EQ(::pipe2(ends.data(), O_CLOEXEC), 0);
  auto pipeEnd = std::make_shared<UniqueFd>(ends[1]);
  list.push_back(
      {"pipe", mustAdopt(ends[0]), [pipeEnd] { writeByte(pipeEnd->get()); }});
  EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()),
            0);
  auto socketEnd = std::make_shared<UniqueFd>(ends[1]);
  list.push_back({"socket", mustAdopt(ends[0]),
                  [socketEnd] { writeByte(socketEnd->get()); }});
  return list;
}

/// What the model makes of the arguments.
std::vector<float> sum() { return flowOfCounts(4); }

// D-055, D-057, D-061, D-072.
TEST_F(FencedTest, waitsForAnyKindOfFence) {
  NNHAL_PREPARE_OR_SKIP(prepared, *device, addModel());
  for (const Source &source : sources()) {
    SCOPED_TRACE(source.name);
    FloatArguments arguments(*prepared);
    auto execution = mustLaunch(*prepared, arguments.request, {source.fence});
    ASSERT_NE(execution, nullptr);
    ASSERT_NE(execution->fence(), nullptr);
    EXPECT_EQ(execution->fence()->poll(), FenceState::active);
    ExecutionInfo info = execution->executionInfo();
    EXPECT_EQ(info.status.code(), StatusCode::generalFailure);
    EXPECT_EQ(info.status.message(), "the execution has not ended");
    EXPECT_EQ(info.timingLaunched, Timing());
    EXPECT_EQ(info.timingFenced, Timing());
    source.signal();
    EXPECT_EQ(endOf(*execution).status.message(), "");
    EXPECT_EQ(arguments.outputs[0], sum());
  }
}

// D-003, D-053: several fences, some of which have signaled before.
TEST_F(FencedTest, waitsForAllFences) {
  NNHAL_PREPARE_OR_SKIP(prepared, *device, addModel());
  FloatArguments arguments(*prepared);
  std::vector<Source> list = sources();
  std::vector<FenceRef> fences = {nullptr};
  for (const Source &source : list)
    fences.push_back(source.fence);
  list[1].signal();
  auto execution = mustLaunch(*prepared, arguments.request, fences);
  for (size_t i : {3, 0}) {
    list[i].signal();
    EXPECT_EQ(execution->fence()->poll(), FenceState::active);
  }
  list[2].signal();
  EXPECT_EQ(endOf(*execution).status.message(), "");
  EXPECT_EQ(arguments.outputs[0], sum());
  execution = mustLaunch(*prepared, arguments.request, fences);
  EXPECT_EQ(endOf(*execution).status.message(), "");
}

// D-056, D-104: each takes what the one before wrote.
TEST_F(FencedTest, chainsExecutions) {
  NNHAL_PREPARE_OR_SKIP(prepared, *device, addModel());
  constexpr size_t length = 16;
  std::vector<std::vector<float>> values(length + 1, {1, 2, 3, 4});
  std::vector<float> counts = {1, 2, 3, 4};
  FenceRef start = mustCreate();
  FenceRef before = start;
  std::vector<std::shared_ptr<FencedExecution>> executions;
  for (size_t i = 0; i < length; ++i) {
    Request request;
    for (std::vector<float> *input : {&values[i], &counts})
      request.inputs.push_back(
          {Memory::borrow(std::as_bytes(std::span(*input))), {}});
    request.outputs.push_back(
        {OutputMemory::borrow(std::as_writable_bytes(std::span(values[i + 1]))),
         {}});
    executions.push_back(mustLaunch(*prepared, request, {before}));
    before = executions.back()->fence();
  }
  EXPECT_EQ(before->poll(), FenceState::active);
  start->complete(Status::ok());
  for (const auto &execution : executions)
    EXPECT_EQ(endOf(*execution).status.message(), "");
  EXPECT_EQ(values[length], flowOfCounts(4, length));
}

// D-052, D-059: what depends on a failure fails, with the same error.
TEST_F(FencedTest, carriesFailuresOn) {
  NNHAL_PREPARE_OR_SKIP(prepared, *device, addModel());
  FloatArguments arguments(*prepared);
  arguments.request.measureTiming = true;
  FenceRef start = mustCreate();
  auto first = mustLaunch(*prepared, arguments.request, {start});
  auto second = mustLaunch(*prepared, arguments.request, {first->fence()});
  start->complete(Status(StatusCode::generalFailure, "the camera is covered"));
  for (const auto &execution : {first, second}) {
    ExecutionInfo info = endOf(*execution);
    EXPECT_EQ(info.status.code(), StatusCode::generalFailure);
    EXPECT_EQ(info.status.message(), "the camera is covered");
    EXPECT_EQ(info.timingLaunched, Timing()); // D-044
    EXPECT_EQ(info.timingFenced, Timing());
    EXPECT_EQ(execution->fence()->poll(), FenceState::error);
  }
  EXPECT_NE(arguments.outputs[0], sum());
  // Now it has failed before the launch.
  auto launched =
      prepared->executeFenced(arguments.request, {nullptr, second->fence()});
  EXPECT_EQ(launched.status().code(), StatusCode::generalFailure);
  EXPECT_EQ(launched.status().message(), "fence 1 of the execution has failed");
}

// D-052: the writer of a pipe goes without a byte.
TEST_F(FencedTest, failsWhenTheOtherSideHangsUp) {
  NNHAL_PREPARE_OR_SKIP(prepared, *device, addModel());
  FloatArguments arguments(*prepared);
  std::array<int, 2> ends;
  ASSERT_EQ(::pipe2(ends.data(), O_CLOEXEC), 0);
  auto execution =
      mustLaunch(*prepared, arguments.request, {mustAdopt(ends[0])});
  ::close(ends[1]);
  EXPECT_EQ(endOf(*execution).status.code(), StatusCode::generalFailure);
}

// D-051, D-070.
TEST_F(FencedTest, acceptsOnlyDescriptorsThatCanBeWaitedOn) {
  EXPECT_EQ(Fence::adopt(UniqueFd()).status().code(),
            StatusCode::invalidArgument);
  EXPECT_EQ(Fence::adopt(UniqueFd(0)).status().code(),
            StatusCode::invalidArgument);
}

// D-054, D-056: a launch that fails gives neither fence nor callback.
TEST_F(FencedTest, launchesNothingThatIsInvalid) {
  NNHAL_PREPARE_OR_SKIP(prepared, *device, addModel());
  FloatArguments arguments(*prepared);
  Request request = arguments.request;
  request.inputs.pop_back();
  FenceRef fence = mustCreate();
  auto launched = prepared->executeFenced(request, {fence});
  EXPECT_EQ(launched.status().code(), StatusCode::invalidArgument);
  EXPECT_EQ(launched.status().message(), "request has 1 inputs, the model 2");
  EXPECT_EQ(fence.use_count(), 1);
}

// D-058, D-063.
TEST_F(FencedTest, measuresFromTheCallAndFromTheFences) {
  NNHAL_PREPARE_OR_SKIP(prepared, *device, addModel());
  FloatArguments arguments(*prepared);
  for (bool measures : {true, false}) {
    arguments.request.measureTiming = measures;
    FenceRef fence = mustCreate();
    auto execution = mustLaunch(*prepared, arguments.request, {fence});
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    fence->complete(Status::ok());
    ExecutionInfo info = endOf(*execution);
    EXPECT_EQ(info.status.message(), "");
    if (!measures) {
      EXPECT_EQ(info.timingLaunched, Timing());
      EXPECT_EQ(info.timingFenced, Timing());
      continue;
    }
    EXPECT_LE(info.timingFenced.timeOnDevice, info.timingFenced.timeInDriver);
    EXPECT_LE(info.timingFenced.timeOnDevice, info.timingLaunched.timeOnDevice);
    EXPECT_LE(info.timingFenced.timeInDriver + 19'000,
              info.timingLaunched.timeInDriver);
  }
}

// D-056, D-072: to other processes the fence is a descriptor.
TEST_F(FencedTest, handsItsFenceOver) {
  NNHAL_PREPARE_OR_SKIP(prepared, *device, addModel());
  for (bool succeeds : {true, false}) {
    FloatArguments arguments(*prepared);
    FenceRef start = mustCreate();
    auto first = mustLaunch(*prepared, arguments.request, {start});
    auto shared = first->fence()->share();
    ASSERT_TRUE(shared.isOk()) << shared.status().message();
    EXPECT_NE(::fcntl(shared->get(), F_GETFD) & FD_CLOEXEC, 0);
    pollfd entry = {shared->get(), POLLIN, 0};
    EXPECT_EQ(::poll(&entry, 1, 0), 0);
    auto again = Fence::adopt(*std::move(shared));
    ASSERT_TRUE(again.isOk()) << again.status().message();
    auto second = mustLaunch(*prepared, arguments.request, {*again});
    start->complete(succeeds ? Status::ok()
                             : Status(StatusCode::generalFailure, "lost"));
    StatusCode expected =
        succeeds ? StatusCode::none : StatusCode::generalFailure;
    EXPECT_EQ(endOf(*first).status.code(), expected);
    EXPECT_EQ(endOf(*second).status.code(), expected);
  }
}

// D-060, D-073: a deadline while the fences are waited for.
TEST_F(FencedTest, keepsToTheDeadlineWhileItWaits) {
  NNHAL_PREPARE_OR_SKIP(prepared, *device, addModel());
  FloatArguments arguments(*prepared);
  arguments.request.deadline = steadyNow() + 20 * millisecond;
  FenceRef fence = mustCreate();
  auto launched = prepared->executeFenced(arguments.request, {fence});
  if (!launched.isOk()) // On a machine that slept for so long.
    GTEST_SKIP() << launched.status().message();
  EXPECT_EQ(endOf(**launched).status.code(),
            StatusCode::missedDeadlineTransient);
  // D-075: too late.
  fence->complete(Status::ok());
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  EXPECT_NE(arguments.outputs[0], sum());
}

// D-060: the duration begins with the last fence; the earlier end counts.
TEST_F(FencedTest, limitsTheTimeAfterTheFences) {
  NNHAL_PREPARE_OR_SKIP(prepared, *device, endlessLoopModel());
  constexpr uint64_t shortTime = 20'000'000;
  constexpr uint64_t longTime = 60'000'000'000;
  for (bool isDurationShort : {true, false}) {
    LoopArguments arguments;
    arguments.request.loopTimeout = longTime;
    arguments.request.deadline =
        steadyNow() + int64_t(isDurationShort ? longTime : 100'000'000);
    FenceRef fence = mustCreate();
    auto execution = mustLaunch(*prepared, arguments.request, {fence},
                                isDurationShort ? shortTime : longTime);
    // Does not count for the duration.
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
    int64_t begin = steadyNow();
    fence->complete(Status::ok());
    EXPECT_EQ(endOf(*execution).status.code(),
              StatusCode::missedDeadlineTransient);
    if (isDurationShort)
      EXPECT_GE(steadyNow() - begin, int64_t(shortTime));
  }
}

// D-060, K-044: durations up to the largest do not overflow.
TEST_F(FencedTest, acceptsAnyDuration) {
  NNHAL_PREPARE_OR_SKIP(prepared, *device, addModel());
  for (uint64_t duration : {UINT64_MAX, uint64_t(INT64_MAX)}) {
    FloatArguments arguments(*prepared);
    auto execution = mustLaunch(*prepared, arguments.request, {}, duration);
    EXPECT_EQ(endOf(*execution).status.message(), "");
    EXPECT_EQ(arguments.outputs[0], sum());
  }
}

// D-053, D-059: who launched may go; the execution ends nevertheless.
TEST_F(FencedTest, endsWithoutItsClient) {
  NNHAL_PREPARE_OR_SKIP(prepared, *device, addModel());
  FloatArguments arguments(*prepared);
  FenceRef start = mustCreate();
  FenceRef end = mustLaunch(*prepared, arguments.request, {start})->fence();
  std::weak_ptr<PreparedModel> observer = prepared;
  prepared.reset();
  device.reset();
  EXPECT_FALSE(observer.expired());
  start->complete(Status::ok());
  EXPECT_EQ(end->wait(steadyNow() + 10'000 * millisecond).message(), "");
  EXPECT_EQ(arguments.outputs[0], sum());
  EXPECT_TRUE(eventually([&] { return observer.expired(); }));
}

} // namespace
