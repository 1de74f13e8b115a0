//===- CpuSupportTest.cpp - The table of what the CPU takes ---------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "nnhal/Runtime/CpuSupport.h"

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
  return checkCpuSupport(model, model.main,
                         {type, std::move(inputs), std::move(outputs)})
      .message();
}

constexpr OperandType f32 = OperandType::TENSOR_FLOAT32;

} // namespace

TEST(CpuSupportTest, rowsAreKnownDistinctAndInCodeOrder) {
  auto table = cpuSupportTable();
  EXPECT_GE(table.size(), 70u);
  EXPECT_TRUE(std::ranges::is_sorted(table, std::ranges::less_equal(),
                                     &CpuSupportRow::type));
  for (const CpuSupportRow &row : table) {
    EXPECT_NE(lookUp(row.type), nullptr);
    EXPECT_NE(row.types, 0u) << nameOf(row.type);
  }
}

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

TEST(CpuSupportTest, namesOperationWithoutRow) {
  Model model;
  uint32_t x = addInput(model, f32, {4});
  EXPECT_EQ(why(model, OperationType::TOPK_V2, {x}, {x}),
            "TOPK_V2 is not compiled for CPUs");
}

TEST(CpuSupportTest, namesOperandOfOtherType) {
  Model model;
  uint32_t x = addInput(model, OperandType::TENSOR_QUANT8_ASYMM, {4});
  uint32_t i = addInput(model, OperandType::TENSOR_INT32, {4});
  uint32_t y = addOutput(model, f32, {4});
  EXPECT_EQ(why(model, OperationType::RELU, {x}, {y}),
            "RELU: input 0 of type TENSOR_QUANT8_ASYMM is not compiled for "
            "CPUs");
  EXPECT_EQ(why(model, OperationType::LESS, {y, y}, {i}),
            "LESS: output 0 of type TENSOR_INT32 is not compiled for CPUs");
  EXPECT_EQ(why(model, OperationType::SELECT, {y, y, y}, {y}),
            "SELECT: input 0 of type TENSOR_FLOAT32 is not compiled for CPUs");
}

TEST(CpuSupportTest, namesUnknownDimension) {
  Model model;
  uint32_t x = addInput(model, f32, {1, 0});
  uint32_t unranked = addInput(model, f32, {});
  uint32_t y = addOutput(model, f32, {1, 0});
  EXPECT_EQ(why(model, OperationType::RELU, {x}, {y}),
            "RELU: dimension 1 of input 0 is unknown");
  EXPECT_EQ(why(model, OperationType::RELU, {unranked}, {y}),
            "RELU: input 0 has unknown rank");
  // What the compiler infers may be unknown.
  EXPECT_EQ(why(model, OperationType::RELU, {y}, {y}), "");
}

TEST(CpuSupportTest, namesParameterThatIsNoConstant) {
  Model model;
  uint32_t x = addInput(model, f32, {2, 2});
  uint32_t shape = addInput(model, OperandType::TENSOR_INT32, {1});
  uint32_t y = addOutput(model, f32, {4});
  EXPECT_EQ(why(model, OperationType::RESHAPE, {x, shape}, {y}),
            "RESHAPE: input 1 is not a constant but a SUBGRAPH_INPUT");
  EXPECT_EQ(why(model, OperationType::CONCATENATION, {x, x, shape}, {y}),
            "CONCATENATION: input 2 is not a constant but a SUBGRAPH_INPUT");
}

TEST(CpuSupportTest, checksGatherIndices) {
  Model model;
  uint32_t x = addInput(model, f32, {2, 3});
  uint32_t partial = addInput(model, f32, {2, 3});
  model.main.operands[partial].lifetime = OperandLifeTime::TEMPORARY_VARIABLE;
  model.main.operands[partial].dimensions[1] = 0;
  uint32_t axis = addInt32(model, -1);
  uint32_t far = addInt32(model, 2);
  uint32_t good = addConstant(model, OperandType::TENSOR_INT32, {2}, {0, 2});
  uint32_t bad = addConstant(model, OperandType::TENSOR_INT32, {2}, {0, 3});
  uint32_t y = addOutput(model, f32, {2, 2});
  EXPECT_EQ(why(model, OperationType::GATHER, {x, axis, good}, {y}), "");
  EXPECT_EQ(why(model, OperationType::GATHER, {x, axis, bad}, {y}),
            "GATHER: index 3 is not in [0, 3)");
  EXPECT_EQ(why(model, OperationType::GATHER, {x, far, good}, {y}),
            "GATHER: axis 2 is not in [-2, 2)");
  EXPECT_EQ(why(model, OperationType::GATHER, {partial, axis, good}, {y}),
            "GATHER: the extent along axis -1 is unknown");
  EXPECT_EQ(why(model, OperationType::GATHER, {x, good, good}, {y}),
            "GATHER: the axis has 8 bytes, not 4");
}

TEST(CpuSupportTest, castsBooleansToThemselvesOnly) {
  Model model;
  uint32_t truth = addInput(model, OperandType::TENSOR_BOOL8, {4});
  uint32_t y = addOutput(model, f32, {4});
  EXPECT_EQ(why(model, OperationType::CAST, {truth}, {truth}), "");
  EXPECT_EQ(why(model, OperationType::CAST, {truth}, {y}),
            "CAST: TENSOR_BOOL8 cannot become TENSOR_FLOAT32");
}

// C-032: what nobody reads has to be passed all the same.
TEST(CpuSupportTest, looksAtEveryInputAndOutput) {
  Model model;
  auto input = [&](OperandType type, std::vector<uint32_t> dimensions) {
    model.main.inputIndexes = {addInput(model, type, std::move(dimensions))};
    return checkCpuInterface(model).message();
  };
  EXPECT_EQ(input(f32, {4}), "");
  EXPECT_EQ(input(OperandType::TENSOR_QUANT8_ASYMM, {4}),
            "input 0 of the model is TENSOR_QUANT8_ASYMM, which is not "
            "compiled for CPUs");
  EXPECT_EQ(input(OperandType::FLOAT32, {}),
            "input 0 of the model is FLOAT32, which is not compiled for CPUs");
  EXPECT_EQ(input(f32, {2, 0}), "input 0 of the model has the shape [2,0], "
                                "which is not fully known");
  model.main.inputIndexes.clear();
  model.main.outputIndexes = {
      addOutput(model, OperandType::TENSOR_QUANT16_SYMM, {4})};
  EXPECT_EQ(checkCpuInterface(model).message(),
            "output 0 of the model is TENSOR_QUANT16_SYMM, which is not "
            "compiled for CPUs");
}
