//===- LookupRoutinesTest.cpp - Routines of lookups and sampling ----------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RoutineRunner.h"

#include "nnhal/Backend/Philox.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

using namespace nnhal::rt;
using namespace nnhal::rt::testing;
using Op = OperationType;
using Values = std::vector<double>;

namespace {

RoutineOutcome run(const OperationBuilder &builder) {
  return runRoutine(reference::lookupRoutines(), builder);
}

TensorType openInts() { return unrankedTensor(OperandType::TENSOR_INT32); }

RoutineOutcome embed(const Values &lookups) {
  OperationBuilder builder(Op::EMBEDDING_LOOKUP);
  return run(builder.tensor(int32Tensor({int64_t(lookups.size())}), lookups)
                 .tensor(quantTensor({3, 2}, 0.5f, 7), {1, 2, 3, 4, 5, 6})
                 .output(quantTensor({unknownExtent, 2}, 0.5f, 7)));
}

TEST(LookupRoutinesTest, EmbeddingCopiesRows) {
  RoutineOutcome outcome = embed({2, 0, 2, 1});
  ASSERT_TRUE(outcome.status.isOk()) << outcome.status.message();
  EXPECT_EQ(outcome.values[0], (Values{5, 6, 1, 2, 5, 6, 3, 4}));
}

// embedding_lookup C3, M-154: fails, nothing is clamped.
TEST(LookupRoutinesTest, EmbeddingRejectsIndices) {
  EXPECT_EQ(embed({1, 3}).status.message(), "lookup 3 is outside [0, 3)");
  EXPECT_EQ(embed({-1}).status.message(), "lookup -1 is outside [0, 3)");
  EXPECT_EQ(embed({-1}).status.code(), StatusCode::generalFailure);
}

// M-155, M-156: zero bytes for what is missed, whatever the zero point.
TEST(LookupRoutinesTest, HashtableHitsAndMisses) {
  OperationBuilder builder(Op::HASHTABLE_LOOKUP);
  RoutineOutcome outcome =
      run(builder.tensor(int32Tensor({4}), {1234, -292, -11, 0})
              .tensor(int32Tensor({3}), {-11, 0, 1234})
              .tensor(quantTensor({3, 2}, 0.5f, 100), {1, 2, 3, 4, 5, 6})
              .output(quantTensor({4, 2}, 0.5f, 100))
              .output(quantTensor({4}, 1.0f, 0)));
  ASSERT_TRUE(outcome.status.isOk()) << outcome.status.message();
  EXPECT_EQ(outcome.values[0], (Values{5, 6, 0, 0, 1, 2, 3, 4}));
  EXPECT_EQ(outcome.values[1], (Values{1, 0, 1, 1}));
}

RoutineOutcome project(int32_t kind, bool hasWeights, const Values &weights) {
  OperationBuilder builder(Op::LSH_PROJECTION);
  builder
      .tensor(floatTensor({4, 2}),
              {0.123, 0.456, -0.321, -0.654, 1.234, 5.678, -4.321, -8.765})
      .tensor(int32Tensor({3, 2}),
              {12345, 54321, 67890, 9876, -12345678, -87654321});
  if (hasWeights)
    builder.tensor(floatTensor({3}), weights);
  else
    builder.omitted(floatTensor({3}));
  return run(builder.int32(kind).output(openInts()));
}

// M-158, M-159, M-161
TEST(LookupRoutinesTest, LshProjects) {
  RoutineOutcome dense = project(2, true, {1, 1, 1});
  ASSERT_TRUE(dense.status.isOk()) << dense.status.message();
  const Values &bits = dense.values[0];
  ASSERT_EQ(bits.size(), 8u);
  Values signatures, offsets;
  for (size_t i = 0; i < 4; ++i) {
    signatures.push_back(2 * bits[2 * i] + bits[2 * i + 1]);
    offsets.push_back(signatures.back() + 4.0 * double(i));
  }
  EXPECT_EQ(project(1, true, {1, 1, 1}).values[0], signatures);
  EXPECT_EQ(project(3, true, {1, 1, 1}).values[0], offsets);
  // Omitted weights are 1; the opposite weights give the opposite bits.
  EXPECT_EQ(project(2, false, {}).values[0], bits);
  Values opposite = project(2, true, {-1, -1, -1}).values[0];
  for (size_t i = 0; i < bits.size(); ++i)
    EXPECT_EQ(opposite[i], 1 - bits[i]);
  // A sum of zero is not positive.
  EXPECT_EQ(project(2, true, {0, 0, 0}).values[0], Values(8, 0));
}

// Known answers of the generator's authors (Random123, kat_vectors).
TEST(LookupRoutinesTest, PhiloxKnownAnswers) {
  using Words = std::array<uint32_t, 4>;
  EXPECT_EQ(philox4x32({0, 0, 0, 0}, {0, 0}),
            (Words{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  constexpr uint32_t ones = 0xffffffff;
  EXPECT_EQ(philox4x32({ones, ones, ones, ones}, {ones, ones}),
            (Words{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(philox4x32({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
                       {0xa4093822, 0x299f31d0}),
            (Words{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

RoutineOutcome sample(const Values &logits, int32_t count,
                      const Values &seeds) {
  OperationBuilder builder(Op::RANDOM_MULTINOMIAL);
  return run(builder.tensor(floatTensor({1, int64_t(logits.size())}), logits)
                 .int32(count)
                 .tensor(int32Tensor({2}), seeds)
                 .output(openInts()));
}

// M-236, M-237
TEST(LookupRoutinesTest, MultinomialFollowsTheDistribution) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  Values logits{std::log(0.5), -infinity, std::log(0.3), std::log(0.2),
                infinity};
  constexpr int count = 20000;
  RoutineOutcome outcome = sample(logits, count, {37, 42});
  ASSERT_TRUE(outcome.status.isOk()) << outcome.status.message();
  const Values &classes = outcome.values[0];
  auto frequency = [&](double value) {
    return double(std::ranges::count(classes, value)) / count;
  };
  EXPECT_NEAR(frequency(0), 0.5, 0.015);
  EXPECT_EQ(frequency(1), 0);
  EXPECT_NEAR(frequency(2), 0.3, 0.015);
  EXPECT_NEAR(frequency(3), 0.2, 0.015);
  EXPECT_EQ(frequency(4), 0);
  EXPECT_EQ(sample(logits, count, {37, 42}).values[0], classes);
  EXPECT_NE(sample(logits, count, {37, 43}).values[0], classes);
  EXPECT_NE(sample(logits, count, {0, 0}).values[0],
            sample(logits, count, {0, 0}).values[0]);
}

// random_multinomial C5
TEST(LookupRoutinesTest, MultinomialNeedsAFiniteLogit) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(sample({infinity, -infinity}, 3, {1, 2}).status.message(),
            "logits of batch 0 are 2 values, none of them finite");
}

} // namespace
