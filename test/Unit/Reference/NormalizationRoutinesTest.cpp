//===- NormalizationRoutinesTest.cpp - What normalizations compute --------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RoutineRunner.h"

#include <gtest/gtest.h>

using namespace nnhal::rt;
using namespace nnhal::rt::testing;

namespace {

using enum OperationType;
using Values = std::vector<double>;

Values run(const OperationBuilder &builder) {
  return runForValues(reference::normalizationRoutines(), builder);
}

Values l2(const TensorType &input, const Values &values, int32_t axis,
          const TensorType &output) {
  return run(OperationBuilder(L2_NORMALIZATION)
                 .tensor(input, values)
                 .int32(axis)
                 .output(output));
}

// M-064, M-066.
TEST(NormalizationRoutinesTest, L2NormalizationAlongAnAxis) {
  TensorType type = floatTensor({2, 2});
  EXPECT_EQ(l2(type, {3, 0, 4, 0}, 0, type),
            (Values{double(3.0f / 5), 0, double(4.0f / 5), 0}));
  EXPECT_EQ(l2(type, {3, 4, 0, 0}, -1, type),
            (Values{double(3.0f / 5), double(4.0f / 5), 0, 0}));
}

// M-065: 0.6 and 0.8 of 128 steps; a slice of zeros stays one; the sum of
// squares leaves 32 bits.
TEST(NormalizationRoutinesTest, QuantizedL2Normalization) {
  EXPECT_EQ(l2(quantTensor({2, 2}, 0.3f, 50), {80, 90, 50, 50}, 1,
               quantTensor({2, 2}, 1.0f / 128, 128)),
            (Values{205, 230, 128, 128}));
  EXPECT_EQ(l2(signedQuantTensor({2}, 0.3f, 0), {-30, 40}, 0,
               signedQuantTensor({2}, 1.0f / 128, 0)),
            (Values{-77, 102}));
  EXPECT_EQ(l2(quantTensor({2}, 0.3f, 50), {51, 50}, 0,
               quantTensor({2}, 1.0f / 128, 128)),
            (Values{255, 128}));
  EXPECT_EQ(l2(quantTensor({90000}, 1.0f, 0), Values(90000, 255), 0,
               quantTensor({90000}, 1.0f / 128, 128))[0],
            128);
}

// M-068: the window is cut at the ends.
TEST(NormalizationRoutinesTest, LocalResponseNormalization) {
  auto run3 = [](int32_t radius) {
    return run(OperationBuilder(LOCAL_RESPONSE_NORMALIZATION)
                   .tensor(floatTensor({3}), {2, 4, 6})
                   .int32(radius)
                   .float32(4.0f)
                   .float32(1.0f)
                   .float32(1.0f)
                   .output(floatTensor({3})));
  };
  // Denominators 4 + 4, 4 + 16, 4 + 36; then 4 + 20, 4 + 56, 4 + 52.
  EXPECT_EQ(run3(0), (Values{0.25, double(4.0f * (1 / 20.0f)),
                             double(6.0f * (1 / 40.0f))}));
  EXPECT_EQ(run3(1),
            (Values{double(2.0f * (1 / 24.0f)), double(4.0f * (1 / 60.0f)),
                    double(6.0f * (1 / 56.0f))}));
  EXPECT_EQ(run3(2147483647),
            (Values{double(2.0f * (1 / 60.0f)), double(4.0f * (1 / 60.0f)),
                    double(6.0f * (1 / 60.0f))}));
}

// M-069: mean 3 and variance 4 of the first channel, 0 of the second.
TEST(NormalizationRoutinesTest, InstanceNormalizationInBothLayouts) {
  auto instance = [](std::vector<int64_t> shape, const Values &values,
                     bool isNchw) {
    TensorType type = floatTensor(std::move(shape));
    return run(OperationBuilder(INSTANCE_NORMALIZATION)
                   .tensor(type, values)
                   .float32(8.0f)
                   .float32(1.0f)
                   .float32(12.0f)
                   .boolean(isNchw)
                   .output(type));
  };
  EXPECT_EQ(instance({1, 1, 2, 2}, {1, 7, 5, 7}, false), (Values{-3, 1, 5, 1}));
  EXPECT_EQ(instance({1, 2, 1, 2}, {1, 5, 7, 7}, true), (Values{-3, 5, 1, 1}));
}

} // namespace
