//===- Loops.h - Models of one WHILE ----------------------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_TEST_UNIT_NEURALNETWORKS_LOOPS_H
#define NNHAL_TEST_UNIT_NEURALNETWORKS_LOOPS_H

#include "Wrapper.h"

#include <gtest/gtest.h>

#include <limits>

namespace client {

/// A model that counts: WHILE x < limit { x = x + 1 }.
struct CountingLoop {
  explicit CountingLoop(float limit) {
    OperandType flag(Type::TENSOR_BOOL8, {1});
    OperandType number(Type::TENSOR_FLOAT32, {1});
    {
      uint32_t input = condition.addOperand(number);
      uint32_t end = condition.addConstant<float>(number, {limit});
      uint32_t output = condition.addOperand(flag);
      condition.addOperation(ANEURALNETWORKS_LESS, {input, end}, {output});
      condition.identifyInputsAndOutputs({input}, {output});
      EXPECT_EQ(condition.finish(), Result::NO_ERROR);
    }
    {
      uint32_t input = body.addOperand(number);
      uint32_t one = body.addConstant<float>(number, {1});
      uint32_t none = body.addScalar(Type::INT32, int32_t(0));
      uint32_t output = body.addOperand(number);
      body.addOperation(ANEURALNETWORKS_ADD, {input, one, none}, {output});
      body.identifyInputsAndOutputs({input}, {output});
      EXPECT_EQ(body.finish(), Result::NO_ERROR);
    }
    uint32_t first = model.addOperand(Type::MODEL);
    uint32_t second = model.addOperand(Type::MODEL);
    uint32_t input = model.addOperand(number);
    uint32_t output = model.addOperand(number);
    model.setOperandValueFromModel(first, condition);
    model.setOperandValueFromModel(second, body);
    model.addOperation(ANEURALNETWORKS_WHILE, {first, second, input}, {output});
    model.identifyInputsAndOutputs({input}, {output});
    EXPECT_TRUE(model.isValid());
    EXPECT_EQ(model.finish(), Result::NO_ERROR);
  }

  Model condition, body, model;
};

/// A model that counts for ever.
struct EndlessLoop : CountingLoop {
  EndlessLoop() : CountingLoop(std::numeric_limits<float>::infinity()) {}
};

} // namespace client

#endif // NNHAL_TEST_UNIT_NEURALNETWORKS_LOOPS_H
