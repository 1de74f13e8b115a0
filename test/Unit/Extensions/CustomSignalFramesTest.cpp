//===- CustomSignalFramesTest.cpp - Streams of sound in frames ------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// "Published" numbers are those of the tests of TensorFlow Lite Micro. States
// go from one use to the next, as a program hands them on.
//
//===----------------------------------------------------------------------===//

#include "CustomTesting.h"

namespace nnhal::tflite {
namespace {

using Samples = std::vector<int16_t>;

/// The elements of a vector from \p begin on.
template <typename T>
std::vector<T> part(const std::vector<T> &values, size_t begin, size_t count) {
  return {values.begin() + ptrdiff_t(begin),
          values.begin() + ptrdiff_t(begin + count)};
}

/// The results for \p stream, delayed by \p delay, in frames of \p shape.
Samples delayed(const Samples &stream, const Shape &shape, int64_t delay) {
  Shape stateShape = shape;
  stateShape.back() = std::max<int64_t>(delay, 1);
  size_t frame = 1, stateSize = 1;
  for (size_t i = 0; i < shape.size(); ++i) {
    frame *= size_t(shape[i]);
    stateSize *= size_t(stateShape[i]);
  }
  Samples state(stateSize), result;
  for (size_t begin = 0; begin < stream.size(); begin += frame) {
    Operator use = customOperator("SignalDelay");
    use.int16(shape, part(stream, begin, frame))
        .customOptions(mapOf({{"delay_length", delay}}))
        .int16(stateShape, state)
        .result(tensorInt16, Shape(shape.size(), -1))
        .result(tensorInt16, Shape(shape.size(), -1))
        .run();
    Samples output = use.elements<int16_t>();
    result.insert(result.end(), output.begin(), output.end());
    state = use.elements<int16_t>(1);
  }
  return result;
}

// Published.
TEST(CustomSignalFramesTest, delay) {
  EXPECT_EQ(delayed({1, 2, 3, 4, 5, 6, 7, 8, 0, 0, 0, 0, 0, 0, 0, 0}, {8}, 3),
            (Samples{0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 0, 0, 0, 0, 0}));
  EXPECT_EQ(delayed({1, 2, 3, 4, 0, 0, 0, 0, 0}, {3}, 5),
            (Samples{0, 0, 0, 0, 0, 1, 2, 3, 4}));
  Samples rows(48);
  for (int16_t i = 0; i < 15; ++i)
    rows[size_t(i)] = int16_t(i + 1);
  EXPECT_EQ(delayed(rows, {4, 4}, 5),
            (Samples{0, 0, 0, 0, 0, 0, 0, 0, 0,  0, 0,  0,  0, 0,  0,  0,
                     0, 1, 2, 3, 0, 5, 6, 7, 0,  9, 10, 11, 0, 13, 14, 15,
                     4, 0, 0, 0, 8, 0, 0, 0, 12, 0, 0,  0,  0, 0,  0,  0}));
  EXPECT_EQ(delayed({1, 2, 3, 4}, {2}, 0), (Samples{1, 2, 3, 4}));
}

struct Framer {
  int64_t size, step;
  bool isFilled;
  /// The samples that a state has place for.
  int64_t held;
  Samples state = {};
  int32_t count = 0;
  Samples frames = {};

  /// Whether all frames of the use are valid.
  bool operator()(Shape shape, const Samples &samples) {
    Shape stateShape = shape;
    stateShape.back() = held;
    size_t rows = samples.size() / size_t(shape.back());
    state.resize(rows * size_t(held));
    Operator use = customOperator("SignalFramer");
    use.int16(shape, samples)
        .customOptions(mapOf([&](flexbuffers::Builder &map) {
          map.Int("frame_size", size);
          map.Int("frame_step", step);
          map.Bool("prefill", isFilled);
        }))
        .int16(stateShape, state)
        .int32({1}, {count})
        .result(tensorInt16, Shape(shape.size() + 1, -1))
        .result(tensorBool, {1}, 0.0f)
        .result(tensorInt16, Shape(shape.size(), -1))
        .result(tensorInt32, {1}, 0.0f)
        .run();
    frames = use.elements<int16_t>();
    state = use.elements<int16_t>(2);
    count = use.elements<int32_t>(3)[0];
    shape.back() /= step;
    shape.push_back(size);
    EXPECT_EQ(use.shape(), shape);
    return use.elements<uint8_t>(1)[0] == 1;
  }
};

// Published: zeros precede the stream where it is filled.
TEST(CustomSignalFramesTest, framer) {
  Framer three{.size = 3, .step = 1, .isFilled = false, .held = 2};
  EXPECT_FALSE(three({1}, {0x1234}));
  EXPECT_EQ(three.frames, (Samples{0, 0, 0}));
  EXPECT_FALSE(three({1}, {0x5678}));
  EXPECT_TRUE(three({1}, {0x4321}));
  EXPECT_EQ(three.frames, (Samples{0x1234, 0x5678, 0x4321}));
  EXPECT_TRUE(three({1}, {0x7777}));
  EXPECT_EQ(three.frames, (Samples{0x5678, 0x4321, 0x7777}));

  Framer five{.size = 5, .step = 2, .isFilled = true, .held = 3};
  EXPECT_TRUE(five({2}, {0x1010, 0x0202}));
  EXPECT_EQ(five.frames, (Samples{0, 0, 0, 0x1010, 0x0202}));
  EXPECT_TRUE(five({2}, {0x7070, 0x0606}));
  EXPECT_EQ(five.frames, (Samples{0, 0x1010, 0x0202, 0x7070, 0x0606}));

  Framer rows{.size = 5, .step = 2, .isFilled = true, .held = 3};
  EXPECT_TRUE(rows({2, 1, 4}, {1, 2, 3, 4, 5, 6, 7, 8}));
  EXPECT_EQ(rows.frames, (Samples{0, 0, 0, 1, 2, 0, 1, 2, 3, 4,
                                  0, 0, 0, 5, 6, 0, 5, 6, 7, 8}));
  EXPECT_EQ(rows.state, (Samples{2, 3, 4, 6, 7, 8}));
}

// A frame waits for whole steps, so that the first one has the oldest samples
// and leaves others.
TEST(CustomSignalFramesTest, framerSteps) {
  Framer uneven{.size = 5, .step = 2, .isFilled = false, .held = 4};
  EXPECT_FALSE(uneven({2}, {1, 2}));
  EXPECT_FALSE(uneven({2}, {3, 4}));
  EXPECT_EQ(uneven.count, 4);
  EXPECT_TRUE(uneven({2}, {5, 6}));
  EXPECT_EQ(uneven.frames, (Samples{1, 2, 3, 4, 5}));
  EXPECT_EQ(uneven.count, 4);
  EXPECT_TRUE(uneven({2}, {7, 8}));
  EXPECT_EQ(uneven.frames, (Samples{3, 4, 5, 6, 7}));
  // Some frames of one use may be valid; those that are not are zeros.
  Framer mixed{.size = 4, .step = 2, .isFilled = false, .held = 2};
  EXPECT_FALSE(mixed({4}, {1, 2, 3, 4}));
  EXPECT_EQ(mixed.frames, (Samples{0, 0, 0, 0, 1, 2, 3, 4}));
  // Steps that leave samples out.
  Framer sparse{.size = 1, .step = 2, .isFilled = false, .held = 1};
  EXPECT_TRUE(sparse({4}, {1, 2, 3, 4}));
  EXPECT_EQ(sparse.frames, (Samples{1, 3}));
}

struct Stacker {
  int64_t channels, left, right, step;
  Samples state = Samples(size_t(channels * (left + right + 1)));
  int32_t count = 0;
  Samples stack = {};

  bool operator()(const Samples &frame) {
    auto size = int64_t(state.size());
    Operator use = customOperator("SignalStacker");
    use.int16({channels}, frame)
        .customOptions(mapOf({{"num_channels", channels},
                              {"stacker_left_context", left},
                              {"stacker_right_context", right},
                              {"stacker_step", step}}))
        .int16({size}, state)
        .int32({1}, {count})
        .result(tensorInt16, {-1})
        .result(tensorBool, {1}, 0.0f)
        .result(tensorInt16, {-1})
        .result(tensorInt32, {1}, 0.0f)
        .run();
    stack = use.elements<int16_t>();
    state = use.elements<int16_t>(2);
    count = use.elements<int32_t>(3)[0];
    return use.elements<uint8_t>(1)[0] == 1;
  }
};

TEST(CustomSignalFramesTest, stacker) {
  // Published.
  Stacker one{.channels = 3, .left = 1, .right = 0, .step = 1};
  EXPECT_TRUE(one({0x1234, 0x5678, 0x4321}));
  EXPECT_EQ(one.stack,
            (Samples{0x1234, 0x5678, 0x4321, 0x1234, 0x5678, 0x4321}));
  EXPECT_TRUE(one({1, 2, 3}));
  EXPECT_EQ(one.stack, (Samples{0x1234, 0x5678, 0x4321, 1, 2, 3}));
  // Two steps drop all frames; the first one is not repeated again.
  Stacker two{.channels = 1, .left = 1, .right = 0, .step = 2};
  EXPECT_TRUE(two({7}));
  EXPECT_EQ(two.count, 1);
  EXPECT_FALSE(two({8}));
  EXPECT_EQ(two.stack, (Samples{0, 0}));
  EXPECT_TRUE(two({9}));
  EXPECT_EQ(two.stack, (Samples{8, 9}));
  // A stack waits for the frames behind its own.
  Stacker late{.channels = 1, .left = 1, .right = 1, .step = 1};
  EXPECT_FALSE(late({1}));
  EXPECT_TRUE(late({2}));
  EXPECT_EQ(late.stack, (Samples{1, 1, 2}));
  EXPECT_TRUE(late({3}));
  EXPECT_EQ(late.stack, (Samples{1, 2, 3}));
}

/// The results of frames of three, added with a step of one.
template <typename T>
std::vector<T> overlapAdded(rt::OperandType type, const std::vector<T> &frames,
                            int64_t perUse) {
  std::vector<T> state(3), result;
  auto size = size_t(perUse) * 3;
  for (size_t begin = 0; begin < frames.size(); begin += size) {
    Operator use = customOperator("SignalOverlapAdd");
    use.tensor(type, {perUse, 3}, part(frames, begin, size))
        .customOptions(mapOf({{"T", 7}, {"frame_step", 1}}))
        .tensor(type, {3}, state)
        .result(type, {-1})
        .result(type, {-1})
        .run();
    EXPECT_EQ(use.shape(), Shape{perUse});
    std::vector<T> output = use.template elements<T>();
    result.insert(result.end(), output.begin(), output.end());
    state = use.template elements<T>(1);
  }
  return result;
}

// Published.
TEST(CustomSignalFramesTest, overlapAdd) {
  const Samples frames = {125, -12, -895, 1000, 65,  -212,
                          63,  71,  52,   1,    -17, 32};
  const Samples expected = {125, 988, -767, -140};
  EXPECT_EQ(overlapAdded(tensorInt16, frames, 1), expected);
  EXPECT_EQ(overlapAdded(tensorInt16, frames, 4), expected);
  EXPECT_EQ(overlapAdded<float>(tensorFloat32,
                                {12.5f, -1.2f, -89.5f, 100.0f, 6.5f, -21.2f,
                                 6.3f, 7.1f, 5.2f, 0.1f, -1.7f, 3.2f},
                                1),
            (std::vector<float>{12.5f, 98.8f, -76.7f, -14.0f}));
  EXPECT_EQ(overlapAdded<int16_t>(tensorInt16,
                                  {1, 30000, -30000, 30000, -30000, 5}, 1),
            (Samples{1, 32767}));
}

TEST(CustomSignalFramesTest, overlapAddRows) {
  Operator use = customOperator("SignalOverlapAdd");
  use.int16({2, 2, 3}, {1, 2, 3, 10, 20, 30, 4, 5, 6, 40, 50, 60})
      .customOptions(mapOf({{"frame_step", 2}}))
      .int16({2, 3}, {100, 0, 0, 0, 200, 0})
      .result(tensorInt16, {-1, -1})
      .result(tensorInt16, {-1, -1})
      .run();
  EXPECT_EQ(use.shape(), (Shape{2, 4}));
  EXPECT_EQ(use.elements<int16_t>(), (Samples{101, 2, 13, 20, 4, 205, 46, 50}));
  EXPECT_EQ(use.elements<int16_t>(1), (Samples{30, 0, 0, 60, 0, 0}));
}

} // namespace
} // namespace nnhal::tflite
