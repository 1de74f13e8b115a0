//===- HostileTest.cpp - Services that break their promises ---------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ClientTesting.h"

#include "Service/Client/Supervision.h"
#include "nnhal/Runtime/Fence.h"

using namespace nnhal;
using namespace nnhal::service;
using namespace nnhal::service::client;
using namespace nnhal::service::test;
using rt::Status;
using rt::StatusCode;

using HostileTest = ClientTest;

// The death of what is behind them could not be seen.
TEST_F(HostileTest, ChannelsThatAreNone) { // C-078
  service.conduct.hasNoSocket = true;
  EXPECT_EQ(refusal(), "the channel to device 'nnhal-reference' is not a "
                       "socket");
  service.conduct.hasNoChannel = true;
  EXPECT_EQ(refusal(), "the channel to device 'nnhal-reference' came without a "
                       "descriptor");
}

TEST_F(HostileTest, NoAnswer) {
  service.conduct.hangsIn = "hello";
  Supervision supervision(*EventLoop::create(), service.path(), /*patience=*/1);
  rt::Status status = supervision.listDevices().status();
  EXPECT_EQ(status.code(), StatusCode::deviceUnavailable);
  EXPECT_EQ(status.message(),
            "the service '" + service.path() + "' did not answer within 1 s");
}

TEST_F(HostileTest, TooManyDevices) {
  service.conduct.otherDevices.resize(64);
  EXPECT_EQ(refusal(), "the service names 65 devices, expected at most 64");
}

TEST_F(HostileTest, AnotherDeviceThanWasAskedFor) {
  service.conduct.describe = [](DeviceDescription &description) {
    description.name = "other";
  };
  EXPECT_EQ(refusal(), "the process of device 'nnhal-reference' offers device "
                       "'other'");
}

TEST_F(HostileTest, AnswersForOtherOperations) {
  connect();
  service.conduct.supported = [](auto results) { results.initOperations(3); };
  EXPECT_EQ(
      device->supportedOperations(rt::test::sumModel()).status().message(),
      "the service answered for 3 operations, expected 1");
}

TEST_F(HostileTest, NoModel) {
  connect();
  service.conduct.prepared = [](auto results) { results.disownModel(); };
  EXPECT_EQ(device->prepareModel(rt::test::sumModel()).status().message(),
            "the service prepared a model and did not send it");
}

TEST_F(HostileTest, NoBuffer) {
  connect();
  service.conduct.allocated = [](auto results) { results.setToken(0); };
  EXPECT_EQ(device->allocate({}, {}, {}, {}).status().message(),
            "the service allocated a buffer with token 0");
}

TEST_F(HostileTest, OneTokenForTwoBuffers) { // C-071
  connect();
  auto first = device->allocate({}, {}, {}, {});
  ASSERT_TRUE(first.isOk());
  EXPECT_EQ(device->allocate({}, {}, {}, {}).status().message(),
            "the service gave the token 1 to two buffers");
  *first = nullptr;
  EXPECT_TRUE(device->allocate({}, {}, {}, {}).isOk());
}

TEST_F(HostileTest, ModelsOfOtherDevices) { // B.8, C-073
  connect();
  rt::PreparedModelRef models[] = {rt::test::prepareSum()};
  EXPECT_EQ(device->allocate({}, models, {}, {}).status().message(),
            "model 0 was not prepared by this device");
}

TEST_F(HostileTest, MemoryThatIsRefused) {
  prepare();
  service.conduct.imported = [](auto results) {
    write(Status(StatusCode::resourceExhaustedTransient, "too much"),
          results.initStatus());
  };
  Status status = model->execute(pool.request(), result);
  EXPECT_EQ(status.code(), StatusCode::resourceExhaustedTransient);
  EXPECT_EQ(status.message(), "too much");
  // The next execution asks again.
  service.conduct.imported = nullptr;
  EXPECT_EQ(model->execute(pool.request(), result).message(), "");
}

TEST_F(HostileTest, TooFewOutputs) {
  prepare();
  service.conduct.executed = [](auto results) {
    results.getResult().initOutputShapes(0);
  };
  EXPECT_EQ(model->execute(pool.request(), result).message(),
            "the service answered 0 outputs, expected 1");
  EXPECT_TRUE(result.outputShapes.empty());
}

TEST_F(HostileTest, OutputsBeyondTheirMemory) {
  prepare();
  service.conduct.executed = [](auto results) {
    auto shapes = results.getResult().initOutputShapes(1);
    shapes[0].initDimensions(1).set(0, 7);
    shapes[0].setIsSufficient(true);
  };
  BorrowedSum sum;
  const std::string message =
      "the service answered 28 bytes for output 0, expected at most 24";
  EXPECT_EQ(model->execute(pool.request(), result).message(), message);
  EXPECT_EQ(model->execute(sum.request(), result).message(), message);
  EXPECT_EQ(sum.sum[0], 0);
}

TEST_F(HostileTest, ShapesOfAFailureAreNotBelieved) {
  prepare();
  service.conduct.executed = [](auto results) {
    write(Status(StatusCode::generalFailure, "no"), results.initStatus());
  };
  EXPECT_EQ(model->execute(pool.request(), result).message(), "no");
  EXPECT_TRUE(result.outputShapes.empty());
  EXPECT_EQ(result.timing, rt::Timing());
}

TEST_F(HostileTest, CodesThatNobodyKnows) {
  prepare();
  service.conduct.executed = [](auto results) {
    results.initStatus().setCode(4711);
  };
  EXPECT_EQ(model->execute(pool.request(), result).code(),
            StatusCode::generalFailure);
}

TEST_F(HostileTest, FencesThatCannotBeWaitedOn) {
  prepare();
  service.conduct.fenced = [](auto results) {
    results.setFence(makeDescriptor(
        *rt::duplicate((*rt::SharedMemory::createAshmem(8))->fd())));
  };
  Status status = model->executeFenced(pool.request()).status();
  EXPECT_EQ(status.code(), StatusCode::generalFailure);
  EXPECT_TRUE(status.message().starts_with(
      "the fence of an execution cannot be waited on: "))
      << status.message();
}

TEST_F(HostileTest, ExceptionsBecomeStatuses) {
  struct Case {
    kj::Exception::Type type;
    StatusCode code;
    std::string message;
  };
  const Case cases[] = {
      {kj::Exception::Type::FAILED, StatusCode::generalFailure,
       "the service failed: "},
      {kj::Exception::Type::UNIMPLEMENTED, StatusCode::generalFailure,
       "the service is older than this client: "},
      {kj::Exception::Type::OVERLOADED, StatusCode::resourceExhaustedTransient,
       "the service has too much to do: "},
      {kj::Exception::Type::DISCONNECTED, StatusCode::deadObject,
       "the connection to the service is lost: "}};
  for (const Case &one : cases) {
    Status status =
        statusOf(kj::Exception(one.type, "file", 1, kj::heapString("why")));
    EXPECT_EQ(status.code(), one.code);
    EXPECT_EQ(status.message(), one.message + "why");
  }
  // An exception that travels.
  prepare();
  service.conduct.executed = [](auto) {
    kj::throwFatalException(kj::Exception(kj::Exception::Type::OVERLOADED,
                                          "file", 1, kj::heapString("why")));
  };
  EXPECT_EQ(model->execute(pool.request(), result).code(),
            StatusCode::resourceExhaustedTransient);
}
