//===- CpuSupportTest.cpp - What the compiler for CPUs takes --------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Runtime/Devices/Cpu/Support/CpuSupport.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

using namespace nnhal::rt;

namespace {

Operand tensor(OperandType type, std::vector<uint32_t> dimensions,
               OperandLifeTime lifetime) {
  Operand operand;
  operand.type = type;
  operand.dimensions = std::move(dimensions);
  operand.lifetime = lifetime;
  return operand;
}

uint32_t addOperand(Model &model, Operand operand) {
  model.main.operands.push_back(std::move(operand));
  return uint32_t(model.main.operands.size() - 1);
}

uint32_t addInput(Model &model, OperandType type,
                  std::vector<uint32_t> dimensions) {
  return addOperand(model, tensor(type, std::move(dimensions),
                                  OperandLifeTime::SUBGRAPH_INPUT));
}

uint32_t addOutput(Model &model, OperandType type,
                   std::vector<uint32_t> dimensions) {
  return addOperand(model, tensor(type, std::move(dimensions),
                                  OperandLifeTime::SUBGRAPH_OUTPUT));
}

uint32_t addConstant(Model &model, OperandType type,
                     std::vector<uint32_t> dimensions,
                     const std::vector<int32_t> &values) {
  Operand operand =
      tensor(type, std::move(dimensions), OperandLifeTime::CONSTANT_COPY);
  operand.location.offset = uint32_t(model.operandValues.size());
  operand.location.length = uint32_t(values.size() * sizeof(int32_t));
  model.operandValues.resize(operand.location.offset + operand.location.length);
  std::memcpy(model.operandValues.data() + operand.location.offset,
              values.data(), operand.location.length);
  return addOperand(model, std::move(operand));
}

uint32_t addInt32(Model &model, int32_t value) {
  return addConstant(model, OperandType::INT32, {}, {value});
}

/// The message for one operation, empty when it is supported.
std::string why(const Model &model, OperationType type,
                std::vector<uint32_t> inputs, std::vector<uint32_t> outputs) {
  CalledGraphs graphs(model);
  return checkCpuSupport(model, graphs, model.main,
                         {type, std::move(inputs), std::move(outputs)})
      .message();
}

constexpr OperandType f32 = OperandType::TENSOR_FLOAT32;

} // namespace

TEST(CpuSupportTest, takesFloatConvolution) {
  Model model;
  uint32_t x = addInput(model, f32, {1, 8, 8, 3});
  uint32_t filter = addInput(model, f32, {4, 3, 3, 3});
  uint32_t bias = addInput(model, f32, {4});
  uint32_t one = addInt32(model, 1);
  uint32_t y = addOutput(model, f32, {0, 0, 0, 0});
  EXPECT_EQ(why(model, OperationType::CONV_2D,
                {x, filter, bias, one, one, one, one}, {y}),
            "");
}

TEST(CpuSupportTest, takesEveryTypeAndShape) {
  Model model;
  uint32_t x = addInput(model, OperandType::TENSOR_QUANT8_ASYMM, {4, 0});
  uint32_t shape = addInput(model, OperandType::TENSOR_INT32, {1});
  uint32_t y = addOutput(model, OperandType::TENSOR_QUANT8_ASYMM, {0, 0});
  EXPECT_EQ(why(model, OperationType::RELU, {x}, {y}), "");
  EXPECT_EQ(why(model, OperationType::RESHAPE, {x, shape}, {y}), "");
}

TEST(CpuSupportTest, namesOperationThatIsNotCompiled) {
  Model model;
  uint32_t x = addInput(model, f32, {4});
  EXPECT_EQ(why(model, OperationType::OEM_OPERATION, {x}, {x}),
            "OEM_OPERATION is not compiled for CPUs");
}

TEST(CpuSupportTest, namesScalarThatIsNoConstant) {
  Model model;
  uint32_t x = addInput(model, f32, {2, 2});
  uint32_t axis = addInput(model, OperandType::INT32, {});
  uint32_t y = addOutput(model, f32, {4});
  EXPECT_EQ(why(model, OperationType::CONCATENATION, {x, x, axis}, {y}),
            "CONCATENATION: input 2 is not a constant but a SUBGRAPH_INPUT");
  EXPECT_EQ(why(model, OperationType::EXPAND_DIMS, {x, axis}, {y}), "");
}

// A scalar may be computed that is only a value of elements, such as of FILL.
TEST(CpuSupportTest, takesScalarsThatAreValues) {
  Model model;
  uint32_t x = addInput(model, f32, {2, 2});
  uint32_t shape = addInput(model, OperandType::TENSOR_INT32, {2});
  uint32_t paddings = addInput(model, OperandType::TENSOR_INT32, {2, 2});
  uint32_t value = addInput(model, OperandType::FLOAT32, {});
  uint32_t y = addOutput(model, f32, {0, 0});
  EXPECT_EQ(why(model, OperationType::FILL, {shape, value}, {y}), "");
  EXPECT_EQ(why(model, OperationType::PAD_V2, {x, paddings, value}, {y}), "");
  // An operation that decides by the scalar needs a constant.
  EXPECT_EQ(why(model, OperationType::LOG_SOFTMAX, {x, value, value}, {y}),
            "LOG_SOFTMAX: input 1 is not a constant but a SUBGRAPH_INPUT");
}

TEST(CpuSupportTest, namesOutputOfUnknownRank) {
  Model model;
  uint32_t x = addInput(model, f32, {2, 2});
  uint32_t shape = addInput(model, OperandType::TENSOR_INT32, {0});
  uint32_t y = addOutput(model, f32, {});
  EXPECT_EQ(why(model, OperationType::RESHAPE, {x, shape}, {y}),
            "RESHAPE: output 0 has unknown rank");
  // A rank that follows from the inputs need not be stated.
  EXPECT_EQ(why(model, OperationType::ABS, {x}, {y}), "");
}

// C-032: what nobody reads has to be passed all the same.
TEST(CpuSupportTest, looksAtEveryInputAndOutput) {
  Model model;
  auto input = [&](OperandType type, std::vector<uint32_t> dimensions) {
    model.main.inputIndexes = {addInput(model, type, std::move(dimensions))};
    return checkCpuInterface(model).message();
  };
  EXPECT_EQ(input(f32, {4, 0}), "");
  EXPECT_EQ(input(OperandType::FLOAT32, {}), "");
  EXPECT_EQ(input(f32, {}), "");
  model.main.inputIndexes.clear();
  model.main.outputIndexes = {
      addOutput(model, OperandType::TENSOR_OEM_BYTE, {4})};
  EXPECT_EQ(checkCpuInterface(model).message(),
            "output 0 of the model is TENSOR_OEM_BYTE, which is not compiled "
            "for CPUs");
}
