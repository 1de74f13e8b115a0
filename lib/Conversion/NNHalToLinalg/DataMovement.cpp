//===- DataMovement.cpp - Data movement of any type and shape -------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Elements are copied as they are stored, but for parts of a CONCATENATION that
// have another scale or zero point than the result. Operations that keep all
// elements are in Shape.cpp.
//
// SLICE, STRIDED_SLICE and SPLIT are reduced to one question: which part of a
// tensor the result is, as a beginning, a count and a step for each dimension.
// Where these are known and inside of the tensor, the part is a slice of
// upstream, so that the result may share memory with the operand; dimensions
// that go backward are a slice forward, reversed. Where they are computed, each
// element is read at its place, which is cut to the extents. CONCATENATION is
// the other way round: parts are inserted into a larger tensor, in whose place
// they may be computed.
//
// TILE reads with each dimension seen as [repetitions][extent]. GATHER reads at
// indices that are checked before and cut when they are used, because a
// constant may have been damaged since.
//
//===----------------------------------------------------------------------===//

#include "DataMovement.h"

#include "nnhal/Backend/Signatures/DataMovement.h"

using namespace mlir;
using namespace nnhal;
using rt::OperandType;
using rt::OperationType;

/// The axis, which input \p index holds.
static FailureOr<int64_t> readAxis(OperationLowering &op, size_t index) {
  if (op.isConstant(index))
    return op.decoded(rt::decodeAxis(op.view()));
  (void)op.fail("the axis is not constant");
  return failure();
}

//===----------------------------------------------------------------------===//
// CONCATENATION and SPLIT
//===----------------------------------------------------------------------===//

/// \p part in the units of \p to: rounded half away from zero, saturated
/// (M-110). Signed elements are treated as the unsigned ones 128 above them
/// (M-022).
static Tensor requantized(OperationLowering &op, const Tensor &part,
                          const rt::TensorType &to) {
  const rt::TensorType &from = part.getType();
  if (!part.isQuantized() ||
      (from.scale == to.scale && from.zeroPoint == to.zeroPoint))
    return part;
  int32_t shift = to.type == OperandType::TENSOR_QUANT8_ASYMM_SIGNED ? 128 : 0;
  float scale = from.scale * (1.0f / to.scale);
  float bias = float(-(from.zeroPoint + shift)) * scale;
  float zeroPoint = float(to.zeroPoint + shift);
  return op.define(to, part.extents(), [&](Indices at) {
    Scalar stored = (part.integer(at) + double(shift)).toF32();
    Scalar value = round(stored * double(scale) + double(bias)) + zeroPoint;
    // Scales near the ends of their range make a NaN of 0 times infinity.
    value = select(value == value, value, value.like(zeroPoint));
    return op.encodeInteger(clamp(value, 0, 255).toI32() - double(shift), to);
  });
}

namespace {
/// The elements that a result takes along one dimension: count of them from
/// begin on, a stride apart.
struct PartRange {
  Scalar begin, stride, count;

  bool isKnown() const {
    return begin.known() && stride.known() && count.known();
  }
  bool isBackward() const { return *stride.known() < 0; }
};
} // namespace

/// Whether \p ranges are known and within \p source, of known extents, and
/// take an element at least. Parameters that the rules accept, but an operand
/// that is not as stated contradicts, are left to checks.
static bool isKnownPart(const Tensor &source, ArrayRef<PartRange> ranges) {
  for (auto [range, extent] : llvm::zip(ranges, source.extents())) {
    if (!range.isKnown() || !extent.known() || *range.count.known() < 1)
      return false;
    int64_t first = *range.begin.known();
    int64_t last = first + (*range.count.known() - 1) * *range.stride.known();
    if (std::min(first, last) < 0 || std::max(first, last) >= *extent.known())
      return false;
  }
  return true;
}

/// The same, as a slice that goes forward, which is then reversed along the
/// dimensions that go backward.
static Tensor knownPart(OperationLowering &op, const Tensor &source,
                        ArrayRef<PartRange> ranges) {
  SmallVector<Scalar> begin, counts, strides;
  for (const PartRange &range : ranges) {
    bool isBackward = range.isBackward();
    begin.push_back(isBackward ? range.begin + (range.count - 1) * range.stride
                               : range.begin);
    strides.push_back(isBackward ? range.stride * -1 : range.stride);
    counts.push_back(range.count);
  }
  Tensor slice = op.slice(source, begin, counts, strides);
  auto isReversed = [](const PartRange &range) {
    return range.isBackward() && *range.count.known() > 1;
  };
  if (llvm::none_of(ranges, isReversed))
    return slice;
  return op.define(source.getType(), counts, [&](Indices at) {
    SmallVector<Scalar> from;
    for (auto [range, index] : llvm::zip(ranges, at))
      from.push_back(isReversed(range) ? range.count - 1 - index : index);
    return slice.stored(from);
  });
}

/// The part of \p source that \p ranges are. Places that follow from computed
/// parameters are cut to the extents: see OperationLowering::indexFrom().
static Tensor partOf(OperationLowering &op, const Tensor &source,
                     ArrayRef<PartRange> ranges) {
  if (isKnownPart(source, ranges))
    return knownPart(op, source, ranges);
  SmallVector<Scalar> counts;
  for (const PartRange &range : ranges)
    counts.push_back(range.count);
  return op.define(source.getType(), counts, [&](Indices at) {
    SmallVector<Scalar> from;
    for (auto [range, index, extent] :
         llvm::zip(ranges, at, source.extents())) {
      Scalar place = index * range.stride + range.begin;
      bool isKnown = range.begin.known() && range.stride.known();
      from.push_back(isKnown ? place : clamp(place, op.index(0), extent - 1));
    }
    return source.stored(from);
  });
}

static LogicalResult lowerConcatenation(OperationLowering &op) {
  size_t count = op.inputCount() - 1;
  FailureOr<int64_t> axis = readAxis(op, count);
  if (failed(axis))
    return failure();
  SmallVector<Tensor> parts;
  for (size_t i = 0; i < count; ++i)
    parts.push_back(op.input(i));
  SmallVector<Scalar> extents = parts[0].extents();
  for (const Tensor &part : ArrayRef(parts).drop_front())
    for (int64_t dim = 0; dim < part.rank(); ++dim) {
      Scalar extent = part.extent(dim);
      if (dim == *axis) {
        extents[dim] = extents[dim] + extent;
        continue;
      }
      op.checkEqual(extent, extents[dim]);
      if (extent.known())
        extents[dim] = extent;
    }
  Tensor result = op.undefined(op.outputType(), op.stated(extents));
  SmallVector<Scalar> offsets(extents.size(), op.index(0));
  for (const Tensor &part : parts) {
    result = op.insert(requantized(op, part, op.outputType()), result, offsets);
    offsets[*axis] = offsets[*axis] + part.extent(*axis);
  }
  op.setOutput(result);
  return success();
}

static LogicalResult lowerSplit(OperationLowering &op) {
  Tensor input = op.input(0);
  op.checkNotEmpty(input);
  FailureOr<int64_t> axis = readAxis(op, 1);
  if (failed(axis))
    return failure();
  Scalar count = op.index(int64_t(op.view().outputs.size()));
  op.checkEqual(op.scalar(2).toIndex(), count);
  Scalar extent = input.extent(*axis);
  op.check(extent.remainder(count) == 0, FailureReason::notDivisible, extent,
           count);
  SmallVector<PartRange> ranges;
  for (Scalar whole : input.extents())
    ranges.push_back({op.index(0), op.index(1), whole});
  Scalar size = extent.quotient(count);
  ranges[*axis].count = size;
  for (size_t i = 0; i < op.view().outputs.size(); ++i) {
    op.setOutput(i, partOf(op, input, ranges));
    ranges[*axis].begin = ranges[*axis].begin + size;
  }
  return success();
}

//===----------------------------------------------------------------------===//
// SLICE and STRIDED_SLICE
//===----------------------------------------------------------------------===//

static LogicalResult lowerSlice(OperationLowering &op) {
  Tensor input = op.input(0);
  SmallVector<Scalar> begin = op.integers(1, input.rank());
  SmallVector<Scalar> size = op.integers(2, input.rank());
  SmallVector<Scalar> extents;
  for (int64_t dim = 0; dim < input.rank(); ++dim) {
    Scalar extent = input.extent(dim);
    op.check((begin[dim] >= 0) & (begin[dim] <= extent),
             FailureReason::indexOutOfRange, begin[dim], extent);
    op.check(size[dim] >= -1, FailureReason::valueTooSmall, size[dim],
             op.index(-1));
    Scalar rest = extent - begin[dim];
    Scalar length = select(size[dim] == -1, rest, size[dim]);
    op.check(length <= rest, FailureReason::indexOutOfRange,
             begin[dim] + length, extent);
    extents.push_back(length);
  }
  SmallVector<PartRange> ranges;
  for (auto [first, count] : llvm::zip(begin, op.stated(extents)))
    ranges.push_back({first, op.index(1), count});
  op.setOutput(partOf(op, input, ranges));
  return success();
}

namespace {
/// The masks as they are.
struct StridedMasks {
  Scalar begin, end, shrink;
};
} // namespace

/// Bit \p dimension, as i1.
static Scalar bitOf(Scalar mask, int64_t dimension) {
  return (mask.shiftedRight(mask.like(double(dimension))) & mask.like(1)) == 1;
}

/// Masks and negative positions resolved, positions limited to those of the
/// direction (M-114); a dimension that the result lacks has one (C7, C8).
static PartRange resolveStrided(OperationLowering &op, int64_t dim,
                                Scalar extent, Scalar begin, Scalar end,
                                Scalar stride, const StridedMasks &masks) {
  op.check(stride != 0, FailureReason::zeroStride, stride, op.index(dim));
  Scalar isForward = stride > 0;
  Scalar low = select(isForward, op.index(0), op.index(-1));
  Scalar high = extent + low;
  auto position = [&](Scalar index) {
    return clamp(select(index < 0, index + extent, index), low, high);
  };
  Scalar first = select(bitOf(masks.begin, dim), select(isForward, low, high),
                        position(begin));
  Scalar last = select(bitOf(masks.end, dim), select(isForward, high, low),
                       position(end));
  Scalar distance = select(isForward, last - first, first - last);
  Scalar step = max(select(isForward, stride, -stride), 1);
  Scalar count = (max(distance, 0) + step - 1).quotient(step);
  Scalar isShrunk = bitOf(masks.shrink, dim);
  op.check(!isShrunk | isForward, FailureReason::valueTooSmall, stride,
           op.index(1));
  op.check(!isShrunk | (count == 1), FailureReason::extentsDiffer, count,
           op.index(1));
  return {first, stride, count};
}

static LogicalResult lowerStridedSlice(OperationLowering &op) {
  Tensor input = op.input(0);
  op.checkNotEmpty(input);
  int64_t rank = input.rank();
  SmallVector<Scalar> begin = op.integers(1, rank), end = op.integers(2, rank);
  SmallVector<Scalar> strides = op.integers(3, rank);
  StridedMasks masks{op.scalar(4), op.scalar(5), op.scalar(6)};
  SmallVector<PartRange> ranges;
  SmallVector<Scalar> counts, isShrunk;
  for (int64_t i = 0; i < rank; ++i) {
    ranges.push_back(resolveStrided(op, i, input.extent(i), begin[i], end[i],
                                    strides[i], masks));
    counts.push_back(ranges.back().count);
    isShrunk.push_back(bitOf(masks.shrink, i));
  }
  FailureOr<SmallVector<Scalar>> extents =
      withoutDimensions(op, counts, isShrunk);
  if (failed(extents))
    return failure();
  Tensor slice = partOf(op, input, ranges);
  op.setOutput(op.reshape(slice, op.stated(*extents)));
  return success();
}

//===----------------------------------------------------------------------===//
// PAD, PAD_V2, TILE and FILL
//===----------------------------------------------------------------------===//

/// An element that stands for 0: the zero point (M-116).
static Scalar zeroElement(OperationLowering &op, const Tensor &like) {
  Type element = like.getValueType().getElementType();
  if (like.isFloat())
    return Scalar::constant(op.getBuilder(), element, 0);
  return op.i32(like.isQuantized() ? like.getType().zeroPoint : 0).to(element);
}

Tensor nnhal::buildPadded(OperationLowering &op, const Tensor &input,
                          ArrayRef<Scalar> paddings,
                          std::optional<Scalar> element, bool isResult) {
  for (Scalar padding : paddings)
    op.check(padding >= 0, FailureReason::valueTooSmall, padding, op.index(0));
  if (llvm::all_of(paddings,
                   [](Scalar padding) { return padding.known() == 0; }))
    return input;
  SmallVector<Scalar> extents, heads;
  for (int64_t i = 0; i < input.rank(); ++i) {
    heads.push_back(paddings[2 * i]);
    extents.push_back(input.extent(i) + paddings[2 * i] + paddings[2 * i + 1]);
  }
  // Before the first element is written: the memory of an output of the model
  // has the extents that are stated, and the result may be computed in it.
  if (isResult)
    extents = op.stated(extents);
  Scalar fill = element ? *element : zeroElement(op, input);
  return op.insert(input, op.filled(input.getType(), extents, fill), heads);
}

/// The scalar \p index as an element like those of \p type: its low bytes
/// (M-118), within the storage range of quantized elements.
static Scalar scalarElement(OperationLowering &op, size_t index,
                            const rt::TensorType &type, Type element) {
  Scalar value = op.scalar(index);
  if (value.getType() == element)
    return value;
  rt::StorageRange range = rt::storageRange(type.type);
  op.check(value >= range.low, FailureReason::valueTooSmall, value,
           op.index(range.low));
  op.check(value <= range.high, FailureReason::valueTooLarge, value,
           op.index(range.high));
  return value.to(element);
}

static LogicalResult lowerPad(OperationLowering &op) {
  Tensor input = op.input(0);
  op.checkNotEmpty(input);
  std::optional<Scalar> element;
  if (op.type() == OperationType::PAD_V2)
    element = scalarElement(op, 2, input.getType(),
                            input.getValueType().getElementType());
  op.setOutput(buildPadded(op, input, op.integers(1, 2 * input.rank()), element,
                           /*isResult=*/true));
  return success();
}

/// Every dimension as [repetitions][extent].
static LogicalResult lowerTile(OperationLowering &op) {
  Tensor input = op.input(0);
  op.checkNotEmpty(input);
  SmallVector<Scalar> split, tiled;
  SmallVector<Scalar> multiples = op.integers(1, input.rank());
  for (auto [multiple, extent] : llvm::zip(multiples, input.extents())) {
    op.check(multiple >= 1, FailureReason::valueTooSmall, multiple,
             op.index(1));
    split.append({multiple, extent});
    tiled.push_back(multiple * extent);
  }
  Tensor repeated = op.define(op.outputType(), split, [&](Indices at) {
    SmallVector<Scalar> from;
    for (int64_t i = 0; i < input.rank(); ++i)
      from.push_back(at[2 * i + 1]);
    return input.stored(from);
  });
  op.setOutput(op.reshape(repeated, op.stated(tiled)));
  return success();
}

static LogicalResult lowerFill(OperationLowering &op) {
  FailureOr<int64_t> rank = op.resultRank();
  if (failed(rank))
    return failure();
  SmallVector<Scalar> extents = op.integers(0, *rank);
  for (Scalar extent : extents)
    op.check(extent >= 0, FailureReason::negativeExtent, extent, op.index(0));
  Scalar value = op.scalar(1);
  op.setOutput(op.filled(op.outputType(), op.stated(extents), value));
  return success();
}

//===----------------------------------------------------------------------===//
// GATHER
//===----------------------------------------------------------------------===//

void nnhal::checkIndices(OperationLowering &op, size_t index, Scalar extent) {
  const rt::OperandView &operand = op.view().inputs[index];
  std::optional<int64_t> bound = extent.known();
  if (operand.value && bound) {
    bool isInRange = true;
    for (size_t at = 0; at < operand.value->size(); at += sizeof(int32_t)) {
      int32_t element = 0;
      std::memcpy(&element, operand.value->data() + at, sizeof element);
      isInRange &= element >= 0 && element < *bound;
    }
    if (isInRange)
      return;
  }
  Tensor indices = op.input(index);
  Scalar count = indices.count();
  indices = op.reshape(indices, {count});
  op.checkEach(
      count,
      [&](Scalar i) -> OperationLowering::Condition {
        Scalar found = indices.integer({i}).toIndex();
        return {(found >= 0) & (found < extent), found};
      },
      FailureReason::indexOutOfRange, extent);
}

static LogicalResult lowerGather(OperationLowering &op) {
  Tensor input = op.input(0), indices = op.input(2);
  op.checkNotEmpty(input);
  op.checkNotEmpty(indices);
  FailureOr<int64_t> axis = readAxis(op, 1);
  if (failed(axis))
    return failure();
  checkIndices(op, 2, input.extent(*axis));
  SmallVector<Scalar> inputExtents = input.extents();
  SmallVector<Scalar> extents(inputExtents.begin(),
                              inputExtents.begin() + *axis);
  extents.append(indices.extents());
  extents.append(inputExtents.begin() + *axis + 1, inputExtents.end());
  op.setOutput(op.define(op.outputType(), extents, [&](Indices at) {
    SmallVector<Scalar> from(at.take_front(*axis));
    from.push_back(op.indexFrom(indices, at.slice(*axis, indices.rank()),
                                inputExtents[*axis]));
    from.append(at.begin() + *axis + indices.rank(), at.end());
    return input.stored(from);
  }));
  return success();
}

static constexpr LoweringRow rows[] = {
    {OperationType::CONCATENATION, lowerConcatenation},
    {OperationType::FILL, lowerFill},
    {OperationType::GATHER, lowerGather},
    {OperationType::PAD, lowerPad},
    {OperationType::PAD_V2, lowerPad},
    {OperationType::SLICE, lowerSlice},
    {OperationType::SPLIT, lowerSplit},
    {OperationType::STRIDED_SLICE, lowerStridedSlice},
    {OperationType::TILE, lowerTile},
};

std::span<const LoweringRow> nnhal::dataMovementRows() { return rows; }
