//===- TFLiteSparseTest.cpp - Constants that are stored in parts ----------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ImportTesting.h"

namespace nnhal::rt {
namespace {

using Levels = std::vector<flatbuffers::Offset<schema::DimensionMetadata>>;
using MakeLevels = std::function<Levels(flatbuffers::FlatBufferBuilder &)>;

/// A file that adds a sparse tensor of \p spec to its input.
template <typename T>
std::vector<std::byte>
sparseFileOf(const TensorSpec &spec, const std::vector<T> &values,
             const std::vector<int32_t> &order,
             const std::vector<int32_t> &blockMap, const MakeLevels &levels) {
  TFLiteWriter file;
  int32_t input = file.tensor(spec);
  auto metadata = levels(file.builder);
  auto orderVector = file.builder.CreateVector(order);
  auto blockVector = file.builder.CreateVector(blockMap);
  auto levelVector = file.builder.CreateVector(metadata);
  auto sparsity = schema::CreateSparsityParameters(file.builder, orderVector,
                                                   blockVector, levelVector);
  int32_t sparse = file.constant<T>(spec, values, sparsity);
  int32_t dense = file.tensor(spec);
  TensorSpec result = spec;
  result.shape = {};
  int32_t output = file.tensor(result);
  file.add(Code::DENSIFY, {sparse}, {dense});
  file.add(Code::ADD, {input, dense}, {output});
  return file.finish({input}, {output});
}

std::vector<std::byte> sparseFile(const std::vector<int32_t> &shape,
                                  const std::vector<float> &values,
                                  const std::vector<int32_t> &order,
                                  const std::vector<int32_t> &blockMap,
                                  const MakeLevels &levels) {
  return sparseFileOf<float>({shape}, values, order, blockMap, levels);
}

flatbuffers::Offset<schema::DimensionMetadata>
denseLevel(flatbuffers::FlatBufferBuilder &builder, int32_t size) {
  return schema::CreateDimensionMetadata(builder, schema::DimensionType::DENSE,
                                         size);
}

flatbuffers::Offset<schema::DimensionMetadata>
compressedLevel(flatbuffers::FlatBufferBuilder &builder,
                const std::vector<int32_t> &segments,
                const std::vector<uint8_t> &indices) {
  auto first =
      schema::CreateInt32Vector(builder, builder.CreateVector(segments));
  builder.ForceVectorAlignment(indices.size(), 1, 4);
  auto second =
      schema::CreateUint8Vector(builder, builder.CreateVector(indices));
  return schema::CreateDimensionMetadata(
      builder, schema::DimensionType::SPARSE_CSR, 0,
      schema::SparseIndexVector::Int32Vector, first.Union(),
      schema::SparseIndexVector::Uint8Vector, second.Union());
}

TEST(TFLiteSparseTest, compressedRowsAreExpanded) {
  AnnotatedModel model = importBytes(sparseFile(
      {3, 4}, {1, 2, 3}, {0, 1}, {},
      [](flatbuffers::FlatBufferBuilder &builder) {
        return Levels{denseLevel(builder, 3),
                      compressedLevel(builder, {0, 2, 2, 3}, {1, 3, 0})};
      }));
  ASSERT_EQ(toText(model), "ADD(i3x4, c3x4, 0) -> o3x4\n");
  EXPECT_EQ(valuesOf<float>(model, model.model.main.operations[0].inputs[1]),
            (std::vector<float>{0, 1, 0, 2, 0, 0, 0, 0, 3, 0, 0, 0}));
}

TEST(TFLiteSparseTest, blocksAreExpanded) {
  // Rows of 2x2 blocks; the second block of the first row and the first of the
  // second are present.
  AnnotatedModel model = importBytes(sparseFile(
      {4, 4}, {1, 2, 3, 4, 5, 6, 7, 8}, {0, 1, 2, 3}, {0, 1},
      [](flatbuffers::FlatBufferBuilder &builder) {
        return Levels{denseLevel(builder, 2),
                      compressedLevel(builder, {0, 1, 2}, {1, 0}),
                      denseLevel(builder, 2), denseLevel(builder, 2)};
      }));
  ASSERT_EQ(model.model.main.operations.size(), 1u);
  EXPECT_EQ(
      valuesOf<float>(model, model.model.main.operations[0].inputs[1]),
      (std::vector<float>{0, 0, 1, 2, 0, 0, 3, 4, 5, 6, 0, 0, 7, 8, 0, 0}));
}

TEST(TFLiteSparseTest, damagedSparseTensors) {
  auto error = [](std::vector<int32_t> segments, std::vector<uint8_t> indices,
                  std::vector<int32_t> order = {0, 1},
                  std::vector<int32_t> blockMap = {}, int32_t rows = 3) {
    return importError(
        sparseFile({3, 4}, {1, 2, 3}, order, blockMap,
                   [&](flatbuffers::FlatBufferBuilder &builder) {
                     return Levels{denseLevel(builder, rows),
                                   compressedLevel(builder, segments, indices)};
                   }));
  };
  std::string where = "operator 1 (ADD): tensor 2 't2': ";
  EXPECT_EQ(error({0, 2, 2}, {1, 3, 0}),
            where + "sparse level 1 has 3 segments, fewer than it refers to");
  EXPECT_EQ(error({0, 2, 2, 4}, {1, 3, 0}),
            where + "sparse level 1 has segment 2 to 4 of 3 indices");
  EXPECT_EQ(error({0, 2, 2, 3}, {3, 1, 0}),
            where + "sparse level 1 has index 1 after 3 in a dimension of 4");
  EXPECT_EQ(error({0, 2, 2, 2}, {1, 3}),
            where + "sparse tensor has 12 bytes of values, but refers to 8");
  EXPECT_EQ(
      error({0, 2, 2, 4}, {0, 1, 0, 1}),
      where + "sparse tensor has 12 bytes of values, fewer than it refers to");
  EXPECT_EQ(error({0, 2, 2, 3}, {1, 3, 0}, {0, 0}),
            where + "sparse traversal order has 0 at position 1");
  EXPECT_EQ(error({0, 2, 2, 3}, {1, 3, 0}, {0}),
            where + "sparse tensor of rank 2 has 0 blocked dimensions, 1 in "
                    "its traversal order "
                    "and 2 described");
  EXPECT_EQ(error({0, 2, 2, 3}, {1, 3, 0}, {0, 1}, {}, 2),
            where + "sparse level 0 has size 2, but the shape gives 3");
}

TEST(TFLiteSparseTest, damagedBlocks) {
  auto error = [](std::vector<int32_t> blockMap, int32_t blockSize) {
    return importError(sparseFile(
        {3, 4}, {1, 2, 3}, {0, 1, 2}, blockMap,
        [&](flatbuffers::FlatBufferBuilder &builder) {
          return Levels{denseLevel(builder, 3),
                        compressedLevel(builder, {0, 2, 2, 3}, {1, 3, 0}),
                        denseLevel(builder, blockSize)};
        }));
  };
  std::string where = "operator 1 (ADD): tensor 2 't2': ";
  EXPECT_EQ(error({2}, 2), where + "sparse block map has 2 at position 0");
  EXPECT_EQ(error({1}, 0), where + "sparse block size is 0");
  EXPECT_EQ(error({1}, 3),
            where + "sparse block size 3 does not divide dimension 1 of size "
                    "4");
}

TEST(TFLiteSparseTest, sparseTensorsMayNotClaimAnySize) {
  EXPECT_EQ(importError(sparseFile({8193, 8192}, {1}, {0, 1}, {},
                                   [](flatbuffers::FlatBufferBuilder &builder) {
                                     return std::vector{
                                         denseLevel(builder, 8193),
                                         compressedLevel(builder, {0, 1}, {0})};
                                   })),
            "operator 1 (ADD): tensor 2 't2': expanded constants need more "
            "than 268435456 bytes");
}

/// A vector of 32 bits for elements of each width.
flatbuffers::Offset<void> int32Vector(flatbuffers::FlatBufferBuilder &builder,
                                      const std::vector<int32_t> &values) {
  return schema::CreateInt32Vector(builder, builder.CreateVector(values))
      .Union();
}

flatbuffers::Offset<void> uint16Vector(flatbuffers::FlatBufferBuilder &builder,
                                       const std::vector<uint16_t> &values) {
  builder.ForceVectorAlignment(values.size(), 2, 4);
  return schema::CreateUint16Vector(builder, builder.CreateVector(values))
      .Union();
}

using schema::SparseIndexVector;

/// The rows {0, 1, 0, 2}, {0, 0, 0, 0} and {3, 0, 0, 0}, with vectors of these
/// kinds.
std::vector<std::byte> rowsFile(SparseIndexVector segments,
                                SparseIndexVector indices) {
  return sparseFile(
      {3, 4}, {1, 2, 3}, {0, 1}, {},
      [&](flatbuffers::FlatBufferBuilder &builder) {
        auto vectorOf = [&](SparseIndexVector kind,
                            const std::vector<uint16_t> &values) {
          if (kind == SparseIndexVector::Uint16Vector)
            return uint16Vector(builder, values);
          if (kind == SparseIndexVector::Int32Vector)
            return int32Vector(builder, {values.begin(), values.end()});
          return flatbuffers::Offset<void>();
        };
        auto first = vectorOf(segments, {0, 2, 2, 3});
        auto second = vectorOf(indices, {1, 3, 0});
        return Levels{denseLevel(builder, 3),
                      schema::CreateDimensionMetadata(
                          builder, schema::DimensionType::SPARSE_CSR, 0,
                          segments, first, indices, second)};
      });
}

TEST(TFLiteSparseTest, indicesHaveAnyWidth) {
  for (auto segments :
       {SparseIndexVector::Uint16Vector, SparseIndexVector::Int32Vector})
    for (auto indices :
         {SparseIndexVector::Uint16Vector, SparseIndexVector::Int32Vector}) {
      AnnotatedModel model = importBytes(rowsFile(segments, indices));
      ASSERT_EQ(toText(model), "ADD(i3x4, c3x4, 0) -> o3x4\n");
      EXPECT_EQ(
          valuesOf<float>(model, model.model.main.operations[0].inputs[1]),
          (std::vector<float>{0, 1, 0, 2, 0, 0, 0, 0, 3, 0, 0, 0}));
    }
}

TEST(TFLiteSparseTest, levelsWithoutVectors) {
  std::string where = "operator 1 (ADD): tensor 2 't2': ";
  EXPECT_EQ(importError(rowsFile(SparseIndexVector::NONE,
                                 SparseIndexVector::Int32Vector)),
            where + "sparse level 1 has 0 segments, fewer than it refers to");
  EXPECT_EQ(importError(rowsFile(SparseIndexVector::Int32Vector,
                                 SparseIndexVector::NONE)),
            where + "sparse level 1 has segment 0 to 2 of 0 indices");
}

// Elements that a sparse tensor of bytes leaves out are the real number 0.
TEST(TFLiteSparseTest, bytesThatAreLeftOutAreZeroPoints) {
  AnnotatedModel model = importBytes(sparseFileOf<uint8_t>(
      {{2, 3}, Type::UINT8, {0.5f}, {7}}, {9, 0}, {0, 1}, {},
      [](flatbuffers::FlatBufferBuilder &builder) {
        return Levels{denseLevel(builder, 2),
                      compressedLevel(builder, {0, 1, 2}, {2, 0})};
      }));
  ASSERT_EQ(model.model.main.operations.size(), 1u);
  EXPECT_EQ(valuesOf<uint8_t>(model, model.model.main.operations[0].inputs[1]),
            (std::vector<uint8_t>{7, 7, 9, 0, 7, 7}));
}

} // namespace
} // namespace nnhal::rt
