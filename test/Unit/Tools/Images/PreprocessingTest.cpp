//===- PreprocessingTest.cpp - Photos become inputs -----------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tools/Images/Preprocessing.h"

#include <fmt/format.h>

#include <gtest/gtest.h>

#include <cstring>
#include <limits>

using namespace nnhal;
using namespace nnhal::tools;

namespace {

Image imageOf(uint32_t width, uint32_t height,
              uint8_t (*value)(uint32_t x, uint32_t y)) {
  Image image = {width, height, {}};
  for (uint32_t y = 0; y < height; ++y)
    for (uint32_t x = 0; x < width; ++x)
      for (int color = 0; color < 3; ++color)
        image.pixels.push_back(uint8_t(value(x, y) + color));
  return image;
}

TEST(PreprocessingTest, SquareInTheMiddle) {
  Image image =
      imageOf(8, 4, [](uint32_t x, uint32_t y) { return uint8_t(10 * x + y); });
  Image square = cropToSquare(image, 0.5);
  ASSERT_EQ(square.width, 2u);
  ASSERT_EQ(square.height, 2u);
  EXPECT_EQ(square.pixels, (std::vector<uint8_t>{31, 32, 33, 41, 42, 43, 32, 33,
                                                 34, 42, 43, 44}));
  EXPECT_EQ(cropToSquare(image, 1.0).width, 4u);
  // Never nothing.
  EXPECT_EQ(cropToSquare(image, 0.01).width, 1u);
}

TEST(PreprocessingTest, ResizingInterpolatesBetweenCenters) {
  Image image =
      imageOf(2, 1, [](uint32_t x, uint32_t) { return uint8_t(100 * x); });
  Image wide = resize(image, 4, 1);
  EXPECT_EQ(wide.pixels[0], 0);
  EXPECT_EQ(wide.pixels[3], 25);
  EXPECT_EQ(wide.pixels[6], 75);
  EXPECT_EQ(wide.pixels[9], 100);
  EXPECT_EQ(wide.pixels[10], 101);
  Image small = resize(image, 1, 1);
  EXPECT_EQ(small.pixels[0], 50);
  EXPECT_EQ(resize(image, 2, 1).pixels, image.pixels);
}

Image grey(uint8_t value) { return {1, 1, {value, value, value}}; }

rt::InterfaceTensor inputOf(rt::OperandType type, float scale = 0,
                            int32_t zeroPoint = 0) {
  rt::InterfaceTensor input;
  input.type = type;
  input.dimensions = {1, 1, 1, 3};
  input.scale = scale;
  input.zeroPoint = zeroPoint;
  return input;
}

int first(uint8_t value, const rt::InterfaceTensor &input,
          Quantizing quantizing, std::optional<double> scale = {}) {
  Preprocessing preprocessing;
  preprocessing.quantizing = quantizing;
  preprocessing.scale = scale;
  auto bytes = preprocess(grey(value), input, preprocessing);
  EXPECT_TRUE(bytes.isOk()) << bytes.status().message();
  return int((*bytes)[0]);
}

TEST(PreprocessingTest, WhiteWrapsAsPublishedAndDoesNotWhenCorrect) {
  auto input = inputOf(rt::OperandType::TENSOR_QUANT8_ASYMM, 0.0078125f, 128);
  EXPECT_EQ(first(255, input, Quantizing::asPublished), 0);
  EXPECT_EQ(first(255, input, Quantizing::correct), 255);
  EXPECT_EQ(first(254, input, Quantizing::asPublished), 254);
  EXPECT_EQ(first(0, input, Quantizing::asPublished), 0);
  EXPECT_EQ(first(0, input, Quantizing::correct), 0);
  // Published figures round towards zero.
  EXPECT_EQ(first(200, input, Quantizing::asPublished), 200);
  EXPECT_EQ(first(200, input, Quantizing::correct), 201);
  // A scale in the place of the model's.
  EXPECT_EQ(first(255, input, Quantizing::asPublished, 0.02), 178);
}

TEST(PreprocessingTest, SignedElementsBeginBelowZero) {
  auto input =
      inputOf(rt::OperandType::TENSOR_QUANT8_ASYMM_SIGNED, 0.0078125f, 0);
  EXPECT_EQ(int8_t(first(0, input, Quantizing::correct)), -128);
  EXPECT_EQ(int8_t(first(255, input, Quantizing::correct)), 127);
  EXPECT_EQ(int8_t(first(255, input, Quantizing::asPublished)), -128);
}

TEST(PreprocessingTest, SettingsOutOfRangeAreNamed) {
  auto input = inputOf(rt::OperandType::TENSOR_QUANT8_ASYMM, 1, 0);
  auto message = [&](const Preprocessing &settings) {
    return preprocess(grey(1), input, settings).status().message();
  };
  for (double crop : {0.0, -1.0, 1.5}) {
    Preprocessing settings;
    settings.crop = crop;
    EXPECT_EQ(message(settings), fmt::format("crop is {}, and not above 0 and "
                                             "at most 1",
                                             crop));
  }
  Preprocessing settings;
  settings.normalization.deviation = {1, 0, 1};
  EXPECT_EQ(message(settings), "deviation is 0, and not finite and above 0");
  settings.normalization.mean = {std::numeric_limits<double>::infinity(), 0, 0};
  EXPECT_EQ(message(settings), "mean is inf, which is not finite");
}

TEST(PreprocessingTest, FloatsAreNormalizedAlikeInBothWays) {
  auto input = inputOf(rt::OperandType::TENSOR_FLOAT32);
  Preprocessing preprocessing;
  preprocessing.normalization.mean = {127.5, 0, 255};
  preprocessing.normalization.deviation = {127.5, 255, 51};
  for (Quantizing way : {Quantizing::correct, Quantizing::asPublished}) {
    preprocessing.quantizing = way;
    auto bytes = preprocess(grey(255), input, preprocessing);
    ASSERT_TRUE(bytes.isOk()) << bytes.status().message();
    float values[3];
    ASSERT_EQ(bytes->size(), sizeof(values));
    std::memcpy(values, bytes->data(), sizeof(values));
    EXPECT_EQ(values[0], 1.0f);
    EXPECT_EQ(values[1], 1.0f);
    EXPECT_EQ(values[2], 0.0f);
  }
}

TEST(PreprocessingTest, InputsThatTakeNoPhotosAreNamed) {
  auto message = [](const rt::InterfaceTensor &input) {
    return preprocess(grey(1), input, {}).status().message();
  };
  EXPECT_EQ(message(inputOf(rt::OperandType::TENSOR_INT32)),
            "an input of type TENSOR_INT32 takes no photo, which needs "
            "TENSOR_FLOAT32, TENSOR_QUANT8_ASYMM or "
            "TENSOR_QUANT8_ASYMM_SIGNED");
  auto input = inputOf(rt::OperandType::TENSOR_FLOAT32);
  input.dimensions = {1, 0, 4, 3};
  EXPECT_EQ(message(input), "an input of shape [1,0,4,3] takes no photo, which "
                            "needs [1,height,width,3]");
  input.dimensions = {1, 4, 0, 3};
  EXPECT_EQ(message(input), "an input of shape [1,4,0,3] takes no photo, which "
                            "needs [1,height,width,3]");
  input.dimensions = {1, 65536, 65536, 3};
  EXPECT_EQ(message(input),
            "the input has 65536x65536 pixels, more than 134217728");
}

} // namespace
