//===- TFLiteScalesTest.cpp - Constants with several scales ---------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RunTesting.h"

#include "Runtime/Support/Float16.h"

namespace nnhal::rt {
namespace {

/// Bytes whose dimension \p dimension has the scales 1/2 and 1/4.
TensorSpec scaled(std::vector<int32_t> shape, int32_t dimension) {
  return {std::move(shape), Type::INT8, {0.5f, 0.25f}, {0, 0}, dimension};
}

/// The reals that are 1 to 6 of the type \p from, after \p code has moved them
/// to a tensor of the type \p to.
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

// An element is moved in nanoseconds, one by one from where its neighbours are.
TEST(TFLiteScalesTest, largeConstantsAreMoved) {
  constexpr int32_t size = 1 << 10;
  std::vector<int8_t> values(4 << 20);
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = int8_t(i * 7 >> 5);
  TensorSpec from = scaled({2, 2 * size, size}, 0);
  TFLiteWriter file;
  int32_t data = file.constant<int8_t>(from, values);
  int32_t reversed = file.tensor(from), turned;
  turned = file.tensor(scaled({size, 2 * size, 2}, 2));
  file.add(Code::STRIDED_SLICE,
           {data, file.integers({0, 0, -1}),
            file.integers({2, 2 * size, -size - 1}), file.integers({1, 1, -1})},
           {reversed});
  file.add(Code::TRANSPOSE, {reversed, file.integers({2, 1, 0})}, {turned});
  int32_t result = file.tensor({{size, 2 * size, 2}});
  file.add(Code::DEQUANTIZE, {turned}, {result});
  AnnotatedModel model = importBytes(file.finish({}, {result}));
  ASSERT_EQ(model.model.main.operations.size(), 1u);
  auto moved =
      valuesOf<int8_t>(model, model.model.main.operations[0].inputs[0]);
  ASSERT_EQ(moved.size(), values.size());
  for (size_t i = 0; i < moved.size(); i += 997) {
    size_t z = i % 2, y = i / 2 % (2 * size), x = i / 2 / (2 * size);
    ASSERT_EQ(moved[i], values[(z * 2 * size + y) * size + size - 1 - x]) << i;
  }
}

TEST(TFLiteScalesTest, constantsAreGatheredInside) {
  // Columns 2 and 0 of both rows, whose scales stay.
  EXPECT_EQ(moved(Code::GATHER, scaled({2, 3}, 0), {{2, 0}}, scaled({2, 2}, 0),
                  options([](Builder &b) {
                    return schema::CreateGatherOptions(b, 1);
                  })),
            (Numbers{1.5, 0.5, 1.5, 1}));
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
  EXPECT_EQ(extended(Code::DEQUANTIZE, {weights}, {{1, 1, 2, 1, 2}}),
            (Numbers{0.5, 1, 0.75, 1}));
}

/// A FULLY_CONNECTED of a row of four reals with two rows of weights of
/// \p packed, whose halves have the scales 1/2, 2, 1/4 and 1.
struct BlockFile {
  Type type = Type::INT4;
  std::vector<uint8_t> packed = {0x21, 0xF7, 0x80, 0x3E};
  Type scaleType = Type::FLOAT16;
  std::vector<float> scales = {0.5f, 2.0f, 0.25f, 1.0f};
  int32_t blockSize = 2;
  int64_t zeroPoint = 0;
  bool isConstant = true;
  bool hasScales = true;
  bool hasZeroPoints = true;

  std::vector<std::byte> write() const {
    TFLiteWriter file;
    int32_t scaleTensor = addScales(file);
    int32_t zeroPoints = file.constant<int64_t>(
        {{4}, Type::INT64}, std::vector<int64_t>(4, zeroPoint));
    TensorSpec spec = {{2, 4}, type};
    spec.blockSize = blockSize;
    spec.blockScales = hasScales ? scaleTensor : 99;
    spec.blockZeroPoints = hasZeroPoints ? zeroPoints : 99;
    int32_t weights =
        isConstant ? file.constant<uint8_t>(spec, packed) : file.tensor(spec);
    int32_t x = file.tensor({{1, 4}}), y = file.tensor({{1, 2}});
    file.add(Code::FULLY_CONNECTED, {x, weights}, {y});
    return file.finish(isConstant ? std::vector<int32_t>{x}
                                  : std::vector<int32_t>{x, weights},
                       {y});
  }

private:
  int32_t addScales(TFLiteWriter &file) const {
    auto count = int32_t(scales.size());
    if (scaleType == Type::FLOAT32)
      return file.constant<float>({{count}, scaleType}, scales);
    std::vector<uint16_t> halves;
    for (float scale : scales)
      halves.push_back(scaleType == Type::FLOAT16
                           ? float16FromDouble(scale)
                           : uint16_t(std::bit_cast<uint32_t>(scale) >> 16));
    return file.constant<uint16_t>({{count}, scaleType}, halves);
  }
};

// The weights are 1 2 | 7 -1 and 0 -8 | -2 3.
TEST(TFLiteScalesTest, blocksHaveScales) {
  const Numbers x = {1, 10, 100, 1000};
  const Numbers expected = {0.5 + 10 + 1400 - 2000, -20 - 200 + 3000};
  for (Type type : {Type::FLOAT16, Type::BFLOAT16, Type::FLOAT32}) {
    BlockFile file;
    file.scaleType = type;
    EXPECT_EQ(runFile(file.write(), {x}).at(0), expected);
  }
  BlockFile bytes{.type = Type::INT8,
                  .packed = {1, 2, 7, 0xFF, 0, 0xF8, 0xFE, 3}};
  EXPECT_EQ(runFile(bytes.write(), {x}).at(0), expected);
}

/// The weights 1 and 2, whose scales are 4 and 1/2.
int32_t addBlocks(TFLiteWriter &file) {
  TensorSpec spec = {{2}, Type::INT4};
  spec.blockSize = 1;
  spec.blockScales = file.constant<float>({{2}}, {4.0f, 0.5f});
  return file.constant<uint8_t>(spec, {0x21});
}

TEST(TFLiteScalesTest, blocksAreDequantized) {
  TFLiteWriter file;
  int32_t weights = addBlocks(file), x = file.tensor({{2}});
  int32_t reals = file.tensor({{2}}), sum = file.tensor({{2}});
  file.add(Code::DEQUANTIZE, {weights}, {reals});
  file.add(Code::ADD, {x, reals}, {sum});
  EXPECT_EQ(runFile(file.finish({x}, {sum}), {{10, 20}}).at(0),
            (Numbers{14, 21}));
}

TEST(TFLiteScalesTest, blocksArePassedToSubgraphs) {
  TFLiteWriter file;
  int32_t condition = file.tensor({{1}, Type::BOOL}),
          chosen = file.tensor({{2}});
  file.add(Code::IF, {condition, addBlocks(file)}, {chosen},
           schema::CreateIfOptions(file.builder, 1, 2));
  file.endSubgraph({condition}, {chosen});
  int32_t from = file.tensor({{2}}), to = file.tensor({{2}});
  file.add(Code::NEG, {from}, {to});
  file.endSubgraph({from}, {to});
  from = file.tensor({{2}});
  to = file.tensor({{2}});
  file.add(Code::ABS, {from}, {to});
  std::vector<std::byte> bytes = file.finish({from}, {to});
  EXPECT_EQ(runFile(bytes, {{1}}).at(0), (Numbers{-4, -1}));
  EXPECT_EQ(runFile(bytes, {{0}}).at(0), (Numbers{4, 1}));
}

TEST(TFLiteScalesTest, blockErrors) {
  auto error = [](const BlockFile &file) { return importError(file.write()); };
  EXPECT_EQ(error({.type = Type::UINT4}),
            "tensor 2 't2': has scales by blocks, which only dense INT2, INT4 "
            "and INT8 have here, not UINT4");
  EXPECT_EQ(error({.blockSize = 3}), "tensor 2 't2': has blocks of 3 elements, "
                                     "which do not divide its shape 2x4");
  EXPECT_EQ(error({.hasScales = false}),
            "tensor 2 't2': has its scales in tensor 99, which is not a "
            "constant");
  EXPECT_EQ(error({.scales = {1.0f, 2.0f}}),
            "tensor 2 't2': has 4 blocks, but 2 scales of type FLOAT16");
  EXPECT_EQ(error({.hasZeroPoints = false}),
            "tensor 2 't2': has its zero points in tensor 99, which is not a "
            "constant");
  EXPECT_EQ(error({.zeroPoint = 8}),
            "tensor 2 't2': has zero points by blocks that are not 0");
  EXPECT_EQ(error({.isConstant = false}),
            "input 1: tensor 2 't2' has scales by blocks, which only constants "
            "have");
}

} // namespace
} // namespace nnhal::rt
