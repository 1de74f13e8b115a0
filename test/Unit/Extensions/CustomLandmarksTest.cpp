//===- CustomLandmarksTest.cpp - Parts of images around landmarks ---------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CustomTesting.h"

#include <numbers>

namespace nnhal::tflite {
namespace {

void expectNear(const Floats &actual, const Floats &expected) {
  ASSERT_EQ(actual.size(), expected.size());
  for (size_t i = 0; i < actual.size(); ++i)
    EXPECT_NEAR(actual[i], expected[i], 1e-5) << "element " << i;
}

struct CropOptions {
  std::vector<int> subset = {0, 1, 2, 3};
  int left = 0, right = 1, height = 2, width = 4;
  float rotation = 0, scaleX = 1, scaleY = 1;
  bool hasKeys = true, isTyped = true;

  std::vector<uint8_t> bytes() const {
    return mapOf([this](flexbuffers::Builder &map) {
      if (isTyped)
        map.TypedVector("subset_idxs", [&] {
          for (int index : subset)
            map.Int(index);
        });
      else
        map.Vector("subset_idxs", [&] {
          for (int index : subset)
            map.Int(index);
        });
      if (!hasKeys)
        return;
      map.Int("left_rotation_idx", left);
      map.Int("right_rotation_idx", right);
      map.Int("output_height", height);
      map.Int("output_width", width);
      map.Float("target_rotation_radians", rotation);
      map.Float("scale_x", scaleX);
      map.Float("scale_y", scaleY);
    });
  }
};

Operator crop(Floats landmarks, const CropOptions &options) {
  Operator use = customOperator("Landmarks2TransformMatrix");
  auto count = int64_t(landmarks.size() / 3);
  use.float32({1, count, 3}, std::move(landmarks))
      .customOptions(options.bytes())
      .result(tensorFloat32, {-1, -1, -1}, 0.0f);
  return use;
}

TEST(CustomLandmarksTest, cropsAroundLandmarks) {
  // A box from (10, 20) to (18, 24), twice as large as the crop.
  const Floats upright = {10, 20, 5, 18, 20, 5, 18, 24, 5, 10, 24, 5};
  for (bool isTyped : {true, false}) {
    Operator use = crop(upright, {.isTyped = isTyped}).run();
    EXPECT_EQ(use.shape(), (Shape{1, 4, 4}));
    EXPECT_EQ(use.elements<float>(),
              (Floats{2, 0, 0, 10, 0, 2, 0, 20, 0, 0, 1, 0, 0, 0, 0, 1}));
  }
  EXPECT_EQ(
      crop(upright, {.scaleX = 2, .scaleY = 0.5f}).run().elements<float>(),
      (Floats{4, 0, 0, 6, 0, 1, 0, 21, 0, 0, 1, 0, 0, 0, 0, 1}));
  EXPECT_EQ(crop(upright, {.subset = {1}}).run().elements<float>(),
            (Floats{0, 0, 0, 18, 0, 0, 0, 20, 0, 0, 1, 0, 0, 0, 0, 1}));
  // The left landmark is above the right one: a quarter of a turn.
  const Floats turned = {10, 0, 0, 10, 8, 0, 6, 8, 0, 6, 0, 0};
  expectNear(crop(turned, {}).run().elements<float>(),
             {0, -2, 0, 10, 2, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1});
  expectNear(crop(turned, {.rotation = float(std::numbers::pi / 2)})
                 .run()
                 .elements<float>(),
             {1, 0, 0, 6, 0, 4, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1});
}

const Floats matrix = {2, 1, 9, 3, -1, 0.5f, 9, 4, 0, 0, 1, 0, 0, 0, 0, 1};

Operator move(Shape shape, Floats landmarks) {
  Operator use = customOperator("TransformLandmarks");
  use.float32(std::move(shape), std::move(landmarks))
      .float32({1, 4, 4}, matrix)
      .omitted()
      .result(tensorFloat32, {-1, -1, -1}, 0.0f);
  return use;
}

TEST(CustomLandmarksTest, movesLandmarks) {
  EXPECT_EQ(move({1, 2, 3}, {1, 2, 7, -1, 4, 8}).run().elements<float>(),
            (Floats{7, 4, 7, 5, 7, 8}));
  EXPECT_EQ(move({1, 1, 2}, {1, 2}).run().elements<float>(), (Floats{7, 4}));
}

Operator sample(Floats pixels, Floats by, int height, int width,
                Shape shape = {1, 2, 2, 2}) {
  Operator use = customOperator("TransformTensorBilinear");
  use.float32(std::move(shape), std::move(pixels))
      .float32({1, 4, 4}, std::move(by))
      .customOptions(
          mapOf({{"output_height", height}, {"output_width", width}}))
      .result(tensorFloat32, {-1, -1, -1, -1}, 0.0f);
  return use;
}

TEST(CustomLandmarksTest, samplesPixelsBetweenOthers) {
  const Floats pixels = {1, 10, 2, 20, 3, 30, 4, 40};
  Operator use =
      sample(pixels, {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}, 2, 3)
          .run();
  EXPECT_EQ(use.shape(), (Shape{1, 2, 3, 2}));
  EXPECT_EQ(use.elements<float>(),
            (Floats{1, 10, 2, 20, 0, 0, 3, 30, 4, 40, 0, 0}));
  // A pixel from the middle of four, and one from between two columns.
  EXPECT_EQ(
      sample(pixels, {2, 0, 0, 0, 0, 2, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}, 1, 1)
          .run()
          .elements<float>(),
      (Floats{2.5f, 25}));
  EXPECT_EQ(
      sample(pixels, {1, 0, 0, 0.25f, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}, 1, 1)
          .run()
          .elements<float>(),
      (Floats{1.25f, 12.5f}));
}

TEST(CustomLandmarksTest, errors) {
  const Floats one = {1, 2, 3};
  EXPECT_EQ(crop(one, {.subset = {0, 1}, .right = 0}).refusal(),
            "Landmarks2TransformMatrix: element 1 of custom option "
            "'subset_idxs' is not an integer in 0..0");
  EXPECT_EQ(crop(one, {.subset = {}, .right = 0}).refusal(),
            "Landmarks2TransformMatrix: custom option 'subset_idxs' has no "
            "elements");
  EXPECT_EQ(crop(one, {.subset = {0}, .right = 1}).refusal(),
            "Landmarks2TransformMatrix: custom option 'right_rotation_idx' is "
            "1, which is not in 0..0");
  EXPECT_EQ(crop(one, {.subset = {0}, .right = 0, .scaleY = 0}).refusal(),
            "Landmarks2TransformMatrix: custom option 'scale_y' is 0, which is "
            "not above 0");
  EXPECT_EQ(crop(one, {.subset = {0}, .hasKeys = false}).refusal(),
            "Landmarks2TransformMatrix: custom option 'left_rotation_idx' is "
            "missing");
  EXPECT_EQ(move({1, 1, 4}, Floats(4)).refusal(),
            "TransformLandmarks: landmarks have 4 numbers, expected 2 or 3");
  EXPECT_EQ(move({1, 1, 1, 3}, Floats(3)).refusal(),
            "TransformLandmarks: landmarks have shape 1x1x1x3, expected 1x?x?");
  EXPECT_EQ(sample(Floats(8), matrix, 0, 1).refusal(),
            "TransformTensorBilinear: custom option 'output_height' is 0, "
            "which is not in 1..65536");
  EXPECT_EQ(sample(Floats(8), matrix, 1, 1, {2, 1, 2, 2}).refusal(),
            "TransformTensorBilinear: pixels have shape 2x1x2x2, expected "
            "1x?x?x?");
}

} // namespace
} // namespace nnhal::tflite
