//===- TFLiteStableHloTest.cpp - Operators of StableHLO -------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StableHloTesting.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace nnhal::rt {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// The only result, of shape \p shape, of one operator.
Numbers compute(Code code, const std::vector<TestInput> &inputs,
                std::vector<int32_t> shape, const OperatorExtras &extras = {},
                Type type = Type::FLOAT32) {
  return runOperator(code, inputs, {{std::move(shape), type}}, {}, extras)[0];
}

/// What one operator becomes.
std::string textOf(Code code, const std::vector<TestInput> &inputs,
                   std::vector<int32_t> shape, const OperatorExtras &extras,
                   Type type = Type::FLOAT32) {
  std::string text = toText(importBytes(
      operatorFile(code, inputs, {{std::move(shape), type}}, {}, extras)));
  return text.ends_with('\n') ? text.substr(0, text.size() - 1) : text;
}

TestInput index(int32_t value, bool isConstant = true) {
  TestInput input = integersInput({value}, {});
  input.isConstant = isConstant;
  return input;
}

TEST(TFLiteStableHloTest, elementByElement) {
  TestInput a = reals({2, 2}, {-1.5, 0.25, 2, 4}),
            b = reals({2, 2}, {2, 1, 3, -2});
  auto binary = [&](Code code) { return compute(code, {a, b}, {2, 2}); };
  EXPECT_EQ(binary(Code::STABLEHLO_ADD), (Numbers{0.5, 1.25, 5, 2}));
  EXPECT_EQ(binary(Code::STABLEHLO_SUBTRACT), (Numbers{-3.5, -0.75, -1, 6}));
  EXPECT_EQ(binary(Code::STABLEHLO_MULTIPLY), (Numbers{-3, 0.25, 6, -8}));
  EXPECT_EQ(binary(Code::STABLEHLO_DIVIDE),
            (Numbers{-0.75, 0.25, 2.0f / 3, -2}));
  EXPECT_EQ(binary(Code::STABLEHLO_MAXIMUM), (Numbers{2, 1, 3, 4}));
  EXPECT_EQ(binary(Code::STABLEHLO_MINIMUM), (Numbers{-1.5, 0.25, 2, -2}));
  auto unary = [&](Code code, Numbers values, double (*function)(double)) {
    SCOPED_TRACE(schema::EnumNameBuiltinOperator(code));
    Numbers expected;
    for (double value : values)
      expected.push_back(function(value));
    expectNear(compute(code, {reals({4}, values)}, {4}), expected, 1e-5);
  };
  Numbers any = {-1.5, 0.25, 2, 0.75}, positive = {1.5, 0.25, 2, 0.75};
  unary(Code::STABLEHLO_ABS, any, std::fabs);
  unary(Code::STABLEHLO_NEGATE, any, [](double x) { return -x; });
  unary(Code::STABLEHLO_EXPONENTIAL, any, std::exp);
  unary(Code::STABLEHLO_LOG, positive, std::log);
  unary(Code::STABLEHLO_LOGISTIC, any,
        [](double x) { return 1 / (1 + std::exp(-x)); });
  unary(Code::STABLEHLO_TANH, any, std::tanh);
  unary(Code::STABLEHLO_RSQRT, positive,
        [](double x) { return 1 / std::sqrt(x); });
  unary(Code::STABLEHLO_FLOOR, any, std::floor);
  unary(Code::STABLEHLO_COSINE, any, std::cos);
  expectNear(compute(Code::STABLEHLO_POWER,
                     {reals({2}, {2, 3}), reals({2}, {3, 0.5})}, {2}),
             {8, std::sqrt(3.0)}, 1e-5);
}

TEST(TFLiteStableHloTest, choices) {
  TestInput truths = {{{3}, Type::BOOL}, {1, 0, 1}},
            others = {{{3}, Type::BOOL}, {1, 1, 0}};
  EXPECT_EQ(compute(Code::STABLEHLO_AND, {truths, others}, {3}, {}, Type::BOOL),
            (Numbers{1, 0, 0}));
  EXPECT_EQ(compute(Code::STABLEHLO_OR, {truths, others}, {3}, {}, Type::BOOL),
            (Numbers{1, 1, 1}));
  EXPECT_EQ(compute(Code::STABLEHLO_SELECT,
                    {truths, reals({3}, {1, 2, 3}), reals({3}, {4, 5, 6})},
                    {3}),
            (Numbers{1, 5, 3}));
  EXPECT_EQ(compute(Code::STABLEHLO_CLAMP,
                    {constant(reals({}, {0})), reals({4}, {-1, 0.5, 3, 2}),
                     constant(reals({}, {2}))},
                    {4}),
            (Numbers{0, 0.5, 2, 2}));
  using enum schema::ComparisonDirection;
  auto compare = [&](schema::ComparisonDirection direction) {
    return compute(Code::STABLEHLO_COMPARE,
                   {reals({3}, {1, 2, 3}), reals({3}, {2, 2, 2})}, {3},
                   compareBy(direction), Type::BOOL);
  };
  EXPECT_EQ(compare(EQ), (Numbers{0, 1, 0}));
  EXPECT_EQ(compare(NE), (Numbers{1, 0, 1}));
  EXPECT_EQ(compare(GE), (Numbers{0, 1, 1}));
  EXPECT_EQ(compare(GT), (Numbers{0, 0, 1}));
  EXPECT_EQ(compare(LE), (Numbers{1, 1, 0}));
  EXPECT_EQ(compare(LT), (Numbers{1, 0, 0}));
  EXPECT_EQ(compute(Code::STABLEHLO_CONVERT, {reals({3}, {-1.5, 0, 2.75})}, {3},
                    {}, Type::INT32),
            (Numbers{-1, 0, 2}));
}

TEST(TFLiteStableHloTest, movement) {
  TestInput six = reals({2, 3}, {1, 2, 3, 4, 5, 6});
  EXPECT_EQ(compute(Code::STABLEHLO_RESHAPE, {six}, {3, 2}),
            (Numbers{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(
      compute(Code::STABLEHLO_TRANSPOSE, {six}, {3, 2}, transposeBy({1, 0})),
      (Numbers{1, 4, 2, 5, 3, 6}));
  EXPECT_EQ(compute(Code::STABLEHLO_CONCATENATE, {six, six}, {2, 6},
                    concatenateAlong(1)),
            (Numbers{1, 2, 3, 1, 2, 3, 4, 5, 6, 4, 5, 6}));
  EXPECT_EQ(compute(Code::STABLEHLO_SLICE, {six}, {1, 2},
                    sliceOf({1, 0}, {2, 3}, {1, 2})),
            (Numbers{4, 6}));
  EXPECT_EQ(compute(Code::STABLEHLO_BROADCAST_IN_DIM, {reals({2}, {1, 2})},
                    {2, 3}, broadcastTo({0})),
            (Numbers{1, 1, 1, 2, 2, 2}));
  EXPECT_EQ(compute(Code::STABLEHLO_BROADCAST_IN_DIM, {reals({2, 1}, {1, 2})},
                    {2, 2}, broadcastTo({1, 0})),
            (Numbers{1, 2, 1, 2}));
  EXPECT_EQ(compute(Code::STABLEHLO_IOTA, {}, {2, 3}, iotaAlong(1)),
            (Numbers{0, 1, 2, 0, 1, 2}));
  EXPECT_EQ(
      compute(Code::STABLEHLO_IOTA, {}, {3, 2}, iotaAlong(0), Type::INT32),
      (Numbers{0, 0, 1, 1, 2, 2}));
}

TEST(TFLiteStableHloTest, padding) {
  TestInput four = reals({2, 2}, {1, 2, 3, 4}),
            seven = constant(reals({}, {7}));
  EXPECT_EQ(compute(Code::STABLEHLO_PAD, {four, seven}, {3, 3},
                    padBy({1, 0}, {0, 1}, {0, 0})),
            (Numbers{7, 7, 7, 1, 2, 7, 3, 4, 7}));
  EXPECT_EQ(compute(Code::STABLEHLO_PAD, {four, seven}, {1, 3},
                    padBy({-1, 1}, {0, 0}, {0, 0})),
            (Numbers{7, 3, 4}));
  EXPECT_EQ(textOf(Code::STABLEHLO_PAD, {four, seven}, {4, 2},
                   padBy({0, 0}, {1, 0}, {1, 0})),
            "tflite:DILATE(i2x2, {2 1}, c1) -> t3x2\n"
            "PAD_V2(t3x2, {0 1 0 0}, 7f) -> o4x2");
}

TEST(TFLiteStableHloTest, computedPlaces) {
  TestInput six = reals({2, 3}, {1, 2, 3, 4, 5, 6});
  // Places are moved so that the slice lies inside.
  EXPECT_EQ(compute(Code::STABLEHLO_DYNAMIC_SLICE, {six, index(-3), index(2)},
                    {1, 2}, dynamicSliceOf({1, 2})),
            (Numbers{2, 3}));
  // Indices of 64 bits are places, too.
  auto wide = [](double value, bool isConstant) {
    return TestInput{{{}, Type::INT64}, {value}, isConstant};
  };
  EXPECT_EQ(compute(Code::STABLEHLO_DYNAMIC_SLICE,
                    {six, wide(-3, true), wide(2, true)}, {1, 2},
                    dynamicSliceOf({1, 2})),
            (Numbers{2, 3}));
  EXPECT_EQ(textOf(Code::STABLEHLO_DYNAMIC_SLICE,
                   {reals({8}, Numbers(8)), wide(0, false)}, {2},
                   dynamicSliceOf({2})),
            "tflite:CAST(i1:0, 4, 2) -> t1\n"
            "MUL(t1, {1}, 0) -> t1\n"
            "MAXIMUM(t1, {0}) -> t1\n"
            "MINIMUM(t1, {6}) -> t1\n"
            "ADD(t1, {2}, 0) -> t1\n"
            "tflite:STRIDED_SLICE(i8, t1, t1, {1}, 0, 0, 0, 0, 0, false) -> "
            "o2");
  EXPECT_EQ(
      textOf(Code::STABLEHLO_DYNAMIC_SLICE,
             {reals({8}, Numbers(8)), index(0, false)}, {2},
             dynamicSliceOf({2})),
      "MUL(i1, {1}, 0) -> t1\n"
      "MAXIMUM(t1, {0}) -> t1\n"
      "MINIMUM(t1, {6}) -> t1\n"
      "ADD(t1, {2}, 0) -> t1\n"
      "tflite:STRIDED_SLICE(i8, t1, t1, {1}, 0, 0, 0, 0, 0, false) -> o2");
  EXPECT_EQ(textOf(Code::STABLEHLO_DYNAMIC_UPDATE_SLICE,
                   {six, reals({1, 1}, {9}), index(5), index(1)}, {2, 3}, {}),
            "tflite:DYNAMIC_UPDATE_SLICE(i2x3, i1x1, {5 1}) -> o2x3");
  // Rows of a table, by vectors of one index and by indices.
  TestInput rows = integersInput({1, 0, 7}, {3, 1});
  EXPECT_EQ(compute(Code::STABLEHLO_GATHER, {six, rows}, {3, 3},
                    gatherBy({1}, {0}, {0}, 1, {1, 3})),
            (Numbers{4, 5, 6, 1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(compute(Code::STABLEHLO_GATHER, {six, integersInput({2, 0}, {2})},
                    {2, 2}, gatherBy({0}, {1}, {1}, 1, {2, 1})),
            (Numbers{3, 1, 6, 4}));
}

/// The result of a file whose subgraph 1 combines.
Numbers reduce(Code code, Numbers values, std::vector<int32_t> from,
               double first, std::vector<int32_t> to,
               const OperatorExtras &extras, Code body,
               Type type = Type::FLOAT32) {
  TestInput data = {{std::move(from), type}, std::move(values)},
            start = {{{}, type}, {first}, true};
  std::vector<Numbers> results = runFile(
      reducingFile(code, {data, start}, {std::move(to), type}, extras, body),
      {data.values});
  return results.empty() ? Numbers() : results[0];
}

TEST(TFLiteStableHloTest, reductions) {
  auto over1 = [&](Code body, double first) {
    return reduce(Code::STABLEHLO_REDUCE, {1, 2, 3, -4, 5, 6}, {2, 3}, first,
                  {2}, reduceOver({1}), body);
  };
  EXPECT_EQ(over1(Code::STABLEHLO_ADD, 0), (Numbers{6, 7}));
  EXPECT_EQ(over1(Code::STABLEHLO_ADD, 10), (Numbers{16, 17}));
  EXPECT_EQ(over1(Code::STABLEHLO_MULTIPLY, 1), (Numbers{6, -120}));
  EXPECT_EQ(over1(Code::STABLEHLO_MAXIMUM, -infinity), (Numbers{3, 6}));
  EXPECT_EQ(over1(Code::STABLEHLO_MAXIMUM, 5), (Numbers{5, 6}));
  EXPECT_EQ(over1(Code::STABLEHLO_MINIMUM, infinity), (Numbers{1, -4}));
  EXPECT_EQ(reduce(Code::STABLEHLO_REDUCE, {1, 2, 3, 4}, {2, 2}, 0, {},
                   reduceOver({1, 0}), Code::STABLEHLO_ADD),
            Numbers{10});
  auto truths = [&](Code body, double first) {
    return reduce(Code::STABLEHLO_REDUCE, {1, 1, 0, 0, 1, 0}, {3, 2}, first,
                  {3}, reduceOver({1}), body, Type::BOOL);
  };
  EXPECT_EQ(truths(Code::STABLEHLO_AND, 1), (Numbers{1, 0, 0}));
  EXPECT_EQ(truths(Code::STABLEHLO_OR, 0), (Numbers{1, 0, 1}));
  EXPECT_EQ(truths(Code::STABLEHLO_AND, 0), (Numbers{0, 0, 0}));
}

TEST(TFLiteStableHloTest, windows) {
  Numbers picture = {-1, -2, -3, -4, -5, -6, -7, -8, -9};
  auto windows = [&](Code body, double first, Longs padding,
                     std::vector<int32_t> to) {
    return reduce(Code::STABLEHLO_REDUCE_WINDOW, picture, {1, 3, 3, 1}, first,
                  std::move(to),
                  windowsOf({1, 2, 2, 1}, {1, 1, 2, 1}, std::move(padding)),
                  body);
  };
  EXPECT_EQ(windows(Code::STABLEHLO_MAXIMUM, -infinity,
                    {0, 0, 0, 0, 0, 0, 0, 0}, {1, 2, 1, 1}),
            (Numbers{-1, -4}));
  // Windows leave elements outside of the tensor out.
  EXPECT_EQ(windows(Code::STABLEHLO_MAXIMUM, -infinity,
                    {0, 0, 0, 1, 0, 1, 0, 0}, {1, 3, 2, 1}),
            (Numbers{-1, -3, -4, -6, -7, -9}));
  EXPECT_EQ(windows(Code::STABLEHLO_MAXIMUM, -4, {0, 0, 0, 0, 0, 0, 0, 0},
                    {1, 2, 1, 1}),
            (Numbers{-1, -4}));
  expectNear(
      windows(Code::STABLEHLO_ADD, 0, {0, 0, 1, 0, 0, 1, 0, 0}, {1, 3, 2, 1}),
      {-3, -3, -12, -9, -24, -15}, 1e-4);
  expectNear(
      windows(Code::STABLEHLO_ADD, 1, {0, 0, 0, 0, 0, 0, 0, 0}, {1, 2, 1, 1}),
      {-11, -23}, 1e-4);
}

TEST(TFLiteStableHloTest, products) {
  TestInput a = reals({2, 3}, {1, 2, 3, 4, 5, 6}),
            b = reals({3, 2}, {1, 0, 0, 1, 1, 1});
  EXPECT_EQ(compute(Code::STABLEHLO_DOT_GENERAL, {a, constant(b)}, {2, 2},
                    dotOver({}, {}, {1}, {0})),
            (Numbers{4, 5, 10, 11}));
  // Both factors with the summed dimension elsewhere.
  EXPECT_EQ(compute(Code::STABLEHLO_DOT_GENERAL,
                    {a, reals({2, 2}, {1, 2, 3, 4})}, {3, 2},
                    dotOver({}, {}, {0}, {0})),
            (Numbers{13, 18, 17, 24, 21, 30}));
  // A batch, and everything summed over.
  EXPECT_EQ(compute(Code::STABLEHLO_DOT_GENERAL, {a, a}, {2},
                    dotOver({0}, {0}, {1}, {1})),
            (Numbers{14, 77}));
  EXPECT_EQ(compute(Code::STABLEHLO_DOT_GENERAL, {a, a}, {},
                    dotOver({}, {}, {0, 1}, {0, 1})),
            Numbers{91});
}

TEST(TFLiteStableHloTest, convolutions) {
  Numbers picture(9), kernel = {1, 2, 3, 4};
  for (size_t i = 0; i < picture.size(); ++i)
    picture[i] = double(i);
  HloConvolution form;
  TestInput weights = constant(reals({2, 2, 1, 1}, kernel));
  EXPECT_EQ(compute(Code::STABLEHLO_CONVOLUTION,
                    {reals({1, 3, 3, 1}, picture), weights}, {1, 2, 2, 1},
                    convolution(form)),
            (Numbers{27, 37, 57, 67}));
  // Channels before rows and columns, and zeros around.
  form.input = form.output = {0, 2, 3, 1};
  form.padding = {0, 1, 1, 0};
  form.strides = {2, 1};
  EXPECT_EQ(compute(Code::STABLEHLO_CONVOLUTION,
                    {reals({1, 1, 3, 3}, picture), weights}, {1, 1, 2, 3},
                    convolution(form)),
            (Numbers{12, 27, 37, 12, 20, 23}));
  // One filter for each of two channels.
  form = {};
  form.groups = 2;
  EXPECT_EQ(compute(Code::STABLEHLO_CONVOLUTION,
                    {reals({1, 1, 2, 2}, {1, 10, 2, 20}),
                     constant(reals({1, 2, 1, 2}, {1, 2, 3, 4}))},
                    {1, 1, 1, 2}, convolution(form)),
            (Numbers{7, 100}));
}

/// A COMPOSITE of the difference of its two inputs, which subgraph 1 computes.
std::vector<std::byte> compositeFile(int32_t subgraph) {
  TFLiteWriter file;
  int32_t a = file.tensor({{2}}), b = file.tensor({{2}}),
          c = file.tensor({{2}});
  file.add(Code::STABLEHLO_COMPOSITE, {a, b}, {c}, schema::BuiltinOptions::NONE,
           0, options2([=](Builder &builder) {
             return schema::CreateStableHLOCompositeOptionsDirect(
                 builder, "example.difference", subgraph);
           }));
  file.endSubgraph({a, b}, {c});
  a = file.tensor({{2}}), b = file.tensor({{2}}), c = file.tensor({{2}});
  file.add(Code::STABLEHLO_SUBTRACT, {a, b}, {c});
  return file.finish({a, b}, {c});
}

TEST(TFLiteStableHloTest, composites) {
  EXPECT_EQ(runFile(compositeFile(1), {{5, 7}, {1, 10}})[0], (Numbers{4, -3}));
  EXPECT_EQ(importError(compositeFile(2)),
            "operator 0 (STABLEHLO_COMPOSITE): calls subgraph 2 of 2");
  EXPECT_EQ(importError(compositeFile(0)),
            "operator 0 (STABLEHLO_COMPOSITE): subgraph 0 calls itself");
}

TEST(TFLiteStableHloTest, loops) {
  TFLiteWriter file;
  int32_t x = file.tensor({{1}}), y = file.tensor({{1}});
  file.add(Code::STABLEHLO_WHILE, {x}, {y}, schema::BuiltinOptions::NONE, 0,
           options2([](Builder &b) {
             return schema::CreateStablehloWhileOptions(b, 1, 2);
           }));
  file.endSubgraph({x}, {y});
  x = file.tensor({{1}}), y = file.tensor({{1}, Type::BOOL});
  file.add(Code::STABLEHLO_COMPARE, {x, file.floats({1}, 10)}, {y},
           schema::BuiltinOptions::NONE, 0,
           compareBy(schema::ComparisonDirection::LT));
  file.endSubgraph({x}, {y});
  x = file.tensor({{1}}), y = file.tensor({{1}});
  file.add(Code::STABLEHLO_ADD, {x, x}, {y});
  EXPECT_EQ(runFile(file.finish({x}, {y}), {{1.5}})[0], Numbers{12});
}

} // namespace
} // namespace nnhal::rt
