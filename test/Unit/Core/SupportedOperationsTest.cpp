//===- SupportedOperationsTest.cpp - What nnhal-cpu says it can do --------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SupportedOperations.h"

#include <gtest/gtest.h>

using namespace nnhal::rt;

namespace {

bool isSupported(OperationType operation, OperandType type,
                 std::vector<uint32_t> dimensions = {1}) {
  Operand operand;
  operand.type = type;
  operand.dimensions = std::move(dimensions);
  Model model;
  model.main.operands = {operand, operand};
  model.main.operations = {{operation, {0}, {1}}};
  return cpuSupportedOperations(model).at(0);
}

TEST(SupportedOperationsTest, FollowsFamiliesAndTypes) {
  EXPECT_TRUE(isSupported(OperationType::ABS, OperandType::TENSOR_FLOAT32));
  EXPECT_TRUE(isSupported(OperationType::CONV_2D, OperandType::TENSOR_FLOAT32));
  EXPECT_FALSE(isSupported(OperationType::LSTM, OperandType::TENSOR_FLOAT32));
  EXPECT_FALSE(isSupported(OperationType::WHILE, OperandType::TENSOR_FLOAT32));
  EXPECT_FALSE(isSupported(OperationType::RANK, OperandType::TENSOR_FLOAT32));
  EXPECT_FALSE(
      isSupported(OperationType(0x30001), OperandType::TENSOR_FLOAT32));
  EXPECT_FALSE(isSupported(OperationType::ABS, OperandType::TENSOR_FLOAT16));
  EXPECT_FALSE(
      isSupported(OperationType::ABS, OperandType::TENSOR_FLOAT32, {}));
}

} // namespace
