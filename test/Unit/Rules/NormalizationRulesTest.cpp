//===- NormalizationRulesTest.cpp - Uses of normalizations ----------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OperationBuilder.h"

#include <gtest/gtest.h>

using namespace nnhal::rt;
using namespace nnhal::rt::testing;

namespace {

using enum OperationType;

OperationBuilder l2(const TensorType &input, const TensorType &output) {
  OperationBuilder builder(L2_NORMALIZATION);
  builder.tensor(input).output(output);
  return builder;
}
OperationBuilder l2(const TensorType &type) { return l2(type, type); }

// M-064, M-065, M-246; l2_normalization C1, l2_normalization C2.
TEST(NormalizationRulesTest, L2Normalization) {
  EXPECT_EQ(l2(floatTensor({1, 2, 2, 3})).since(), "1.0");
  EXPECT_EQ(l2(floatTensor({2, 3})).since(), "1.2");
  EXPECT_EQ(l2(floatTensor({1, 2, 2, 3})).int32(1).since(), "1.2");
  EXPECT_EQ(
      l2(quantTensor({2}, 0.3f, 7), quantTensor({2}, 1.0f / 128, 128)).since(),
      "1.2");
  EXPECT_EQ(
      l2(signedQuantTensor({2}, 0.3f, 7), signedQuantTensor({2}, 1.0f / 128, 0))
          .since(),
      "1.3");
  EXPECT_EQ(l2(quantTensor({2}, 0.3f, 7)).message(),
            "output has scale 0.3 and zero point 7, expected scale 0.0078125 "
            "and zero point 128");
  EXPECT_EQ(l2(floatTensor({1, 1, 1, 1, 2})).message(),
            "input rank 5 is above 4");
  EXPECT_EQ(l2(floatTensor({2, 3})).int32(-3).message(),
            "axis -3 is outside [-2, 2)");
  EXPECT_EQ(l2(floatTensor({2, 0})).message(),
            "input 0 of shape 2x0 is zero-sized");
}

OperationBuilder localResponse(const TensorType &type, int32_t radius,
                               float bias) {
  OperationBuilder builder(LOCAL_RESPONSE_NORMALIZATION);
  builder.tensor(type).int32(radius).float32(bias).float32(4.0f).float32(0.5f);
  builder.output(type);
  return builder;
}

// M-067, M-068;
// local_response_normalization C1, local_response_normalization C2,
// local_response_normalization C3, local_response_normalization C4.
TEST(NormalizationRulesTest, LocalResponseNormalization) {
  TensorType type = floatTensor({1, 2, 2, 3});
  EXPECT_EQ(localResponse(type, 0, 1.0f).since(), "1.0");
  EXPECT_EQ(localResponse(type, 0, 1.0f).int32(-4).since(), "1.2");
  EXPECT_EQ(localResponse(floatTensor({3}), 0, 1.0f).since(), "1.2");
  EXPECT_EQ(localResponse(quantTensor({2}, 1.0f, 0), 0, 1.0f).message(),
            "input type TENSOR_QUANT8_ASYMM is not among TENSOR_FLOAT32, "
            "TENSOR_FLOAT16");
  EXPECT_EQ(localResponse(type, 0, 1.0f).int32(4).message(),
            "axis 4 is outside [-4, 4)");
  EXPECT_EQ(localResponse(type, -1, 1.0f).message(), "radius -1 is below 0");
  EXPECT_EQ(localResponse(type, 0, 0.0f).message(), "bias 0 must not be 0");
  EXPECT_EQ(localResponse(halfTensor({3}), 0, 1.0f).message(),
            "input 2 (bias) has type FLOAT32, expected FLOAT16");
}

// M-069; instance_normalization C1.
TEST(NormalizationRulesTest, InstanceNormalization) {
  auto instance = [](const TensorType &type) {
    OperationBuilder builder(INSTANCE_NORMALIZATION);
    builder.tensor(type).float32(1.0f).float32(0.0f).float32(0.1f);
    builder.output(type);
    return builder;
  };
  EXPECT_EQ(instance(floatTensor({1, 2, 2, 3})).boolean(true).since(), "1.2");
  EXPECT_EQ(instance(floatTensor({1, 2, 2, 3})).boolean(true).shapes(),
            "1x2x2x3");
  EXPECT_EQ(instance(floatTensor({1, 2, 2, 3})).message(),
            "found 4 inputs, expected 5");
  EXPECT_EQ(instance(halfTensor({1, 2, 2, 3})).boolean(true).message(),
            "input 1 (gamma) has type FLOAT32, expected FLOAT16");
  EXPECT_EQ(instance(floatTensor({2, 2, 3})).boolean(false).message(),
            "input rank 3 is below 4");
  EXPECT_EQ(instance(floatTensor({0, 2, 2, 3})).boolean(false).message(),
            "input 0 of shape 0x2x2x3 is zero-sized");
}

} // namespace
