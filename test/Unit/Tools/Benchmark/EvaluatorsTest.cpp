//===- EvaluatorsTest.cpp - Top-k, errors and sequences -------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tools/Benchmark/Evaluators.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <fstream>
#include <limits>

using namespace nnhal;
using namespace nnhal::tools;

namespace {

template <typename T>
OutputTensor outputOf(rt::OperandType type, const std::vector<T> &values) {
  return {
      "", type, {uint32_t(values.size())}, std::as_bytes(std::span(values))};
}

OutputTensor floats(const std::vector<float> &values) {
  return outputOf(rt::OperandType::TENSOR_FLOAT32, values);
}

Sample photoOf(uint32_t expectedClass) {
  Sample sample;
  sample.name = "photo";
  sample.expectedClass = expectedClass;
  return sample;
}

Sample sampleOf(const std::vector<float> &expected, uint64_t frames = 1) {
  Sample sample;
  sample.name = "sample";
  sample.inputs.frameCount = frames;
  auto bytes = std::as_bytes(std::span(expected));
  sample.expected.emplace_back(
      ExpectedOutput{&formatOf(rt::OperandType::TENSOR_FLOAT32),
                     {bytes.begin(), bytes.end()}});
  return sample;
}

std::unique_ptr<Evaluator> evaluator(const EvaluatorRequest &request) {
  auto made = makeEvaluator(request);
  EXPECT_TRUE(made.isOk()) << made.status().message();
  return *std::move(made);
}

RunResult finish(const Evaluator &evaluator) {
  RunResult run;
  evaluator.finish(run);
  return run;
}

// L-086.
TEST(TopKTest, CountsAmongTheFirstK) {
  auto topK = evaluator({});
  std::vector<float> scores = {0.1f, 0.5f, 0.3f, 0.2f, 0.0f, -1.0f, -2.0f};
  for (uint32_t expected : {1u, 2u, 6u, 0u})
    ASSERT_TRUE(evaluate(*topK, photoOf(expected), {{floats(scores)}}).isOk());
  RunResult run = finish(*topK);
  ASSERT_EQ(run.evaluators.size(), 5u);
  EXPECT_EQ(run.find("top_1")->value, 0.25);
  EXPECT_EQ(run.find("top_2")->value, 0.5);
  EXPECT_EQ(run.find("top_3")->value, 0.5);
  EXPECT_EQ(run.find("top_4")->value, 0.75);
  EXPECT_EQ(run.find("top_5")->value, 0.75);
}

TEST(TopKTest, FirstOfEqualScoresIsFirst) {
  auto topK = evaluator({});
  std::vector<uint8_t> scores = {7, 9, 9};
  auto type = rt::OperandType::TENSOR_QUANT8_ASYMM;
  ASSERT_TRUE(evaluate(*topK, photoOf(1), {{outputOf(type, scores)}}).isOk());
  ASSERT_TRUE(evaluate(*topK, photoOf(2), {{outputOf(type, scores)}}).isOk());
  EXPECT_EQ(finish(*topK).find("top_1")->value, 0.5);
}

TEST(TopKTest, ClassWithoutANumberIsNoGuess) {
  auto topK = evaluator({});
  std::vector<float> scores = {NAN, NAN};
  ASSERT_TRUE(evaluate(*topK, photoOf(0), {{floats(scores)}}).isOk());
  EXPECT_EQ(finish(*topK).find("top_1")->value, 0.0);
}

TEST(TopKTest, FarBelowThePublishedShareIsAnError) {
  EvaluatorRequest request;
  request.expectedTop1 = 0.6;
  auto topK = evaluator(request);
  std::vector<float> scores = {0.1f, 0.5f};
  ASSERT_TRUE(evaluate(*topK, photoOf(0), {{floats(scores)}}).isOk());
  ASSERT_TRUE(evaluate(*topK, photoOf(1), {{floats(scores)}}).isOk());
  RunResult run = finish(*topK);
  ASSERT_EQ(run.validationErrors.size(), 1u);
  EXPECT_EQ(run.validationErrors[0],
            "top-1 is 50.00 %, and 60.00 % less 5.00 is expected");
  request.expectedTop1 = 0.54;
  topK = evaluator(request);
  ASSERT_TRUE(evaluate(*topK, photoOf(0), {{floats(scores)}}).isOk());
  ASSERT_TRUE(evaluate(*topK, photoOf(1), {{floats(scores)}}).isOk());
  EXPECT_TRUE(finish(*topK).validationErrors.empty());
}

TEST(TopKTest, WhatIsWrongWithASampleIsNamed) {
  auto topK = evaluator({});
  std::vector<float> scores = {0.1f, 0.5f};
  EXPECT_EQ(evaluate(*topK, photoOf(2), {{floats(scores)}}).message(),
            "class 2 of 'photo' is not among the 2 of the model");
  EXPECT_EQ(evaluate(*topK, sampleOf(scores), {{floats(scores)}}).message(),
            "'sample' has no class, which top-k compares with");
}

TEST(TopKTest, JudgementOfAnotherEvaluatorIsRefused) {
  auto topK = evaluator({});
  EXPECT_EQ(topK->add("photo", std::vector<double>{1.0, 2.0}).message(),
            "the judgement of 'photo' has 2 numbers, expected 1");
}

// L-088.
TEST(ErrorsTest, MeanSquaresAreSummedOverFrames) {
  auto errors = makeErrorEvaluator();
  std::vector<float> found = {1.0f, 2.0f, 3.0f, 4.0f};
  ASSERT_TRUE(evaluate(*errors, sampleOf({1.0f, 0.0f, 3.0f, 3.0f}, 2),
                       {{floats(found)}})
                  .isOk());
  RunResult run = finish(*errors);
  // (0 + 4) / 2 + (0 + 1) / 2.
  EXPECT_EQ(run.sumOfMeanSquareErrors, 2.5);
  EXPECT_EQ(run.maxSingleError, 2.0);
}

TEST(ErrorsTest, NotANumberIsTheLargestError) {
  auto errors = makeErrorEvaluator();
  std::vector<float> found = {NAN};
  ASSERT_TRUE(evaluate(*errors, sampleOf({1.0f}), {{floats(found)}}).isOk());
  EXPECT_TRUE(std::isnan(finish(*errors).maxSingleError));
}

TEST(ErrorsTest, NumbersOfElementsHaveToAgree) {
  auto errors = makeErrorEvaluator();
  std::vector<float> found = {1.0f};
  EXPECT_EQ(
      evaluate(*errors, sampleOf({1.0f, 2.0f}), {{floats(found)}}).message(),
      "output 0 of 'sample' has 1 elements, and 2 are expected");
}

constexpr size_t width = 196, part = 49;

// L-086.
TEST(MelCepLogF0Test, AmplitudesButTheFirstAndPitchesOfVoicedParts) {
  EvaluatorRequest request;
  request.kind = EvaluatorKind::melCepLogF0;
  request.melCepLimit = 0.1;
  request.logF0Limit = 0.1;
  auto judge = evaluator(request);
  std::vector<float> expected(width, 0.0f), found(width, 0.0f);
  // The first amplitude and the aperiodicities do not count.
  found[0] = 100.0f;
  found[45] = 100.0f;
  // One amplitude of 4 x 39.
  found[part + 3] = std::sqrt(4.0f * 39.0f) * 0.625f;
  // The pitch of a part with a voice in both, and of one without in one.
  found[47] = 0.25f;
  found[48] = expected[48] = 1.0f;
  found[part + 47] = 9.0f;
  found[part + 48] = 1.0f;
  ASSERT_TRUE(evaluate(*judge, sampleOf(expected), {{floats(found)}}).isOk());
  RunResult run = finish(*judge);
  EXPECT_NEAR(run.find("max_mel_cep_distortion")->value, 0.625, 1e-6);
  EXPECT_NEAR(run.find("max_log_f0_error")->value, 0.25, 1e-6);
  ASSERT_EQ(run.validationErrors.size(), 2u);
  EXPECT_TRUE(run.validationErrors[0].starts_with(
      "mel-cep distortion of 'sample' is 0.62"));
  EXPECT_TRUE(run.validationErrors[0].ends_with(", more than 0.1"));
  EXPECT_EQ(run.validationErrors[1],
            "log F0 error of 'sample' is 0.25, more than 0.1");
}

TEST(MelCepLogF0Test, OutputsAreMultipliedByTheirDeviation) {
  std::vector<float> pairs;
  for (size_t i = 0; i < width; ++i) {
    pairs.push_back(i % part == 48 ? 1.0f : 5.0f);
    pairs.push_back(2.0f);
  }
  EvaluatorRequest request;
  request.kind = EvaluatorKind::melCepLogF0;
  request.meanAndDeviation = testing::TempDir() + "normals.bin";
  std::ofstream(request.meanAndDeviation, std::ios::binary)
      .write(reinterpret_cast<const char *>(pairs.data()),
             std::streamsize(pairs.size() * sizeof(float)));
  auto judge = evaluator(request);
  std::vector<float> expected(width, 0.0f), found(width, 0.0f);
  found[47] = 0.5f;
  ASSERT_TRUE(evaluate(*judge, sampleOf(expected), {{floats(found)}}).isOk());
  // All four parts have a voice now, whose mean is 1.
  EXPECT_NEAR(finish(*judge).find("max_log_f0_error")->value, 0.5, 1e-6);
}

TEST(MelCepLogF0Test, WhatIsWrongIsNamed) {
  EvaluatorRequest request;
  request.kind = EvaluatorKind::melCepLogF0;
  std::vector<float> two = {1.0f, 2.0f};
  EXPECT_EQ(
      evaluate(*evaluator(request), sampleOf(two), {{floats(two)}}).message(),
      "the output for 'sample' has 2 elements in a frame, and "
      "mel-cep-log-f0 is for 196");
  EXPECT_EQ(evaluate(*evaluator(request), sampleOf({1.0f}), {{floats(two)}})
                .message(),
            "the output for 'sample' has 2 elements, and 1 are expected");
  EXPECT_EQ(
      evaluate(*evaluator(request), photoOf(1u), {{floats(two)}}).message(),
      "'photo' has no expected output, which sequences are compared "
      "with");
  request.meanAndDeviation = testing::TempDir() + "short.bin";
  std::ofstream(request.meanAndDeviation) << "short";
  EXPECT_EQ(makeEvaluator(request).status().message(),
            "'" + request.meanAndDeviation +
                "' has 5 bytes, and 1568 hold mean and standard deviation of "
                "each element");
}

TEST(PhoneErrorRateTest, EditDistance) {
  auto distance = [](std::vector<uint32_t> a, std::vector<uint32_t> b) {
    return editDistance(a, b);
  };
  EXPECT_EQ(distance({}, {}), 0u);
  EXPECT_EQ(distance({1, 2, 3}, {1, 2, 3}), 0u);
  EXPECT_EQ(distance({1, 2, 3}, {2, 3}), 1u);
  EXPECT_EQ(distance({1, 2, 3}, {1, 9, 3}), 1u);
  EXPECT_EQ(distance({1, 2, 3}, {1, 2, 3, 4}), 1u);
  EXPECT_EQ(distance({}, {1, 2}), 2u);
  EXPECT_EQ(distance({1, 2, 3, 4}, {4, 3, 2, 1}), 4u);
}

// L-086.
TEST(PhoneErrorRateTest, LargestElementsAreThePhones) {
  EvaluatorRequest request;
  request.kind = EvaluatorKind::phoneErrorRate;
  auto judge = evaluator(request);
  std::vector<float> expected = {1, 0, 0, 1, 1, 0, 1, 0};
  std::vector<float> found = {2, 0, 0, 2, 0, 2, 2, 0};
  ASSERT_TRUE(
      evaluate(*judge, sampleOf(expected, 4), {{floats(found)}}).isOk());
  RunResult run = finish(*judge);
  EXPECT_EQ(run.find("max_phone_error_rate")->value, 25.0);
  ASSERT_EQ(run.validationErrors.size(), 1u);
  EXPECT_EQ(run.validationErrors[0],
            "phone error rate of 'sample' is 25 %, more than 5");
}

} // namespace
