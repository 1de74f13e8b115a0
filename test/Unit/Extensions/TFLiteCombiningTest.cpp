//===- TFLiteCombiningTest.cpp - Windows and updates that are combined ----===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// REDUCE_WINDOW, STABLEHLO_SCATTER and the operators of StableHLO that compute
// element by element. Values are computed by hand.
//
//===----------------------------------------------------------------------===//

#include "TFLiteTesting.h"

#include <cmath>
#include <limits>

using namespace nnhal;
using namespace nnhal::tflite;

namespace {

//===----------------------------------------------------------------------===//
// REDUCE_WINDOW
//===----------------------------------------------------------------------===//

enum Function : int32_t { replace, add, multiply, minimum, maximum, all, any };

Operator window(Shape shape, std::vector<float> values, float first,
                std::vector<int64_t> extents, std::vector<int64_t> strides,
                std::vector<int64_t> dilations, int32_t function) {
  auto rank = int64_t(shape.size());
  Operator use(205);
  use.float32(shape, std::move(values))
      .float32({1}, {first})
      .int64({rank}, std::move(extents))
      .int64({rank}, std::move(strides))
      .int64({rank}, std::move(dilations))
      .option(function)
      .result(tensorFloat32, Shape(size_t(rank), -1));
  return use;
}

TEST(TFLiteCombining, WindowsOfFloats) {
  std::vector<float> values = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
  Operator sums =
      window({3, 4}, values, 100, {2, 2}, {1, 2}, {1, 1}, add).run();
  EXPECT_EQ(sums.shape(), (Shape{2, 2}));
  EXPECT_EQ(sums.elements<float>(), (std::vector<float>{114, 122, 130, 138}));
  EXPECT_EQ(window({3, 4}, values, 1, {1, 2}, {2, 1}, {1, 2}, multiply)
                .run()
                .elements<float>(),
            (std::vector<float>{3, 8, 99, 120}));
  EXPECT_EQ(window({3, 4}, values, 4, {2, 2}, {1, 1}, {2, 3}, minimum)
                .run()
                .elements<float>(),
            (std::vector<float>{1}));
  EXPECT_EQ(
      window({12}, values, 4, {3}, {4}, {1}, maximum).run().elements<float>(),
      (std::vector<float>{4, 7, 11}));
  // The elements that no whole window has do not count.
  EXPECT_EQ(window({5}, {1, 2, 3, 4, 5}, 0, {2}, {2}, {1}, add)
                .run()
                .elements<float>(),
            (std::vector<float>{3, 7}));
}

TEST(TFLiteCombining, WindowsOfOtherTypes) {
  auto truths = [](int32_t function, bool first) {
    return Operator(205)
        .truths({4}, {true, false, false, true})
        .truths({1}, {first})
        .int32({1}, {2})
        .int32({1}, {1})
        .int32({1}, {1})
        .option(function)
        .result(tensorBool, {3})
        .run()
        .elements<uint8_t>();
  };
  EXPECT_EQ(truths(any, false), (std::vector<uint8_t>{1, 0, 1}));
  EXPECT_EQ(truths(add, false), (std::vector<uint8_t>{1, 0, 1}));
  EXPECT_EQ(truths(all, true), (std::vector<uint8_t>{0, 0, 0}));
  EXPECT_EQ(truths(multiply, true), (std::vector<uint8_t>{0, 0, 0}));
  Operator wrapped(205);
  wrapped.int16({2}, {-32768, -1})
      .int16({1}, {0})
      .int32({1}, {2})
      .int32({1}, {1})
      .int32({1}, {1})
      .option(add)
      .result(tensorInt16, {1});
  EXPECT_EQ(wrapped.run().elements<int16_t>(), (std::vector<int16_t>{32767}));
}

TEST(TFLiteCombining, RefusedWindows) {
  auto refusal = [](std::vector<int64_t> extents, std::vector<int64_t> strides,
                    std::vector<int64_t> dilations, int32_t function = add) {
    return window({3, 4}, std::vector<float>(12), 0, std::move(extents),
                  std::move(strides), std::move(dilations), function)
        .refusal();
  };
  EXPECT_EQ(refusal({2, 2}, {1, 1}, {1, 4}),
            "REDUCE_WINDOW: window of 5 elements exceeds the extent 4");
  EXPECT_EQ(refusal({2, 0}, {1, 1}, {1, 1}),
            "REDUCE_WINDOW: input 2 (extents) has the value 0, but must have 1 "
            "to 2147483647");
  EXPECT_EQ(refusal({2, 2}, {1, -1}, {1, 1}),
            "REDUCE_WINDOW: input 3 (strides) has the value -1, but must have "
            "1 to 2147483647");
  EXPECT_EQ(refusal({2, 2}, {1, 1}, {1, int64_t(1) << 40}),
            "REDUCE_WINDOW: input 4 (dilations) has the value 1099511627776, "
            "but must have 1 to 2147483647");
  EXPECT_EQ(refusal({2, 2}, {1, 1}, {1, 1}, replace),
            "REDUCE_WINDOW: option reduce_function is 0, but must be 1 to 6");
  // A step beyond the only place is taken by nobody.
  EXPECT_EQ(window({1}, {5}, 2, {1}, {INT32_MAX}, {INT32_MAX}, add)
                .run()
                .elements<float>(),
            (std::vector<float>{7}));
}

//===----------------------------------------------------------------------===//
// STABLEHLO_SCATTER
//===----------------------------------------------------------------------===//

Operator scatter(Shape indexShape, std::vector<int32_t> indices,
                 Shape updateShape, std::vector<float> updates,
                 int32_t function) {
  Operator use(190);
  use.float32({2, 3}, {1, 2, 3, 4, 5, 6})
      .int32(std::move(indexShape), std::move(indices))
      .float32(std::move(updateShape), std::move(updates))
      .option(function)
      .result(tensorFloat32, {2, 3});
  return use;
}

TEST(TFLiteCombining, Updates) {
  auto row = [](int32_t function) {
    return scatter({2, 1}, {1, 1}, {2, 1, 3}, {10, 20, 30, 2, 3, 4}, function)
        .run()
        .elements<float>();
  };
  EXPECT_EQ(row(replace), (std::vector<float>{1, 2, 3, 2, 3, 4}));
  EXPECT_EQ(row(add), (std::vector<float>{1, 2, 3, 16, 28, 40}));
  EXPECT_EQ(row(multiply), (std::vector<float>{1, 2, 3, 80, 300, 720}));
  EXPECT_EQ(row(minimum), (std::vector<float>{1, 2, 3, 2, 3, 4}));
  EXPECT_EQ(row(maximum), (std::vector<float>{1, 2, 3, 10, 20, 30}));
  // Updates outside of the tensor are left out, and the rest of their box is
  // not.
  EXPECT_EQ(
      scatter({4, 2}, {-1, 1, 1, -1, 0, 9, INT32_MIN, INT32_MAX}, {4, 2, 2},
              {0, 0, 70, 80, 90, 10, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1}, replace)
          .run()
          .elements<float>(),
      (std::vector<float>{1, 70, 80, 10, 5, 6}));
}

TEST(TFLiteCombining, RefusedUpdates) {
  EXPECT_EQ(scatter({1, 3}, {0, 0, 0}, {1, 1, 1}, {1}, add).refusal(),
            "STABLEHLO_SCATTER: input 1 (indices) has 3 indices of a place, "
            "but the input has rank 2");
  EXPECT_EQ(scatter({1, 1}, {0}, {1, 3}, {1, 2, 3}, add).refusal(),
            "STABLEHLO_SCATTER: input 2 (updates) has rank 2, but must have 3 "
            "to 3");
  EXPECT_EQ(scatter({2, 1}, {0, 0}, {1, 1, 3}, {1, 2, 3}, add).refusal(),
            "STABLEHLO_SCATTER: input 2 (updates) has extent 1 in dimension 0, "
            "but must have 2");
}

//===----------------------------------------------------------------------===//
// Element by element
//===----------------------------------------------------------------------===//

TEST(TFLiteCombining, Remainders) {
  Operator whole(185);
  whole.int32({5}, {7, -7, 7, -7, INT32_MIN})
      .int32({5}, {3, 3, -3, -3, -1})
      .result(tensorInt32, {5});
  EXPECT_EQ(whole.run().elements<int32_t>(),
            (std::vector<int32_t>{1, -1, 1, -1, 0}));
  Operator real(185);
  real.float32({4}, {5.5f, -5.5f, 5.5f, 1e30f})
      .float32({4}, {2, 2, -2, 3})
      .result(tensorFloat32, {4});
  EXPECT_EQ(real.run().elements<float>(),
            (std::vector<float>{1.5f, -1.5f, 1.5f, std::fmod(1e30f, 3.0f)}));
  Operator zero(185);
  zero.int32({1}, {7}).int32({1}, {0}).result(tensorInt32, {1});
  EXPECT_EQ(zero.failure(), "STABLEHLO_REMAINDER: division by 0 at element 0");
}

TEST(TFLiteCombining, Shifts) {
  Operator whole(207);
  whole.int32({6}, {1, -1, 3, 1, 1, 1})
      .int32({6}, {4, 1, 30, 31, 32, -1})
      .result(tensorInt32, {6});
  EXPECT_EQ(whole.run().elements<int32_t>(),
            (std::vector<int32_t>{16, -2, int32_t(3u << 30), INT32_MIN, 0, 0}));
  Operator small(207);
  small.int16({3}, {255, -1, 1}).int16({3}, {8, 15, 16});
  small.result(tensorInt16, {3});
  EXPECT_EQ(small.run().elements<int16_t>(),
            (std::vector<int16_t>{-256, -32768, 0}));
}

TEST(TFLiteCombining, CubeRoots) {
  Operator use(208);
  use.float32({4}, {27, -8, 0, 0.125f}).result(tensorFloat32, {4});
  EXPECT_EQ(use.run().elements<float>(), (std::vector<float>{3, -2, 0, 0.5f}));
}

} // namespace
