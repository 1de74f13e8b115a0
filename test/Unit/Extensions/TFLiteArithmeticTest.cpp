//===- TFLiteArithmeticTest.cpp - Tests of arithmetic ---------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Arithmetic, comparisons, conversions and reductions. Values are computed by
// hand from TensorFlow Lite's rules.
//
//===----------------------------------------------------------------------===//

#include "TFLiteTesting.h"

#include <cmath>

using namespace nnhal;
using namespace nnhal::tflite;

namespace {

using Truths = std::vector<bool>;

Int16s binary16(uint16_t number, Int16s a, float aScale, Int16s b, float bScale,
                float scale, int32_t activation = 0) {
  Operator use(number);
  use.int16({int64_t(a.size())}, a, aScale)
      .int16({int64_t(b.size())}, b, bScale)
      .option(activation)
      .result(tensorInt16, {int64_t(std::max(a.size(), b.size()))}, scale);
  return use.run().elements<int16_t>();
}

TEST(TFLiteArithmetic, AddRescalesBothOperands) {
  EXPECT_EQ(binary16(0, {100, -100, 32767}, 0.3f, {50, 50, 32767}, 0.6f, 0.9f),
            Int16s({67, 0, 32767}));
}

TEST(TFLiteArithmetic, AddShiftsPowersOfTwo) {
  // 3 / 2 is rounded away from 0 before it is added.
  EXPECT_EQ(binary16(0, {3, -3, 32767}, 0.25f, {10, 10, 32767}, 0.5f, 0.5f),
            Int16s({12, 8, 32767}));
  EXPECT_EQ(binary16(41, {10, 10}, 0.5f, {3, -3}, 0.25f, 0.5f),
            Int16s({8, 12}));
}

TEST(TFLiteArithmetic, SubBroadcastsAndBounds) {
  EXPECT_EQ(binary16(41, {100, -100, 5}, 0.3f, {50}, 0.3f, 0.3f, 1),
            Int16s({50, 0, 0}));
}

TEST(TFLiteArithmetic, MulRoundsTwice) {
  EXPECT_EQ(binary16(18, {100, -100, 3}, 0.1f, {7, 7, 1}, 0.5f, 0.1f),
            Int16s({350, -350, 2}));
  EXPECT_EQ(binary16(18, {1000}, 1.0f, {1000}, 1.0f, 1.0f), Int16s({32767}));
}

TEST(TFLiteArithmetic, SquaredDifference) {
  Operator use(99);
  use.int16({3}, {100, -100, 0}, 0.5f)
      .int16({1}, {50}, 0.5f)
      .result(tensorInt16, {3}, 0.25f);
  EXPECT_EQ(use.run().elements<int16_t>(), Int16s({2500, 22500, 2500}));
}

TEST(TFLiteArithmetic, WideIntegersWrap) {
  Operator add(0);
  add.int64({2}, {INT64_MAX, 5})
      .int64({1}, {1})
      .option(0)
      .result(tensorInt64, {2});
  EXPECT_EQ(add.run().elements<int64_t>(), Int64s({INT64_MIN, 6}));
  Operator mul(18);
  mul.int64({2}, {int64_t(1) << 40, -5})
      .int64({2}, {4, 3})
      .option(1)
      .result(tensorInt64, {2});
  EXPECT_EQ(mul.run().elements<int64_t>(), Int64s({int64_t(1) << 42, 0}));
  Operator sum(106);
  sum.int64({1}, {1}).int64({1}, {2}).int64({1}, {3}).result(tensorInt64, {1});
  EXPECT_EQ(sum.run().elements<int64_t>(), Int64s({6}));
}

TEST(TFLiteArithmetic, DivisionsRoundDownOrToZero) {
  Operator div(42);
  div.int32({3}, {7, -7, INT32_MIN})
      .int32({3}, {2, 2, -1})
      .option(0)
      .result(tensorInt32, {3});
  EXPECT_EQ(div.run().elements<int32_t>(), Int32s({3, -3, INT32_MIN}));
  Operator floor(90);
  floor.int16({3}, {7, -7, 6}).int16({3}, {2, 2, -3}).result(tensorInt16, {3});
  EXPECT_EQ(floor.run().elements<int16_t>(), Int16s({3, -4, -2}));
  Operator rest(95);
  rest.int64({4}, {7, -7, 7, INT64_MIN})
      .int64({4}, {3, 3, -3, -1})
      .result(tensorInt64, {4});
  EXPECT_EQ(rest.run().elements<int64_t>(), Int64s({1, 2, -2, 0}));
}

TEST(TFLiteArithmetic, PowersBitsAndAngles) {
  Operator pow(78);
  pow.int32({2}, {-3, 2}).int32({2}, {3, 0}).result(tensorInt32, {2});
  EXPECT_EQ(pow.run().elements<int32_t>(), Int32s({-27, 1}));
  Operator bits(160);
  bits.int16({1}, {0x0FF0}).int16({1}, {0x00FF}).result(tensorInt16, {1});
  EXPECT_EQ(bits.run().elements<int16_t>(), Int16s({0x0F0F}));
  Operator shift(161);
  shift.int32({3}, {-8, 8, -8})
      .int32({3}, {1, 99, -1})
      .result(tensorInt32, {3});
  EXPECT_EQ(shift.run().elements<int32_t>(), Int32s({-4, 0, -8}));
  Operator angle(156);
  angle.float32({1}, {1.0f}).float32({1}, {1.0f}).result(tensorFloat32, {1});
  EXPECT_FLOAT_EQ(angle.run().elements<float>()[0], 0.78539816f);
}

TEST(TFLiteArithmetic, ExtremesComparisonsAndChoice) {
  Operator most(55);
  most.int16({2}, {1, -2}).int16({1}, {0}).result(tensorInt16, {2});
  EXPECT_EQ(most.run().elements<int16_t>(), Int16s({1, 0}));
  Operator least(57);
  least.int64({2}, {1, -2}).int64({1}, {0}).result(tensorInt64, {2});
  EXPECT_EQ(least.run().elements<int64_t>(), Int64s({0, -2}));
  std::vector<std::pair<uint16_t, Truths>> comparisons = {
      {58, {true, false, false}}, {61, {false, false, true}},
      {62, {false, true, true}},  {63, {true, true, false}},
      {71, {false, true, false}}, {72, {true, false, true}}};
  for (auto &[number, expected] : comparisons) {
    Operator use(number);
    use.int64({3}, {1, 2, 3}).int64({1}, {2}).result(tensorBool, {3});
    std::vector<uint8_t> found = use.run().elements<uint8_t>();
    EXPECT_EQ(Truths(found.begin(), found.end()), expected) << number;
  }
  Operator select(123);
  select.truths({2, 1}, {true, false})
      .int64({2}, {1, 2})
      .int64({1}, {9})
      .result(tensorInt64, {2, 2});
  EXPECT_EQ(select.run().elements<int64_t>(), Int64s({1, 2, 9, 9}));
  Operator rows(64);
  rows.truths({2}, {true, false})
      .int16({2, 2}, {1, 2, 3, 4})
      .int16({2, 2}, {5, 6, 7, 8})
      .result(tensorInt16, {2, 2});
  EXPECT_EQ(rows.run().elements<int16_t>(), Int16s({1, 2, 7, 8}));
  Operator shapes(145);
  shapes.int32({2}, {3, 1}).int32({3}, {2, 1, 4}).result(tensorInt32, {3});
  EXPECT_EQ(shapes.run().elements<int32_t>(), Int32s({2, 3, 4}));
}

TEST(TFLiteArithmetic, CastsTruncateAndBound) {
  Operator use(53);
  use.float32({4}, {-1.5f, 3e9f, NAN, 2.9f})
      .option(0)
      .option(2)
      .result(tensorInt32, {4});
  EXPECT_EQ(use.run().elements<int32_t>(), Int32s({-1, INT32_MAX, 0, 2}));
  Operator wide(53);
  wide.int64({2}, {(int64_t(1) << 32) + 7, 0})
      .option(4)
      .option(6)
      .result(tensorBool, {2});
  EXPECT_EQ(wide.run().elements<uint8_t>(), std::vector<uint8_t>({1, 0}));
}

TEST(TFLiteArithmetic, Unary) {
  Operator abs(101);
  abs.int16({2}, {-32768, 5}, 0.5f).result(tensorInt16, {2}, 0.5f);
  EXPECT_EQ(abs.run().elements<int16_t>(), Int16s({32767, 5}));
  Operator scaled(101);
  scaled.int16({2}, {-100, 5}, 0.5f).result(tensorInt16, {2}, 1.0f);
  EXPECT_EQ(scaled.run().elements<int16_t>(), Int16s({50, 3}));
  Operator neg(59);
  neg.int64({2}, {INT64_MIN, 5}).result(tensorInt64, {2});
  EXPECT_EQ(neg.run().elements<int64_t>(), Int64s({INT64_MIN, -5}));
  Operator sign(158);
  sign.float32({3}, {-2.5f, 0.0f, 7.0f}).result(tensorFloat32, {3});
  EXPECT_EQ(sign.run().elements<float>(), Floats({-1, 0, 1}));
  Operator square(92);
  square.int64({1}, {-3}).result(tensorInt64, {1});
  EXPECT_EQ(square.run().elements<int64_t>(), Int64s({9}));
  for (bool isApproximate : {false, true}) {
    Operator gelu(150);
    gelu.float32({1}, {1.0f}).option(isApproximate).result(tensorFloat32, {1});
    EXPECT_NEAR(gelu.run().elements<float>()[0],
                isApproximate ? 0.841192f : 0.8413447f, 1e-6);
  }
}

TEST(TFLiteArithmetic, QuantizesAndBack) {
  Operator real(114);
  real.float32({5}, {0.25f, -0.25f, 1e9f, -1e9f, NAN})
      .result(tensorInt16, {5}, 0.1f);
  // 2.5 is rounded away from 0.
  EXPECT_EQ(real.run().elements<int16_t>(),
            Int16s({3, -3, 32767, -32768, -32768}));
  Operator bytes(114);
  bytes.int16({3}, {100, -100, 32767}, 0.5f).result(tensorInt8, {3}, 1.0f, 3);
  EXPECT_EQ(bytes.run().elements<int8_t>(),
            std::vector<int8_t>({53, -47, 127}));
  Operator wide(114);
  wide.int16({1}, {-3}, 1.0f).result(tensorInt32, {1}, 0.5f);
  EXPECT_EQ(wide.run().elements<int32_t>(), Int32s({-6}));
  Operator back(6);
  back.int16({2}, {-3, 4}, 0.5f).result(tensorFloat32, {2}, 0.0f);
  EXPECT_EQ(back.run().elements<float>(), Floats({-1.5f, 2.0f}));
  Operator half(6);
  half.tensor<uint16_t>(rt::OperandType::TENSOR_FLOAT16, {3},
                        {0x3C00, 0x8001, 0x7C00}, 0.0f)
      .result(tensorFloat32, {3}, 0.0f);
  EXPECT_EQ(half.run().elements<float>(),
            Floats({1.0f, -5.9604645e-8f, INFINITY}));
  Operator channels(6);
  channels.tensor<int8_t>(tensorInt8, {2, 2}, {1, 2, 3, 4})
      .channels({0.5f, 2.0f}, 1)
      .result(tensorFloat32, {2, 2}, 0.0f);
  EXPECT_EQ(channels.run().elements<float>(), Floats({0.5f, 4, 1.5f, 8}));
}

TEST(TFLiteArithmetic, Reductions) {
  auto reduce = [](uint16_t number, bool keeps, Shape result, float scale) {
    Operator use(number);
    use.int16({2, 3}, {1, 2, 3, -4, 5, 7}, 0.5f)
        .int32({1}, {-1})
        .option(keeps)
        .result(tensorInt16, std::move(result), scale);
    return use.run().elements<int16_t>();
  };
  EXPECT_EQ(reduce(40, true, {2, 1}, 0.5f), Int16s({2, 3}));
  EXPECT_EQ(reduce(40, false, {2}, 0.25f), Int16s({4, 5}));
  EXPECT_EQ(reduce(74, false, {2}, 0.5f), Int16s({6, 8}));
  EXPECT_EQ(reduce(82, false, {2}, 0.5f), Int16s({3, 7}));
  EXPECT_EQ(reduce(89, false, {2}, 0.5f), Int16s({1, -4}));
  Operator all(74);
  all.int64({2, 2}, {1, 2, 3, 4})
      .int32({2}, {0, 1})
      .option(false)
      .result(tensorInt64, {1});
  EXPECT_EQ(all.run().elements<int64_t>(), Int64s({10}));
  Operator product(81);
  product.int32({2, 2}, {1, 2, 3, 4})
      .int32({1}, {0})
      .option(false)
      .result(tensorInt32, {2});
  EXPECT_EQ(product.run().elements<int32_t>(), Int32s({3, 8}));
  for (uint16_t number : {91, 140}) {
    Operator truth(number);
    truth.truths({2, 2}, {true, false, true, true})
        .int32({1}, {1})
        .option(false)
        .result(tensorBool, {2});
    EXPECT_EQ(truth.run().elements<uint8_t>(),
              std::vector<uint8_t>({uint8_t(number == 91), 1}));
  }
}

TEST(TFLiteArithmetic, PlacesOfExtremesAreWide) {
  Operator most(56);
  most.int16({2, 3}, {1, 9, 9, 4, -1, 3})
      .int32({1}, {1})
      .option(4)
      .result(tensorInt64, {2});
  EXPECT_EQ(most.run().elements<int64_t>(), Int64s({1, 0}));
  Operator least(79);
  least.float32({2, 3}, {1, 9, 9, 4, -1, 3})
      .int32({1}, {0})
      .option(2)
      .result(tensorInt32, {3});
  EXPECT_EQ(least.run().elements<int32_t>(), Int32s({0, 1, 1}));
}

Operator ofBytes(uint16_t number, Int8s a, Int8s b, float resultScale,
                 int32_t resultZero) {
  Operator use(number);
  const auto count = int64_t(a.size());
  use.tensor<int8_t>(tensorInt8, {count}, std::move(a), 0.05f, 5)
      .tensor<int8_t>(tensorInt8, {count}, std::move(b),
                      number == 42 ? 0.035f : 0.1f, -3)
      .option(0)
      .result(tensorInt8, {count}, resultScale, resultZero);
  return use;
}

TEST(TFLiteArithmetic, ProductsOfBytes) {
  EXPECT_EQ(ofBytes(18, {-128, 100, 7, 8, 127, -3}, {3, -100, 7, 9, -11, -128},
                    0.002f, -4)
                .run()
                .elements<int8_t>(),
            Int8s({-128, -128, 46, 86, -128, 127}));
  Operator unsignedBytes(18);
  unsignedBytes
      .tensor<uint8_t>(rt::OperandType::TENSOR_QUANT8_ASYMM, {3}, {10, 0, 255},
                       0.5f, 10)
      .tensor<uint8_t>(rt::OperandType::TENSOR_QUANT8_ASYMM, {1}, {3}, 0.5f, 2)
      .option(1)
      .result(rt::OperandType::TENSOR_QUANT8_ASYMM, {3}, 0.25f, 7);
  EXPECT_EQ(unsignedBytes.run().elements<uint8_t>(), Bytes({7, 7, 252}));
}

TEST(TFLiteArithmetic, QuotientsOfQuantizedNumbers) {
  EXPECT_EQ(ofBytes(42, {100, 33, 90, -90, 127, -128, 5},
                    {40, -90, -4, -2, 127, 100, 9}, 0.02f, 7)
                .run()
                .elements<int8_t>(),
            Int8s({127, -16, -128, -128, 74, -85, 7}));
  Operator words(42);
  words.int16({4}, {11192, 19988, -14554, -24179}, 0.0005f)
      .int16({4}, {-2836, -30159, 27399, -21414}, 0.00035f)
      .option(0)
      .result(tensorInt16, {4}, 0.0002f);
  EXPECT_EQ(words.run().elements<int16_t>(),
            Int16s({-28189, -4734, -3794, 8065}));
  // A quotient far below a step is 0.
  Operator small(42);
  small.int16({1}, {1}, 0.0005f)
      .int16({1}, {-18668}, 0.00035f)
      .option(0)
      .result(tensorInt16, {1}, 0.0002f);
  EXPECT_EQ(small.run().elements<int16_t>(), Int16s({-1}));
  EXPECT_EQ(ofBytes(42, {1, 2}, {7, -3}, 0.02f, 7).failure(),
            "DIV: division by 0 at element 1");
}

TEST(TFLiteArithmetic, RowsOfBytesAreNormalized) {
  auto normalized = [](float scale, int32_t zeroPoint) {
    Operator use(11);
    use.tensor<int8_t>(tensorInt8, {2, 3}, {8, 1, 5, 5, 5, 5}, 0.03f, 5)
        .option(0)
        .result(tensorInt8, {2, 3}, scale, zeroPoint);
    return use;
  };
  EXPECT_EQ(normalized(1.0f / 128, 0).run().elements<int8_t>(),
            Int8s({77, -102, 0, 0, 0, 0}));
  EXPECT_EQ(normalized(0.5f, 0).refusal(),
            "L2_NORMALIZATION: output 0 has scale 0.5 and zero point 0, but "
            "must have 2^-7 and 0");
}

TEST(TFLiteArithmetic, SlopesOfWordsAreBytes) {
  Operator use(54);
  use.int16({2, 4}, {-32768, -9000, -1, 0, 5, 1999, 20000, -3}, 0.0005f)
      .tensor<int8_t>(tensorInt8, {4}, {100, -7, 4, 3}, 0.01f, 4)
      .result(tensorInt16, {2, 4}, 0.0007f);
  EXPECT_EQ(use.run().elements<int16_t>(),
            Int16s({-22469, 707, 0, 0, 4, 1428, 14286, 0}));
  Operator other(54);
  other.int16({2}, {1, 2}).int16({1}, {1}).result(tensorInt16, {2});
  EXPECT_EQ(other.refusal(),
            "PRELU: input 1 (alpha) has elements of INT16, but must have INT8");
}

} // namespace
