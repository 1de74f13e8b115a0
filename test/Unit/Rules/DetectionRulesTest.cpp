//===- DetectionRulesTest.cpp - Forms of Detection operations -------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OperationBuilder.h"

#include <gtest/gtest.h>

#include <cmath>

using namespace nnhal::rt;
using namespace nnhal::rt::testing;
using Op = OperationType;

namespace {

TensorType boxTensor(std::vector<int64_t> dimensions, float scale = 0.125f,
                     int32_t zeroPoint = 0) {
  return tensorType(OperandType::TENSOR_QUANT16_ASYMM, std::move(dimensions),
                    scale, zeroPoint);
}

TensorType anchorTensor(std::vector<int64_t> dimensions, float scale = 0.125f) {
  return tensorType(OperandType::TENSOR_QUANT16_SYMM, std::move(dimensions),
                    scale);
}

/// \p type as an output of unknown shape.
TensorType open(TensorType type) {
  type.isRanked = false;
  type.dimensions.clear();
  return type;
}
TensorType openInts() { return unrankedTensor(OperandType::TENSOR_INT32); }

/// Coordinates beside values of \p type.
TensorType coordinatesOf(const TensorType &type) {
  bool isQuantized = type.type == OperandType::TENSOR_QUANT8_ASYMM ||
                     type.type == OperandType::TENSOR_QUANT8_ASYMM_SIGNED;
  return open(isQuantized ? boxTensor({}) : type);
}

/// Appends a float scalar of the kind that goes with \p type.
void addReal(OperationBuilder &builder, const TensorType &type, float value) {
  if (type.type == OperandType::TENSOR_FLOAT16)
    builder.float16(value);
  else
    builder.float32(value);
}

//===----------------------------------------------------------------------===//
// AXIS_ALIGNED_BBOX_TRANSFORM
//===----------------------------------------------------------------------===//

struct Transform {
  TensorType rois = floatTensor({5, 4});
  TensorType deltas = floatTensor({5, 8});
  TensorType batches = int32Tensor({5});
  TensorType info = floatTensor({2, 2});

  std::string shapes() const {
    return OperationBuilder(Op::AXIS_ALIGNED_BBOX_TRANSFORM)
        .tensor(rois)
        .tensor(deltas)
        .tensor(batches)
        .tensor(info)
        .output(open(rois))
        .shapes();
  }
};

// M-218, M-219, M-220
TEST(DetectionRulesTest, TransformYieldsBoxesPerClass) {
  EXPECT_EQ(Transform().shapes(), "5x8");
  EXPECT_EQ((Transform{.rois = boxTensor({5, 4}),
                       .deltas = signedQuantTensor({5, 8}, 0.05f, 3),
                       .info = boxTensor({2, 2})}
                 .shapes()),
            "5x8");
  EXPECT_EQ((Transform{.rois = floatTensor({0, 4}),
                       .deltas = floatTensor({0, 8}),
                       .batches = int32Tensor({0})}
                 .shapes()),
            "0x8");
}

TEST(DetectionRulesTest, TransformRejects) {
  // axis_aligned_bbox_transform C1
  EXPECT_EQ(Transform{.rois = quantTensor({5, 4}, 1, 0)}.shapes(),
            "rois type TENSOR_QUANT8_ASYMM is not among TENSOR_FLOAT32, "
            "TENSOR_FLOAT16, TENSOR_QUANT16_ASYMM");
  // axis_aligned_bbox_transform C2
  EXPECT_EQ(Transform{.deltas = halfTensor({5, 8})}.shapes(),
            "deltas type TENSOR_FLOAT16 is not among TENSOR_FLOAT32");
  EXPECT_EQ((Transform{.rois = boxTensor({5, 4})}.shapes()),
            "deltas type TENSOR_FLOAT32 is not among TENSOR_QUANT8_ASYMM, "
            "TENSOR_QUANT8_ASYMM_SIGNED");
  // axis_aligned_bbox_transform C3
  EXPECT_EQ(Transform{.deltas = floatTensor({4, 8})}.shapes(),
            "number of deltas 4 differs from number of rois 5");
  // axis_aligned_bbox_transform C4
  EXPECT_EQ(Transform{.deltas = floatTensor({5, 6})}.shapes(),
            "deltas dimension 1 is 6, expected a positive multiple of 4");
  EXPECT_EQ(Transform{.deltas = floatTensor({5, 0})}.shapes(),
            "deltas dimension 1 is 0, expected a positive multiple of 4");
  // axis_aligned_bbox_transform C5
  EXPECT_EQ(Transform{.info = floatTensor({0, 2})}.shapes(),
            "number of images 0 must be positive");
}

TEST(DetectionRulesTest, BoxOperandsAreChecked) {
  // boxes C1
  EXPECT_EQ(Transform{.info = halfTensor({2, 2})}.shapes(),
            "image info type TENSOR_FLOAT16 is not among TENSOR_FLOAT32");
  // boxes C2
  EXPECT_EQ(Transform{.rois = boxTensor({5, 4}, 0.25f)}.shapes(),
            "rois scale 0.25 and zero point 0 must be 0.125 and 0");
  EXPECT_EQ(Transform{.rois = boxTensor({5, 4}, 0.125f, 7)}.shapes(),
            "rois scale 0.125 and zero point 7 must be 0.125 and 0");
  // boxes C3
  EXPECT_EQ(Transform{.rois = floatTensor({5, 3})}.shapes(),
            "rois dimension 1 is 3, expected 4");
  EXPECT_EQ(Transform{.info = floatTensor({2, 3})}.shapes(),
            "image info dimension 1 is 3, expected 2");
  // boxes C4
  EXPECT_EQ(Transform{.batches = floatTensor({5})}.shapes(),
            "batch indices type TENSOR_FLOAT32 is not among TENSOR_INT32");
  // boxes C5
  EXPECT_EQ(Transform{.batches = int32Tensor({6})}.shapes(),
            "number of batch indices 6 differs from number of boxes 5");
}

//===----------------------------------------------------------------------===//
// BOX_WITH_NMS_LIMIT
//===----------------------------------------------------------------------===//

struct Nms {
  TensorType scores = floatTensor({19, 3});
  TensorType boxes = floatTensor({19, 12});
  TensorType batches = int32Tensor({19});
  int32_t kernel = 0;

  template <typename Ask> std::string ask(Ask query) const {
    OperationBuilder builder(Op::BOX_WITH_NMS_LIMIT);
    builder.tensor(scores).tensor(boxes).tensor(batches);
    addReal(builder, scores, 0.5f);
    builder.int32(-1).int32(kernel);
    for (int i = 0; i < 3; ++i)
      addReal(builder, scores, 0.5f);
    builder.output(open(scores)).output(coordinatesOf(scores));
    return query(builder.output(openInts()).output(openInts()));
  }
  std::string shapes() const {
    return ask([](const OperationBuilder &b) { return b.shapes(); });
  }
  std::string since() const {
    return ask([](const OperationBuilder &b) { return b.since(); });
  }
};

// M-221, M-222, M-225
TEST(DetectionRulesTest, NmsYieldsUnknownNumberOfBoxes) {
  EXPECT_EQ(Nms().shapes(), "?, ?x4, ?, ?");
  EXPECT_EQ(Nms().since(), "1.2");
  EXPECT_EQ((Nms{.scores = halfTensor({19, 3}), .boxes = halfTensor({19, 12})}
                 .since()),
            "1.2");
  EXPECT_EQ((Nms{.scores = signedQuantTensor({19, 3}, 0.1f, -128),
                 .boxes = boxTensor({19, 12})}
                 .since()),
            "1.3");
  EXPECT_EQ((Nms{.scores = floatTensor({0, 3}),
                 .boxes = floatTensor({0, 12}),
                 .batches = int32Tensor({0})}
                 .shapes()),
            "?, ?x4, ?, ?");
}

TEST(DetectionRulesTest, NmsRejects) {
  // box_with_nms_limit C1
  EXPECT_EQ(Nms{.scores = floatTensor({19})}.shapes(),
            "scores rank 1 is below 2");
  // box_with_nms_limit C2
  EXPECT_EQ(Nms{.scores = floatTensor({19, 1})}.shapes(),
            "number of classes 1 must be above 1");
  // box_with_nms_limit C3
  EXPECT_EQ(Nms{.boxes = floatTensor({18, 12})}.shapes(),
            "number of boxes 18 differs from number of scores 19");
  // box_with_nms_limit C4
  EXPECT_EQ(Nms{.kernel = 3}.shapes(), "soft NMS kernel is 3, expected 0 to 2");
  EXPECT_EQ(Nms{.boxes = floatTensor({19, 8})}.shapes(),
            "boxes dimension 1 is 8, expected 12");
}

// M-256: scalars are FLOAT16 beside TENSOR_FLOAT16.
TEST(DetectionRulesTest, NmsScalarsGoWithScores) {
  OperationBuilder builder(Op::BOX_WITH_NMS_LIMIT);
  builder.tensor(halfTensor({2, 3}))
      .tensor(halfTensor({2, 12}))
      .tensor(int32Tensor({2}))
      .float32(0.5f)
      .int32(-1)
      .int32(0)
      .float32(0.5f)
      .float32(0.5f)
      .float32(0.5f);
  for (int i = 0; i < 4; ++i)
    builder.output(openInts());
  EXPECT_EQ(builder.message(),
            "input 3 (score threshold) has type FLOAT32, expected FLOAT16");
}

//===----------------------------------------------------------------------===//
// DETECTION_POSTPROCESSING
//===----------------------------------------------------------------------===//

struct Postprocessing {
  TensorType scores = floatTensor({1, 6, 3});
  TensorType deltas = floatTensor({1, 6, 7});
  TensorType anchors = floatTensor({6, 4});
  float scale = 10.0f;
  bool isRegular = false;
  int32_t detections = 3;
  int32_t classes = 2;
  int32_t perClass = 1;
  float scoreThreshold = 0.0f;
  float iouThreshold = 0.5f;

  std::string shapes() const {
    OperationBuilder builder(Op::DETECTION_POSTPROCESSING);
    builder.tensor(scores).tensor(deltas).tensor(anchors);
    for (int i = 0; i < 4; ++i)
      addReal(builder, scores, scale);
    builder.boolean(isRegular).int32(detections).int32(classes).int32(perClass);
    addReal(builder, scores, scoreThreshold);
    addReal(builder, scores, iouThreshold);
    return builder.boolean(false)
        .output(open(scores))
        .output(open(scores))
        .output(openInts())
        .output(openInts())
        .shapes();
  }
};

// M-230, M-232
TEST(DetectionRulesTest, PostprocessingYieldsPlaces) {
  EXPECT_EQ(Postprocessing().shapes(), "1x6, 1x6x4, 1x6, 1");
  EXPECT_EQ(Postprocessing{.isRegular = true}.shapes(), "1x3, 1x3x4, 1x3, 1");
  EXPECT_EQ((Postprocessing{.scores = halfTensor({1, 6, 3}),
                            .deltas = halfTensor({1, 6, 4}),
                            .anchors = halfTensor({6, 4})}
                 .shapes()),
            "1x6, 1x6x4, 1x6, 1");
  // The limit of the other mode is not looked at.
  EXPECT_EQ((Postprocessing{.isRegular = true, .classes = 0}.shapes()),
            "1x3, 1x3x4, 1x3, 1");
  EXPECT_EQ(Postprocessing{.perClass = 0}.shapes(), "1x6, 1x6x4, 1x6, 1");
}

TEST(DetectionRulesTest, PostprocessingRejectsOperands) {
  // detection_postprocessing C1
  EXPECT_EQ(Postprocessing{.scores = quantTensor({1, 6, 3}, 1, 0)}.shapes(),
            "scores type TENSOR_QUANT8_ASYMM is not among TENSOR_FLOAT32, "
            "TENSOR_FLOAT16");
  // detection_postprocessing C2
  EXPECT_EQ(Postprocessing{.deltas = floatTensor({6, 7})}.shapes(),
            "deltas rank 2 is below 3");
  // detection_postprocessing C3
  EXPECT_EQ(Postprocessing{.deltas = floatTensor({2, 6, 7})}.shapes(),
            "deltas batch 2 differs from scores batch 1");
  // detection_postprocessing C4
  EXPECT_EQ(
      Postprocessing{.deltas = floatTensor({1, 5, 7})}.shapes(),
      "number of rows of deltas 5 differs from number of rows of scores 6");
  EXPECT_EQ(Postprocessing{.anchors = floatTensor({5, 4})}.shapes(),
            "number of anchors 5 differs from number of rows of scores 6");
  // detection_postprocessing C5
  EXPECT_EQ(Postprocessing{.scores = floatTensor({1, 6, 1})}.shapes(),
            "number of classes 1 must be above 1");
  // detection_postprocessing C6
  EXPECT_EQ(Postprocessing{.deltas = floatTensor({1, 6, 3})}.shapes(),
            "deltas dimension 2 is 3, below 4");
}

// M-231
TEST(DetectionRulesTest, PostprocessingRejectsParameters) {
  // detection_postprocessing C7
  EXPECT_EQ(Postprocessing{.scale = 0.0f}.shapes(), "scale 0 must be positive");
  EXPECT_EQ(Postprocessing{.scale = NAN}.shapes(),
            "scale nan must be positive");
  // detection_postprocessing C8
  EXPECT_EQ(Postprocessing{.scoreThreshold = -1.0f}.shapes(),
            "score threshold -1 must not be negative");
  EXPECT_EQ(Postprocessing{.iouThreshold = -1.0f}.shapes(),
            "IoU threshold -1 must not be negative");
  // detection_postprocessing C9
  EXPECT_EQ(Postprocessing{.detections = 0}.shapes(),
            "max detections 0 must be positive");
  EXPECT_EQ(Postprocessing{.classes = 0}.shapes(),
            "max classes per detection 0 must be positive");
  EXPECT_EQ((Postprocessing{.isRegular = true, .perClass = 0}.shapes()),
            "max detections per class 0 must be positive");
  EXPECT_EQ(
      (Postprocessing{.detections = 1 << 20, .classes = 1 << 20}.shapes()),
      "1048576 times 1048576 elements exceed 4294967295");
}

//===----------------------------------------------------------------------===//
// GENERATE_PROPOSALS
//===----------------------------------------------------------------------===//

struct Proposals {
  TensorType scores = floatTensor({2, 3, 4, 5});
  TensorType deltas = floatTensor({2, 3, 4, 20});
  TensorType anchors = floatTensor({5, 4});
  TensorType info = floatTensor({2, 2});
  float ratio = 4.0f;
  float iouThreshold = 0.5f;
  float minSize = 1.0f;
  bool isNchw = false;

  std::string shapes() const {
    OperationBuilder builder(Op::GENERATE_PROPOSALS);
    builder.tensor(scores).tensor(deltas).tensor(anchors).tensor(info);
    addReal(builder, scores, ratio);
    addReal(builder, scores, ratio);
    builder.int32(-1).int32(-1);
    addReal(builder, scores, iouThreshold);
    addReal(builder, scores, minSize);
    return builder.boolean(isNchw)
        .output(open(scores))
        .output(coordinatesOf(scores))
        .output(openInts())
        .shapes();
  }
};

// M-227, M-228, M-249, M-253
TEST(DetectionRulesTest, ProposalsYieldUnknownNumber) {
  EXPECT_EQ(Proposals().shapes(), "?, ?x4, ?");
  EXPECT_EQ((Proposals{.scores = floatTensor({2, 5, 3, 4}),
                       .deltas = floatTensor({2, 20, 3, 4}),
                       .isNchw = true}
                 .shapes()),
            "?, ?x4, ?");
  EXPECT_EQ((Proposals{.scores = quantTensor({2, 3, 4, 5}, 0.1f, 1),
                       .deltas = quantTensor({2, 3, 4, 20}, 0.2f, 2),
                       .anchors = anchorTensor({5, 4}),
                       .info = boxTensor({2, 2})}
                 .shapes()),
            "?, ?x4, ?");
}

TEST(DetectionRulesTest, ProposalsRejectOperands) {
  // generate_proposals C1
  EXPECT_EQ(Proposals{.scores = floatTensor({2, 3, 4})}.shapes(),
            "scores rank 3 is below 4");
  // generate_proposals C2
  EXPECT_EQ(Proposals{.deltas = halfTensor({2, 3, 4, 20})}.shapes(),
            "deltas type TENSOR_FLOAT16 is not among TENSOR_FLOAT32");
  // generate_proposals C3
  EXPECT_EQ(Proposals{.deltas = floatTensor({2, 3, 5, 20})}.shapes(),
            "deltas width 5 differs from scores width 4");
  // generate_proposals C4
  EXPECT_EQ(Proposals{.deltas = floatTensor({2, 3, 4, 5})}.shapes(),
            "deltas channels is 5, expected 20");
  // generate_proposals C5
  EXPECT_EQ(Proposals{.anchors = floatTensor({4, 4})}.shapes(),
            "number of anchors 4 differs from scores channels 5");
  // generate_proposals C6
  EXPECT_EQ(Proposals{.info = floatTensor({1, 2})}.shapes(),
            "number of images 1 differs from scores batch 2");
  EXPECT_EQ((Proposals{.scores = quantTensor({2, 3, 4, 5}, 0.1f, 1),
                       .deltas = quantTensor({2, 3, 4, 20}, 0.2f, 2),
                       .anchors = boxTensor({5, 4})}
                 .shapes()),
            "anchors type TENSOR_QUANT16_ASYMM is not among "
            "TENSOR_QUANT16_SYMM");
  EXPECT_EQ((Proposals{.scores = quantTensor({2, 3, 4, 5}, 0.1f, 1),
                       .deltas = quantTensor({2, 3, 4, 20}, 0.2f, 2),
                       .anchors = anchorTensor({5, 4}, 0.25f)}
                 .shapes()),
            "anchors scale 0.25 and zero point 0 must be 0.125 and 0");
  EXPECT_EQ(Proposals{.scores = floatTensor({2, 0, 4, 5})}.shapes(),
            "input 0 of shape 2x0x4x5 is zero-sized");
}

TEST(DetectionRulesTest, ProposalsRejectParameters) {
  // ratio C1
  EXPECT_EQ(Proposals{.ratio = 0.0f}.shapes(),
            "height ratio 0 must be positive");
  // generate_proposals C7
  EXPECT_EQ(Proposals{.iouThreshold = -1.0f}.shapes(),
            "IoU threshold -1 must not be negative");
  // generate_proposals C8
  EXPECT_EQ(Proposals{.minSize = -2.0f}.shapes(),
            "minimum size -2 must not be negative");
}

//===----------------------------------------------------------------------===//
// HEATMAP_MAX_KEYPOINT
//===----------------------------------------------------------------------===//

std::string heatmap(TensorType maps, TensorType boxes, bool isNchw = false) {
  return OperationBuilder(Op::HEATMAP_MAX_KEYPOINT)
      .tensor(maps)
      .tensor(boxes)
      .boolean(isNchw)
      .output(open(maps))
      .output(coordinatesOf(maps))
      .shapes();
}

// M-215, M-216, M-254
TEST(DetectionRulesTest, HeatmapYieldsKeypoints) {
  EXPECT_EQ(heatmap(floatTensor({2, 4, 4, 3}), floatTensor({2, 4})),
            "2x3, 2x3x2");
  EXPECT_EQ(heatmap(floatTensor({2, 3, 4, 4}), floatTensor({2, 4}), true),
            "2x3, 2x3x2");
  EXPECT_EQ(
      heatmap(signedQuantTensor({2, 4, 4, 3}, 0.5f, 1), boxTensor({2, 4})),
      "2x3, 2x3x2");
}

TEST(DetectionRulesTest, HeatmapRejects) {
  // heatmap_max_keypoint C1
  EXPECT_EQ(heatmap(floatTensor({4, 4, 3}), floatTensor({2, 4})),
            "heatmaps rank 3 is below 4");
  // heatmap_max_keypoint C2
  EXPECT_EQ(heatmap(floatTensor({2, 4, 5, 3}), floatTensor({2, 4})),
            "heatmap height 4 differs from width 5");
  // heatmap_max_keypoint C3
  EXPECT_EQ(heatmap(floatTensor({2, 1, 1, 3}), floatTensor({2, 4})),
            "heatmap size 1 is below 2");
  // heatmap_max_keypoint C4
  EXPECT_EQ(heatmap(floatTensor({2, 4, 4, 3}), floatTensor({3, 4})),
            "number of boxes 3 differs from number of heatmaps 2");
}

// While the layout is not known, extents say nothing.
TEST(DetectionRulesTest, UnknownLayoutIsAccepted) {
  OperationBuilder builder(Op::HEATMAP_MAX_KEYPOINT);
  builder.tensor(floatTensor({2, 3, 4, 4}))
      .tensor(floatTensor({2, 4}))
      .scalar(OperandType::BOOL)
      .output(floatTensor({2, 3}))
      .output(floatTensor({2, 3, 2}));
  EXPECT_EQ(builder.shapes(), "?x?, ?x?x?");
}

//===----------------------------------------------------------------------===//
// ROI_ALIGN and ROI_POOLING
//===----------------------------------------------------------------------===//

struct Roi {
  TensorType features = floatTensor({2, 8, 9, 3});
  TensorType rois = floatTensor({5, 4});
  TensorType batches = int32Tensor({5});
  int32_t height = 2;
  int32_t width = 3;
  float ratio = 4.0f;
  int32_t samples = 0;
  bool isNchw = false;

  std::string align(TensorType output) const {
    OperationBuilder builder(Op::ROI_ALIGN);
    builder.tensor(features).tensor(rois).tensor(batches);
    builder.int32(height).int32(width);
    addReal(builder, features, ratio);
    addReal(builder, features, ratio);
    return builder.int32(samples)
        .int32(samples)
        .boolean(isNchw)
        .output(std::move(output))
        .shapes();
  }
  std::string align() const { return align(open(features)); }

  std::string pool(TensorType output) const {
    OperationBuilder builder(Op::ROI_POOLING);
    builder.tensor(features).tensor(rois).tensor(batches);
    builder.int32(height).int32(width);
    addReal(builder, features, ratio);
    addReal(builder, features, ratio);
    return builder.boolean(isNchw).output(std::move(output)).shapes();
  }
  std::string pool() const { return pool(open(features)); }
};

// M-206, M-212, M-214
TEST(DetectionRulesTest, RoiShapes) {
  EXPECT_EQ(Roi().align(), "5x2x3x3");
  EXPECT_EQ(Roi().pool(), "5x2x3x3");
  Roi nchw{.features = halfTensor({2, 3, 8, 9}),
           .rois = halfTensor({5, 4}),
           .isNchw = true};
  EXPECT_EQ(nchw.align(), "5x3x2x3");
  EXPECT_EQ(nchw.pool(), "5x3x2x3");
  Roi empty{.rois = floatTensor({0, 4}), .batches = int32Tensor({0})};
  EXPECT_EQ(empty.align(), "0x2x3x3");
  EXPECT_EQ(empty.pool(), "input 1 of shape 0x4 is zero-sized");
}

// M-210, M-212: quantization is free for one, the input's for the other.
TEST(DetectionRulesTest, RoiQuantization) {
  Roi roi{.features = quantTensor({2, 8, 9, 3}, 0.5f, 3),
          .rois = boxTensor({5, 4})};
  TensorType other = quantTensor({5, 2, 3, 3}, 0.25f, 3);
  EXPECT_EQ(roi.align(other), "5x2x3x3");
  EXPECT_EQ(roi.pool(other),
            "output has scale 0.25 and zero point 3, expected scale 0.5 and "
            "zero point 3");
}

TEST(DetectionRulesTest, RoiRejects) {
  // roi C1
  EXPECT_EQ(Roi{.features = floatTensor({8, 9, 3})}.align(),
            "features rank 3 is below 4");
  // roi C2
  EXPECT_EQ(Roi{.features = floatTensor({2, 0, 9, 3})}.align(),
            "features height 0 must be positive");
  // roi C3
  EXPECT_EQ(Roi{.height = 0}.pool(), "output height 0 must be positive");
  EXPECT_EQ(Roi{.width = -1}.align(), "output width -1 must be positive");
  EXPECT_EQ(Roi{.ratio = -1.0f}.align(), "height ratio -1 must be positive");
  // roi_align C1
  EXPECT_EQ(Roi{.samples = -1}.align(),
            "number of samples -1 must not be negative");
}

} // namespace
