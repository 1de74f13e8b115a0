//===- TFLiteConstantsTest.cpp - Constants, inputs, outputs and states ----===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ImportTesting.h"

#include "Faults/Allocations.h"

#include <cmath>
#include <functional>

namespace nnhal::rt {
namespace {

using schema::Activation;

TEST(TFLiteConstantsTest, plainConstantsStayInTheFile) {
  TFLiteWriter file;
  int32_t input = file.tensor({{2}});
  int32_t weights = file.constant<float>({{2}}, {1.0f, 2.0f}),
          output = file.tensor({{}});
  file.add(Code::MUL, {input, weights}, {output});
  AnnotatedModel model = importBytes(file.finish({input}, {output}));
  ASSERT_EQ(model.model.pools.size(), 1u);
  EXPECT_EQ(model.model.pools[0].name, "mmap_fd");
  uint32_t constant = model.model.main.operations.at(0).inputs[1];
  EXPECT_EQ(model.model.main.operands[constant].lifetime,
            OperandLifeTime::CONSTANT_REFERENCE);
  EXPECT_EQ(valuesOf<float>(model, constant), (std::vector<float>{1.0f, 2.0f}));
}

TEST(TFLiteConstantsTest, float16IsFolded) {
  TFLiteWriter file;
  int32_t input = file.tensor({{4}});
  int32_t half = file.constant<uint16_t>({{4}, Type::FLOAT16},
                                         {0x3C00, 0xC100, 0x0001, 0x7C00});
  int32_t single = file.tensor({{4}}), output = file.tensor({{}});
  file.add(Code::DEQUANTIZE, {half}, {single});
  file.add(Code::ADD, {input, single}, {output});
  AnnotatedModel model = importBytes(file.finish({input}, {output}));
  ASSERT_EQ(toText(model), "ADD(i4, c4, 0) -> o4\n");
  EXPECT_EQ(valuesOf<float>(model, model.model.main.operations[0].inputs[1]),
            (std::vector<float>{1.0f, -2.5f, 0x1p-24f, INFINITY}));
  EXPECT_TRUE(model.model.pools.at(1).isSynthetic);
}

TEST(TFLiteConstantsTest, computedFloat16IsCast) {
  TFLiteWriter file;
  int32_t input = file.tensor({{4}, Type::FLOAT16}), output = file.tensor({{}});
  file.add(Code::DEQUANTIZE, {input}, {output});
  EXPECT_EQ(toText(importBytes(file.finish({input}, {output}))),
            "CAST(i4) -> o4\n");
}

// The bits of BFLOAT16 are the upper half of those of FLOAT32.
TEST(TFLiteConstantsTest, bfloat16IsFloat32) {
  for (Code code : {Code::DEQUANTIZE, Code::CAST}) {
    TFLiteWriter file;
    int32_t input = file.tensor({{4}});
    int32_t half = file.constant<uint16_t>({{4}, Type::BFLOAT16},
                                           {0x3F80, 0xC020, 0x0001, 0x7F80});
    int32_t single = file.tensor({{4}}), output = file.tensor({{}});
    file.add(code, {half}, {single});
    file.add(Code::ADD, {input, single}, {output});
    AnnotatedModel model = importBytes(file.finish({input}, {output}));
    ASSERT_EQ(toText(model), "ADD(i4, c4, 0) -> o4\n");
    EXPECT_EQ(valuesOf<float>(model, model.model.main.operations[0].inputs[1]),
              (std::vector<float>{1.0f, -2.5f, 0x1p-133f, INFINITY}));
  }
}

TEST(TFLiteConstantsTest, bfloat16IsCastToOtherTypes) {
  TFLiteWriter file;
  int32_t half =
      file.constant<uint16_t>({{2}, Type::BFLOAT16}, {0x3F80, 0x40A0});
  int32_t output = file.tensor({{2}, Type::INT32});
  file.add(Code::CAST, {half}, {output});
  EXPECT_EQ(toText(importBytes(file.finish({}, {output}))), "CAST(c2) -> o2\n");
}

TEST(TFLiteConstantsTest, onlyConstantsAreBfloat16) {
  TFLiteWriter file;
  int32_t input = file.tensor({{2}, Type::BFLOAT16}),
          output = file.tensor({{}});
  file.add(Code::DEQUANTIZE, {input}, {output});
  EXPECT_EQ(importError(file.finish({input}, {output})),
            "input 0: tensor 0 't0' has type BFLOAT16, which the HAL does not "
            "have");
  TFLiteWriter real;
  input = real.tensor({{2}}), output = real.tensor({{}});
  real.add(Code::DEQUANTIZE, {input}, {output});
  EXPECT_EQ(importError(real.finish({input}, {output})),
            "operator 0 (DEQUANTIZE): the HAL's DEQUANTIZE does not take input "
            "0 of type FLOAT32");
}

/// A FULLY_CONNECTED of signed bytes with weights of four bits, in \p packed.
std::vector<std::byte> int4File(const TensorSpec &weights,
                                const std::vector<uint8_t> &packed) {
  TFLiteWriter file;
  TensorSpec bytes = {{1, 3}, Type::INT8, {0.5f}, {3}};
  int32_t x = file.tensor(bytes), w = file.constant<uint8_t>(weights, packed);
  bytes.shape = {};
  int32_t y = file.tensor(bytes);
  file.add(Code::FULLY_CONNECTED, {x, w, -1}, {y});
  return file.finish({x}, {y});
}

// The lower half of a byte comes first; an odd number leaves a half unused.
TEST(TFLiteConstantsTest, fourBitsBecomeEight) {
  TensorSpec weights = {{3, 3}, Type::INT4, {0.25f}, {0}};
  const std::vector<uint8_t> packed = {0x21, 0xF7, 0x80, 0x3E, 0x0C};
  AnnotatedModel model = importBytes(int4File(weights, packed));
  const Operation &operation = model.model.main.operations.at(0);
  EXPECT_EQ(model.model.main.operands[operation.inputs[1]].type,
            OperandType::TENSOR_QUANT8_ASYMM_SIGNED);
  EXPECT_EQ(valuesOf<int8_t>(model, operation.inputs[1]),
            (std::vector<int8_t>{1, 2, 7, -1, 0, -8, -2, 3, -4}));
  // Each channel may have a scale.
  weights.scales = {0.25f, 0.5f, 1.0f};
  weights.zeroPoints = {0, 0, 0};
  model = importBytes(int4File(weights, packed));
  uint32_t index = model.model.main.operations.at(0).inputs[1];
  const Operand &channels = model.model.main.operands[index];
  EXPECT_EQ(channels.type, OperandType::TENSOR_QUANT8_SYMM_PER_CHANNEL);
  EXPECT_EQ(std::get<SymmPerChannelQuantParams>(channels.extraParams),
            (SymmPerChannelQuantParams{{0.25f, 0.5f, 1.0f}, 0}));
  EXPECT_EQ(valuesOf<int8_t>(model, index),
            (std::vector<int8_t>{1, 2, 7, -1, 0, -8, -2, 3, -4}));
}

/// The values of constants of \p type that DEQUANTIZE takes.
template <typename T>
std::vector<T> unpacked(const TensorSpec &spec,
                        const std::vector<uint8_t> &packed) {
  TFLiteWriter file;
  int32_t x = file.constant(spec, packed), y = file.tensor({spec.shape});
  file.add(Code::DEQUANTIZE, {x}, {y});
  AnnotatedModel model = importBytes(file.finish({}, {y}));
  return valuesOf<T>(model, model.model.main.operations.at(0).inputs[0]);
}

TEST(TFLiteConstantsTest, fewBitsBecomeEight) {
  EXPECT_EQ(unpacked<int8_t>({{5}, Type::INT2, {0.5f}, {0}}, {0b11100100, 3}),
            (std::vector<int8_t>{0, 1, -2, -1, -1}));
  EXPECT_EQ(unpacked<uint8_t>({{3}, Type::UINT4, {0.5f}, {8}}, {0xF1, 0x08}),
            (std::vector<uint8_t>{1, 15, 8}));
  EXPECT_EQ(importError(int4File({{3, 3}, Type::INT2, {0.25f}, {0}}, {1, 2})),
            "tensor 1 't1': has 2 bytes of data, but its shape 3x3 of INT2 "
            "needs 3");
}

TEST(TFLiteConstantsTest, fourBitsAreOfConstants) {
  TensorSpec weights = {{3, 3}, Type::INT4, {0.25f}, {0}};
  EXPECT_EQ(importError(int4File(weights, {0x21, 0xF7, 0x80, 0x3E})),
            "tensor 1 't1': has 4 bytes of data, but its shape 3x3 of INT4 "
            "needs 5");
  TFLiteWriter file;
  int32_t x = file.tensor({{4}, Type::INT4, {0.5f}, {0}}), y = file.tensor({});
  file.add(Code::DEQUANTIZE, {x}, {y});
  EXPECT_EQ(importError(file.finish({x}, {y})),
            "input 0: tensor 0 't0' has type INT4, which the HAL does not "
            "have");
}

TEST(TFLiteConstantsTest, wideIntegersMustFit) {
  TFLiteWriter file;
  int32_t input = file.tensor({{2}});
  int32_t shape =
      file.constant<int64_t>({{1}, Type::INT64}, {INT64_C(1) << 40});
  int32_t output = file.tensor({{}});
  file.add(Code::RESHAPE, {input, shape}, {output});
  EXPECT_EQ(importError(file.finish({input}, {output})),
            "operator 0 (RESHAPE): tensor 1 't1': value 1099511627776 at "
            "position 0 does not fit "
            "32 bits");
}

TEST(TFLiteConstantsTest, unknownDimensions) {
  auto file = [] {
    TFLiteWriter file;
    TensorSpec spec;
    spec.shape = {1, 3};
    spec.signature = {-1, 3};
    spec.name = "x";
    int32_t input = file.tensor(spec), output = file.tensor({{1, 3}});
    file.add(Code::EXP, {input}, {output});
    return file.finish({input}, {output});
  };
  EXPECT_EQ(toText(importBytes(file())), "EXP(i1x3) -> o1x3\n");
  EXPECT_EQ(toText(importBytes(file(), {{{"x", {4, 3}}}})),
            "EXP(i4x3) -> o4x3\n");
  EXPECT_EQ(toText(importBytes(file(), {{{"0", {4, 3}}}})),
            "EXP(i4x3) -> o4x3\n");
  EXPECT_EQ(importError(file(), {{{"x", {4}}}}),
            "input 0 'x' has rank 2, but the shape given for it has rank 1");
  EXPECT_EQ(importError(file(), {{{"x", {4, 5}}}}),
            "input 0 'x' has size 3 in dimension 1, but the shape given for it "
            "has 5");
  EXPECT_EQ(importError(file(), {{{"x", {0, 3}}}}),
            "input 0 'x': dimension 0 is 0, which is not in 1..2147483647");
  EXPECT_EQ(importError(file(), {{{"y", {4, 3}}}}),
            "a shape is given for input 'y', which the model does not have");
}

TEST(TFLiteConstantsTest, namesAndOrderAreTheFiles) {
  TFLiteWriter file;
  int32_t a = file.tensor({.shape = {2}, .name = "a"}),
          b = file.tensor({.shape = {2}, .name = "b"});
  int32_t y = file.tensor({.shape = {2}, .name = "y"}),
          z = file.tensor({.shape = {2}, .name = "z"});
  file.add(Code::SUB, {a, b}, {y});
  file.add(Code::EXP, {y}, {z});
  AnnotatedModel model = importBytes(file.finish({b, a}, {z, y}));
  EXPECT_EQ(model.inputNames, (std::vector<std::string>{"b", "a"}));
  EXPECT_EQ(model.outputNames, (std::vector<std::string>{"z", "y"}));
}

// B-038, B-054: the HAL has one role for each operand.
TEST(TFLiteConstantsTest, outputsThatNoOperationWritesAreCopied) {
  TFLiteWriter file;
  int32_t x = file.tensor({{2}}), flag = file.tensor({{2}, Type::BOOL}),
          y = file.tensor({{}});
  int32_t constant = file.floats({3});
  file.add(Code::EXP, {x}, {y});
  EXPECT_EQ(
      toText(importBytes(file.finish({x, flag}, {x, y, y, constant, flag}))),
      "EXP(i2) -> o2\nRESHAPE(i2, {2}) -> o2\nRESHAPE(o2, {2}) -> o2\n"
      "RESHAPE(c3, {3}) -> o3\nCAST(i2) -> o2\n");
}

TEST(TFLiteConstantsTest, svdfStateBecomesAPair) {
  TFLiteWriter file;
  int32_t input = file.tensor({{1, 3}}), features = file.floats({4, 3}),
          times = file.floats({4, 5});
  int32_t state =
      file.tensor({.shape = {1, 20}, .isVariable = true, .name = "state"});
  int32_t output = file.tensor({{}});
  file.add(Code::SVDF, {input, features, times, -1, state}, {output},
           schema::CreateSVDFOptions(file.builder, 2, Activation::RELU));
  AnnotatedModel model = importBytes(file.finish({input}, {output}));
  EXPECT_EQ(toText(model),
            "SVDF(i1x3, c4x3, c4x5, -, i1x20, 2, 1) -> o1x20, o1x2\n");
  EXPECT_EQ(model.statePairs, (std::vector<StatePair>{{1, 1}}));
  EXPECT_EQ(model.inputNames[1], "state");
  EXPECT_EQ(model.outputNames[1], "state");
}

TEST(TFLiteConstantsTest, rnnStates) {
  TFLiteWriter file;
  int32_t input = file.tensor({{2, 3}}), w = file.floats({4, 3}),
          r = file.floats({4, 4});
  int32_t bias = file.floats({4}),
          state = file.tensor({.shape = {1, 4}, .isVariable = true});
  int32_t output = file.tensor({{}});
  file.add(Code::RNN, {input, w, r, bias, state}, {output},
           schema::CreateRNNOptions(file.builder, Activation::TANH));
  // The state follows the batch of the input.
  EXPECT_EQ(toText(importBytes(file.finish({input}, {output}))),
            "RNN(i2x3, c4x3, c4x4, c4, i2x4, 4) -> o2x4, o2x4\n");
}

/// An LSTM operator with coupled input gate and no projection.
std::vector<std::byte> lstmFile(Code code, bool hasLayerNorm) {
  TFLiteWriter file;
  bool isSequence = code == Code::UNIDIRECTIONAL_SEQUENCE_LSTM;
  int32_t input = file.tensor({isSequence ? std::vector<int32_t>{1, 5, 3}
                                          : std::vector<int32_t>{1, 3}});
  std::vector<int32_t> inputs = {input, -1};
  for (int i = 0; i < 3; ++i)
    inputs.push_back(file.floats({4, 3}));
  inputs.push_back(-1);
  for (int i = 0; i < 3; ++i)
    inputs.push_back(file.floats({4, 4}));
  inputs.insert(inputs.end(), {-1, -1, -1, -1});
  for (int i = 0; i < 3; ++i)
    inputs.push_back(file.floats({4}));
  inputs.insert(inputs.end(), {-1, -1});
  inputs.push_back(file.tensor({.shape = {1, 4}, .isVariable = true}));
  inputs.push_back(file.tensor({.shape = {1, 4}, .isVariable = true}));
  if (hasLayerNorm) {
    inputs.push_back(-1);
    for (int i = 0; i < 3; ++i)
      inputs.push_back(file.floats({4}));
  }
  int32_t output = file.tensor({{}});
  if (isSequence)
    file.add(code, inputs, {output},
             schema::CreateUnidirectionalSequenceLSTMOptions(
                 file.builder, Activation::TANH, 10.0f));
  else
    file.add(
        code, inputs, {output},
        schema::CreateLSTMOptions(file.builder, Activation::TANH, 10.0f, 2.0f));
  return file.finish({input}, {output});
}

TEST(TFLiteConstantsTest, lstmStates) {
  EXPECT_EQ(toText(importBytes(lstmFile(Code::LSTM, false))),
            "LSTM(i1x3, -, c4x3, c4x3, c4x3, -, c4x4, c4x4, c4x4, -, -, -, -, "
            "c4, c4, c4, -, -, "
            "i1x4, i1x4, 4, 10f, 2f) -> t1x12, o1x4, o1x4, o1x4\n");
  EXPECT_EQ(
      toText(importBytes(lstmFile(Code::LSTM, true))),
      "LSTM(i1x3, -, c4x3, c4x3, c4x3, -, c4x4, c4x4, c4x4, -, -, -, -, c4, "
      "c4, c4, -, -, "
      "i1x4, i1x4, 4, 10f, 2f, -, c4, c4, c4) -> t1x12, o1x4, o1x4, o1x4\n");
  AnnotatedModel model =
      importBytes(lstmFile(Code::UNIDIRECTIONAL_SEQUENCE_LSTM, false));
  EXPECT_EQ(toText(model), "UNIDIRECTIONAL_SEQUENCE_LSTM(i1x5x3, -, c4x3, "
                           "c4x3, c4x3, -, c4x4, c4x4, c4x4, -, -, "
                           "-, -, c4, c4, c4, -, -, i1x4, i1x4, 4, 10f, 0f, "
                           "false, -, -, -, -) -> o1x5x4, o1x4, "
                           "o1x4\n");
  EXPECT_EQ(model.statePairs, (std::vector<StatePair>{{1, 1}, {2, 2}}));
}

} // namespace
TEST(TFLiteConstantsTest, needMemory) {
  if (!AllocationFailure::isPossible())
    GTEST_SKIP() << "allocations are those of a sanitizer";
  const std::vector<std::byte> bytes = writeSmallCnn();
  Memory file = Memory::borrow(bytes);
  EXPECT_EQ(failuresWithoutMemory([&] { return importTFLite(file).status(); }),
            std::set<std::string>{
                "RESOURCE_EXHAUSTED_TRANSIENT: out of memory while importing " +
                std::to_string(bytes.size()) + " bytes"});
}

} // namespace nnhal::rt
