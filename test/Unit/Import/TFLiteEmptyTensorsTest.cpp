//===- TFLiteEmptyTensorsTest.cpp - Results without elements --------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RunTesting.h"

#include <limits>

#include "Extensions/TFLite/TFLiteExtension.h"

namespace nnhal::rt {
namespace {

std::vector<Numbers> results(const std::vector<std::byte> &file,
                             const std::vector<Numbers> &inputs) {
  return runFile(file, inputs,
                 {{nnhal::tflite::createTFLiteExtension(), "test"}});
}

void addConcatenation(TFLiteWriter &file, std::vector<int32_t> inputs,
                      int32_t output, int32_t axis) {
  file.add(Code::CONCATENATION, std::move(inputs), {output},
           schema::CreateConcatenationOptions(file.builder, axis));
}

void addStridedSlice(TFLiteWriter &file, int32_t from, int32_t to,
                     const std::vector<int32_t> &begin,
                     const std::vector<int32_t> &end) {
  file.add(Code::STRIDED_SLICE,
           {from, file.integers(begin), file.integers(end),
            file.integers(std::vector<int32_t>(begin.size(), 1))},
           {to}, schema::CreateStridedSliceOptions(file.builder));
}

TEST(TFLiteEmptyTensorsTest, partsOfSplits) {
  for (Type type : {Type::FLOAT32, Type::INT32, Type::INT64, Type::BOOL}) {
    TFLiteWriter file;
    int32_t x = file.tensor({{1, 3}, type}), a = file.tensor({{1, 0}, type}),
            b = file.tensor({{1, 1}, type}), c = file.tensor({{1, 2}, type}),
            y = file.tensor({{1, 3}, type});
    file.add(Code::SPLIT_V, {x, file.integers({0, 1, -1}), file.integers({1})},
             {a, b, c}, schema::CreateSplitVOptions(file.builder, 3));
    addConcatenation(file, {c, a, b}, y, 1);
    EXPECT_EQ(results(file.finish({x}, {y, b}), {{1, 0, 1}}),
              (std::vector<Numbers>{{0, 1, 1}, {1}}));
  }
}

TEST(TFLiteEmptyTensorsTest, aSplitThatLeavesAllInOnePart) {
  TFLiteWriter file;
  int32_t x = file.tensor({{2}}), a = file.tensor({{2}}),
          b = file.tensor({{0}}), y = file.tensor({{2}});
  file.add(Code::SPLIT_V, {x, file.integers({2, 0}), file.integers({0})},
           {a, b}, schema::CreateSplitVOptions(file.builder, 2));
  file.add(Code::NEG, {a}, {y});
  EXPECT_EQ(results(file.finish({x}, {y}), {{1, -2}}).at(0), (Numbers{-1, 2}));
}

TEST(TFLiteEmptyTensorsTest, slices) {
  for (Type type : {Type::FLOAT32, Type::INT8, Type::INT32, Type::INT64}) {
    TensorSpec some = {{2, 2}, type}, none = {{2, 0}, type};
    if (type == Type::INT8) {
      some.scales = none.scales = {0.5f};
      some.zeroPoints = none.zeroPoints = {1};
    }
    TFLiteWriter file;
    int32_t x = file.tensor(some), a = file.tensor(none), b = file.tensor(none),
            c = file.tensor(none), y = file.tensor(some);
    addStridedSlice(file, x, a, {0, 1}, {2, 1});
    file.add(Code::SLICE, {x, file.integers({0, 2}), file.integers({2, 0})},
             {b});
    addConcatenation(file, {a, b}, c, -1);
    addConcatenation(file, {c, x, a}, y, -1);
    EXPECT_EQ(results(file.finish({x}, {y}), {{1, 2, 3, 4}}).at(0),
              (Numbers{1, 2, 3, 4}));
  }
}

/// The batch dimensions of a matrix, of which there are none, before others.
TEST(TFLiteEmptyTensorsTest, shapesThatArePutTogether) {
  TFLiteWriter file;
  int32_t x = file.tensor({{2, 3}}), shape = file.tensor({{2}, Type::INT32}),
          batch = file.tensor({{0}, Type::INT32}),
          whole = file.tensor({{2}, Type::INT32}), y = file.tensor({{3, 2}});
  file.add(Code::SHAPE, {x}, {shape},
           schema::CreateShapeOptions(file.builder, Type::INT32));
  addStridedSlice(file, shape, batch, {0}, {-2});
  addConcatenation(file, {batch, file.integers({3, 2})}, whole, 0);
  file.add(Code::RESHAPE, {x, whole}, {y});
  EXPECT_EQ(toText(importBytes(file.finish({x}, {y}))),
            "RESHAPE(i2x3, {3 2}) -> o3x2\n");
}

TEST(TFLiteEmptyTensorsTest, errors) {
  TFLiteWriter file;
  int32_t x = file.tensor({{2}}), y = file.tensor({{0}});
  addStridedSlice(file, x, y, {1}, {1});
  EXPECT_EQ(importError(file.finish({x}, {y})),
            "output 0: tensor 1 't1' has no elements");
  TFLiteWriter bytes;
  TensorSpec deep = {{1, 1, 1, 1, 2}, Type::INT8, {0.5f}, {0}}, none = deep;
  none.shape.back() = 0;
  x = bytes.tensor(deep);
  y = bytes.tensor(none);
  int32_t z = bytes.tensor(none);
  addStridedSlice(bytes, x, y, {0, 0, 0, 0, 2}, {1, 1, 1, 1, 2});
  bytes.add(Code::SOFTMAX, {y}, {z},
            schema::CreateSoftmaxOptions(bytes.builder, 1));
  EXPECT_EQ(importError(bytes.finish({x}, {z})),
            "operator 1 (SOFTMAX): tensor 1 't1' has no elements");
  TFLiteWriter other;
  x = other.tensor({{2}});
  y = other.tensor({{0}, Type::INT32});
  addStridedSlice(other, x, y, {1}, {1});
  EXPECT_EQ(importError(other.finish({x}, {y})),
            "operator 0 (STRIDED_SLICE): output 0 has type INT32, expected "
            "FLOAT32");
  auto join = [](const std::vector<int32_t> &a, const std::vector<int32_t> &b,
                 int32_t axis) {
    TFLiteWriter file;
    int32_t x = file.tensor({{2, 2}}), first = file.tensor({a}),
            second = file.tensor({b}), y = file.tensor({{}});
    auto add = [&](int32_t to, const std::vector<int32_t> &extents) {
      int32_t flat = file.tensor({{4}});
      file.add(Code::RESHAPE, {x, file.integers({4})}, {flat});
      bool isMatrix = extents.size() == 2;
      std::vector<int32_t> begin(isMatrix ? 2 : 1), end = extents;
      addStridedSlice(file, isMatrix ? x : flat, to, begin, end);
    };
    add(first, a);
    add(second, b);
    addConcatenation(file, {first, second}, y, axis);
    return importError(file.finish({x}, {x}));
  };
  EXPECT_EQ(join({0, 2}, {0}, 0),
            "operator 4 (CONCATENATION): input 1 has shape 0, but input 0 has "
            "shape 0x2");
  EXPECT_EQ(join({2, 2}, {0}, 0),
            "operator 4 (CONCATENATION): input 1 has shape 0, but input 0 has "
            "shape 2x2");
  EXPECT_EQ(join({0, 2}, {2, 0}, 0),
            "operator 4 (CONCATENATION): input 1 has shape 2x0, but input 0 "
            "has shape 0x2");
  TFLiteWriter types;
  x = types.tensor({{2}});
  int32_t numbers = types.tensor({{2}, Type::INT32});
  y = types.tensor({{0}});
  z = types.tensor({{0}, Type::INT32});
  addStridedSlice(types, x, y, {1}, {1});
  addStridedSlice(types, numbers, z, {1}, {1});
  addConcatenation(types, {y, z}, types.tensor({{0}}), 0);
  EXPECT_EQ(importError(types.finish({x, numbers}, {x})),
            "operator 2 (CONCATENATION): input 1 has type INT32, but input 0 "
            "has type FLOAT32");
  TFLiteWriter rows;
  constexpr int32_t most = std::numeric_limits<int32_t>::max();
  x = rows.tensor({{most, 1}, Type::BOOL});
  y = rows.tensor({{most, 0}, Type::BOOL});
  addStridedSlice(rows, x, y, {0, 1}, {most, 1});
  addConcatenation(rows, {y, y, y}, rows.tensor({{0}, Type::BOOL}), 0);
  EXPECT_EQ(importError(rows.finish({x}, {x})),
            "operator 1 (CONCATENATION): the inputs have 6442450941 elements "
            "along axis 0, at most 4294967295 are joined");
}

} // namespace
} // namespace nnhal::rt
