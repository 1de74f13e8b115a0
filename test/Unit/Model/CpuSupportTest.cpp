//===- CpuSupportTest.cpp - What the compiler for CPUs takes --------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Runtime/Devices/Cpu/Support/CpuSupport.h"
#include "nnhal/Backend/GraphCopies.h"

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

/// Adds an IF of \p graph whose branches are the referenced graph \p callee.
void addIf(Subgraph &graph, uint32_t callee) {
  Operand branch = tensor(OperandType::SUBGRAPH, {}, OperandLifeTime::SUBGRAPH);
  branch.location.offset = callee;
  auto index = uint32_t(graph.operands.size());
  graph.operands.push_back(branch);
  graph.operations.push_back({OperationType::IF, {index, index}, {}});
}

/// A model of \p depth referenced graphs, of which each but the last is called
/// by the one before, as both branches or as one.
Model nestedModel(uint32_t depth, bool isTwice) {
  Model model;
  model.referenced.resize(depth);
  for (uint32_t i = 0; i + 1 < depth; ++i) {
    addIf(model.referenced[i], i + 1);
    if (!isTwice)
      model.referenced[i].operations.back().inputs.pop_back();
  }
  return model;
}

// C-030: a model that the compiler takes too many copies of graphs for is
// refused before it is compiled.
TEST(CpuSupportTest, countsCopiesOfGraphs) {
  Model model = nestedModel(12, /*isTwice=*/true);
  addIf(model.main, 0);
  // 1 + 2 + 4 + ... + 4096: one more is legal.
  GraphCopies copies(model);
  EXPECT_EQ(copies.add(model.main.operations[0]).message(), "");
  const char *refusal = "IF: graphs are executed at more than 8192 places, "
                        "each of which is compiled";
  EXPECT_EQ(copies.add(model.main.operations[0]).message(), refusal);
  // One that was refused does not count.
  addIf(model.main, 11);
  model.main.operations[1].inputs.pop_back();
  EXPECT_EQ(copies.add(model.main.operations[1]).message(), "");
  Model larger = nestedModel(13, /*isTwice=*/true);
  addIf(larger.main, 0);
  EXPECT_EQ(GraphCopies(larger).add(larger.main.operations[0]).message(),
            refusal);
  // Numbers that no integer holds.
  Model largest = nestedModel(100, /*isTwice=*/true);
  addIf(largest.main, 0);
  EXPECT_EQ(GraphCopies(largest).add(largest.main.operations[0]).message(),
            refusal);
}

TEST(CpuSupportTest, refusesGraphsThatNestTooDeeply) {
  for (uint32_t depth : {127, 128, 5000}) {
    Model model = nestedModel(depth, /*isTwice=*/false);
    addIf(model.main, 0);
    EXPECT_EQ(
        GraphCopies(model).add(model.main.operations[0]).message(),
        depth == 127
            ? ""
            : "IF: graphs nest more than 127 deep, which is not compiled");
  }
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
