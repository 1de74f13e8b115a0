//===- RecurrentRulesTest.cpp - Uses of recurrent operations --------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RecurrentUses.h"

#include <gtest/gtest.h>

using namespace nnhal::rt;
using namespace nnhal::rt::testing;

namespace {

constexpr OperandType half = OperandType::TENSOR_FLOAT16;

//===----------------------------------------------------------------------===//
// Versions and shapes
//===----------------------------------------------------------------------===//

// M-163, M-164, M-175, M-177, M-180, M-181, M-183, M-281, M-289, M-292, M-307,
// M-308, M-338, M-357, M-358, M-360.
TEST(RecurrentRulesTest, Versions) {
  EXPECT_EQ(lstmUse().since(), "1.0");
  EXPECT_EQ(lstmUse(half).since(), "1.2");
  EXPECT_EQ(lstmUse27().since(), "1.2");
  EXPECT_EQ(rnnUse().since(), "1.0");
  EXPECT_EQ(rnnUse(half).since(), "1.2");
  EXPECT_EQ(svdfUse().since(), "1.0");
  EXPECT_EQ(svdfUse(half).since(), "1.2");
  EXPECT_EQ(quantized16BitLstmUse().since(), "1.2");
  EXPECT_EQ(quantizedLstmUse().since(), "1.3");
  for (RecurrentUse use : {sequenceLstmUse(), bidirectionalLstmUse(),
                           sequenceRnnUse(), bidirectionalRnnUse()})
    EXPECT_EQ(use.since(), "1.2");
}

TEST(RecurrentRulesTest, StatesAreOf13) {
  RecurrentUse use = sequenceLstmUse();
  use.outputs.insert(use.outputs.end(), 2, floatTensor({1, 2}));
  EXPECT_EQ(use.since(), "1.3");
  EXPECT_EQ(use.shapes(), "1x2x2, 1x2, 1x2");
  use = sequenceRnnUse();
  use.outputs.push_back(floatTensor({1, 1}));
  EXPECT_EQ(use.since(), "1.3");
  use = bidirectionalLstmUse();
  use.outputs.insert(use.outputs.end(), 4, floatTensor({1, 2}));
  EXPECT_EQ(use.since(), "1.3");
  EXPECT_EQ(use.shapes(), "1x2x2, 1x2x2, 1x2, 1x2, 1x2, 1x2");
  use = bidirectionalRnnUse();
  use.outputs.insert(use.outputs.end(), 2, floatTensor({1, 1}));
  EXPECT_EQ(use.since(), "1.3");
}

TEST(RecurrentRulesTest, ShapesOfResults) {
  EXPECT_EQ(lstmUse(OperandType::TENSOR_FLOAT32, {3, 2, 2}).shapes(),
            "1x8, 1x2, 1x2, 1x2");
  EXPECT_EQ(svdfUse().shapes(), "1x4, 1x1");
  EXPECT_EQ(quantized16BitLstmUse().shapes(), "1x2, 1x2");
  EXPECT_EQ(quantizedLstmUse().shapes(), "1x2, 1x2, 1x2");
}

// M-171: the scratch output of a coupled cell has three parts.
TEST(RecurrentRulesTest, CoupledScratch) {
  RecurrentUse use = lstmUse();
  for (size_t i : {1, 5, 12})
    use.omit(i);
  use.outputs[0] = floatTensor({1, 6});
  EXPECT_EQ(use.shapes(), "1x6, 1x2, 1x2, 1x2");
}

// M-003: a model's inputs have no values, and may be omitted by the request.
TEST(RecurrentRulesTest, ModelInputs) {
  RecurrentUse use = lstmUse();
  use.forgetValues();
  for (RecurrentUse::Input &input : use.inputs)
    input.isOmitted = false;
  // Whether the input gate is coupled is open, and so is the scratch size.
  EXPECT_EQ(use.shapes(), "1x?, 1x2, 1x2, 1x2");
  // A stated shape that an operand would not be given with.
  use.at(16).type = floatTensor({unknownExtent});
  EXPECT_EQ(use.message(), "");
  use.at(16).type = tensorType(half, {2, 2});
  EXPECT_EQ(use.message(),
            "projection weights type TENSOR_FLOAT16 is not among "
            "TENSOR_FLOAT32");
}

TEST(RecurrentRulesTest, UnknownTimeMajor) {
  RecurrentUse use = sequenceLstmUse();
  use.zeros(0, floatTensor({2, 1, 2}));
  use.outputs = {floatTensor({2, 1, 2})};
  EXPECT_EQ(use.message(),
            "output state dimension 0 is 1, expected the batch 2");
  use.at(23).values.reset();
  EXPECT_EQ(use.shapes(), "2x1x2");
  use.at(23).values = {{1}};
  EXPECT_EQ(use.shapes(), "2x1x2");
}

TEST(RecurrentRulesTest, UnknownExtentsComeFromElsewhere) {
  RecurrentUse use = lstmUse();
  use.at(0).type = unrankedTensor(OperandType::TENSOR_FLOAT32);
  use.at(4).type = floatTensor({unknownExtent, unknownExtent});
  EXPECT_EQ(use.shapes(), "1x8, 1x2, 1x2, 1x2");
}

//===----------------------------------------------------------------------===//
// LSTM cells
//===----------------------------------------------------------------------===//

TEST(RecurrentRulesTest, Lstm) {
  // lstm C1
  EXPECT_EQ(lstmUse(OperandType::TENSOR_QUANT8_ASYMM).message(),
            "input type TENSOR_QUANT8_ASYMM is not among TENSOR_FLOAT32, "
            "TENSOR_FLOAT16");
  // lstm C2
  RecurrentUse use = lstmUse();
  use.zeros(0, floatTensor({1, 1, 2}));
  EXPECT_EQ(use.message(), "input rank 3 is not 2");
  use = lstmUse();
  use.inputs.resize(22);
  EXPECT_EQ(use.message(), "found 22 inputs, expected 23 or 27");
  use = lstmUse();
  use.omit(0);
  EXPECT_EQ(use.message(),
            "input 0 (input) is omitted, but it is not optional");
  use = lstmUse();
  use.zeros(0, floatTensor({0, 2}));
  EXPECT_EQ(use.message(), "input 0 of shape 0x2 is zero-sized");
}

TEST(RecurrentRulesTest, LstmCellOperands) {
  // lstm_cell C1
  RecurrentUse use = lstmUse();
  use.omit(2);
  EXPECT_EQ(use.message(),
            "input 2 (forget gate input weights) is omitted, but it is not "
            "optional");
  use = lstmUse();
  use.zeros(3, floatTensor({2, 3}));
  EXPECT_EQ(use.message(),
            "cell gate input weights dimension 1 is 3, expected the input size "
            "2");
  use = lstmUse();
  use.zeros(13, tensorType(half, {2}));
  EXPECT_EQ(use.message(),
            "forget gate bias type TENSOR_FLOAT16 is not among TENSOR_FLOAT32");
  use = lstmUse();
  use.zeros(19, floatTensor({2, 2}));
  EXPECT_EQ(use.message(), "cell state dimension 0 is 2, expected the batch 1");
  // lstm_cell C2
  use = lstmUse();
  use.zeros(16, floatTensor({2, 3}));
  EXPECT_EQ(use.message(), "projection weights dimension 1 is 3, expected the "
                           "number of units 2");
  use = lstmUse();
  use.zeros(10, floatTensor({2, 1}));
  EXPECT_EQ(use.message(), "forget gate peephole weights rank 2 is not 1");
}

// M-167; lstm_cell C3, lstm_cell C4.
TEST(RecurrentRulesTest, LstmCoupledGate) {
  RecurrentUse use = lstmUse();
  use.omit(5);
  EXPECT_EQ(use.message(), "input gate input weights are given, but its "
                           "recurrent weights are omitted");
  use.omit(1);
  EXPECT_EQ(use.message(),
            "input gate bias is given, but the gate's weights are omitted");
  use.omit(12);
  use.zeros(9, floatTensor({2}));
  EXPECT_EQ(use.message(),
            "input gate peephole weights are given, but the gate "
            "has no input weights");
  use = lstmUse();
  use.omit(12);
  EXPECT_EQ(use.message(),
            "input gate bias is omitted, but the gate's weights are given");
}

// M-168, M-170; lstm_cell C5.
TEST(RecurrentRulesTest, LstmSetsOfWeights) {
  RecurrentUse use = lstmUse();
  use.zeros(10, floatTensor({2}));
  EXPECT_EQ(use.message(), "peephole weights of the output gate are omitted, "
                           "those of another gate are given");
  use.zeros(11, floatTensor({2}));
  EXPECT_EQ(use.message(), "peephole weights of the input gate are omitted, "
                           "those of the other gates are given");
  use.zeros(9, floatTensor({2}));
  EXPECT_EQ(use.message(), "");
  use = lstmUse27();
  use.zeros(26, floatTensor({2}));
  EXPECT_EQ(use.message(), "layer norm weights of the output gate are given, "
                           "those of another gate are omitted");
  use = lstmUse27();
  use.zeros(23, floatTensor({2}));
  EXPECT_EQ(use.message(), "layer norm weights of the input gate are given, "
                           "those of the other gates are omitted");
}

TEST(RecurrentRulesTest, LstmProjectionAndParameters) {
  // M-169; lstm_cell C6
  RecurrentUse use = lstmUse();
  use.zeros(17, floatTensor({2}));
  EXPECT_EQ(use.message(),
            "projection bias is given, but projection weights are omitted");
  // lstm_cell C7
  use = lstmUse(OperandType::TENSOR_FLOAT32, {2, 2, 3});
  EXPECT_EQ(use.message(), "output size without projection 3 differs from "
                           "number of units 2");
  use.zeros(16, floatTensor({3, 2}));
  EXPECT_EQ(use.shapes(), "1x8, 1x3, 1x2, 1x3");
  // M-173; lstm_cell C8
  use = lstmUse();
  use.set(20, {2});
  EXPECT_EQ(use.message(), "activation 2 is not among 0, 1, 3, 4 and 6");
  // M-172; lstm_cell C9
  use = lstmUse();
  use.set(21, {-1});
  EXPECT_EQ(use.message(), "cell clip -1 must not be negative");
  use = lstmUse();
  use.set(22, {-0.5});
  EXPECT_EQ(use.message(), "projection clip -0.5 must not be negative");
  use = lstmUse(half);
  use.scalar(21, OperandType::FLOAT32, 0);
  EXPECT_EQ(use.message(),
            "input 21 (cell clip) has type FLOAT32, expected FLOAT16");
}

//===----------------------------------------------------------------------===//
// RNN and SVDF
//===----------------------------------------------------------------------===//

TEST(RecurrentRulesTest, Rnn) {
  // rnn C1
  EXPECT_EQ(rnnUse(OperandType::TENSOR_INT32).message(),
            "input type TENSOR_INT32 is not among TENSOR_FLOAT32, "
            "TENSOR_FLOAT16");
  // rnn C2
  RecurrentUse use = rnnUse();
  use.zeros(0, floatTensor({1}));
  EXPECT_EQ(use.message(), "input rank 1 is not 2");
  // rnn_cell C1
  use = rnnUse();
  use.zeros(2, floatTensor({1, 2}));
  EXPECT_EQ(use.message(), "recurrent weights dimension 1 is 2, expected the "
                           "number of units 1");
  use = rnnUse();
  use.omit(3);
  EXPECT_EQ(use.message(), "input 3 (bias) is omitted, but it is not optional");
  // rnn_cell C2
  use = rnnUse();
  use.set(5, {5});
  EXPECT_EQ(use.message(), "activation 5 is not among 0, 1, 2, 3, 4 and 6");
}

TEST(RecurrentRulesTest, Svdf) {
  // svdf C1
  EXPECT_EQ(svdfUse(OperandType::TENSOR_INT32).message(),
            "input type TENSOR_INT32 is not among TENSOR_FLOAT32, "
            "TENSOR_FLOAT16");
  // svdf C2
  RecurrentUse use = svdfUse();
  use.zeros(0, floatTensor({1}));
  EXPECT_EQ(use.message(), "input rank 1 is not 2");
  // svdf C3
  use = svdfUse();
  use.set(5, {0});
  EXPECT_EQ(use.message(), "rank 0 must be positive");
  // svdf C4
  use = svdfUse();
  use.zeros(2, floatTensor({3, 2}));
  EXPECT_EQ(use.message(), "time weights dimension 0 is 3, expected the number "
                           "of filters 2");
  use = svdfUse();
  use.zeros(3, floatTensor({2}));
  EXPECT_EQ(use.message(),
            "bias dimension 0 is 2, expected the number of units 1");
  // svdf C5
  use = svdfUse();
  use.set(5, {3});
  EXPECT_EQ(use.message(), "number of filters 2 is not a multiple of rank 3");
  // M-184, M-255; svdf C6
  use = svdfUse();
  use.zeros(4, floatTensor({1, 2}));
  EXPECT_EQ(use.message(), "state dimension 1 is 2, expected the memory size "
                           "times number of filters 4");
  // M-186: the bias may be omitted.
  use = svdfUse();
  EXPECT_EQ(use.since(), "1.0");
  use.omit(3);
  EXPECT_EQ(use.message(), "");
  EXPECT_EQ(svdfUse(OperandType::TENSOR_FLOAT16).since(), "1.2");
  // A rank that is computed leaves the number of units open.
  use = svdfUse();
  use.at(5).values.reset();
  EXPECT_EQ(use.shapes(), "1x4, 1x?");
}

//===----------------------------------------------------------------------===//
// Sequences
//===----------------------------------------------------------------------===//

TEST(RecurrentRulesTest, Sequences) {
  // sequence C1
  RecurrentUse use = sequenceRnnUse();
  use.zeros(0, int32Tensor({1, 2, 1}));
  EXPECT_EQ(use.message(), "input type TENSOR_INT32 is not among "
                           "TENSOR_FLOAT32, TENSOR_FLOAT16");
  // sequence C2
  use = sequenceLstmUse();
  use.zeros(0, floatTensor({1, 2}));
  EXPECT_EQ(use.message(), "input rank 2 is not 3");
  // sequence C3
  use = sequenceLstmUse();
  use.outputs.push_back(floatTensor({1, 2}));
  EXPECT_EQ(use.message(), "found 2 outputs, expected 1 or 3");
  use = bidirectionalLstmUse();
  use.outputs.push_back(floatTensor({1, 2}));
  EXPECT_EQ(use.message(), "found 3 outputs, expected 1, 2, 5 or 6");
  // M-180; sequence C4
  use = sequenceRnnUse();
  use.set(6, {2});
  EXPECT_EQ(use.message(), "time major is 2, expected 0 or 1");
  use.scalar(6, OperandType::BOOL, 1);
  EXPECT_EQ(use.message(),
            "input 6 (time major) has type BOOL, expected INT32");
}

TEST(RecurrentRulesTest, BidirectionalMerging) {
  RecurrentUse use = bidirectionalLstmUse();
  use.set(51, {1});
  // M-194; bidirectional C5
  EXPECT_EQ(use.message(), "outputs are merged, but 2 are stated");
  use.outputs = {floatTensor({1, 2, 4})};
  EXPECT_EQ(use.shapes(), "1x2x4");
  use.set(51, {0});
  EXPECT_EQ(use.message(), "outputs are not merged, but 1 are stated");
}

// M-178, M-182, M-195.
TEST(RecurrentRulesTest, BidirectionalLinking) {
  RecurrentUse use = bidirectionalRnnUse();
  // bidirectional C1
  use.zeros(9, floatTensor({1, 3, 1}));
  EXPECT_EQ(use.message(), "auxiliary input dimension 1 is 3, expected the "
                           "extent of the input 2");
  // bidirectional C4
  use.zeros(9, floatTensor({1, 2, 3}));
  EXPECT_EQ(use.message(), "backward: weights dimension 1 is 1, expected the "
                           "input size 3");
  use.zeros(5, floatTensor({1, 3}));
  EXPECT_EQ(use.shapes(), "1x2x1, 1x2x1");
  // bidirectional C2
  use.zeros(5, floatTensor({1, 1}));
  use.zeros(10, floatTensor({1, 3}));
  EXPECT_EQ(use.message(),
            "auxiliary weights of one direction are given, those "
            "of the other are omitted");
  use.zeros(11, floatTensor({1, 3}));
  EXPECT_EQ(use.shapes(), "1x2x1, 1x2x1");
  // bidirectional C3
  use.omit(9);
  EXPECT_EQ(use.message(),
            "auxiliary weights are given, but the auxiliary input is omitted");
}

TEST(RecurrentRulesTest, BidirectionalLstmAuxiliaryWeights) {
  RecurrentUse use = bidirectionalLstmUse();
  use.zeros(39, floatTensor({1, 2, 3}));
  for (size_t i = 40; i < 48; ++i)
    use.zeros(i, floatTensor({2, 3}));
  EXPECT_EQ(use.shapes(), "1x2x2, 1x2x2");
  use.omit(46);
  EXPECT_EQ(use.message(),
            "backward: auxiliary weights of the cell gate are omitted, those "
            "of another gate are given");
  use.zeros(46, floatTensor({2, 2}));
  EXPECT_EQ(use.message(), "backward: cell gate auxiliary weights dimension 1 "
                           "is 2, expected the auxiliary input size 3");
}

//===----------------------------------------------------------------------===//
// Quantized
//===----------------------------------------------------------------------===//

// M-187, M-188, M-250.
TEST(RecurrentRulesTest, Quantized16BitLstm) {
  // quantized_16bit_lstm C1
  RecurrentUse use = quantized16BitLstmUse();
  use.at(0).type.zeroPoint = 0;
  EXPECT_EQ(use.message(), "input has scale 0.0078125 and zero point 0, "
                           "expected scale 0.0078125 and zero point 128");
  // quantized_16bit_lstm C2
  use = quantized16BitLstmUse();
  use.zeros(6, quantTensor({2, 3}, 0.5f, 0));
  EXPECT_EQ(use.message(),
            "recurrent weights dimension 1 is 3, expected the output size 2");
  // quantized_16bit_lstm C3
  use = quantized16BitLstmUse();
  use.at(7).type.scale = 0.25f;
  EXPECT_EQ(use.message(), "weights has scale 0.25 and zero point 0, expected "
                           "scale 0.5 and zero point 0");
  // quantized_16bit_lstm C4
  use = quantized16BitLstmUse();
  use.at(10).type.scale = 0.5f;
  EXPECT_EQ(use.message(), "bias has scale 0.5 and zero point 0, expected "
                           "scale 0.00390625 and zero point 0");
  // quantized_16bit_lstm C5
  use = quantized16BitLstmUse();
  use.at(13).type.scale = 1.0f / 1024;
  EXPECT_EQ(use.message(), "cell state scale 0.0009765625 is not 2^-11");
}

// M-189 to M-193.
TEST(RecurrentRulesTest, QuantizedLstm) {
  // quantized_lstm C1
  RecurrentUse use = quantizedLstmUse();
  use.zeros(0, quantTensor({1, 3}, 0.01f, 0));
  EXPECT_EQ(use.message(), "input type TENSOR_QUANT8_ASYMM is not among "
                           "TENSOR_QUANT8_ASYMM_SIGNED");
  // quantized_lstm C2
  use = quantizedLstmUse();
  use.at(19).type.scale = 0.001f;
  EXPECT_EQ(use.message(), "cell state scale 0.001 is not a power of two");
  use.at(19).type.scale = 0.5f;
  EXPECT_EQ(use.message(), "cell state scale 0.5 is outside [2^-15, 2^-9]");
  // quantized_lstm C3
  use = quantizedLstmUse();
  use.set(27, {0});
  EXPECT_EQ(use.message(), "intermediate scale 0 must be positive");
  use = quantizedLstmUse();
  use.set(31, {-1});
  EXPECT_EQ(use.message(), "hidden state scale -1 must be positive");
  // quantized_lstm C4
  use = quantizedLstmUse();
  use.set(30, {128});
  EXPECT_EQ(use.message(),
            "hidden state zero point 128 is outside [-128, 127]");
  use = quantizedLstmUse();
  use.set(24, {-1});
  EXPECT_EQ(use.message(), "cell clip -1 must not be negative");
  // Omitted clips are none (M-193).
  use.omit(24);
  use.omit(25);
  EXPECT_EQ(use.message(), "");
}

} // namespace
