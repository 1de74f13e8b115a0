//===- CustomPoolingTest.cpp - Pools with places and their inverse --------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CustomTesting.h"

#include <limits>

namespace nnhal::tflite {
namespace {

/// The options as files have them: what TensorFlow Lite computes follows.
struct PoolOptions {
  int32_t padding = 2, strideWidth = 2, strideHeight = 2, width = 2, height = 2,
          activation = 0;

  std::vector<uint8_t> bytes() const {
    std::vector<uint8_t> result;
    for (int32_t number :
         {padding, strideWidth, strideHeight, width, height, activation, 7, 7})
      for (int shift : {0, 8, 16, 24})
        result.push_back(uint8_t(number >> shift));
    return result;
  }
};

Operator pool(Shape shape, Floats pixels, const PoolOptions &options) {
  Operator use = customOperator("MaxPoolingWithArgmax2D");
  use.float32(std::move(shape), std::move(pixels))
      .customOptions(options.bytes())
      .result(tensorFloat32, {-1, -1, -1, -1}, 0.0f)
      .result(tensorFloat32, {-1, -1, -1, -1}, 0.0f);
  return use;
}

Operator unpool(Shape shape, Floats values, Floats places,
                const PoolOptions &options) {
  Operator use = customOperator("MaxUnpooling2D");
  use.float32(shape, std::move(values))
      .float32(shape, std::move(places))
      .customOptions(options.bytes())
      .result(tensorFloat32, {-1, -1, -1, -1}, 0.0f);
  return use;
}

TEST(CustomPoolingTest, findsTheGreatestAndItsPlace) {
  // Two channels; the first of equal elements counts.
  Operator use = pool({1, 2, 4, 2},
                      {1, 9, 3, 9, 0, 0, 0, -1, //
                       2, 8, 3, 7, 0, 5, 4, 6},
                      {})
                     .run();
  EXPECT_EQ(use.shape(), (Shape{1, 1, 2, 2}));
  EXPECT_EQ(use.elements<float>(0), (Floats{3, 9, 4, 6}));
  EXPECT_EQ(use.elements<float>(1), (Floats{1.1f, 0.1f, 3.1f, 3.1f}));
  // Windows of three by three; the first one begins outside.
  use = pool({1, 3, 3, 1}, {1, 2, 3, 4, 5, 6, 7, 8, -9},
             {.padding = 1, .width = 3, .height = 3, .activation = 3})
            .run();
  EXPECT_EQ(use.shape(), (Shape{1, 2, 2, 1}));
  EXPECT_EQ(use.elements<float>(0), (Floats{5, 6, 6, 6}));
  EXPECT_EQ(use.elements<float>(1), (Floats{8.1f, 7.1f, 5.1f, 3.1f}));
}

TEST(CustomPoolingTest, boundsAndWindowsOfNoNumbers) {
  for (auto [activation, expected] :
       {std::pair(0, -2.0f), {1, 0.0f}, {2, -1.0f}, {3, 0.0f}})
    EXPECT_EQ(pool({1, 1, 1, 1}, {-2},
                   {.width = 1, .height = 1, .activation = activation})
                  .run()
                  .elements<float>(),
              (Floats{expected}));
  Operator use = pool({1, 1, 1, 1}, {std::numeric_limits<float>::quiet_NaN()},
                      {.width = 1, .height = 1})
                     .run();
  EXPECT_EQ(use.elements<float>(0),
            (Floats{std::numeric_limits<float>::lowest()}));
  EXPECT_EQ(use.elements<float>(1), (Floats{0.1f}));
}

TEST(CustomPoolingTest, putsElementsAtTheirPlaces) {
  Operator use =
      unpool({1, 1, 2, 2}, {3, 9, 4, 6}, {1.1f, 0.1f, 3.1f, 2.1f}, {}).run();
  EXPECT_EQ(use.shape(), (Shape{1, 2, 4, 2}));
  EXPECT_EQ(use.elements<float>(), (Floats{0, 9, 3, 0, 0, 0, 0, 0, //
                                           0, 0, 0, 0, 0, 6, 4, 0}));
  // The last one of a place stays, and one that is outside is left out.
  EXPECT_EQ(unpool({1, 1, 3, 1}, {1, 2, 3}, {1.1f, 0.1f, 2.1f},
                   {.strideWidth = 1, .width = 1, .height = 1})
                .run()
                .elements<float>(),
            (Floats{0, 2, 0}));
  EXPECT_EQ(unpool({1, 1, 2, 1}, {1, 2},
                   {std::numeric_limits<float>::quiet_NaN(), 1e30f}, {})
                .run()
                .elements<float>(),
            Floats(8));
}

TEST(CustomPoolingTest, putsElementsAtPlacesOfTheImage) {
  auto use = [](Int32s places, const PoolOptions &options) {
    Operator use = customOperator("MaxUnpooling2D");
    use.float32({2, 1, 1, 2}, {1, 2, 3, 4})
        .int32({2, 1, 1, 2}, std::move(places))
        .customOptions(options.bytes())
        .result(tensorFloat32, {-1, -1, -1, -1}, 0.0f);
    return use;
  };
  Operator wide =
      use({0, 3, 2, 5}, {.strideHeight = 1, .width = 3, .height = 1}).run();
  EXPECT_EQ(wide.shape(), (Shape{2, 1, 3, 2}));
  EXPECT_EQ(wide.elements<float>(),
            (Floats{1, 0, 0, 2, 0, 0, 0, 0, 3, 0, 0, 4}));
  EXPECT_EQ(use({0, 3, 2, 1}, {.padding = 1, .strideHeight = 1}).run().shape(),
            (Shape{2, 1, 2, 2}));
  EXPECT_EQ(use({0, 3, 2, 4}, {.padding = 1, .strideHeight = 1}).failure(),
            "MaxUnpooling2D: place 4 is not in 0..3");
  EXPECT_EQ(use({0, -1, 2, 1}, {.padding = 1, .strideHeight = 1}).failure(),
            "MaxUnpooling2D: place -1 is not in 0..3");
}

TEST(CustomPoolingTest, errors) {
  EXPECT_EQ(
      pool({1, 1, 4, 1}, Floats(4), {}).refusal(),
      "MaxPoolingWithArgmax2D: window of 2 elements exceeds the extent 1");
  EXPECT_EQ(pool({1, 2, 2, 1}, Floats(4), {.padding = 3}).refusal(),
            "MaxPoolingWithArgmax2D: custom option 'padding' is 3, which is "
            "not in 1..2");
  EXPECT_EQ(pool({1, 2, 2, 1}, Floats(4), {.strideHeight = 0}).refusal(),
            "MaxPoolingWithArgmax2D: custom option 'stride_height' is 0, which "
            "is not in 1..65535");
  EXPECT_EQ(pool({1, 2, 2}, Floats(4), {}).refusal(),
            "MaxPoolingWithArgmax2D: pixels have shape 1x2x2, expected "
            "?x?x?x?");
  EXPECT_EQ(customOperator("MaxPoolingWithArgmax2D")
                .float32({1, 2, 2, 1}, Floats(4))
                .customOptions({1, 0, 0, 0})
                .result(tensorFloat32, {1, 1, 1, 1}, 0.0f)
                .result(tensorFloat32, {1, 1, 1, 1}, 0.0f)
                .refusal(),
            "MaxPoolingWithArgmax2D: has 4 bytes of custom options, but at "
            "least 24 are needed");
  EXPECT_EQ(customOperator("MaxPoolingWithArgmax2D")
                .open(tensorFloat32, {1, -1, -1, 2}, 0.0f)
                .customOptions(PoolOptions().bytes())
                .result(tensorFloat32, {1, -1, -1, 2}, 0.0f)
                .result(tensorFloat32, {1, -1, -1, 2}, 0.0f)
                .refusal(),
            "");
  Operator other = customOperator("MaxUnpooling2D");
  other.float32({1, 1, 1, 2}, Floats(2))
      .float32({1, 1, 1, 1}, Floats(1))
      .customOptions(PoolOptions().bytes())
      .result(tensorFloat32, {-1, -1, -1, -1}, 0.0f);
  EXPECT_EQ(other.refusal(),
            "MaxUnpooling2D: places have shape 1x1x1x1, expected 1x1x1x2");
}

} // namespace
} // namespace nnhal::tflite
