//===- BufferTest.cpp - Buffers of a client -------------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HostTesting.h"

#include "nnhal/Runtime/Buffer.h"

#include <fmt/format.h>

using namespace nnhal;
using namespace nnhal::service;
using namespace nnhal::service::test;
using rt::Status;
using rt::StatusCode;

namespace {
class BufferTest : public HostTest {
protected:
  ~BufferTest() noexcept override = default;
  void SetUp() override {
    HostTest::SetUp();
    client = connect();
    model = prepareSum(*client);
  }
  void TearDown() override {
    model = nullptr;
    client.reset();
    HostTest::TearDown();
  }

  /// A buffer for input 0 of `model`.
  auto allocateRequest(wire::PreparedModel::Client of) {
    auto request = client->driver.allocateRequest();
    request.initModels(1).set(0, kj::mv(of));
    auto roles = request.initInputRoles(1);
    roles[0].setFrequency(1);
    return request;
  }
  auto copyTo(wire::Buffer::Client &buffer, uint32_t memory) {
    auto request = buffer.copyToRequest();
    request.setMemory(memory);
    return ask(request);
  }
  auto copyFrom(wire::Buffer::Client &buffer, uint32_t memory) {
    auto request = buffer.copyFromRequest();
    request.setMemory(memory);
    return ask(request);
  }

  std::unique_ptr<TestClient> client;
  wire::PreparedModel::Client model = nullptr;
};
} // namespace

TEST_F(BufferTest, AnExecutionReadsABuffer) {
  auto allocated = wait(allocateRequest(model).send());
  ASSERT_EQ(read(allocated.getStatus()).message(), "");
  auto buffer = allocated.getBuffer();
  auto values = makePool(rt::test::sumBytes);
  auto *floats = reinterpret_cast<float *>(values->mapForWriting()->data());
  for (int i = 0; i < 6; ++i)
    floats[i] = float(100 * i);
  Imported source = import(*client, *values);
  EXPECT_EQ(copyFrom(buffer, source.id).message(), "");

  rt::test::SumPool sum;
  Imported pool = import(*client, *sum.pool);
  auto request = executeRequest(model, sum, pool.id);
  request.getRequest().getInputs()[0].getMemory().setToken(
      allocated.getToken());
  EXPECT_EQ(ask(request).message(), "");
  EXPECT_EQ(sum.at(128)[5], 550.0f);

  for (int i = 0; i < 6; ++i)
    floats[i] = 0;
  EXPECT_EQ(copyTo(buffer, source.id).message(), "");
  EXPECT_EQ(floats[5], 500.0f);
}

TEST_F(BufferTest, CopiesNameWhatIsWrong) {
  auto allocated = wait(allocateRequest(model).send());
  auto buffer = allocated.getBuffer();
  EXPECT_EQ(copyTo(buffer, 3).message(),
            "memory 3 is not one that was imported");
  EXPECT_EQ(copyFrom(buffer, 4).message(),
            "memory 4 is not one that was imported");
  auto small = makePool(8);
  Imported imported = import(*client, *small);
  EXPECT_EQ(copyFrom(buffer, imported.id).code(), StatusCode::invalidArgument);
  auto request = buffer.copyFromRequest();
  request.setMemory(imported.id);
  request.initDimensions(257);
  EXPECT_EQ(ask(request).message(),
            "a message has 257 dimensions where 256 are allowed");
}

TEST_F(BufferTest, ATokenEndsWithItsBuffer) {
  uint32_t token = 0;
  {
    auto allocated = wait(allocateRequest(model).send());
    token = allocated.getToken();
    EXPECT_NE(token, 0u);
  }
  rt::test::SumPool sum;
  Imported pool = import(*client, *sum.pool);
  auto request = executeRequest(model, sum, pool.id);
  request.getRequest().getInputs()[0].getMemory().setToken(token);
  EXPECT_EQ(ask(request).message(),
            fmt::format("input 0: no buffer has the token {}", token));
  request = executeRequest(model, sum, pool.id);
  request.getRequest().getOutputs()[0].getMemory().setToken(token);
  EXPECT_EQ(ask(request).message(),
            fmt::format("output 0: no buffer has the token {}", token));
}

namespace {
/// A model that a client made up.
class OwnModel final : public wire::PreparedModel::Server {};
} // namespace

TEST_F(BufferTest, AModelIsOneOfTheClients) {
  auto request = allocateRequest(kj::heap<OwnModel>());
  EXPECT_EQ(ask(request).message(), "model 0 is not one of the client's");
  auto other = connect();
  auto foreign = prepareSum(*other);
  EXPECT_EQ(ask(allocateRequest(foreign)).message(),
            "model 0 is not one of the client's");
}

TEST_F(BufferTest, RolesAreBounded) {
  auto request = allocateRequest(model);
  request.initOutputRoles(4097);
  EXPECT_EQ(ask(request).message(),
            "a message has 4097 roles where 4096 are allowed");
  request = allocateRequest(model);
  request.getInputRoles()[0].setModelIndex(9);
  EXPECT_EQ(ask(request).code(), StatusCode::invalidArgument);
}
