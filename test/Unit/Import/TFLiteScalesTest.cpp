//===- TFLiteScalesTest.cpp - Constants with several scales ---------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RunTesting.h"

#include "Extensions/TFLite/TFLiteExtension.h"

namespace nnhal::rt {
namespace {

/// Bytes whose dimension \p dimension has the scales 1/2 and 1/4.
TensorSpec scaled(std::vector<int32_t> shape, int32_t dimension) {
  return {std::move(shape), Type::INT8, {0.5f, 0.25f}, {0, 0}, dimension};
}

TEST(TFLiteScalesTest, manyDimensionsAreDequantized) {
  TestInput weights = {scaled({1, 1, 2, 1, 2}, 2), {1, 2, 3, 4}, true};
  EXPECT_EQ(
      runFile(operatorFile(Code::DEQUANTIZE, {weights}, {{{1, 1, 2, 1, 2}}}),
              {}, {{nnhal::tflite::createTFLiteExtension(), "test"}})
          .at(0),
      (Numbers{0.5, 1, 0.75, 1}));
}

} // namespace
} // namespace nnhal::rt
