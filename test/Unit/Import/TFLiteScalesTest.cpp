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

/// What DEQUANTIZE makes of 1 to 6, of the type \p from, after \p code has
/// moved them to a tensor of the type \p to.
Numbers moved(Code code, const TensorSpec &from,
              const std::vector<std::vector<int32_t>> &lists,
              const TensorSpec &to, const Options &made = {}) {
  TFLiteWriter file;
  std::vector<int32_t> inputs = {
      file.constant<int8_t>(from, {1, 2, 3, 4, 5, 6})};
  for (const std::vector<int32_t> &list : lists)
    inputs.push_back(file.integers(list));
  int32_t between = file.tensor(to), result = file.tensor({to.shape});
  std::pair options(schema::BuiltinOptions::NONE, flatbuffers::Offset<void>());
  if (made)
    options = made(file.builder);
  file.add(code, inputs, {between}, options.first, options.second);
  file.add(Code::DEQUANTIZE, {between}, {result});
  return runFile(file.finish({}, {result}), {}).at(0);
}

TEST(TFLiteScalesTest, constantsAreMovedAtImport) {
  const TensorSpec from = scaled({2, 3}, 0);
  const Numbers inOrder = {0.5, 1, 1.5, 1, 1.25, 1.5};
  EXPECT_EQ(moved(Code::RESHAPE, from, {{2, 1, 3}}, scaled({2, 1, 3}, 0)),
            inOrder);
  EXPECT_EQ(moved(Code::EXPAND_DIMS, from, {{0}}, scaled({1, 2, 3}, 1)),
            inOrder);
  EXPECT_EQ(moved(Code::SQUEEZE, scaled({1, 2, 3}, 1), {}, scaled({2, 3}, 0)),
            inOrder);
  EXPECT_EQ(moved(Code::TRANSPOSE, from, {{1, 0}}, scaled({3, 2}, 1)),
            (Numbers{0.5, 1, 1, 1.25, 1.5, 1.5}));
  TensorSpec exchanged = from;
  exchanged.scales = {0.25f, 0.5f};
  EXPECT_EQ(moved(Code::GATHER, from, {{1, 0}}, exchanged),
            (Numbers{1, 1.25, 1.5, 0.5, 1, 1.5}));
  EXPECT_EQ(moved(Code::SLICE, from, {{0, 1}, {2, 2}}, scaled({2, 2}, 0)),
            (Numbers{1, 1.5, 1.25, 1.5}));
  EXPECT_EQ(moved(Code::STRIDED_SLICE, from, {{0, 2}, {2, 0}, {1, -1}},
                  scaled({2, 2}, 0)),
            (Numbers{1.5, 1, 1.5, 1.25}));
  // One row has one scale.
  EXPECT_EQ(moved(Code::SLICE, from, {{1, 0}, {1, 3}},
                  {{1, 3}, Type::INT8, {0.25f}, {0}}),
            (Numbers{1, 1.25, 1.5}));
}

TEST(TFLiteScalesTest, movementErrors) {
  auto error = [](Code code, std::vector<int32_t> list, TensorSpec to,
                  const Options &made = {}) {
    return importError(operatorFile(
        code, {{scaled({2, 3}, 0), Numbers(6), true}, integersInput(list)},
        {std::move(to)}, made));
  };
  EXPECT_EQ(error(Code::TRANSPOSE, {1, 1}, scaled({3, 2}, 1)),
            "operator 0 (TRANSPOSE): the order 1, 1 is none of the 2 "
            "dimensions of input 0");
  EXPECT_EQ(error(Code::GATHER, {0, 2}, scaled({2, 3}, 0)),
            "operator 0 (GATHER): index 2 is not in dimension 0 of size 2");
  EXPECT_EQ(error(Code::GATHER, {0, 1}, scaled({2}, 0), options([](Builder &b) {
                    return schema::CreateGatherOptions(b, 1, 1);
                  })),
            "operator 0 (GATHER): the HAL's GATHER does not take input 0 of "
            "type INT8");
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
