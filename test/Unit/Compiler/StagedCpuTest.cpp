//===- StagedCpuTest.cpp - nnhal-cpu over nnhal-reference -----------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CompilerTesting.h"

#include "nnhal/Backend/Backend.h"
#include "nnhal/Runtime/ReferenceDevice.h"
#include "nnhal/Runtime/TFLiteModel.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <future>
#include <random>

namespace nnhal::rt {
namespace {

std::unique_ptr<Device> stagedDevice() {
  CpuDeviceOptions options;
  options.baseline = createReferenceBackend();
  return createCpuDevice(std::move(options));
}

/// A model of a file, with everything that its constants need.
struct Source {
  Source() {
    auto file = Memory::readFile(NNHAL_TEST_DATA "/Models/small_cnn.tflite");
    EXPECT_TRUE(file.isOk()) << file.status().message();
    bytes = *std::move(file);
    auto imported = importTFLite(bytes, {});
    EXPECT_TRUE(imported.isOk()) << imported.status().message();
    model = *std::move(imported);
  }
  Memory bytes;
  AnnotatedModel model;
};

void fill(Arguments &arguments) {
  std::minstd_rand random(3);
  for (std::vector<std::byte> &input : arguments.inputs)
    for (size_t i = 0; i + 4 <= input.size(); i += 4) {
      float value = float(random() % 2001) / 1000 - 1;
      std::memcpy(input.data() + i, &value, 4);
    }
}

std::vector<float> execute(const PreparedModel &model) {
  Arguments arguments(model);
  fill(arguments);
  ExecutionResult result;
  Status status = model.execute(arguments.request, result);
  EXPECT_EQ(status.message(), "");
  std::vector<float> values(arguments.outputs[0].size() / 4);
  std::memcpy(values.data(), arguments.outputs[0].data(), values.size() * 4);
  return values;
}

// E-006, E-066: the model answers before it is compiled and after, what the
// two devices answer; nothing of the caller is needed meanwhile.
TEST(StagedCpuTest, answersBeforeAndAfterTheSwap) {
  std::vector<float> slow, fast;
  {
    Source source;
    auto reference = createReferenceDevice()->prepareModel(source.model);
    ASSERT_TRUE(reference.isOk()) << reference.status().message();
    slow = execute(**reference);
    auto compiled = createCpuDevice()->prepareModel(source.model);
    ASSERT_TRUE(compiled.isOk()) << compiled.status().message();
    fast = execute(**compiled);
  }
  ASSERT_FALSE(slow.empty());
  std::promise<Status> ended;
  PrepareOptions options;
  options.compileAfter = 2;
  PrepareObserver observer;
  observer.compileEnded = [&](const Status &status) {
    ended.set_value(status);
  };
  PreparedModelRef model;
  {
    auto source = std::make_unique<Source>();
    auto prepared =
        stagedDevice()->prepareModel(source->model, options, observer);
    ASSERT_TRUE(prepared.isOk()) << prepared.status().message();
    model = *prepared;
  }
  EXPECT_EQ(execute(*model), slow);
  EXPECT_EQ(execute(*model), slow);
  EXPECT_EQ(ended.get_future().get().message(), "");
  EXPECT_EQ(execute(*model), fast);
}

// E-070: with the compiler at work.
TEST(StagedCpuTest, isDestroyedWhileItCompiles) {
  Source source;
  for (int i = 0; i < 5; ++i) {
    PrepareOptions options;
    options.compileAfter = 0;
    auto device = stagedDevice();
    auto prepared = device->prepareModel(source.model, options);
    ASSERT_TRUE(prepared.isOk()) << prepared.status().message();
    EXPECT_FALSE(execute(**prepared).empty());
  }
}

} // namespace
} // namespace nnhal::rt
