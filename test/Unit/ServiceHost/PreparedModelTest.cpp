//===- PreparedModelTest.cpp - Executions of a client's models ------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HostTesting.h"

#include "nnhal/Runtime/Fence.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

using namespace nnhal;
using namespace nnhal::service;
using namespace nnhal::service::test;
using rt::Status;
using rt::StatusCode;

using PreparedModelTest = HostTest;

TEST_F(PreparedModelTest, DescribesItsInterface) {
  auto client = connect();
  auto model = prepareSum(*client);
  auto answer = wait(model.describeRequest().send());
  auto interface = read(answer.getInterface());
  ASSERT_TRUE(interface.isOk());
  auto inProcess = rt::test::prepareSum();
  EXPECT_EQ(interface->inputs, inProcess->interface().inputs);
  EXPECT_EQ(interface->outputs, inProcess->interface().outputs);
  EXPECT_EQ(read(answer.getMemoryUse()), inProcess->memoryUse());
  EXPECT_EQ(read(wait(model.memoryUseRequest().send()).getMemoryUse()),
            inProcess->memoryUse());
}

TEST_F(PreparedModelTest, ExecutesOverImportedMemory) {
  auto client = connect();
  auto model = prepareSum(*client);
  rt::test::SumPool sum;
  Imported pool = import(*client, *sum.pool);
  int told = 0;
  auto request = executeRequest(model, sum, pool.id);
  request.setLaunch(kj::heap<Told>(told));
  auto answer = wait(request.send());
  EXPECT_EQ(read(answer.getStatus()).message(), "");
  EXPECT_TRUE(answer.getLaunched());
  EXPECT_EQ(told, 1);
  auto shapes = read(answer.getResult()).outputShapes;
  ASSERT_EQ(shapes.size(), 1u);
  EXPECT_EQ(shapes[0].dimensions, (std::vector<uint32_t>{2, 3}));
  EXPECT_TRUE(sum.hasSum());
}

TEST_F(PreparedModelTest, ExecutesOverAFile) {
  auto client = connect();
  auto model = prepareSum(*client);
  rt::test::SumPool sum;
  rt::UniqueFd file(::open("/tmp", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600));
  ASSERT_TRUE(file.isValid());
  ASSERT_EQ(::pwrite(file.get(), sum.bytes.data(), 4096, 0), 4096);
  auto pool = rt::SharedMemory::adopt(rt::PoolKind::mmapFd, std::move(file),
                                      4096, PROT_READ | PROT_WRITE);
  ASSERT_TRUE(pool.isOk());
  Imported imported = import(*client, **pool);
  EXPECT_EQ(ask(executeRequest(model, sum, imported.id)).message(), "");
  ASSERT_TRUE((*pool)->read(0, sum.bytes).isOk());
  EXPECT_TRUE(sum.hasSum());
}

TEST_F(PreparedModelTest, ARefusedExecutionIsNotLaunched) {
  auto client = connect();
  auto model = prepareSum(*client);
  int told = 0;
  auto request = model.executeRequest();
  request.setLaunch(kj::heap<Told>(told));
  auto answer = wait(request.send());
  rt::ExecutionResult result;
  Status inProcess = rt::test::prepareSum()->execute({}, result);
  EXPECT_EQ(read(answer.getStatus()).message(), inProcess.message());
  EXPECT_FALSE(answer.getLaunched());
  EXPECT_EQ(told, 0);
}

TEST_F(PreparedModelTest, AMissedDeadlineIsOfALaunchedExecution) {
  auto client = connect();
  auto model = prepareSum(*client);
  rt::test::SumPool sum;
  Imported pool = import(*client, *sum.pool);
  auto request = executeRequest(model, sum, pool.id);
  request.getRequest().setDeadline(1);
  auto answer = wait(request.send());
  EXPECT_EQ(read(answer.getStatus()).code(),
            StatusCode::missedDeadlinePersistent);
  EXPECT_TRUE(answer.getLaunched());
}

TEST_F(PreparedModelTest, AnUnknownMemoryIsRefused) {
  auto client = connect();
  auto model = prepareSum(*client);
  rt::test::SumPool sum;
  EXPECT_EQ(ask(executeRequest(model, sum, 5)).message(),
            "memory 5 is not one that was imported");
  Imported pool = import(*client, *sum.pool);
  uint32_t id = pool.id;
  EXPECT_EQ(ask(executeRequest(model, sum, id)).message(), "");
  pool = {.id = 0, .memory = nullptr};
  EXPECT_EQ(ask(executeRequest(model, sum, id)).message(),
            fmt::format("memory {} is not one that was imported", id));
}

TEST_F(PreparedModelTest, MemoryThatShrinksFailsItsExecutions) {
  auto client = connect();
  auto model = prepareSum(*client);
  rt::test::SumPool sum;
  rt::UniqueFd file(::memfd_create("shrinks", MFD_CLOEXEC));
  ASSERT_EQ(::ftruncate(file.get(), 4096), 0);
  int fd = file.get();
  auto pool = rt::SharedMemory::adopt(rt::PoolKind::mmapFd, std::move(file),
                                      4096, PROT_READ | PROT_WRITE);
  Imported imported = import(*client, **pool);
  EXPECT_EQ(ask(executeRequest(model, sum, imported.id)).message(), "");
  ASSERT_EQ(::ftruncate(fd, 100), 0);
  Status status = ask(executeRequest(model, sum, imported.id));
  EXPECT_EQ(status.code(), StatusCode::generalFailure);
  EXPECT_NE(status.message().find("100"), std::string::npos)
      << status.message();
}

namespace {
struct FencedTest : HostTest {
  ~FencedTest() noexcept override = default;
  wire::PreparedModel::Client model = nullptr;
  std::unique_ptr<TestClient> client;
  rt::test::SumPool sum;
  Imported pool{0, nullptr};

  void SetUp() override {
    HostTest::SetUp();
    client = connect();
    model = prepareSum(*client);
    pool = import(*client, *sum.pool);
  }
  void TearDown() override {
    pool.memory = nullptr;
    model = nullptr;
    client.reset();
    HostTest::TearDown();
  }

  auto fencedRequest(std::vector<rt::UniqueFd> fences) {
    auto request = model.executeFencedRequest();
    writeSum(sum, pool.id, request.initRequest());
    auto list = request.initWaitFor(unsigned(fences.size()));
    for (unsigned i = 0; i < fences.size(); ++i)
      list.set(i, makeDescriptor(std::move(fences[i])));
    return request;
  }
  /// The fence of an answer, or an invalid descriptor.
  template <typename Answer> rt::UniqueFd fenceOf(Answer &answer) {
    if (!answer.hasFence())
      return {};
    std::vector<NamedDescriptor> named;
    named.push_back({answer.getFence(), "fence"});
    auto taken = wait(takeDescriptors(std::move(named)));
    return taken.isOk() ? std::move(taken->front()) : rt::UniqueFd();
  }
};
} // namespace

TEST_F(FencedTest, WaitsForItsFences) {
  auto gate = *rt::Fence::create();
  std::vector<rt::UniqueFd> fences;
  fences.push_back(*gate->share());
  auto answer = wait(fencedRequest(std::move(fences)).send());
  ASSERT_EQ(read(answer.getStatus()).message(), "");
  rt::UniqueFd ended = fenceOf(answer);
  ASSERT_TRUE(ended.isValid());
  EXPECT_EQ(rt::syncWait(ended.get(), 20), rt::FenceState::active);
  EXPECT_EQ(
      read(wait(answer.getExecution().infoRequest().send()).getStatus()).code(),
      StatusCode::generalFailure); // Not yet (D-057).
  EXPECT_EQ(report()[0].queued, 1u);
  gate->complete(Status::ok());
  EXPECT_EQ(rt::syncWait(ended.get(), 5000), rt::FenceState::signaled);
  EXPECT_EQ(read(wait(answer.getExecution().infoRequest().send()).getStatus())
                .message(),
            "");
  EXPECT_TRUE(sum.hasSum());
  EXPECT_TRUE(waitFor([&] { return report()[0].queued == 0; }));
}

TEST_F(FencedTest, AFailedFenceFailsTheExecution) {
  auto gate = *rt::Fence::create();
  std::vector<rt::UniqueFd> fences;
  fences.push_back(*gate->share());
  gate->complete(Status(StatusCode::generalFailure, "no"));
  EXPECT_EQ(ask(fencedRequest(std::move(fences))).code(),
            StatusCode::generalFailure);
  EXPECT_TRUE(waitFor([&] { return report()[0].queued == 0; }));
}

TEST_F(FencedTest, AFileIsNotAFence) {
  std::vector<rt::UniqueFd> fences;
  fences.push_back(rt::UniqueFd(::open("/tmp", O_DIRECTORY | O_CLOEXEC)));
  Status status = ask(fencedRequest(std::move(fences)));
  EXPECT_EQ(status.code(), StatusCode::invalidArgument);
  EXPECT_EQ(status.message().substr(0, 9), "fence 0: ") << status.message();
}

TEST_F(FencedTest, AMissingFenceIsRefused) {
  auto request = fencedRequest({});
  request.initWaitFor(2);
  EXPECT_EQ(ask(request).message(), "fence 0 came without a descriptor");
}

TEST_F(FencedTest, FencesAreBounded) {
  auto request = fencedRequest({});
  request.initWaitFor(65);
  EXPECT_EQ(ask(request).message(),
            "a message has 65 fences where 64 are allowed");
}
