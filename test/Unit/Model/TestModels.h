//===- TestModels.h - Small valid models to start from ----------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_TEST_UNIT_MODEL_TESTMODELS_H
#define NNHAL_TEST_UNIT_MODEL_TESTMODELS_H

#include "nnhal/Runtime/Model.h"
#include "nnhal/Runtime/Validate.h"

#include <gtest/gtest.h>

namespace nnhal::rt::test {

/// An operand without a location.
inline Operand operand(OperandType type, std::vector<uint32_t> dimensions,
                       OperandLifeTime lifetime) {
  Operand result;
  result.type = type;
  result.dimensions = std::move(dimensions);
  result.lifetime = lifetime;
  return result;
}

inline Operand input(OperandType type, std::vector<uint32_t> dimensions) {
  return operand(type, std::move(dimensions), OperandLifeTime::SUBGRAPH_INPUT);
}
inline Operand output(OperandType type, std::vector<uint32_t> dimensions) {
  return operand(type, std::move(dimensions), OperandLifeTime::SUBGRAPH_OUTPUT);
}
inline Operand temporary(OperandType type, std::vector<uint32_t> dimensions) {
  return operand(type, std::move(dimensions),
                 OperandLifeTime::TEMPORARY_VARIABLE);
}

/// A constant of zeros at the end of operandValues.
inline Operand zeros(Model &model, OperandType type,
                     std::vector<uint32_t> dimensions, uint32_t length) {
  Operand result =
      operand(type, std::move(dimensions), OperandLifeTime::CONSTANT_COPY);
  result.location = {0, static_cast<uint32_t>(model.operandValues.size()),
                     length};
  model.operandValues.resize(model.operandValues.size() + length);
  return result;
}

/// Valid from HAL 1.0: t3 = in0 + c1, out4 = t3 + c1, both with activation c2.
inline Model addTwice() {
  Model model;
  model.main.operands = {
      input(OperandType::TENSOR_FLOAT32, {2}),
      zeros(model, OperandType::TENSOR_FLOAT32, {2}, 8),
      zeros(model, OperandType::INT32, {}, 4),
      temporary(OperandType::TENSOR_FLOAT32, {2}),
      output(OperandType::TENSOR_FLOAT32, {2}),
  };
  model.main.operations = {{OperationType::ADD, {0, 1, 2}, {3}},
                           {OperationType::ADD, {3, 1, 2}, {4}}};
  model.main.inputIndexes = {0};
  model.main.outputIndexes = {4};
  computeConsumers(model.main);
  return model;
}

/// Expects that \p mutate makes a model that is rejected with \p message.
template <typename Mutate>
void expectInvalid(Model model, std::string_view message, Mutate mutate,
                   HalVersion version = HalVersion::V1_3) {
  ASSERT_EQ(validateStructure(model).message(), "") << "before the mutation";
  mutate(model);
  Status status = validateStructure(model, version);
  EXPECT_EQ(status.code(), StatusCode::invalidArgument);
  EXPECT_EQ(status.message(), message);
}

/// Expects that \p mutate keeps the model valid.
template <typename Mutate>
void expectValid(Model model, Mutate mutate,
                 HalVersion version = HalVersion::V1_3) {
  mutate(model);
  EXPECT_EQ(validateStructure(model, version).message(), "");
}

} // namespace nnhal::rt::test

#endif // NNHAL_TEST_UNIT_MODEL_TESTMODELS_H
