//===- TestModels.h - Small models of a client ------------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_TEST_UNIT_NEURALNETWORKS_TESTMODELS_H
#define NNHAL_TEST_UNIT_NEURALNETWORKS_TESTMODELS_H

#include "Wrapper.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

namespace client {

/// The device of that name, or null.
inline const ANeuralNetworksDevice *findDevice(const std::string &name) {
  uint32_t count = 0;
  EXPECT_EQ(ANeuralNetworks_getDeviceCount(&count), ANEURALNETWORKS_NO_ERROR);
  for (uint32_t i = 0; i < count; ++i) {
    ANeuralNetworksDevice *device = nullptr;
    EXPECT_EQ(ANeuralNetworks_getDevice(i, &device), ANEURALNETWORKS_NO_ERROR);
    const char *found = nullptr;
    EXPECT_EQ(ANeuralNetworksDevice_getName(device, &found),
              ANEURALNETWORKS_NO_ERROR);
    if (name == found)
      return device;
  }
  return nullptr;
}

inline const ANeuralNetworksDevice *reference() {
  return findDevice("nnapi-reference");
}

/// ADD of two tensors of the dimensions; 0 leaves an extent to executions.
inline void buildAdd(Model &model, std::vector<uint32_t> dimensions = {4}) {
  OperandType tensor(Type::TENSOR_FLOAT32, std::move(dimensions));
  uint32_t left = model.addOperand(tensor);
  uint32_t right = model.addOperand(tensor);
  uint32_t activation =
      model.addScalar(Type::INT32, int32_t(ANEURALNETWORKS_FUSED_NONE));
  uint32_t sum = model.addOperand(tensor);
  model.addOperation(ANEURALNETWORKS_ADD, {left, right, activation}, {sum});
  model.identifyInputsAndOutputs({left, right}, {sum});
}

/// A finished ADD and its finished compilation on nnapi-reference alone, or on
/// all devices.
struct CompiledAdd {
  explicit CompiledAdd(std::vector<uint32_t> dimensions = {4},
                       bool isListed = true) {
    buildAdd(model, std::move(dimensions));
    EXPECT_TRUE(model.isValid());
    EXPECT_EQ(model.finish(), Result::NO_ERROR);
    if (isListed)
      compilation = std::make_unique<Compilation>(
          model, std::vector<const ANeuralNetworksDevice *>{reference()});
    else
      compilation = std::make_unique<Compilation>(model);
    EXPECT_EQ(compilation->finish(), Result::NO_ERROR);
  }

  Model model;
  std::unique_ptr<Compilation> compilation;
};

/// An execution of ADD with its arguments.
struct AddExecution {
  explicit AddExecution(const Compilation &compilation)
      : execution(compilation) {}
  explicit AddExecution(const CompiledAdd &add)
      : AddExecution(*add.compilation) {}

  void setAll() {
    EXPECT_EQ(execution.setInput(0, left, sizeof(left)), Result::NO_ERROR);
    EXPECT_EQ(execution.setInput(1, right, sizeof(right)), Result::NO_ERROR);
    EXPECT_EQ(execution.setOutput(0, sum, sizeof(sum)), Result::NO_ERROR);
  }

  void expectSum() const {
    for (int i = 0; i < 4; ++i)
      EXPECT_EQ(sum[i], left[i] + right[i]) << i;
  }

  float left[4] = {1, 2, 3, 4};
  float right[4] = {10, 20, 30, 40};
  float sum[4] = {};
  Execution execution;
};

} // namespace client

#endif // NNHAL_TEST_UNIT_NEURALNETWORKS_TESTMODELS_H
