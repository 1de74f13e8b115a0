//===- Shape.cpp - Other shapes and orders of the same elements -----------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// RESHAPE and its kin only name other extents, once these are checked: that the
// sizes, of which one may be left to the others, have as many elements, that
// dimensions which are left out have extent 1.
//
// All other operations do the same three things: they split dimensions,
// transpose, and merge dimensions. CHANNEL_SHUFFLE sees an axis as [groups]
// [members], DEPTH_TO_SPACE and its kin see height, width and channels or
// batches as blocks. What they share splits the extents of the operand, has
// upstream's linalg.transpose move the parts, and states the merged extents: no
// element costs a division. Where a permutation or an extent is computed, a
// reshape would state extents that nothing bounds; there each element is read
// at its place, which is computed from the indices.
//
//===----------------------------------------------------------------------===//

#include "DataMovement.h"

#include "nnhal/Backend/Signatures/DataMovement.h"

#include "mlir/Dialect/Utils/IndexingUtils.h"

using namespace mlir;
using namespace nnhal;
using rt::OperationType;

/// \p extent / \p divisor, which is positive and leaves no remainder; both are
/// checked.
static Scalar dividedBy(OperationLowering &op, Scalar extent, Scalar divisor) {
  op.check(divisor >= 1, FailureReason::valueTooSmall, divisor, op.index(1));
  Scalar positive = max(divisor, 1);
  op.check(extent.remainder(positive) == 0, FailureReason::notDivisible, extent,
           divisor);
  return extent.quotient(positive);
}

//===----------------------------------------------------------------------===//
// RESHAPE, SQUEEZE, EXPAND_DIMS, RANK
//===----------------------------------------------------------------------===//

/// The extents that \p sizes means for \p total elements: one that is -1 takes
/// what the others leave (M-105).
static SmallVector<Scalar> resolveSizes(OperationLowering &op, Indices sizes,
                                        Scalar total) {
  Scalar others = op.index(1), wildcards = op.index(0);
  for (Scalar size : sizes) {
    Scalar isWildcard = size == -1;
    Scalar factor = select(isWildcard, size.like(1), size);
    op.check(factor >= 1, FailureReason::negativeExtent, size, op.index(1));
    factor = max(factor, 1);
    // Not the product, which might overflow.
    op.check(others <= total.quotient(factor),
             FailureReason::elementCountDiffers, total, factor);
    others = others * factor;
    wildcards = wildcards + select(isWildcard, op.index(1), op.index(0));
  }
  op.check(wildcards <= 1, FailureReason::severalWildcards, wildcards,
           op.index(1));
  Scalar wildcard = total.quotient(max(others, 1));
  op.checkEqual(others * select(wildcards == 1, wildcard, op.index(1)), total,
                FailureReason::elementCountDiffers);
  // Cut to what has been checked: nnhal-verify-addresses does not conclude it
  // from a check of the product.
  SmallVector<Scalar> extents;
  for (Scalar size : sizes)
    extents.push_back(
        select(size == -1, wildcard, min(max(size, 1), max(total, 1))));
  return extents;
}

static LogicalResult lowerReshape(OperationLowering &op) {
  Tensor input = op.input(0);
  op.checkNotEmpty(input);
  FailureOr<int64_t> rank = op.resultRank();
  if (failed(rank))
    return failure();
  SmallVector<Scalar> extents =
      resolveSizes(op, op.integers(1, *rank), input.count());
  op.setOutput(op.reshape(input, op.stated(extents)));
  return success();
}

/// Whether each dimension of \p input is among the axes of a SQUEEZE: those of
/// extent 1 where axes are omitted.
static SmallVector<Scalar> squeezedDimensions(OperationLowering &op,
                                              const Tensor &input) {
  SmallVector<Scalar> result;
  Scalar isPresent = op.isPresent(1);
  std::optional<int64_t> presence = isPresent.known();
  if (presence == 0) {
    for (Scalar extent : input.extents())
      result.push_back(extent == 1);
    return result;
  }
  Tensor axes = op.input(1);
  Scalar count = select(isPresent, axes.extent(0), op.index(0));
  auto resolved = [&](Scalar i) {
    Scalar axis = axes.integer({i}).toIndex();
    return select(axis < 0, axis + double(input.rank()), axis);
  };
  op.checkEach(
      count,
      [&](Scalar i) -> OperationLowering::Condition {
        Scalar axis = resolved(i);
        return {(axis >= 0) & (axis < double(input.rank())), axis};
      },
      FailureReason::axisOutOfRange, op.index(input.rank()));
  for (int64_t dim = 0; dim < input.rank(); ++dim) {
    Scalar isNamed =
        op.fold(count, op.truth(false), [&](Scalar i, Scalar found) {
          return found | (resolved(i) == double(dim));
        });
    result.push_back(select(isPresent, isNamed, input.extent(dim) == 1));
  }
  return result;
}

/// The same for axes that are known.
static SmallVector<Scalar> knownSqueezedDimensions(OperationLowering &op,
                                                   const Tensor &input) {
  SmallVector<Scalar> result(input.rank(), op.truth(false));
  for (Scalar axis : op.integers(1, op.input(1).extent(0).known().value_or(0)))
    if (std::optional<int64_t> dim = op.checkedAxis(axis, input.rank()).known())
      result[*dim] = op.truth(true);
  return result;
}

FailureOr<SmallVector<Scalar>>
nnhal::withoutDimensions(OperationLowering &op, Indices extents,
                         ArrayRef<Scalar> isRemoved) {
  FailureOr<int64_t> rank = op.resultRank();
  if (failed(rank))
    return failure();
  SmallVector<Scalar> kept(*rank, op.index(1));
  Scalar count = op.index(0);
  for (auto [extent, isGone] : llvm::zip(extents, isRemoved)) {
    for (auto [position, target] : llvm::enumerate(kept))
      target = select(!isGone & (count == double(position)), extent, target);
    count = select(isGone, count, count + 1);
  }
  op.checkEqual(max(count, 1), op.index(*rank), FailureReason::rankDiffers);
  return kept;
}

static LogicalResult lowerSqueeze(OperationLowering &op) {
  Tensor input = op.input(0);
  op.checkNotEmpty(input);
  bool isKnown = op.hasInput(1) && op.isConstant(1);
  SmallVector<Scalar> isSqueezed = isKnown ? knownSqueezedDimensions(op, input)
                                           : squeezedDimensions(op, input);
  for (auto [extent, isGone] : llvm::zip(input.extents(), isSqueezed))
    op.check(!isGone | (extent == 1), FailureReason::extentsDiffer, extent,
             op.index(1));
  FailureOr<SmallVector<Scalar>> extents =
      withoutDimensions(op, input.extents(), isSqueezed);
  if (failed(extents))
    return failure();
  op.setOutput(op.reshape(input, op.stated(*extents)));
  return success();
}

static LogicalResult lowerExpandDims(OperationLowering &op) {
  Tensor input = op.input(0);
  op.checkNotEmpty(input);
  int64_t rank = input.rank();
  Scalar axis = op.checkedAxis(op.scalar(1).toIndex(), rank + 1);
  SmallVector<Scalar> extents;
  for (int64_t i = 0; i <= rank; ++i) {
    Scalar before = i < rank ? input.extent(i) : op.index(1);
    Scalar after = i > 0 ? input.extent(i - 1) : op.index(1);
    extents.push_back(select(axis == double(i), op.index(1),
                             select(axis > double(i), before, after)));
  }
  op.setOutput(op.reshape(input, op.stated(extents)));
  return success();
}

static LogicalResult lowerRank(OperationLowering &op) {
  op.setScalarOutput(op.i32(op.input(0).rank()));
  return success();
}

//===----------------------------------------------------------------------===//
// TRANSPOSE and CHANNEL_SHUFFLE
//===----------------------------------------------------------------------===//

/// The permutation, checked; dimensions in reverse where it is omitted (M-257).
static SmallVector<Scalar> readPermutation(OperationLowering &op,
                                           int64_t rank) {
  SmallVector<Scalar> result;
  if (op.hasInput(1) && op.isConstant(1)) {
    result = op.integers(1, rank);
  } else {
    Scalar isPresent = op.isPresent(1);
    Tensor entries;
    if (op.hasInput(1)) {
      entries = op.input(1);
      Scalar count = entries.extent(0);
      op.check(!isPresent | (count == double(rank)),
               FailureReason::extentsDiffer, count, op.index(rank));
    }
    for (int64_t i = 0; i < rank; ++i)
      result.push_back(op.branch(
          isPresent, [&] { return entries.integer({op.index(i)}).toIndex(); },
          [&] { return op.index(rank - 1 - i); }));
  }
  for (int64_t i = 0; i < rank; ++i) {
    op.check((result[i] >= 0) & (result[i] < double(rank)),
             FailureReason::axisOutOfRange, result[i], op.index(rank));
    for (int64_t j = 0; j < i; ++j)
      op.check(result[i] != result[j], FailureReason::notAPermutation,
               result[i], op.index(rank));
  }
  return result;
}

static LogicalResult lowerTranspose(OperationLowering &op) {
  Tensor input = op.input(0);
  int64_t rank = input.rank();
  SmallVector<Scalar> permutation = readPermutation(op, rank);
  SmallVector<Scalar> extents(rank, op.index(0));
  for (int64_t i = 0; i < rank; ++i)
    for (int64_t source = 0; source < rank; ++source)
      extents[i] = select(permutation[i] == double(source),
                          input.extent(source), extents[i]);
  extents = op.stated(extents);
  SmallVector<int64_t> known;
  for (Scalar source : permutation)
    known.push_back(source.known().value_or(-1));
  if (isPermutationVector(known)) {
    op.setOutput(op.transpose(input, known));
    return success();
  }
  op.setOutput(op.define(op.outputType(), extents, [&](Indices at) {
    SmallVector<Scalar> from(rank, op.index(0));
    for (int64_t i = 0; i < rank; ++i)
      for (int64_t source = 0; source < rank; ++source)
        from[source] =
            select(permutation[i] == double(source), at[i], from[source]);
    return input.stored(from);
  }));
  return success();
}

/// \p input with dimension i split into those of \p parts[i], all of them
/// transposed by \p permutation and merged into \p extents. Where one is not
/// known, each element is read at its place: a reshape would state extents that
/// nothing bounds.
static Tensor shuffled(OperationLowering &op, const Tensor &input,
                       ArrayRef<SmallVector<Scalar>> parts,
                       ArrayRef<int64_t> permutation, Indices extents) {
  SmallVector<Scalar> split;
  for (Indices part : parts)
    split.append(part.begin(), part.end());
  if (llvm::all_of(split, [](Scalar extent) { return extent.known(); }))
    return op.reshape(op.transpose(op.reshape(input, split), permutation),
                      extents);
  SmallVector<Scalar> permuted;
  for (int64_t dim : permutation)
    permuted.push_back(split[dim]);
  Tensor result = op.define(input.getType(), permuted, [&](Indices at) {
    SmallVector<Scalar> places(split.size()), from;
    for (auto [dim, index] : llvm::zip(permutation, at))
      places[dim] = index;
    Indices rest = places;
    for (Indices part : parts) {
      Scalar index = rest[0];
      for (size_t i = 1; i < part.size(); ++i)
        index = index * part[i] + rest[i];
      from.push_back(index);
      rest = rest.drop_front(part.size());
    }
    return input.stored(from);
  });
  return op.reshape(result, extents);
}

/// The axis as [groups][members] becomes [members][groups].
static LogicalResult lowerChannelShuffle(OperationLowering &op) {
  Tensor input = op.input(0);
  op.checkNotEmpty(input);
  if (!op.isConstant(2))
    return op.fail("the axis is not constant");
  FailureOr<int64_t> axis = op.decoded(rt::decodeAxis(op.view()));
  if (failed(axis))
    return failure();
  Scalar groups = op.scalar(1).toIndex();
  SmallVector<SmallVector<Scalar>> split;
  for (Scalar extent : input.extents())
    split.push_back({extent});
  split[*axis] = {groups, dividedBy(op, input.extent(*axis), groups)};
  auto permutation = llvm::to_vector(llvm::seq<int64_t>(0, input.rank() + 1));
  std::swap(permutation[*axis], permutation[*axis + 1]);
  op.setOutput(shuffled(op, input, split, permutation, input.extents()));
  return success();
}

//===----------------------------------------------------------------------===//
// Blocks of space
//===----------------------------------------------------------------------===//

namespace {
/// Extents of blocks.
struct SpaceBlock {
  Scalar height, width;

  Scalar area() const { return height * width; }
};

/// Extents of a picture.
struct Picture {
  explicit Picture(const Tensor &tensor)
      : batch(tensor.extent(0)), height(tensor.extent(1)),
        width(tensor.extent(2)), channels(tensor.extent(3)) {}

  SmallVector<Scalar> extents() const {
    return {batch, height, width, channels};
  }

  Scalar batch, height, width, channels;
};
} // namespace

static FailureOr<SpaceBlock> readBlock(OperationLowering &op) {
  if (failed(op.decoded(rt::decodeBlock(op.view()))))
    return failure();
  SpaceBlock block;
  if (op.type() == OperationType::DEPTH_TO_SPACE ||
      op.type() == OperationType::SPACE_TO_DEPTH) {
    block.height = block.width = op.scalar(1).toIndex();
  } else {
    SmallVector<Scalar> shape = op.integers(1, 2);
    block.height = shape[0];
    block.width = shape[1];
  }
  for (Scalar extent : {block.height, block.width})
    op.check(extent >= 1, FailureReason::valueTooSmall, extent, op.index(1));
  return block;
}

/// Blocks lie in channels, the block's row outermost (M-119).
static LogicalResult lowerDepthToSpace(OperationLowering &op) {
  Tensor input = op.input(0);
  op.checkNotEmpty(input);
  FailureOr<SpaceBlock> block = readBlock(op);
  if (failed(block))
    return failure();
  Picture from(input), to = from;
  to.channels = dividedBy(op, from.channels, block->area());
  to.height = from.height * block->height;
  to.width = from.width * block->width;
  op.setOutput(shuffled(op, input,
                        {{from.batch},
                         {from.height},
                         {from.width},
                         {block->height, block->width, to.channels}},
                        {0, 1, 3, 2, 4, 5}, op.stated(to.extents())));
  return success();
}

/// Blocks lie in batches.
static LogicalResult lowerBatchToSpace(OperationLowering &op) {
  Tensor input = op.input(0);
  op.checkNotEmpty(input);
  FailureOr<SpaceBlock> block = readBlock(op);
  if (failed(block))
    return failure();
  Picture from(input), to = from;
  to.batch = dividedBy(op, from.batch, block->area());
  to.height = from.height * block->height;
  to.width = from.width * block->width;
  op.setOutput(shuffled(op, input,
                        {{block->height, block->width, to.batch},
                         {from.height},
                         {from.width},
                         {from.channels}},
                        {2, 3, 0, 4, 1, 5}, op.stated(to.extents())));
  return success();
}

/// The picture \p from in blocks: splits height and width of \p to, which are
/// divided, checked.
static SmallVector<SmallVector<Scalar>> splitIntoBlocks(OperationLowering &op,
                                                        const SpaceBlock &block,
                                                        const Picture &from,
                                                        Picture &to) {
  to.height = dividedBy(op, from.height, block.height);
  to.width = dividedBy(op, from.width, block.width);
  return {{from.batch},
          {to.height, block.height},
          {to.width, block.width},
          {from.channels}};
}

static LogicalResult lowerSpaceToDepth(OperationLowering &op) {
  Tensor input = op.input(0);
  op.checkNotEmpty(input);
  FailureOr<SpaceBlock> block = readBlock(op);
  if (failed(block))
    return failure();
  Picture from(input), to = from;
  auto split = splitIntoBlocks(op, *block, from, to);
  to.channels = from.channels * block->area();
  op.setOutput(
      shuffled(op, input, split, {0, 1, 3, 2, 4, 5}, op.stated(to.extents())));
  return success();
}

static LogicalResult lowerSpaceToBatch(OperationLowering &op) {
  FailureOr<SpaceBlock> block = readBlock(op);
  if (failed(block))
    return failure();
  op.checkNotEmpty(op.input(0));
  SmallVector<Scalar> paddings(8, op.index(0));
  llvm::copy(op.integers(2, 4), paddings.begin() + 2);
  Tensor picture = buildPadded(op, op.input(0), paddings, std::nullopt);
  Picture from(picture), to = from;
  auto split = splitIntoBlocks(op, *block, from, to);
  to.batch = from.batch * block->area();
  op.setOutput(shuffled(op, picture, split, {2, 4, 0, 1, 3, 5},
                        op.stated(to.extents())));
  return success();
}

static constexpr LoweringRow rows[] = {
    {OperationType::BATCH_TO_SPACE_ND, lowerBatchToSpace},
    {OperationType::CHANNEL_SHUFFLE, lowerChannelShuffle},
    {OperationType::DEPTH_TO_SPACE, lowerDepthToSpace},
    {OperationType::EXPAND_DIMS, lowerExpandDims},
    {OperationType::RANK, lowerRank},
    {OperationType::RESHAPE, lowerReshape},
    {OperationType::SPACE_TO_BATCH_ND, lowerSpaceToBatch},
    {OperationType::SPACE_TO_DEPTH, lowerSpaceToDepth},
    {OperationType::SQUEEZE, lowerSqueeze},
    {OperationType::TRANSPOSE, lowerTranspose},
};

std::span<const LoweringRow> nnhal::shapeRows() { return rows; }
