//===- Constants.cpp - Constants that are not used as they stand ----------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Constants.h"

#include "Runtime/Support/Errors.h"
#include "Runtime/Support/Float16.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>

namespace nnhal::rt::tflite {

bool needsExpansion(const Tensor &tensor) {
  return tensor.expansion != Expansion::None || tensor.sparsity ||
         tensor.isFolded;
}

/// The bytes of an element after the expansion of \p tensor.
static uint32_t targetElementSize(const Tensor &tensor) {
  switch (tensor.expansion) {
  case Expansion::None:
    return elementSizeOf(tensor.sourceType);
  case Expansion::Int32ToInt64:
    return 8;
  case Expansion::PackedToBytes:
    return 1;
  default:
    return 4;
  }
}

/// Reads element \p index of a sparse index vector, whose width varies.
static int64_t indexAt(schema::SparseIndexVector kind, const void *vector,
                       uint32_t index) {
  switch (kind) {
  case schema::SparseIndexVector::Int32Vector:
    return static_cast<const schema::Int32Vector *>(vector)->values()->Get(
        index);
  case schema::SparseIndexVector::Uint16Vector:
    return static_cast<const schema::Uint16Vector *>(vector)->values()->Get(
        index);
  case schema::SparseIndexVector::Uint8Vector:
    return static_cast<const schema::Uint8Vector *>(vector)->values()->Get(
        index);
  default:
    return -1;
  }
}

static uint32_t indexCount(schema::SparseIndexVector kind, const void *vector) {
  if (!vector)
    return 0;
  auto count = [](const auto *values) { return values ? values->size() : 0; };
  switch (kind) {
  case schema::SparseIndexVector::Int32Vector:
    return count(static_cast<const schema::Int32Vector *>(vector)->values());
  case schema::SparseIndexVector::Uint16Vector:
    return count(static_cast<const schema::Uint16Vector *>(vector)->values());
  case schema::SparseIndexVector::Uint8Vector:
    return count(static_cast<const schema::Uint8Vector *>(vector)->values());
  default:
    return 0;
  }
}

namespace {
/// Walks the levels of a sparse tensor, outermost first. A level is an original
/// dimension, divided into blocks where it is blocked, or the inside of a
/// block.
class SparseReader {
public:
  SparseReader(const Tensor &tensor, uint32_t elementSize, std::byte *dense)
      : tensor(tensor), sparsity(*tensor.sparsity), elementSize(elementSize),
        dense(dense) {}

  Status read();

private:
  struct Level {
    const schema::DimensionMetadata *metadata;
    uint32_t size;
    /// Elements of the dense tensor between two neighbours of this level.
    uint64_t stride;
  };

  Status readLevels();
  Status visit(size_t level, uint64_t position, uint64_t offset);

  const Tensor &tensor;
  const schema::SparsityParameters &sparsity;
  uint32_t elementSize;
  std::byte *dense;
  std::vector<Level> levels;
  size_t valuesRead = 0;
};
} // namespace

Status SparseReader::readLevels() {
  const Shape &shape = *tensor.shape;
  size_t rank = shape.size();
  std::span<const int32_t> order = elementsOf(sparsity.traversal_order());
  std::span<const int32_t> blockMap = elementsOf(sparsity.block_map());
  size_t count = rank + blockMap.size();
  uint32_t metadataCount =
      sparsity.dim_metadata() ? sparsity.dim_metadata()->size() : 0;
  if (blockMap.size() > rank || order.size() != count || metadataCount != count)
    return badData(
        "sparse tensor of rank {} has {} blocked dimensions, {} in its "
        "traversal order and {} described",
        rank, blockMap.size(), order.size(), metadataCount);
  std::vector<uint64_t> strides(rank, 1), blockSizes(rank, 1);
  for (size_t i = rank; i-- > 1;)
    strides[i - 1] = strides[i] * shape[i];
  std::vector<bool> seen(count), blocked(rank);
  auto sizeAt = [&](size_t dimension) -> int64_t {
    for (size_t level = 0; level < count; ++level)
      if (size_t(order[level]) == dimension)
        return sparsity.dim_metadata()->Get(level)->dense_size();
    return 0;
  };
  for (size_t i = 0; i < count; ++i) {
    if (order[i] < 0 || size_t(order[i]) >= count || seen[order[i]])
      return badData("sparse traversal order has {} at position {}", order[i],
                     i);
    seen[order[i]] = true;
  }
  for (size_t i = 0; i < blockMap.size(); ++i) {
    int32_t dimension = blockMap[i];
    if (dimension < 0 || size_t(dimension) >= rank || blocked[dimension])
      return badData("sparse block map has {} at position {}", dimension, i);
    blocked[dimension] = true;
    int64_t size = sizeAt(rank + i);
    if (size < 1)
      return badData("sparse block size is {}", size);
    blockSizes[dimension] = size;
    if (shape[dimension] % size != 0)
      return badData(
          "sparse block size {} does not divide dimension {} of size {}", size,
          dimension, shape[dimension]);
  }
  for (size_t i = 0; i < count; ++i) {
    size_t dimension = order[i];
    const auto *metadata = sparsity.dim_metadata()->Get(i);
    if (dimension < rank)
      levels.push_back({metadata,
                        uint32_t(shape[dimension] / blockSizes[dimension]),
                        strides[dimension] * blockSizes[dimension]});
    else
      levels.push_back({metadata,
                        uint32_t(blockSizes[blockMap[dimension - rank]]),
                        strides[blockMap[dimension - rank]]});
    if (metadata->format() == schema::DimensionType::DENSE &&
        metadata->dense_size() != int64_t(levels.back().size))
      return badData("sparse level {} has size {}, but the shape gives {}", i,
                     metadata->dense_size(), levels.back().size);
  }
  return Status();
}

Status SparseReader::visit(size_t level, uint64_t position, uint64_t offset) {
  if (level == levels.size()) {
    if ((valuesRead + 1) * elementSize > tensor.bytes.size())
      return badData(
          "sparse tensor has {} bytes of values, fewer than it refers to",
          tensor.bytes.size());
    std::memcpy(dense + offset * elementSize,
                tensor.bytes.data() + valuesRead * elementSize, elementSize);
    ++valuesRead;
    return Status();
  }
  const Level &current = levels[level];
  if (current.metadata->format() == schema::DimensionType::DENSE) {
    for (uint32_t i = 0; i < current.size; ++i)
      NNHAL_RETURN_IF_ERROR(visit(level + 1, position * current.size + i,
                                  offset + i * current.stride));
    return Status();
  }
  auto segmentKind = current.metadata->array_segments_type();
  auto indexKind = current.metadata->array_indices_type();
  const void *segments = current.metadata->array_segments();
  const void *indices = current.metadata->array_indices();
  uint32_t segmentCount = indexCount(segmentKind, segments);
  if (position + 1 >= segmentCount)
    return badData("sparse level {} has {} segments, fewer than it refers to",
                   level, segmentCount);
  int64_t begin = indexAt(segmentKind, segments, position);
  int64_t end = indexAt(segmentKind, segments, position + 1);
  uint32_t total = indexCount(indexKind, indices);
  if (begin < 0 || end < begin || end > int64_t(total))
    return badData("sparse level {} has segment {} to {} of {} indices", level,
                   begin, end, total);
  int64_t previous = -1;
  for (int64_t i = begin; i < end; ++i) {
    int64_t index = indexAt(indexKind, indices, i);
    // Ascending, so that the walk is bounded by the dense size.
    if (index <= previous || index >= int64_t(current.size))
      return badData(
          "sparse level {} has index {} after {} in a dimension of {}", level,
          index, previous, current.size);
    previous = index;
    NNHAL_RETURN_IF_ERROR(visit(level + 1, i, offset + index * current.stride));
  }
  return Status();
}

Status SparseReader::read() {
  NNHAL_RETURN_IF_ERROR(readLevels());
  NNHAL_RETURN_IF_ERROR(visit(0, 0, 0));
  if (valuesRead * elementSize != tensor.bytes.size())
    return badData("sparse tensor has {} bytes of values, but refers to {}",
                   tensor.bytes.size(), valuesRead * elementSize);
  return Status();
}

/// Gives \p count elements at \p from, of which \p perByte share a byte, a byte
/// each. The first one is in the lowest bits.
static void unpack(const std::byte *from, size_t count, uint32_t perByte,
                   bool isSigned, std::byte *to) {
  const uint32_t bits = 8 / perByte;
  for (size_t i = 0; i < count; ++i) {
    uint32_t above = 8 - bits * (i % perByte + 1);
    auto upper = uint8_t(uint8_t(from[i / perByte]) << above);
    to[i] = isSigned ? std::byte(int8_t(upper) >> (8 - bits))
                     : std::byte(upper >> (8 - bits));
  }
}

/// Block \p index of the scales of \p blocks.
static float scaleOf(const Blocks &blocks, size_t index) {
  uint16_t half = 0;
  float scale = 0;
  if (blocks.type == schema::TensorType::FLOAT32) {
    std::memcpy(&scale, blocks.scales.data() + index * sizeof(scale),
                sizeof(scale));
    return scale;
  }
  std::memcpy(&half, blocks.scales.data() + index * sizeof(half), sizeof(half));
  return blocks.type == schema::TensorType::FLOAT16
             ? floatFromFloat16(half)
             : std::bit_cast<float>(uint32_t(half) << 16);
}

/// Gives \p count elements at \p from, which have scales by blocks, as reals.
static void dequantizeBlocks(const Tensor &tensor, const std::byte *from,
                             size_t count, std::byte *to) {
  const uint32_t perByte = elementsPerByte(tensor.sourceType);
  std::vector<std::byte> unpacked;
  if (perByte > 1) {
    unpacked.resize(count);
    unpack(from, count, perByte, /*isSigned=*/true, unpacked.data());
    from = unpacked.data();
  }
  for (size_t i = 0; i < count; ++i) {
    float value = scaleOf(*tensor.blocks, i / tensor.blocks->size) *
                  float(int8_t(from[i]));
    std::memcpy(to + i * sizeof(value), &value, sizeof(value));
  }
}

/// Converts \p count source elements at \p from into \p to.
static Status convert(const Tensor &tensor, const std::byte *from, size_t count,
                      std::byte *to) {
  if (tensor.expansion == Expansion::Float16ToFloat32) {
    for (size_t i = 0; i < count; ++i) {
      uint16_t half;
      std::memcpy(&half, from + i * 2, 2);
      float value = floatFromFloat16(half);
      std::memcpy(to + i * 4, &value, 4);
    }
    return Status();
  }
  if (tensor.expansion == Expansion::Bfloat16ToFloat32) {
    for (size_t i = 0; i < count; ++i) {
      uint16_t upper;
      std::memcpy(&upper, from + i * 2, 2);
      uint32_t bits = uint32_t(upper) << 16;
      std::memcpy(to + i * 4, &bits, 4);
    }
    return Status();
  }
  if (tensor.expansion == Expansion::PackedToBytes) {
    unpack(from, count, elementsPerByte(tensor.sourceType),
           tensor.sourceType != schema::TensorType::UINT4, to);
    return Status();
  }
  if (tensor.expansion == Expansion::BlocksToFloat32) {
    dequantizeBlocks(tensor, from, count, to);
    return Status();
  }
  if (tensor.expansion == Expansion::Int32ToInt64) {
    for (size_t i = 0; i < count; ++i) {
      int32_t narrow;
      std::memcpy(&narrow, from + i * 4, 4);
      int64_t wide = narrow;
      std::memcpy(to + i * 8, &wide, 8);
    }
    return Status();
  }
  for (size_t i = 0; i < count; ++i) {
    int64_t wide;
    std::memcpy(&wide, from + i * 8, 8);
    if (wide < std::numeric_limits<int32_t>::min() ||
        wide > std::numeric_limits<int32_t>::max())
      return badData("value {} at position {} does not fit 32 bits", wide, i);
    int32_t narrow = static_cast<int32_t>(wide);
    std::memcpy(to + i * 4, &narrow, 4);
  }
  return Status();
}

Status expandConstant(const Tensor &tensor, size_t maxSize,
                      std::vector<std::byte> &bytes) {
  size_t count = *elementCount(*tensor.shape);
  uint32_t sourceSize = elementSizeOf(tensor.sourceType);
  uint32_t targetSize = targetElementSize(tensor);
  size_t begin = bytes.size();
  if (count * targetSize > maxSize - std::min(maxSize, begin))
    return badData("expanded constants need more than {} bytes", maxSize);
  std::vector<std::byte> dense;
  const std::byte *from = tensor.bytes.data();
  if (tensor.sparsity) {
    dense.resize(count * sourceSize);
    // The zero of an asymmetric type is its zero point.
    if (sourceSize == 1)
      std::ranges::fill(dense, std::byte(tensor.zeroPoint));
    NNHAL_RETURN_IF_ERROR(
        SparseReader(tensor, sourceSize, dense.data()).read());
    from = dense.data();
  }
  if (tensor.expansion == Expansion::None) {
    bytes.insert(bytes.end(), from, from + count * targetSize);
    return Status();
  }
  bytes.resize(begin + count * targetSize);
  return convert(tensor, from, count, bytes.data() + begin);
}

Result<std::vector<int32_t>> constantIntegers(const Tensor &tensor) {
  if (tensor.sourceType != schema::TensorType::INT32 &&
      tensor.sourceType != schema::TensorType::INT64)
    return badData("{} has type {}, expected INT32 or INT64", describe(tensor),
                   nameOf(tensor.sourceType));
  // Such a tensor states a shape, an axis or the like: a few values.
  constexpr size_t maxSize = 1 << 16;
  std::vector<std::byte> bytes;
  NNHAL_RETURN_IF_ERROR(
      expandConstant(tensor, maxSize, bytes).withContext(describe(tensor)));
  std::vector<int32_t> values(bytes.size() / 4);
  std::ranges::copy(bytes, std::as_writable_bytes(std::span(values)).begin());
  return values;
}

} // namespace nnhal::rt::tflite
