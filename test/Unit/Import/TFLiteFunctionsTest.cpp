//===- TFLiteFunctionsTest.cpp - Functions of reals -----------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RunTesting.h"

#include <cmath>

using namespace nnhal;
using namespace nnhal::rt;

namespace {

TEST(TFLiteFunctionsTest, cosines) {
  Numbers values = {0, 1, -2.5, 3.14159265, 100, -1000}, expected;
  for (double value : values)
    expected.push_back(std::cos(value));
  expectNear(run(Code::COS, {reals({6}, values)}), expected, 1e-4);
}

TEST(TFLiteFunctionsTest, signs) {
  EXPECT_EQ(run(Code::SIGN, {reals({5}, {-3, -1e-30, 0, 1e-30, 7})}),
            (Numbers{-1, -1, 0, 1, 1}));
}

TEST(TFLiteFunctionsTest, roundsHalvesToEven) {
  EXPECT_EQ(run(Code::ROUND, {reals({11}, {-2.5, -1.5, -0.75, -0.5, 0, 0.5, 1.5,
                                           2.5, 2.75, 8388609, -16777215})}),
            (Numbers{-2, -2, -1, 0, 0, 0, 2, 2, 3, 8388609, -16777215}));
}

Options fakeQuant(float min, float max, int bits, bool isNarrow) {
  return options([=](Builder &b) {
    return schema::CreateFakeQuantOptions(b, min, max, bits, isNarrow);
  });
}

TEST(TFLiteFunctionsTest, fakeQuantization) {
  // 0 is 85 steps from -0.5, and the range ends 170 steps from 0.
  const double step = 1.5 / 255;
  expectNear(run(Code::FAKE_QUANT, {reals({5}, {-9, -0.2, 0, 0.501, 9})}, {},
                 fakeQuant(-0.5f, 1.0f, 8, false)),
             {-85 * step, -34 * step, 0, 85 * step, 170 * step}, 1e-6);
  expectNear(run(Code::FAKE_QUANT, {reals({4}, {-9, 0.3, 0.6, 9})}, {},
                 fakeQuant(-1, 1, 2, true)),
             {-1, 0, 1, 1}, 1e-6);
  auto error = [](float min, float max, int bits) {
    return operatorError(Code::FAKE_QUANT, {reals({2}, {})}, {{}},
                         fakeQuant(min, max, bits, false));
  };
  EXPECT_EQ(error(1, 2, 8), "range 1 to 2 does not have 0 in it");
  EXPECT_EQ(error(0, 1, 17), "has 17 bits, expected 2 to 16");
}

Options cumsum(bool isExclusive, bool isReverse) {
  return options([=](Builder &b) {
    return schema::CreateCumsumOptions(b, isExclusive, isReverse);
  });
}

TEST(TFLiteFunctionsTest, cumulativeSums) {
  TestInput matrix = reals({2, 3}, {1, 2, 3, 4, 5, 6});
  auto sums = [&](int32_t axis, bool isExclusive, bool isReverse) {
    return run(Code::CUMSUM, {matrix, integersInput({axis})}, {},
               cumsum(isExclusive, isReverse));
  };
  EXPECT_EQ(sums(-1, false, false), (Numbers{1, 3, 6, 4, 9, 15}));
  EXPECT_EQ(sums(1, true, false), (Numbers{0, 1, 3, 0, 4, 9}));
  EXPECT_EQ(sums(1, false, true), (Numbers{6, 5, 3, 15, 11, 6}));
  EXPECT_EQ(sums(0, true, true), (Numbers{4, 5, 6, 0, 0, 0}));
  EXPECT_EQ(operatorError(Code::CUMSUM, {reals({5000}, {}), integersInput({0})},
                          {{}}),
            "sums 5000 elements, at most 4096 are composed; the extension "
            "nnhal.tflite takes it");
}

TEST(TFLiteFunctionsTest, buckets) {
  auto boundaries = [](std::vector<float> values) {
    return options([=](Builder &b) {
      auto list = b.CreateVector(values);
      return schema::CreateBucketizeOptions(b, list);
    });
  };
  EXPECT_EQ(run(Code::BUCKETIZE, {reals({2, 3}, {-1, 0, 5, 9.5, 10, 99})},
                {{}, Type::INT32}, boundaries({0, 10, 100})),
            (Numbers{0, 1, 1, 1, 2, 2}));
  EXPECT_EQ(operatorError(Code::BUCKETIZE, {reals({2}, {})},
                          {{{}, Type::INT32}}, boundaries({})),
            "has 0 boundaries, expected 1 to 4096");
  EXPECT_EQ(
      operatorError(Code::BUCKETIZE, {reals({2}, {})}, {{}}, boundaries({1})),
      "output 0 has type FLOAT32, expected INT32");
}

} // namespace
