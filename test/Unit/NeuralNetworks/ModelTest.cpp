//===- ModelTest.cpp - Models as C clients build them ---------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestModels.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

using namespace client;

namespace {

int add(const Model &model, const ANeuralNetworksOperandType &type) {
  return ANeuralNetworksModel_addOperand(model.get(), &type);
}

int set(const Model &model, int32_t index, const void *data, size_t length) {
  return ANeuralNetworksModel_setOperandValue(model.get(), index, data, length);
}

// J-031, J-032, J-078: null is refused, and any model can be freed.
TEST(NeuralNetworksModel, IsCreatedAndFreed) {
  EXPECT_EQ(ANeuralNetworksModel_create(nullptr),
            ANEURALNETWORKS_UNEXPECTED_NULL);
  ANeuralNetworksModel_free(nullptr);
  ANeuralNetworksModel *model = nullptr;
  ASSERT_EQ(ANeuralNetworksModel_create(&model), ANEURALNETWORKS_NO_ERROR);
  ANeuralNetworksModel_free(model);
}

// J-034, J-080, A-028, A-029: an operand type that is not valid is refused, and
// the next operand has the index of the one that failed.
TEST(NeuralNetworksModel, RefusesOperandsAndStaysAsItWas) {
  Model model;
  OperandType tensor(Type::TENSOR_FLOAT32, {2});
  EXPECT_EQ(ANeuralNetworksModel_addOperand(nullptr, &tensor.operandType),
            ANEURALNETWORKS_UNEXPECTED_NULL);
  EXPECT_EQ(ANeuralNetworksModel_addOperand(model.get(), nullptr),
            ANEURALNETWORKS_UNEXPECTED_NULL);
  const uint32_t two[] = {2};
  // A scalar with dimensions, a count without and a pointer without a count.
  EXPECT_EQ(add(model, {ANEURALNETWORKS_INT32, 1, two, 0, 0}),
            ANEURALNETWORKS_BAD_DATA);
  EXPECT_EQ(add(model, {ANEURALNETWORKS_TENSOR_FLOAT32, 1, nullptr, 0, 0}),
            ANEURALNETWORKS_BAD_DATA);
  EXPECT_EQ(add(model, {ANEURALNETWORKS_TENSOR_FLOAT32, 0, two, 0, 0}),
            ANEURALNETWORKS_BAD_DATA);
  EXPECT_EQ(add(model, {ANEURALNETWORKS_INT32, 0, two, 0, 0}),
            ANEURALNETWORKS_BAD_DATA);
  for (int32_t type : {16, 9999, 10002, -1, 0x7FFF0000})
    EXPECT_EQ(add(model, {type, 1, two, 0, 0}), ANEURALNETWORKS_BAD_DATA);
  // Operand 0 is the first one that is valid.
  EXPECT_EQ(add(model, tensor.operandType), ANEURALNETWORKS_NO_ERROR);
  float values[] = {1, 2};
  EXPECT_EQ(set(model, 0, values, sizeof(values)), ANEURALNETWORKS_NO_ERROR);
  EXPECT_EQ(set(model, 1, values, sizeof(values)), ANEURALNETWORKS_BAD_DATA);
  // A tensor of open rank is valid.
  EXPECT_EQ(add(model, {ANEURALNETWORKS_TENSOR_FLOAT32, 0, nullptr, 0, 0}),
            ANEURALNETWORKS_NO_ERROR);
}

// known extents whose product exceeds 32 bits.
TEST(NeuralNetworksModel, RefusesOperandsThatAreTooLarge) {
  Model model;
  OperandType large(Type::TENSOR_FLOAT32, {0x10000, 0x10000});
  OperandType open(Type::TENSOR_FLOAT32, {0, 0x80000000, 4});
  OperandType bytes(Type::TENSOR_BOOL8, {0xFFFFFFFF});
  EXPECT_EQ(add(model, large.operandType), ANEURALNETWORKS_BAD_DATA);
  EXPECT_EQ(add(model, open.operandType), ANEURALNETWORKS_BAD_DATA);
  EXPECT_EQ(add(model, bytes.operandType), ANEURALNETWORKS_NO_ERROR);
}

// J-116, A-034 to A-042: scales and zero points of types.
TEST(NeuralNetworksModel, ChecksQuantization) {
  struct Case {
    Type type;
    float scale;
    int32_t zeroPoint;
    bool isValid;
  };
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const float infinity = std::numeric_limits<float>::infinity();
  const Case cases[] = {
      {Type::TENSOR_FLOAT32, 0, 0, true},
      {Type::TENSOR_FLOAT32, 1, 0, false},
      {Type::TENSOR_FLOAT16, 0, 1, false},
      {Type::TENSOR_BOOL8, 1, 0, false},
      {Type::TENSOR_INT32, 0.5f, 0, true},
      {Type::TENSOR_INT32, 0, 1, false},
      {Type::TENSOR_QUANT8_ASYMM, 0.5f, 255, true},
      {Type::TENSOR_QUANT8_ASYMM, 0, 0, false},
      {Type::TENSOR_QUANT8_ASYMM, -1, 0, false},
      {Type::TENSOR_QUANT8_ASYMM, nan, 0, false},
      {Type::TENSOR_QUANT8_ASYMM, infinity, 0, false},
      {Type::TENSOR_QUANT8_ASYMM, -infinity, 0, false},
      {Type::TENSOR_QUANT8_ASYMM, 0.5f, 256, false},
      {Type::TENSOR_QUANT8_ASYMM, 0.5f, -1, false},
      {Type::TENSOR_QUANT8_ASYMM_SIGNED, 0.5f, -128, true},
      {Type::TENSOR_QUANT8_ASYMM_SIGNED, 0.5f, 128, false},
      {Type::TENSOR_QUANT8_SYMM, 0.5f, 1, false},
      {Type::TENSOR_QUANT16_SYMM, nan, 0, false},
      {Type::TENSOR_QUANT16_ASYMM, 0.5f, 65535, true},
      {Type::TENSOR_QUANT16_ASYMM, 0.5f, 65536, false},
      {Type::TENSOR_QUANT8_SYMM_PER_CHANNEL, 0, 0, true},
      {Type::TENSOR_QUANT8_SYMM_PER_CHANNEL, 0.5f, 0, false},
  };
  Model model;
  for (const Case &each : cases) {
    OperandType type(each.type, {2}, each.scale, each.zeroPoint);
    EXPECT_EQ(add(model, type.operandType) == ANEURALNETWORKS_NO_ERROR,
              each.isValid)
        << int(each.type) << " " << each.scale << " " << each.zeroPoint;
  }
}

// J-035, B-114 to B-117, A-076: values of constants.
TEST(NeuralNetworksModel, ChecksValues) {
  Model model;
  OperandType two(Type::TENSOR_FLOAT32, {2});
  OperandType open(Type::TENSOR_FLOAT32, {0});
  uint32_t tensor = model.addOperand(two);
  uint32_t partial = model.addOperand(open);
  float values[2] = {};
  EXPECT_EQ(ANeuralNetworksModel_setOperandValue(nullptr, 0, values, 8),
            ANEURALNETWORKS_UNEXPECTED_NULL);
  EXPECT_EQ(set(model, 0, nullptr, 8), ANEURALNETWORKS_UNEXPECTED_NULL);
  EXPECT_EQ(set(model, -1, values, 8), ANEURALNETWORKS_BAD_DATA);
  EXPECT_EQ(set(model, 2, values, 8), ANEURALNETWORKS_BAD_DATA);
  EXPECT_EQ(set(model, int32_t(tensor), values, 4), ANEURALNETWORKS_BAD_DATA);
  EXPECT_EQ(set(model, int32_t(tensor), values, size_t(1) << 32 | 8),
            ANEURALNETWORKS_BAD_DATA);
  EXPECT_EQ(set(model, int32_t(partial), values, 8), ANEURALNETWORKS_BAD_DATA);
  EXPECT_EQ(set(model, int32_t(tensor), nullptr, 0), ANEURALNETWORKS_NO_ERROR);
  EXPECT_EQ(set(model, int32_t(tensor), values, 8), ANEURALNETWORKS_NO_ERROR);
  // An OEM scalar has any length.
  ANeuralNetworksOperandType oem = {10000, 0, nullptr, 0, 0};
  ASSERT_EQ(add(model, oem), ANEURALNETWORKS_NO_ERROR);
  EXPECT_EQ(set(model, 2, values, 3), ANEURALNETWORKS_NO_ERROR);
}

// J-017, B-122: scales of channels.
TEST(NeuralNetworksModel, ChecksScalesOfChannels) {
  Model model;
  OperandType filter(Type::TENSOR_QUANT8_SYMM_PER_CHANNEL, {2, 3});
  OperandType other(Type::TENSOR_FLOAT32, {2, 3});
  model.addOperand(filter);
  model.addOperand(other);
  const float scales[] = {1, 2, 3};
  auto channels = [&](ANeuralNetworksModel *target, int32_t index,
                      ANeuralNetworksSymmPerChannelQuantParams params) {
    return ANeuralNetworksModel_setOperandSymmPerChannelQuantParams(
        target, index, &params);
  };
  EXPECT_EQ(channels(nullptr, 0, {1, 3, scales}),
            ANEURALNETWORKS_UNEXPECTED_NULL);
  EXPECT_EQ(ANeuralNetworksModel_setOperandSymmPerChannelQuantParams(
                model.get(), 0, nullptr),
            ANEURALNETWORKS_UNEXPECTED_NULL);
  EXPECT_EQ(channels(model.get(), 2, {1, 3, scales}), ANEURALNETWORKS_BAD_DATA);
  EXPECT_EQ(channels(model.get(), 1, {1, 3, scales}), ANEURALNETWORKS_BAD_DATA);
  EXPECT_EQ(channels(model.get(), 0, {2, 3, scales}), ANEURALNETWORKS_BAD_DATA);
  EXPECT_EQ(channels(model.get(), 0, {1, 2, scales}), ANEURALNETWORKS_BAD_DATA);
  for (float scale : {0.0f, -1.0f, std::numeric_limits<float>::quiet_NaN(),
                      std::numeric_limits<float>::infinity(),
                      -std::numeric_limits<float>::infinity()}) {
    const float wrong[] = {1, scale, 3};
    EXPECT_EQ(channels(model.get(), 0, {1, 3, wrong}), ANEURALNETWORKS_BAD_DATA)
        << scale;
  }
  EXPECT_EQ(channels(model.get(), 0, {1, 3, nullptr}),
            ANEURALNETWORKS_BAD_DATA);
  EXPECT_EQ(channels(model.get(), 0, {1, 3, scales}), ANEURALNETWORKS_NO_ERROR);
}

// J-038, B-105 to B-107: operations.
TEST(NeuralNetworksModel, ChecksOperations) {
  Model model;
  OperandType tensor(Type::TENSOR_FLOAT32, {2});
  for (int i = 0; i < 3; ++i)
    model.addOperand(tensor);
  uint32_t activation = model.addScalar(Type::INT32, int32_t(0));
  const uint32_t inputs[] = {0, 1, activation};
  const uint32_t tooFar[] = {0, 9, activation};
  const uint32_t outputs[] = {2};
  auto operation = [&](int32_t type, uint32_t inputCount,
                       const uint32_t *from) {
    return ANeuralNetworksModel_addOperation(model.get(), type, inputCount,
                                             from, 1, outputs);
  };
  EXPECT_EQ(ANeuralNetworksModel_addOperation(nullptr, ANEURALNETWORKS_ADD, 3,
                                              inputs, 1, outputs),
            ANEURALNETWORKS_UNEXPECTED_NULL);
  EXPECT_EQ(operation(ANEURALNETWORKS_ADD, 3, nullptr),
            ANEURALNETWORKS_UNEXPECTED_NULL);
  EXPECT_EQ(ANeuralNetworksModel_addOperation(model.get(), ANEURALNETWORKS_ADD,
                                              3, inputs, 1, nullptr),
            ANEURALNETWORKS_UNEXPECTED_NULL);
  for (int32_t type : {102, 9999, 10001, -1, 0x7FFD0000})
    EXPECT_EQ(operation(type, 3, inputs), ANEURALNETWORKS_BAD_DATA) << type;
  EXPECT_EQ(operation(ANEURALNETWORKS_ADD, 3, tooFar),
            ANEURALNETWORKS_BAD_DATA);
  EXPECT_EQ(operation(ANEURALNETWORKS_ADD, 2, inputs),
            ANEURALNETWORKS_BAD_DATA);
  EXPECT_EQ(operation(ANEURALNETWORKS_ADD, 3, inputs),
            ANEURALNETWORKS_NO_ERROR);
}

// J-039, B-123, B-124: the arguments of executions.
TEST(NeuralNetworksModel, ChecksInputsAndOutputs) {
  Model model;
  OperandType tensor(Type::TENSOR_FLOAT32, {2});
  for (int i = 0; i < 3; ++i)
    model.addOperand(tensor);
  uint32_t constant = model.addScalar(Type::INT32, int32_t(0));
  const uint32_t inputs[] = {0, 1}, outputs[] = {2}, twice[] = {0, 0};
  const uint32_t withConstant[] = {0, constant}, tooFar[] = {0, 9};
  const uint32_t crossed[] = {0};
  auto identify = [&](const uint32_t *from, const uint32_t *to) {
    return ANeuralNetworksModel_identifyInputsAndOutputs(model.get(), 2, from,
                                                         1, to);
  };
  EXPECT_EQ(ANeuralNetworksModel_identifyInputsAndOutputs(nullptr, 2, inputs, 1,
                                                          outputs),
            ANEURALNETWORKS_UNEXPECTED_NULL);
  EXPECT_EQ(identify(nullptr, outputs), ANEURALNETWORKS_UNEXPECTED_NULL);
  EXPECT_EQ(identify(inputs, nullptr), ANEURALNETWORKS_UNEXPECTED_NULL);
  EXPECT_EQ(identify(twice, outputs), ANEURALNETWORKS_BAD_DATA);
  EXPECT_EQ(identify(withConstant, outputs), ANEURALNETWORKS_BAD_DATA);
  EXPECT_EQ(identify(tooFar, outputs), ANEURALNETWORKS_BAD_DATA);
  EXPECT_EQ(identify(inputs, crossed), ANEURALNETWORKS_BAD_DATA);
  EXPECT_EQ(identify(inputs, outputs), ANEURALNETWORKS_NO_ERROR);
  EXPECT_EQ(identify(inputs, outputs), ANEURALNETWORKS_BAD_DATA);
}

// J-033, J-070, J-040: nothing changes after finish.
TEST(NeuralNetworksModel, IsNotChangedAfterFinish) {
  EXPECT_EQ(ANeuralNetworksModel_finish(nullptr),
            ANEURALNETWORKS_UNEXPECTED_NULL);
  EXPECT_EQ(
      ANeuralNetworksModel_relaxComputationFloat32toFloat16(nullptr, true),
      ANEURALNETWORKS_UNEXPECTED_NULL);
  Model model;
  buildAdd(model);
  EXPECT_EQ(
      ANeuralNetworksModel_relaxComputationFloat32toFloat16(model.get(), true),
      ANEURALNETWORKS_NO_ERROR);
  ASSERT_EQ(model.finish(), Result::NO_ERROR);
  EXPECT_EQ(model.finish(), Result::BAD_STATE);
  OperandType tensor(Type::TENSOR_FLOAT32, {2});
  const uint32_t one[] = {0};
  const float scale = 1;
  ANeuralNetworksSymmPerChannelQuantParams params = {0, 1, &scale};
  EXPECT_EQ(add(model, tensor.operandType), ANEURALNETWORKS_BAD_STATE);
  EXPECT_EQ(set(model, 0, &scale, 4), ANEURALNETWORKS_BAD_STATE);
  EXPECT_EQ(ANeuralNetworksModel_addOperation(model.get(), 0, 1, one, 1, one),
            ANEURALNETWORKS_BAD_STATE);
  EXPECT_EQ(ANeuralNetworksModel_identifyInputsAndOutputs(model.get(), 1, one,
                                                          1, one),
            ANEURALNETWORKS_BAD_STATE);
  EXPECT_EQ(ANeuralNetworksModel_setOperandSymmPerChannelQuantParams(
                model.get(), 0, &params),
            ANEURALNETWORKS_BAD_STATE);
  EXPECT_EQ(
      ANeuralNetworksModel_relaxComputationFloat32toFloat16(model.get(), false),
      ANEURALNETWORKS_BAD_STATE);
  EXPECT_EQ(ANeuralNetworksModel_setOperandValueFromModel(model.get(), 0,
                                                          model.get()),
            ANEURALNETWORKS_BAD_STATE);
}

// J-071, B-108, B-125: a model whose finish failed is good for nothing.
TEST(NeuralNetworksModel, IsInvalidAfterAFailedFinish) {
  Model model;
  EXPECT_EQ(model.finish(), Result::BAD_DATA); // It is empty.
  OperandType tensor(Type::TENSOR_FLOAT32, {2});
  EXPECT_EQ(add(model, tensor.operandType), ANEURALNETWORKS_BAD_STATE);
  EXPECT_EQ(model.finish(), Result::BAD_STATE);
  Compilation compilation(model);
  EXPECT_EQ(compilation.creation(), Result::BAD_STATE);
  EXPECT_EQ(compilation.get(), nullptr);
}

// B-110, B-111: outputs that nobody writes, two writers, and cycles.
TEST(NeuralNetworksModel, RefusesGraphsThatCannotBeExecuted) {
  OperandType tensor(Type::TENSOR_FLOAT32, {2});
  {
    Model model;
    uint32_t input = model.addOperand(tensor);
    uint32_t output = model.addOperand(tensor);
    uint32_t nobody = model.addOperand(tensor);
    model.addOperation(ANEURALNETWORKS_FLOOR, {input}, {output});
    model.identifyInputsAndOutputs({input}, {output, nobody});
    EXPECT_EQ(model.finish(), Result::BAD_DATA);
  }
  {
    Model model;
    uint32_t input = model.addOperand(tensor);
    uint32_t output = model.addOperand(tensor);
    model.addOperation(ANEURALNETWORKS_FLOOR, {input}, {output});
    model.addOperation(ANEURALNETWORKS_RELU, {input}, {output});
    model.identifyInputsAndOutputs({input}, {output});
    EXPECT_EQ(model.finish(), Result::BAD_DATA);
  }
  {
    Model model;
    uint32_t input = model.addOperand(tensor);
    uint32_t one = model.addOperand(tensor);
    uint32_t two = model.addOperand(tensor);
    uint32_t output = model.addOperand(tensor);
    uint32_t none = model.addScalar(Type::INT32, int32_t(0));
    model.addOperation(ANEURALNETWORKS_FLOOR, {two}, {one});
    model.addOperation(ANEURALNETWORKS_FLOOR, {one}, {two});
    model.addOperation(ANEURALNETWORKS_ADD, {input, one, none}, {output});
    model.identifyInputsAndOutputs({input}, {output});
    EXPECT_EQ(model.finish(), Result::BAD_DATA);
    EXPECT_EQ(model.finish(), Result::BAD_STATE);
  }
}

/// Executes a model with an input and an output of \p count floats.
std::vector<float> execute(const Model &model, std::vector<float> input,
                           size_t count) {
  Compilation compilation(model, {reference()});
  EXPECT_EQ(compilation.finish(), Result::NO_ERROR);
  Execution execution(compilation);
  std::vector<float> output(count);
  EXPECT_EQ(execution.setInput(0, input.data(), input.size() * sizeof(float)),
            Result::NO_ERROR);
  EXPECT_EQ(execution.setOutput(0, output.data(), count * sizeof(float)),
            Result::NO_ERROR);
  EXPECT_EQ(execution.compute(), Result::NO_ERROR);
  return output;
}

// B-112, B-113: large values are referred to until finish, which copies them,
// and the last value of an operand counts.
TEST(NeuralNetworksModel, CopiesLargeValuesWhenItIsFinished) {
  constexpr uint32_t count = 64;
  Model model;
  OperandType tensor(Type::TENSOR_FLOAT32, {count});
  uint32_t input = model.addOperand(tensor);
  uint32_t constant = model.addOperand(tensor);
  uint32_t other = model.addOperand(tensor);
  uint32_t none = model.addScalar(Type::INT32, int32_t(7));
  model.setOperandValue(none, std::vector<int32_t>{0}.data(), 4);
  uint32_t between = model.addOperand(tensor);
  uint32_t output = model.addOperand(tensor);
  std::vector<float> wrong(count, 99), values(count, 1), more(count, 10);
  model.setOperandValue(constant, wrong.data(), count * sizeof(float));
  model.setOperandValue(constant, values.data(), count * sizeof(float));
  model.setOperandValue(other, more.data(), count * sizeof(float));
  model.addOperation(ANEURALNETWORKS_ADD, {input, constant, none}, {between});
  model.addOperation(ANEURALNETWORKS_ADD, {between, other, none}, {output});
  model.identifyInputsAndOutputs({input}, {output});
  ASSERT_TRUE(model.isValid());
  values.assign(count, 2);
  ASSERT_EQ(model.finish(), Result::NO_ERROR);
  values.assign(count, 1000);
  EXPECT_EQ(execute(model, std::vector<float>(count, 5), count),
            std::vector<float>(count, 17));
}

// B-128: a layout that is stated as the default is as if it was not there. The
// client sees no other number of operations.
TEST(NeuralNetworksModel, TakesDefaultsAway) {
  Model model;
  OperandType image(Type::TENSOR_FLOAT32, {1, 2, 2, 1});
  OperandType deep(Type::TENSOR_FLOAT32, {1, 1, 1, 4});
  uint32_t input = model.addOperand(image);
  uint32_t block = model.addScalar(Type::INT32, int32_t(2));
  uint32_t layout = model.addScalar(Type::BOOL, false);
  uint32_t output = model.addOperand(deep);
  model.addOperation(ANEURALNETWORKS_SPACE_TO_DEPTH, {input, block, layout},
                     {output});
  model.identifyInputsAndOutputs({input}, {output});
  ASSERT_TRUE(model.isValid());
  ASSERT_EQ(model.finish(), Result::NO_ERROR);
  std::vector<float> values = {1, 2, 3, 4};
  EXPECT_EQ(execute(model, values, 4), values);
}

/// A graph that computes \p type of one tensor of two floats.
void buildUnary(Model &model, int32_t type) {
  OperandType tensor(Type::TENSOR_FLOAT32, {2});
  uint32_t input = model.addOperand(tensor);
  uint32_t output = model.addOperand(tensor);
  model.addOperation(type, {input}, {output});
  model.identifyInputsAndOutputs({input}, {output});
}

// J-037, B-119 to B-121: references to other models.
TEST(NeuralNetworksModel, RefersToModels) {
  Model floor, relu, unfinished;
  buildUnary(floor, ANEURALNETWORKS_FLOOR);
  buildUnary(relu, ANEURALNETWORKS_RELU);
  ASSERT_EQ(floor.finish(), Result::NO_ERROR);
  ASSERT_EQ(relu.finish(), Result::NO_ERROR);
  Model model;
  OperandType tensor(Type::TENSOR_FLOAT32, {2});
  uint32_t condition = model.addOperand({Type::TENSOR_BOOL8, {1}});
  uint32_t thenModel = model.addOperand(Type::MODEL);
  uint32_t elseModel = model.addOperand(Type::MODEL);
  uint32_t input = model.addOperand(tensor);
  uint32_t output = model.addOperand(tensor);
  auto refer = [&](int32_t index, const Model &value) {
    return ANeuralNetworksModel_setOperandValueFromModel(model.get(), index,
                                                         value.get());
  };
  EXPECT_EQ(
      ANeuralNetworksModel_setOperandValueFromModel(nullptr, 1, floor.get()),
      ANEURALNETWORKS_UNEXPECTED_NULL);
  EXPECT_EQ(
      ANeuralNetworksModel_setOperandValueFromModel(model.get(), 1, nullptr),
      ANEURALNETWORKS_UNEXPECTED_NULL);
  EXPECT_EQ(refer(1, unfinished), ANEURALNETWORKS_BAD_STATE);
  EXPECT_EQ(refer(9, floor), ANEURALNETWORKS_BAD_DATA);
  const uint32_t inputs[] = {condition, thenModel, elseModel, input};
  // The graphs are there before the operation is.
  EXPECT_EQ(ANeuralNetworksModel_addOperation(model.get(), ANEURALNETWORKS_IF,
                                              4, inputs, 1, &output),
            ANEURALNETWORKS_BAD_DATA);
  ASSERT_EQ(refer(int32_t(thenModel), floor), ANEURALNETWORKS_NO_ERROR);
  ASSERT_EQ(refer(int32_t(elseModel), relu), ANEURALNETWORKS_NO_ERROR);
  model.addOperation(ANEURALNETWORKS_IF,
                     {condition, thenModel, elseModel, input}, {output});
  model.identifyInputsAndOutputs({condition, input}, {output});
  ASSERT_TRUE(model.isValid());
  ASSERT_EQ(model.finish(), Result::NO_ERROR);
  Compilation compilation(model, {reference()});
  ASSERT_EQ(compilation.finish(), Result::NO_ERROR);
  for (bool isThen : {true, false}) {
    Execution execution(compilation);
    uint8_t chosen = isThen;
    float values[2] = {1.5f, -1.5f}, result[2] = {};
    EXPECT_EQ(execution.setInput(0, &chosen, 1), Result::NO_ERROR);
    EXPECT_EQ(execution.setInput(1, values, 8), Result::NO_ERROR);
    EXPECT_EQ(execution.setOutput(0, result, 8), Result::NO_ERROR);
    EXPECT_EQ(execution.compute(), Result::NO_ERROR);
    EXPECT_EQ(result[0], isThen ? 1.0f : 1.5f);
    EXPECT_EQ(result[1], isThen ? -2.0f : 0.0f);
  }
}

// B-119: a reference of another type is found by finish.
TEST(NeuralNetworksModel, RefusesReferencesOfAnotherType) {
  Model floor;
  buildUnary(floor, ANEURALNETWORKS_FLOOR);
  ASSERT_EQ(floor.finish(), Result::NO_ERROR);
  Model model;
  buildUnary(model, ANEURALNETWORKS_FLOOR);
  uint32_t tensor = model.addOperand({Type::TENSOR_FLOAT32, {2}});
  model.setOperandValueFromModel(tensor, floor);
  EXPECT_TRUE(model.isValid());
  EXPECT_EQ(model.finish(), Result::BAD_DATA);
}

} // namespace
