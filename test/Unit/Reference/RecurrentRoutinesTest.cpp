//===- RecurrentRoutinesTest.cpp - What recurrent routines compute --------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Rules/RecurrentUses.h"
#include "RoutineRunner.h"
#include "Runtime/Numerics/FixedPointMath16.h"

#include <gtest/gtest.h>

#include <cmath>

using namespace nnhal::rt;
using namespace nnhal::rt::testing;

namespace {

using Numbers = std::vector<double>;

/// All outputs of \p use; none, and a failed test, when it does not run.
std::vector<Numbers> run(const RecurrentUse &use) {
  OperationBuilder builder = use.build();
  RoutineOutcome outcome = runRoutine(reference::recurrentRoutines(), builder);
  EXPECT_EQ(outcome.status.message(), "");
  return outcome.values;
}

//===----------------------------------------------------------------------===//
// LSTM
//===----------------------------------------------------------------------===//

// With weights of 0 all gates are 1/2: c' = (c + bias) / 2, h = c' / 2.
TEST(RecurrentRoutinesTest, LstmHalves) {
  RecurrentUse use = lstmUse();
  use.set(14, {3, 1});  // cell gate bias
  use.set(19, {2, -1}); // cell state
  std::vector<Numbers> outputs = run(use);
  EXPECT_EQ(outputs[0], Numbers(8, 0));
  EXPECT_EQ(outputs[1], (Numbers{1.25, 0}));
  EXPECT_EQ(outputs[2], (Numbers{2.5, 0}));
  EXPECT_EQ(outputs[3], outputs[1]); // M-174
}

// M-167: i = 1 - f, which is 0 where f is 1.
TEST(RecurrentRoutinesTest, LstmCoupledGate) {
  RecurrentUse use = lstmUse();
  for (size_t i : {1, 5, 12})
    use.omit(i);
  use.outputs[0] = floatTensor({1, 6});
  use.set(13, {100, -100}); // forget gate bias
  use.set(14, {3, 3});
  use.set(19, {2, 2});
  std::vector<Numbers> outputs = run(use);
  EXPECT_EQ(outputs[0].size(), 6u);
  EXPECT_EQ(outputs[2], (Numbers{2, 3}));
}

TEST(RecurrentRoutinesTest, LstmReadsInputAndOutputState) {
  RecurrentUse use = lstmUse();
  use.set(0, {1, 2});
  use.set(3, {1, 10, 0, 1});  // cell gate input weights
  use.set(7, {0, 0, 100, 0}); // cell gate recurrent weights
  use.set(18, {3, 4});
  std::vector<Numbers> outputs = run(use);
  EXPECT_EQ(outputs[2], (Numbers{10.5, 151}));
}

// M-172 and the projection: cell states of 2.5 are clipped to 2, so h is 1.
TEST(RecurrentRoutinesTest, LstmClipsAndProjects) {
  RecurrentUse use = lstmUse(OperandType::TENSOR_FLOAT32, {2, 2, 1});
  use.set(14, {3, 3});
  use.set(19, {2, 2});
  use.set(21, {2});
  use.set(16, floatTensor({1, 2}), {1, 2});
  use.set(17, floatTensor({1}), {0.5});
  EXPECT_EQ(run(use)[2], (Numbers{2, 2}));
  EXPECT_EQ(run(use)[3], Numbers{3.5});
  use.set(22, {3});
  EXPECT_EQ(run(use)[3], Numbers{3});
}

// Peepholes open or close gates; that of the output gate sees the new state.
TEST(RecurrentRoutinesTest, LstmPeephole) {
  RecurrentUse use = lstmUse();
  use.set(14, {3, 3});
  use.set(19, {2, 2});
  use.set(9, floatTensor({2}), {100, -100});  // i
  use.set(10, floatTensor({2}), {-100, 100}); // f
  use.set(11, floatTensor({2}), {-100, 0});   // o
  std::vector<Numbers> outputs = run(use);
  EXPECT_EQ(outputs[2], (Numbers{3, 2}));
  EXPECT_NEAR(outputs[3][0], 0, 1e-30);
  EXPECT_EQ(outputs[3][1], 1);
}

// M-170: 1 and 3 become -1 and 1, times the weights, plus the bias.
TEST(RecurrentRoutinesTest, LstmLayerNorm) {
  RecurrentUse use = lstmUse27();
  for (size_t i : {23, 24, 26})
    use.zeros(i, floatTensor({2}));
  use.set(25, floatTensor({2}), {4, 6}); // cell gate
  use.set(0, {1, 3});
  use.set(3, {1, 0, 0, 1});
  use.set(14, {10, 20});
  std::vector<Numbers> outputs = run(use);
  EXPECT_NEAR(outputs[2][0], 3, 1e-6);
  EXPECT_NEAR(outputs[2][1], 13, 1e-6);
}

// M-173.
TEST(RecurrentRoutinesTest, LstmActivations) {
  RecurrentUse use = lstmUse();
  use.set(14, {3, -3});
  for (auto [code, high, low] :
       {std::tuple{1, 1.5, 0.0},
        {3, 1.5, 0.0},
        {4, std::tanh(3.0) / 2, -std::tanh(3.0) / 2},
        {6, 0.5 / (1 + std::exp(-3.0)), 0.5 / (1 + std::exp(3.0))}}) {
    use.set(20, {double(code)});
    std::vector<Numbers> outputs = run(use);
    EXPECT_NEAR(outputs[2][0], high, 1e-6) << code;
    EXPECT_NEAR(outputs[2][1], low, 1e-6) << code;
  }
}

//===----------------------------------------------------------------------===//
// LSTM sequences
//===----------------------------------------------------------------------===//

// Two batches of two steps: c' = (c + x) / 2 and h = c' / 2.
TEST(RecurrentRoutinesTest, SequenceLstmOrders) {
  RecurrentUse use = sequenceLstmUse();
  use.set(3, {1, 0, 0, 1});
  use.zeros(18, floatTensor({2, 2}));
  use.zeros(19, floatTensor({2, 2}));
  use.set(0, floatTensor({2, 2, 2}), {8, 16, 4, 0, 24, 32, 0, 4});
  use.outputs = {floatTensor({2, 2, 2}), floatTensor({2, 2}),
                 floatTensor({2, 2})};
  std::vector<Numbers> outputs = run(use);
  EXPECT_EQ(outputs[0], (Numbers{2, 4, 2, 2, 6, 8, 3, 5}));
  EXPECT_EQ(outputs[1], (Numbers{2, 2, 3, 5}));
  EXPECT_EQ(outputs[2], (Numbers{4, 4, 6, 10}));
  use.set(0, {8, 16, 24, 32, 4, 0, 0, 4});
  use.set(23, {1});
  outputs = run(use);
  EXPECT_EQ(outputs[0], (Numbers{2, 4, 6, 8, 2, 2, 3, 5}));
  EXPECT_EQ(outputs[2], (Numbers{4, 4, 6, 10}));
}

/// Both cells take over what they read: c' = (c + x) / 2.
RecurrentUse bidirectionalSum() {
  RecurrentUse use = bidirectionalLstmUse();
  use.set(3, {1, 0, 0, 1});
  use.set(20, {1, 0, 0, 1});
  use.set(0, {8, 16, 4, 0});
  return use;
}

TEST(RecurrentRoutinesTest, BidirectionalLstmGoesBackwards) {
  RecurrentUse use = bidirectionalSum();
  use.outputs.insert(use.outputs.end(), 4, floatTensor({1, 2}));
  std::vector<Numbers> outputs = run(use);
  EXPECT_EQ(outputs[0], (Numbers{2, 4, 2, 2}));
  EXPECT_EQ(outputs[1], (Numbers{2.5, 4, 1, 0}));
  // M-177: activation and cell, forward and backward.
  EXPECT_EQ(outputs[2], (Numbers{2, 2}));
  EXPECT_EQ(outputs[3], (Numbers{4, 4}));
  EXPECT_EQ(outputs[4], (Numbers{2.5, 4}));
  EXPECT_EQ(outputs[5], (Numbers{5, 8}));
}

// M-179: forward features first.
TEST(RecurrentRoutinesTest, BidirectionalLstmMerges) {
  RecurrentUse use = bidirectionalSum();
  use.set(51, {1});
  use.outputs = {floatTensor({1, 2, 4})};
  EXPECT_EQ(run(use)[0], (Numbers{2, 4, 2.5, 4, 2, 2, 1, 0}));
}

// M-178: the backward cell reads the auxiliary input alone.
TEST(RecurrentRoutinesTest, BidirectionalLstmParallelLinking) {
  RecurrentUse use = bidirectionalSum();
  use.set(39, floatTensor({1, 2, 2}), {80, 160, 40, 0});
  std::vector<Numbers> outputs = run(use);
  EXPECT_EQ(outputs[0], (Numbers{2, 4, 2, 2}));
  EXPECT_EQ(outputs[1], (Numbers{25, 40, 10, 0}));
}

// M-178: both cells read both inputs.
TEST(RecurrentRoutinesTest, BidirectionalLstmCrossLinking) {
  RecurrentUse use = bidirectionalSum();
  use.set(39, floatTensor({1, 2, 2}), {8, 16, 4, 0});
  for (size_t i = 40; i < 48; ++i)
    use.zeros(i, floatTensor({2, 2}));
  use.set(42, {1, 0, 0, 1});
  use.set(46, {1, 0, 0, 1});
  std::vector<Numbers> outputs = run(use);
  EXPECT_EQ(outputs[0], (Numbers{4, 8, 4, 4}));
  EXPECT_EQ(outputs[1], (Numbers{5, 8, 2, 0}));
}

//===----------------------------------------------------------------------===//
// RNN
//===----------------------------------------------------------------------===//

// h' = relu(W x + R h + bias).
TEST(RecurrentRoutinesTest, Rnn) {
  RecurrentUse use = rnnUse();
  use.set(0, {5});
  use.set(1, {2});
  use.set(2, {-3});
  use.set(3, {1});
  use.set(4, {7});
  EXPECT_EQ(run(use), (std::vector<Numbers>{{-10}, {-10}}));
  use.set(5, {1});
  EXPECT_EQ(run(use), (std::vector<Numbers>{{0}, {0}}));
  use.set(5, {2});
  EXPECT_EQ(run(use)[0], Numbers{-1});
  use.set(5, {4});
  EXPECT_NEAR(run(use)[0][0], -1, 1e-6);
  use.set(5, {6});
  EXPECT_NEAR(run(use)[0][0], 1 / (1 + std::exp(10.0)), 1e-9);
}

// M-023: float16 is rounded when it is stored.
TEST(RecurrentRoutinesTest, RnnOfHalves) {
  RecurrentUse use = rnnUse(OperandType::TENSOR_FLOAT16);
  use.set(0, {2048});
  use.set(1, {1});
  use.set(3, {1});
  EXPECT_EQ(run(use)[1], Numbers{2048});
}

TEST(RecurrentRoutinesTest, SequenceRnn) {
  RecurrentUse use = sequenceRnnUse();
  use.set(0, {1, 2});
  use.set(1, {1});
  use.set(2, {10});
  use.set(4, {5});
  use.outputs.push_back(floatTensor({1, 1}));
  EXPECT_EQ(run(use), (std::vector<Numbers>{{51, 512}, {512}}));
  use.zeros(0, floatTensor({2, 1, 1}));
  use.set(0, {1, 2});
  use.set(6, {1});
  use.outputs[0] = floatTensor({2, 1, 1});
  EXPECT_EQ(run(use), (std::vector<Numbers>{{51, 512}, {512}}));
}

TEST(RecurrentRoutinesTest, BidirectionalRnn) {
  RecurrentUse use = bidirectionalRnnUse();
  use.set(0, {1, 2});
  use.set(1, {1});
  use.set(2, {10});
  use.set(5, {1});
  use.set(6, {10});
  use.outputs.insert(use.outputs.end(), 2, floatTensor({1, 1}));
  EXPECT_EQ(run(use), (std::vector<Numbers>{{1, 12}, {21, 2}, {12}, {21}}));
  // Parallel linking, then cross-linking (M-182).
  use.set(9, floatTensor({1, 2, 1}), {3, 4});
  EXPECT_EQ(run(use), (std::vector<Numbers>{{1, 12}, {43, 4}, {12}, {43}}));
  use.set(10, floatTensor({1, 1}), {100});
  use.set(11, floatTensor({1, 1}), {1});
  EXPECT_EQ(run(use),
            (std::vector<Numbers>{{301, 3412}, {64, 6}, {3412}, {64}}));
}

//===----------------------------------------------------------------------===//
// SVDF
//===----------------------------------------------------------------------===//

// M-185: filters 1 and 2 see 2 x and 3 x; the oldest activations are 10 and 30,
// the last place of the incoming state does not count.
TEST(RecurrentRoutinesTest, Svdf) {
  RecurrentUse use = svdfUse();
  use.set(0, {1});
  use.set(1, {2, 3});
  use.set(2, {1, 100, 2, 1000});
  use.set(4, {10, -7, 30, -7});
  std::vector<Numbers> outputs = run(use);
  EXPECT_EQ(outputs[0], (Numbers{2, 0, 3, 0}));
  EXPECT_EQ(outputs[1], Numbers{10 + 200 + 60 + 3000});
  use.set(3, {-4000});
  EXPECT_EQ(run(use)[1], Numbers{-730});
  use.set(6, {1});
  EXPECT_EQ(run(use)[1], Numbers{0});
}

//===----------------------------------------------------------------------===//
// Quantized
//===----------------------------------------------------------------------===//

TEST(RecurrentRoutinesTest, Functions16) {
  for (int32_t bits : {0, 1, 3, 4, 6})
    for (int32_t raw = -32768; raw < 32768; raw += 61) {
      double x = std::ldexp(double(raw), bits - 15);
      EXPECT_NEAR(reference::tanh16(int16_t(raw), bits) / 32768.0, std::tanh(x),
                  4e-4)
          << raw << " with " << bits;
      EXPECT_NEAR(reference::logistic16(int16_t(raw), bits) / 32768.0,
                  1 / (1 + std::exp(-x)), 4e-4)
          << raw << " with " << bits;
    }
  EXPECT_EQ(reference::tanh16(0, 3), 0);
  EXPECT_EQ(reference::logistic16(0, 3), 16384);
  EXPECT_EQ(reference::multiply16(-32768, -32768), 32767);
  EXPECT_EQ(reference::rescale16(24, 0, 4), 2);
  EXPECT_EQ(reference::rescale16(20000, 4, 3), 32767);
}

// Gates of 1/2 and no update: c' = c / 2 = 1 and h = tanh(1) / 2 = 0.381.
TEST(RecurrentRoutinesTest, Quantized16BitLstm) {
  RecurrentUse use = quantized16BitLstmUse();
  use.set(13, {4096, -4096});
  std::vector<Numbers> outputs = run(use);
  EXPECT_EQ(outputs[0], (Numbers{2048, -2048}));
  EXPECT_EQ(outputs[1], (Numbers{128 + 49, 128 - 49}));
}

// The row [recurrent weights, input weights] meets [x, previous output].
TEST(RecurrentRoutinesTest, Quantized16BitLstmPairsElements) {
  RecurrentUse use = quantized16BitLstmUse();
  // The forget gate's first recurrent weight closes it for x[0] below 128.
  use.set(6, {255, 0, 0, 0});
  use.set(0, {0, 128, 128});
  use.set(13, {4096, 4096});
  std::vector<Numbers> outputs = run(use);
  EXPECT_NEAR(outputs[0][0], 1, 1);
  EXPECT_EQ(outputs[0][1], 2048);
}

TEST(RecurrentRoutinesTest, QuantizedLstm) {
  RecurrentUse use = quantizedLstmUse();
  use.set(19, {4096, -4096});
  std::vector<Numbers> outputs = run(use);
  EXPECT_EQ(outputs[1], (Numbers{2048, -2048}));
  EXPECT_EQ(outputs[0], (Numbers{38, -38})); // 0.381 by a scale of 0.01
  EXPECT_EQ(outputs[2], outputs[0]);         // M-191
  // The zero point is subtracted.
  use.set(30, {5});
  EXPECT_EQ(run(use)[0], (Numbers{33, -43}));
  // A clip of 1/2.
  use.set(24, {0.5});
  EXPECT_EQ(run(use)[1], (Numbers{1024, -1024}));
}

// A projection by 1/2 to a scale of 0.01: 38 becomes 19, whatever the hidden
// zero point.
TEST(RecurrentRoutinesTest, QuantizedLstmProjects) {
  RecurrentUse use = quantizedLstmUse();
  use.set(19, {4096, -4096});
  use.at(16).type.scale = 0.01f;
  use.set(16, {50, 0, 0, 50});
  EXPECT_EQ(run(use)[0], (Numbers{19, -19}));
  use.set(30, {5});
  EXPECT_EQ(run(use)[0], (Numbers{19, -19}));
  use.set(17, int32Tensor({2}), {200, 0});
  EXPECT_EQ(run(use)[0], (Numbers{21, -19}));
  use.set(25, {0.1});
  EXPECT_EQ(run(use)[0], (Numbers{10, -10}));
}

// M-170: a norm of weights 1 brings 1 and 3 to -1 and 1.
TEST(RecurrentRoutinesTest, QuantizedLstmLayerNorm) {
  RecurrentUse use = quantizedLstmUse();
  TensorType norm =
      tensorType(OperandType::TENSOR_QUANT16_SYMM, {2}, 1.0f / 1024);
  for (size_t i : {20, 21, 23})
    use.zeros(i, norm);
  use.set(22, norm, {1024, 1024});
  use.set(3, {50, 0, 0, 0, 50, 0});
  use.set(0, {30, 90, 0});
  use.set(12, {1 << 30, 1 << 30}); // The input gate is open, whatever it reads.
  std::vector<Numbers> outputs = run(use);
  EXPECT_NEAR(outputs[1][0], -std::tanh(1.0) * 2048, 3);
  EXPECT_NEAR(outputs[1][1], std::tanh(1.0) * 2048, 3);
}

// M-167.
TEST(RecurrentRoutinesTest, QuantizedLstmCoupledGate) {
  RecurrentUse use = quantizedLstmUse();
  for (size_t i : {1, 5, 12})
    use.omit(i);
  use.set(13, {1 << 20, -(1 << 20)});
  use.set(14, {1 << 20, 1 << 20});
  use.set(19, {4096, 4096});
  std::vector<Numbers> outputs = run(use);
  EXPECT_NEAR(outputs[1][0], 4096, 3);
  EXPECT_NEAR(outputs[1][1], 2048, 3);
}

// What a request cannot be kept from saying saturates.
TEST(RecurrentRoutinesTest, QuantizedLstmExtremes) {
  RecurrentUse use = quantizedLstmUse();
  for (size_t i = 26; i < 30; ++i)
    use.set(i, {1e-38});
  use.set(31, {1e-38});
  use.set(12, {2147483647, -2147483647});
  use.set(15, {2147483647, -2147483647});
  use.set(0, {-128, 127, 127});
  use.set(1, {127, -127, 127, 127, 127, 127});
  EXPECT_EQ(run(use).size(), 3u);
}

} // namespace
