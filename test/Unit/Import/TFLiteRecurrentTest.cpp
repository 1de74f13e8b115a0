//===- TFLiteRecurrentTest.cpp - Recurrent operators over sequences -------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RunTesting.h"

namespace nnhal::rt {
namespace {

using schema::Activation;

/// The form of an operator UNIDIRECTIONAL_SEQUENCE_RNN.
struct SequenceForm {
  bool isTimeMajor = false;
  Activation activation = Activation::RELU;
  std::vector<int32_t> weights = {2, 2};
  /// Empty: the state is a variable.
  std::vector<int32_t> stateShape = {};
};

/// Two units that add up what they have read, the second one half more each
/// time.
std::vector<std::byte> sequenceFile(const SequenceForm &form,
                                    const std::vector<int32_t> &shape) {
  TFLiteWriter file;
  int32_t input = file.tensor({shape});
  std::vector<float> weights(countOf(form.weights));
  weights.front() = weights.back() = 1;
  int32_t state = form.stateShape.empty()
                      ? file.tensor({.shape = {1, 2}, .isVariable = true})
                      : file.floats(form.stateShape, 10);
  std::vector<int32_t> inputs = {input,
                                 file.constant<float>({form.weights}, weights),
                                 file.constant<float>({{2, 2}}, {1, 0, 0, 1}),
                                 file.constant<float>({{2}}, {0, 0.5f}), state};
  int32_t output = file.tensor({{}});
  file.add(Code::UNIDIRECTIONAL_SEQUENCE_RNN, inputs, {output},
           schema::CreateSequenceRNNOptions(file.builder, form.isTimeMajor,
                                            form.activation));
  return file.finish({input}, {output});
}

// M-180: the order of time is an INT32.
TEST(TFLiteRecurrentTest, sequenceRnn) {
  std::vector<std::byte> bytes = sequenceFile({}, {1, 3, 2});
  AnnotatedModel model = importBytes(bytes);
  EXPECT_EQ(toText(model),
            "UNIDIRECTIONAL_SEQUENCE_RNN(i1x3x2, c2x2, c2x2, c2, i1x2, 1, 0) "
            "-> o1x3x2, o1x2\n");
  EXPECT_EQ(model.statePairs, (std::vector<StatePair>{{1, 1}}));
  EXPECT_EQ(runFile(bytes, {{1, 2, 3, 4, 5, 6}}),
            (std::vector<Numbers>{{1, 2.5, 4, 7, 9, 13.5}, {9, 13.5}}));
}

TEST(TFLiteRecurrentTest, batchesOfSequences) {
  EXPECT_EQ(
      runFile(sequenceFile({}, {2, 2, 2}), {{1, 2, 3, 4, 5, 6, 7, 8}}),
      (std::vector<Numbers>{{1, 2.5, 4, 7, 5, 6.5, 12, 15}, {4, 7, 12, 15}}));
  // Time-major inputs have the first step of both sequences, then the second.
  EXPECT_EQ(
      runFile(sequenceFile({.isTimeMajor = true}, {2, 2, 2}),
              {{1, 2, 3, 4, 5, 6, 7, 8}}),
      (std::vector<Numbers>{{1, 2.5, 3, 4.5, 6, 9, 10, 13}, {6, 9, 10, 13}}));
  EXPECT_EQ(toText(importBytes(sequenceFile({.isTimeMajor = true}, {3, 1, 2}))),
            "UNIDIRECTIONAL_SEQUENCE_RNN(i3x1x2, c2x2, c2x2, c2, i1x2, 1, 1) "
            "-> o3x1x2, o1x2\n");
}

TEST(TFLiteRecurrentTest, aStateThatIsNoVariable) {
  std::vector<std::byte> bytes =
      sequenceFile({.stateShape = {1, 2}}, {1, 2, 2});
  // Nobody reads its new value.
  EXPECT_EQ(toText(importBytes(bytes)),
            "UNIDIRECTIONAL_SEQUENCE_RNN(i1x2x2, c2x2, c2x2, c2, c1x2, 1, 0) "
            "-> o1x2x2, t1x2\n");
  EXPECT_EQ(runFile(bytes, {{1, 2, 3, 4}}),
            (std::vector<Numbers>{{11, 12.5, 14, 17}}));
}

TEST(TFLiteRecurrentTest, sequenceRnnErrors) {
  auto error = [](const SequenceForm &form, std::vector<int32_t> shape) {
    std::string message = importError(sequenceFile(form, shape));
    std::string prefix = "operator 0 (UNIDIRECTIONAL_SEQUENCE_RNN): ";
    return message.starts_with(prefix) ? message.substr(prefix.size())
                                       : message;
  };
  EXPECT_EQ(error({}, {3, 2}), "input 0 has shape 3x2, expected rank 3");
  EXPECT_EQ(error({}, {1, 3, 4}), "input 1 has shape 2x2, expected 2x4");
  EXPECT_EQ(error({.weights = {4}}, {1, 3, 2}),
            "input 1 has shape 4, expected rank 2");
  EXPECT_EQ(error({.weights = {4, 2}}, {1, 3, 2}),
            "input 2 has shape 2x2, expected 4x4");
  EXPECT_EQ(error({.activation = Activation::SIGN_BIT}, {1, 3, 2}),
            "the HAL has no recurrent activation 5");
  // The batch is the second extent where time comes first.
  EXPECT_EQ(error({.stateShape = {3, 2}}, {1, 3, 2}),
            "state input 4 has shape 3x2, expected 1x2");
  EXPECT_EQ(error({.isTimeMajor = true, .stateShape = {3, 2}}, {1, 3, 2}),
            "imported");
  EXPECT_EQ(error({.isTimeMajor = true, .stateShape = {1, 2}}, {1, 3, 2}),
            "state input 4 has shape 1x2, expected 3x2");
}

} // namespace
} // namespace nnhal::rt
