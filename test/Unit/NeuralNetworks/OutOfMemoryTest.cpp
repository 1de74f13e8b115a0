//===- OutOfMemoryTest.cpp - C clients without memory ---------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestModels.h"

#include "../Faults/Allocations.h"

#include <gtest/gtest.h>

#include <set>

namespace {

using nnhal::rt::AllocationFailure;

/// Calls \p work, which returns a result code, with each of its allocations
/// failing in turn. Returns the codes of all failures.
template <typename Work> std::set<int> codesWithoutMemory(const Work &work) {
  std::set<int> codes;
  for (size_t before = 0;; ++before) {
    int code = 0;
    bool hasFailed = false;
    {
      AllocationFailure failure(before);
      code = work();
      hasFailed = failure.hasFailed();
    }
    if (code != ANEURALNETWORKS_NO_ERROR)
      codes.insert(code);
    if (!hasFailed)
      return codes;
  }
}

const std::set<int> outOfMemory = {ANEURALNETWORKS_OUT_OF_MEMORY};

// J-110, J-112, J-075: an allocation that fails is told, and the result null.
TEST(NeuralNetworksOutOfMemory, IsTold) {
  if (!AllocationFailure::isPossible())
    GTEST_SKIP() << "another library brings operator new";
  EXPECT_EQ(codesWithoutMemory([] {
              auto *model = reinterpret_cast<ANeuralNetworksModel *>(1);
              int code = ANeuralNetworksModel_create(&model);
              EXPECT_EQ(model == nullptr, code != ANEURALNETWORKS_NO_ERROR);
              ANeuralNetworksModel_free(model);
              return code;
            }),
            outOfMemory);
  EXPECT_EQ(codesWithoutMemory([] {
              ANeuralNetworksMemoryDesc *desc = nullptr;
              int code = ANeuralNetworksMemoryDesc_create(&desc);
              EXPECT_EQ(desc == nullptr, code != ANEURALNETWORKS_NO_ERROR);
              ANeuralNetworksMemoryDesc_free(desc);
              return code;
            }),
            outOfMemory);
  client::CompiledAdd add;
  EXPECT_EQ(codesWithoutMemory([&] {
              auto *made = reinterpret_cast<ANeuralNetworksExecution *>(1);
              int code = ANeuralNetworksExecution_create(add.compilation->get(),
                                                         &made);
              EXPECT_EQ(made == nullptr, code != ANEURALNETWORKS_NO_ERROR);
              ANeuralNetworksExecution_free(made);
              return code;
            }),
            outOfMemory);
}

// J-110, J-112: a model is built, finished, compiled and computed with each
// allocation of this thread failing.
TEST(NeuralNetworksOutOfMemory, EndsNothing) {
  if (!AllocationFailure::isPossible())
    GTEST_SKIP() << "another library brings operator new";
  const ANeuralNetworksDevice *device = client::reference();
  const uint32_t four[] = {4}, input = 0, output = 1;
  std::set<int> codes = codesWithoutMemory([&]() -> int {
    ANeuralNetworksModel *model = nullptr;
    ANeuralNetworksCompilation *compilation = nullptr;
    ANeuralNetworksExecution *execution = nullptr;
    ANeuralNetworksOperandType tensor = {ANEURALNETWORKS_TENSOR_FLOAT32, 1,
                                         four, 0, 0};
    alignas(16) float from[4] = {1, 2, 3, 4}, to[4] = {};
    int code = ANeuralNetworksModel_create(&model);
    auto then = [&code](auto &&next) {
      if (code == ANEURALNETWORKS_NO_ERROR)
        code = next();
    };
    then([&] { return ANeuralNetworksModel_addOperand(model, &tensor); });
    then([&] { return ANeuralNetworksModel_addOperand(model, &tensor); });
    then([&] {
      return ANeuralNetworksModel_addOperation(model, ANEURALNETWORKS_RELU, 1,
                                               &input, 1, &output);
    });
    then([&] {
      return ANeuralNetworksModel_identifyInputsAndOutputs(model, 1, &input, 1,
                                                           &output);
    });
    then([&] { return ANeuralNetworksModel_finish(model); });
    then([&] {
      return ANeuralNetworksCompilation_createForDevices(model, &device, 1,
                                                         &compilation);
    });
    then([&] { return ANeuralNetworksCompilation_finish(compilation); });
    then([&] {
      return ANeuralNetworksExecution_create(compilation, &execution);
    });
    then([&] {
      return ANeuralNetworksExecution_setInput(execution, 0, nullptr, from, 16);
    });
    then([&] {
      return ANeuralNetworksExecution_setOutput(execution, 0, nullptr, to, 16);
    });
    then([&] { return ANeuralNetworksExecution_compute(execution); });
    ANeuralNetworksExecution_free(execution);
    ANeuralNetworksCompilation_free(compilation);
    ANeuralNetworksModel_free(model);
    return code;
  });
  codes.erase(ANEURALNETWORKS_OUT_OF_MEMORY);
  codes.erase(ANEURALNETWORKS_RESOURCE_EXHAUSTED_TRANSIENT);
  EXPECT_EQ(codes, std::set<int>());
}

} // namespace
