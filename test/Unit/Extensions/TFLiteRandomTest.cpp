//===- TFLiteRandomTest.cpp - Random numbers ------------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Expected numbers are the known answers of Random123, whose authors published
// both generators, and those of TensorFlow Lite's tests.
//
//===----------------------------------------------------------------------===//

#include "TFLiteTesting.h"

#include <cmath>
#include <limits>
#include <numeric>

using namespace nnhal;
using namespace nnhal::tflite;

namespace {

constexpr auto tensorUint32 = rt::ownOperandType(1);
constexpr auto tensorUint64 = rt::ownOperandType(3);

using Words = std::vector<uint32_t>;
using Longs = std::vector<uint64_t>;

//===----------------------------------------------------------------------===//
// STABLEHLO_RNG_BIT_GENERATOR
//===----------------------------------------------------------------------===//

constexpr int32_t philox = 1, threefry = 2;

Operator bits(int32_t algorithm, Longs state, rt::OperandType type,
              Shape shape) {
  Operator use(204);
  auto count = int64_t(state.size());
  use.tensor(tensorUint64, {count}, std::move(state))
      .option(algorithm)
      .result(tensorUint64, {count})
      .result(type, std::move(shape));
  return use;
}

constexpr uint64_t joined(uint32_t low, uint32_t high) {
  return uint64_t(high) << 32 | low;
}

TEST(TFLiteRandom, PhiloxHasItsKnownAnswers) {
  auto words = [](Longs state) {
    Operator use = bits(philox, std::move(state), tensorUint32, {4});
    return use.run().elements<uint32_t>(1);
  };
  EXPECT_EQ(words({0, 0, 0}),
            Words({0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8}));
  constexpr uint64_t ones = ~uint64_t(0);
  EXPECT_EQ(words({ones, ones, ones}),
            Words({0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD}));
  EXPECT_EQ(
      words({joined(0xA4093822, 0x299F31D0), joined(0x243F6A88, 0x85A308D3),
             joined(0x13198A2E, 0x03707344)}),
      Words({0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1}));
}

TEST(TFLiteRandom, ThreefryHasItsKnownAnswers) {
  auto words = [](Longs state) {
    Operator use = bits(threefry, std::move(state), tensorUint32, {2});
    return use.run().elements<uint32_t>(1);
  };
  EXPECT_EQ(words({0, 0}), Words({0x6B200159, 0x99BA4EFE}));
  constexpr uint64_t ones = ~uint64_t(0);
  EXPECT_EQ(words({ones, ones}), Words({0x1CB996FC, 0xBB002BE7}));
  EXPECT_EQ(
      words({joined(0x13198A2E, 0x03707344), joined(0x243F6A88, 0x85A308D3)}),
      Words({0xC4923A9C, 0x483DF7A0}));
}

TEST(TFLiteRandom, BitsOfPhilox) {
  // The default algorithm is Philox.
  for (int32_t algorithm : {0, philox}) {
    Operator words = bits(algorithm, {1, 2, 3}, tensorInt32, {2, 3});
    EXPECT_EQ(words.run().elements<int32_t>(1),
              std::vector<int32_t>({-263854262, 1366700262, 495645701,
                                    -1243243882, 89414891, 1917262711}));
    EXPECT_EQ(words.elements<uint64_t>(0), Longs({1, 4, 3}));
    Operator longs = bits(algorithm, {1, 2, 3}, tensorUint64, {2, 3});
    EXPECT_EQ(longs.run().elements<uint64_t>(1),
              Longs({5869932932755744586u, 13107052260063114245u,
                     8234580641674714347u, 2641225993340350124u,
                     1962472297844690804u, 14865887844143937481u}));
    EXPECT_EQ(longs.elements<uint64_t>(0), Longs({1, 5, 3}));
  }
  // A short state is like one with the key behind it.
  Operator brief = bits(philox, {1, 2}, tensorInt64, {3});
  Operator full = bits(philox, {1, 2, 1}, tensorInt64, {3});
  EXPECT_EQ(brief.run().elements<int64_t>(1), full.run().elements<int64_t>(1));
  EXPECT_EQ(brief.elements<uint64_t>(0), Longs({1, 4}));
}

TEST(TFLiteRandom, BitsOfThreefry) {
  Operator words = bits(threefry, {1, 2}, tensorInt32, {2, 3});
  EXPECT_EQ(words.run().elements<int32_t>(1),
            std::vector<int32_t>({43444564, -2144348869, -315321645, -549236733,
                                  1672743891, -54463903}));
  EXPECT_EQ(words.elements<uint64_t>(0), Longs({1, 5}));
  Operator longs = bits(threefry, {1, 2}, tensorInt64, {2, 3});
  EXPECT_EQ(longs.run().elements<int64_t>(1),
            std::vector<int64_t>({-9209908263526143660, -2358953802017238317,
                                  -233920680524772397, 2658481902456610144,
                                  -2022031683723149139, -2324041912354448873}));
  EXPECT_EQ(longs.elements<uint64_t>(0), Longs({1, 8}));
}

TEST(TFLiteRandom, CountersWrap) {
  // RNG_BIT_GENERATOR advances the lower 64 bits of its counter alone.
  Operator use = bits(philox, {1, ~uint64_t(0), 3}, tensorUint32, {8});
  Words words = use.run().elements<uint32_t>(1);
  EXPECT_EQ(use.elements<uint64_t>(0), Longs({1, 1, 3}));
  Operator rest = bits(philox, {1, 0, 3}, tensorUint32, {4});
  EXPECT_EQ(rest.run().elements<uint32_t>(1),
            Words(words.begin() + 4, words.end()));
}

//===----------------------------------------------------------------------===//
// Operators with seeds
//===----------------------------------------------------------------------===//

constexpr uint16_t normal = 146, uniform = 148, multinomial = 149;

Operator random(uint16_t number, std::vector<int32_t> shape,
                std::vector<int64_t> seeds, Longs drawn = {0, 0}) {
  Operator use(number);
  Shape extents(shape.begin(), shape.end());
  use.int32({int64_t(shape.size())}, std::move(shape))
      .int64({2}, std::move(seeds))
      .tensor(tensorUint64, {2}, std::move(drawn))
      .result(tensorFloat32, std::move(extents))
      .result(tensorUint64, {2});
  return use;
}

TEST(TFLiteRandom, UniformNumbersAreBitsOfPhilox) {
  // The seeds are the key and the upper half of the counter; fractions are the
  // lower 23 bits of a word.
  Operator use = random(uniform, {2, 3}, {7, 9});
  std::vector<float> reals = use.run().elements<float>(0);
  Operator source = bits(philox, {7, 0, 9}, tensorUint32, {8});
  Words words = source.run().elements<uint32_t>(1);
  for (size_t index = 0; index < 6; ++index)
    EXPECT_EQ(reals[index], float(words[index] & 0x7FFFFF) / float(1 << 23));
  // Two groups of four; the rest of the second one is lost.
  EXPECT_EQ(use.elements<uint64_t>(1), Longs({2, 0}));
  Operator next = random(uniform, {2}, {7, 9}, {2, 0});
  Operator nextSource = bits(philox, {7, 2, 9}, tensorUint32, {2});
  words = nextSource.run().elements<uint32_t>(1);
  EXPECT_EQ(next.run().elements<float>(0)[1],
            float(words[1] & 0x7FFFFF) / float(1 << 23));
}

TEST(TFLiteRandom, StatesCountTo128Bits) {
  Operator use = random(uniform, {8}, {7, 9}, {~uint64_t(0), 5});
  std::vector<float> reals = use.run().elements<float>(0);
  EXPECT_EQ(use.elements<uint64_t>(1), Longs({1, 6}));
  Operator rest = random(uniform, {4}, {7, 15});
  EXPECT_EQ(rest.run().elements<float>(0),
            std::vector<float>(reals.begin() + 4, reals.end()));
}

TEST(TFLiteRandom, NormalNumbersAreOfBoxAndMuller) {
  Operator use = random(normal, {5}, {1234, 5678});
  std::vector<float> reals = use.run().elements<float>(0);
  EXPECT_EQ(use.elements<uint64_t>(1), Longs({2, 0}));
  Operator source = random(uniform, {8}, {1234, 5678});
  std::vector<float> uniforms = source.run().elements<float>(0);
  for (size_t index = 0; index < 5; ++index) {
    size_t pair = index / 2 * 2;
    double radius = std::sqrt(-2 * std::log(double(uniforms[pair])));
    double angle = 2 * M_PI * double(uniforms[pair + 1]);
    EXPECT_NEAR(reals[index],
                radius * (index == pair ? std::sin(angle) : std::cos(angle)),
                1e-5);
  }
}

TEST(TFLiteRandom, NumbersHaveTheirMeanAndVariance) {
  auto moments = [](uint16_t number) {
    Operator use = random(number, {100, 50, 5}, {1234, 5678});
    std::vector<float> reals = use.run().elements<float>(0);
    double count = double(reals.size()), mean = 0, variance = 0;
    for (float real : reals)
      mean += real / count;
    for (float real : reals)
      variance += (real - mean) * (real - mean) / count;
    return std::pair(mean, variance);
  };
  auto [mean, variance] = moments(uniform);
  EXPECT_NEAR(mean, 0.5, 0.01);
  EXPECT_NEAR(variance, 1.0 / 12, 0.01);
  auto [normalMean, normalVariance] = moments(normal);
  EXPECT_NEAR(normalMean, 0, 0.02);
  EXPECT_NEAR(normalVariance, 1, 0.02);
}

TEST(TFLiteRandom, NothingIsDrawnForNoElements) {
  Operator use = random(uniform, {3, 0}, {1, 2}, {4, 0});
  EXPECT_TRUE(use.run().elements<float>(0).empty());
  EXPECT_EQ(use.elements<uint64_t>(1), Longs({4, 0}));
}

//===----------------------------------------------------------------------===//
// MULTINOMIAL
//===----------------------------------------------------------------------===//

/// Executes MULTINOMIAL once for each of \p expected, and hands on its state.
template <typename T>
void expectClasses(std::vector<float> logits, int64_t batches, int32_t samples,
                   std::vector<int64_t> seeds,
                   const std::vector<std::vector<T>> &expected) {
  Longs state = {0, 0};
  for (const std::vector<T> &classes : expected) {
    Operator use(multinomial);
    use.float32({batches, int64_t(logits.size()) / batches}, logits)
        .int32({1}, {samples})
        .int64({2}, seeds)
        .tensor(tensorUint64, {2}, state)
        .result(sizeof(T) == 8 ? tensorInt64 : tensorInt32, {batches, samples})
        .result(tensorUint64, {2});
    EXPECT_EQ(use.run().elements<T>(0), classes);
    state = use.elements<uint64_t>(1);
  }
}

TEST(TFLiteRandom, ClassesAreThoseOfTensorFlow) {
  expectClasses<int32_t>({-1.2039728f, -0.35667497f}, 1, 10, {1234, 5678},
                         {{1, 0, 1, 0, 1, 1, 1, 1, 1, 1},
                          {1, 1, 1, 0, 1, 1, 0, 0, 0, 1},
                          {0, 1, 1, 0, 1, 1, 1, 1, 0, 1},
                          {1, 1, 1, 0, 1, 0, 0, 0, 1, 0}});
  expectClasses<int64_t>({-1.609438f, -1.2039728f, -0.6931472f}, 1, 15,
                         {5678, 1234},
                         {{1, 2, 1, 2, 1, 2, 2, 2, 2, 2, 1, 2, 2, 2, 2},
                          {1, 2, 0, 0, 2, 1, 2, 0, 1, 0, 2, 2, 0, 2, 2},
                          {1, 1, 2, 2, 2, 2, 1, 1, 2, 2, 0, 0, 2, 2, 2},
                          {0, 1, 1, 1, 2, 0, 1, 2, 1, 1, 2, 2, 1, 2, 2},
                          {0, 2, 2, 0, 2, 0, 2, 0, 1, 1, 2, 2, 0, 0, 1}});
  std::vector<float> logits;
  for (float part : {0.1f, 0.2f, 0.7f, 0.2f, 0.3f, 0.5f, 0.1f, 0.1f, 0.8f})
    logits.push_back(std::log(part));
  expectClasses<int64_t>(logits, 3, 10, {1234, 5678},
                         {{2, 1, 2, 1, 2, 2, 2, 2, 2, 2, 2, 2, 0, 2, 2,
                           2, 2, 1, 1, 2, 2, 2, 1, 2, 2, 1, 2, 2, 2, 2},
                          {2, 2, 2, 0, 2, 1, 0, 0, 2, 0, 2, 0, 2, 1, 2,
                           2, 0, 0, 2, 2, 2, 2, 2, 2, 1, 2, 1, 1, 2, 2},
                          {2, 0, 0, 0, 1, 2, 1, 2, 0, 0, 2, 2, 2, 2, 0,
                           2, 1, 2, 2, 1, 2, 2, 1, 2, 2, 2, 1, 2, 2, 2}});
}

TEST(TFLiteRandom, ClassesOfInfiniteLogitsAreNotDrawn) {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  expectClasses<int32_t>({-infinity, 3, infinity, NAN}, 1, 6, {1, 2},
                         {{1, 1, 1, 1, 1, 1}});
  // None of two classes.
  expectClasses<int32_t>({-infinity, infinity}, 1, 3, {1, 2}, {{2, 2, 2}});
}

//===----------------------------------------------------------------------===//
// Errors
//===----------------------------------------------------------------------===//

Operator openRandom(Shape shape, rt::OperandType seedType, Shape seeds,
                    rt::OperandType result = tensorFloat32) {
  Operator use(uniform);
  use.open(tensorInt32, std::move(shape))
      .open(seedType, std::move(seeds))
      .open(tensorUint64, {2})
      .result(result, {-1, -1})
      .result(tensorUint64, {2});
  return use;
}

TEST(TFLiteRandom, RefusesOtherForms) {
  EXPECT_EQ(openRandom({2}, tensorInt64, {2}).refusal(), "");
  EXPECT_EQ(openRandom({2}, tensorInt32, {2}).refusal(),
            "RANDOM_UNIFORM: input 1 (seeds) has elements of INT32, but must "
            "have INT64");
  EXPECT_EQ(openRandom({2}, tensorInt64, {3}).refusal(),
            "RANDOM_UNIFORM: input 1 (seeds) has extent 3 in dimension 0, but "
            "must have 2");
  EXPECT_EQ(openRandom({2}, tensorInt64, {2}, tensorInt32).refusal(),
            "RANDOM_UNIFORM: output 0 has elements of INT32, but must have "
            "FLOAT32");
  EXPECT_EQ(openRandom({9}, tensorInt64, {2}).refusal(),
            "RANDOM_UNIFORM: input 0 (shape) has 9 elements, but a result has "
            "at most 8 dimensions");
  EXPECT_EQ(openRandom({-1}, tensorInt64, {2}).refusal(), "");
  EXPECT_EQ(Operator(uniform)
                .open(tensorInt32, {-1})
                .open(tensorInt64, {2})
                .open(tensorUint64, {2})
                .result(tensorFloat32, {})
                .unrankedResult()
                .result(tensorUint64, {2})
                .refusal(),
            "RANDOM_UNIFORM: the output has unknown rank, and no input tells "
            "its shape");
  EXPECT_EQ(random(uniform, {2, -3}, {1, 2}).refusal(),
            "RANDOM_UNIFORM: extent -3 of the new shape must be 0 to "
            "4294967295");
}

Operator openMultinomial(Shape logits, Shape count, int32_t samples) {
  Operator use(multinomial);
  use.open(tensorFloat32, std::move(logits));
  std::vector<int32_t> values(size_t(count[0]), samples);
  use.int32(std::move(count), values)
      .open(tensorInt64, {2})
      .open(tensorUint64, {2})
      .result(tensorInt64, {-1, -1})
      .result(tensorUint64, {2});
  return use;
}

TEST(TFLiteRandom, RefusesOtherFormsOfMultinomial) {
  EXPECT_EQ(openMultinomial({2, 3}, {1}, 5).refusal(), "");
  EXPECT_EQ(openMultinomial({2, 0}, {1}, 5).refusal(),
            "MULTINOMIAL: input 0 (logits) has 0 classes, but must have at "
            "least 1");
  EXPECT_EQ(openMultinomial({2, 3}, {2}, 5).refusal(),
            "MULTINOMIAL: input 1 (num_samples) has 2 elements, but must have "
            "1");
  EXPECT_EQ(openMultinomial({2, 3}, {1}, -5).refusal(),
            "MULTINOMIAL: the number of samples is -5, but must be 0 to "
            "4294967295");
}

TEST(TFLiteRandom, RefusesOtherFormsOfBits) {
  EXPECT_EQ(bits(threefry, {1, 2, 3}, tensorInt32, {1}).refusal(),
            "STABLEHLO_RNG_BIT_GENERATOR: input 0 (initial_state) has 3 "
            "elements, but must have 2");
  EXPECT_EQ(bits(philox, {1}, tensorInt32, {1}).refusal(),
            "STABLEHLO_RNG_BIT_GENERATOR: input 0 (initial_state) has 1 "
            "elements, but must have 2 or 3");
  EXPECT_EQ(bits(3, {1, 2}, tensorInt32, {1}).refusal(),
            "STABLEHLO_RNG_BIT_GENERATOR: option algorithm is 3, but must be 0 "
            "to 2");
  EXPECT_EQ(bits(philox, {1, 2}, tensorInt16, {1}).refusal(),
            "STABLEHLO_RNG_BIT_GENERATOR: output 1 has elements of INT16, but "
            "must have INT32, INT64, UINT32, UINT64");
  EXPECT_EQ(bits(philox, {1, 2}, tensorInt32, {}).unrankedResult().refusal(),
            "STABLEHLO_RNG_BIT_GENERATOR: output 1 has unknown rank, and no "
            "input tells its shape");
}

} // namespace
