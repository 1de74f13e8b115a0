//===- DetectionRoutinesTest.cpp - Routines of boxes and regions ----------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RoutineRunner.h"

#include <gtest/gtest.h>

#include <cmath>

using namespace nnhal::rt;
using namespace nnhal::rt::testing;
using Op = OperationType;
using Values = std::vector<double>;

namespace {

RoutineOutcome run(const OperationBuilder &builder) {
  return runRoutine(reference::detectionRoutines(), builder);
}

TensorType openFloats() { return unrankedTensor(OperandType::TENSOR_FLOAT32); }
TensorType openInts() { return unrankedTensor(OperandType::TENSOR_INT32); }

void expectNear(const Values &found, const Values &expected,
                double tolerance = 1e-5) {
  ASSERT_EQ(found.size(), expected.size());
  for (size_t i = 0; i < found.size(); ++i)
    EXPECT_NEAR(found[i], expected[i], tolerance) << "element " << i;
}

//===----------------------------------------------------------------------===//
// AXIS_ALIGNED_BBOX_TRANSFORM
//===----------------------------------------------------------------------===//

RoutineOutcome transform(const Values &rois, const Values &deltas,
                         const Values &batches) {
  auto count = int64_t(batches.size());
  OperationBuilder builder(Op::AXIS_ALIGNED_BBOX_TRANSFORM);
  return run(builder.tensor(floatTensor({count, 4}), rois)
                 .tensor(floatTensor({count, 8}), deltas)
                 .tensor(int32Tensor({count}), batches)
                 .tensor(floatTensor({2, 2}), {512, 512, 128, 256})
                 .output(openFloats()));
}

// M-220
TEST(DetectionRoutinesTest, TransformMovesScalesAndClips) {
  RoutineOutcome outcome =
      transform({100, 150, 400, 430, 100, 50, 200, 100},
                {0.2, 0.2, 0.1, 0.1, 0, 0, 0, 0,
                 // Second roi: twice as wide; beyond the image of 128 x 256.
                 0, 0, std::log(2.0), 0, 1, 1, 0, 0},
                {0, 1});
  ASSERT_TRUE(outcome.status.isOk()) << outcome.status.message();
  double width = 300 * std::exp(0.1), height = 280 * std::exp(0.1);
  expectNear(outcome.values[0],
             {310 - width / 2, 346 - height / 2, 310 + width / 2,
              346 + height / 2, 100, 150, 400, 430, 50, 50, 250, 100, 200, 100,
              256, 128},
             1e-3);
}

TEST(DetectionRoutinesTest, TransformRejectsElements) {
  // boxes C6
  EXPECT_EQ(transform({4, 0, 3, 5}, Values(8, 0), {0}).status.message(),
            "roi 0 has corners (4, 0) and (3, 5), expected x1 <= x2 and y1 <= "
            "y2");
  EXPECT_FALSE(transform({0, 6, 3, 5}, Values(8, 0), {0}).status.isOk());
  EXPECT_FALSE(transform({NAN, 0, 3, 5}, Values(8, 0), {0}).status.isOk());
  // boxes C7
  EXPECT_EQ(transform({0, 0, 3, 5}, Values(8, 0), {2}).status.message(),
            "batch index 2 is outside [0, 2)");
  EXPECT_EQ(transform({0, 0, 3, 5}, Values(8, 0), {-1}).status.message(),
            "batch index -1 is outside [0, 2)");
}

TEST(DetectionRoutinesTest, TransformOfNothing) {
  RoutineOutcome outcome = transform({}, {}, {});
  ASSERT_TRUE(outcome.status.isOk()) << outcome.status.message();
  EXPECT_EQ(outcome.shapes[0], (std::vector<int64_t>{0, 8}));
}

//===----------------------------------------------------------------------===//
// BOX_WITH_NMS_LIMIT
//===----------------------------------------------------------------------===//

struct Nms {
  Values scores;
  Values boxes;
  Values batches;
  int32_t maxBoxes = -1;
  int32_t kernel = 0;
  float nmsThreshold = 0.3f;

  /// Two classes, the first of which is the background.
  RoutineOutcome run() const {
    auto count = int64_t(batches.size());
    OperationBuilder builder(Op::BOX_WITH_NMS_LIMIT);
    return ::run(builder.tensor(floatTensor({count, 2}), scores)
                     .tensor(floatTensor({count, 8}), boxes)
                     .tensor(int32Tensor({count}), batches)
                     .float32(0.3f)
                     .int32(maxBoxes)
                     .int32(kernel)
                     .float32(0.4f)
                     .float32(0.5f)
                     .float32(nmsThreshold)
                     .output(openFloats())
                     .output(openFloats())
                     .output(openInts())
                     .output(openInts()));
  }
};

/// Makes each box one of the background and one of the class.
Values twice(const std::vector<Values> &boxes) {
  Values result;
  for (const Values &box : boxes)
    for (int i = 0; i < 2; ++i)
      result.insert(result.end(), box.begin(), box.end());
  return result;
}

/// Boxes 0 and 1 overlap by 8 of 12 (IoU 2/3); box 2 stands alone; box 3 is of
/// another image.
Nms overlappingBoxes() {
  return {.scores = {1, 0.8, 1, 0.9, 1, 0.5, 1, 0.4},
          .boxes = twice(
              {{0, 0, 10, 1}, {2, 0, 12, 1}, {20, 0, 21, 1}, {0, 0, 10, 1}}),
          .batches = {0, 0, 0, 1}};
}

// M-223, M-224
TEST(DetectionRoutinesTest, HardNmsDropsOverlap) {
  RoutineOutcome outcome = overlappingBoxes().run();
  ASSERT_TRUE(outcome.status.isOk()) << outcome.status.message();
  expectNear(outcome.values[0], {0.9, 0.5, 0.4});
  EXPECT_EQ(outcome.values[1],
            (Values{2, 0, 12, 1, 20, 0, 21, 1, 0, 0, 10, 1}));
  EXPECT_EQ(outcome.values[2], (Values{1, 1, 1}));
  EXPECT_EQ(outcome.values[3], (Values{0, 0, 1}));
}

TEST(DetectionRoutinesTest, NmsLimitsBoxesPerImage) {
  Nms nms = overlappingBoxes();
  nms.maxBoxes = 1;
  RoutineOutcome outcome = nms.run();
  expectNear(outcome.values[0], {0.9, 0.4});
  nms.maxBoxes = 0;
  EXPECT_EQ(nms.run().shapes[1], (std::vector<int64_t>{0, 4}));
}

TEST(DetectionRoutinesTest, SoftNmsLowersScores) {
  Nms nms = overlappingBoxes();
  nms.nmsThreshold = 0.0f;
  nms.kernel = 1;
  expectNear(nms.run().values[0], {0.9, 0.5, 0.8 / 3, 0.4});
  nms.kernel = 2;
  expectNear(nms.run().values[0],
             {0.9, 0.5, 0.8 * std::exp(-4.0 / 9 / 0.5), 0.4});
  nms.nmsThreshold = 0.35f;
  expectNear(nms.run().values[0], {0.9, 0.5, 0.4});
}

// M-225, M-226
TEST(DetectionRoutinesTest, NmsOfNothing) {
  Nms nms{.scores = {}, .boxes = {}, .batches = {}};
  RoutineOutcome outcome = nms.run();
  ASSERT_TRUE(outcome.status.isOk()) << outcome.status.message();
  EXPECT_EQ(outcome.shapes,
            (std::vector<std::vector<int64_t>>{{0}, {0, 4}, {0}, {0}}));
}

//===----------------------------------------------------------------------===//
// DETECTION_POSTPROCESSING
//===----------------------------------------------------------------------===//

/// Three anchors of size 1 at x = 0, 0.1 and 100; background and two classes.
RoutineOutcome postprocess(bool isRegular, int32_t detections, int32_t classes,
                           int32_t perClass, bool isBackgroundLabeled) {
  OperationBuilder builder(Op::DETECTION_POSTPROCESSING);
  builder
      .tensor(floatTensor({1, 3, 3}), {0, 0.9, 0.8, 0, 0.75, 0.72, 0, 0.3, 0.7})
      .tensor(floatTensor({1, 3, 4}), {0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0})
      .tensor(floatTensor({3, 4}),
              {0.5, 0.5, 1, 1, 0.5, 0.5, 1, 1, 0.5, 100.5, 1, 1});
  for (float scale : {10.0f, 10.0f, 5.0f, 5.0f})
    builder.float32(scale);
  return run(builder.boolean(isRegular)
                 .int32(detections)
                 .int32(classes)
                 .int32(perClass)
                 .float32(0.1f)
                 .float32(0.5f)
                 .boolean(isBackgroundLabeled)
                 .output(openFloats())
                 .output(openFloats())
                 .output(openInts())
                 .output(openInts()));
}

// M-232, M-233, M-234
TEST(DetectionRoutinesTest, FastPostprocessing) {
  RoutineOutcome outcome = postprocess(false, 3, 1, 1, false);
  ASSERT_TRUE(outcome.status.isOk()) << outcome.status.message();
  expectNear(outcome.values[0], {0.9, 0.7, 0});
  expectNear(outcome.values[1], {0, 0, 1, 1, 0, 100, 1, 101, 0, 0, 0, 0});
  EXPECT_EQ(outcome.values[2], (Values{0, 1, 0}));
  EXPECT_EQ(outcome.values[3], (Values{2}));
  // Two classes of each detection; labels count the background.
  outcome = postprocess(false, 3, 2, 1, true);
  expectNear(outcome.values[0], {0.9, 0.8, 0.7, 0.3, 0, 0});
  EXPECT_EQ(outcome.values[2], (Values{1, 2, 2, 1, 0, 0}));
  EXPECT_EQ(outcome.values[3], (Values{4}));
}

TEST(DetectionRoutinesTest, RegularPostprocessing) {
  RoutineOutcome outcome = postprocess(true, 3, 1, 2, false);
  ASSERT_TRUE(outcome.status.isOk()) << outcome.status.message();
  expectNear(outcome.values[0], {0.9, 0.8, 0.7});
  EXPECT_EQ(outcome.values[2], (Values{0, 1, 1}));
  EXPECT_EQ(outcome.values[3], (Values{3}));
  // One detection per class.
  outcome = postprocess(true, 3, 1, 1, false);
  expectNear(outcome.values[0], {0.9, 0.8, 0});
  EXPECT_EQ(outcome.values[3], (Values{2}));
}

//===----------------------------------------------------------------------===//
// GENERATE_PROPOSALS
//===----------------------------------------------------------------------===//

/// Two places side by side, 10 pixels apart, with one anchor of 8 x 8.
RoutineOutcome propose(const Values &scores, int32_t preNms, int32_t postNms,
                       float minSize, float imageWidth) {
  OperationBuilder builder(Op::GENERATE_PROPOSALS);
  return run(builder.tensor(floatTensor({1, 1, 2, 1}), scores)
                 .tensor(floatTensor({1, 1, 2, 4}), Values(8, 0))
                 .tensor(floatTensor({1, 4}), {0, 0, 8, 8})
                 .tensor(floatTensor({1, 2}), {32, imageWidth})
                 .float32(10.0f)
                 .float32(10.0f)
                 .int32(preNms)
                 .int32(postNms)
                 .float32(0.5f)
                 .float32(minSize)
                 .boolean(false)
                 .output(openFloats())
                 .output(openFloats())
                 .output(openInts()));
}

// M-229
TEST(DetectionRoutinesTest, Proposals) {
  RoutineOutcome outcome = propose({0.5, 0.75}, -1, -1, 1, 32);
  ASSERT_TRUE(outcome.status.isOk()) << outcome.status.message();
  EXPECT_EQ(outcome.values[0], (Values{0.75, 0.5}));
  EXPECT_EQ(outcome.values[1], (Values{10, 0, 18, 8, 0, 0, 8, 8}));
  EXPECT_EQ(outcome.values[2], (Values{0, 0}));
  EXPECT_EQ(propose({0.5, 0.75}, 1, -1, 1, 32).values[0], (Values{0.75}));
  EXPECT_EQ(propose({0.5, 0.75}, 0, 1, 1, 32).values[0], (Values{0.75}));
  // The second is clipped to a width of 2.
  EXPECT_EQ(propose({0.5, 0.75}, 0, 0, 2, 12).values[0], (Values{0.5}));
  outcome = propose({0.5, 0.75}, 0, 0, 8, 32);
  EXPECT_EQ(outcome.shapes,
            (std::vector<std::vector<int64_t>>{{0}, {0, 4}, {0}}));
}

TEST(DetectionRoutinesTest, ProposalsOfNchw) {
  // Channels are slowest: anchors 0 and 1 at two places.
  OperationBuilder builder(Op::GENERATE_PROPOSALS);
  Values deltas(16, 0);
  deltas[2 * 4 + 1] = 1; // Anchor 1, dx, at the second place.
  RoutineOutcome outcome =
      run(builder.tensor(floatTensor({1, 2, 1, 2}), {0.1, 0.2, 0.3, 0.4})
              .tensor(floatTensor({1, 8, 1, 2}), deltas)
              .tensor(floatTensor({2, 4}), {0, 0, 8, 8, 0, 10, 8, 18})
              .tensor(floatTensor({1, 2}), {64, 64})
              .float32(10.0f)
              .float32(10.0f)
              .int32(0)
              .int32(0)
              .float32(0.5f)
              .float32(1.0f)
              .boolean(true)
              .output(openFloats())
              .output(openFloats())
              .output(openInts()));
  ASSERT_TRUE(outcome.status.isOk()) << outcome.status.message();
  expectNear(outcome.values[0], {0.4, 0.3, 0.2, 0.1});
  EXPECT_EQ(outcome.values[1],
            (Values{18, 10, 26, 18, 0, 10, 8, 18, 10, 0, 18, 8, 0, 0, 8, 8}));
}

//===----------------------------------------------------------------------===//
// HEATMAP_MAX_KEYPOINT
//===----------------------------------------------------------------------===//

RoutineOutcome findKeypoint(int64_t size, const Values &map,
                            const Values &box) {
  OperationBuilder builder(Op::HEATMAP_MAX_KEYPOINT);
  return run(builder.tensor(floatTensor({1, size, size, 1}), map)
                 .tensor(floatTensor({1, 4}), box)
                 .boolean(false)
                 .output(openFloats())
                 .output(openFloats()));
}

// M-217: -(x - 1.25)^2 - (y - 1)^2 has its maximum between pixels.
TEST(DetectionRoutinesTest, HeatmapRefinesMaximum) {
  Values map;
  for (int y = 0; y < 4; ++y)
    for (int x = 0; x < 4; ++x)
      map.push_back(10 - (x - 1.25) * (x - 1.25) - (y - 1) * (y - 1));
  RoutineOutcome outcome = findKeypoint(4, map, {10, 20, 18, 36});
  ASSERT_TRUE(outcome.status.isOk()) << outcome.status.message();
  expectNear(outcome.values[0], {10});
  expectNear(outcome.values[1], {10 + 1.75 / 4 * 8, 20 + 1.5 / 4 * 16});
}

TEST(DetectionRoutinesTest, HeatmapWithoutSolution) {
  // Flat: the first pixel wins, nothing is solved.
  RoutineOutcome outcome = findKeypoint(2, Values(4, 1), {0, 0, 8, 8});
  EXPECT_EQ(outcome.values[0], (Values{1}));
  EXPECT_EQ(outcome.values[1], (Values{2, 2}));
  // boxes C6
  EXPECT_EQ(findKeypoint(2, Values(4, 1), {0, 9, 8, 8}).status.message(),
            "box 0 has corners (0, 9) and (8, 8), expected x1 <= x2 and y1 <= "
            "y2");
}

//===----------------------------------------------------------------------===//
// ROI_ALIGN and ROI_POOLING
//===----------------------------------------------------------------------===//

struct Roi {
  TensorType features = floatTensor({1, 4, 4, 1});
  TensorType output = openFloats();
  Values roi = {};
  double batch = 0;
  int32_t extent = 2;
  int32_t samples = 1;

  static Values ramp() {
    Values values;
    for (int i = 0; i < 16; ++i)
      values.push_back(i);
    return values;
  }
  RoutineOutcome run(Op type) const {
    OperationBuilder builder(type);
    builder.tensor(features, ramp())
        .tensor(floatTensor({1, 4}), roi)
        .tensor(int32Tensor({1}), {batch})
        .int32(extent)
        .int32(extent)
        .float32(2.0f)
        .float32(2.0f);
    if (type == Op::ROI_ALIGN)
      builder.int32(samples).int32(samples);
    return ::run(builder.boolean(false).output(output));
  }
};

// M-209, M-210: feature (h, w) is 4 h + w, which bilinear sampling reproduces.
TEST(DetectionRoutinesTest, RoiAlignSamplesBilinearly) {
  RoutineOutcome outcome =
      Roi{.roi = {2, 0, 6, 4}}.run(Op::ROI_ALIGN); // x 1 to 3, y 0 to 2
  ASSERT_TRUE(outcome.status.isOk()) << outcome.status.message();
  expectNear(outcome.values[0], {3.5, 4.5, 7.5, 8.5});
  EXPECT_EQ(outcome.shapes[0], (std::vector<int64_t>{1, 2, 2, 1}));
  // More samples of a linear function have the same mean.
  for (int32_t samples : {0, 2, 7})
    expectNear((Roi{.roi = {2, 0, 6, 4}, .samples = samples}
                    .run(Op::ROI_ALIGN)
                    .values[0]),
               {3.5, 4.5, 7.5, 8.5});
  // A roi without extent counts as one pixel; beyond the edge its value holds.
  expectNear(
      (Roi{.roi = {8, 8, 8, 8}, .extent = 1}.run(Op::ROI_ALIGN).values[0]),
      {15});
}

// roi C4, M-211
TEST(DetectionRoutinesTest, RoisLieInTheMap) {
  for (Op type : {Op::ROI_ALIGN, Op::ROI_POOLING}) {
    EXPECT_EQ((Roi{.roi = {0, 0, 9, 8}}.run(type).status.message()),
              "roi 0 from (0, 0) to (4.5, 4) exceeds the feature map of 4x4");
    EXPECT_FALSE((Roi{.roi = {-1, 0, 8, 8}}.run(type).status.isOk()));
    EXPECT_EQ((Roi{.roi = {4, 0, 3, 8}}.run(type).status.message()),
              "roi 0 has corners (4, 0) and (3, 8), expected x1 <= x2 and y1 "
              "<= y2");
    EXPECT_EQ((Roi{.roi = {0, 0, 3, 8}, .batch = 1}.run(type).status.message()),
              "batch index 1 is outside [0, 1)");
  }
}

// roi_align C2
TEST(DetectionRoutinesTest, RoiAlignLimitsSamples) {
  Roi roi{.roi = {0, 0, 8, 8}, .samples = (1 << 16) + 1};
  EXPECT_EQ(roi.run(Op::ROI_ALIGN).status.message(),
            "65537 samples per bin exceed 65536");
}

// M-213
TEST(DetectionRoutinesTest, RoiPoolingTakesMaxima) {
  // Pixels 1 to 3 of both axes, both inclusive: bins of 1.5 pixels, widened.
  RoutineOutcome outcome = Roi{.roi = {2, 2, 6, 6}}.run(Op::ROI_POOLING);
  ASSERT_TRUE(outcome.status.isOk()) << outcome.status.message();
  EXPECT_EQ(outcome.values[0], (Values{10, 11, 14, 15}));
  // Beyond the map's edge a bin is empty: real 0, the zero point.
  Roi edge{.features = quantTensor({1, 4, 4, 1}, 1.0f, 9),
           .output = quantTensor({1, 2, 2, 1}, 1.0f, 9)};
  OperationBuilder builder(Op::ROI_POOLING);
  outcome = run(
      builder.tensor(edge.features, Roi::ramp())
          .tensor(tensorType(OperandType::TENSOR_QUANT16_ASYMM, {1, 4}, 0.125f),
                  {28, 28, 32, 32})
          .tensor(int32Tensor({1}), {0})
          .int32(2)
          .int32(2)
          .float32(1.0f)
          .float32(1.0f)
          .boolean(false)
          .output(edge.output));
  ASSERT_TRUE(outcome.status.isOk()) << outcome.status.message();
  EXPECT_EQ(outcome.values[0], (Values{9, 9, 9, 9}));
}

} // namespace
