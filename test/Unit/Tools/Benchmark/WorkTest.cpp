//===- WorkTest.cpp - The work of models, from their shapes ---------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tools/Benchmark/Work.h"

#include <gtest/gtest.h>

using namespace nnhal;
using namespace nnhal::tools;

namespace {

rt::Operand operandOf(rt::OperandType type, std::vector<uint32_t> dimensions,
                      rt::OperandLifeTime lifetime) {
  rt::Operand operand;
  operand.type = type;
  operand.dimensions = std::move(dimensions);
  operand.lifetime = lifetime;
  return operand;
}

rt::Model contraction(rt::OperationType operation, rt::OperandType type,
                      std::vector<uint32_t> filter) {
  using enum rt::OperandLifeTime;
  rt::Model model;
  model.main.operands = {operandOf(type, {1, 4, 4, 8}, SUBGRAPH_INPUT),
                         operandOf(type, std::move(filter), CONSTANT_COPY),
                         operandOf(type, {1, 4, 4, 16}, SUBGRAPH_OUTPUT)};
  model.main.operations = {{operation, {0, 1}, {2}}};
  model.main.inputIndexes = {0};
  model.main.outputIndexes = {2};
  return model;
}

TEST(WorkTest, ConvolutionsMultiplyTheirFilter) {
  Work work =
      workOf(contraction(rt::OperationType::CONV_2D,
                         rt::OperandType::TENSOR_FLOAT32, {16, 3, 3, 8}));
  EXPECT_EQ(work.arithmetic, 2.0 * 4 * 4 * 16 * 3 * 3 * 8);
  EXPECT_EQ(work.traffic, 4.0 * (4 * 4 * 8 + 16 * 3 * 3 * 8 + 4 * 4 * 16));
  EXPECT_FALSE(work.isQuantized);
}

TEST(WorkTest, DepthwiseFiltersHaveNoInputChannels) {
  Work work =
      workOf(contraction(rt::OperationType::DEPTHWISE_CONV_2D,
                         rt::OperandType::TENSOR_QUANT8_ASYMM, {1, 3, 3, 16}));
  EXPECT_EQ(work.arithmetic, 2.0 * 4 * 4 * 16 * 3 * 3);
  EXPECT_TRUE(work.isQuantized);
}

TEST(WorkTest, WeightsOfRecurrentOperationsCountForEachRow) {
  rt::Model model = contraction(rt::OperationType::LSTM,
                                rt::OperandType::TENSOR_FLOAT32, {16, 8});
  model.main.operands[0].dimensions = {2, 8};
  EXPECT_EQ(workOf(model).arithmetic, 2.0 * 2 * 16 * 8);
}

TEST(WorkTest, OtherOperationsCountNothing) {
  Work work = workOf(contraction(rt::OperationType::ADD,
                                 rt::OperandType::TENSOR_FLOAT32, {16}));
  EXPECT_EQ(work.arithmetic, 0.0);
  EXPECT_FALSE(work.isQuantized);
}

} // namespace
