//===- TrailingDefaultsTest.cpp - Models as old versions state them -------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Runtime/Model/TrailingDefaults.h"

#include "TestModels.h"

#include <cstring>

using namespace nnhal::rt;
using namespace nnhal::rt::test;

namespace {

Operand scalar(Model &model, OperandType type, int32_t value) {
  uint32_t size = type == OperandType::BOOL ? 1 : 4;
  Operand result = zeros(model, type, {}, size);
  std::memcpy(model.operandValues.data() + result.location.offset, &value,
              size);
  return result;
}

struct Scalar {
  OperandType type;
  int32_t value;
};
constexpr OperandType i32 = OperandType::INT32;
constexpr OperandType boolean = OperandType::BOOL;

/// \p type with one tensor input and these scalars behind it.
Model modelOf(OperationType type, const std::vector<Scalar> &scalars) {
  Model model;
  model.main.operands = {input(OperandType::TENSOR_FLOAT32, {1, 2, 2, 1})};
  std::vector<uint32_t> inputs = {0};
  for (Scalar entry : scalars) {
    inputs.push_back(model.main.operands.size());
    model.main.operands.push_back(scalar(model, entry.type, entry.value));
  }
  uint32_t out = model.main.operands.size();
  model.main.operands.push_back(
      output(OperandType::TENSOR_FLOAT32, {1, 2, 2, 1}));
  model.main.operations = {{type, inputs, {out}}};
  model.main.inputIndexes = {0};
  model.main.outputIndexes = {out};
  computeConsumers(model.main);
  return model;
}

/// The number of inputs that stay.
size_t remaining(OperationType type, const std::vector<Scalar> &scalars) {
  Model model = modelOf(type, scalars);
  removeTrailingDefaults(model);
  EXPECT_EQ(validateStructure(model).message(), "");
  EXPECT_EQ(model.main.operands.size(),
            model.main.operations[0].inputs.size() + 1);
  return model.main.operations[0].inputs.size();
}

std::vector<Scalar> operator+(std::vector<Scalar> front,
                              const std::vector<Scalar> &back) {
  front.insert(front.end(), back.begin(), back.end());
  return front;
}

TEST(TrailingDefaultsTest, poolLayout) { // I-075
  std::vector<Scalar> implicit(6, {i32, 1}), explicitPads(9, {i32, 1});
  for (OperationType type :
       {OperationType::AVERAGE_POOL_2D, OperationType::L2_POOL_2D,
        OperationType::MAX_POOL_2D}) {
    EXPECT_EQ(remaining(type, implicit), 7u);
    EXPECT_EQ(remaining(type, implicit + std::vector<Scalar>{{boolean, 0}}),
              7u);
    EXPECT_EQ(remaining(type, implicit + std::vector<Scalar>{{boolean, 1}}),
              8u);
    EXPECT_EQ(remaining(type, explicitPads + std::vector<Scalar>{{boolean, 0}}),
              10u);
  }
}

TEST(TrailingDefaultsTest, convolutionTail) { // I-076, I-077, I-083
  struct {
    OperationType type;
    size_t implicit, explicitPads;
  } forms[] = {{OperationType::CONV_2D, 7, 10},
               {OperationType::DEPTHWISE_CONV_2D, 8, 11}};
  for (auto [type, implicit, explicitPads] : forms)
    for (size_t start : {implicit, explicitPads}) {
      std::vector<Scalar> front(start - 1, {i32, 2});
      auto with = [&](int32_t layout, int32_t width, int32_t height) {
        return remaining(type, front + std::vector<Scalar>{{boolean, layout},
                                                           {i32, width},
                                                           {i32, height}}) -
               start;
      };
      EXPECT_EQ(with(0, 1, 1), 0u);
      EXPECT_EQ(with(1, 1, 1), 1u);
      EXPECT_EQ(with(0, 2, 1), 3u);
      EXPECT_EQ(with(0, 1, 2), 3u);
      EXPECT_EQ(remaining(type, front + std::vector<Scalar>{{boolean, 0}}),
                start);
    }
}

TEST(TrailingDefaultsTest, otherTails) { // I-078 to I-080
  Scalar layout{boolean, 0}, axis{i32, -1}, any{i32, 5};
  EXPECT_EQ(remaining(OperationType::DEPTH_TO_SPACE, {any, layout}), 2u);
  EXPECT_EQ(remaining(OperationType::SPACE_TO_DEPTH, {any, layout}), 2u);
  EXPECT_EQ(remaining(OperationType::BATCH_TO_SPACE_ND, {any, layout}), 2u);
  EXPECT_EQ(remaining(OperationType::SPACE_TO_BATCH_ND, {any, any, layout}),
            3u);
  EXPECT_EQ(remaining(OperationType::L2_NORMALIZATION, {axis}), 1u);
  EXPECT_EQ(remaining(OperationType::LOCAL_RESPONSE_NORMALIZATION,
                      {any, any, any, any, axis}),
            5u);
  EXPECT_EQ(remaining(OperationType::SOFTMAX, {any, axis}), 2u);
  EXPECT_EQ(remaining(OperationType::SOFTMAX, {any, {i32, 3}}), 3u);
  EXPECT_EQ(remaining(OperationType::RESIZE_BILINEAR,
                      {any, any, layout, layout, layout}),
            3u);
  EXPECT_EQ(remaining(OperationType::RESIZE_BILINEAR,
                      {any, any, layout, {boolean, 1}, layout}),
            5u);
  EXPECT_EQ(remaining(OperationType::RESIZE_NEAREST_NEIGHBOR,
                      {any, any, layout, layout, layout}),
            4u);
  EXPECT_EQ(remaining(OperationType::ADD, {any, layout}), 3u);
}

TEST(TrailingDefaultsTest, onlyInlineConstants) { // I-081
  Model model =
      modelOf(OperationType::DEPTH_TO_SPACE, {{i32, 2}, {boolean, 0}});
  model.main.operands[2].lifetime = OperandLifeTime::SUBGRAPH_INPUT;
  model.main.operands[2].location = {};
  model.main.inputIndexes.push_back(2);
  Subgraph before = model.main;
  removeTrailingDefaults(model);
  EXPECT_EQ(model.main, before);
  // The default value, in a pool.
  model = modelOf(OperationType::DEPTH_TO_SPACE, {{i32, 2}, {boolean, 0}});
  model.pools.push_back(
      {"ashmem", Memory::adopt(std::vector<std::byte>(1)), {}, 0, false});
  model.main.operands[2].lifetime = OperandLifeTime::CONSTANT_REFERENCE;
  model.main.operands[2].location = {0, 0, 1};
  EXPECT_EQ(validateStructure(model).message(), "");
  before = model.main;
  removeTrailingDefaults(model);
  EXPECT_EQ(model.main, before);
}

TEST(TrailingDefaultsTest, sharedOperandStays) { // I-082
  Model model =
      modelOf(OperationType::DEPTH_TO_SPACE, {{i32, 2}, {boolean, 0}});
  model.main.operands.push_back(
      output(OperandType::TENSOR_FLOAT32, {1, 2, 2, 1}));
  model.main.operations.push_back(
      {OperationType::INSTANCE_NORMALIZATION, {0, 2}, {4}});
  model.main.outputIndexes.push_back(4);
  computeConsumers(model.main);
  removeTrailingDefaults(model);
  EXPECT_EQ(model.main.operands.size(), 5u);
  EXPECT_EQ(model.main.operands[2].numberOfConsumers, 1u);
  EXPECT_EQ(validateStructure(model).message(), "");
}

TEST(TrailingDefaultsTest, indicesOutOfRangeStay) {
  Model model =
      modelOf(OperationType::DEPTH_TO_SPACE, {{i32, 2}, {boolean, 0}});
  model.main.operations[0].inputs[0] = 99;
  Subgraph before = model.main;
  removeTrailingDefaults(model);
  EXPECT_EQ(model.main, before);
}

} // namespace
