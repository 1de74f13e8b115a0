//===- CriteriaTest.cpp - The criteria of Android's random-graph test -----===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tools/Verify/Criteria.h"

#include "Generator.h"
#include "PlantedDevice.h"
#include "Recipes.h"
#include "Seed.h"

#include "nnhal/Runtime/ReferenceDevice.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

using namespace nnhal;
using namespace nnhal::randomgraph;
using rt::HalVersion;
using rt::OperandType;
using rt::OperationType;
using enum AccuracyClass;

namespace {

constexpr AccuracyClass allClasses[] = {strict,      medium,     relaxed,
                                        convolution, smallGraph, largeGraph};
constexpr double anything = HUGE_VAL;

TestTensor listOf(OperandType type, const std::vector<double> &elements) {
  return makeTensor(type, {uint32_t(elements.size())}, elements);
}

/// What is wrong with \p actual, empty when nothing is.
std::string check(const Criterion &criterion, OperandType type,
                  const std::vector<double> &actual,
                  const std::vector<double> &expected) {
  return checkCriterion(criterion, type, listOf(type, actual),
                        listOf(type, expected))
      .message();
}

/// \p count elements of \p value.
std::vector<double> times(size_t count, double value) {
  return std::vector<double>(count, value);
}

constexpr auto floats = OperandType::TENSOR_FLOAT32;

//===----------------------------------------------------------------------===//
// How an output is held against a criterion
//===----------------------------------------------------------------------===//

// L-056: |difference| <= atol + rtol * |expected|; these numbers are exact.
TEST(CriterionTest, BoundsOfElements) {
  const Criterion criterion = {.atol = 0.5, .rtol = 0.25};
  EXPECT_EQ(check(criterion, floats, {1, 9.5}, {1, 8}), "");
  EXPECT_EQ(check(criterion, floats, {1, 10.5}, {1, 8}), "");
  EXPECT_EQ(check(criterion, floats, {1, 5.5}, {1, 8}), "");
  EXPECT_EQ(check(criterion, floats, {-1, -10.5}, {-1, -8}), "");
  EXPECT_EQ(check(criterion, floats, {1, 10.625}, {1, 8}),
            "element 1 [1] is 10.625, expected 8 within 2.5");
  EXPECT_EQ(check(criterion, floats, {1, 5.375}, {1, 8}),
            "element 1 [1] is 5.375, expected 8 within 2.5");
  EXPECT_EQ(check(criterion, floats, {NAN}, {8}),
            "element 0 [0] is nan, expected 8 within 2.5");
}

// L-056: the mean error, where at least 10 elements count.
TEST(CriterionTest, Bias) {
  const Criterion criterion = {.bias = 0.25, .atol = anything};
  EXPECT_EQ(check(criterion, floats, times(10, 0.75), times(10, 0.5)), "");
  EXPECT_EQ(check(criterion, floats, times(10, 0.25), times(10, 0.5)), "");
  EXPECT_EQ(check(criterion, floats, times(10, 0.875), times(10, 0.5)),
            "the mean error of 10 elements is 0.375, at most 0.25 is allowed");
  EXPECT_EQ(check(criterion, floats, times(10, 0.125), times(10, 0.5)),
            "the mean error of 10 elements is 0.375, at most 0.25 is allowed");
  // Errors on both sides cancel; nine elements say nothing.
  EXPECT_EQ(
      check(criterion, floats, {2, 0, 2, 0, 2, 0, 2, 0, 2, 0}, times(10, 1)),
      "");
  EXPECT_EQ(check(criterion, floats, times(9, 5), times(9, 0)), "");
}

// L-056: relative to the expectation where that is more than 1.
TEST(CriterionTest, MeansOfFloatsAreRelative) {
  const Criterion criterion = {.bias = 0.25, .atol = anything};
  EXPECT_EQ(check(criterion, floats, times(10, 5), times(10, 4)), "");
  EXPECT_EQ(check(criterion, floats, times(10, -5), times(10, -4)), "");
  EXPECT_NE(check(criterion, floats, times(10, 5.5), times(10, 4)), "");
  EXPECT_NE(check(criterion, floats, times(10, 0.5), times(10, 0.125)), "");
  // Steps of other types are not.
  const auto quantized = OperandType::TENSOR_QUANT8_ASYMM;
  EXPECT_EQ(check({.bias = 1, .atol = anything}, quantized, times(10, 101),
                  times(10, 100)),
            "");
  EXPECT_EQ(check({.bias = 0.5, .atol = anything}, quantized, times(10, 101),
                  times(10, 100)),
            "the mean error of 10 elements is 1, at most 0.5 is allowed");
}

// L-056: the mean square error.
TEST(CriterionTest, MeanSquareError) {
  const Criterion criterion = {.meanSquare = 0.25, .atol = anything};
  const std::vector<double> half = {0.5, -0.5, 0.5, -0.5, 0.5,
                                    0.5, -0.5, 0.5, -0.5, 0.5};
  EXPECT_EQ(check(criterion, floats, half, times(10, 0)), "");
  std::vector<double> more = half;
  more[3] = -0.75;
  EXPECT_EQ(check(criterion, floats, more, times(10, 0)),
            "the mean square error of 10 elements is 0.281, at most 0.25 is "
            "allowed");
  EXPECT_EQ(check(criterion, floats, times(9, 5), times(9, 0)), "");
}

// L-057.
TEST(CriterionTest, LargeAndStrangeExpectationsAreSkipped) {
  const Criterion criterion = criterionFor(strict, floats, false);
  EXPECT_EQ(check(criterion, floats, {0, 0, 0, 0, 0},
                  {NAN, HUGE_VAL, -HUGE_VAL, 1000.5, -1000.5}),
            "");
  EXPECT_EQ(check(criterion, floats, {0}, {1000}),
            "element 0 [0] is 0, expected 1000 within 0.001");
  EXPECT_NE(check(criterion, floats, {0}, {-1000}), "");
  // What is skipped does not count: nine elements are left.
  std::vector<double> expected = times(10, 0);
  expected[4] = 2000;
  EXPECT_EQ(check({.bias = 0, .atol = anything, .largestExpected = 1e3}, floats,
                  times(10, 1), expected),
            "");

  const auto half = OperandType::TENSOR_FLOAT16;
  const Criterion ofHalf = criterionFor(strict, half, false);
  EXPECT_EQ(check(ofHalf, half, {0, 0}, {100.5, -100.5}), "");
  EXPECT_NE(check(ofHalf, half, {0}, {100}), "");
  EXPECT_NE(check(ofHalf, half, {0}, {-100}), "");
  // Models that may compute in half precision.
  EXPECT_EQ(check(criterionFor(strict, floats, true), floats, {0}, {100.5}),
            "");
}

// L-060: the tenth is rounded up.
TEST(CriterionTest, Booleans) {
  const auto type = OperandType::TENSOR_BOOL8;
  for (AccuracyClass each : allClasses) {
    const Criterion criterion = criterionFor(each, type, false);
    std::vector<double> actual = times(20, 1);
    actual[3] = actual[7] = 0;
    EXPECT_EQ(check(criterion, type, actual, times(20, 1)), "");
    actual[8] = 0;
    EXPECT_EQ(check(criterion, type, actual, times(20, 1)),
              "3 of 20 booleans differ, at most 2 may");
    EXPECT_EQ(check(criterion, type, {0}, {1}), "");
    EXPECT_EQ(check(criterion, type, {0, 0}, {1, 1}),
              "2 of 2 booleans differ, at most 1 may");
  }
}

//===----------------------------------------------------------------------===//
// The tables
//===----------------------------------------------------------------------===//

struct Numbers {
  double bias, meanSquare, atol, rtol;
};

/// Whether the criterion of each class for \p type has these numbers, by
/// outputs on both sides of each bound.
void checkFloats(OperandType type, bool isRelaxed,
                 std::initializer_list<Numbers> numbers) {
  size_t place = 0;
  for (const Numbers &wanted : numbers) {
    const AccuracyClass each = allClasses[place++];
    SCOPED_TRACE(place);
    const Criterion criterion = criterionFor(each, type, isRelaxed);
    // All are compared as floats, which have enough places.
    constexpr auto precise = floats;
    auto accepts = [&](double error, double expected) {
      return check(criterion, precise, {expected + error}, {expected}).empty();
    };
    EXPECT_TRUE(accepts(wanted.atol * 0.999, 0));
    EXPECT_FALSE(accepts(wanted.atol * 1.001, 0));
    EXPECT_TRUE(accepts((wanted.atol + 64 * wanted.rtol) * 0.85, 64));
    EXPECT_FALSE(accepts((wanted.atol + 64 * wanted.rtol) * 1.15, 64));
    Criterion open = criterion;
    open.atol = anything;
    // The bias alone: the square of such an error is less than its bound.
    open.meanSquare = anything;
    EXPECT_EQ(
        check(open, precise, times(10, wanted.bias * 0.999), times(10, 0)), "");
    EXPECT_NE(
        check(open, precise, times(10, wanted.bias * 1.001), times(10, 0)), "");
    open = criterion;
    open.atol = open.bias = anything;
    const double root = std::sqrt(wanted.meanSquare);
    EXPECT_EQ(check(open, precise, times(10, root * 0.999), times(10, 0)), "");
    EXPECT_NE(check(open, precise, times(10, root * 1.001), times(10, 0)), "");
  }
  EXPECT_EQ(place, std::size(allClasses));
}

// L-058: strict, medium, relaxed, convolution, small and large graphs.
TEST(CriteriaTest, Floats) {
  checkFloats(floats, false,
              {{1e-7, 1e-10, 1e-6, 1e-6},
               {1e-6, 1e-8, 1e-5, 1e-5},
               {3e-5, 1e-6, 1e-3, 1e-3},
               {4e-4, 1e-5, 2e-2, 2e-2},
               {4e-4, 1e-5, 1e-2, 1e-2},
               {1e-2, 1e-4, 1e-1, 1e-1}});
}

// L-059, and L-003: floats of relaxed models.
TEST(CriteriaTest, HalfFloats) {
  const std::initializer_list<Numbers> numbers = {
      {1e-4, 1e-8, 1e-3, 1e-3}, {1e-3, 1e-5, 1e-2, 1e-2}, {5e-3, 1e-3, 1, 1},
      {5e-2, 1e-2, 1, 1},       {5e-2, 1e-2, 1, 1},       {1e-1, 5e-2, 1, 1}};
  checkFloats(OperandType::TENSOR_FLOAT16, false, numbers);
  checkFloats(floats, true, numbers);
}

// L-060: means of steps, and steps of single elements.
TEST(CriteriaTest, QuantizedTypes) {
  using enum OperandType;
  struct Steps {
    double bias, meanSquare;
    int atol;
  };
  constexpr Steps steps[] = {{0.1, 0.1, 1},  {1.2, 1.2, 2}, {1.5, 1.5, 10},
                             {1.5, 1.5, 10}, {2, 2, 12},    {2, 2, 12}};
  for (OperandType type :
       {TENSOR_QUANT8_ASYMM, TENSOR_QUANT8_ASYMM_SIGNED, TENSOR_QUANT8_SYMM,
        TENSOR_QUANT16_ASYMM, TENSOR_QUANT16_SYMM})
    for (size_t i = 0; i < std::size(steps); ++i) {
      SCOPED_TRACE(nameOf(type) + " " + std::to_string(i));
      const Criterion criterion = criterionFor(allClasses[i], type, false);
      EXPECT_EQ(check(criterion, type, {50.0 + steps[i].atol}, {50}), "");
      EXPECT_NE(check(criterion, type, {51.0 + steps[i].atol}, {50}), "");
      // So many of 1000 elements are off by a step, or by two, that the mean is
      // at its bound.
      auto mean = [&](double bound, bool isBeyond, const Criterion &held) {
        auto sum = size_t(std::lround(bound * 1000)) + (isBeyond ? 1 : 0);
        std::vector<double> actual = times(1000, 50);
        for (size_t k = 0; sum != 0; ++k, --sum)
          ++actual[k % actual.size()];
        return check(held, type, actual, times(1000, 50)).empty();
      };
      Criterion biased = criterion;
      biased.meanSquare = anything;
      EXPECT_TRUE(mean(steps[i].bias, false, biased));
      EXPECT_FALSE(mean(steps[i].bias, true, biased));
      auto square = [&](double bound, bool isBeyond) {
        // Squares of 1 and 4 add up to a thousand times the bound.
        auto sum = size_t(std::lround(bound * 1000)) + (isBeyond ? 1 : 0);
        std::vector<double> actual = times(1000, 50);
        size_t k = 0;
        for (; sum >= 4 && bound > 1; sum -= 4)
          actual[k++] += 2;
        for (; sum != 0; --sum)
          actual[k++] += 1;
        Criterion held = criterion;
        held.bias = anything;
        return check(held, type, actual, times(1000, 50)).empty();
      };
      EXPECT_TRUE(square(steps[i].meanSquare, false));
      EXPECT_FALSE(square(steps[i].meanSquare, true));
    }
}

// L-060: of integers only single elements are bounded.
TEST(CriteriaTest, Integers) {
  for (OperandType type : {OperandType::INT32, OperandType::TENSOR_INT32})
    for (AccuracyClass each : allClasses) {
      const Criterion criterion = criterionFor(each, type, false);
      EXPECT_EQ(check(criterion, type, times(20, 1001), times(20, 1000)), "");
      EXPECT_EQ(check(criterion, type, {1002}, {1000}),
                "element 0 [0] is 1002, expected 1000 within 1");
    }
}

//===----------------------------------------------------------------------===//
// Classes of operations and graphs
//===----------------------------------------------------------------------===//

void expectClass(AccuracyClass wanted, HalVersion version,
                 std::initializer_list<OperationType> operations) {
  for (OperationType operation : operations)
    EXPECT_EQ(classOf(operation, version), wanted) << nameOf(operation);
}

// L-063 to L-066.
TEST(AccuracyClassTest, OperationsOf10) {
  using enum OperationType;
  const HalVersion version = HalVersion::V1_0;
  expectClass(convolution, version, {CONV_2D, DEPTHWISE_CONV_2D});
  expectClass(medium, version,
              {ADD, MUL, FLOOR, RELU, RELU1, RELU6, CONCATENATION, DEQUANTIZE});
  expectClass(relaxed, version,
              {LOGISTIC, TANH, SOFTMAX, L2_NORMALIZATION,
               LOCAL_RESPONSE_NORMALIZATION, AVERAGE_POOL_2D, L2_POOL_2D,
               MAX_POOL_2D, RESIZE_BILINEAR, FULLY_CONNECTED});
  expectClass(strict, version,
              {DEPTH_TO_SPACE, SPACE_TO_DEPTH, EMBEDDING_LOOKUP,
               HASHTABLE_LOOKUP, RESHAPE});
}

// L-067 to L-069.
TEST(AccuracyClassTest, OperationsOf11) {
  using enum OperationType;
  const HalVersion version = HalVersion::V1_1;
  expectClass(medium, version, {SUB});
  expectClass(relaxed, version, {DIV, MEAN});
  expectClass(strict, version,
              {BATCH_TO_SPACE_ND, SPACE_TO_BATCH_ND, PAD, TRANSPOSE, SQUEEZE,
               STRIDED_SLICE});
}

// L-070 to L-073.
TEST(AccuracyClassTest, OperationsOf12) {
  using enum OperationType;
  const HalVersion version = HalVersion::V1_2;
  expectClass(convolution, version,
              {CONV_2D, DEPTHWISE_CONV_2D, GROUPED_CONV_2D, TRANSPOSE_CONV_2D});
  expectClass(medium, version,
              {ADD, MUL, SUB, FLOOR, RELU, RELU1, RELU6, CONCATENATION,
               DEQUANTIZE, ABS, NEG, MAXIMUM, MINIMUM, PRELU, QUANTIZE, CAST,
               SPLIT});
  expectClass(relaxed, version,
              {DIV,
               LOGISTIC,
               TANH,
               FULLY_CONNECTED,
               MEAN,
               AVERAGE_POOL_2D,
               L2_POOL_2D,
               MAX_POOL_2D,
               RESIZE_BILINEAR,
               SOFTMAX,
               L2_NORMALIZATION,
               LOCAL_RESPONSE_NORMALIZATION,
               EXP,
               LOG,
               RSQRT,
               SIN,
               SQRT,
               POW,
               REDUCE_ALL,
               REDUCE_ANY,
               REDUCE_MAX,
               REDUCE_MIN,
               REDUCE_PROD,
               REDUCE_SUM,
               INSTANCE_NORMALIZATION,
               LOG_SOFTMAX,
               RESIZE_NEAREST_NEIGHBOR,
               ROI_ALIGN,
               ROI_POOLING,
               HEATMAP_MAX_KEYPOINT});
  expectClass(strict, version,
              {DEPTH_TO_SPACE,
               SPACE_TO_DEPTH,
               BATCH_TO_SPACE_ND,
               SPACE_TO_BATCH_ND,
               RESHAPE,
               PAD,
               TRANSPOSE,
               SQUEEZE,
               STRIDED_SLICE,
               EMBEDDING_LOOKUP,
               ARGMAX,
               ARGMIN,
               EQUAL,
               GREATER,
               GREATER_EQUAL,
               LESS,
               LESS_EQUAL,
               LOGICAL_AND,
               LOGICAL_NOT,
               LOGICAL_OR,
               NOT_EQUAL,
               CHANNEL_SHUFFLE,
               PAD_V2,
               EXPAND_DIMS,
               TILE,
               GATHER,
               SELECT,
               TOPK_V2,
               SLICE});
}

// L-074 to L-077.
TEST(AccuracyClassTest, OperationsOf13) {
  using enum OperationType;
  const HalVersion version = HalVersion::V1_3;
  expectClass(convolution, version,
              {CONV_2D, DEPTHWISE_CONV_2D, GROUPED_CONV_2D, TRANSPOSE_CONV_2D});
  expectClass(medium, version,
              {ADD, CONCATENATION, DEQUANTIZE, MUL, RELU, RELU1, RELU6, DIV,
               SUB, ABS, CAST, MAXIMUM, MINIMUM, PRELU, QUANTIZE, SPLIT, ELU,
               HARD_SWISH});
  expectClass(relaxed, version,
              {AVERAGE_POOL_2D, FULLY_CONNECTED, L2_NORMALIZATION, LOGISTIC,
               MAX_POOL_2D, RESIZE_BILINEAR, SOFTMAX, TANH, MEAN,
               HEATMAP_MAX_KEYPOINT, REDUCE_MAX, REDUCE_MIN, ROI_ALIGN,
               ROI_POOLING, RESIZE_NEAREST_NEIGHBOR});
  expectClass(strict, version,
              {DEPTH_TO_SPACE,
               EMBEDDING_LOOKUP,
               RESHAPE,
               SPACE_TO_DEPTH,
               BATCH_TO_SPACE_ND,
               PAD,
               SPACE_TO_BATCH_ND,
               SQUEEZE,
               STRIDED_SLICE,
               TRANSPOSE,
               ARGMAX,
               ARGMIN,
               CHANNEL_SHUFFLE,
               EQUAL,
               EXPAND_DIMS,
               GATHER,
               GREATER,
               GREATER_EQUAL,
               LESS,
               LESS_EQUAL,
               NOT_EQUAL,
               PAD_V2,
               SELECT,
               SLICE,
               TILE,
               TOPK_V2,
               FILL,
               RANK});
}

// L-062: this project's own.
TEST(AccuracyClassTest, OperationsThatAreNotDrawnThere) {
  expectClass(smallGraph, HalVersion::V1_3,
              {OperationType::LSTM, OperationType::IF, OperationType::SVDF,
               OperationType::GENERATE_PROPOSALS});
}

TEST(AccuracyClassTest, Graphs) {
  rt::Model model;
  model.main.operations.resize(5);
  EXPECT_EQ(classOf(model), smallGraph);
  model.main.operations.resize(6);
  EXPECT_EQ(classOf(model), largeGraph);
  model.main.operations.resize(2);
  EXPECT_EQ(classOf(model), smallGraph);
  // DIV of integers is of 1.3, others are older.
  const std::unique_ptr<rt::Device> reference = rt::createReferenceDevice();
  auto integers = generateOperation(*reference, OperationType::DIV,
                                    OperandType::TENSOR_INT32, 1);
  ASSERT_TRUE(integers.isOk()) << integers.status().message();
  EXPECT_EQ(classOf(integers->model), medium);
  auto reals = generateOperation(*reference, OperationType::DIV, floats, 1);
  ASSERT_TRUE(reals.isOk()) << reals.status().message();
  EXPECT_EQ(classOf(reals->model), relaxed);
}

//===----------------------------------------------------------------------===//
// Devices held against them
//===----------------------------------------------------------------------===//

/// A device whose floats are off by the \p share of the result.
Plant scaledBy(float share) {
  Plant plant;
  plant.changeOutputs = [share](const rt::Model &model, Tensors &outputs) {
    for (size_t i = 0; i < outputs.size(); ++i) {
      OperandType type = model.main.operands[model.main.outputIndexes[i]].type;
      for (uint64_t k = 0;
           type == floats && k < elementCount(outputs[i].dimensions); ++k)
        storeElement(type, outputs[i].bytes, k,
                     loadElement(type, outputs[i].bytes, k) * (1 + share));
    }
    return rt::Status::ok();
  };
  return plant;
}

class HalCriteriaTest : public testing::Test {
protected:
  /// The report of the first seed that has an execution on floats.
  SeedReport run(const rt::Device &device, const SeedOptions &options,
                 uint64_t seed = 0) {
    return runSeed(device, *reference, seed, options);
  }

  std::unique_ptr<rt::Device> reference = rt::createReferenceDevice();
  std::string folder = testing::TempDir() + "hal_criteria_test";
  SeedOptions table = {folder, Criteria::table, "TANH"};
  SeedOptions hal = {folder, Criteria::hal, "TANH"};

  HalCriteriaTest() { std::filesystem::create_directories(folder); }
  ~HalCriteriaTest() override { std::filesystem::remove_all(folder); }
};

// TANH is held to the relaxed criterion: a result that is off by 1e-4 misses
// the table only.
TEST_F(HalCriteriaTest, TakeThePlaceOfTheTable) {
  auto device = createPlantedDevice(*reference, scaledBy(1e-4f));
  uint64_t missed = 0;
  for (uint64_t seed = 0; seed < 12; ++seed) {
    missed += run(*device, table, seed).failure.has_value();
    SeedReport report = run(*device, hal, seed);
    EXPECT_FALSE(report.failure) << report.failure->message;
    EXPECT_EQ(report.totals.executed, (Counts{{"TANH", 1}}));
  }
  EXPECT_GE(missed, 1u);
}

TEST_F(HalCriteriaTest, RefuseWhatIsFurtherOff) {
  auto device = createPlantedDevice(*reference, scaledBy(0.05f));
  uint64_t missed = 0;
  for (uint64_t seed = 0; seed < 12; ++seed) {
    SeedReport report = run(*device, hal, seed);
    if (!report.failure)
      continue;
    ++missed;
    EXPECT_EQ(report.failure->operations, "TANH");
    EXPECT_TRUE(report.failure->file.ends_with("/random_TANH_" +
                                               std::to_string(seed) + ".json"))
        << report.failure->file;
  }
  EXPECT_GE(missed, 1u);
}

// The operation is chosen by name, or each is drawn in turn.
TEST(GenerateForTest, OperationsAlone) {
  const std::unique_ptr<rt::Device> reference = rt::createReferenceDevice();
  std::span<const Recipe> recipes = allRecipes();
  for (uint64_t seed = 0; seed < recipes.size(); ++seed) {
    auto test = generateFor(*reference, seed, {.operation = "all"});
    ASSERT_TRUE(test.isOk()) << test.status().message();
    EXPECT_EQ(test->model.main.operations.back().type, recipes[seed].operation);
  }
  const Recipe *chosen = lookUpRecipe(OperationType::RELU6);
  for (uint64_t seed = 0; seed < chosen->types.size(); ++seed) {
    auto test = generateFor(*reference, seed, {.operation = "RELU6"});
    ASSERT_TRUE(test.isOk()) << test.status().message();
    const rt::Subgraph &main = test->model.main;
    ASSERT_EQ(main.operations.size(), 1u);
    EXPECT_EQ(main.operations[0].type, OperationType::RELU6);
    EXPECT_EQ(main.operands[main.operations[0].inputs[0]].type,
              chosen->types[seed]);
  }
  EXPECT_EQ(
      generateFor(*reference, 0, {.operation = "RELU7"}).status().message(),
      "'RELU7' is no operation of the HAL");
}

} // namespace
