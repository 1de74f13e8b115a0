//===- TFLiteRandomTest.cpp - Random operators ----------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RunTesting.h"
#include "StableHloTesting.h"

#include "Extensions/TFLite/TFLiteExtension.h"

namespace nnhal::rt {
namespace {

std::vector<Numbers> resultsOf(const std::vector<std::byte> &bytes,
                               const std::vector<Numbers> &inputs) {
  return runFile(bytes, inputs,
                 {{nnhal::tflite::createTFLiteExtension(), "test"}});
}

Options seeds(int64_t seed, int64_t seed2) {
  return options(
      [=](Builder &b) { return schema::CreateRandomOptions(b, seed, seed2); });
}

TestInput computed(const TensorSpec &spec) { return {spec, {}}; }

std::string errorOf(const std::vector<std::byte> &bytes) {
  std::string message = importError(bytes);
  size_t begin = message.find("): ");
  return begin == std::string::npos ? message : message.substr(begin + 3);
}

TEST(TFLiteRandomTest, seedsAreConstants) {
  std::vector<std::byte> file = operatorFile(
      Code::RANDOM_UNIFORM, {integersInput({2, 3})}, {{}}, seeds(7, -9));
  AnnotatedModel model = importBytes(file);
  EXPECT_EQ(toText(model),
            "tflite:RANDOM_UNIFORM({2 3}, c2:0, i2:3) -> o2x3, o2:3\n");
  const Operation &operation = model.model.main.operations[0];
  EXPECT_EQ(valuesOf<int64_t>(model, operation.inputs[1]),
            (std::vector<int64_t>{7, -9}));
  EXPECT_EQ(model.statePairs, (std::vector<StatePair>{{1, 0}}));
  EXPECT_EQ(model.inputNames, (std::vector<std::string>{"t1/state0"}));
}

TEST(TFLiteRandomTest, statesAdvance) {
  std::vector<std::byte> file = operatorFile(
      Code::RANDOM_UNIFORM, {integersInput({6})}, {{}}, seeds(7, 9));
  auto first = resultsOf(file, {});
  auto second = resultsOf(file, {first[1]});
  EXPECT_EQ(first[1], (Numbers{2, 0}));
  EXPECT_EQ(second[1], (Numbers{4, 0}));
  EXPECT_NE(first[0], second[0]);
  EXPECT_EQ(resultsOf(file, {})[0], first[0]);
  // Fourteen numbers begin with the first six, and have the second ones after
  // the two that were lost.
  auto all = resultsOf(operatorFile(Code::RANDOM_UNIFORM, {integersInput({14})},
                                    {{}}, seeds(7, 9)),
                       {});
  EXPECT_EQ(Numbers(all[0].begin(), all[0].begin() + 6), first[0]);
  EXPECT_EQ(Numbers(all[0].begin() + 8, all[0].end()), second[0]);
}

TEST(TFLiteRandomTest, classesAreThoseOfTensorFlow) {
  std::vector<std::byte> file = operatorFile(
      Code::MULTINOMIAL, {computed({{1, 2}}), integersInput({10}, {})},
      {{{}, Type::INT32}}, seeds(1234, 5678));
  const Numbers logits = {-1.2039728, -0.35667497};
  auto first = resultsOf(file, {logits});
  EXPECT_EQ(first[0], (Numbers{1, 0, 1, 0, 1, 1, 1, 1, 1, 1}));
  auto second = resultsOf(file, {logits, first[1]});
  EXPECT_EQ(second[0], (Numbers{1, 1, 1, 0, 1, 1, 0, 0, 0, 1}));
}

TEST(TFLiteRandomTest, classesOf64Bits) {
  std::vector<std::byte> file = operatorFile(
      Code::MULTINOMIAL, {computed({{1, 3}}), integersInput({15}, {})},
      {{{}, Type::INT64}}, seeds(5678, 1234));
  auto results = resultsOf(file, {{-1.609438, -1.2039728, -0.6931472}});
  EXPECT_EQ(results[0], (Numbers{1, 2, 1, 2, 1, 2, 2, 2, 2, 2, 1, 2, 2, 2, 2}));
}

TEST(TFLiteRandomTest, operatorsWithoutSeedsDiffer) {
  TFLiteWriter file;
  int32_t shape = file.integers({4});
  std::vector<int32_t> results;
  for (Code code : {Code::RANDOM_UNIFORM, Code::RANDOM_UNIFORM,
                    Code::RANDOM_STANDARD_NORMAL}) {
    results.push_back(file.tensor({{4}}));
    file.add(code, {shape}, {results.back()});
  }
  std::vector<std::byte> bytes = file.finish({}, results);
  auto values = resultsOf(bytes, {});
  EXPECT_NE(values[0], values[1]);
  EXPECT_EQ(resultsOf(bytes, {}), values);
  AnnotatedModel model = importBytes(bytes);
  for (int64_t index : {0, 1, 2})
    EXPECT_EQ(valuesOf<int64_t>(
                  model, model.model.main.operations[size_t(index)].inputs[1]),
              (std::vector<int64_t>{0, index + 1}));
}

TEST(TFLiteRandomTest, shapesMayBeComputed) {
  EXPECT_EQ(toText(importBytes(operatorFile(Code::RANDOM_STANDARD_NORMAL,
                                            {computed({{2}, Type::INT32})},
                                            {{{3, -1}}}, seeds(1, 2)))),
            "tflite:RANDOM_STANDARD_NORMAL(i2, c2:0, i2:3) -> o3x0, o2:3\n");
  EXPECT_EQ(
      toText(importBytes(operatorFile(
          Code::MULTINOMIAL, {computed({{2, 5}}), computed({{}, Type::INT32})},
          {{{2, 3}, Type::INT64}}, seeds(1, 2)))),
      "tflite:MULTINOMIAL(i2x5, i1, c2:0, i2:3) -> o2x3:0, o2:3\n");
}

OperatorExtras bitsBy(schema::RngAlgorithm algorithm) {
  return options2([=](Builder &b) {
    return schema::CreateStablehloRngBitGeneratorOptions(b, algorithm);
  });
}

std::vector<std::byte> bitsFile(schema::RngAlgorithm algorithm, int32_t size,
                                const TensorSpec &output) {
  return operatorFile(Code::STABLEHLO_RNG_BIT_GENERATOR,
                      {computed({{size}, Type::UINT64})},
                      {{{size}, Type::UINT64}, output}, {}, bitsBy(algorithm));
}

TEST(TFLiteRandomTest, bitsAreThoseOfTensorFlow) {
  const TensorSpec words = {{2, 3}, Type::INT32};
  auto philox =
      resultsOf(bitsFile(schema::RngAlgorithm::DEFAULT, 3, words), {{1, 2, 3}});
  EXPECT_EQ(philox[0], (Numbers{1, 4, 3}));
  EXPECT_EQ(philox[1], (Numbers{-263854262, 1366700262, 495645701, -1243243882,
                                89414891, 1917262711}));
  auto threefry =
      resultsOf(bitsFile(schema::RngAlgorithm::THREEFRY, 2, words), {{1, 2}});
  EXPECT_EQ(threefry[0], (Numbers{1, 5}));
  EXPECT_EQ(threefry[1], (Numbers{43444564, -2144348869, -315321645, -549236733,
                                  1672743891, -54463903}));
}

TEST(TFLiteRandomTest, errors) {
  EXPECT_EQ(halImportError(
                operatorFile(Code::RANDOM_UNIFORM, {integersInput({2})}, {{}})),
            "operator 0 (RANDOM_UNIFORM): the HAL has no such operation, and "
            "no composition is known; the extension nnhal.tflite takes it");
  EXPECT_EQ(errorOf(operatorFile(Code::MULTINOMIAL,
                                 {computed({{5}}), integersInput({1}, {})},
                                 {{{}, Type::INT32}})),
            "input 0 has shape 5, expected rank 2");
  EXPECT_EQ(errorOf(operatorFile(Code::RANDOM_UNIFORM,
                                 {computed({{2}, Type::FLOAT32})}, {{}})),
            "nnhal.tflite's RANDOM_UNIFORM does not take input 0 of type "
            "FLOAT32");
  EXPECT_EQ(errorOf(bitsFile(schema::RngAlgorithm(3), 2, {{2}, Type::INT32})),
            "algorithm is 3, which is not in 0..2");
  EXPECT_EQ(errorOf(bitsFile(schema::RngAlgorithm::PHILOX, 2,
                             {{2, -1}, Type::INT32})),
            "dimension 1 is -1, which is not in 1..2147483647");
}

// A generator's state belongs to the main subgraph.
TEST(TFLiteRandomTest, calledSubgraphsHaveNoStates) {
  TFLiteWriter file;
  int32_t output = file.tensor({{2}});
  file.add(Code::CALL, {}, {output},
           schema::CreateCallOptions(file.builder, 1));
  file.endSubgraph({}, {output});
  int32_t shape = file.integers({2}), result = file.tensor({{2}});
  file.add(Code::RANDOM_UNIFORM, {shape}, {result});
  EXPECT_EQ(errorOf(file.finish({}, {result})),
            "subgraph 1: operator 0 (RANDOM_UNIFORM): 't1/state0' is a state, "
            "which only the main subgraph can have");
}

} // namespace
} // namespace nnhal::rt
