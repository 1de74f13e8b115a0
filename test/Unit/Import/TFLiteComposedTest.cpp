//===- TFLiteComposedTest.cpp - Operators of several operations -----------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RunTesting.h"

#include <cmath>

namespace nnhal::rt {
namespace {

const TensorSpec s8 = {{}, Type::INT8, {0.125f}, {-3}};
const TensorSpec u8 = {{}, Type::UINT8, {0.25f}, {100}};

TensorSpec shaped(TensorSpec spec, std::vector<int32_t> shape) {
  spec.shape = std::move(shape);
  return spec;
}

TestInput whole(std::vector<int32_t> shape, Numbers values) {
  return {{std::move(shape), Type::INT32}, std::move(values)};
}

TEST(TFLiteComposedTest, squares) {
  EXPECT_EQ(run(Code::SQUARE, {reals({3}, {-2, 0.5, 3})}),
            (Numbers{4, 0.25, 9}));
  EXPECT_EQ(run(Code::SQUARE, {whole({2}, {-7, 3})}, {{}, Type::INT32}),
            (Numbers{49, 9}));
  EXPECT_EQ(run(Code::SQUARED_DIFFERENCE,
                {reals({2, 2}, {1, 2, 3, 4}), reals({2}, {0.5, 4})}),
            (Numbers{0.25, 4, 6.25, 0}));
  EXPECT_EQ(run(Code::SQUARED_DIFFERENCE,
                {whole({2}, {5, -5}), whole({1}, {2})}, {{}, Type::INT32}),
            (Numbers{9, 49}));
  std::mt19937 random(1);
  TensorSpec result = {{}, Type::UINT8, {0.5f}, {0}};
  Numbers a = randomWhole(random, 200, 0, 255);
  Numbers b = randomWhole(random, 200, 0, 255);
  Numbers x = dequantized(a, u8), y = dequantized(b, u8), expected;
  for (size_t i = 0; i < x.size(); ++i)
    expected.push_back((x[i] - y[i]) * (x[i] - y[i]));
  TensorSpec input = shaped(u8, {200});
  EXPECT_EQ(run(Code::SQUARED_DIFFERENCE, {{input, a}, {input, b}}, result),
            quantized(expected, result));
}

TEST(TFLiteComposedTest, arithmetic) {
  EXPECT_EQ(run(Code::ADD_N, {reals({2}, {1, 2}), reals({2}, {10, 20}),
                              reals({2}, {100, 200})}),
            (Numbers{111, 222}));
  EXPECT_EQ(run(Code::ADD_N, {whole({2}, {1, 2}), whole({2}, {-3, 4})},
                {{}, Type::INT32}),
            (Numbers{-2, 6}));
  EXPECT_EQ(run(Code::FLOOR_DIV,
                {whole({4}, {7, -7, 7, -7}), whole({4}, {2, 2, -2, -2})},
                {{}, Type::INT32}),
            (Numbers{3, -4, -4, 3}));
  EXPECT_EQ(run(Code::FLOOR_DIV, {reals({2}, {7, -7}), reals({1}, {2})}),
            (Numbers{3, -4}));
  EXPECT_EQ(run(Code::FLOOR_MOD,
                {whole({4}, {7, -7, 7, -7}), whole({4}, {2, 2, -2, -2})},
                {{}, Type::INT32}),
            (Numbers{1, 1, -1, -1}));
  EXPECT_EQ(run(Code::CEIL, {reals({4}, {1.25, -1.25, 2, -0.5})}),
            (Numbers{2, -1, 2, -0.0}));
}

TEST(TFLiteComposedTest, activations) {
  auto slope = [](float alpha) {
    return options(
        [=](Builder &b) { return schema::CreateLeakyReluOptions(b, alpha); });
  };
  EXPECT_EQ(run(Code::LEAKY_RELU, {reals({3}, {-2, 0, 3})}, {}, slope(0.25f)),
            (Numbers{-0.5, 0, 3}));
  std::mt19937 random(2);
  for (const TensorSpec &spec : {s8, u8})
    for (float alpha : {0.25f, -0.5f, 0.0f, 1.5f}) {
      int low = spec.type == Type::INT8 ? -128 : 0;
      Numbers values = randomWhole(random, 100, low, low + 255), expected;
      for (double x : dequantized(values, spec))
        expected.push_back(x < 0 ? x * alpha : x);
      TensorSpec result = spec;
      result.scales = {0.3f};
      expectNear(run(Code::LEAKY_RELU, {{shaped(spec, {100}), values}}, result,
                     slope(alpha)),
                 quantized(expected, result), 1);
    }
  EXPECT_EQ(run(Code::RELU_0_TO_1, {reals({4}, {-1, 0.25, 1, 7})}),
            (Numbers{0, 0.25, 1, 1}));
  Numbers x = {-3, -0.5, 0, 1, 2.5}, expected;
  for (double v : x)
    expected.push_back(
        0.5 * v *
        (1 + std::tanh(std::sqrt(2 / M_PI) * (v + 0.044715 * v * v * v))));
  expectNear(run(Code::GELU, {reals({5}, x)}, {}, options([](Builder &b) {
                   return schema::CreateGeluOptions(b, true);
                 })),
             expected, 1e-6);
}

TEST(TFLiteComposedTest, selectBroadcasts) {
  auto mask = [](std::vector<int32_t> shape, Numbers values) {
    return TestInput{{std::move(shape), Type::BOOL}, std::move(values)};
  };
  EXPECT_EQ(run(Code::SELECT_V2,
                {mask({2, 1}, {1, 0}), reals({2}, {1, 2}), reals({}, {9})}),
            (Numbers{1, 2, 9, 9}));
  EXPECT_EQ(
      run(Code::SELECT_V2,
          {mask({2}, {1, 0}), reals({2, 2, 1}, {1, 2, 3, 4}), reals({}, {9})}),
      (Numbers{1, 9, 2, 9, 3, 9, 4, 9}));
  EXPECT_EQ(run(Code::SELECT_V2, {mask({}, {0}), reals({2}, {1, 2}),
                                  reals({2, 2}, {3, 4, 5, 6})}),
            (Numbers{3, 4, 5, 6}));
  EXPECT_EQ(
      run(Code::SELECT_V2,
          {mask({3}, {1, 0, 1}), whole({1}, {1 << 30}), whole({2, 1}, {-5, 6})},
          {{}, Type::INT32}),
      (Numbers{1 << 30, -5, 1 << 30, 1 << 30, 6, 1 << 30}));
  EXPECT_EQ(run(Code::SELECT_V2,
                {mask({2}, {1, 0}),
                 {shaped(s8, {1}), {7}},
                 {shaped(s8, {2}), {8, 9}}},
                s8),
            (Numbers{7, 9}));
}

TEST(TFLiteComposedTest, oneHot) {
  auto axis = [](int32_t value) {
    return options(
        [=](Builder &b) { return schema::CreateOneHotOptions(b, value); });
  };
  auto scalar = [](double value) { return TestInput{{{}}, {value}, true}; };
  std::vector<TestInput> inputs = {whole({2}, {2, 0}), integersInput({3}),
                                   scalar(5), scalar(-1)};
  EXPECT_EQ(run(Code::ONE_HOT, inputs, {}, axis(-1)),
            (Numbers{-1, -1, 5, 5, -1, -1}));
  EXPECT_EQ(run(Code::ONE_HOT, inputs, {}, axis(0)),
            (Numbers{-1, 5, -1, -1, 5, -1}));
  inputs[2] = integersInput({1}, {});
  inputs[3] = integersInput({0}, {});
  inputs[0] = whole({}, {7}); // Outside: no class.
  EXPECT_EQ(run(Code::ONE_HOT, inputs, {{}, Type::INT32}, axis(-1)),
            (Numbers{0, 0, 0}));
}

Options packAxis(int32_t count, int32_t axis) {
  return options(
      [=](Builder &b) { return schema::CreatePackOptions(b, count, axis); });
}

TEST(TFLiteComposedTest, pack) {
  std::vector<TestInput> inputs = {reals({2, 2}, {1, 2, 3, 4}),
                                   reals({2, 2}, {5, 6, 7, 8})};
  EXPECT_EQ(run(Code::PACK, inputs, {}, packAxis(2, 0)),
            (Numbers{1, 2, 3, 4, 5, 6, 7, 8}));
  EXPECT_EQ(run(Code::PACK, inputs, {}, packAxis(2, 1)),
            (Numbers{1, 2, 5, 6, 3, 4, 7, 8}));
  EXPECT_EQ(run(Code::PACK, inputs, {}, packAxis(2, -1)),
            (Numbers{1, 5, 2, 6, 3, 7, 4, 8}));
  EXPECT_EQ(run(Code::PACK, {reals({2}, {1, 2})}, {}, packAxis(1, 1)),
            (Numbers{1, 2}));
  EXPECT_EQ(run(Code::PACK,
                {{shaped(u8, {2}), {1, 2}}, {shaped(u8, {2}), {3, 255}}}, u8,
                packAxis(2, 1)),
            (Numbers{1, 3, 2, 255}));
  // The HAL has no operation that joins integers.
  EXPECT_EQ(run(Code::PACK,
                {whole({2}, {1, INT32_MIN}), whole({2}, {3, INT32_MAX}),
                 whole({2}, {-5, 6})},
                {{}, Type::INT32}, packAxis(3, -1)),
            (Numbers{1, 3, -5, INT32_MIN, INT32_MAX, 6}));
  EXPECT_EQ(run(Code::PACK, {whole({}, {4}), whole({}, {5})}, {{}, Type::INT32},
                packAxis(2, 0)),
            (Numbers{4, 5}));
}

TEST(TFLiteComposedTest, unpackAndSplit) {
  auto unpack = [](int32_t axis) {
    return options(
        [=](Builder &b) { return schema::CreateUnpackOptions(b, 0, axis); });
  };
  TestInput input = reals({2, 3}, {1, 2, 3, 4, 5, 6});
  EXPECT_EQ(runOperator(Code::UNPACK, {input}, {{}, {}}, unpack(0)),
            (std::vector<Numbers>{{1, 2, 3}, {4, 5, 6}}));
  EXPECT_EQ(runOperator(Code::UNPACK, {input}, {{}, {}, {}}, unpack(-1)),
            (std::vector<Numbers>{{1, 4}, {2, 5}, {3, 6}}));
  EXPECT_EQ(runOperator(Code::UNPACK, {{shaped(s8, {2}), {-9, 9}}}, {s8, s8},
                        unpack(0)),
            (std::vector<Numbers>{{-9}, {9}}));
  EXPECT_EQ(runOperator(Code::UNPACK, {reals({1, 2}, {1, 2})}, {{}}, unpack(0)),
            (std::vector<Numbers>{{1, 2}}));
  EXPECT_EQ(runOperator(Code::SPLIT_V,
                        {input, integersInput({2, -1}), integersInput({1})},
                        {{}, {}}),
            (std::vector<Numbers>{{1, 2, 4, 5}, {3, 6}}));
}

TEST(TFLiteComposedTest, gatherNd) {
  TestInput table = reals({2, 3, 2}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11});
  for (bool isConstant : {true, false}) {
    SCOPED_TRACE(isConstant);
    auto at = [&](std::vector<int32_t> shape, Numbers values) {
      return TestInput{{shape, Type::INT32}, values, isConstant};
    };
    EXPECT_EQ(run(Code::GATHER_ND, {table, at({2, 1}, {1, 0})}),
              (Numbers{6, 7, 8, 9, 10, 11, 0, 1, 2, 3, 4, 5}));
    EXPECT_EQ(run(Code::GATHER_ND, {table, at({2, 2}, {1, 2, 0, 1})}),
              (Numbers{10, 11, 2, 3}));
    EXPECT_EQ(run(Code::GATHER_ND, {table, at({1, 2, 3}, {1, 2, 1, 0, 0, 0})}),
              (Numbers{11, 0}));
    EXPECT_EQ(run(Code::GATHER_ND, {table, at({3}, {1, 0, 1})}), (Numbers{7}));
    EXPECT_EQ(run(Code::GATHER_ND,
                  {{shaped(s8, {3}), {4, 5, 6}}, at({2, 1}, {2, 0})}, s8),
              (Numbers{6, 4}));
  }
}

TEST(TFLiteComposedTest, broadcastTo) {
  EXPECT_EQ(run(Code::BROADCAST_TO,
                {reals({2, 1}, {1, 2}), integersInput({2, 2, 3})}),
            (Numbers{1, 1, 1, 2, 2, 2, 1, 1, 1, 2, 2, 2}));
  EXPECT_EQ(run(Code::BROADCAST_TO, {whole({}, {7}), integersInput({3})},
                {{}, Type::INT32}),
            (Numbers{7, 7, 7}));
  EXPECT_EQ(run(Code::BROADCAST_TO,
                {{shaped(u8, {1}), {9}}, integersInput({1, 2})}, u8),
            (Numbers{9, 9}));
}

TEST(TFLiteComposedTest, reverseAndMirror) {
  TestInput input = reals({2, 3}, {1, 2, 3, 4, 5, 6});
  EXPECT_EQ(run(Code::REVERSE_V2, {input, integersInput({1})}),
            (Numbers{3, 2, 1, 6, 5, 4}));
  EXPECT_EQ(run(Code::REVERSE_V2, {input, integersInput({0, -1})}),
            (Numbers{6, 5, 4, 3, 2, 1}));
  auto mode = [](schema::MirrorPadMode value) {
    return options(
        [=](Builder &b) { return schema::CreateMirrorPadOptions(b, value); });
  };
  TestInput paddings = integersInput({1, 0, 2, 1}, {2, 2});
  EXPECT_EQ(run(Code::MIRROR_PAD, {input, paddings}, {},
                mode(schema::MirrorPadMode::REFLECT)),
            (Numbers{6, 5, 4, 5, 6, 5, 3, 2, 1, 2, 3, 2, 6, 5, 4, 5, 6, 5}));
  EXPECT_EQ(run(Code::MIRROR_PAD, {input, paddings}, {},
                mode(schema::MirrorPadMode::SYMMETRIC)),
            (Numbers{2, 1, 1, 2, 3, 3, 2, 1, 1, 2, 3, 3, 5, 4, 4, 5, 6, 6}));
  EXPECT_EQ(run(Code::MIRROR_PAD,
                {{shaped(s8, {3}), {1, 2, 3}}, integersInput({3, 3}, {1, 2})},
                s8, mode(schema::MirrorPadMode::SYMMETRIC)),
            (Numbers{3, 2, 1, 1, 2, 3, 3, 2, 1}));
}

TEST(TFLiteComposedTest, cropsOfBatchToSpace) {
  EXPECT_EQ(run(Code::BATCH_TO_SPACE_ND,
                {reals({4, 1, 2, 1}, {0, 2, 1, 3, 4, 6, 5, 7}),
                 integersInput({2, 2}), integersInput({0, 1, 1, 2}, {2, 2})}),
            (Numbers{1}));
  EXPECT_EQ(run(Code::BATCH_TO_SPACE_ND,
                {reals({4, 1, 2, 1}, {0, 2, 1, 3, 4, 6, 5, 7}),
                 integersInput({2, 2}), integersInput({0, 0, 1, 0}, {2, 2})}),
            (Numbers{1, 2, 3, 5, 6, 7}));
}

// The HAL has these for reals only.
TEST(TFLiteComposedTest, quantizedThroughReals) {
  using Function = double (*)(double);
  struct Case {
    Code code;
    Function function;
    TensorSpec spec;
    int low, high;
  };
  std::mt19937 random(14);
  TensorSpec result = {{}, Type::INT8, {0.1f}, {-20}};
  for (const Case &test : std::vector<Case>{
           {Code::EXP, [](double x) { return std::exp(x); }, s8, -128, 20},
           {Code::ELU, [](double x) { return x < 0 ? std::expm1(x) : x; }, u8,
            0, 255}}) {
    Numbers values = randomWhole(random, 50, test.low, test.high), expected;
    for (double x : dequantized(values, test.spec))
      expected.push_back(test.function(x));
    result.type = test.spec.type;
    result.zeroPoints = {test.low + 20};
    EXPECT_EQ(run(test.code, {{shaped(test.spec, {50}), values}}, result),
              quantized(expected, result))
        << schema::EnumNameBuiltinOperator(test.code);
  }
  TensorSpec matrix = shaped(u8, {2, 3});
  matrix.zeroPoints = {0};
  result = {{}, Type::UINT8, {0.5f}, {1}};
  EXPECT_EQ(run(Code::REDUCE_PROD,
                {{matrix, {4, 8, 8, 4, 4, 40}}, integersInput({1})}, result),
            (Numbers{9, 21}));
  EXPECT_EQ(
      extended(Code::DIV,
               {{matrix, {4, 8, 12, 40, 80, 120}}, {shaped(matrix, {1}), {8}}},
               result),
      (Numbers{2, 3, 4, 11, 21, 31}));
  Numbers scores = run(Code::LOG_SOFTMAX, {{matrix, {0, 4, 8, 3, 3, 3}}},
                       {{}, Type::UINT8, {16 / 256.0f}, {255}});
  Numbers expected;
  for (double x : {0, 1, 2})
    expected.push_back(x - std::log(1 + std::exp(1) + std::exp(2)));
  expected.insert(expected.end(), 3, -std::log(3));
  EXPECT_EQ(scores,
            quantized(expected, {{}, Type::UINT8, {16 / 256.0f}, {255}}));
}

TEST(TFLiteComposedTest, float16) {
  TensorSpec half = {{}, Type::FLOAT16};
  auto halves = [](std::vector<int32_t> shape, Numbers values) {
    return TestInput{{shape, Type::FLOAT16}, values};
  };
  EXPECT_EQ(run(Code::SQUARED_DIFFERENCE,
                {halves({2}, {1, 5}), halves({1}, {3})}, half),
            (Numbers{4, 4}));
  EXPECT_EQ(run(Code::RELU_0_TO_1, {halves({3}, {-1, 0.5, 2})}, half),
            (Numbers{0, 0.5, 1}));
  EXPECT_EQ(run(Code::PACK, {halves({1}, {1}), halves({1}, {2})}, half,
                packAxis(2, 0)),
            (Numbers{1, 2}));
}

} // namespace
} // namespace nnhal::rt
