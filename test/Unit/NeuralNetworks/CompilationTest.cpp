//===- CompilationTest.cpp - Compilations of C clients --------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestModels.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>

using namespace client;

namespace {

// J-041, J-042, J-075: creation and freeing.
TEST(NeuralNetworksCompilation, IsCreatedOfFinishedModels) {
  ANeuralNetworksCompilation_free(nullptr);
  Model model;
  buildAdd(model);
  auto *compilation = reinterpret_cast<ANeuralNetworksCompilation *>(1);
  EXPECT_EQ(ANeuralNetworksCompilation_create(model.get(), nullptr),
            ANEURALNETWORKS_UNEXPECTED_NULL);
  EXPECT_EQ(ANeuralNetworksCompilation_create(nullptr, &compilation),
            ANEURALNETWORKS_UNEXPECTED_NULL);
  EXPECT_EQ(compilation, nullptr);
  compilation = reinterpret_cast<ANeuralNetworksCompilation *>(1);
  EXPECT_EQ(ANeuralNetworksCompilation_create(model.get(), &compilation),
            ANEURALNETWORKS_BAD_STATE);
  EXPECT_EQ(compilation, nullptr);
  ASSERT_EQ(model.finish(), Result::NO_ERROR);
  // One that was never finished can be freed (J-078).
  Compilation unfinished(model);
  EXPECT_EQ(unfinished.creation(), Result::NO_ERROR);
}

// J-009: lists of devices.
TEST(NeuralNetworksCompilation, ChecksItsDevices) {
  Model model;
  buildAdd(model);
  ANeuralNetworksCompilation *compilation = nullptr;
  const ANeuralNetworksDevice *list[] = {reference(), reference()};
  const ANeuralNetworksDevice *nobody[] = {nullptr};
  const ANeuralNetworksDevice *stranger[] = {
      reinterpret_cast<const ANeuralNetworksDevice *>(&model)};
  auto create = [&](const ANeuralNetworksDevice *const *devices,
                    uint32_t count) {
    compilation = reinterpret_cast<ANeuralNetworksCompilation *>(1);
    int code = ANeuralNetworksCompilation_createForDevices(model.get(), devices,
                                                           count, &compilation);
    EXPECT_EQ(compilation == nullptr, code != ANEURALNETWORKS_NO_ERROR);
    return code;
  };
  EXPECT_EQ(create(list, 1), ANEURALNETWORKS_BAD_STATE);
  ASSERT_EQ(model.finish(), Result::NO_ERROR);
  EXPECT_EQ(create(nullptr, 1), ANEURALNETWORKS_UNEXPECTED_NULL);
  EXPECT_EQ(create(nobody, 1), ANEURALNETWORKS_UNEXPECTED_NULL);
  EXPECT_EQ(create(list, 0), ANEURALNETWORKS_BAD_DATA);
  EXPECT_EQ(create(list, 2), ANEURALNETWORKS_BAD_DATA);
  EXPECT_EQ(create(stranger, 1), ANEURALNETWORKS_BAD_DATA);
  EXPECT_EQ(create(list, 0xFFFFFFFF), ANEURALNETWORKS_BAD_DATA);
  EXPECT_EQ(ANeuralNetworksCompilation_createForDevices(nullptr, list, 1,
                                                        &compilation),
            ANEURALNETWORKS_UNEXPECTED_NULL);
  EXPECT_EQ(ANeuralNetworksCompilation_createForDevices(model.get(), list, 1,
                                                        nullptr),
            ANEURALNETWORKS_UNEXPECTED_NULL);
  ASSERT_EQ(create(list, 1), ANEURALNETWORKS_NO_ERROR);
  ANeuralNetworksCompilation_free(compilation);
}

// J-018, J-043, J-045, J-046, E-002, K-037, D-078: settings and their states.
TEST(NeuralNetworksCompilation, ChecksItsSettings) {
  const uint8_t token[32] = {1};
  EXPECT_EQ(ANeuralNetworksCompilation_setPreference(nullptr, 0),
            ANEURALNETWORKS_UNEXPECTED_NULL);
  EXPECT_EQ(ANeuralNetworksCompilation_setPriority(nullptr, 100),
            ANEURALNETWORKS_UNEXPECTED_NULL);
  EXPECT_EQ(ANeuralNetworksCompilation_setTimeout(nullptr, 1),
            ANEURALNETWORKS_UNEXPECTED_NULL);
  EXPECT_EQ(ANeuralNetworksCompilation_finish(nullptr),
            ANEURALNETWORKS_UNEXPECTED_NULL);
  Model model;
  buildAdd(model);
  ASSERT_EQ(model.finish(), Result::NO_ERROR);
  Compilation all(model), one(model, {reference()});
  auto *compilation = one.get();
  EXPECT_EQ(ANeuralNetworksCompilation_setCaching(nullptr, "/tmp", token),
            ANEURALNETWORKS_UNEXPECTED_NULL);
  EXPECT_EQ(ANeuralNetworksCompilation_setCaching(compilation, nullptr, token),
            ANEURALNETWORKS_UNEXPECTED_NULL);
  EXPECT_EQ(ANeuralNetworksCompilation_setCaching(compilation, "/tmp", nullptr),
            ANEURALNETWORKS_UNEXPECTED_NULL);
  for (int32_t preference : {-1, 3})
    EXPECT_EQ(one.setPreference(preference), Result::BAD_DATA);
  for (int32_t preference : {0, 1, 2})
    EXPECT_EQ(one.setPreference(preference), Result::NO_ERROR);
  for (int32_t priority : {-1, 0, 89, 91, 111})
    EXPECT_EQ(one.setPriority(priority), Result::BAD_DATA);
  for (int32_t priority : {90, 100, 110})
    EXPECT_EQ(one.setPriority(priority), Result::NO_ERROR);
  EXPECT_EQ(ANeuralNetworksCompilation_setTimeout(all.get(), 1),
            ANEURALNETWORKS_BAD_DATA);
  for (uint64_t duration : {uint64_t(0), UINT64_MAX})
    EXPECT_EQ(ANeuralNetworksCompilation_setTimeout(compilation, duration),
              ANEURALNETWORKS_NO_ERROR);
  ASSERT_EQ(one.finish(), Result::NO_ERROR);
  EXPECT_EQ(one.finish(), Result::BAD_STATE);
  EXPECT_EQ(one.setPreference(1), Result::BAD_STATE);
  EXPECT_EQ(one.setPriority(100), Result::BAD_STATE);
  EXPECT_EQ(ANeuralNetworksCompilation_setTimeout(compilation, 1),
            ANEURALNETWORKS_BAD_STATE);
  EXPECT_EQ(ANeuralNetworksCompilation_setCaching(compilation, "/tmp", token),
            ANEURALNETWORKS_BAD_STATE);
}

// E-007, E-033: a directory that is not there fails nothing.
TEST(NeuralNetworksCompilation, NeedsNoCacheDirectory) {
  Model model;
  buildAdd(model);
  ASSERT_EQ(model.finish(), Result::NO_ERROR);
  Compilation compilation(model);
  EXPECT_EQ(compilation.setCaching("/nonexistent", std::vector<uint8_t>(32)),
            Result::NO_ERROR);
  EXPECT_EQ(compilation.finish(), Result::NO_ERROR);
}

/// A model that no device executes.
void buildOem(Model &model) {
  OperandType tensor(Type::TENSOR_FLOAT32, {4});
  uint32_t input = model.addOperand(tensor);
  uint32_t output = model.addOperand(tensor);
  model.addOperation(10000, {input}, {output});
  model.identifyInputsAndOutputs({input}, {output});
  ASSERT_TRUE(model.isValid());
  ASSERT_EQ(model.finish(), Result::NO_ERROR);
}

// J-044, J-072, H-050, I-041, I-088: a failed finish is told, and nothing can
// be made of the compilation.
TEST(NeuralNetworksCompilation, IsUselessAfterAFailedFinish) {
  Model model;
  buildOem(model);
  for (bool isListed : {false, true}) {
    auto made =
        isListed
            ? std::make_unique<Compilation>(model, std::vector{reference()})
            : std::make_unique<Compilation>(model);
    EXPECT_EQ(made->finish(), Result::BAD_DATA);
    EXPECT_EQ(made->finish(), Result::BAD_STATE);
    Execution execution(*made);
    EXPECT_EQ(execution.creation(), Result::BAD_STATE);
    EXPECT_EQ(execution.get(), nullptr);
    auto *burst = reinterpret_cast<ANeuralNetworksBurst *>(1);
    EXPECT_EQ(ANeuralNetworksBurst_create(made->get(), &burst),
              ANEURALNETWORKS_BAD_STATE);
    EXPECT_EQ(burst, nullptr);
    ANeuralNetworksMemoryDesc *desc = nullptr;
    ASSERT_EQ(ANeuralNetworksMemoryDesc_create(&desc),
              ANEURALNETWORKS_NO_ERROR);
    EXPECT_EQ(ANeuralNetworksMemoryDesc_addInputRole(desc, made->get(), 0, 1),
              ANEURALNETWORKS_BAD_DATA);
    ANeuralNetworksMemoryDesc_free(desc);
  }
}

// J-044, I-040: a deadline that cannot be kept.
TEST(NeuralNetworksCompilation, MissesItsDeadline) {
  Model model;
  buildAdd(model);
  ASSERT_EQ(model.finish(), Result::NO_ERROR);
  Compilation compilation(model, {reference()});
  ASSERT_EQ(ANeuralNetworksCompilation_setTimeout(compilation.get(), 1),
            ANEURALNETWORKS_NO_ERROR);
  Result result = compilation.finish();
  EXPECT_TRUE(result == Result::MISSED_DEADLINE_PERSISTENT ||
              result == Result::MISSED_DEADLINE_TRANSIENT)
      << int(result);
}

// J-067: alignment and padding are powers of two.
TEST(NeuralNetworksCompilation, TellsAlignmentAndPadding) {
  using Ask = int (*)(const ANeuralNetworksCompilation *, uint32_t, uint32_t *);
  struct Case {
    Ask ask;
    uint32_t count;
  };
  const Case cases[] = {
      {ANeuralNetworksCompilation_getPreferredMemoryAlignmentForInput, 2},
      {ANeuralNetworksCompilation_getPreferredMemoryPaddingForInput, 2},
      {ANeuralNetworksCompilation_getPreferredMemoryAlignmentForOutput, 1},
      {ANeuralNetworksCompilation_getPreferredMemoryPaddingForOutput, 1}};
  CompiledAdd add;
  Compilation unfinished(add.model);
  for (const Case &each : cases) {
    uint32_t value = 0;
    EXPECT_EQ(each.ask(nullptr, 0, &value), ANEURALNETWORKS_UNEXPECTED_NULL);
    EXPECT_EQ(each.ask(add.compilation->get(), 0, nullptr),
              ANEURALNETWORKS_UNEXPECTED_NULL);
    EXPECT_EQ(each.ask(unfinished.get(), 0, &value), ANEURALNETWORKS_BAD_STATE);
    EXPECT_EQ(each.ask(add.compilation->get(), each.count, &value),
              ANEURALNETWORKS_BAD_DATA);
    EXPECT_EQ(each.ask(add.compilation->get(), each.count - 1, &value),
              ANEURALNETWORKS_NO_ERROR);
    EXPECT_GT(value, 0u);
    EXPECT_EQ(value & (value - 1), 0u);
  }
}

} // namespace
