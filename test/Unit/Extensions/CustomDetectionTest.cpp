//===- CustomDetectionTest.cpp - Detection post-processing ----------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CustomTesting.h"

#include <algorithm>
#include <cmath>

namespace nnhal::tflite {
namespace {

// Three unit anchors side by side, and a fourth upon the first, by half.
const Floats anchors = {0.5f, 0.5f, 1, 1, 0.5f, 1.5f, 1, 1,
                        0.5f, 2.5f, 1, 1, 0.5f, 0.6f, 1, 1};
const Floats noDeltas(16);
// Scores with a background class; the second of each row is class 0.
const Floats scores = {0.1f, 0.8f, 0.3f,  0.1f, 0.2f,  0.7f,
                       0.9f, 0.1f, 0.24f, 0.1f, 0.75f, 0.6f};

Operator detect(const DetectionOptions &options, const Floats &deltas,
                const Floats &given, const Floats &places = anchors) {
  int64_t count = int64_t(places.size()) / 4;
  return customOperator(0)
      .float32({1, count, 4}, deltas)
      .float32({1, count, int64_t(given.size()) / count}, given)
      .float32({count, 4}, places)
      .customOptions(options.bytes())
      .result(tensorFloat32, {-1, -1, -1}, 0.0f)
      .result(tensorFloat32, {-1, -1}, 0.0f)
      .result(tensorFloat32, {-1, -1}, 0.0f)
      .result(tensorFloat32, {-1}, 0.0f)
      .run();
}

void expectNear(const Floats &actual, const Floats &expected) {
  ASSERT_EQ(actual.size(), expected.size());
  for (size_t i = 0; i < actual.size(); ++i)
    EXPECT_NEAR(actual[i], expected[i], 1e-6) << "element " << i;
}

TEST(CustomDetectionTest, fast) {
  Operator use = detect({}, noDeltas, scores);
  // The fourth anchor overlaps the first by 0.9 / 1.1; the third is below the
  // threshold; the last places stay empty.
  expectNear(use.elements<float>(0),
             {0, 0, 1, 1, 0, 1, 1, 2, 0, 0, 0, 0, 0, 0, 0, 0});
  EXPECT_EQ(use.elements<float>(1), (Floats{0, 1, 0, 0}));
  EXPECT_EQ(use.elements<float>(2), (Floats{0.8f, 0.7f, 0, 0}));
  EXPECT_EQ(use.elements<float>(3), Floats{2});
  EXPECT_EQ(use.shape(0), (Shape{1, 4, 4}));
}

// The classes of a box follow each other; places for classes that there are not
// stay empty.
TEST(CustomDetectionTest, fastWithSeveralClasses) {
  Operator use = detect({.maxClasses = 3}, noDeltas, scores);
  EXPECT_EQ(use.shape(0), (Shape{1, 12, 4}));
  EXPECT_EQ(use.elements<float>(1),
            (Floats{0, 1, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0}));
  EXPECT_EQ(use.elements<float>(2),
            (Floats{0.8f, 0.3f, 0, 0.7f, 0.2f, 0, 0, 0, 0, 0, 0, 0}));
  EXPECT_EQ(use.elements<float>(3), Floats{2});
}

TEST(CustomDetectionTest, regular) {
  // Per class: of class 0 the first anchor; of class 1 the second, the fourth
  // and, below it, the first, which overlaps the fourth.
  Operator use = detect({.isRegular = true}, noDeltas, scores);
  EXPECT_EQ(use.elements<float>(2), (Floats{0.8f, 0.7f, 0.6f, 0}));
  EXPECT_EQ(use.elements<float>(1), (Floats{0, 1, 1, 0}));
  EXPECT_EQ(use.elements<float>(3), Floats{3});
  EXPECT_NEAR(use.elements<float>(0)[9], 0.1, 1e-6);
  // There are all places that the fast mode has, though fewer are used.
  Operator wide =
      detect({.maxClasses = 2, .isRegular = true}, noDeltas, scores);
  EXPECT_EQ(wide.elements<float>(2), (Floats{0.8f, 0.7f, 0.6f, 0, 0, 0, 0, 0}));
  EXPECT_EQ(wide.shape(0), (Shape{1, 8, 4}));
  // One detection of each class, and one of all.
  Operator few = detect({.perClass = 1, .isRegular = true}, noDeltas, scores);
  EXPECT_EQ(few.elements<float>(2), (Floats{0.8f, 0.7f, 0, 0}));
  Operator one =
      detect({.maxDetections = 1, .isRegular = true}, noDeltas, scores);
  EXPECT_EQ(one.elements<float>(2), Floats{0.8f});
}

TEST(CustomDetectionTest, withoutBackground) {
  Floats foreground;
  for (size_t i = 0; i < scores.size(); ++i)
    if (i % 3)
      foreground.push_back(scores[i]);
  for (size_t result = 0; result < 4; ++result)
    EXPECT_EQ(detect({}, noDeltas, foreground).elements<float>(result),
              detect({}, noDeltas, scores).elements<float>(result));
}

TEST(CustomDetectionTest, boxes) {
  // dy, dx, dh, dw of the second anchor.
  Floats deltas(16);
  deltas[4] = 2, deltas[5] = -1, deltas[6] = 1, deltas[7] = -2;
  double y = 0.5 + 0.2, x = 1.5 - 0.1;
  double height = std::exp(0.2), width = std::exp(-0.4);
  Floats result = detect({}, deltas, scores).elements<float>(0);
  expectNear({result.begin() + 4, result.begin() + 8},
             {float(y - height / 2), float(x - width / 2),
              float(y + height / 2), float(x + width / 2)});
}

// A score that is the threshold is taken, and a box that overlaps by just the
// threshold stays. So does a score of 0 where that is the threshold.
TEST(CustomDetectionTest, thresholds) {
  // Anchors 0 and 3 overlap by 0.5: half of 1 by 1 beside 1 by 0.5.
  const Floats places = {0.5f, 0.5f, 1, 1, 0.5f, 1.5f,  1, 1,
                         0.5f, 2.5f, 1, 1, 0.5f, 0.25f, 1, 0.5f};
  const Floats given = {0, 0.75f, 0, 0, 0, 0, 0, 0, 0, 0, 0.875f, 0};
  Operator use = detect({.scoreThreshold = 0.75f}, noDeltas, given, places);
  EXPECT_EQ(use.elements<float>(2), (Floats{0.875f, 0.75f, 0, 0}));
  EXPECT_EQ(use.elements<float>(3), Floats{2});
  EXPECT_EQ(
      detect({.scoreThreshold = 0}, noDeltas, given, places).elements<float>(3),
      Floats{4});
}

// Boxes of equal scores stay in their order. Of the best of a list the order is
// that of std::partial_sort of the GNU library: a heap of four equal ones is
// taken apart to 1, 3, 0, 2, and one of 0.75, 0.5, 0.75 to 2, 0, 1.
TEST(CustomDetectionTest, equalScores) {
  const Floats places = {0.5f, 0.5f, 1, 1, 0.5f, 1.5f, 1, 1,
                         0.5f, 2.5f, 1, 1, 0.5f, 3.5f, 1, 1};
  Operator boxes = detect({.classes = 4}, noDeltas, Floats(16, 0.5f), places);
  expectNear(boxes.elements<float>(0),
             {0, 0, 1, 1, 0, 1, 1, 2, 0, 2, 1, 3, 0, 3, 1, 4});
  EXPECT_EQ(boxes.elements<float>(1), (Floats{0, 0, 0, 0}));
  const Floats oneBox(places.begin(), places.begin() + 4);
  const DetectionOptions four = {
      .maxDetections = 1, .maxClasses = 4, .classes = 4};
  EXPECT_EQ(detect(four, Floats(4), Floats(4, 0.5f), oneBox).elements<float>(1),
            (Floats{1, 3, 0, 2}));
  const DetectionOptions three = {
      .maxDetections = 1, .maxClasses = 3, .classes = 4};
  EXPECT_EQ(detect(three, Floats(4), {0.75f, 0.5f, 0.75f, 0.5f}, oneBox)
                .elements<float>(1),
            (Floats{2, 0, 1}));
  Operator regular = detect({.perClass = 4, .classes = 1, .isRegular = true},
                            noDeltas, Floats(4, 0.5f), places);
  expectNear(regular.elements<float>(0),
             {0, 1, 1, 2, 0, 3, 1, 4, 0, 0, 1, 1, 0, 2, 1, 3});
}

TEST(CustomDetectionTest, quantized) {
  auto quantize = [](const Floats &values, float scale, int zeroPoint) {
    std::vector<uint8_t> bytes;
    for (float value : values)
      bytes.push_back(uint8_t(std::lround(value / scale) + zeroPoint));
    return bytes;
  };
  constexpr auto type = rt::OperandType::TENSOR_QUANT8_ASYMM;
  constexpr auto signedType = rt::OperandType::TENSOR_QUANT8_ASYMM_SIGNED;
  // Scores are bytes of either kind.
  for (int zeroPoint : {0, -128}) {
    Operator use = customOperator(0);
    use.tensor(type, {1, 4, 4}, quantize(noDeltas, 0.1f, 120), 0.1f, 120)
        .tensor(zeroPoint == 0 ? type : signedType, {1, 4, 3},
                quantize(scores, 1 / 256.0f, zeroPoint), 1 / 256.0f, zeroPoint)
        .tensor(type, {4, 4}, quantize(anchors, 0.0125f, 0), 0.0125f)
        .customOptions(DetectionOptions().bytes())
        .result(tensorFloat32, {1, 4, 4}, 0.0f)
        .result(tensorFloat32, {1, 4}, 0.0f)
        .result(tensorFloat32, {1, 4}, 0.0f)
        .result(tensorFloat32, {1}, 0.0f)
        .run();
    EXPECT_EQ(use.elements<float>(1), (Floats{0, 1, 0, 0})) << zeroPoint;
    EXPECT_EQ(use.elements<float>(2),
              (Floats{205 / 256.0f, 179 / 256.0f, 0, 0}))
        << zeroPoint;
  }
}

// The best class of a box, of bytes of either kind, is found wherever it is; a
// background that is better has no part in it.
TEST(CustomDetectionTest, bestOfManyClasses) {
  const Floats places = {0.5f, 0.5f, 1, 1, 0.5f, 1.5f, 1, 1,
                         0.5f, 2.5f, 1, 1, 0.5f, 3.5f, 1, 1};
  constexpr auto type = rt::OperandType::TENSOR_QUANT8_ASYMM;
  constexpr auto signedType = rt::OperandType::TENSOR_QUANT8_ASYMM_SIGNED;
  for (int zeroPoint : {0, -128})
    for (int classes : {15, 16, 17, 40})
      for (int best = 0; best < classes; ++best) {
        std::vector<uint8_t> bytes;
        for (int box = 0; box < 4; ++box) {
          bytes.push_back(uint8_t(255 + zeroPoint));
          for (int i = 0; i < classes; ++i)
            bytes.push_back(uint8_t(
                (i == (best + box) % classes ? 200 - box : 90) + zeroPoint));
        }
        Operator use = customOperator(0);
        use.float32({1, 4, 4}, noDeltas)
            .tensor(zeroPoint == 0 ? type : signedType, {1, 4, classes + 1},
                    bytes, 1 / 256.0f, zeroPoint)
            .float32({4, 4}, places)
            .customOptions(DetectionOptions{.classes = classes}.bytes())
            .result(tensorFloat32, {1, 4, 4}, 0.0f)
            .result(tensorFloat32, {1, 4}, 0.0f)
            .result(tensorFloat32, {1, 4}, 0.0f)
            .result(tensorFloat32, {1}, 0.0f)
            .run();
        Floats expected, found = use.elements<float>(1);
        for (int box = 0; box < 4; ++box)
          expected.push_back(float((best + box) % classes));
        EXPECT_EQ(found, expected) << classes << " classes";
        EXPECT_EQ(use.elements<float>(2), (Floats{200 / 256.0f, 199 / 256.0f,
                                                  198 / 256.0f, 197 / 256.0f}));
      }
}

} // namespace
} // namespace nnhal::tflite
