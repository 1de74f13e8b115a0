//===- TFLiteComposedErrorsTest.cpp - Messages about compositions ---------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RunTesting.h"

#include <cmath>

namespace nnhal::rt {
namespace {

TestInput reals(std::vector<int32_t> shape) { return {{std::move(shape)}, {}}; }

TestInput ints(std::vector<int32_t> values) {
  return integersInput(std::move(values));
}

std::string error(Code code, const std::vector<TestInput> &inputs,
                  const Options &made = {}, const TensorSpec &output = {}) {
  return operatorError(code, inputs, {output}, made);
}

TEST(TFLiteComposedErrorsTest, elementwise) {
  EXPECT_EQ(error(Code::ADD_N, {reals({2}), reals({3})}),
            "input 1 has shape 3, expected 2");
  EXPECT_EQ(error(Code::ADD_N, {reals({2}), {{{2}, Type::INT32}, {}}}),
            "input 1 has type INT32, but input 0 has type FLOAT32");
  EXPECT_EQ(error(Code::FLOOR_MOD, {reals({2}), reals({2})}),
            "the HAL's DIV does not take input 0 of type FLOAT32; the "
            "extension nnhal.tflite takes it");
  EXPECT_EQ(error(Code::SELECT_V2, {reals({2}), reals({2}), reals({2})}),
            "input 0 has type FLOAT32, expected BOOL");
  EXPECT_EQ(
      error(Code::SELECT_V2, {{{{2}, Type::BOOL}, {}}, reals({3}), reals({1})}),
      "shapes 2 and 3 do not broadcast");
  EXPECT_EQ(error(Code::GELU, {reals({2})}),
            "the exact form needs the error function, which the HAL does not "
            "have; only approximate is expressible; the extension nnhal.tflite "
            "takes it");
  EXPECT_EQ(error(Code::LEAKY_RELU, {{{{2}, Type::INT8, {0.5f}, {0}}, {}}},
                  options([](Builder &b) {
                    return schema::CreateLeakyReluOptions(b, INFINITY);
                  }),
                  {{}, Type::INT8, {0.5f}, {0}}),
            "alpha is inf, which is not a number");
}

/// A few bytes of a file state any extent.
TEST(TFLiteComposedErrorsTest, constantsThatAFileDoesNotHold) {
  auto made = [](uint64_t bytes) {
    return "needs constants of " + std::to_string(bytes) +
           " bytes that the file does not hold, at most 268435456 are made";
  };
  constexpr int32_t many = 1 << 28;
  EXPECT_EQ(error(Code::SIGN, {reals({many})}), made(4 + many * 4ull));
  EXPECT_EQ(
      error(Code::ONE_HOT,
            {{{{2}, Type::INT32}, {}}, ints({many}), reals({}), reals({})},
            options(
                [](Builder &b) { return schema::CreateOneHotOptions(b, -1); })),
      made(4 + many * 4ull));
  EXPECT_EQ(error(Code::SELECT_V2,
                  {{{{1}, Type::BOOL}, {}}, reals({many + 1}), reals({1})}),
            made(many + 1));
  EXPECT_EQ(error(Code::FULLY_CONNECTED, {reals({1, 1}), reals({many, 1})},
                  options([](Builder &b) {
                    return schema::CreateFullyConnectedOptions(b);
                  })),
            made(many * 4ull));
  // The shapes of operands before it need a few bytes more.
  EXPECT_EQ(error(Code::BATCH_MATMUL, {reals({1, 1}), reals({1, many})},
                  options([](Builder &b) {
                    return schema::CreateBatchMatMulOptions(b);
                  })),
            made(36 + many * 4ull));
}

TEST(TFLiteComposedErrorsTest, constantsThatManyOperatorsNeed) {
  TFLiteWriter writer;
  int32_t axis = writer.integers({1});
  std::vector<int32_t> values = {writer.tensor({{1, 4096}})};
  for (size_t i = 0; i < 5; ++i) {
    values.push_back(writer.tensor({{1, 4096}}));
    writer.add(Code::CUMSUM, {values[i], axis}, {values[i + 1]},
               schema::CreateCumsumOptions(writer.builder));
  }
  std::string message =
      importError(writer.finish({values.front()}, {values.back()}));
  EXPECT_TRUE(message.starts_with("operator 3 (CUMSUM): needs constants of ") &&
              message.ends_with(" bytes that the file does not hold, at most "
                                "268435456 are made"))
      << message;
}

TEST(TFLiteComposedErrorsTest, oneHot) {
  auto oneHot = [](const TensorSpec &indices, int32_t depth,
                   std::vector<int32_t> on, int32_t axis) {
    return error(Code::ONE_HOT,
                 {{indices, {}}, ints({depth}), reals(on), reals({})},
                 options([=](Builder &b) {
                   return schema::CreateOneHotOptions(b, axis);
                 }));
  };
  EXPECT_EQ(oneHot({{2}}, 3, {}, -1), "indices have type FLOAT32, expected "
                                      "INT32");
  EXPECT_EQ(oneHot({{2}, Type::INT32}, 0, {}, -1),
            "dimension 1 is 0, which is not in 1..2147483647");
  EXPECT_EQ(oneHot({{2}, Type::INT32}, 3, {2}, -1),
            "input 2 has shape 2, expected a scalar");
  EXPECT_EQ(oneHot({{2}, Type::INT32}, 3, {}, 2), "axis 2 is not in -2..1");
}

TEST(TFLiteComposedErrorsTest, packAndUnpack) {
  auto axis = [](int32_t value) {
    return options(
        [=](Builder &b) { return schema::CreatePackOptions(b, 2, value); });
  };
  EXPECT_EQ(error(Code::PACK, {reals({2}), reals({3})}, axis(0)),
            "input 1 has shape 3, expected 2");
  EXPECT_EQ(error(Code::PACK, {reals({2}), reals({2})}, axis(2)),
            "axis 2 is not in -2..1");
  EXPECT_EQ(
      error(Code::PACK, {reals({1, 1, 1, 2}), reals({1, 1, 1, 2})}, axis(0)),
      "the HAL's CONCATENATION takes at most rank 3, but input 0 has "
      "shape 1x1x1x2; the extension nnhal.tflite takes it");
  auto unpack = [](const TensorSpec &input, const TensorSpec &output) {
    return operatorError(Code::UNPACK, {{input, {}}}, {output, output},
                         options([](Builder &b) {
                           return schema::CreateUnpackOptions(b, 2, 0);
                         }));
  };
  EXPECT_EQ(unpack({{3}}, {}),
            "dimension 0 has size 3, but there are 2 outputs");
  EXPECT_EQ(
      unpack({{2}, Type::INT8, {0.5f}, {0}}, {{}, Type::INT8, {0.5f}, {1}}),
      "output 0 has scale 0.5 and zero point 1, but input 0 has 0.5 and "
      "0");
  EXPECT_EQ(unpack({{2}, Type::INT32}, {{}, Type::INT32}),
            "the HAL's SPLIT does not take input 0 of type INT32; the "
            "extension nnhal.tflite takes it");
}

TEST(TFLiteComposedErrorsTest, splitV) {
  auto split = [](std::vector<int32_t> sizes) {
    return operatorError(Code::SPLIT_V, {reals({2, 5}), ints(sizes), ints({1})},
                         {{}, {}});
  };
  EXPECT_EQ(split({2}), "has 1 sizes, but 2 outputs");
  EXPECT_EQ(split({-1, -1}), "sizes have more than one -1");
  EXPECT_EQ(split({2, 2}), "sizes need 4 elements, but dimension 1 has 5");
  EXPECT_EQ(split({6, -1}), "dimension 1 is -1, which is not in "
                            "1..2147483647");
}

TEST(TFLiteComposedErrorsTest, gatherNd) {
  auto gather = [](std::vector<int32_t> table, const TestInput &indices) {
    return error(Code::GATHER_ND, {reals(table), indices});
  };
  EXPECT_EQ(gather({2}, ints({0, 0})),
            "indices of shape 2 do not point into shape 2");
  EXPECT_EQ(gather({2, 3}, ints({1, 3})),
            "index 3 is not in dimension 1 of size 3");
  EXPECT_EQ(gather({2, 3}, reals({1, 2})),
            "indices have type FLOAT32, expected INT32");
  EXPECT_EQ(gather({2, 3}, {{{1, 1, 1, 2}, Type::INT32}, {}}),
            "needs a RESHAPE of shape 1x1x1x1x1 to 1x1x1, but the HAL's has at "
            "most rank 4");
}

TEST(TFLiteComposedErrorsTest, broadcastAndMirror) {
  EXPECT_EQ(error(Code::BROADCAST_TO, {reals({2}), ints({3})}),
            "shapes 2 and 3 do not broadcast");
  EXPECT_EQ(error(Code::BROADCAST_TO, {reals({2}), ints({1})}),
            "shape 2 does not broadcast to 1");
  TestInput computed = {{{1}, Type::INT32}, {}};
  EXPECT_EQ(error(Code::BROADCAST_TO, {reals({2}), computed}),
            "input 1 must be a constant; the extension nnhal.tflite takes it");
  EXPECT_EQ(error(Code::MIRROR_PAD, {reals({2}), computed}),
            "input 1 must be a constant");
  auto mirror = [](schema::MirrorPadMode mode, int32_t before) {
    return error(Code::MIRROR_PAD,
                 {reals({2}), integersInput({before, 0}, {1, 2})},
                 options([=](Builder &b) {
                   return schema::CreateMirrorPadOptions(b, mode);
                 }));
  };
  EXPECT_EQ(mirror(schema::MirrorPadMode::REFLECT, 2),
            "padding 2 of dimension 0 exceeds its 1 elements");
  EXPECT_EQ(mirror(schema::MirrorPadMode::SYMMETRIC, 3),
            "padding 3 of dimension 0 exceeds its 2 elements");
  EXPECT_EQ(error(Code::REVERSE_V2, {reals({2}), ints({1})}),
            "axis 1 is not in -1..0");
}

} // namespace
} // namespace nnhal::rt
