//===- ArgumentsTest.cpp - Requests that do not fit -----------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "nnhal/Runtime/CpuDevice.h"

#include "TestArtifact.h"

#include <gtest/gtest.h>

#include <fcntl.h>
#include <functional>
#include <sys/mman.h>
#include <unistd.h>

using namespace nnhal::rt;

namespace {

std::shared_ptr<PreparedModel> prepare(const Artifact &artifact,
                                       std::span<const std::byte> constants) {
  auto model = createCpuDevice()->prepareModelFromArtifact(
      writeModelCache(artifact), Memory::copy(constants));
  EXPECT_TRUE(model.isOk()) << model.status().message();
  return model.isOk() ? *model : nullptr;
}

class ScaleAndAddTest : public testing::Test {
protected:
  ScaleAndAddTest()
      : model(prepare(scaleAndAddArtifact(), scaleAndAddConstants())) {
    for (size_t i = 0; i < 16; ++i)
      x[i] = float(i);
    request.inputs = {{Memory::borrow(std::as_bytes(std::span(x))), {}},
                      {Memory::borrow(std::as_bytes(std::span(offset))), {}}};
    request.outputs = {
        {OutputMemory::borrow(std::as_writable_bytes(std::span(y))), {}}};
  }

  /// What a request that \p change made wrong is answered with.
  std::string messageOf(const std::function<void(Request &)> &change) {
    Request changed = request;
    change(changed);
    ExecutionResult result;
    Status status = model->execute(changed, result);
    EXPECT_EQ(result.timing, Timing()); // D-044
    if (status.isOk())
      return "executed";
    EXPECT_EQ(result.outputShapes.empty(),
              status.code() != StatusCode::outputInsufficientSize);
    return status.message();
  }

  std::shared_ptr<PreparedModel> model;
  float x[17] = {};
  float offset[1] = {100.0f};
  float y[16] = {};
  Request request;
};

} // namespace

TEST_F(ScaleAndAddTest, Executes) {
  request.inputs[0].memory =
      Memory::borrow(std::as_bytes(std::span(x).first(16)));
  ExecutionResult result;
  Status status = model->execute(request, result);
  ASSERT_TRUE(status.isOk()) << status.message();
  EXPECT_EQ(y[0], 100.0f);
  EXPECT_EQ(y[15], 145.0f);
  ASSERT_EQ(result.outputShapes.size(), 1u);
  EXPECT_EQ(result.outputShapes[0],
            (OutputShape{{4, 4}, /*isSufficient=*/true}));
}

TEST_F(ScaleAndAddTest, OmittedOptionalInput) {
  request.inputs[0].memory =
      Memory::borrow(std::as_bytes(std::span(x).first(16)));
  request.inputs[1].memory = Memory();
  ExecutionResult result;
  ASSERT_TRUE(model->execute(request, result).isOk());
  EXPECT_EQ(y[15], 45.0f);
}

TEST_F(ScaleAndAddTest, InputBehindDescriptor) {
  UniqueFd fd(memfd_create("input", MFD_CLOEXEC));
  ASSERT_EQ(write(fd.get(), x, 68), 68);
  request.inputs[0].memory =
      Memory::fromDescriptor(std::move(fd), 4, 64, PROT_READ);
  ExecutionResult result;
  ASSERT_TRUE(model->execute(request, result).isOk());
  EXPECT_EQ(y[0], 103.0f);
}

TEST_F(ScaleAndAddTest, Diagnostics) {
  request.inputs[0].memory =
      Memory::borrow(std::as_bytes(std::span(x).first(16)));
  auto xBytes = std::as_bytes(std::span(x));
  auto yBytes = std::as_writable_bytes(std::span(y));
  EXPECT_EQ(messageOf([](Request &r) {}), "executed");
  EXPECT_EQ(messageOf([](Request &r) { r.inputs.pop_back(); }),
            "request has 1 inputs, the model 2");
  EXPECT_EQ(messageOf([](Request &r) { r.outputs.clear(); }),
            "request has 0 outputs, the model 1");
  EXPECT_EQ(messageOf([](Request &r) { r.inputs[0].memory = Memory(); }),
            "input 0 is omitted and no entry of the model allows that");
  // An argument without a value has no dimensions (B-080).
  EXPECT_EQ(messageOf([](Request &r) {
              r.inputs[1].memory = Memory();
              r.inputs[1].dimensions = {4};
            }),
            "input 1 ('offset') is omitted and has the shape [4]");
  EXPECT_EQ(messageOf([&](Request &r) {
              r.inputs[0].memory = Memory::borrow(xBytes.first(60));
            }),
            "input 0 ('x') has 60 bytes, its shape and type need 64");
  EXPECT_EQ(messageOf([&](Request &r) {
              r.inputs[0].memory = Memory::borrow(xBytes.subspan(2, 64));
            }),
            "input 0 ('x') is not aligned to its element of 4 bytes");
  EXPECT_EQ(messageOf([](Request &r) { r.inputs[0].dimensions = {16}; }),
            "input 0 ('x') has rank 1 in the request and 2 in the model");
  EXPECT_EQ(messageOf([](Request &r) { r.inputs[0].dimensions = {4, 5}; }),
            "input 0 ('x') has extent 5 in dimension 1 of the request and 4 in "
            "the model");
  // Only outputs leave an extent to the model (B-084).
  EXPECT_EQ(messageOf([](Request &r) { r.inputs[0].dimensions = {0, 4}; }),
            "input 0 ('x') has extent 0 in dimension 0 of the request and 4 in "
            "the model");
  EXPECT_EQ(messageOf([](Request &r) { r.outputs[0].dimensions = {0, 4}; }),
            "executed");
  EXPECT_EQ(messageOf([](Request &r) { r.outputs[0].memory = {}; }),
            "output 0 ('y') has no memory");
  EXPECT_EQ(messageOf([&](Request &r) {
              r.outputs[0].memory = OutputMemory::borrow(yBytes.first(63));
            }),
            "output 0 ('y') of shape [4,4] does not fit its 63 bytes");
  EXPECT_EQ(messageOf([](Request &r) { r.deadline = 1; }),
            "the deadline had passed before the execution began");
}

// B-083: the request states what the model leaves open, of inputs always.
TEST(ArgumentsTest, UnknownInputDimension) {
  auto model = prepare(intArtifact("checkContext", 0, 1), {});
  int32_t x[3] = {1, 2, 4}, y = 0;
  Request request;
  request.inputs = {{Memory::borrow(std::as_bytes(std::span(x))), {}}};
  request.outputs = {
      {OutputMemory::borrow(std::as_writable_bytes(std::span(&y, 1))), {}}};
  ExecutionResult result;
  EXPECT_EQ(model->execute(request, result).message(),
            "input 0 ('x') of shape [0] has unknown dimensions that the "
            "request does not state");
  request.inputs[0].dimensions = {3};
  Status status = model->execute(request, result);
  EXPECT_TRUE(status.isOk()) << status.message();
  EXPECT_EQ(y, 7);
  request.inputs[0].dimensions = {4};
  EXPECT_EQ(model->execute(request, result).message(),
            "input 0 ('x') has 12 bytes, its shape and type need 16");
  request.inputs[0].dimensions = {1u << 31};
  EXPECT_EQ(model->execute(request, result).message(),
            "input 0 ('x') exceeds 4294967295 bytes");
}

TEST(ArgumentsTest, UnknownOutputDimension) {
  auto model = prepare(intArtifact("computedRows", 1, 0), {});
  int32_t rows = 3, y[4] = {-1, -1, -1, -1};
  Request request;
  request.inputs = {{Memory::borrow(std::as_bytes(std::span(&rows, 1))), {}}};
  request.outputs = {
      {OutputMemory::borrow(std::as_writable_bytes(std::span(y))), {}}};
  ExecutionResult result;
  ASSERT_TRUE(model->execute(request, result).isOk());
  EXPECT_EQ(result.outputShapes[0], (OutputShape{{3}, true}));
  EXPECT_EQ(y[2], 2);
  rows = 0;
  ASSERT_TRUE(model->execute(request, result).isOk());
  EXPECT_EQ(result.outputShapes[0], (OutputShape{{0}, true}));
  rows = 5;
  Status status = model->execute(request, result);
  EXPECT_EQ(status.code(), StatusCode::outputInsufficientSize);
  EXPECT_EQ(status.message(),
            "output 0 ('y') of shape [5] does not fit its 16 bytes");
  EXPECT_EQ(result.outputShapes[0], (OutputShape{{5}, false}));
  rows = -2;
  EXPECT_EQ(model->execute(request, result).message(),
            "code reported extent -2 in dimension 0 of output 0 ('y') of shape "
            "[0]");
  request.outputs[0].dimensions = {2};
  rows = 3;
  EXPECT_EQ(model->execute(request, result).message(),
            "output 0 has extent 3 in dimension 0, the request states 2");
  rows = 2;
  EXPECT_TRUE(model->execute(request, result).isOk());
}

TEST(ArgumentsTest, CodeThatFails) {
  auto model = prepare(intArtifact("returnInput", 1, 1), {});
  int32_t code = 0, y = 0;
  Request request;
  request.inputs = {{Memory::borrow(std::as_bytes(std::span(&code, 1))), {}}};
  request.outputs = {
      {OutputMemory::borrow(std::as_writable_bytes(std::span(&y, 1))), {}}};
  ExecutionResult result;
  EXPECT_TRUE(model->execute(request, result).isOk());
  code = 5;
  Status status = model->execute(request, result);
  EXPECT_EQ(status.code(), StatusCode::missedDeadlineTransient);
  EXPECT_EQ(status.message(),
            "the execution reported MISSED_DEADLINE_TRANSIENT");
  code = 99;
  EXPECT_EQ(model->execute(request, result).message(),
            "code returned 99, which is not a status code");
}
