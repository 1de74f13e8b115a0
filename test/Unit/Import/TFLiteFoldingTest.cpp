//===- TFLiteFoldingTest.cpp - Operators that are known at import ---------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RunTesting.h"

namespace nnhal::rt {
namespace {

/// The constant that output 0 of one operator over constants folds to.
Numbers folded(Code code, const std::vector<TestInput> &inputs,
               const Options &made = {}, Type type = Type::INT32) {
  // An output that no operation computes is copied.
  std::vector<std::byte> file = operatorFile(code, inputs, {{{}, type}}, made);
  EXPECT_EQ(operationsOf(file).size(), 1u);
  std::vector<Numbers> results = runFile(file, {});
  return results.empty() ? Numbers() : results[0];
}

Options sliced(int32_t beginMask, int32_t endMask, int32_t shrinkMask) {
  return options([=](Builder &b) {
    return schema::CreateStridedSliceOptions(b, beginMask, endMask, 0, 0,
                                             shrinkMask);
  });
}

TEST(TFLiteFoldingTest, shapeChainsBecomeConstants) {
  // What converters make of flattening all but the first dimension.
  TFLiteWriter file;
  int32_t input = file.tensor({{2, 3, 4}}), output = file.tensor({{}});
  int32_t shape = file.tensor({{}, Type::INT32}),
          first = file.tensor({{}, Type::INT32}),
          target = file.tensor({{}, Type::INT32});
  int32_t zero = file.integers({0}), one = file.integers({1});
  int32_t rest = file.constant<int32_t>({{}, Type::INT32}, {-1});
  file.add(Code::SHAPE, {input}, {shape});
  file.add(Code::STRIDED_SLICE, {shape, zero, one, one}, {first},
           schema::CreateStridedSliceOptions(file.builder, 0, 0, 0, 0, 1));
  file.add(Code::PACK, {first, rest}, {target},
           schema::CreatePackOptions(file.builder, 2, 0));
  file.add(Code::RESHAPE, {input, target}, {output});
  EXPECT_EQ(toText(importBytes(file.finish({input}, {output}))),
            "RESHAPE(i2x3x4, {2 12}) -> o2x12\n");
}

TEST(TFLiteFoldingTest, shapeOfAnInput) {
  std::vector<TestInput> inputs = {{{{2, 3, 4}}, Numbers(24)}};
  for (Type type : {Type::INT32, Type::INT64})
    EXPECT_EQ(runOperator(Code::SHAPE, inputs, {{{}, type}})[0],
              (Numbers{2, 3, 4}));
}

/// A constant scalar is no vector of one element.
TEST(TFLiteFoldingTest, scalarsAreNotJoined) {
  EXPECT_EQ(operatorError(Code::CONCATENATION,
                          {integersInput({1, 2}), integersInput({3}, {})},
                          {{{}, Type::INT32}}, options([](Builder &b) {
                            return schema::CreateConcatenationOptions(b, 0);
                          })),
            "input 1 has shape scalar, but input 0 has shape 2");
}

TEST(TFLiteFoldingTest, arithmetic) {
  auto binary = [](Code code, std::vector<int32_t> a, std::vector<int32_t> b) {
    return folded(code, {integersInput(a), integersInput(b)});
  };
  EXPECT_EQ(binary(Code::ADD, {1, 2}, {10}), (Numbers{11, 12}));
  EXPECT_EQ(binary(Code::SUB, {1}, {10, 20}), (Numbers{-9, -19}));
  EXPECT_EQ(binary(Code::MUL, {3, 4}, {5, 6}), (Numbers{15, 24}));
  EXPECT_EQ(binary(Code::DIV, {-7}, {2}), (Numbers{-3}));
  EXPECT_EQ(binary(Code::FLOOR_DIV, {-7, 7}, {2}), (Numbers{-4, 3}));
  EXPECT_EQ(binary(Code::FLOOR_MOD, {-7, 7}, {2}), (Numbers{1, 1}));
  EXPECT_EQ(binary(Code::MAXIMUM, {1, 5}, {3}), (Numbers{3, 5}));
  EXPECT_EQ(binary(Code::MINIMUM, {1, 5}, {3}), (Numbers{1, 3}));
  for (auto [code, expected] : {std::pair(Code::REDUCE_PROD, 24.0),
                                {Code::SUM, 9.0},
                                {Code::REDUCE_MAX, 4.0},
                                {Code::REDUCE_MIN, 2.0}})
    EXPECT_EQ(folded(code, {integersInput({2, 3, 4}), integersInput({0})}),
              Numbers{expected});
}

TEST(TFLiteFoldingTest, movement) {
  TestInput table = integersInput({1, 2, 3, 4, 5, 6}, {2, 3});
  auto ints = [](std::vector<int32_t> values) { return integersInput(values); };
  auto axis = [](int32_t value) {
    return options(
        [=](Builder &b) { return schema::CreatePackOptions(b, 0, value); });
  };
  EXPECT_EQ(folded(Code::PACK, {ints({1, 2}), ints({3, 4})}, axis(1)),
            (Numbers{1, 3, 2, 4}));
  EXPECT_EQ(folded(Code::CONCATENATION, {table, integersInput({7, 8}, {2, 1})},
                   options([](Builder &b) {
                     return schema::CreateConcatenationOptions(b, 1);
                   })),
            (Numbers{1, 2, 3, 7, 4, 5, 6, 8}));
  EXPECT_EQ(folded(Code::GATHER, {table, ints({2, 0})}, options([](Builder &b) {
                     return schema::CreateGatherOptions(b, 1);
                   })),
            (Numbers{3, 1, 6, 4}));
  EXPECT_EQ(folded(Code::SLICE, {table, ints({0, 1}), ints({2, 2})}),
            (Numbers{2, 3, 5, 6}));
  EXPECT_EQ(folded(Code::STRIDED_SLICE,
                   {table, ints({1, 2}), ints({2, 0}), ints({1, -1})},
                   sliced(0, 2, 1)),
            (Numbers{6, 5, 4}));
  EXPECT_EQ(folded(Code::RESHAPE, {table, ints({3, -1})}),
            (Numbers{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(folded(Code::EXPAND_DIMS, {ints({7}), ints({0})}), Numbers{7});
  EXPECT_EQ(folded(Code::SQUEEZE, {ints({7})}), Numbers{7});
  TestInput wide = {{{2}, Type::INT64}, {5, -6}, true};
  EXPECT_EQ(folded(Code::CAST, {wide}), (Numbers{5, -6}));
  EXPECT_EQ(folded(Code::ADD, {wide, wide}, {}, Type::INT64),
            (Numbers{10, -12}));
  EXPECT_EQ(runFile(operatorFile(Code::UNPACK, {table},
                                 {{{}, Type::INT32}, {{}, Type::INT32}},
                                 options([](Builder &b) {
                                   return schema::CreateUnpackOptions(b, 2, 0);
                                 })),
                    {}),
            (std::vector<Numbers>{{1, 2, 3}, {4, 5, 6}}));
}

TEST(TFLiteFoldingTest, rangeAndZeros) {
  auto scalar = [](int32_t value) { return integersInput({value}, {}); };
  auto real = [](double value) { return TestInput{{{}}, {value}, true}; };
  EXPECT_EQ(folded(Code::RANGE, {scalar(2), scalar(9), scalar(3)}),
            (Numbers{2, 5, 8}));
  EXPECT_EQ(folded(Code::RANGE, {scalar(3), scalar(0), scalar(-1)}),
            (Numbers{3, 2, 1}));
  EXPECT_EQ(
      folded(Code::RANGE, {real(0), real(1), real(0.25)}, {}, Type::FLOAT32),
      (Numbers{0, 0.25, 0.5, 0.75}));
  EXPECT_EQ(runOperator(Code::ZEROS_LIKE, {{{{2, 2}}, Numbers(4, 3)}}, {{}})[0],
            Numbers(4, 0));
  TensorSpec s8 = {{3}, Type::INT8, {0.5f}, {-7}};
  EXPECT_EQ(runOperator(Code::ZEROS_LIKE, {{s8, {1, 2, 3}}}, {s8})[0],
            Numbers(3, -7));
}

TEST(TFLiteFoldingTest, errors) {
  auto ints = [](std::vector<int32_t> values) { return integersInput(values); };
  auto error = [](Code code, const std::vector<TestInput> &inputs,
                  const Options &made = {}) {
    return operatorError(code, inputs, {{{}, Type::INT32}}, made);
  };
  EXPECT_EQ(error(Code::FLOOR_DIV, {ints({3}), ints({0})}), "divides 3 by 0");
  EXPECT_EQ(error(Code::MUL, {ints({1, 1 << 20}), ints({1 << 20})}),
            "value 1099511627776 at position 1 does not fit 32 bits");
  EXPECT_EQ(error(Code::REDUCE_PROD, {ints({1 << 20, 1 << 20}), ints({0})}),
            "value 1099511627776 at position 0 does not fit 32 bits");
  EXPECT_EQ(error(Code::SUM, {integersInput({1, 2}, {1, 2}), ints({0})}),
            "the HAL has no REDUCE_SUM for integers");
  EXPECT_EQ(error(Code::GATHER, {ints({1, 2}), ints({2})}),
            "index 2 is not in dimension 0 of size 2");
  EXPECT_EQ(error(Code::SHAPE, {{{{}}, {1}}}),
            "input 0 is a scalar, whose shape has no elements");
  EXPECT_EQ(error(Code::RANGE, {ints({0}), ints({5}), ints({0})}),
            "range 0 to 5 by 0 is not of 1 to 16777216 elements");
  EXPECT_EQ(
      operatorError(Code::RANGE, {{{{}}, {1}}, {{{}}, {2}}, {{{}}, {1}}}, {{}}),
      "input 0 must be a constant scalar; the extension nnhal.tflite takes it");
  EXPECT_EQ(operatorError(Code::ZEROS_LIKE, {{{{1 << 14, 1 << 13}}, {}}}, {{}}),
            "needs 536870912 bytes of zeros, at most 268435456 are made");
}

} // namespace
} // namespace nnhal::rt
