//===- ControlFlowRulesTest.cpp - Forms of IF and WHILE -------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OperationBuilder.h"

#include <gtest/gtest.h>

using namespace nnhal::rt;
using namespace nnhal::rt::testing;
using Op = OperationType;

namespace {

OperationBuilder ifOn(const TensorType &condition) {
  OperationBuilder builder(Op::IF);
  builder.tensor(condition)
      .scalar(OperandType::SUBGRAPH)
      .scalar(OperandType::SUBGRAPH)
      .output(floatTensor({2}));
  return builder;
}

TEST(ControlFlowRulesTest, Forms) { // M-361, M-362
  EXPECT_EQ(ifOn(boolTensor({1})).message(), "");
  EXPECT_EQ(ifOn(boolTensor({unknownExtent})).message(), "");
  EXPECT_EQ(ifOn(boolTensor({1})).since(), "1.3");
  EXPECT_EQ(OperationBuilder(Op::WHILE)
                .scalar(OperandType::SUBGRAPH)
                .scalar(OperandType::SUBGRAPH)
                .tensor(floatTensor({2}))
                .output(floatTensor({2}))
                .message(),
            "");
}

TEST(ControlFlowRulesTest, Rejects) {
  // control_flow C1
  EXPECT_EQ(OperationBuilder(Op::WHILE)
                .scalar(OperandType::SUBGRAPH)
                .scalar(OperandType::SUBGRAPH)
                .output(floatTensor({2}))
                .message(),
            "found 2 inputs and 1 outputs, expected at least 3 and 1");
  // control_flow C2
  EXPECT_EQ(OperationBuilder(Op::IF)
                .tensor(boolTensor({1}))
                .scalar(OperandType::SUBGRAPH)
                .int32(0)
                .output(floatTensor({2}))
                .message(),
            "input 2 has type INT32, expected SUBGRAPH");
  // signature C3
  EXPECT_EQ(OperationBuilder(Op::IF)
                .omitted(boolTensor({1}))
                .scalar(OperandType::SUBGRAPH)
                .scalar(OperandType::SUBGRAPH)
                .output(floatTensor({2}))
                .message(),
            "input 0 (condition) is omitted, but it is not optional");
  // control_flow C3
  EXPECT_EQ(ifOn(boolTensor({1, 1})).message(), "condition rank 2 is above 1");
  EXPECT_EQ(ifOn(floatTensor({1})).message(),
            "condition type TENSOR_FLOAT32 is not among TENSOR_BOOL8");
  // control_flow C4
  EXPECT_EQ(ifOn(boolTensor({2})).message(),
            "condition has 2 elements, expected 1");
}

} // namespace
