//===- TFLiteDetectionTest.cpp - Detection post-processing ----------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RunTesting.h"

#include <flatbuffers/flexbuffers.h>

#include <algorithm>
#include <cmath>

namespace nnhal::rt {
namespace {

struct PostProcess {
  int maxDetections = 4, maxClasses = 1, perClass = 3, classes = 2;
  bool isRegular = false;
  float scoreThreshold = 0.25f, iouThreshold = 0.5f;
  float yScale = 10.0f;
};

OperatorExtras extrasOf(const PostProcess &options) {
  flexbuffers::Builder builder;
  builder.Map([&] {
    builder.Int("max_detections", options.maxDetections);
    builder.Int("max_classes_per_detection", options.maxClasses);
    builder.Int("detections_per_class", options.perClass);
    builder.Int("num_classes", options.classes);
    builder.Bool("use_regular_nms", options.isRegular);
    builder.Float("nms_score_threshold", options.scoreThreshold);
    builder.Float("nms_iou_threshold", options.iouThreshold);
    builder.Float("y_scale", options.yScale);
    builder.Float("x_scale", 10.0f);
    builder.Float("h_scale", 5.0f);
    builder.Float("w_scale", 5.0f);
  });
  builder.Finish();
  return {.custom = "TFLite_Detection_PostProcess",
          .customOptions = builder.GetBuffer()};
}

// Three unit anchors side by side, and a fourth upon the first, by half.
const Numbers anchors = {0.5, 0.5, 1, 1, 0.5, 1.5, 1, 1,
                         0.5, 2.5, 1, 1, 0.5, 0.6, 1, 1};
const Numbers noDeltas(16);

std::vector<TestInput> inputsOf(const Numbers &deltas, const Numbers &scores) {
  return {{{{1, 4, 4}}, deltas},
          {{{1, 4, int32_t(scores.size() / 4)}}, scores},
          {{{4, 4}}, anchors, true}};
}

std::vector<Numbers> detect(const PostProcess &options,
                            const std::vector<TestInput> &inputs) {
  return runOperator(Code::CUSTOM, inputs, {{}, {}, {}, {}}, {},
                     extrasOf(options));
}

// Scores with a background class; the second of each row is class 0.
const Numbers scores = {0.1, 0.8, 0.3,  0.1, 0.2,  0.7,
                        0.9, 0.1, 0.24, 0.1, 0.75, 0.6};

TEST(TFLiteDetectionTest, fast) {
  std::vector<Numbers> results = detect({}, inputsOf(noDeltas, scores));
  // The fourth anchor overlaps the first by 0.9 / 1.1; the third is below the
  // threshold; the last places stay empty.
  expectNear(results[0], {0, 0, 1, 1, 0, 1, 1, 2, 0, 0, 0, 0, 0, 0, 0, 0},
             1e-6);
  EXPECT_EQ(results[1], (Numbers{0, 1, 0, 0}));
  expectNear(results[2], {0.8, 0.7, 0, 0}, 1e-6);
  EXPECT_EQ(results[3], Numbers{2});
}

TEST(TFLiteDetectionTest, regular) {
  // Per class: of class 0 the first anchor; of class 1 the second, the fourth
  // and, below it, the first, which overlaps the fourth.
  std::vector<Numbers> results =
      detect({.isRegular = true}, inputsOf(noDeltas, scores));
  expectNear(results[2], {0.8, 0.7, 0.6, 0}, 1e-6);
  EXPECT_EQ(results[1], (Numbers{0, 1, 1, 0}));
  EXPECT_EQ(results[3], Numbers{3});
  EXPECT_NEAR(results[0][9], 0.1, 1e-6);
  // As many places as the fast mode has, though fewer are used.
  results =
      detect({.maxClasses = 2, .isRegular = true}, inputsOf(noDeltas, scores));
  expectNear(results[2], {0.8, 0.7, 0.6, 0, 0, 0, 0, 0}, 1e-6);
  EXPECT_EQ(results[0].size(), 32u);
}

TEST(TFLiteDetectionTest, withoutBackground) {
  Numbers foreground;
  for (size_t i = 0; i < scores.size(); ++i)
    if (i % 3)
      foreground.push_back(scores[i]);
  EXPECT_EQ(detect({}, inputsOf(noDeltas, foreground)),
            detect({}, inputsOf(noDeltas, scores)));
}

TEST(TFLiteDetectionTest, boxes) {
  // dy, dx, dh, dw of the second anchor.
  Numbers deltas(16);
  deltas[4] = 2, deltas[5] = -1, deltas[6] = 1, deltas[7] = -2;
  double y = 0.5 + 0.2, x = 1.5 - 0.1;
  double height = std::exp(0.2), width = std::exp(-0.4);
  Numbers result = detect({}, inputsOf(deltas, scores))[0];
  expectNear({result.begin() + 4, result.begin() + 8},
             {y - height / 2, x - width / 2, y + height / 2, x + width / 2},
             1e-6);
}

// TFLite takes a score that is the threshold, and keeps a box that overlaps by
// just the threshold.
TEST(TFLiteDetectionTest, thresholdsAreThoseOfTFLite) {
  PostProcess options = {.scoreThreshold = 0.75f, .iouThreshold = 0.5f};
  // Anchors 0 and 3 would overlap by 0.5: half of 1 by 1 beside 1 by 0.5.
  std::vector<TestInput> inputs =
      inputsOf(noDeltas, {0, 0.75, 0, 0, 0, 0, 0, 0, 0, 0, 0.875, 0});
  inputs[2].values = {0.5, 0.5, 1, 1, 0.5, 1.5,  1, 1,
                      0.5, 2.5, 1, 1, 0.5, 0.25, 1, 0.5};
  std::vector<Numbers> results = detect(options, inputs);
  EXPECT_EQ(results[2], (Numbers{0.875, 0.75, 0, 0}));
  EXPECT_EQ(results[3], Numbers{2});
}

TEST(TFLiteDetectionTest, quantized) {
  std::vector<TestInput> inputs = inputsOf(noDeltas, scores);
  const TensorSpec formats[] = {{{1, 4, 4}, Type::UINT8, {0.1f}, {120}},
                                {{1, 4, 3}, Type::UINT8, {1 / 256.0f}, {0}},
                                {{4, 4}, Type::UINT8, {0.0125f}, {0}}};
  for (size_t i = 0; i < 3; ++i) {
    inputs[i].spec = formats[i];
    inputs[i].values = quantized(inputs[i].values, formats[i]);
  }
  std::vector<Numbers> results = detect({}, inputs);
  EXPECT_EQ(results[1], (Numbers{0, 1, 0, 0}));
  expectNear(results[2], {205 / 256.0, 179 / 256.0, 0, 0}, 1e-6);
}

TEST(TFLiteDetectionTest, errors) {
  auto error = [](const PostProcess &options, Numbers values = scores,
                  const TensorSpec &output = {}) {
    return operatorError(Code::CUSTOM, inputsOf(noDeltas, values),
                         {output, {}, {}, {}}, {}, extrasOf(options));
  };
  EXPECT_EQ(error({.maxDetections = 0}),
            "custom option 'max_detections' is 0, which is not in 1..1048576");
  EXPECT_EQ(error({.yScale = 0}),
            "custom option 'y_scale' is 0, which is not positive");
  EXPECT_EQ(error({.scoreThreshold = NAN}),
            "custom option 'nms_score_threshold' is nan, which is not a "
            "number");
  EXPECT_EQ(error({.maxClasses = 3}),
            "custom option 'max_classes_per_detection' is 3, but there are 2 "
            "classes");
  EXPECT_EQ(error({.classes = 5}),
            "scores have shape 1x4x3, expected 1x4x5 or 6");
  EXPECT_EQ(error({}, scores, {{}, Type::INT32}),
            "output 0 has type INT32, expected FLOAT32");
  auto shapes = [](std::vector<int32_t> boxes, std::vector<int32_t> places) {
    return operatorError(Code::CUSTOM,
                         {{{boxes}, {}}, {{{1, 4, 3}}, {}}, {{places}, {}}},
                         {{}, {}, {}, {}}, {}, extrasOf({}));
  };
  EXPECT_EQ(shapes({2, 4, 4}, {4, 4}),
            "box encodings have shape 2x4x4, expected 1xAx4");
  EXPECT_EQ(shapes({1, 4, 4}, {4, 5}), "anchors have shape 4x5, expected 4x4");
  OperatorExtras extras = extrasOf({});
  auto damaged = [&] {
    return operatorError(Code::CUSTOM, inputsOf(noDeltas, scores),
                         {{}, {}, {}, {}}, {}, extras);
  };
  extras.customOptions = {1, 2};
  EXPECT_EQ(damaged(),
            "has 2 bytes of custom options that are not a FlexBuffer");
  flexbuffers::Builder number;
  number.Int(7);
  number.Finish();
  extras.customOptions = number.GetBuffer();
  EXPECT_EQ(damaged(), "has custom options that are not a map");
  flexbuffers::Builder empty;
  empty.Map([] {});
  empty.Finish();
  extras.customOptions = empty.GetBuffer();
  EXPECT_EQ(damaged(), "custom option 'max_detections' is missing");
}

// Options with flipped bytes give a message or a model, never a crash.
TEST(TFLiteDetectionTest, damagedOptions) {
  std::mt19937 random(6);
  const OperatorExtras good = extrasOf({});
  for (int i = 0; i < 2000; ++i) {
    OperatorExtras extras = good;
    for (int n = 1 + int(random() % 3); n > 0; --n)
      extras.customOptions[random() % extras.customOptions.size()] =
          uint8_t(random());
    if (i % 4 == 0)
      extras.customOptions.resize(random() % extras.customOptions.size());
    EXPECT_FALSE(operatorError(Code::CUSTOM, inputsOf(noDeltas, scores),
                               {{}, {}, {}, {}}, {}, extras)
                     .empty());
  }
}

} // namespace
} // namespace nnhal::rt
