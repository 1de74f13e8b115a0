//===- CustomSignalErrorsTest.cpp - Signals that are not legal ------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CustomTesting.h"

namespace nnhal::tflite {
namespace {

struct Tensor {
  rt::OperandType type;
  Shape shape;
};

/// The message with which an operator is refused, less its name.
std::string refusal(const char *name, const std::vector<Tensor> &inputs,
                    const std::vector<uint8_t> &options,
                    const std::vector<Tensor> &results,
                    const std::vector<Tensor> &states = {}) {
  Operator use = customOperator(name);
  for (const Tensor &input : inputs)
    use.open(input.type, input.shape);
  use.customOptions(options);
  for (const Tensor &state : states)
    use.open(state.type, state.shape);
  for (const Tensor &result : results)
    use.result(result.type, result.shape);
  for (const Tensor &state : states)
    use.result(state.type, state.shape);
  std::string message = use.refusal(), prefix = std::string(name) + ": ";
  return message.starts_with(prefix) ? message.substr(prefix.size()) : message;
}

TEST(CustomSignalErrorsTest, tensors) {
  auto window = [](const Tensor &samples, const Tensor &weights) {
    return refusal("SignalWindow", {samples, weights}, mapOf({{"shift", 3}}),
                   {{tensorInt16, samples.shape}});
  };
  EXPECT_EQ(window({tensorInt16, {2, 4}}, {tensorInt16, {4}}), "");
  EXPECT_EQ(window({tensorInt16, {2, -1}}, {tensorInt16, {4}}), "");
  EXPECT_EQ(window({tensorInt16, {2, 4}}, {tensorInt16, {8}}),
            "weights have shape 8, expected 4");
  EXPECT_EQ(window({tensorInt32, {4}}, {tensorInt16, {4}}),
            "samples have type TENSOR_INT32, expected TENSOR_QUANT16_SYMM");
  EXPECT_EQ(window({tensorUint32, {4}}, {tensorInt16, {4}}),
            "samples have type UINT32, expected TENSOR_QUANT16_SYMM");
  EXPECT_EQ(window({tensorInt16, {}}, {tensorInt16, {4}}),
            "samples have shape rank 0, but 1 dimensions are needed");
  EXPECT_EQ(refusal("SignalFilterBankSquareRoot",
                    {{tensorUint32, {4}}, {tensorInt32, {1}}}, {},
                    {{tensorUint32, {4}}}),
            "channels have type UINT32, expected UINT64");
  EXPECT_EQ(refusal("SignalOverlapAdd", {{tensorInt16, {4}}},
                    mapOf({{"frame_step", 1}}), {{tensorInt16, {4}}},
                    {{tensorInt16, {4}}}),
            "frames have shape 4, but 2 dimensions are needed");
}

std::string transformRefusal(const char *name, int64_t samples, int length,
                             rt::OperandType type = tensorInt16) {
  return refusal(name, {{type, {samples}}}, mapOf({{"fft_length", length}}),
                 {{type, {-1}}});
}

TEST(CustomSignalErrorsTest, spectra) {
  EXPECT_EQ(transformRefusal("SignalRfft", 8, 8), "");
  EXPECT_EQ(transformRefusal("SignalRfft", 9, 8),
            "transforms 8 samples, but there are 9");
  EXPECT_EQ(transformRefusal("SignalRfft", 8, 9),
            "custom option 'fft_length' is 9, which is odd");
  EXPECT_EQ(transformRefusal("SignalRfft", 8, 65538),
            "custom option 'fft_length' is 65538, which is not in 2..65536");
  EXPECT_EQ(transformRefusal("SignalRfft", 8, 8, tensorInt8),
            "samples have type TENSOR_QUANT8_ASYMM_SIGNED, expected "
            "TENSOR_FLOAT32");
  EXPECT_EQ(transformRefusal("SignalIrfft", 10, 8), "");
  EXPECT_EQ(transformRefusal("SignalIrfft", 8, 8),
            "spectra have 8 numbers, expected 10");
  EXPECT_EQ(refusal("SignalEnergy", {{tensorInt16, {10}}},
                    mapOf({{"start_index", 1}, {"end_index", 6}}),
                    {{tensorUint32, {5}}}),
            "custom option 'end_index' is 6, which is not in 0..5");
}

Operator filterBank(std::vector<int16_t> frequencies,
                    std::vector<int16_t> starts, std::vector<int16_t> widths) {
  auto count = int64_t(widths.size());
  Operator use = customOperator("SignalFilterBank");
  use.tensor<uint32_t>(tensorUint32, {4}, {1, 2, 3, 4}, 0.0f)
      .int16({3}, {1, 1, 1})
      .int16({3}, {1, 1, 1})
      .int16({2}, std::move(frequencies))
      .int16({2}, std::move(starts))
      .int16({count}, std::move(widths))
      .customOptions(mapOf({{"num_channels", 1}}))
      .result(tensorUint64, {1}, 0.0f);
  return use;
}

TEST(CustomSignalErrorsTest, channels) {
  EXPECT_EQ(filterBank({0, 1}, {0, 0}, {1, 3}).failure(), "");
  // A width that is not positive has no band.
  EXPECT_EQ(filterBank({-5, 1}, {90, 0}, {-1, 3}).failure(), "");
  EXPECT_EQ(filterBank({0, 1}, {0, 0}, {1, 4}).failure(),
            "SignalFilterBank: band 1 has 4 frequencies from 1 on and weights "
            "from 0 on, but there are 4 frequencies and 3 weights");
  EXPECT_EQ(filterBank({0, -1}, {0, 0}, {1, 1}).failure(),
            "SignalFilterBank: band 1 has 1 frequencies from -1 on and weights "
            "from 0 on, but there are 4 frequencies and 3 weights");
  EXPECT_EQ(filterBank({0, 1}, {0, 0}, {1, 1, 1}).refusal(),
            "SignalFilterBank: widths have shape 3, expected 2");
  Operator roots = customOperator("SignalFilterBankSquareRoot");
  roots.tensor<uint64_t>(tensorUint64, {1}, {4}, 0.0f)
      .int32({1}, {32})
      .omitted()
      .result(tensorUint32, {1}, 0.0f);
  EXPECT_EQ(roots.failure(), "SignalFilterBankSquareRoot: the scale bits 32 "
                             "are not in 0..31");
  Operator gains = customOperator("SignalPCAN");
  gains.tensor<uint32_t>(tensorUint32, {1}, {4}, 0.0f)
      .tensor<uint32_t>(tensorUint32, {1}, {4}, 0.0f)
      .int16({8}, std::vector<int16_t>(8))
      .customOptions(mapOf({{"snr_shift", 6}}))
      .result(tensorUint32, {1}, 0.0f);
  EXPECT_EQ(gains.failure(),
            "SignalPCAN: noise of 4 needs 9 gains, but there are 8");
}

std::string framerRefusal(int64_t samples, int size, int step, bool isFilled) {
  return refusal("SignalFramer", {{tensorInt16, {samples}}},
                 mapOf([&](flexbuffers::Builder &map) {
                   map.Int("frame_size", size);
                   map.Int("frame_step", step);
                   map.Bool("prefill", isFilled);
                 }),
                 {{tensorInt16, {-1, -1}}, {tensorBool, {1}}},
                 {{tensorInt16, {-1}}, {tensorInt32, {1}}});
}

TEST(CustomSignalErrorsTest, frames) {
  EXPECT_EQ(framerRefusal(6, 5, 2, true), "");
  EXPECT_EQ(framerRefusal(7, 5, 2, true),
            "there are 7 samples, expected a multiple of the frame_step 2");
  EXPECT_EQ(framerRefusal(6, 1, 2, true),
            "custom option 'frame_size' is 1, which prefill needs to be at "
            "least the frame_step 2");
  EXPECT_EQ(framerRefusal(6, 1, 2, false), "");
}

/// The message with which one step of samples fails whose states have place for
/// \p held samples and say that there are \p count.
std::string framerFailure(int64_t size, int64_t step, int64_t held,
                          int32_t count) {
  Operator use = customOperator("SignalFramer");
  use.int16({step}, std::vector<int16_t>(size_t(step)))
      .customOptions(mapOf({{"frame_size", size}, {"frame_step", step}}))
      .int16({held}, std::vector<int16_t>(size_t(held)))
      .int32({1}, {count})
      .result(tensorInt16, {1, size})
      .result(tensorBool, {1}, 0.0f)
      .result(tensorInt16, {held})
      .result(tensorInt32, {1}, 0.0f);
  return use.failure();
}

std::string stackerFailure(int32_t count) {
  Operator use = customOperator("SignalStacker");
  use.int16({1}, {1})
      .customOptions(mapOf({{"num_channels", 1},
                            {"stacker_left_context", 1},
                            {"stacker_right_context", 1},
                            {"stacker_step", 1}}))
      .int16({3}, {1, 2, 3})
      .int32({1}, {count})
      .result(tensorInt16, {3})
      .result(tensorBool, {1}, 0.0f)
      .result(tensorInt16, {3})
      .result(tensorInt32, {1}, 0.0f);
  return use.failure();
}

// States come from outside.
TEST(CustomSignalErrorsTest, counts) {
  EXPECT_EQ(framerFailure(5, 2, 4, 4), "");
  EXPECT_EQ(framerFailure(5, 2, 4, 5),
            "SignalFramer: state 1 is 5, which is not in 0..4");
  EXPECT_EQ(framerFailure(5, 2, 4, -1),
            "SignalFramer: state 1 is -1, which is not in 0..4");
  // One more step would be less than a frame, and more than there is place for.
  EXPECT_EQ(framerFailure(6, 4, 4, 1),
            "SignalFramer: state 1 is 1, expected a multiple of the "
            "frame_step 4");
  EXPECT_EQ(framerFailure(6, 4, 4, 4), "");
  for (int32_t count = 0; count <= 3; ++count)
    EXPECT_EQ(stackerFailure(count), "");
  EXPECT_EQ(stackerFailure(4),
            "SignalStacker: state 1 is 4, which is not in 0..3");
  EXPECT_EQ(stackerFailure(-1),
            "SignalStacker: state 1 is -1, which is not in 0..3");
}

TEST(CustomSignalErrorsTest, omittedStates) {
  Operator delay = customOperator("SignalDelay");
  delay.int16({4}, {1, 2, 3, 4})
      .customOptions(mapOf({{"delay_length", 3}}))
      .omitted()
      .result(tensorInt16, {4})
      .result(tensorInt16, {3});
  EXPECT_EQ(delay.refusal(), "SignalDelay: state 0 is omitted");
  EXPECT_EQ(delay.failure(), "SignalDelay: state 0 is omitted");
  Operator stacker = customOperator("SignalStacker");
  stacker.int16({1}, {1})
      .customOptions(mapOf({{"num_channels", 1},
                            {"stacker_left_context", 0},
                            {"stacker_right_context", 0},
                            {"stacker_step", 1}}))
      .int16({1}, {1})
      .omitted()
      .result(tensorInt16, {1})
      .result(tensorBool, {1}, 0.0f)
      .result(tensorInt16, {1})
      .result(tensorInt32, {1}, 0.0f);
  EXPECT_EQ(stacker.refusal(), "SignalStacker: state 1 is omitted");
  EXPECT_EQ(stacker.failure(), "SignalStacker: state 1 is omitted");
}

/// The message with which a use fails whose model leaves extents open and
/// whose request gives samples of \p shape.
std::string emptyFailure(const char *name, const Shape &shape,
                         const Shape &stateShape,
                         const std::vector<uint8_t> &options, bool isFramer) {
  auto elements = [](const Shape &extents) {
    size_t count = 1;
    for (int64_t extent : extents)
      count *= size_t(extent);
    return std::vector<int16_t>(count);
  };
  Operator use = customOperator(name);
  use.int16(shape, elements(shape))
      .customOptions(options)
      .int16(stateShape, elements(stateShape));
  if (isFramer)
    use.int32({1}, {0})
        .result(tensorInt16, Shape(shape.size() + 1, -1))
        .result(tensorBool, {1}, 0.0f);
  else
    use.result(tensorInt16, Shape(shape.size(), -1));
  use.result(tensorInt16, Shape(shape.size(), -1));
  if (isFramer)
    use.result(tensorInt32, {1}, 0.0f);
  return use.failure();
}

TEST(CustomSignalErrorsTest, rowsHaveSamples) {
  auto delay = [](const Shape &shape, const Shape &stateShape) {
    return emptyFailure("SignalDelay", shape, stateShape,
                        mapOf({{"delay_length", 3}}), /*isFramer=*/false);
  };
  EXPECT_EQ(delay({2, 1}, {2, 3}), "");
  EXPECT_EQ(delay({0}, {3}), "SignalDelay: samples have shape 0, but all "
                             "extents must be at least 1");
  EXPECT_EQ(delay({2, 0}, {2, 3}), "SignalDelay: samples have shape 2x0, but "
                                   "all extents must be at least 1");
  EXPECT_EQ(delay({0, 4}, {0, 3}), "SignalDelay: samples have shape 0x4, but "
                                   "all extents must be at least 1");
  auto framer = [](const Shape &shape, const Shape &stateShape) {
    return emptyFailure("SignalFramer", shape, stateShape,
                        mapOf({{"frame_size", 3}, {"frame_step", 1}}),
                        /*isFramer=*/true);
  };
  EXPECT_EQ(framer({2, 1}, {2, 2}), "");
  EXPECT_EQ(framer({0}, {2}), "SignalFramer: samples have shape 0, but all "
                              "extents must be at least 1");
  EXPECT_EQ(framer({2, 0}, {2, 2}), "SignalFramer: samples have shape 2x0, "
                                    "but all extents must be at least 1");
  Operator overlap = customOperator("SignalOverlapAdd");
  overlap.int16({2, 0}, {})
      .customOptions(mapOf({{"frame_step", 1}}))
      .int16({0}, {})
      .result(tensorInt16, {-1})
      .result(tensorInt16, {-1});
  EXPECT_EQ(overlap.failure(), "SignalOverlapAdd: custom option 'frame_step' "
                               "is 1, which is not in 1..0");
}

TEST(CustomSignalErrorsTest, states) {
  auto delay = [](const std::vector<Tensor> &states) {
    return refusal("SignalDelay", {{tensorInt16, {4}}},
                   mapOf({{"delay_length", 3}}), {{tensorInt16, {4}}}, states);
  };
  EXPECT_EQ(delay({{tensorInt16, {3}}}), "");
  EXPECT_EQ(delay({{tensorInt16, {4}}}),
            "state 0 dimension 0 is 4, expected 3");
  EXPECT_EQ(
      delay({{tensorInt32, {3}}}),
      "state 0 type TENSOR_INT32 is not the expected TENSOR_QUANT16_SYMM");
  EXPECT_EQ(customOperator("SignalDelay")
                .open(tensorInt16, {4})
                .result(tensorInt16, {4})
                .refusal(),
            "SignalDelay: has 1 inputs and 1 outputs, of which 1 have to be "
            "states");
}

} // namespace
} // namespace nnhal::tflite
