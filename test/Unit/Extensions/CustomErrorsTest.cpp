//===- CustomErrorsTest.cpp - Custom operators that are not legal ---------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CustomTesting.h"

#include <cmath>
#include <random>

namespace nnhal::tflite {
namespace {

/// Uses of the detector with one thing changed.
struct Detection {
  DetectionOptions options = {};
  std::vector<uint8_t> bytes = options.bytes();
  Shape boxes = {1, 4, 4}, scores = {1, 4, 3}, anchors = {4, 4};
  rt::OperandType type = tensorFloat32, result = tensorFloat32;

  Operator use() const {
    Operator use = customOperator(0);
    use.open(type, boxes)
        .open(tensorFloat32, scores)
        .open(tensorFloat32, anchors)
        .customOptions(bytes)
        .result(result, {-1, -1, -1}, 0.0f)
        .result(tensorFloat32, {-1, -1}, 0.0f)
        .result(tensorFloat32, {-1, -1}, 0.0f)
        .result(tensorFloat32, {-1}, 0.0f);
    return use;
  }
  std::string refusal() const {
    constexpr std::string_view name = "TFLite_Detection_PostProcess: ";
    std::string message = use().refusal();
    return message.starts_with(name) ? message.substr(name.size()) : message;
  }
};

std::string optionsRefusal(const DetectionOptions &options) {
  return Detection{.options = options}.refusal();
}

TEST(CustomErrorsTest, detectionOptions) {
  EXPECT_EQ(optionsRefusal({}), "");
  EXPECT_EQ(optionsRefusal({.maxDetections = 0}),
            "custom option 'max_detections' is 0, which is not in 1..1048576");
  EXPECT_EQ(optionsRefusal({.yScale = 0}), "custom option 'y_scale' is 0");
  EXPECT_EQ(optionsRefusal({.scoreThreshold = NAN}),
            "custom option 'nms_score_threshold' is nan, which is not finite");
  EXPECT_EQ(optionsRefusal({.iouThreshold = 1.5f}),
            "custom option 'nms_iou_threshold' is 1.5, which is not above 0 "
            "and at most 1");
  EXPECT_EQ(optionsRefusal({.maxDetections = 1 << 20, .maxClasses = 256}),
            "there are 268435456 places for detections, but at most 268435455 "
            "are allowed");
  EXPECT_EQ((Detection{.bytes = {1, 2}}.refusal()),
            "has 2 bytes of custom options that are not a FlexBuffer");
  EXPECT_EQ(
      (Detection{.bytes = mapOf([](flexbuffers::Builder &) {})}.refusal()),
      "custom option 'max_detections' is missing");
  EXPECT_EQ((Detection{.bytes = mapOf([](flexbuffers::Builder &map) {
                         map.String("max_detections", "4");
                       })}
                 .refusal()),
            "custom option 'max_detections' is missing");
  flexbuffers::Builder number;
  number.Int(7);
  number.Finish();
  EXPECT_EQ((Detection{.bytes = number.GetBuffer()}.refusal()),
            "has custom options that are not a map");
}

TEST(CustomErrorsTest, detectionTensors) {
  EXPECT_EQ((Detection{.boxes = {2, 4, 4}}.refusal()),
            "box encodings have shape 2x4x4, expected 1x?x?");
  EXPECT_EQ((Detection{.boxes = {1, 4, 3}}.refusal()),
            "box encodings have 3 coordinates, but at least 4 are needed");
  EXPECT_EQ((Detection{.scores = {1, 5, 3}}.refusal()),
            "scores have shape 1x5x3, expected 1x4x?");
  EXPECT_EQ((Detection{.scores = {1, 4, 4}}.refusal()),
            "scores have 4 classes, expected 2 or 3");
  EXPECT_EQ((Detection{.anchors = {4, 5}}.refusal()),
            "anchors have shape 4x5, expected 4x4");
  EXPECT_EQ((Detection{.type = tensorInt32}.refusal()),
            "box encodings have type TENSOR_INT32, expected TENSOR_FLOAT32, "
            "TENSOR_QUANT8_ASYMM or TENSOR_QUANT8_ASYMM_SIGNED");
  EXPECT_EQ((Detection{.result = tensorInt32}.refusal()),
            "output 0 type TENSOR_INT32 is not the expected TENSOR_FLOAT32");
  // Extents may be known to the execution alone.
  EXPECT_EQ((Detection{.boxes = {1, -1, 4}, .scores = {1, -1, -1}}.refusal()),
            "");
}

TEST(CustomErrorsTest, counts) {
  EXPECT_EQ(customOperator(0)
                .open(tensorFloat32, {1})
                .customOptions(DetectionOptions().bytes())
                .refusal(),
            "TFLite_Detection_PostProcess: has 1 tensors, expected 3");
  EXPECT_EQ(customOperator(1)
                .open(tensorFloat32, {1})
                .open(tensorFloat32, {1})
                .open(tensorFloat32, {1})
                .customOptions(PosenetOptions().bytes())
                .refusal(),
            "PosenetDecoderOp: has 0 results, expected 4");
  EXPECT_EQ(customOperator(0).refusal(),
            "TFLite_Detection_PostProcess: the custom options are missing");
  EXPECT_EQ(customOperator(99).refusal(),
            "nnhal.tflite_custom has no operation 99, the last one is 22");
}

TEST(CustomErrorsTest, options) {
  auto refusal = [](auto add) {
    Operator use = customOperator(0);
    for (int i = 0; i < 3; ++i)
      use.open(tensorFloat32, {1});
    add(use);
    for (int i = 0; i < 4; ++i)
      use.result(tensorFloat32, {-1}, 0.0f);
    return use.refusal();
  };
  EXPECT_EQ(refusal([](Operator &use) { use.int32({1}, {1}); }),
            "TFLite_Detection_PostProcess: the custom options have type "
            "TENSOR_INT32, expected TENSOR_QUANT8_ASYMM");
  EXPECT_EQ(refusal([](Operator &use) {
              use.open(rt::OperandType::TENSOR_QUANT8_ASYMM, {4});
            }),
            "TFLite_Detection_PostProcess: the custom options must be a "
            "constant");
  EXPECT_EQ(refusal([](Operator &use) { use.omitted(); }),
            "TFLite_Detection_PostProcess: has 0 bytes of custom options that "
            "are not a FlexBuffer");
}

TEST(CustomErrorsTest, detectionElements) {
  std::vector<float> anchors = {0, 0, 1, 1, 0, 0, -1, 1};
  Operator use = customOperator(0);
  use.float32({1, 2, 4}, std::vector<float>(8))
      .float32({1, 2, 2}, {1, 0, 1, 0})
      .float32({2, 4}, anchors)
      .customOptions(DetectionOptions().bytes())
      .result(tensorFloat32, {1, 4, 4}, 0.0f)
      .result(tensorFloat32, {1, 4}, 0.0f)
      .result(tensorFloat32, {1, 4}, 0.0f)
      .result(tensorFloat32, {1}, 0.0f);
  EXPECT_EQ(use.refusal(), "");
  EXPECT_EQ(use.failure(),
            "TFLite_Detection_PostProcess: box 1 begins at 0.5, -0.5 and ends "
            "before, at -0.5, 0.5");
}

TEST(CustomErrorsTest, posenet) {
  auto refusal = [](const PosenetOptions &options, Shape heat = {1, 4, 4, 17},
                    Shape shorts = {1, 4, 4, 34}, Shape mids = {1, 4, 4, 64},
                    Shape longs = {1, 33, 33, 34}) {
    Operator use = customOperator(1);
    use.open(tensorFloat32, std::move(heat))
        .open(tensorFloat32, std::move(shorts))
        .open(tensorFloat32, std::move(mids))
        .open(tensorFloat32, std::move(longs))
        .customOptions(options.bytes());
    for (int64_t rank : {4, 3, 2, 1, 4})
      use.result(tensorFloat32, Shape(size_t(rank), -1), 0.0f);
    return use.refusal();
  };
  EXPECT_EQ(refusal({}), "");
  EXPECT_EQ(refusal({.stride = 0}), "PosenetDecoderOp: custom option 'stride' "
                                    "is 0, which is not in 1..65536");
  EXPECT_EQ(refusal({}, {1, 4, 4, 16}),
            "PosenetDecoderOp: heat maps have shape 1x4x4x16, expected "
            "1x?x?x17");
  EXPECT_EQ(refusal({}, {1, 4, 4, 17}, {1, 4, 5, 34}),
            "PosenetDecoderOp: short offsets have shape 1x4x5x34, expected "
            "1x4x4x34");
  EXPECT_EQ(refusal({}, {1, 4, 4, 17}, {1, 4, 4, 34}, {1, 4, 4, 34}),
            "PosenetDecoderOp: mid offsets have shape 1x4x4x34, expected "
            "1x4x4x64");
  EXPECT_EQ(
      refusal({}, {1, 4, 4, 17}, {1, 4, 4, 34}, {1, 4, 4, 64}, {1, 4, 4, 34}),
      "PosenetDecoderOp: long offsets have shape 1x4x4x34, expected "
      "1x33x33x34");
}

// Options with changed bytes are refused or computed with, never a crash.
TEST(CustomErrorsTest, damagedOptions) {
  std::mt19937 random(6);
  const std::vector<uint8_t> good = DetectionOptions().bytes();
  size_t legal = 0;
  for (int i = 0; i < 4000; ++i) {
    std::vector<uint8_t> bytes = good;
    for (uint32_t n = 1 + random() % 3; n > 0; --n)
      bytes[random() % bytes.size()] = uint8_t(random());
    if (i % 4 == 0)
      bytes.resize(random() % bytes.size());
    legal += Detection{.bytes = bytes}.refusal().empty();
  }
  EXPECT_GT(legal, 100u);
  EXPECT_LT(legal, 3000u);
}

} // namespace
} // namespace nnhal::tflite
